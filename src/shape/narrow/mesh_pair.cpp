#include "shape/narrow/mesh_pair.h"

#include <algorithm>

namespace gradus {
namespace {

/// A box by its middle and half its sides, in its mesh's frame.
struct Middle {
  Vec3 c, half;
};
Middle middle_of(const Box3& b) { return {(b.lo + b.hi) * 0.5, (b.hi - b.lo) * 0.5}; }

/// What all pairs of boxes of two meshes share.
struct Between {
  Pose X_AB;
  Mat3 reach;  // |R_AB|, a little larger so that boxes along the same axes are not parted by rounding
  explicit Between(const Pose& X) : X_AB(X) {
    const Vec3 e{1e-12, 1e-12, 1e-12};
    reach = {magnitude(X.R.x) + e, magnitude(X.R.y) + e, magnitude(X.R.z) + e};
  }
};

/// Is there an axis A_i × B_j that parts them? b: column j of R, with half sides hb of the two other axes of B and their |R| columns.
bool parted_across(Vec3 t, Vec3 ha, Vec3 b, Vec3 mb, double h1, double h2, Vec3 m1, Vec3 m2) {
  return std::abs(t.z * b.y - t.y * b.z) > ha.y * mb.z + ha.z * mb.y + h1 * m2.x + h2 * m1.x ||
         std::abs(t.x * b.z - t.z * b.x) > ha.x * mb.z + ha.z * mb.x + h1 * m2.y + h2 * m1.y ||
         std::abs(t.y * b.x - t.x * b.y) > ha.x * mb.y + ha.y * mb.x + h1 * m2.z + h2 * m1.z;
}

bool parted(const Middle& a, const Middle& b, const Between& w) {
  const Mat3 &R = w.X_AB.R, &m = w.reach;
  const Vec3 t = w.X_AB * b.c - a.c, s = magnitude(t), ha = a.half, hb = b.half;
  const Vec3 r = ha + m.x * hb.x + m.y * hb.y + m.z * hb.z;
  if (s.x > r.x || s.y > r.y || s.z > r.z) return true;
  if (std::abs(dot(R.x, t)) > hb.x + dot(m.x, ha) || std::abs(dot(R.y, t)) > hb.y + dot(m.y, ha) || std::abs(dot(R.z, t)) > hb.z + dot(m.z, ha)) return true;
  return parted_across(t, ha, R.x, m.x, hb.y, hb.z, m.y, m.z) || parted_across(t, ha, R.y, m.y, hb.z, hb.x, m.z, m.x) ||
         parted_across(t, ha, R.z, m.z, hb.x, hb.y, m.x, m.y);
}

/// Two boxes are at least this far apart, squared: their gaps along the axes of either.
double bound2(const Middle& a, const Middle& b, const Between& w) {
  const Mat3 &R = w.X_AB.R, &m = w.reach;
  const Vec3 t = w.X_AB * b.c - a.c, none{0, 0, 0};
  const Vec3 g = larger(magnitude(t) - (a.half + m.x * b.half.x + m.y * b.half.y + m.z * b.half.z), none);
  const Vec3 along{std::abs(dot(R.x, t)) - dot(m.x, a.half), std::abs(dot(R.y, t)) - dot(m.y, a.half), std::abs(dot(R.z, t)) - dot(m.z, a.half)};
  const Vec3 f = larger(along - b.half, none);
  return std::max(dot(g, g), dot(f, f));
}

std::array<Vec3, 3> moved(const Pose& X, const std::array<Vec3, 3>& t) { return {X * t[0], X * t[1], X * t[2]}; }

/// Does the axis n part the triangles, with a gap between them?
bool parts(Vec3 n, const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  const double a0 = dot(n, a[0]), a1 = dot(n, a[1]), a2 = dot(n, a[2]), b0 = dot(n, b[0]), b1 = dot(n, b[1]), b2 = dot(n, b[2]);
  return std::max({a0, a1, a2}) < std::min({b0, b1, b2}) || std::max({b0, b1, b2}) < std::min({a0, a1, a2});
}

/// How far apart the triangles are along the unit vector n, from a to b: no more than their distance.
double separation(Vec3 n, const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  return std::min({dot(n, b[0]), dot(n, b[1]), dot(n, b[2])}) - std::max({dot(n, a[0]), dot(n, a[1]), dot(n, a[2])});
}

/// Nearest points of the segments p + s d and q + t e, 0 ≤ s, t ≤ 1 [Ericson 2005, sec. 5.1.9]; the squared distance.
double segment_distance2(Vec3 p, Vec3 d, Vec3 q, Vec3 e, Vec3& on_a, Vec3& on_b) {
  const Vec3 r = p - q;
  const double dd = dot(d, d), ee = dot(e, e), f = dot(e, r), c = dot(d, r), b = dot(d, e), area = dd * ee - b * b;
  double s = area > 0 ? std::clamp((b * f - c * ee) / area, 0.0, 1.0) : 0, t = (b * s + f) / ee;
  if (t < 0)
    t = 0, s = std::clamp(-c / dd, 0.0, 1.0);
  else if (t > 1)
    t = 1, s = std::clamp((b - c) / dd, 0.0, 1.0);
  on_a = p + d * s, on_b = q + e * t;
  const Vec3 gap = on_a - on_b;
  return dot(gap, gap);
}

struct NodePair {
  int a, b;
};

/// The larger of two boxes is opened; leaves stay.
bool opens_first(const TriangleMesh::Node& a, const TriangleMesh::Node& b, const Middle& ma, const Middle& mb) {
  return a.count == 0 && (b.count > 0 || dot(ma.half, ma.half) >= dot(mb.half, mb.half));
}

}  // namespace

bool triangles_cross(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  const Vec3 ea[3] = {a[1] - a[0], a[2] - a[1], a[0] - a[2]}, eb[3] = {b[1] - b[0], b[2] - b[1], b[0] - b[2]};
  const Vec3 na = cross(ea[0], ea[1]), nb = cross(eb[0], eb[1]);
  if (parts(na, a, b) || parts(nb, a, b)) return false;
  for (const Vec3& u : ea)
    for (const Vec3& v : eb)
      if (parts(cross(u, v), a, b)) return false;
  for (int i = 0; i < 3; ++i)
    if (parts(cross(na, ea[i]), a, b) || parts(cross(nb, eb[i]), a, b)) return false;
  return true;
}

double triangle_distance2(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b, Vec3& p_a, Vec3& p_b) {
  double best = std::numeric_limits<double>::infinity();
  Vec3 x, y;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (const double d = segment_distance2(a[i], a[(i + 1) % 3] - a[i], b[j], b[(j + 1) % 3] - b[j], x, y); d < best) best = d, p_a = x, p_b = y;
  TrianglePart part;
  for (int i = 0; i < 3; ++i) {
    const Vec3 on_b = closest_on_triangle(a[i], b[0], b[1], b[2], part), on_a = closest_on_triangle(b[i], a[0], a[1], a[2], part);
    if (const double d = dot(a[i] - on_b, a[i] - on_b); d < best) best = d, p_a = a[i], p_b = on_b;
    if (const double d = dot(b[i] - on_a, b[i] - on_a); d < best) best = d, p_a = on_a, p_b = b[i];
  }
  return best > 0 && triangles_cross(a, b) ? 0 : best;
}

bool meshes_cross(const TriangleMesh& a, const TriangleMesh& b, const Pose& X_AB) {
  const Between between(X_AB);
  NodePair stack[2 * TriangleMesh::kDepthMax];
  int top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const NodePair p = stack[--top];
    const TriangleMesh::Node &na = a.nodes()[p.a], &nb = b.nodes()[p.b];
    const Middle ma = middle_of(na.box), mb = middle_of(nb.box);
    if (parted(ma, mb, between)) continue;
    if (na.count > 0 && nb.count > 0) {
      for (int j = 0; j < nb.count; ++j) {
        const std::array<Vec3, 3> of_b = moved(X_AB, b.corners(b.triangle_at(nb.first + j)));
        for (int i = 0; i < na.count; ++i)
          if (triangles_cross(a.corners(a.triangle_at(na.first + i)), of_b)) return true;
      }
    } else if (opens_first(na, nb, ma, mb)) {
      stack[top++] = {na.first + 1, p.b}, stack[top++] = {na.first, p.b};
    } else {
      stack[top++] = {p.a, nb.first + 1}, stack[top++] = {p.a, nb.first};
    }
  }
  return false;
}

