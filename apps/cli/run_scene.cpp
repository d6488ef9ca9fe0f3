#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/pacing.h"
#include "cli/running.h"
#include "io/progress.h"
#include "link/library/guard.h"
#include "load/units.h"
#include "wheels/group.h"

namespace gradus::cli {

volatile std::sig_atomic_t interrupted = 0;

double speed_factor(const std::string& text) {
  return text.empty() || text == "max" ? 0 : text == "real" ? 1 : std::strtod(text.c_str(), nullptr);
}

double speed_of(const Session& run, const RunOptions& o) {
  const bool people_or_clients = run.wants_real_time() || (o.view_port && run.links().empty());
  return o.speed.empty() && people_or_clients ? 1 : speed_factor(o.speed);
}

std::unique_ptr<Session> start_session(const RunOptions& o) {
  auto scene = load_scene_with(o.scene, o.sets, o.motions, o.settings);
  if (!scene) return nullptr;
  if (o.seed) scene->seed = *o.seed;
  SessionOptions s;
  s.threads = o.threads, s.clock = thread_time;
  s.render_threads = o.render_threads.value_or(spare_threads(o.threads)), s.images = o.images;
  s.logs = o.logs, s.properties = o.properties, s.timed = o.timed;
  double duration = 0;
  if (!o.duration.empty() && !parse_quantity(o.duration, dimension::kTime, duration)) s.duration = duration;
  for (const auto& [name, options] : o.links)
    if (options) s.links.emplace_back(name, *options);
  auto session = Session::make(std::move(*scene), s);
  print(session.notes());
  if (!session) return nullptr;
  for (const auto& link : (*session)->links())
    for (const std::string& line : link->addresses())
      std::fprintf(stderr, "%s: %s\n", std::string(link->name()).c_str(), line.c_str());
  return std::move(*session);
}

namespace {

/// The first Ctrl-C ends the run properly, a second one at once.
void on_interrupt(int signal) {
  if (interrupted) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupted = 1;
  // A controller library that has not come back for a second is not waited for; its failure names it.
  if (library_running_for(1) != nullptr) end_running_library();
}

std::string hash_text(std::uint64_t hash) {
  char text[24];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash);
  return text;
}

/// Score and clock of each group, and placements that were moved.
void print_matches(const World& world) {
  for (int g = 0; g < world.groups().count(); ++g) {
    const auto match = wheels::match_of(world.section(g));
    std::printf("  %s: blue %g : %g yellow after %.1f s\n", world.groups().model(g).spec.name.c_str(),
                match[wheels::kGoalsBlue], match[wheels::kGoalsYellow], match[wheels::kClock]);
  }
  const PlaceCounters& p = world.placements();
  if (p.moved + p.refused > 0)
    std::printf("  placements: %" PRId64 " moved to the nearest free place, %" PRId64 " refused\n", p.moved, p.refused);
}

nlohmann::ordered_json matches_json(const World& world) {
  nlohmann::ordered_json j;
  for (int g = 0; g < world.groups().count(); ++g) {
    const auto match = wheels::match_of(world.section(g));
    j[world.groups().model(g).spec.name] = {{"blue", match[wheels::kGoalsBlue]},
                                            {"yellow", match[wheels::kGoalsYellow]},
                                            {"clock", match[wheels::kClock]},
                                            {"placements_moved", world.placements().moved},
                                            {"placements_refused", world.placements().refused}};
  }
  return j;
}

/// What cameras cost: only those that somebody reads cost anything.
void print_images(const World& world) {
  const Cameras* c = world.cameras();
  if (c && c->asked() > 0)
    std::printf("  images: %" PRId64 " seen, %" PRId64 " rendered, %.2f ms of processor time each\n", c->asked(), c->rendered(),
                1e3 * c->seconds() / static_cast<double>(c->asked()));
}

/// Where the result is less than it should be: contacts that found no room.
void print_shortcomings(const World& world) {
  const StepReport& r = world.report();
  if (r.coupling.dropped + r.field_dropped > 0)
    std::printf("  warning: %" PRId64 " contacts found no room and were left out, so bodies may sink into each other\n",
                r.coupling.dropped + r.field_dropped);
}

/// JSON knows no NaN and no infinity, and null is no number: they become text.
void name_numbers_that_are_none(nlohmann::ordered_json& j) {
  if (j.is_structured())
    for (auto& part : j) name_numbers_that_are_none(part);
  if (!j.is_number_float() || std::isfinite(j.get<double>())) return;
  j = std::isnan(j.get<double>()) ? "nan" : j.get<double>() > 0 ? "inf" : "-inf";
}

void print_json(const Session& run, const Summary& s, const std::string& scene) {
  const World& w = run.world();
  nlohmann::ordered_json j;
  j["scene"] = scene;
  j["sim_time"] = w.time();
  j["wall_time"] = s.wall_time;
  j["rtf"] = s.wall_time > 0 ? static_cast<double>(s.steps) * w.model().step / s.wall_time : 0;
  j["steps"] = s.steps;
  j["hash"] = hash_text(w.hash());
  j["stopped"] = run.stopped();
  j["dropped_contacts"] = w.report().coupling.dropped + w.report().field_dropped;
  if (const Cameras* c = w.cameras())
    j["images"] = {{"seen", c->asked()}, {"rendered", c->rendered()}, {"ms_each", c->asked() > 0 ? 1e3 * c->seconds() / static_cast<double>(c->asked()) : 0}};
  j["events"] = nlohmann::json::array();
  for (const Event& e : run.events())
    j["events"].push_back({{"time", e.time}, {"kind", e.kind}, {"robot", e.robot}, {"what", e.what}});
  if (!w.groups().empty()) j["match"] = matches_json(w);
  for (const auto& link : run.links())
    for (const auto& [name, number] : link->figures()) j[std::string(link->name())][name] = number;
  for (int r = 0; r < w.robot_count(); ++r) {
    const Vec3 p = base_position(w.q(r).data()), rpy = to_roll_pitch_yaw(base_orientation(w.q(r).data()));
    j["robots"][w.model().robots[static_cast<std::size_t>(r)].name] = {
        {"motion", std::string(w.motion(r).name)},
        {"us_per_step", w.microseconds(r)},
        {"base", {{"x", p.x}, {"y", p.y}, {"z", p.z}, {"roll", rpy.x}, {"pitch", rpy.y}, {"yaw", rpy.z}}},
        {"fallen", w.fallen(r)}};
  }
  name_numbers_that_are_none(j);
  std::printf("%s\n", j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

/// All but touches one by one; a game has hundreds of touches, of which who touched whom, how often and when first is
/// told. Every one is in --json and on the viewer's time line.
void print_events(const std::vector<Event>& events) {
  struct Touches {
    double first;
    int count = 0;
  };
  std::map<std::string, Touches> touches;
  for (const Event& e : events) {
    if (e.kind == "touch") ++touches.try_emplace(e.robot + " " + e.what, Touches{e.time}).first->second.count;
    if (e.kind != "touch" && e.kind != "apart" && e.kind != "light")
      std::printf("  %8.2f s  %s %s\n", e.time, e.robot.c_str(), e.what.c_str());
  }
  std::vector<std::pair<std::string, Touches>> order(touches.begin(), touches.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i)
    std::printf("  %8.2f s  %s%s\n", order[i].second.first, order[i].first.c_str(),
                order[i].second.count > 1 ? (", " + std::to_string(order[i].second.count) + " times").c_str() : "");
  if (order.size() > kShown) std::printf("              … and %zu more pairs that touch\n", order.size() - kShown);
}

void print_table(const Session& run, const Summary& s, const std::string& scene) {
  const World& w = run.world();
  const double sim = static_cast<double>(s.steps) * w.model().step;
  std::printf("%s: %.3f s simulated in %.3f s (%.1f times real time), %" PRId64 " steps of %g ms\n\n", scene.c_str(),
              sim, s.wall_time, s.wall_time > 0 ? sim / s.wall_time : 0, s.steps, w.model().step * 1e3);
  std::printf("  %-14s %-18s %9s %9s %9s %9s %9s\n", "robot", "motion", "us/step", "x [m]", "y [m]", "z [m]",
              "yaw [deg]");
  const int shown = std::min(w.robot_count(), 24);
  for (int r = 0; r < shown; ++r) {
    const Vec3 p = base_position(w.q(r).data()), rpy = to_roll_pitch_yaw(base_orientation(w.q(r).data()));
    std::printf("  %-14s %-18s %9.2f %9.4f %9.4f %9.4f %9.2f%s\n",
                w.model().robots[static_cast<std::size_t>(r)].name.c_str(), std::string(w.motion(r).name).c_str(),
                w.microseconds(r), p.x, p.y, p.z, rpy.z * 57.29577951308232, w.fallen(r) ? "  fallen" : "");
  }
  if (shown < w.robot_count()) std::printf("  … and %d more\n", w.robot_count() - shown);
  print_events(run.events());
  print_matches(w);
  for (const auto& link : run.links())
    for (const std::string& line : link->summary()) std::printf("  %s\n", line.c_str());
  print_images(w);
  print_shortcomings(w);
  std::printf("\n  state hash %s\n", hash_text(w.hash()).c_str());
}

/// Steps until the time is over, Ctrl-C or a fault; returns what the summary needs.
Summary drive(Session& run, const RunOptions& o) {
  World& w = run.world();
  Pacing pacing(speed_of(run, o), w.time());
  ProgressSetup setup;
  setup.style = o.json || o.quiet ? ProgressStyle::silent : progress_style(stderr);
  setup.total = run.duration();
  setup.now = now;
  Progress progress(setup);
  const auto last = static_cast<std::int64_t>(std::llround(run.duration() / w.model().step));
  const double start = now();
  std::size_t told = 0;  // events
  while (w.k() < last && !interrupted && run.stopped().empty()) {
    run.step();
    for (; told < run.events().size(); ++told)
      if (const Event& e = run.events()[told]; e.kind == "link")
        std::fprintf(stderr, "%.3f s: %s: %s\n", e.time, e.robot.c_str(), e.what.c_str());
    pacing.wait(w.time());
    if (w.k() % 16 == 0) progress.update(w.time());
  }
  progress.update(w.time());
  progress.clear();
  if (pacing.missed())
    std::fprintf(stderr,
                 "warning: real time was missed, by %.2f s at worst; try a lower level of detail or --speed 0.5\n",
                 pacing.behind());
  return {now() - start, w.k(), pacing.behind()};
}

/// While it lives, what control libraries print goes to standard error: with --json standard output holds one object.
class QuietOutput {
 public:
  explicit QuietOutput(bool wanted) {
    if (!wanted) return;
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~QuietOutput() { end(); }
  void end() {
    if (saved_ < 0) return;
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    saved_ = -1;
  }

 private:
  int saved_ = -1;
};

}  // namespace

int run_scene(const RunOptions& o) {
  QuietOutput quiet(o.json);
  auto run = start_session(o);
  if (!run) return 1;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGHUP, on_interrupt);  // the terminal was closed: logs are closed too
  const std::optional<Summary> s = o.view_port ? drive_viewed(run, o) : drive(*run, o);
  if (!s) return 1;
  const Diagnostics lost = run->close_logs();
  print(lost);
  if (interrupted) std::fprintf(stderr, "interrupted after %.3f s of simulated time\n", run->world().time());
  if (!run->stopped().empty()) std::fprintf(stderr, "error: %s\n", run->stopped().c_str());
  quiet.end();
  if (o.json)
    print_json(*run, *s, o.scene);
  else
    print_table(*run, *s, o.scene);
  return lost.empty() && run->stopped().empty() ? 0 : 1;
}

}  // namespace gradus::cli
