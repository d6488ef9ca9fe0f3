/// The robot's ALMotion, in simulated time: what angles, stiffnesses and walks programs asked for, tick by tick
/// [facts/nao.md 3.6; docs/links.md]. Every joint follows one thing at a time, and a later call takes over its joints:
///
///   curve    a smooth way through given angles at given times (angleInterpolation…)
///   goal     towards an angle, at a share of the joint's largest speed (setAngles, changeAngles)
///   walk     the legs, and the arms unless something else has them
///
/// A task is what a blocking call waits for: it is over when its time is, or when all its joints were taken by others.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "control/walk/walk_engine.h"
#include "link/nao/body.h"
#include "link/program/orders.h"

namespace gradus::naoqi {

/// Full speed of the maker's walk: steps of 4 cm and 17.6° in 0.42 s; sideways [memory].
inline constexpr double kFullForward = 0.04 / 0.42, kFullSide = 0.05, kFullTurn = 0.733038;  // [m/s], [rad/s]

inline constexpr std::size_t kJoints = nao::kJointNames.size();

/// x over t, through all points without overshoot: cubic pieces, flat at both ends and at turning points; or with the
/// slopes that were given.
class Curve {
 public:
  Curve() = default;
  Curve(std::vector<double> t, std::vector<double> x, std::vector<double> slopes = {});
  double at(double t) const;
  double end() const { return t_.back(); }

 private:
  std::vector<double> t_, x_, slope_;
};

class Motion {
 public:
  /// gravity: its size [m/s²]. The walk file must fit the robot.
  static Result<std::unique_ptr<Motion>> make(const nao::Body& body, std::shared_ptr<const RobotKind> kind,
                                              const WalkFile& walk, double gravity, const Orders& at_start);

  /// Numbers of joints that a name stands for: a joint, a chain ("LArm"), "Joints", "Body"; empty: no such name.
  std::vector<int> joints_of(const std::string& name) const;
  double lower(int joint) const { return lower_[static_cast<std::size_t>(joint)]; }
  double upper(int joint) const { return upper_[static_cast<std::size_t>(joint)]; }
  double fastest(int joint) const { return fastest_[static_cast<std::size_t>(joint)]; }  // [rad/s]
  double commanded(int joint) const { return angle_[static_cast<std::size_t>(joint)]; }
  std::vector<double> commanded() const { return {angle_.begin(), angle_.end()}; }
  double stiffness(int joint) const { return stiff_[static_cast<std::size_t>(joint)]; }
  double time() const { return now_; }
  const RobotKind& kind() const { return *kind_; }
  std::shared_ptr<const RobotKind> shared_kind() const { return kind_; }

  /// Each returns the number of its task. Curves begin now, at the commanded angle.
  int interpolate(const std::vector<int>& joints, std::vector<Curve> curves);
  int interpolate_stiffness(const std::vector<int>& joints, std::vector<Curve> curves);
  void set_goal(int joint, double angle, double share_of_speed);
  void set_stiffness(int joint, double stiffness);
  int walk_to(double x, double y, double theta);
  void walk(double forward, double side, double turn);  // [m/s], [rad/s], until told otherwise
  /// Steps that the program has planned itself; `clear`: what it gave before is forgotten.
  void add_steps(const std::vector<walk::FootStep>& steps, bool clear);
  std::size_t steps_given() const { return engine_ ? engine_->steps_given() : 0; }  // and not yet begun
  int init_walk();                                                                  // to the walk's posture
  int stop_walk();
  int wait_for_walk() { return begin(Task::Kind::walk, 1e18); }                // to its end
  void let_arms_swing(bool left, bool right) { arms_swing_ = {left, right}; }  // with walks that begin later
  bool is_walking() const;
  int wait_for(double seconds);  // a task that does nothing

  bool is_over(int task) const;
  void kill(int task);
  void kill_all();
  void kill_joints(const std::vector<int>& joints);

  /// To time t; afterwards write() has the orders of that time.
  void advance(double t);
  void write(Orders& orders) const;

 private:
  struct Task {
    int number;
    double end;  // [s]
    enum class Kind { angles, stiffness, walk, wait } kind;
  };
  enum class Follows { nothing, curve, goal, walk };
  struct Joint {
    Follows follows = Follows::nothing;
    int task = 0;
    Curve curve;
    double start = 0;  // of the curve           [s]
    double goal = 0, speed = 0;
  };
  struct Stiffening {
    int task = 0;
    Curve curve;
    double start = 0;
  };

  Motion(const nao::Body& body, std::shared_ptr<const RobotKind> kind, const WalkFile& walk, walk::WalkEngine engine,
         const Orders& at_start);
  int begin(Task::Kind kind, double duration);
  void take(std::size_t joint, Follows what, int task);
  void start_engine();
  void let_walk_go();
  void follow(std::size_t joint, double h);
  void walk_on(double t);
  bool has_joints(const Task& task) const;

  nao::Body body_;
  std::shared_ptr<const RobotKind> kind_;
  WalkFile walk_file_;
  walk::WalkEngine fresh_;
  std::unique_ptr<walk::WalkEngine> engine_;  // null: legs are free
  double walk_start_ = 0, lead_in_ = 0;       // [s]
  std::int64_t walk_ticks_ = 0;
  std::vector<double> before_;  // posture a tick ago
  std::array<double, kJoints> lead_from_{};
  std::array<Joint, kJoints> joint_;
  std::array<Stiffening, kJoints> stiffening_;
  std::array<double, kJoints> angle_{}, stiff_{}, lower_{}, upper_{}, fastest_{};
  std::vector<Task> tasks_;
  int last_task_ = 0;
  std::array<bool, 2> arms_swing_{true, true};
  double now_ = 0;
};

}  // namespace gradus::naoqi
