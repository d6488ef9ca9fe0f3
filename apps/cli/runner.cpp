#include "cli/runner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "cli/firasim.h"
#include "cli/samples.h"
#include "load/units.h"

namespace gradus::cli {
namespace {

std::string extension_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

}  // namespace

std::vector<std::string> default_properties(const World& world) {
  std::vector<std::string> out;
  for (const RobotModel& r : world.model().robots) {
    for (const char* p : {".x", ".y", ".z", ".roll", ".pitch", ".yaw"}) out.push_back(r.name + p);
    for (const Joint& j : r.kind->joints)
      out.push_back(r.name + "." + r.kind->objects[static_cast<std::size_t>(j.object)].name + ".q");
  }
  return out;
}

std::unique_ptr<Runner> Runner::make(const RunOptions& o) {
  auto scene = load_scene_with(o.scene, o.sets, o.motions);
  if (!scene) return nullptr;
  if (o.seed) scene->seed = *o.seed;
  std::unique_ptr<Runner> run(new Runner);
  if (o.firasim && !apply_firasim(*o.firasim, *scene, run->waits_for_clients_)) return nullptr;
  run->scene_ = std::move(*scene);
  if (!run->build(o.threads, thread_time)) return nullptr;
  if (!o.duration.empty()) parse_quantity(o.duration, dimension::kTime, run->duration_);
  if (!run->read_timed(o.timed) || !run->open_logs(o)) return nullptr;
  const auto remote = [](const GroupSpec& g) { return g.blue == "firasim" || g.yellow == "firasim"; };
  const bool wanted = o.firasim || std::any_of(run->scene_.groups.begin(), run->scene_.groups.end(), remote);
  if (wanted && !run->open_firasim()) return nullptr;
  return run;
}

std::unique_ptr<Runner> Runner::twin() const {
  std::unique_ptr<Runner> run(new Runner);
  run->scene_ = scene_;
  run->timed_ = timed_;
  return run->build(world_->threads(), nullptr) ? std::move(run) : nullptr;
}

bool Runner::build(int threads, double (*clock)()) {
  auto model = compile(scene_);
  if (!model) return print(model.notes()), false;
  auto world = World::make(std::move(*model), {threads, clock});
  print(world.notes());
  if (!world) return false;
  world_ = std::move(*world);
  duration_ = scene_.duration;
  watch_ = std::make_unique<EventWatch>(*world_);
  log_steps_ = std::max<std::int64_t>(1, std::llround(scene_.log_period / scene_.step));
  auto controllers = attach_controllers(*world_);
  if (!controllers) return print(controllers.notes()), false;
  controllers_ = std::move(*controllers);
  return true;
}

Runner::~Runner() { close_logs(); }

bool Runner::open_logs(const RunOptions& o) {
  const auto properties = chosen_properties(*world_, o.properties.empty() ? default_properties(*world_) : o.properties);
  if (!properties) return false;
  for (const std::string& path : o.logs) {
    const std::string kind = extension_of(path);
    if (kind == ".csv") {
      if (!open_csv(path, *properties)) return false;
    } else if (kind == ".mcap") {
      auto recorder = Recorder::open(path, scene_, *world_, *properties);
      if (!recorder) return print(recorder.notes()), false;
      recorders_.push_back(std::move(*recorder));
    } else {
      std::fprintf(stderr, "error: cannot write a log '%s'; end its name with .mcap or .csv\n", path.c_str());
      return false;
    }
  }
  return true;
}

bool Runner::open_csv(const std::string& path, const std::vector<std::string>& properties) {
  std::vector<CsvColumn> names{{"time", "s"}};
  std::vector<Property> columns;
  for (const std::string& p : properties) {
    auto view = find_property(*world_, p);
    if (!view) return print(view.notes()), false;
    columns.push_back({p, *view});
    names.push_back({p, view->unit});
  }
  auto writer = CsvWriter::open(path, names);
  if (!writer) return print(writer.notes()), false;
  csvs_.push_back({std::move(*writer), std::move(columns)});
  write_csv();
  return true;
}

void Runner::write_csv() {
  for (Csv& c : csvs_) {
    std::vector<double> row{world_->time()};
    for (const Property& p : c.columns) row.push_back(p.view.get(*world_));
    c.writer.row(row);
  }
}

std::string Runner::apply_now(const Command& command) {
  for (auto& r : recorders_) r->command(*world_, command);
  return apply(*world_, command);
}

bool Runner::can_rewind() const {
  const auto keeps_a_state = [](const RobotInstanceSpec& r) {
    return r.controller.kind == "library" || r.controller.kind == "process";
  };
  return recorders_.empty() && csvs_.empty() && std::none_of(scene_.robots.begin(), scene_.robots.end(), keeps_a_state);
}

void Runner::rewind_to(const Snapshot& snapshot) {
  world_->restore(snapshot);
  stopped_.clear();
  std::erase_if(events_, [&](const Event& e) { return e.time > world_->time(); });
  watch_->reset(*world_);
}

bool Runner::read_timed(const std::vector<std::string>& texts) {
  Diagnostics faults;
  for (const std::string& text : texts)
    if (const auto t = read_timed_command(text, *world_, faults)) timed_.push_back(*t);
  print(faults);
  return faults.empty();
}

/// Those that are due before the next step.
void Runner::apply_timed() {
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

void Runner::step() {
  apply_timed();
  if (firasim_)
    for (const Command& c : firasim_->receive(*world_)) apply_now(c);
  world_->step();
  if (firasim_) firasim_->publish(*world_);
  for (auto& r : recorders_) r->after_step(*world_);
  if (world_->k() % log_steps_ == 0) {
    write_csv();
    watch_->look(*world_, events_);
  }
  watch_->look_at_touches(*world_, events_);
  watch_->look_at_matches(*world_, events_);
  stopped_ = controllers_.failure();
  const int bad = world_->report().not_finite;
  if (bad >= 0)
    stopped_ = "the state of robot '" + world_->model().robots[static_cast<std::size_t>(bad)].name +
               "' is not finite after step " + std::to_string(world_->k());
}

bool Runner::open_firasim() {
  if (world_->groups().empty()) {
    std::fprintf(stderr, "error: this scene has no group that clients could play in; try mirosot_5v5\n");
    return false;
  }
  auto match = control::FirasimMatch::open(*world_, 0, {waits_for_clients_});
  if (!match) return print(match.notes()), false;
  firasim_ = std::move(*match);
  announce_firasim(scene_, *firasim_);
  return true;
}

bool Runner::close_logs() {
  bool whole = true;
  for (auto& r : recorders_)
    if (!r->close()) {
      std::fprintf(stderr, "error: the log is incomplete: %s; what was written is readable\n", r->error().c_str());
      whole = false;
    }
  recorders_.clear();
  for (Csv& c : csvs_)
    if (!c.writer.close()) {
      std::fprintf(stderr, "error: the table is incomplete: %s\n", c.writer.error().c_str());
      whole = false;
    }
  csvs_.clear();
  return whole;
}

}  // namespace gradus::cli
