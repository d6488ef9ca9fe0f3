/// The groups of a world: their sections of State, their cameras and drivers, and their place in the step
/// [state/group.h].
///
///   section of a group in State:  what its motion needs, then the memory of its camera (frames on their way)
#pragma once
#include <memory>
#include <vector>

#include "engine/registry.h"
#include "sense/overhead_camera.h"
#include "state/controller.h"

namespace gradus {

/// Room for what the drivers of a group see.
struct SightRoom {
  std::vector<sense::Sighting> newer, older;
  std::vector<Sight> sights;
};

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
  /// What drivers see at `time`: the newest frame that has arrived, velocities from it and the one before; the truth of
  /// the state if the group has no camera.
  std::span<const Sight> look(int group, double time, const double* state, SightRoom& room) const;

  /// contexts: of all robots of the world, by robot number.
  using Contexts = std::vector<const RobotContext*>;
  void enter(const Contexts& contexts, double* state, double h);
  void predict(const Contexts& contexts, const double* now, double* next, double h);
  void commit(const Contexts& contexts, const double* now, double* next, double h, std::int64_t k);
  /// q or v of a member was changed from outside.
  void adopt(const Contexts& contexts, int group, int robot, double* state, double h);
  PlaceResult place(const Contexts& contexts, int group, int robot, const PlaceWish& wish, double* state, double h);

 private:
  struct Group {
    const GroupModel* model = nullptr;
    std::unique_ptr<GroupMotion> motion;
    std::optional<sense::OverheadOptions> camera;
    int offset = 0, size = 0, camera_size = 0;  // in State
    std::vector<RobotContext> members;          // scratch of one call
    std::vector<sense::Sighting> truth;
    std::vector<Sight> sights;
  };
  const Group& at(int group) const { return groups_[static_cast<std::size_t>(group)]; }
  GroupContext context(Group& g, const Contexts& contexts, const double* now, double* next, double h);
  void expose(Group& g, double time, double* state);
  int member_of(const Group& g, int robot) const;

  std::vector<Group> groups_;
};

}  // namespace gradus
