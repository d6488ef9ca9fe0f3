/// `gradus run`: a scene from load to summary. Owns what the step must not know: wall clock, pacing, Ctrl-C, files.
#pragma once
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/event_watch.h"
#include "cli/timed_command.h"
#include "control/attach.h"
#include "control/firasim_match.h"
#include "io/csv.h"
#include "session/record.h"

namespace gradus::cli {

struct RunOptions {
  std::string scene, duration, speed;  // speed "": as fast as possible, or real time with viewers and clients
  std::vector<std::string> logs, properties, motions, sets;
  std::vector<std::string> timed;      // "TIME: PATH=VALUE", set while it runs
  std::optional<std::string> firasim;  // what follows --firasim=
  std::optional<int> view_port;        // serve the viewer; 0: any free port
  int past_megabytes = 256;            // memory for going back in the viewer
  std::optional<std::uint64_t> seed;
  int threads = 1;
  bool json = false, quiet = false;
};

/// One run in progress. Also what a viewer drives.
class Runner {
 public:
  /// Null after errors, which were printed.
  static std::unique_ptr<Runner> make(const RunOptions& options);
  /// The same scene at its start, without logs. Null if its controllers cannot be had twice.
  std::unique_ptr<Runner> twin() const;
  ~Runner();
  World& world() { return *world_; }
  const SceneSpec& scene() const { return scene_; }
  double duration() const { return duration_; }

  std::string apply_now(const Command& command);  // recorded; "" or what was wrong
  /// Is the past reachable? Not with logs, which only go forward, nor with controllers in libraries, which may keep a
  /// state.
  bool can_rewind() const;
  void rewind_to(const Snapshot& snapshot);  // if can_rewind(); events that came later are forgotten
  void step();                               // one step, logs and events included
  /// Why the run cannot go on: a controller failed, a state is not finite. Empty: it can.
  const std::string& stopped() const { return stopped_; }
  const std::vector<Event>& events() const { return events_; }
  const control::FirasimMatch* firasim() const { return firasim_.get(); }
  /// Clients over a network keep time with the wall clock.
  bool wants_real_time() const { return firasim_ && !waits_for_clients_; }
  /// Closes logs; prints what was lost. False if something was.
  bool close_logs();

 private:
  struct Csv {
    CsvWriter writer;
    std::vector<Property> columns;
  };
  bool build(int threads, double (*clock)());  // world and controllers of scene_
  bool open_logs(const RunOptions& options);
  bool open_csv(const std::string& path, const std::vector<std::string>& properties);
  void write_csv();
  bool open_firasim();
  bool read_timed(const std::vector<std::string>& texts);
  void apply_timed();

  SceneSpec scene_;
  std::unique_ptr<World> world_;
  double duration_ = 0;
  Controllers controllers_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  std::vector<Csv> csvs_;
  std::vector<Event> events_;
  std::unique_ptr<control::FirasimMatch> firasim_;
  bool waits_for_clients_ = false;
  std::unique_ptr<EventWatch> watch_;
  std::int64_t log_steps_ = 10;
  std::vector<TimedCommand> timed_;  // as given; a run that is rewound meets them again
  std::string stopped_;
};

/// What is told at the end of a run.
struct Summary {
  double wall_time = 0;  // [s]
  std::int64_t steps = 0;
  double behind = 0;  // behind real time at worst   [s]
};

int run_scene(const RunOptions& options);
/// The run in the hands of viewers: until Ctrl-C, or the time that was asked for. Edited files start it anew, in `run`.
/// Nothing if the server could not be started, which was printed.
std::optional<Summary> drive_viewed(std::unique_ptr<Runner>& run, const RunOptions& options);
double speed_factor(const std::string& text);  // of --speed; 0: as fast as possible
double speed_of(const Runner& run, const RunOptions& options);
extern volatile std::sig_atomic_t interrupted;  // Ctrl-C was pressed
/// Default columns of logs: base pose and joint coordinates of every robot.
std::vector<std::string> default_properties(const World& world);

}  // namespace gradus::cli
