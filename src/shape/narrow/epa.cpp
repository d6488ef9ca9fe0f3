#include <array>

#include "shape/narrow/gjk.h"

namespace gradus {
namespace {

// Where the origin lies close to the axis of a cylinder, a whole circle of directions is nearly as good: many points.
constexpr int kVertexMax = 1000, kFaceMax = 2 * kVertexMax, kEdgeMax = 3 * kVertexMax;

constexpr double kSamePoint = 1e-9;  // [m] what witness points may be off

struct Face {
  int v[3];         // counter-clockwise seen from outside
  Vec3 n;           // outward, unit
  double distance;  // of its plane from the origin, signed: positive if the origin is inside
};

/// The polyhedron inside A ⊖ B.
struct Polytope {
  int vertex_count = 0, face_count = 0, edge_count = 0;
  MinkowskiPoint vertex[kVertexMax];
  Face face[kFaceMax];
  std::array<int, 2> edge[kEdgeMax];  // rim of the hole that the last point opened

  bool add_face(int a, int b, int c) {
    const Vec3 p = vertex[a].w, u = vertex[b].w - p, v = vertex[c].w - p, n = cross(u, v);
    const double area = norm(n);
    if (face_count == kFaceMax || area <= 1e-14 * norm(u) * norm(v)) return false;
    const Vec3 unit = n * (1 / area);
    face[face_count++] = {{a, b, c}, unit, dot(unit, p)};
    return true;
  }
  /// An edge seen twice is inside the hole; seen once, it is on the rim.
  bool toggle_edge(int a, int b) {
    for (int i = 0; i < edge_count; ++i)
      if (edge[i][0] == b && edge[i][1] == a) {
        edge[i] = edge[--edge_count];
        return true;
      }
    if (edge_count == kEdgeMax) return false;
    edge[edge_count++] = {a, b};
    return true;
  }
  int nearest() const {
    int best = 0;
    for (int i = 1; i < face_count; ++i)
      if (face[i].distance < face[best].distance) best = i;
    return best;
  }
  /// Replaces all faces that see the new point, or hold it in their plane (thickness < 0), by a fan around it: were the
  /// latter kept, a point in line with an edge would make a face without area. False if full or if there is such a face
  /// all the same.
  bool grow(const MinkowskiPoint& p, double thickness) {
    if (vertex_count == kVertexMax) return false;
    edge_count = 0;
    for (int i = 0; i < face_count;) {
      const Face f = face[i];
      if (dot(f.n, p.w) - f.distance <= thickness) {
        ++i;
        continue;
      }
      for (int k = 0; k < 3; ++k)
        if (!toggle_edge(f.v[k], f.v[(k + 1) % 3])) return false;
      face[i] = face[--face_count];
    }
    vertex[vertex_count++] = p;
    for (int i = 0; i < edge_count; ++i)
      if (!add_face(edge[i][0], edge[i][1], vertex_count - 1)) return false;
    return edge_count > 0;
  }
};

MinkowskiPoint probe(const CorePair& pair, Vec3 d) {
  const Vec3 a = support(pair.a, d).p, b = pair.X_AB * support(pair.b, transpose_times(pair.X_AB.R, -d)).p;
  return {a - b, a, b};
}

/// Distance of w from the affine hull of the simplex: what adding it would gain.
double gain(const Simplex& s, Vec3 w) {
  const Vec3 d = w - s.v[0].w;
  if (s.count == 1) return norm(d);
  const Vec3 u = s.v[1].w - s.v[0].w;
  if (s.count == 2) return norm(cross(d, u)) / norm(u);
  return std::abs(dot(d, direction(cross(u, s.v[2].w - s.v[0].w), {0, 0, 1})));
}

/// Adds the support point that gains most, along axes square to what is there.
void widen(const CorePair& pair, Simplex& s) {
  Vec3 tries[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  int n = 3;
  if (s.count == 2) {
    const Vec3 u = direction(s.v[1].w - s.v[0].w, {0, 0, 1}), x = perpendicular(u), y = cross(u, x);
    tries[0] = x, tries[1] = y, tries[2] = x + y, n = 3;
  } else if (s.count == 3) {
    tries[0] = direction(cross(s.v[1].w - s.v[0].w, s.v[2].w - s.v[0].w), {0, 0, 1}), n = 1;
  }
  MinkowskiPoint best{};
  double most = -1;
  for (int i = 0; i < n; ++i)
    for (double sign : {1.0, -1.0}) {
      const MinkowskiPoint p = probe(pair, tries[i] * sign);
      if (const double g = gain(s, p.w); g > most) most = g, best = p;
    }
  s.v[s.count++] = best;
}

/// A flat tetrahedron from GJK: keep the three corners whose triangle comes nearest to the origin.
void drop_flat(Simplex& s) {
  const Vec3 a = s.v[0].w, n = cross(s.v[1].w - a, s.v[2].w - a), d = s.v[3].w - a;
  if (std::abs(dot(n, d)) > 1e-12 * norm(n) * norm(d)) return;
  int best = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (int skip = 0; skip < 4; ++skip) {
    Vec3 c{0, 0, 0};
    for (int i = 0; i < 4; ++i)
      if (i != skip) c += s.v[i].w;
    if (norm(c) < nearest) nearest = norm(c), best = skip;
  }
  s.v[best] = s.v[3];
  s.count = 3;
}

bool start_polytope(const CorePair& pair, Simplex s, Polytope& p) {
  if (s.count == 4) drop_flat(s);
  while (s.count < 4) widen(pair, s);
  for (int i = 0; i < 4; ++i) p.vertex[i] = s.v[i];
  p.vertex_count = 4;
  const Vec3 a = s.v[0].w;
  const bool left = dot(cross(s.v[1].w - a, s.v[2].w - a), s.v[3].w - a) > 0;
  static constexpr int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  for (const int* f : face)
    if (!(left ? p.add_face(f[0], f[2], f[1]) : p.add_face(f[0], f[1], f[2]))) return false;
  return true;
}

/// Weights of the point of a face nearest to the point o of its plane; returns how far o is from the face.
double foot_weights(const Polytope& p, const Face& f, Vec3 o, double* weight) {
  const Vec3 a = p.vertex[f.v[0]].w, b = p.vertex[f.v[1]].w, c = p.vertex[f.v[2]].w;
  const double whole = dot(f.n, cross(b - a, c - a));
  weight[0] = clamped(dot(f.n, cross(b - o, c - o)) / whole, 0.0, 1.0);
  weight[1] = clamped(dot(f.n, cross(c - o, a - o)) / whole, 0.0, 1.0 - weight[0]);
  weight[2] = 1 - weight[0] - weight[1];
  return norm(a * weight[0] + b * weight[1] + c * weight[2] - o);
}

/// Where on A and on B the nearest point of the boundary comes from. A flat facet of A ⊖ B is several faces, and only
/// one of them holds the foot of the origin. Among faces whose normals differ by at most sqrt(2 lean); returns how far
/// the best of them is from the foot.
double witness(const Polytope& p, const Face& nearest, double scale, double lean, Deepest& out) {
  const Vec3 o = nearest.n * nearest.distance;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < p.face_count; ++i) {
    const Face& f = p.face[i];
    if (std::abs(f.distance - nearest.distance) > 1e-9 * scale || dot(f.n, nearest.n) < 1 - lean) continue;
    double w[3];
    const double miss = foot_weights(p, f, o, w);
    if (miss >= least) continue;
    least = miss;
    out.p_a = out.p_b = {0, 0, 0};
    for (int k = 0; k < 3; ++k) out.p_a += p.vertex[f.v[k]].p_a * w[k], out.p_b += p.vertex[f.v[k]].p_b * w[k];
  }
  return least;
}

/// Where the polytope cannot start (no volume to rounding), the best of a few directions still bounds the depth.
void fallback(const CorePair& pair, Deepest& out) {
  out.gap = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 6; ++k) {
    Vec3 m{0, 0, 0};
    component(m, k % 3) = k < 3 ? 1 : -1;
    const MinkowskiPoint p = probe(pair, m);
    if (-dot(m, p.w) > out.gap) out = {-m, -dot(m, p.w), p.p_a, p.p_b};
  }
}

/// Deepest points along a normal that is known. Those of a polytope that did not converge lie on its chords, inside
/// curved surfaces, or beside the foot of the origin. Moved apart along the normal by the depth and a little more, the
/// shapes have the same points as their nearest ones: all are in the two supporting planes.
void place_points(const CorePair& pair, Deepest& out) {
  constexpr double kApart = 1e-3;  // [m]
  const Vec3 shift = out.n * (out.gap - kApart);
  Deepest d;
  Simplex simplex;
  if (core_distance({pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p + shift}}, 1, d, simplex) != GjkAnswer::apart) return;
  out.p_a = d.p_a, out.p_b = d.p_b - shift;
}

