/// A run from scene to end: a World with the control programs and links that its scene names, logs, events, commands at
/// given times, and the way back. The one run loop of the program, the viewer, the C++ interface and every protocol. It
/// knows no wall clock, prints nothing and never ends the process.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/csv.h"
#include "link/link.h"
#include "session/attach.h"
#include "session/events.h"
#include "session/record.h"
#include "session/timed_command.h"

namespace gradus {

struct SessionOptions {
  int threads = 1;
  int render_threads = 0;               // [World::Options]
  double (*clock)() = nullptr;          // [World::Options]
  std::optional<double> duration;       // instead of the scene's [s]
  std::vector<std::string> logs;        // files to write: .mcap, .csv
  std::vector<std::string> properties;  // that logs hold: paths or patterns; none: default_properties
  ImageLog images;                      // that .mcap logs hold
  std::vector<std::string> timed;       // "TIME: PATH=VALUE", set while it runs
  std::vector<std::pair<std::string, std::string>>
      links;  // name and options; those that the scene asks for come without
};

class Session {
 public:
  /// Everything that is wrong, or a session at its start with what there is to be warned of.
  static Result<std::unique_ptr<Session>> make(SceneSpec scene, const SessionOptions& options);
  /// The same scene at its start, without logs and links. None if its controllers cannot be had twice.
  std::unique_ptr<Session> twin() const;

  World& world() { return *world_; }
  const World& world() const { return *world_; }
  /// Robots that walk planned ways, by name.
  std::span<const std::pair<std::string, plan::WayController*>> ways() const { return controllers_.ways; }
  const SceneSpec& scene() const { return scene_; }
  double duration() const { return duration_; }

  void step();                                    // one step, logs and events included
  std::string apply_now(const Command& command);  // recorded; "" or what was wrong
  /// Why the run cannot go on: a controller failed, a state is not finite. Empty: it can.
  const std::string& stopped() const { return stopped_; }
  const std::vector<Event>& events() const { return events_; }
  std::span<const std::unique_ptr<ProtocolLink>> links() const { return links_; }
  /// Programs at the other end of a link keep time with the wall clock.
  bool wants_real_time() const;

  /// Everything that later steps depend on: the world, and what controllers remember.
  Bytes save() const;
  /// Events that came later are forgotten. False if it does not fit the scene (then nothing has changed), or if a
  /// controller cannot go on from there.
  bool restore(ByteView saved);
  /// Why the past is out of reach: a log is written, which only goes forward; a program keeps what it knows to itself.
  /// Empty: one can go back. May change while it runs.
  std::string keeps_no_past() const;
  bool can_restore() const { return recorders_.empty() && csvs_.empty(); }  // but for control programs
  /// Closes the logs; what was lost is told.
  Diagnostics close_logs();

 private:
  struct Csv {
    CsvWriter writer;
    std::vector<Property> columns;
  };
  Session() = default;
  Diagnostics build(int threads, int render_threads, double (*clock)());  // world and controllers of scene_
  Diagnostics read_timed(const std::vector<std::string>& texts);
  Diagnostics open_logs(const SessionOptions& options);
  Diagnostics open_csv(const std::string& path, const std::vector<std::string>& properties);
  Diagnostics open_links(const SessionOptions& options);
  void write_csv();
  void apply_timed();

  SceneSpec scene_;
  std::unique_ptr<World> world_;
  double duration_ = 0;
  Controllers controllers_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  std::vector<Csv> csvs_;
  std::vector<SeenImage> seen_;  // in the last step, for logs
  std::vector<Event> events_;
  std::vector<std::unique_ptr<ProtocolLink>> links_;
  std::unique_ptr<EventWatch> watch_;
  std::int64_t log_steps_ = 10;
  std::vector<TimedCommand> timed_;  // as given; a run that is rewound meets them again
  std::string stopped_;
};

}  // namespace gradus
