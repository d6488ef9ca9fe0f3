#include "session/session.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace gradus {
namespace {

constexpr std::string_view kMemory = "GRADMEMO";

Diagnostics about_links(const std::vector<std::pair<std::string, std::string>>& links, SceneSpec& scene) {
  Diagnostics notes;
  for (const auto& [name, options] : links) {
    if (const LinkTable* table = find_link(name)) {
      append(notes, table->prepare(options, scene));
      continue;
    }
    std::vector<std::string> known;
    for (const LinkTable& l : all_links()) known.emplace_back(l.name);
    notes.push_back({{}, Severity::error, "there is no link '" + name + "'", did_you_mean(name, known)});
  }
  return notes;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::make(SceneSpec scene, const SessionOptions& options) {
  std::unique_ptr<Session> s(new Session);
  Diagnostics notes = about_links(options.links, scene);
  if (has_errors(notes)) return notes;
  s->scene_ = std::move(scene);
  append(notes, s->build(options.threads, options.render_threads, options.clock));
  if (has_errors(notes)) return notes;
  if (options.duration) s->duration_ = *options.duration;
  append(notes, s->read_timed(options.timed));
  if (!has_errors(notes)) append(notes, s->open_logs(options));
  if (!has_errors(notes)) append(notes, s->open_links(options));
  if (has_errors(notes)) return notes;
  return {std::move(s), std::move(notes)};
}

std::unique_ptr<Session> Session::twin() const {
  const auto has_a_program = [](const RobotInstanceSpec& r) { return r.controller.kind == "process"; };
  if (std::any_of(scene_.robots.begin(), scene_.robots.end(), has_a_program)) return nullptr;
  std::unique_ptr<Session> s(new Session);
  s->scene_ = scene_;
  s->timed_ = timed_;
  return has_errors(s->build(world_->threads(), 0, nullptr)) ? nullptr : std::move(s);
}

Diagnostics Session::build(int threads, int render_threads, double (*clock)()) {
  auto model = compile(scene_);
  if (!model) return model.notes();
  World::Options options;
  options.threads = threads, options.render_threads = render_threads, options.clock = clock;
  auto world = World::make(std::move(*model), options);
  Diagnostics notes = world.notes();
  if (!world) return notes;
  world_ = std::move(*world);
  duration_ = scene_.duration;
  watch_ = std::make_unique<EventWatch>(*world_);
  log_steps_ = std::max<std::int64_t>(1, std::llround(scene_.log_period / scene_.step));
  auto controllers = attach_controllers(*world_);
  append(notes, controllers.notes());
  if (controllers) controllers_ = std::move(*controllers);
  return notes;
}

Diagnostics Session::read_timed(const std::vector<std::string>& texts) {
  Diagnostics faults;
  for (const std::string& text : texts)
    if (const auto t = read_timed_command(text, *world_, faults)) timed_.push_back(*t);
  return faults;
}

Diagnostics Session::open_logs(const SessionOptions& o) {
  const auto properties = chosen_properties(*world_, o.properties.empty() ? default_properties(*world_) : o.properties);
  if (!properties) return properties.notes();
  Diagnostics notes;
  for (const std::string& path : o.logs) {
    const std::string kind = std::filesystem::path(path).extension().string();
    if (kind == ".csv") {
      append(notes, open_csv(path, *properties));
    } else if (kind == ".mcap") {
      auto recorder = Recorder::open(path, scene_, *world_, *properties, o.images);
      append(notes, recorder.notes());
      if (recorder) recorders_.push_back(std::move(*recorder));
    } else {
      notes.push_back({{}, Severity::error, "cannot write a log '" + path + "'", "end its name with .mcap or .csv"});
    }
    if (has_errors(notes)) break;
  }
  return notes;
}

Diagnostics Session::open_csv(const std::string& path, const std::vector<std::string>& properties) {
  std::vector<CsvColumn> names{{"time", "s"}};
  std::vector<Property> columns;
  for (const std::string& p : properties) {
    auto view = find_property(*world_, p);
    if (!view) return view.notes();
    columns.push_back({p, *view});
    names.push_back({p, view->unit});
  }
  auto writer = CsvWriter::open(path, names);
  if (!writer) return writer.notes();
  csvs_.push_back({std::move(*writer), std::move(columns)});
  write_csv();
  return {};
}

Diagnostics Session::open_links(const SessionOptions& options) {
  std::vector<std::pair<std::string, std::string>> wanted = options.links;
  for (const LinkTable& l : all_links()) {
    const auto named = [&](const auto& x) { return x.first == l.name; };
    if (l.asked_for(scene_) && std::none_of(wanted.begin(), wanted.end(), named)) wanted.emplace_back(l.name, "");
  }
  Diagnostics notes;
  for (const auto& [name, text] : wanted) {
    auto link = find_link(name)->open(text, *world_);
    append(notes, link.notes());
    if (link) links_.push_back(std::move(*link));
  }
  return notes;
}

void Session::write_csv() {
  for (Csv& c : csvs_) {
    std::vector<double> row{world_->time()};
    for (const Property& p : c.columns) row.push_back(p.view.get(*world_));
    c.writer.row(row);
  }
}

std::string Session::apply_now(const Command& command) {
  for (auto& r : recorders_) r->command(*world_, command);
  return apply(*world_, command);
}

bool Session::wants_real_time() const {
  return std::any_of(links_.begin(), links_.end(), [](const auto& l) { return l->wants_real_time(); });
}

std::string Session::keeps_no_past() const {
  if (!can_restore()) return "a log is written, which only goes forward; afterwards the log itself goes back: gradus view LOG";
  for (const auto& link : links_)
    if (link->keeps_programs()) return "programs at links do not go back with it; a log does: --log FILE.mcap, then gradus view";
  return world_->controllers_forget();
}

/// The world's snapshot; where controllers remember something, then: what they do, 8 its size, "GRADMEMO".
Bytes Session::save() const {
  Bytes out = world_->snapshot().bytes();
  const std::size_t start = out.size();
  world_->save_controllers(out);
  const auto size = static_cast<std::uint64_t>(out.size() - start);
  if (size == 0) return out;
  append_le(out, size);
  append_bytes(out, as_byte_view(kMemory));
  return out;
}

bool Session::restore(ByteView saved) {
  ByteView memory;
  constexpr std::size_t kTail = sizeof(std::uint64_t) + kMemory.size();
  if (saved.size() >= kTail && as_text(saved.last(kMemory.size())) == kMemory) {
    const auto size = ByteReader(saved.last(kTail)).le<std::uint64_t>();
    if (size > saved.size() - kTail) return false;
    saved = saved.first(saved.size() - kTail);
    memory = saved.last(static_cast<std::size_t>(size));
    saved = saved.first(saved.size() - memory.size());
  }
  const auto snapshot = Snapshot::from_bytes(saved);
  if (!snapshot || !world_->restore(*snapshot)) return false;
  stopped_.clear();
  std::erase_if(events_, [&](const Event& e) { return e.time > world_->time(); });
  watch_->reset(*world_);
  return world_->restore_controllers(memory);
}

/// Those that are due before the next step.
void Session::apply_timed() {
  for (const TimedCommand& t : timed_) {
    if (t.k != world_->k()) continue;
    const std::string problem = apply_now(t.command);
    const std::size_t dot = t.command.name.find('.');
    char value[32];
    std::snprintf(value, sizeof value, " = %g", t.command.value);
    const std::string what = t.command.name.substr(dot + 1) + value;
    events_.push_back({world_->time(), "set", problem.empty() ? what : problem, t.command.name.substr(0, dot)});
  }
}

void Session::step() {
  apply_timed();
  for (auto& link : links_)
    for (const Command& c : link->receive(*world_)) apply_now(c);
  world_->step();
  for (auto& link : links_) link->publish(*world_);
  if (!recorders_.empty()) world_->take_seen(seen_);
  for (auto& r : recorders_) r->after_step(*world_, seen_);
  if (world_->k() % log_steps_ == 0) write_csv();
  watch_->look(*world_, events_);
  for (auto& link : links_)
    for (LinkNotice& n : link->take_notices())
      events_.push_back({world_->time(), std::move(n.kind), std::move(n.what), std::move(n.robot)});
  stopped_ = controllers_.failure();
  for (auto& link : links_)
    if (stopped_.empty()) stopped_ = link->failure();
  const int bad = world_->report().not_finite;
  if (bad >= 0)
    stopped_ = "the state of robot '" + world_->model().robots[static_cast<std::size_t>(bad)].name +
               "' is not finite after step " + std::to_string(world_->k());
}

Diagnostics Session::close_logs() {
  Diagnostics notes;
  if (!recorders_.empty()) world_->take_seen(seen_);
  for (auto& r : recorders_)
    if (!r->close(world_->time(), seen_))
      notes.push_back({{}, Severity::error, "the log is incomplete: " + r->error(), "what was written is readable"});
  recorders_.clear();
  for (Csv& c : csvs_)
    if (!c.writer.close()) notes.push_back({{}, Severity::error, "the table is incomplete: " + c.writer.error(), ""});
  csvs_.clear();
  return notes;
}

}  // namespace gradus
