#include "engine/groups.h"

#include <algorithm>
#include <cmath>

#include "sense/kinds/overhead.h"

namespace gradus {
namespace {

using enum sense::Overhead::Channels;

constexpr double kRim = 0.1;  // beyond walls and goals that is still in view; who was taken from the pitch stands farther out  [m]

/// The group's camera as a sensor: it sees its members on their pitch.
SensorModel camera_of(const Model& model, const GroupModel& group) {
  SensorSpec camera = *group.spec.camera;
  SensorSetting sees{"sees", {}, {}, {}, camera.place};
  for (const int robot : group.members) sees.words.push_back(model.robots[static_cast<std::size_t>(robot)].name);
  camera.settings.push_back(std::move(sees));
  if (model.pitch && !camera.find("area")) {
    const Vec3 at = group.spec.at;
    const double x = model.pitch->length / 2 + model.pitch->goal_depth + kRim, y = model.pitch->width / 2 + kRim;
    camera.settings.push_back({"area", {at.x - x, at.y - y, at.x + x, at.y + y}, {}, {}, camera.place});
  }
  return {std::move(camera), 0, 0, identity_pose()};
}

}  // namespace

Diagnostics Groups::bind(const Model& model) {
  Diagnostics notes;
  for (const GroupModel& m : model.groups) {
    Group g;
    g.model = &m;
    const GroupMotionTable* table = find_group_motion(m.spec.motion);
    if (!table) {
      notes.push_back(
          {m.spec.place, Severity::error, "group '" + m.spec.name + "': unknown motion '" + m.spec.motion + "'", ""});
      continue;
    }
    auto made = table->make(model, m);
    notes.insert(notes.end(), made.notes().begin(), made.notes().end());
    if (!made) continue;
    g.motion = std::move(*made);
    g.size = g.motion->section_size();
    if (m.spec.camera) {
      const SensorModel camera = camera_of(model, m);
      const Diagnostics faults = g.camera.bind(model, model.robots[static_cast<std::size_t>(m.members[0])], {&camera, 1});
      notes.insert(notes.end(), faults.begin(), faults.end());
    }
    g.members.reserve(m.members.size());
    groups_.push_back(std::move(g));
  }
  return notes;
}

std::string Groups::rebind(const Model& model) {
  std::vector<std::unique_ptr<GroupMotion>> made;
  for (const Group& g : groups_) {
    auto motion = find_group_motion(g.model->spec.motion)->make(model, *g.model);
    if (!motion) return motion.notes().front().text;
    made.push_back(std::move(*motion));
  }
  for (std::size_t i = 0; i < made.size(); ++i) groups_[i].motion = std::move(made[i]);
  return "";
}

void Groups::lay_out(Layout& layout) {
  for (Group& g : groups_) {
    g.offset = layout.state_size;
    layout.state_size += g.size + g.camera.size();
  }
}

std::span<const double> Groups::section(int group, const double* state) const {
  return {state + at(group).offset, static_cast<std::size_t>(at(group).size)};
}
std::span<double> Groups::section(int group, double* state) const {
  return {state + at(group).offset, static_cast<std::size_t>(at(group).size)};
}

GroupContext Groups::context(Group& g, const Contexts& contexts, const double* now, double* next, double h) {
  g.members.clear();
  for (const int robot : g.model->members) {
    g.members.push_back(*contexts[static_cast<std::size_t>(robot)]);
    g.members.back().now = now;
    g.members.back().next = next;
  }
  return {g.members, now + g.offset, next + g.offset, h};
}

int Groups::member_of(const Group& g, int robot) const {
  const auto& m = g.model->members;
  return static_cast<int>(std::find(m.begin(), m.end(), robot) - m.begin());
}

void Groups::enter(const Contexts& contexts, double* state, const Layout& layout, const Model& model) {
  for (Group& g : groups_) {
    g.motion->enter(context(g, contexts, state, state, model.step));
    expose(g, state, 0, layout, model);
  }
}

void Groups::predict(const Contexts& contexts, const double* now, double* next, double h) {
  for (Group& g : groups_) g.motion->predict(context(g, contexts, now, next, h));
}

void Groups::commit(const Contexts& contexts, const double* now, double* next, std::int64_t k, const Layout& layout, const Model& model) {
  for (Group& g : groups_) {
    g.motion->commit(context(g, contexts, now, next, model.step));
    std::copy_n(now + g.offset + g.size, g.camera.size(), next + g.offset + g.size);
    expose(g, next, k + 1, layout, model);
  }
}

void Groups::adopt(const Contexts& contexts, int group, int robot, double* state, double h) {
  Group& g = groups_[static_cast<std::size_t>(group)];
  g.motion->adopt(context(g, contexts, state, state, h), member_of(g, robot));
}

PlaceResult Groups::place(const Contexts& contexts, int group, int robot, const PlaceWish& wish, double* state,
                          double h) {
  Group& g = groups_[static_cast<std::size_t>(group)];
  return g.motion->place(context(g, contexts, state, state, h), member_of(g, robot), wish);
}

void Groups::expose(Group& g, double* state, std::int64_t k, const Layout& layout, const Model& model) {
  if (g.camera.empty()) return;
  RobotContext& first = g.members[0];
  first.k = k;
  const sense::Surroundings around{&model, &first, {}, {}, {}, {}, model.step, g.model->members[0], state, layout.robots, nullptr};
  g.camera.look(around, state + g.offset + g.size);
}

std::span<const Sight> Groups::look(int group, const State& state, double h, std::vector<Sight>& room) const {
  const Group& g = at(group);
  const double* section = state.slab.data() + g.offset;
  room.resize(g.model->members.size());
  if (g.camera.empty() || g.camera.sensors()[0].ideal) {
    g.motion->look({section, static_cast<std::size_t>(g.size)}, room);
    return room;
  }
  const sense::Reading picture = g.camera.read(0, state.k, h, section + g.size);
  const double* b = picture.values.data();
  const double* a = picture.before.data();
  const double rate = picture.sample > 0 ? 1 / std::max(g.camera.sensors()[0].period, h) : 0;
  for (Sight& s : room) {
    const double f = a[kSeen] != 0 && b[kSeen] != 0 ? rate : 0;
    s = {b[kX] - g.model->spec.at.x, b[kY] - g.model->spec.at.y, b[kHeading], f * (b[kX] - a[kX]), f * (b[kY] - a[kY]),
         f * std::remainder(b[kHeading] - a[kHeading], 6.283185307179586), b[kSeen] != 0};
    a += kChannels, b += kChannels;
  }
  return room;
}

}  // namespace gradus
