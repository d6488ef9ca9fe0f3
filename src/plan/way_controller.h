/// Walks a robot on legs to a goal: plans a way of stances [planner.h], takes its steps, and plans anew when a foot slipped.
///
/// **Base.** During a step the base moves evenly from stance to stance. What it is off the plan is added up and asked for too,
///   X_c = X_p ⊕ e,   ė = k (X_p ⊖ X),   within 4 cm and 0.15 rad                                               (1)
/// so that the give of servos and ground under changing loads does not stay.
///
/// **Feet.** A standing foot is asked for at X_c⁻¹ f, f being where it touched down. A swinging foot goes from there up, over the highest ground on its
/// way and down to its foothold, at X⁻¹ p: as seen from where the base is. Where it meets the ground on its way down it stays; where it meets none it
/// reaches down. The next group swings when all feet of this one stand. A foot passes from one to the other within 0.1 s.
///
/// **Slips.** A foot that is `slip` away from where it first met the ground has slipped, one that came down 3 cm off its foothold has missed it: when all
/// feet stand, a new way is planned from there; when no step leads away from there, its feet are first put where they would stand. When that cannot be
/// either, the robot stays.
#pragma once
#include <optional>

#include "plan/planner.h"
#include "state/controller.h"

namespace gradus::plan {

struct WaySettings {
  WalkerSettings walker;
  PlanSettings plan;
  FootholdCost cost = FootholdCost::by_hand();
  Vec3 goal{0, 0, 0};           // x, y                                            [m]
  std::optional<double> yaw;    // at the goal                                     [rad]
  double slip = 0.02;           // [m]
};

/// What has happened so far.
struct WayReport {
  enum class State { waits, walks, arrived, stuck };
  State state = State::waits;
  std::int64_t plans = 0, slips = 0, misses = 0, footholds = 0;  // footholds: feet that came down
  double slid = 0;                                               // sum over feet, while they stood        [m]
};

class WayController : public Controller {
 public:
  /// model: of the world in which it walks, which outlives it.
  static Result<std::unique_ptr<WayController>> make(const Model& model, std::shared_ptr<const RobotKind> kind, const WaySettings& settings, double start,
                                                     double period, const Place& where);
  void control(const RobotOutput& output, RobotCommand& command) override;
  void save(Bytes& out) override;
  bool restore(ByteView memory) override;

  const WayReport& report() const { return report_; }
  const Plan& plan() const { return plan_; }
  Walker& walker() { return *walker_; }
  /// Every foothold that was left, and how far its foot slid on it. Kept from now on.
  void keep_samples() { keeps_samples_ = true; }
  const std::vector<SlipSample>& samples() const { return samples_; }

 private:
  struct Foot {
    Vec3 at{0, 0, 0};      // f, or where it lifted off                                            [m]
    Vec3 planned{0, 0, 0}, goal{0, 0, 0};  // of its swing: its foothold; where it met the ground
    double top = 0;        // of its swing
    double stands = 1;     // 1: as the base is asked for, 0: as the base is
    double reached = 0;    // below its foothold                                                    [m]
    Vec3 touched{0, 0, 0}; // where it first met the ground
    double slid = 0;       // farthest from there                                                   [m]
    bool swings = false, down = true, met = true, told = false;  // met: by feeling the ground; told: its slip was counted
  };
  WayController(const WaySettings& settings, std::shared_ptr<const RobotKind> kind) : settings_(settings), kind_(std::move(kind)) {}
  void make_way(const Pose& X_WB);
  void begin_swings();
  void end_swings(std::span<const Vec3> actual);
  void leave(const Foot& foot);
  Pose asked_pose() const;
  Vec3 swing_point(const Foot& foot, double share) const;
  template <class Visit>
  void each_number(const Visit& visit);

  WaySettings settings_;
  std::shared_ptr<const RobotKind> kind_;
  std::unique_ptr<Walker> walker_;
  double start_ = 0, dt_ = 0.01;
  Plan plan_;
  WayReport report_;
  MapArea area_{};
  bool seen_ = false, again_ = false;  // the map was made; a new way is wanted
  std::size_t edge_ = 0;              // step of the way
  int group_ = 0;                     // that swings
  double share_ = 0;                  // of its swing
  Pose asked_ = identity_pose();      // X_p of (1)
  std::vector<Vec3> marks_;           // where feet slipped
  Vec3 off_p_{0, 0, 0}, off_r_{0, 0, 0};  // e of (1)                                              [m, rad]
  std::vector<Foot> feet_;
  std::vector<double> q_;  // last solution
  bool keeps_samples_ = false;
  std::vector<SlipSample> samples_;
};

}  // namespace gradus::plan
