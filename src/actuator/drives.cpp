#include "actuator/drives.h"

#include <algorithm>
#include <new>

#include "actuator/servo.inl"

namespace gradus {
namespace {

/// Layout of the scratch: Chain (n), ChainStep (n).
struct Room {
  Chain* chains;
  ChainStep* steps;
  std::size_t n;
};
Room room_of(const RobotKind& kind, void* memory) {
  const std::size_t n = kind.drives.size();
  auto* chains = static_cast<Chain*>(memory);
  return {chains, reinterpret_cast<ChainStep*>(chains + n), n};
}

ChainState& state_at(const Chain& c, double* section) { return *reinterpret_cast<ChainState*>(section + c.state); }

/// Command of a chain's joint: its target, or that of the joint it mimics.
double command_of(const RobotKind& kind, int joint, const double* q, const double* v, const double* target, double h) {
  const Joint& j = kind.joints[static_cast<std::size_t>(joint)];
  const int o = j.mimic_of;
  return o < 0 ? target[joint] : j.mimic_multiplier * (q[o] + h * v[o]) + j.mimic_offset;
}

void add_line(const ChainLine& line, double v, double h, DriveForce& out) {
  out.tau += line.t0 + line.t1 * v;
  out.e -= h * line.t1;
}

}  // namespace

void Drives::enter(View<access> view) {
  const RobotKind& kind = view.kind();
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const Chain& c = room.chains[i];
    const double target = view.target()[c.joint];
    const bool filter = c.gear == GearModel::motoflex;
    state_at(c, view.drive_state_next()) = {
        filter ? 0 : view.q()[7 + c.joint], filter ? 0 : view.v()[6 + c.joint], 0, 0, 0, target};
    std::fill_n(view.drive_state_next() + c.state + kChainState, c.ring, target);
  }
}

void Drives::begin(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q() + 7, *v = view.v() + 6;
  begin_servos(kind.joints.data(), kind.njoint(), q, v, view.target(), h, view.drive_out());
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const Chain& c = room.chains[i];
    const double command = command_of(kind, c.joint, q, v, view.target(), h);
    const double goal = delayed_goal(c, view.drive_state() + c.state + kChainState, view.k(), command);
    room.steps[i] =
        begin_chain(c, chain_state(c, view.drive_state()), q[c.joint], v[c.joint], goal, view.stiffness()[c.joint]);
    add_line(room.steps[i].line, v[c.joint], h, view.drive_out()[c.joint]);
  }
}

bool Drives::review(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double* v = view.v() + 6;
  bool changed = review_servos(kind.joints.data(), kind.njoint(), v, view.a(), h, view.drive_out());
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const Chain& c = room.chains[i];
    const ChainLine before = room.steps[i].line;
    const double V = v[c.joint] + h * view.a()[c.joint];
    const double inertia = 1 / view.d_inv()[c.joint] - view.drive()[c.joint].e;
    if (!review_chain(c, chain_state(c, view.drive_state()), room.steps[i], V, inertia)) continue;
    const ChainLine& now = room.steps[i].line;
    add_line({now.t0 - before.t0, now.t1 - before.t1, 0, 0}, v[c.joint], h, view.drive_out()[c.joint]);
    changed = true;
  }
  return changed;
}

void Drives::commit(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q() + 7, *v = view.v() + 6;
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const Chain& c = room.chains[i];
    const double V = v[c.joint] + h * view.a()[c.joint];
    const double *now = view.drive_state(), *ring = now + c.state + kChainState;
    double* next = view.drive_state_next();
    state_at(c, next) = end_chain(c, chain_state(c, now), room.steps[i], V, q[c.joint] + h * V);
    if (c.ring == 0) continue;
    double* ring_next = std::copy_n(ring, c.ring, next + c.state + kChainState) - c.ring;
    ring_next[view.k() % c.ring] = command_of(kind, c.joint, q, v, view.target(), h);
  }
}

std::vector<std::byte> make_drive_scratch(const RobotKind& kind, double h) {
  std::vector<std::byte> memory(kind.drives.size() * (sizeof(Chain) + sizeof(ChainStep)));
  const Room room = room_of(kind, memory.data());
  int at = 0;
  for (std::size_t i = 0; i < room.n; ++i) {
    new (room.chains + i) Chain(make_chain(kind.drives[i], h, at));
    new (room.steps + i) ChainStep{};
    at += chain_size(room.chains[i]);
  }
  return memory;
}

std::span<const Chain> chains_of(const RobotKind& kind, const std::vector<std::byte>& scratch) {
  return {reinterpret_cast<const Chain*>(scratch.data()), kind.drives.size()};
}

int drive_state_size(const RobotKind& kind, double h) {
  int size = 0;
  for (const DriveModel& d : kind.drives) size += chain_size(make_chain(d, h, size));
  return size;
}

void carry_rotors(std::span<const Chain> chains, const double* q_before, const double* q_after, const double* v_after,
                  double* drive_state) {
  for (const Chain& c : chains) {
    if (c.gear == GearModel::motoflex) continue;
    ChainState& s = state_at(c, drive_state);
    s.theta += q_after[c.joint] - q_before[c.joint];
    s.omega = v_after[c.joint];
  }
}

double motor_angle(const Chain& c, const double* drive_state, double q) {
  return c.gear == GearModel::elastic ? chain_state(c, drive_state).theta : q;
}

const ChainState& chain_state(const Chain& c, const double* drive_state) {
  return *reinterpret_cast<const ChainState*>(drive_state + c.state);
}

}  // namespace gradus