bool nearest_of_meshes(const TriangleMesh& a, const TriangleMesh& b, const Pose& X_AB, double& best2, Vec3& p_a, Vec3& p_b) {
  const Between between(X_AB);
  struct Job {
    int a, b;
    double bound2;
  };
  Job stack[2 * TriangleMesh::kDepthMax];
  int top = 0;
  bool found = false;
  Vec3 apart{0, 0, 1};  // from a to b, as they are parted by the nearest points so far
  double best = square_root(best2);
  const auto push_two = [&](Job x, Job y) {
    const auto bound = [&](Job& j) { j.bound2 = bound2(middle_of(a.nodes()[j.a].box), middle_of(b.nodes()[j.b].box), between); };
    bound(x), bound(y);
    if (x.bound2 < y.bound2) std::swap(x, y);
    for (const Job& j : {x, y})
      if (j.bound2 < best2) stack[top++] = j;
  };
  stack[top++] = {0, 0, 0};
  while (top > 0) {
    const Job p = stack[--top];
    if (p.bound2 >= best2) continue;
    const TriangleMesh::Node &na = a.nodes()[p.a], &nb = b.nodes()[p.b];
    if (na.count > 0 && nb.count > 0) {
      for (int j = 0; j < nb.count; ++j) {
        const std::array<Vec3, 3> of_b = moved(X_AB, b.corners(b.triangle_at(nb.first + j)));
        for (int i = 0; i < na.count; ++i) {
          const std::array<Vec3, 3> of_a = a.corners(a.triangle_at(na.first + i));
          if (found && separation(apart, of_a, of_b) >= best) continue;  // most leave here
          Vec3 x, y;
          const double d2 = triangle_distance2(of_a, of_b, x, y);
          if (d2 >= best2) continue;
          best2 = d2, best = square_root(d2), p_a = x, p_b = y, found = true;
          apart = direction(p_b - p_a, {0, 0, 1});
        }
      }
      if (best2 == 0) return found;
    } else if (opens_first(na, nb, middle_of(na.box), middle_of(nb.box))) {
      push_two({na.first, p.b, 0}, {na.first + 1, p.b, 0});
    } else {
      push_two({p.a, nb.first, 0}, {p.a, nb.first + 1, 0});
    }
  }
  return found;
}

}  // namespace gradus
