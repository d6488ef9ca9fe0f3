/// A2 for the ground: which contact points of a robot will touch the half-space in this step. Full collision detection
/// (issue 3) adds its contacts to the same list. The body is a template over the scalar [ground_points.inl].
///
///   r = p + R p_BC − n radius          point of the sphere nearest to the ground, from the root's origin        (1)
///   gap = n·(p_WB + r) − offset        u = v_WB + V.l + V.a × r                                                  (2)
///   touches if gap + h (n·u + h n·g) < 0: inside the ground after falling freely for one step                   (3)
#pragma once
#include "model/kind_arrays.h"
#include "state/access.h"

namespace gradus {

/// Where the root is and how the observer of the frames moves [tree/frames.h].
template <class T>
struct RootMotionT {
  Vec3T<T> p_WB, v_WB;
};

/// Fills contacts with every point that touches in some lane; `active` says in which. Links are asked for in rising
/// order. contacts: room for all points; begin (nlink + 1): contacts of each link. Returns their number. reads frames,
/// memory   writes contacts, begin   cost O(links + near points), no allocation
template <class T, class F, class FrameOf>
GRADUS_INLINE int find_ground_points(const KindArraysT<F>& kind, const PlaneT<F>& plane, Vec3T<F> gravity, F h,
                                     const RootMotionT<T>& root, FrameOf&& frame_of, const ContactMemoryT<T>* memory,
                                     StaticContactT<T>* contacts, int* begin);

struct GroundPoints {
  static constexpr Access access{.reads = Field::q | Field::v | Field::frames | Field::memory,
                                 .writes = Field::contacts};
  static void find(View<access> view, double h);
};

}  // namespace gradus
