/// Body of articulated.h's prediction for any scalar and frames policy.
#pragma once
#include "model/kind_arrays.h"
#include "motion/articulated/articulated.h"
#include "motion/root.h"
#include "tree/dynamics.h"

namespace gradus {

/// Room for one prediction; factors and root serve impulse responses afterwards.
template <class T>
struct ArticulatedRoomT {
  Factor6T<T>* root;
  JointFactorT<T>* factors;  // (nlink)
  Mat6T<T>* branch_I;        // (branch_count)
  Vec6T<T>* branch_b;        // (branch_count)
};

/// Forces and slopes of the contacts of link i, into its inertia and bias.
template <class T>
GRADUS_INLINE void add_static_contacts(const StaticContactT<T>* contacts, const int* begin, Vec3T<T> g, int i,
                                       Mat6T<T>& I, Vec6T<T>& b) {
  for (int k = begin[i]; k < begin[i + 1]; ++k) {
    const StaticContactT<T>& c = contacts[k];
    if (!any(c.active)) continue;
    add_point(I, c.r, c.W);
    b = b - wrench_at(c.r, c.f - c.W * g);  // f⁺ = f − W (acc + g)
  }
}

/// Accelerations acc (nlink, minus gravity) and a (njoint) under the drives' and contacts' forces with their slopes.
///   contacts, begin (nlink + 1)   static contacts, sorted by link
///   extra(i, f, I, b)             adds further forces on link i with frame f to its inertia (slopes) and bias
template <class T, class F, class Frames, class Extra>
GRADUS_INLINE void predict_articulated(const KindArraysT<F>& kind, Vec3T<F> gravity, const CoordinatesT<T>& x,
                                       Frames& frames, const DriveForceT<T>* drive, const StaticContactT<T>* contacts,
                                       const int* begin, const Extra& extra, const ArticulatedRoomT<T>& room,
                                       Vec6T<T>* acc, T* a) {
  const Vec3T<T> g = cast<T>(gravity);
  auto force = [drive](int i) { return JointForceT<T>{drive[i - 1].tau, drive[i - 1].e}; };
  auto external = [&](int i, const FrameT<T>& f, Mat6T<T>& I, Vec6T<T>& b) {
    add_static_contacts(contacts, begin, g, i, I, b);
    extra(i, f, I, b);
  };
  Mat6T<T> I0;
  Vec6T<T> b0;
  aba_inward(kind.links, kind.nlink, x, frames, force, external, room.branch_I, room.branch_b, kind.branch_count,
             room.factors, I0, b0);
  const Vec6T<T> acc0 = solve_root(kind.root, g, I0, b0, *room.root);
  aba_outward(kind.links, kind.nlink, x, frames, room.factors, acc0, acc, a);
}

}  // namespace gradus
