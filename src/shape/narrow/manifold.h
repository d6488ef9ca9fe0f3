/// Collecting, clipping and thinning of contact points. Everything here is in the frame of shape a.
#pragma once
#include "shape/narrow/collide.h"
#include "shape/narrow/gjk.h"

namespace gradus {

/// Contact points on the way to a manifold; thins itself when full, so any number may be added.
struct Candidates {
  static constexpr int kCapacity = 96;
  int count = 0;
  Contact c[kCapacity];

  void add(const Contact& k);
  /// Leaves at most four: the deepest, and of those inside or about to be those that span the largest area with it;
  /// their order is kept.
  void thin();

 private:
  int deepest() const;
  template <class Distance>
  int wanted(Distance&& distance, double deepest) const;
};

/// Adds the points of the surfaces that face each other across `deep`: the feature of one clipped by the face of the
/// other, gaps along the common normal, as far as `margin`. `with_witness`: the deepest points themselves, if clipping
/// found none as deep.
void add_manifold(const Shape& a, const Shape& b, const Pose& X_AB, const Deepest& deep, double margin,
                  bool with_witness, std::uint32_t feature_base, Candidates& out);

}  // namespace gradus
