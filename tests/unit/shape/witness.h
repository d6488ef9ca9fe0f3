/// Independent answers to compare the narrow phase with. Nothing here calls src/shape but to read a shape's
/// numbers.
///
/// For convex A and B and a unit vector n, s(n) = min over A of n·a − max over B of n·b is the separation along n. The
/// true gap is max over n of s(n): the distance if it is positive, minus the depth if not.
#pragma once
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "shape/narrow/collide.h"
#include "shape/hull.h"

namespace gradus::witness {

struct Random {
  std::mt19937_64 engine;
  explicit Random(std::uint64_t seed) : engine(seed) {}
  double in(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine); }
  int below(int n) { return static_cast<int>(engine() % static_cast<std::uint64_t>(n)); }
  Vec3 vector(double reach) { return {in(-reach, reach), in(-reach, reach), in(-reach, reach)}; }
  Vec3 unit() {
    while (true) {
      const Vec3 v = vector(1);
      if (const double l = norm(v); l > 0.1 && l < 1) return v * (1 / l);
    }
  }
  Quat rotation() {
    std::normal_distribution<double> g;
    return normalized(Quat{g(engine), g(engine), g(engine), g(engine)});
  }
};

/// Farthest extent along d in S: the whole shape, balls included.
inline double extent(const Shape& s, Vec3 d) {
  const double l = std::sqrt(dot(d, d));
  switch (s.kind) {
    case SolidKind::sphere:
      return s.radius * l;
    case SolidKind::box:
      return s.half.x * std::fabs(d.x) + s.half.y * std::fabs(d.y) + s.half.z * std::fabs(d.z);
    case SolidKind::capsule:
      return s.half.z * std::fabs(d.z) + s.radius * l;
    case SolidKind::cylinder:
      return s.half.z * std::fabs(d.z) + s.radius * std::hypot(d.x, d.y);
    case SolidKind::hull: {
      double e = -1e300;
      for (const Vec3& v : s.hull->vertices) e = std::max(e, dot(v, d));
      return e;
    }
    case SolidKind::triangle:
      return std::max({dot(s.corners[0], d), dot(s.corners[1], d), dot(s.corners[2], d)});
    default:
      return NAN;
  }
}

struct Pair {
  Shape a, b;
  Pose X_WA, X_WB;
};

inline double separation(const Pair& p, Vec3 n) {
  return -extent(p.a, transpose_times(p.X_WA.R, -n)) - extent(p.b, transpose_times(p.X_WB.R, n)) +
         dot(n, p.X_WA.p - p.X_WB.p);
}

/// Directions spread evenly over the sphere (golden spiral).
inline const std::vector<Vec3>& spiral() {
  static const std::vector<Vec3> dirs = [] {
    std::vector<Vec3> d;
    const int n = 200;
    for (int i = 0; i < n; ++i) {
      const double z = 1 - (2 * i + 1.0) / n, r = std::sqrt(1 - z * z), a = i * 2.39996322972865332;
      d.push_back({r * std::cos(a), r * std::sin(a), z});
    }
    return d;
  }();
  return dirs;
}

/// Local maximum of s near n by a shrinking 5 × 5 grid in the tangent plane.
inline Vec3 climb(const Pair& p, Vec3 n, double width, int rounds) {
  double best = separation(p, n);
  for (int round = 0; round < rounds && width > 1e-9; ++round) {
    const Vec3 x = perpendicular(n), y = cross(n, x);
    Vec3 next = n;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j) {
        const Vec3 m = direction(n + x * (i * width) + y * (j * width), n);
        if (const double s = separation(p, m); s > best) best = s, next = m;
      }
    width *= dot(next - n, next - n) == 0 ? 0.35 : 1.3;
    n = next;
  }
  return n;
}

struct Answer {
  double gap;
  Vec3 n;
  double runner_up;  // best value found in a clearly different direction: the normal is unique if it is well below gap
};

