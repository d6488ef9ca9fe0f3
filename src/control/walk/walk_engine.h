/// Walking: commands in, joint angles out, tick after tick [facts/nao.md 5].
///
///   StepPlanner  →  reference of the zero-moment point, N ticks ahead  →  PreviewState: where the centre of mass goes
///   → base placed so that the centre of mass of all bodies is there (a few corrections)  →  legs in closed form
///
/// A pure function of the commands: no measurement enters. What a command changes is seen N ticks later.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "control/walk/leg.h"
#include "control/walk/preview.h"
#include "control/walk/step_planner.h"
#include "tree/kernels.h"

namespace gradus::walk {

class WalkEngine {
 public:
  static Result<WalkEngine> make(const WalkFile& walk, std::shared_ptr<const RobotKind> kind, double gravity);

  void command(const WalkCommand& velocity) { planner_.command(velocity); }
  void add(const FootStep& step) { planner_.add(step); }
  void forget_steps() { planner_.forget_steps(); }
  std::size_t steps_given() const { return planner_.steps_given(); }
  void correct_turn(double rate) { planner_.correct_turn(rate); }
  bool wants_command() const { return planner_.wants_command(); }

  /// The next posture.
  void tick();
  /// (njoint) joint angles of the present posture.
  const std::vector<double>& posture() const { return q_; }
  const PlanSample& sample() const { return ahead_.front(); }  // what belongs to the posture
  bool walking() const;                                        // now, or within the preview
  /// Planned centre of mass and base of the present posture, in the plan's frame: it begins between the feet.
  std::array<double, 2> centre_of_mass() const { return {axis_[0].c, axis_[1].c}; }
  Pose base() const;

  const LegGeometry& leg(int side) const { return leg_[static_cast<std::size_t>(side)]; }
  double period() const { return gait_.tick; }
  double height() const { return height_; }  // of the centre of mass, standing   [m]
  const PreviewGains& gains() const { return gains_; }
  int out_of_reach() const { return out_of_reach_; }    // leg postures that were farther than the leg
  int beyond_limits() const { return beyond_limits_; }  // joint angles cut at a limit

 private:
  WalkEngine(const WalkFile& walk, std::shared_ptr<const RobotKind> kind, const std::array<LegGeometry, 2>& legs,
             double gravity);
  void solve_posture();
  void solve_legs();
  void set_leg(int side, const LegAngles& angles);
  Vec3 centre_in_base();

  GaitSpec gait_;
  std::shared_ptr<const RobotKind> kind_;
  std::array<LegGeometry, 2> leg_;
  bool shared_yaw_ = false;
  StepPlanner planner_;
  PreviewGains gains_;
  std::array<PreviewState, 2> axis_;              // x, y
  std::vector<PlanSample> ahead_;                 // now, and the next N ticks
  std::array<std::vector<double>, 2> reference_;  // (N + 1) of each axis
  double height_ = 0;
  Mat3 R_WB_ = identity3<double>();
  Vec3 p_WB_{0, 0, 0};
  std::vector<double> q_;                         // (njoint)
  std::vector<double> coordinates_, velocities_;  // (nq, nv) of the forward kinematics
  std::vector<Frame> frames_;                     // (nlink)
  int out_of_reach_ = 0, beyond_limits_ = 0;
};

}  // namespace gradus::walk
