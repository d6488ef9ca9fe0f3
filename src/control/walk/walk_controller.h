/// The controller "walk": leads from the start posture to the walk's, walks its program, then stands. Optional
/// feedback: ankles against the base's rates (stabilise), heading against the commanded one (steer).
///
/// Without feedback its targets are a function of time alone, so a rewound run gets the same ones: the engine is run
/// again from the start. With feedback what was measured is kept, and used again.
#pragma once
#include <memory>
#include <vector>

#include "control/walk/walk_engine.h"
#include "state/controller.h"

namespace gradus::walk {

/// What feedback saw at one tick.
struct Measured {
  double roll_rate = 0, pitch_rate = 0;  // of the base, its own axes        [rad/s]
  double left_share = 0.5;               // of the load
  double heading = 0;                    // counted through                  [rad]
};

struct WalkOptions {
  bool stabilise = false, steer = false;
  double start = 0;      // first call                                                        [s]
  double lead_in = 0.5;  // from the start posture to the walk's                              [s]
};

class WalkController : public Controller {
 public:
  static Result<std::unique_ptr<WalkController>> make(const WalkFile& walk, std::shared_ptr<const RobotKind> kind,
                                                      double gravity, std::vector<WalkCommand> program,
                                                      const WalkOptions& options);
  void control(const RobotOutput& output, RobotCommand& command) override;

  /// For programs that decide on the way: replaces what is left of the program.
  void set_command(const WalkCommand& velocity);
  const WalkEngine& engine() const { return engine_; }

 private:
  WalkController(WalkEngine engine, const WalkFile& walk, std::shared_ptr<const RobotKind> kind,
                 std::vector<WalkCommand> program, const WalkOptions& options);
  void restart();
  void run_tick(const Measured& m);
  void steer(const Measured& m);
  void stabilise();
  Measured measure(const RobotOutput& output);
  void blend(double share, RobotCommand& command) const;

  WalkEngine engine_, fresh_;  // now, as it was made
  StabiliserSpec stabiliser_;
  std::shared_ptr<const RobotKind> kind_;
  std::vector<WalkCommand> program_;
  WalkOptions options_;
  std::array<int, 2> foot_index_;  // of each leg in RobotOutput::foot_force, −1: none
  // what restart() sets anew
  std::size_t part_ = 0;  // next part of the program
  std::int64_t ticks_ = 0;
  std::vector<double> before_;          // posture of the tick before; targets lie between the two
  std::array<double, 2> rate_{0, 0};    // smoothed roll and pitch rate                   [rad/s]
  std::array<double, 4> correction_{};  // of the ankles: left pitch, roll, right pitch, roll      [rad]
  double heading_zero_ = 0, heading_error_ = 0, heading_sum_ = 0;
  int heading_count_ = 0, heading_steps_ = 0;
  std::vector<Measured> measured_;  // one per tick, only with feedback
};

}  // namespace gradus::walk
