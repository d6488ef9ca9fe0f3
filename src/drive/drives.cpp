#include "drive/drives.h"

#include <algorithm>
#include <new>

#include "base/clones.h"
#include "drive/chains.inl"
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

}  // namespace

void Drives::enter(View<access> view) {
  const RobotKind& kind = view.kind();
  const Room room = room_of(kind, view.drive_own());
  for (std::size_t i = 0; i < room.n; ++i) {
    const int j = room.chains[i].joint;
    enter_chain(room.chains[i], view.q()[7 + j], view.v()[6 + j], view.target()[j], view.drive_state_next());
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
  if (room.n == 0) return;
  begin_chains(room.chains, room.n, JointNumbersT<double>{q, v, target, view.stiffness()}, now, view.k(), *room.supply, room.steps, out,
               SolvePiece{});
}

GRADUS_CLONES bool Drives::review(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *v = view.v() + 6, *a = view.a(), *now = view.drive_state();
  DriveForce* out = view.drive_out();
  const bool changed = review_servos(kind.joints.data(), kind.njoint(), v, a, h, out);
  const Room room = room_of(kind, view.drive_own());
  const auto d_inv = [inverse = view.d_inv()](int j) { return inverse[j]; };
  return review_chains(room.chains, room.n, v, a, now, d_inv, room.steps, out, SolvePiece{}, [](int) {}) || changed;
}

void Drives::commit(View<access> view, double) {
  const Room room = room_of(view.kind(), view.drive_own());
  const JointNumbersT<double> joints{view.q() + 7, view.v() + 6, view.target(), view.stiffness()};
  const auto d_inv = [inverse = view.d_inv()](int j) { return inverse[j]; };
  end_chains(room.chains, room.n, joints, view.a(), d_inv, view.drive(), room.steps, view.k(), view.drive_state(), view.drive_state_next());
}

std::vector<std::byte> make_drive_scratch(const RobotKind& kind, double h) {
  const std::size_t n = kind.drives.size();
  std::vector<std::byte> memory(n == 0 ? 0 : n * (sizeof(Chain) + sizeof(ChainStep)) + sizeof(double));
  const Room room = room_of(kind, memory.data());
  set_supply(kind, memory, 1);
  int at = 0;
  for (std::size_t i = 0; i < room.n; ++i) {
    new (room.chains + i) Chain(make_chain(kind.drives[i], h, at));
    set_mimic(kind.joints[static_cast<std::size_t>(kind.drives[i].joint)], room.chains[i]);
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
