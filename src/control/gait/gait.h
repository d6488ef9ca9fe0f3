/// Walks any robot with four, six or more legs: the legs are the chains of joints between the base and the feet that the
/// robot's file names, nothing here knows a robot.
///
/// **Order.** Leg i of a side counted from the front (m a side), side s (left 0, right 1), begins its stride at the share
///   tripod, trot   ½ ((i + s) mod 2)              every other leg together: three of six, diagonal two of four
///   wave, walk     (m − 1 − i + s m)/(2 m)        one after the other from the rear, one side after the other
///   ripple         (m − 1 − i)/m + s/2            from the rear on both sides, half a stride apart                 (1)
///
/// **Feet.** For the share `duty` of its stride a foot stands and moves back under the base as the base moves on, then it
/// swings forward. With velocity v and turning ω of the base, d = (v + ω × p) duty T, in the base's axes
///   standing  p + d (½ − σ),                      σ = φ/duty
///   swinging  p + d (σ − sin 2πσ/2π − ½) + z lift (1 − cos 2πσ)/2,   σ = (φ − duty)/(1 − duty)                      (2)
///
/// **Ground.** A foot that meets the ground while it comes down stays at that height for its stand; one that should stand
/// and feels nothing reaches down. The heights of all feet are brought back to mean zero slowly, and the base is levelled by
/// turning all footholds against its measured roll and pitch.
///
/// **Heading.** With `steer` the turning is corrected by the measured heading: ω + (asked − measured) 1/s.
///
/// **Joints.** Each leg by damped least squares from its last solution, dq = Jᵀ (J Jᵀ + λ² 1)⁻¹ e, within the limits.
#pragma once
#include "load/gait_toml.h"
#include "state/controller.h"

namespace gradus {

/// One chain of joints from the base to a foot.
class Leg {
 public:
  /// foot: link number; p_F: the point of it that touches the ground.
  Leg(const RobotKind& kind, int foot);
  Vec3 foot(std::span<const double> q) const;  // in the base's frame, from all joints of the robot
  /// Moves the leg's joints in q so that its foot comes to p_B; how far it stayed off. [m]
  double reach(Vec3 p_B, std::span<double> q) const;
  int link() const { return foot_; }
  Vec3 ball() const { return p_F; }  // the point that touches the ground, in its link's frame
  std::span<const int> joints() const { return joints_; }

 private:
  struct Part {
    Vec3 p_PB, axis;
    bool prismatic;
    double lower, upper;
  };
  std::vector<int> joints_;
  std::vector<Part> parts_;
  int foot_;
  Vec3 p_F{0, 0, 0};
};

/// (1): the share of a stride at which a leg begins; `before`: legs of its side in front of it, of `on_side`.
double stride_begin(const std::string& order, std::size_t before, std::size_t on_side, bool right);

class GaitController : public Controller {
 public:
  /// program: velocities of the base, each for so many half strides; then it stands. start: time of the first call.
  static Result<std::unique_ptr<GaitController>> make(const GaitFile& gait, std::shared_ptr<const RobotKind> kind,
                                                      std::vector<WalkCommand> program, bool steer, double start, double period,
                                                      const Place& place);
  void control(const RobotOutput& output, RobotCommand& command) override;
  void save(Bytes& out) override;
  bool restore(ByteView memory) override;

 private:
  struct Walker {
    Leg leg;
    std::size_t number;    // of its foot
    Vec3 p_B;              // foothold at rest
    double offset;         // share of the stride at which it begins
    double height = 0;     // of its ground above the others'                [m]
    bool down = true;      // it has met the ground in this stride
  };
  GaitController(const GaitFile& gait, std::shared_ptr<const RobotKind> kind) : gait_(gait), kind_(std::move(kind)) {}
  WalkCommand command_at(double t) const;
  template <class Visit>
  void each_number(const Visit& visit);  // that it remembers

  GaitFile gait_;
  std::shared_ptr<const RobotKind> kind_;
  std::vector<WalkCommand> program_;
  double start_ = 0, dt_ = 0.01;
  std::vector<Walker> legs_;
  std::vector<double> q_;       // (joints) last solution
  double roll_ = 0, pitch_ = 0;  // turned against
  WalkCommand now_;              // velocities, smoothed
  double phase_ = 0;             // strides since the start
  bool steer_ = false;           // heading measured and corrected
  double heading_ = 0;           // that the commands ask for                          [rad]
  bool has_heading_ = false;
};

}  // namespace gradus
