/// `gradus run`: a scene from load to summary. Owns what a Session does not know: wall clock, pacing, Ctrl-C, what is
/// printed.
#pragma once
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "session/session.h"

namespace gradus::cli {

struct RunOptions {
  std::string scene, duration, speed;  // speed "": as fast as possible, or real time with viewers and clients
  std::vector<std::string> logs, properties, motions, sets, settings;
  std::vector<std::string> timed;      // "TIME: PATH=VALUE", set while it runs
  std::map<std::string, std::optional<std::string>> links;  // by name: what follows --NAME=
  std::optional<int> view_port;        // serve the viewer; 0: any free port
  int past_megabytes = 256;            // memory for going back in the viewer
  std::optional<std::uint64_t> seed;
  int threads = 1;
  std::optional<int> render_threads;  // none: those that are spare
  ImageLog images;                    // that logs hold
  bool json = false, quiet = false;
};

/// Null after errors. Errors, warnings and addresses of links are printed.
std::unique_ptr<Session> start_session(const RunOptions& options);

/// What is told at the end of a run.
struct Summary {
  double wall_time = 0;  // [s]
  std::int64_t steps = 0;
  double behind = 0;  // behind real time at worst   [s]
};

int run_scene(const RunOptions& options);
/// The run in the hands of viewers: until Ctrl-C, or the time that was asked for. Edited files start it anew, in `run`.
/// Nothing if the server could not be started, which was printed.
std::optional<Summary> drive_viewed(std::unique_ptr<Session>& run, const RunOptions& options);
double speed_factor(const std::string& text);  // of --speed; 0: as fast as possible
double speed_of(const Session& run, const RunOptions& options);
extern volatile std::sig_atomic_t interrupted;  // Ctrl-C was pressed

}  // namespace gradus::cli
