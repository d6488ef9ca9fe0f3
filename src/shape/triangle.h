/// Point against triangle: the query that meshes and height fields are made of.
#pragma once
#include "shape/geometry.h"

namespace gradus {

/// Part of a triangle a, b, c: its inside, an edge or a corner.
enum class TrianglePart : std::uint8_t { face, ab, bc, ca, a, b, c };

/// Closest point of a surface to a query point.
struct SurfacePoint {
  Vec3 p{0, 0, 0};      // on the surface                                     [m]
  Vec3 n{0, 0, 1};      // outward: averaged over the faces that meet there, so that its sign tells inside from outside
  double distance = 0;  // from the query point, ≥ 0                          [m]
  int triangle = -1;
  TrianglePart part = TrianglePart::face;
};

/// Closest point to p by Voronoi regions [Ericson 2005, sec. 5.1.5].
inline Vec3 closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, TrianglePart& part) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return part = TrianglePart::a, a;
  const Vec3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return part = TrianglePart::b, b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return part = TrianglePart::ab, a + ab * (d1 / (d1 - d3));
  const Vec3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return part = TrianglePart::c, c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return part = TrianglePart::ca, a + ac * (d2 / (d2 - d6));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return part = TrianglePart::bc, b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
  const double s = 1 / (va + vb + vc);
  return part = TrianglePart::face, a + ab * (vb * s) + ac * (vc * s);
}

/// Ray p + t d against a triangle from either side [Möller, Trumbore 1997]; t < 0 if it misses.
inline double ray_triangle(Vec3 p, Vec3 d, Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 ab = b - a, ac = c - a, h = cross(d, ac);
  const double det = dot(ab, h);
  if (std::abs(det) < 1e-300) return -1;
  const double f = 1 / det;
  const Vec3 s = p - a, q = cross(s, ab);
  const double u = f * dot(s, h), v = f * dot(d, q);
  constexpr double eps = 1e-12;  // neighbours share an edge: let no ray slip through between them
  if (u < -eps || v < -eps || u + v > 1 + eps) return -1;
  return f * dot(ac, q);
}

}  // namespace gradus
