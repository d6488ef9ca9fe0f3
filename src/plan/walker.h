/// A robot on legs as a planner sees it: where it would stand, and whether it can step from one stance to the next.
///
/// **Stance.** A pose (x, y, yaw) of the base fixes where every foot stands: near its place at rest, turned and moved with the base, it takes the node of the map
/// with the least
///   cost + (d/search)²,   d: distance from the place at rest, up to `search`                                    (1)
/// The base lies along the plane through the feet (least squares), `height` above it. A stance is sound if every leg reaches its foot.
///
/// **Step.** From stance a to b every foot swings once, group by group in the gait's order [control/gait/gait.h (1)], while the base moves on evenly. At the
/// beginning, the middle and the end of every swing
///   all legs reach, within their joints' limits;
///   the centre of mass lies inside the polygon of the standing feet, `margin` from its edges at least;
///   no parts of the robot touch each other [self_collision.h], and none but the feet touches the world.             (2)
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "control/gait/gait.h"
#include "plan/foothold_cost.h"
#include "plan/ground_map.h"
#include "plan/self_collision.h"

namespace gradus::plan {

struct WalkerSettings {
  GaitFile gait;
  double search = 0.07;     // how far from its place at rest a foot may stand                       [m]
  double margin = 0.015;    // of stability                                                          [m]
  double clearance = 0.02;  // of swinging feet above what they pass                                 [m]
};

/// The base on the ground.
struct Place2 {
  double x = 0, y = 0, yaw = 0;  // [m, rad]
};

struct Stance {
  Place2 place;
  Pose X_WB;
  std::vector<Vec3> feet;  // (legs) centres of their balls, in W                                    [m]
  double cost = 0;         // of all footholds
  int forgiven = 0;        // the robot stands so. 1: what it touches there does not stop it from leaving; 2: nothing but stability does
};

/// Distance of p from the nearest edge of the convex hull of points, along x and y; negative outside. With fewer than three points −∞.
double support_margin(std::span<const Vec3> points, Vec3 p);

class Walker {
 public:
  static Result<std::unique_ptr<Walker>> make(const Model& model, std::shared_ptr<const RobotKind> kind, const WalkerSettings& settings, const Place& where);

  /// The part of the world that is planned on; before stance and step.
  void see(const MapArea& area, const FootholdCost& cost);
  const GroundMap& map() const { return *map_; }
  std::size_t leg_count() const { return legs_.size(); }
  const Leg& leg(std::size_t i) const { return legs_[i].leg; }
  std::size_t foot_number(std::size_t i) const { return legs_[i].number; }
  int group_count() const { return groups_; }
  int group(std::size_t leg) const { return legs_[leg].group; }
  double ball_radius() const { return radius_; }
  const WalkerSettings& settings() const { return settings_; }

  /// (1); false if it has no sound one.
  bool stand(const Place2& at, Stance& out);
  /// The feet stand already: the base where they would be at rest under it, on their mean. False if that is not sound.
  bool settle(std::span<const Vec3> feet, double yaw, Stance& out);
  /// Makes the footholds around p dearer: a foot slipped there.
  void mark(Vec3 p);
  /// (2)
  bool step(const Stance& a, const Stance& b);
  /// Why the last stand or step was refused: counts by reason.
  struct Refusals {
    std::int64_t foothold = 0, reach = 0, stability = 0, self = 0, world = 0;
  };
  const Refusals& refusals() const { return refused_; }
  /// Highest rest of a ball on the way from a to b, ends left out by its own radius.
  double highest_between(Vec3 a, Vec3 b) const;

 private:
  struct WalkingLeg {
    Leg leg;
    std::size_t number;  // of its foot
    Vec3 p_B;            // of its foot at rest, in the base's frame                              [m]
    int group;           // that swings together, in the order of a stride
  };
  struct Part {
    Shape shape;
    Pose X_LS;
    int link;
  };
  Walker(const Model& model, std::shared_ptr<const RobotKind> kind, const WalkerSettings& settings) : model_(model), kind_(std::move(kind)), settings_(settings) {}
  Diagnostics take_legs(const Place& where);
  Diagnostics take_shapes();
  bool choose_foothold(Vec3 rest, Vec3& out, double& cost) const;
  bool reaches(const Pose& X_WB, std::span<const Vec3> feet, double tolerance);
  bool stands(const Pose& X_WB, std::span<const Vec3> standing);
  bool touches(const Pose& X_WB);
  bool is_sound(const Stance& s);
  std::size_t node(int i, int j) const { return static_cast<std::size_t>(j) * static_cast<std::size_t>(map_->nx()) + static_cast<std::size_t>(i); }

  const Model& model_;
  std::shared_ptr<const RobotKind> kind_;
  WalkerSettings settings_;
  std::vector<WalkingLeg> legs_;
  int groups_ = 0;
  double radius_ = 0;  // of the feet's balls                                                     [m]
  std::unique_ptr<SelfCollision> self_;
  ShapeLibrary library_;
  std::vector<Part> parts_;                          // of the robot, feet left out
  std::vector<std::pair<Shape, Pose>> world_;        // static shapes, where they are
  std::unique_ptr<GroundMap> map_;
  std::vector<double> cost_;                         // (nodes of the map)
  std::vector<double> q_, coordinates_, still_;      // joints; 7 + njoint; 6 + njoint
  std::vector<Frame> frames_;
  Refusals refused_;
};

/// The pose between a and b, s = 0 … 1.
Pose between(const Pose& a, const Pose& b, double s);

}  // namespace gradus::plan