/// Pattern search for the direction of least extent around the best one found. Only for the rare pair whose polytope
/// degenerates (support points in line) before it has converged.
void polish(const CorePair& pair, Deepest& out) {
  Vec3 m = -out.n;
  double least = -out.gap, width = 1e-2;
  for (int round = 0; round < 200 && width > 1e-10; ++round) {
    const Vec3 x = perpendicular(m), y = cross(m, x);
    Vec3 best = m;
    for (int k = 0; k < 8; ++k) {
      constexpr double c = 0.70710678118654752440;
      constexpr double dx[8] = {1, c, 0, -c, -1, -c, 0, c}, dy[8] = {0, c, 1, c, 0, -c, -1, -c};
      const Vec3 d = direction(m + x * (width * dx[k]) + y * (width * dy[k]), m);
      if (const double e = dot(d, probe(pair, d).w); e < least) least = e, best = d;
    }
    width *= dot(best - m, best - m) == 0 ? 0.5 : 1.5;
    m = best;
  }
  if (least < -out.gap) out.n = -m, out.gap = -least;
}

/// Grows the polytope until its nearest face lies on the boundary; false if it is full or degenerates before, which a
/// greater thickness may help: support points in line to rounding then open one hole instead of a face without area.
/// least: extent of A ⊖ B along the best normal so far, which bounds the depth.
bool expand(const CorePair& pair, Polytope& poly, double thickness, double& least, Deepest& out) {
  double scale = 0;
  for (int i = 0; i < 4; ++i) scale = std::max(scale, norm(poly.vertex[i].w));
  for (int round = 0; round < kVertexMax; ++round) {
    const Face f = poly.face[poly.nearest()];
    const MinkowskiPoint p = probe(pair, f.n);
    const double extent = dot(f.n, p.w);
    if (extent < least) {
      least = extent;
      out.n = -f.n, out.gap = -extent;
      // thin faces of a flat facet may lean; leaning ones are asked only if no straight one holds the foot
      if (witness(poly, f, scale, 1e-13, out) > 1e-8 * scale) witness(poly, f, scale, 1e-9, out);
    }
    if (least - f.distance <= std::max(1e-12, thickness) * scale) return true;
    if (!poly.grow(p, -thickness * scale)) return false;
  }
  return false;
}

}  // namespace

void core_depth(const CorePair& pair, const Simplex& start, Deepest& out) {
  double least = std::numeric_limits<double>::infinity();
  bool converged = false;
  for (const double thickness : {1e-13, 1e-12, 1e-11}) {
    Polytope poly;
    if (!start_polytope(pair, start, poly)) return fallback(pair, out);
    converged = expand(pair, poly, thickness, least, out);
    if (converged || poly.vertex_count == kVertexMax) break;
  }
  if (!converged) polish(pair, out);
  // the foot of the origin may lie beside all faces that were asked: then the points are not across from each other
  if (norm(out.p_a - out.p_b - out.n * out.gap) > kSamePoint) place_points(pair, out);
}

}  // namespace gradus
