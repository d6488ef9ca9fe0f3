/// A robot kind's constants in the scalar of a batch, owned. Arrays are flat, so that a GPU takes them with one copy
/// each.
#pragma once
#include <vector>

#include "batch/world_step.h"

namespace gradus {

template <class F>
struct KindConstants {
  std::vector<LinkT<F>> links;
  std::vector<ContactPointT<F>> points;
  std::vector<int> point_begin;
  std::vector<Vec3T<F>> bound_centre;
  std::vector<F> bound_radius;
  std::vector<DriveConstantsT<F>> joints;
  RootKind root = RootKind::free;
  int branch_count = 0;

  explicit KindConstants(const RobotKind& kind);
  /// With pointers to the arrays above.
  BatchConstantsT<F> view(const Model& model) const;
};

extern template struct KindConstants<float>;
extern template struct KindConstants<double>;

}  // namespace gradus
