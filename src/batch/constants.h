/// A robot kind's constants in the scalar of a batch, owned. Arrays are flat, so that a GPU takes them with one copy
/// each.
#pragma once
#include <optional>
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
  std::vector<ChainT<F>> chains;
  int chain_numbers = 0;  // of State that the chains take
  RootKind root = RootKind::free;
  int branch_count = 0;

  /// chain_step: length of the steps; without, chains are replaced by their equivalent servos.
  explicit KindConstants(const RobotKind& kind, std::optional<double> chain_step = {});
  /// With pointers to the arrays above.
  BatchConstantsT<F> view(const Model& model) const;
};

// Instances in constants.cpp: float, double, and the packs of lanes.

}  // namespace gradus
