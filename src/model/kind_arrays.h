/// Where the constants of one robot kind lie, without owning them: what kernels read on any machine (a core in double,
/// lanes and a GPU in float). F: how constants are stored.
#pragma once
#include "model/model.h"

namespace gradus {

template <class F>
struct KindArraysT {
  int nlink, branch_count;
  RootKind root;
  const LinkT<F>* links;           // (nlink)
  const ContactPointT<F>* points;  // sorted by link
  const int* point_begin;          // (nlink + 1)
  const Vec3T<F>* bound_centre;    // (nlink)
  const F* bound_radius;           // (nlink) −1: no points
  GRADUS_HD int njoint() const { return nlink - 1; }
  GRADUS_HD int npoint() const { return point_begin[nlink]; }
};

inline KindArraysT<double> arrays_of(const RobotKind& k) {
  return {k.nlink(),
          k.branch_count,
          k.root,
          k.links.data(),
          k.points.data(),
          k.point_begin.data(),
          k.bound_centre.data(),
          k.bound_radius.data()};
}

}  // namespace gradus
