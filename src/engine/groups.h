/// The groups of a world: their sections of State, their cameras and drivers, and their place in the step
/// [state/group.h].
///
///   section of a group in State:  what its motion needs, then the memory of its camera
///
/// The camera is a sensor like any other [sense/kinds/overhead.h] that belongs to no robot.
#pragma once
#include <memory>
#include <vector>

#include "engine/registry.h"
#include "sense/sense.h"
#include "state/controller.h"

namespace gradus {

class Groups {
 public:
  /// Makes the motions; all that is missing is reported.
  Diagnostics bind(const Model& model);
  /// Makes them again after parameters of their members changed; the sections of State stay as they are. "" or what is
  /// missing; then nothing has changed.
  std::string rebind(const Model& model);
  /// Takes room behind what the layout has already.
  void lay_out(Layout& layout);
  int count() const { return static_cast<int>(groups_.size()); }
  bool empty() const { return groups_.empty(); }

  const GroupModel& model(int group) const { return *at(group).model; }
  const GroupMotion& motion(int group) const { return *at(group).motion; }
  std::span<const double> section(int group, const double* state) const;  // the motion's part of it
  std::span<double> section(int group, double* state) const;
  /// What drivers see in a state, in the axes of their pitch: the newest frame that has arrived, velocities from it and the
  /// one before; the truth if the group has no camera, or an ideal one.
  std::span<const Sight> look(int group, const State& state, double h, std::vector<Sight>& room) const;

  /// contexts: of all robots of the world, by robot number.
  using Contexts = std::vector<const RobotContext*>;
  void enter(const Contexts& contexts, double* state, const Layout& layout, const Model& model);
  void predict(const Contexts& contexts, const double* now, double* next, double h);
  void commit(const Contexts& contexts, const double* now, double* next, std::int64_t k, const Layout& layout, const Model& model);
  /// q or v of a member was changed from outside.
  void adopt(const Contexts& contexts, int group, int robot, double* state, double h);
  PlaceResult place(const Contexts& contexts, int group, int robot, const PlaceWish& wish, double* state, double h);

 private:
  struct Group {
    const GroupModel* model = nullptr;
    std::unique_ptr<GroupMotion> motion;
    sense::Senses camera;               // none, or one
    int offset = 0, size = 0;           // in State
    std::vector<RobotContext> members;  // scratch of one call
  };
  const Group& at(int group) const { return groups_[static_cast<std::size_t>(group)]; }
  GroupContext context(Group& g, const Contexts& contexts, const double* now, double* next, double h);
  void expose(Group& g, double* state, std::int64_t k, const Layout& layout, const Model& model);
  int member_of(const Group& g, int robot) const;

  std::vector<Group> groups_;
};

}  // namespace gradus
