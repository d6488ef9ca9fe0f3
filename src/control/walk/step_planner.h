/// Where the feet and the zero-moment point go, tick after tick, from the body's velocity.
///
/// One step: for the share `double_support` both feet carry and the zero-moment point goes over to the standing foot by
/// a smooth step; then the other foot swings, arrives after the share `land` of single support, and is set down at its
/// end. Feet are placed at ± half the spacing beside the body's path. Forward parts are shared by both feet, the first
/// step lands a full step ahead; sideways parts and larger turns are made by the leading (inner) foot for two steps at
/// once, so that feet never cross. Velocities count for steps that begin after the command. When it is zero, one
/// closing step is made, then the robot stands.
#pragma once
#include <array>
#include <deque>

#include "load/walk_toml.h"

namespace gradus::walk {

struct FootPose {
  double x = 0, y = 0, yaw = 0;  // of the point below the ankle; yaw is counted through, not wrapped   [m, rad]
  double z = 0;                  // lift                                                                [m]
};

enum Side { kLeft = 0, kRight = 1 };

/// A step that somebody else has planned: where the foot is set down, seen from the other one.
struct FootStep {
  int side = kLeft;
  double x = 0, y = 0, yaw = 0;  // [m], [m], [rad]
  double duration = 0;           // [s]; 0: the gait's
};

struct PlanSample {
  std::array<FootPose, 2> foot;     // left, right
  std::array<double, 2> zmp{0, 0};  // reference x, y                                                  [m]
  double heading = 0;               // that the commands ask for, corrections left out                 [rad]
  int steps = 0;                    // begun so far
  bool walking = false;
};

class StepPlanner {
 public:
  explicit StepPlanner(const GaitSpec& gait);
  /// For the next `steps` steps, 0: from then on.
  void command(const WalkCommand& velocity);
  /// These steps, one after the other, before anything that is commanded; the feet then stay where they are.
  void add(const FootStep& step) { given_.push_back(step); }
  void forget_steps() { given_.clear(); }
  std::size_t steps_given() const { return given_.size(); }  // and not yet begun
  /// Added to the commanded turning; for corrections from outside.
  void correct_turn(double rate) { turn_correction_ = rate; }
  PlanSample next();
  /// Would the next step be the last of a command that has a number of steps?
  bool wants_command() const { return !endless_ && steps_left_ == 0; }

 private:
  struct Advance {
    double forward, side, turn;  // of one step    [m, m, rad]
  };
  void begin_step();
  void begin_given_step();
  void begin_standing();
  Advance take_advance();
  int leading_side(const Advance& a) const;
  void move_path(const Advance& a, bool leading);
  std::array<double, 2> zmp_at(const FootPose& foot, int side, double ahead) const;
  std::array<double, 2> zmp_between() const;
  void swing(double s);

  GaitSpec gait_;
  WalkCommand command_;
  double turn_correction_ = 0;
  int steps_left_ = 0;
  bool endless_ = false;
  bool stands_ = true, closing_ = false;
  double t_ = 0;                           // since the step, or the standing, began     [s]
  int swing_ = kLeft;                      // which foot swings
  std::array<FootPose, 2> from_, now_;     // at the beginning of the step, now
  FootPose to_;                            // where the swinging foot goes
  FootPose path_;                          // of the body
  double length_ = 0;                      // of the step                                [m]
  double heading_ = 0, heading_from_ = 0;  // asked for, at the end and beginning of the step
  std::array<double, 2> zmp_from_{}, zmp_{};
  int steps_ = 0;
  std::deque<FootStep> given_;
  bool was_given_ = false;  // the present step
  double duration_;         // of the present step                                       [s]
};

}  // namespace gradus::walk