/// Dense sweep, then climbs from the best few directions.
inline Answer sweep(const Pair& p) {
  const std::vector<Vec3>& dirs = spiral();
  std::vector<std::pair<double, int>> order;
  for (std::size_t i = 0; i < dirs.size(); ++i) order.push_back({-separation(p, dirs[i]), static_cast<int>(i)});
  std::partial_sort(order.begin(), order.begin() + 5, order.end());
  Answer out{-1e300, {0, 0, 1}, -1e300};
  std::vector<std::pair<double, Vec3>> tops;
  for (int k = 0; k < 5; ++k) {
    const Vec3 n = climb(p, dirs[order[k].second], 0.05, 90);
    tops.push_back({separation(p, n), n});
    if (tops.back().first > out.gap) out.gap = tops.back().first, out.n = n;
  }
  out.n = climb(p, out.n, 1e-3, 600);  // ridges are climbed slowly; only the winner is worth the patience
  out.gap = separation(p, out.n);
  for (const auto& [s, n] : tops)
    if (dot(n, out.n) < 1 - 1e-6) out.runner_up = std::max(out.runner_up, s);
  return out;
}

/// Directions that can hold the maximum of two overlapping polyhedra: all face normals and all crossed edges.
inline void polyhedron(const Shape& s, const Pose& X, std::vector<Vec3>& normals, std::vector<Vec3>& edges) {
  if (s.kind == SolidKind::box) {
    for (const Vec3& v : {X.R.x, X.R.y, X.R.z}) normals.push_back(v), normals.push_back(-v), edges.push_back(v);
  } else if (s.kind == SolidKind::capsule) {
    edges.push_back(X.R.z);
  } else if (s.kind == SolidKind::hull) {
    for (int f = 0; f < s.hull->face_count(); ++f) {
      normals.push_back(X.R * s.hull->face_normal[f]);
      const std::span<const int> c = s.hull->face(f);
      for (std::size_t i = 0; i < c.size(); ++i) {
        const int v = c[i], w = c[(i + 1) % c.size()];
        if (v < w) edges.push_back(direction(X.R * (s.hull->vertices[w] - s.hull->vertices[v]), {0, 0, 1}));
      }
    }
  }
}
inline bool is_polyhedral(const Shape& s) {
  return s.kind == SolidKind::box || s.kind == SolidKind::capsule || s.kind == SolidKind::hull;
}
/// Exact separating axes. Only for overlapping cores (separated corners need other directions); capsules count by their
/// segments.
inline Answer separating_axes(const Pair& p) {
  std::vector<Vec3> normals, ea, eb;
  polyhedron(p.a, p.X_WA, normals, ea);
  for (Vec3& n : normals) n = -n;  // out of a means from a to b
  polyhedron(p.b, p.X_WB, normals, eb);
  for (const Vec3& u : ea)
    for (const Vec3& v : eb) {
      const Vec3 c = cross(u, v);
      if (norm(c) < 1e-7) continue;
      const Vec3 n = c * (1 / norm(c));
      normals.push_back(n), normals.push_back(-n);
    }
  Answer out{-1e300, {0, 0, 1}, -1e300};
  std::vector<double> value;
  for (const Vec3& n : normals) {
    value.push_back(separation(p, n));
    if (value.back() > out.gap) out.gap = value.back(), out.n = n;
  }
  for (std::size_t i = 0; i < normals.size(); ++i)
    if (dot(normals[i], out.n) < 1 - 1e-9) out.runner_up = std::max(out.runner_up, value[i]);
  return out;
}

/// How far the point q (in W) is outside the convex shape; ≤ 0 inside. Exact but for hulls' corners, where planes
/// suffice.
inline double outside(const Shape& s, const Pose& X, Vec3 q_W) {
  const Vec3 q = transpose_times(X.R, q_W - X.p);
  switch (s.kind) {
    case SolidKind::sphere:
      return norm(q) - s.radius;
    case SolidKind::box:
      return std::max({std::fabs(q.x) - s.half.x, std::fabs(q.y) - s.half.y, std::fabs(q.z) - s.half.z});
    case SolidKind::capsule:
      return std::hypot(q.x, q.y, q.z - std::clamp(q.z, -s.half.z, s.half.z)) - s.radius;
    case SolidKind::cylinder:
      return std::max(std::hypot(q.x, q.y) - s.radius, std::fabs(q.z) - s.half.z);
    case SolidKind::hull: {
      double o = -1e300;
      for (int f = 0; f < s.hull->face_count(); ++f)
        o = std::max(o, dot(s.hull->face_normal[f], q) - s.hull->face_offset[f]);
      return o;
    }
    default:
      return NAN;
  }
}

}  // namespace gradus::witness
