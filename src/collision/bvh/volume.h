/// Bounding volumes of the compound trees: sphere, axis-aligned box or oriented box, one kind for a whole scene.
#pragma once
#include <cstdint>

#include "collision/shape/shape.h"

namespace gradus {

enum class VolumeKind : std::uint8_t { sphere, aabb, obb };
const char* to_string(VolumeKind kind);

/// In W. A sphere uses c and r, an axis-aligned box c and half, an oriented box c, R and half.
struct Volume {
  Vec3 c{0, 0, 0};
  double r = 0;
  Vec3 half{0, 0, 0};
  Mat3 R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

/// Of a bounded shape, grown by `reach`.
Volume volume_of(VolumeKind kind, const Shape& s, const Pose& X_WS, double reach);
/// Around two volumes: the smallest sphere or axis-aligned box; an oriented box takes the axes of the larger one.
Volume merged(VolumeKind kind, const Volume& a, const Volume& b);
bool overlap(VolumeKind kind, const Volume& a, const Volume& b);
/// What "larger" means when a descent chooses: the radius, or half the diagonal.
double size(VolumeKind kind, const Volume& v);
/// Lowest point along the unit vector n: min of n · x.
double lowest(VolumeKind kind, const Volume& v, Vec3 n);
Box3 box_around(VolumeKind kind, const Volume& v);

}  // namespace gradus
