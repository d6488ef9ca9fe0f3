#include "engine/groups.h"

#include <algorithm>
#include <cmath>

namespace gradus {

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
    const std::size_t n = m.members.size();
    if (m.spec.camera) {
      const OverheadSpec& c = *m.spec.camera;
      constexpr std::uint64_t kStride = 0x9e3779b97f4a7c15;  // cameras of different groups err in different ways
      g.camera = {1 / c.period, c.delay, c.noise, c.heading_noise, c.miss, model.seed + kStride * groups_.size()};
      g.camera_size = sense::overhead_memory_size(*g.camera, static_cast<int>(n));
    }
    g.members.reserve(n);
    g.truth.resize(n), g.sights.resize(n);
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
    layout.state_size += g.size + g.camera_size;
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

void Groups::enter(const Contexts& contexts, double* state, double h) {
  for (Group& g : groups_) {
    g.motion->enter(context(g, contexts, state, state, h));
    expose(g, 0, state);
  }
}

void Groups::predict(const Contexts& contexts, const double* now, double* next, double h) {
  for (Group& g : groups_) g.motion->predict(context(g, contexts, now, next, h));
}

void Groups::commit(const Contexts& contexts, const double* now, double* next, double h, std::int64_t k) {
  for (Group& g : groups_) {
    g.motion->commit(context(g, contexts, now, next, h));
    std::copy_n(now + g.offset + g.size, g.camera_size, next + g.offset + g.size);
    expose(g, static_cast<double>(k + 1) * h, next);
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

void Groups::expose(Group& g, double time, double* state) {
  if (!g.camera) return;
  g.motion->look({state + g.offset, static_cast<std::size_t>(g.size)}, g.sights);
  for (std::size_t i = 0; i < g.sights.size(); ++i)
    g.truth[i] = {g.sights[i].x, g.sights[i].y, g.sights[i].theta, g.sights[i].seen ? 1.0 : 0.0};
  sense::expose(*g.camera, time, g.truth, {state + g.offset + g.size, static_cast<std::size_t>(g.camera_size)});
}

std::span<const Sight> Groups::look(int group, double time, const double* state, SightRoom& room) const {
  const Group& g = at(group);
  room.sights.resize(g.model->members.size());
  if (!g.camera) {
    g.motion->look(section(group, state), room.sights);
    return room.sights;
  }
  const std::span<const double> memory{state + g.offset + g.size, static_cast<std::size_t>(g.camera_size)};
  room.newer.assign(room.sights.size(), sense::Sighting{});
  const double t1 = sense::look(*g.camera, time, memory, room.newer);
  room.older = room.newer;
  const double t0 = sense::look(*g.camera, time - 1 / g.camera->rate, memory, room.older);
  const double f = t0 >= 0 && t1 > t0 ? 1 / (t1 - t0) : 0;
  for (std::size_t i = 0; i < room.sights.size(); ++i) {
    const sense::Sighting &a = room.older[i], &b = room.newer[i];
    const double moving = a.seen != 0 && b.seen != 0 ? f : 0;
    room.sights[i] = {b.x,
                      b.y,
                      b.theta,
                      moving * (b.x - a.x),
                      moving * (b.y - a.y),
                      moving * std::remainder(b.theta - a.theta, 6.283185307179586),
                      b.seen != 0};
  }
  return room.sights;
}

}  // namespace gradus
