#include "drive/drives.h"

#include <algorithm>
#include <new>

#include "base/clones.h"
#include "drive/chain.inl"
#include "drive/servo.inl"
#include "drive/supply.h"

namespace gradus {
namespace {

/// Layout of the scratch: Chain (n), ChainStep (n), the supply's share (1).
struct Room {
  Chain* chains;
  ChainStep* steps;
  double* supply;
  std::size_t n;
};
Room room_of(const RobotKind& kind, void* memory) {
  const std::size_t n = kind.drives.size();
  auto* chains = static_cast<Chain*>(memory);
  auto* steps = reinterpret_cast<ChainStep*>(chains + n);
  return {chains, steps, reinterpret_cast<double*>(steps + n), n};
}

ChainState& state_at(const Chain& c, double* section) { return *reinterpret_cast<ChainState*>(section + c.state); }

/// Command of a chain's joint: its target, or that of the joint it mimics.
GRADUS_INLINE double command_of(const Chain& c, const double* q, const double* v, const double* target) {
  const int o = c.mimic_of;
  return o < 0 ? target[c.joint] : c.mimic_multiplier * (q[o] + c.h * v[o]) + c.mimic_offset;
}

/// m of (9): what the joint turns without its drive.
GRADUS_INLINE double inertia_at(double d_inv, const DriveForce& force) { return 1 / d_inv - force.e; }

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
        filter ? 0 : view.q()[7 + c.joint], filter ? 0 : view.v()[6 + c.joint], 0, 0, 0, 0, target, 0, 0};
    std::fill_n(view.drive_state_next() + c.state + kChainState, c.ring, target);
  }
}

GRADUS_CLONES void Drives::begin(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q() + 7, *v = view.v() + 6, *target = view.target(), *now = view.drive_state();
  DriveForce* out = view.drive_out();
  if (const double* command = view.impedance())
    begin_impedances(kind.joints.data(), kind.njoint(), q, v, target, command, h, out);
  else
    begin_servos(kind.joints.data(), kind.njoint(), q, v, target, h, out);
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const Chain& c = room.chains[i];
    const int j = c.joint;
    const double goal = delayed_goal(c, now + c.state + kChainState, view.k(), command_of(c, q, v, target));
    begin_chain(c, chain_state(c, now), q[j], v[j], goal, view.stiffness()[j] * *room.supply, room.steps[i]);
    add_line(room.steps[i].line, v[j], h, out[j]);
  }
}

GRADUS_CLONES bool Drives::review(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *v = view.v() + 6, *a = view.a(), *now = view.drive_state();
  DriveForce* out = view.drive_out();
  bool changed = review_servos(kind.joints.data(), kind.njoint(), v, a, h, out);
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const Chain& c = room.chains[i];
    ChainStep& x = room.steps[i];
    const int j = c.joint;
    const double V = v[j] + h * a[j];
    if (!off_piece(c, chain_state(c, now), x, V)) continue;
    const ChainLine before = x.line;
    change_piece(c, chain_state(c, now), x, V, inertia_at(view.d_inv()[j], out[j]));
    add_line({x.line.t0 - before.t0, x.line.t1 - before.t1, 0, 0}, v[j], h, out[j]);
    changed = true;
  }
  return changed;
}

void Drives::commit(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q() + 7, *v = view.v() + 6, *a = view.a(), *now = view.drive_state();
  double* next = view.drive_state_next();
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const Chain& c = room.chains[i];
    const int j = c.joint;
    const double V = v[j] + h * a[j];
    end_chain(c, chain_state(c, now), room.steps[i], v[j], V, q[j] + h * V,
              inertia_at(view.d_inv()[j], view.drive()[j]), state_at(c, next));
    if (c.ring == 0) continue;
    const double* ring = now + c.state + kChainState;
    double* ring_next = std::copy_n(ring, c.ring, next + c.state + kChainState) - c.ring;
    ring_next[view.k() % c.ring] = command_of(c, q, v, view.target());
  }
}

std::vector<std::byte> make_drive_scratch(const RobotKind& kind, double h) {
  const std::size_t n = kind.drives.size();
  std::vector<std::byte> memory(n == 0 ? 0 : n * (sizeof(Chain) + sizeof(ChainStep)) + sizeof(double));
  const Room room = room_of(kind, memory.data());
  set_supply(kind, memory, 1);
  int at = 0;
  for (std::size_t i = 0; i < room.n; ++i) {
    new (room.chains + i) Chain(make_chain(kind.drives[i], h, at));
    const Joint& j = kind.joints[static_cast<std::size_t>(kind.drives[i].joint)];
    room.chains[i].mimic_of = j.mimic_of;
    room.chains[i].mimic_multiplier = j.mimic_multiplier;
    room.chains[i].mimic_offset = j.mimic_offset;
    new (room.steps + i) ChainStep{};
    at += chain_size(room.chains[i]);
  }
  return memory;
}

void set_supply(const RobotKind& kind, std::vector<std::byte>& drive_scratch, double share) {
  if (!kind.drives.empty()) *room_of(kind, drive_scratch.data()).supply = share;
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

}  // namespace gradus
