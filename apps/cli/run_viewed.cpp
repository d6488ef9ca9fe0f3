#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>

#include "cli/running.h"
#include "cli/scene_changes.h"
#include "cli/world_view.h"

namespace gradus::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kLookPeriod = 0.5;  // wall time between two looks at the files  [s]

/// The files that a scene came from, and which of them were saved since the last look.
class FileWatch {
 public:
  explicit FileWatch(const SceneSpec& scene) {
    add(scene.file);
    for (const FieldObjectSpec& f : scene.field) add(f.shape.place.file);
    for (const RobotInstanceSpec& r : scene.robots) {
      add(r.robot.file);
      add(r.controller.file);
      for (const MeshSpec& m : r.robot.meshes) add(m.file);
    }
  }
  /// Names of the changed ones; "" if none. A file that is missing or empty is being saved: the next look tells.
  std::string changed() {
    std::string names;
    for (auto& [path, time] : times_) {
      std::error_code missing;
      const auto now = fs::last_write_time(path, missing);
      if (missing || now == time) continue;
      if (fs::is_regular_file(path, missing) && fs::file_size(path, missing) == 0) continue;
      time = now;
      names += (names.empty() ? "" : ", ") + fs::path(path).filename().string();
    }
    return names;
  }

 private:
  void add(const std::string& path) {
    std::error_code missing;
    const auto time = fs::last_write_time(path, missing);
    if (!missing) times_[path] = time;
  }
  std::map<std::string, fs::file_time_type> times_;
};

/// Errors with file and line, one a line; the page has room for a few.
std::string all_errors(const Diagnostics& notes) {
  constexpr int kShown = 6;
  std::string text;
  int count = 0;
  for (const Diagnostic& d : notes)
    if (d.severity == Severity::error && ++count <= kShown) text += (count > 1 ? "\n" : "") + to_string(d);
  return count > kShown ? text + "\n… and " + std::to_string(count - kShown) + " more" : text;
}

std::string shortened(const std::vector<std::string>& changes) {
  constexpr std::size_t kShown = 3;
  std::string text = std::to_string(changes.size()) + (changes.size() == 1 ? " value changed" : " values changed");
  for (std::size_t i = 0; i < std::min(kShown, changes.size()); ++i) text += "\n" + changes[i];
  return changes.size() > kShown ? text + "\n…" : text;
}

/// A run, seen and steered through a server that outlives it.
class ViewedRun {
 public:
  ViewedRun(std::unique_ptr<Session>& run, const RunOptions& options, view::ViewServer& server)
      : run_(run), options_(options), server_(server), cameras_(server), watch_(run->scene()) {
    begin(1);
    const double factor = speed_of(*run, options);
    live_->carry_out(view::Speed{factor > 0 ? factor : std::numeric_limits<double>::infinity()});
  }
  std::chrono::nanoseconds turn() {
    const auto wait = live_->turn();
    if (!run_->stopped().empty() && !live_->is_paused()) stop();
    if (now() >= next_look_) look_at_files();
    return wait;
  }

 private:
  void begin(std::uint32_t revision) {
    view_ = std::make_unique<WorldView>(*run_, revision, &cameras_);
    view::LiveRunOptions options;
    options.memory_max = static_cast<std::size_t>(options_.past_megabytes) << 20;
    if (!options_.duration.empty())
      options.k_last = static_cast<std::uint64_t>(std::llround(run_->duration() / run_->world().model().step));
    live_ = std::make_unique<view::LiveRun>(*view_, server_, options);
  }
  void tell(const char* kind, const std::string& text) {
    server_.announce({view_->k(), run_->world().time(), kind, text, -1});
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  /// The run cannot go on; in the page one can go back and look.
  void stop() {
    live_->carry_out(view::Pause{});
    tell("error", "paused: " + run_->stopped());
  }
  void look_at_files() {
    next_look_ = now() + kLookPeriod;
    const std::string names = watch_.changed();
    if (names.empty()) return;
    if (!run_->keeps_no_past().empty()) return tell("note", names + " was saved; this run goes on with what it began with");
    const auto scene = load_scene_or_robot(options_.scene);
    if (!scene) return tell("error", "not reloaded, the old scene goes on:\n" + all_errors(scene.notes()));
    auto fresh = start_session(options_);  // with --set and --motion as before
    if (!fresh) return tell("error", names + " does not fit the options of this run");
    const std::vector<std::string> changes = scene_changes(run_->scene(), fresh->scene());
    if (changes.empty()) return tell("note", names + " was saved, but nothing changed");
    reload(std::move(fresh), names, changes);
  }
  void reload(std::unique_ptr<Session> fresh, const std::string& names, const std::vector<std::string>& changes) {
    const view::Frame before = live_->look();
    const std::uint32_t revision = before.scene_revision + 1;
    live_.reset();
    view_.reset();
    run_ = std::move(fresh);
    watch_ = FileWatch(run_->scene());
    begin(revision);
    live_->carry_out(view::Speed{before.speed_target});
    if (before.paused) live_->carry_out(view::Pause{});
    server_.announce({0, 0, "reset", "started again", -1});
    tell("note", "reloaded " + names + ": " + shortened(changes));
  }

  std::unique_ptr<Session>& run_;
  const RunOptions& options_;
  view::ViewServer& server_;
  CameraFeed cameras_;
  FileWatch watch_;
  double next_look_ = 0;
  std::unique_ptr<WorldView> view_;
  std::unique_ptr<view::LiveRun> live_;
};

}  // namespace

std::optional<Summary> drive_viewed(std::unique_ptr<Session>& run, const RunOptions& o) {
  view::ServerOptions options;
  options.port = static_cast<std::uint16_t>(*o.view_port);
  const auto server = view::ViewServer::start(options);
  if (!server) return print(server.notes()), std::nullopt;
  std::fprintf(stderr, "watch and control:  %s\nwatch only:         %s\nCtrl-C ends the run\n",
               (*server)->control_url().c_str(), (*server)->view_url().c_str());
  if (const std::string why = run->keeps_no_past(); !why.empty())
    std::fprintf(stderr, "note: no going back in this run: %s\n", why.c_str());
  ViewedRun viewed(run, o, **server);
  const double start = now();
  const auto is_over = [&] {
    const double end = o.duration.empty() ? std::numeric_limits<double>::infinity() : run->duration();
    return run->world().time() >= end - 0.5 * run->world().model().step;
  };
  while (!interrupted && !is_over())
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(viewed.turn(), std::chrono::milliseconds(20)));
  return Summary{now() - start, run->world().k(), 0};
}

}  // namespace gradus::cli
