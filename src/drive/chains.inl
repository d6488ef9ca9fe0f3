/// All chains of a robot in one step, for any scalar: World in double [drives.cpp], lanes of worlds [batch/world_step.h].
#pragma once
#include "drive/chain.inl"
#include "state/access.h"

namespace gradus {

/// Numbers of all joints as a step has them, (njoint) each.
template <class T>
struct JointNumbersT {
  const T *q, *v, *target, *stiffness;
};

/// Command of a chain's joint: its target, or that of the joint it mimics.
template <class T, class F>
GRADUS_INLINE T command_of(const ChainT<F>& c, const JointNumbersT<T>& x) {
  const int o = c.mimic_of;
  return o < 0 ? x.target[c.joint] : T(c.mimic_multiplier) * (x.q[o] + T(c.h) * x.v[o]) + T(c.mimic_offset);
}
template <class T, class F>
GRADUS_INLINE const ChainStateT<T>& state_of(const ChainT<F>& c, const T* section) {
  return *reinterpret_cast<const ChainStateT<T>*>(section + c.state);
}
template <class T, class F>
GRADUS_INLINE void add_line(const ChainLineT<T>& line, T v, F h, DriveForceT<T>& out) {
  out.tau += line.t0 + line.t1 * v;
  out.e -= T(h) * line.t1;
}
/// m of (9): what the joint turns without its drive.
template <class T>
GRADUS_INLINE T inertia_at(T d_inv, const DriveForceT<T>& force) {
  return T(1.0) / d_inv - force.e;
}

/// Adds the chains' forces to those of stops and passive joints.  supply: share of the nominal voltage
template <class T, class F, class Solve>
GRADUS_INLINE void begin_chains(const ChainT<F>* chains, std::size_t n, const JointNumbersT<T>& joints, const T* now, std::int64_t k, T supply,
                                ChainStepT<T>* steps, DriveForceT<T>* out, const Solve& solve) {
  for (std::size_t i = 0; i < n; ++i) {
    const ChainT<F>& c = chains[i];
    const int j = c.joint;
    const T goal = delayed_goal(c, now + c.state + kChainState, k, command_of(c, joints));
    begin_chain(c, state_of(c, now), joints.q[j], joints.v[j], goal, joints.stiffness[j] * supply, steps[i], solve);
    add_line(steps[i].line, joints.v[j], c.h, out[j]);
  }
}

/// Where a chain ends on another piece than its line was made for it gets another one; changed(joint) is called.  a:
/// predicted accelerations; d_inv(j) of the factorisation
template <class T, class F, class Inverse, class Solve, class Changed>
GRADUS_INLINE MaskOf<T> review_chains(const ChainT<F>* chains, std::size_t n, const T* v, const T* a, const T* now, const Inverse& d_inv,
                                      ChainStepT<T>* steps, DriveForceT<T>* out, const Solve& solve, const Changed& changed) {
  MaskOf<T> all_changed{};
  for (std::size_t i = 0; i < n; ++i) {
    const ChainT<F>& c = chains[i];
    ChainStepT<T>& x = steps[i];
    const int j = c.joint;
    const T V = v[j] + T(c.h) * a[j];
    const auto off = off_piece(c, state_of(c, now), x, V);
    if (!any(off)) continue;
    const ChainLineT<T> before = x.line;
    change_piece(off, c, state_of(c, now), x, V, inertia_at(d_inv(j), out[j]), solve);
    add_line<T>({x.line.t0 - before.t0, x.line.t1 - before.t1, T(0.0), T(0.0)}, v[j], c.h, out[j]);
    all_changed = mask_or(all_changed, off);
    changed(j);
  }
  return all_changed;
}

/// The section of State[k + 1]; it may be that of State[k].  drive: the forces that acted
template <class T, class F, class Inverse>
GRADUS_INLINE void end_chains(const ChainT<F>* chains, std::size_t n, const JointNumbersT<T>& joints, const T* a, const Inverse& d_inv,
                              const DriveForceT<T>* drive, const ChainStepT<T>* steps, std::int64_t k, const T* now, T* next) {
  for (std::size_t i = 0; i < n; ++i) {
    const ChainT<F>& c = chains[i];
    const int j = c.joint;
    const T v = joints.v[j], V = v + T(c.h) * a[j];
    end_chain(c, state_of(c, now), steps[i], v, V, joints.q[j] + T(c.h) * V, inertia_at(d_inv(j), drive[j]),
              *reinterpret_cast<ChainStateT<T>*>(next + c.state));
    if (c.ring == 0) continue;
    const T* ring = now + c.state + kChainState;
    T* ring_next = next + c.state + kChainState;
    if (ring != ring_next)
      for (int r = 0; r < c.ring; ++r) ring_next[r] = ring[r];
    ring_next[k % c.ring] = command_of(c, joints);
  }
}

}  // namespace gradus
