/// planar_wheels as a motion of the step: the group of a match (robots of two teams and their ball) as one GroupMotion,
/// and its members as robots that answer to impulses. Targets of wheel joints are wheel speeds [rad/s].
///
/// Section of State:  bodies and contact memory [state.h], then score and clock [match.h]
#pragma once
#include "wheels/from_scene.h"
#include "wheels/match.h"
#include "wheels/planar_wheels.h"
#include "state/group.h"

namespace gradus::wheels {

/// A member in the step: moved by its group, pushed by anybody (3×3 response of a robot on its tyres, 6×6 of a ball).
struct Member {
  static constexpr std::string_view name = "planar_wheels";
  static constexpr int level = -1;
  static constexpr bool grouped = true;
  static constexpr Access access{
      .reads = gradus::Field::q | gradus::Field::v | gradus::Field::target | gradus::Field::frames | gradus::Field::acc,
      .writes = gradus::Field::q | gradus::Field::v | gradus::Field::r | gradus::Field::acc | gradus::Field::impulse};
  static MotionNeeds bind(const RobotKind& kind);
  static void enter(View<access>, double) {}
  static void predict(View<access> view, double h);  // what the group found
  static void respond(View<access> view);
  static void response(View<access> view, std::span<const int> links, Response* out);
  static void commit(View<access>, double) {}  // done by the group
};

/// The group's part of State as the engine's and the referee's numbers.
inline std::span<double> bodies_of(const WheelsModel& m, std::span<double> section) {
  return section.first(static_cast<std::size_t>(state_size(m)));
}
inline std::span<double> match_of(std::span<double> section) { return section.last(kMatchSize); }
inline std::span<const double> match_of(std::span<const double> section) { return section.last(kMatchSize); }

class Group : public GroupMotion {
 public:
  Group(const WheelsModel& model, const GroupModel& group, std::vector<WheelJoints> joints, double ground);
  // The section has its own axes: the middle of the pitch is their origin.
  int section_size() const override { return state_size(model_) + kMatchSize; }
  std::span<const PrivateProperty> properties() const override { return properties_; }
  void enter(const GroupContext& c) override;
  void predict(const GroupContext& c) override;
  void commit(const GroupContext& c) override;
  void adopt(const GroupContext& c, int member) override;
  PlaceResult place(const GroupContext& c, int member, const PlaceWish& wish) override;
  void look(std::span<const double> section, std::span<Sight> members) const override;

  const WheelsModel& model() const { return model_; }
  const Report& report() const { return report_; }  // since the start; not part of State

 private:
  std::span<double> next(const GroupContext& c) const;
  void take(const GroupContext& c, int member) const;     // q, v -> section
  void publish(const GroupContext& c, int member) const;  // section -> q, v
  void publish_ball(const GroupContext& c) const;
  void prepare_response(const GroupContext& c, int member) const;
  void add_impulse(const GroupContext& c, int member, const Vec6& dV) const;
  void push(const GroupContext& c, int member) const;
  bool is_ball(int member) const { return member == model_.robot_count(); }

  WheelsModel model_;
  MatchRules rules_;
  bool has_referee_;
  double ground_;                       // height of the floor [m]
  Vec2 at_;                             // middle of the pitch in the world [m]
  std::vector<WheelJoints> joints_;     // (members)
  std::vector<WheelCommand> commands_;  // (robots)
  std::vector<PrivateProperty> properties_;
  Scratch scratch_;
  Report report_;
};

Result<std::unique_ptr<GroupMotion>> make_group(const Model& model, const GroupModel& group);

}  // namespace gradus::wheels
