#include "cli/runner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "cli/firasim.h"
#include "load/units.h"
#include "motion/planar_wheels/group.h"

namespace gradus::cli {
namespace {

std::string extension_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

}  // namespace

std::vector<std::string> default_properties(const World& world) {
  std::vector<std::string> out;
  for (const RobotModel& r : world.model().robots) {
    for (const char* p : {".x", ".y", ".z", ".roll", ".pitch", ".yaw"}) out.push_back(r.name + p);
    for (const Joint& j : r.kind->joints) out.push_back(r.name + "." + r.kind->objects[static_cast<std::size_t>(j.object)].name + ".q");
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
  auto model = compile(run->scene_);
  if (!model) return print(model.notes()), nullptr;
  auto world = World::make(std::move(*model), {o.threads, thread_time});
  print(world.notes());
  if (!world) return nullptr;
  run->world_ = std::move(*world);
  run->duration_ = run->scene_.duration;
  if (!o.duration.empty()) parse_quantity(o.duration, dimension::kTime, run->duration_);
  run->fallen_.assign(static_cast<std::size_t>(run->world_->robot_count()), false);
  run->log_steps_ = std::max<std::int64_t>(1, std::llround(run->scene_.log_period / run->scene_.step));
  auto controllers = attach_controllers(*run->world_);
  if (!controllers) return print(controllers.notes()), nullptr;
  run->controllers_ = std::move(*controllers);
  run->match_events_.assign(static_cast<std::size_t>(run->world_->groups().count()), 0);
  if (!run->open_logs(o)) return nullptr;
  const auto remote = [](const GroupSpec& g) { return g.blue == "firasim" || g.yellow == "firasim"; };
  const bool wanted = o.firasim || std::any_of(run->scene_.groups.begin(), run->scene_.groups.end(), remote);
  if (wanted && !run->open_firasim()) return nullptr;
  return run;
}

Runner::~Runner() { close_logs(); }

bool Runner::open_logs(const RunOptions& o) {
  for (const std::string& path : o.logs) {
    const std::string kind = extension_of(path);
    if (kind == ".csv") {
      if (!open_csv(path, o.properties.empty() ? default_properties(*world_) : o.properties)) return false;
    } else if (kind == ".mcap") {
      auto recorder = Recorder::open(path, scene_, *world_, o.properties.empty() ? default_properties(*world_) : o.properties);
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
  const bool has_library = std::any_of(scene_.robots.begin(), scene_.robots.end(),
                                       [](const RobotInstanceSpec& r) { return r.controller.kind == "library"; });
  return recorders_.empty() && csvs_.empty() && !has_library;
}

void Runner::rewind_to(const Snapshot& snapshot) {
  world_->restore(snapshot);
  stopped_.clear();
  std::erase_if(events_, [&](const Event& e) { return e.time > world_->time(); });
  for (int r = 0; r < world_->robot_count(); ++r) fallen_[static_cast<std::size_t>(r)] = world_->fallen(r);
  for (int g = 0; g < world_->groups().count(); ++g)
    match_events_[static_cast<std::size_t>(g)] = wheels::match_of(world_->section(g))[wheels::kEventCount];
}

void Runner::step() {
  if (firasim_)
    for (const Command& c : firasim_->receive(*world_)) apply_now(c);
  world_->step();
  if (firasim_) firasim_->publish(*world_);
  for (auto& r : recorders_) r->after_step(*world_);
  if (world_->k() % log_steps_ == 0) {
    write_csv();
    note_falls();
  }
  note_matches();
  stopped_ = controllers_.failure();
  const int bad = world_->report().not_finite;
  if (bad >= 0)
    stopped_ = "the state of robot '" + world_->model().robots[static_cast<std::size_t>(bad)].name + "' is not finite after step " + std::to_string(world_->k());
}

void Runner::note_falls() {
  for (int r = 0; r < world_->robot_count(); ++r) {
    const bool fallen = world_->fallen(r);
    if (fallen != fallen_[static_cast<std::size_t>(r)])
      events_.push_back({world_->time(), fallen ? "falls" : "is upright again", world_->model().robots[static_cast<std::size_t>(r)].name});
    fallen_[static_cast<std::size_t>(r)] = fallen;
  }
}

void Runner::note_matches() {
  for (int g = 0; g < world_->groups().count(); ++g) {
    const auto match = wheels::match_of(world_->section(g));
    double& told = match_events_[static_cast<std::size_t>(g)];
    if (match[wheels::kEventCount] == told) continue;
    told = match[wheels::kEventCount];
    const auto event = static_cast<wheels::MatchEvent>(static_cast<int>(match[wheels::kLastEvent]));
    const bool blue = event == wheels::MatchEvent::goal_blue;
    if (!blue && event != wheels::MatchEvent::goal_yellow) continue;
    char text[80];
    std::snprintf(text, sizeof text, "goal for %s, %g : %g", blue ? "blue" : "yellow", match[wheels::kGoalsBlue],
                  match[wheels::kGoalsYellow]);
    events_.push_back({world_->time(), text, world_->groups().model(g).spec.name, "goal"});
  }
}

bool Runner::open_firasim() {
  if (world_->groups().empty()) {
    std::fprintf(stderr, "error: this scene has no group that clients could play in; try mirosot_5v5\n");
    return false;
  }
  auto match = control::FirasimMatch::open(*world_, 0, {waits_for_clients_});
  if (!match) return print(match.notes()), false;
  firasim_ = std::move(*match);
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
