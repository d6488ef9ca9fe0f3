#include "shape/narrow/gjk.h"

namespace gradus {
namespace {

constexpr int kGjkRounds = 100;

/// Point of A ⊖ B farthest along d. Hints keep hull climbs short.
struct Prober {
  const CorePair& pair;
  int hint_a = 0, hint_b = 0;
  MinkowskiPoint operator()(Vec3 d) {
    const SupportPoint a = support(pair.a, d, hint_a), b = support(pair.b, transpose_times(pair.X_AB.R, -d), hint_b);
    hint_a = a.id, hint_b = b.id;
    const Vec3 p_b = pair.X_AB * b.p;
    return {a.p - p_b, a.p, p_b};
  }
};

/// Keeps the vertices of the simplex whose weights are above zero.
void keep(Simplex& s, const double* weight, double* kept) {
  int n = 0;
  for (int i = 0; i < s.count; ++i)
    if (weight[i] > 0) kept[n] = weight[i], s.v[n++] = s.v[i];
  s.count = n;
}

/// Point of segment a, b nearest to the origin, and its weights.
Vec3 nearest_of_segment(Vec3 a, Vec3 b, double* weight) {
  const Vec3 d = b - a;
  const double l2 = dot(d, d), t = l2 > 0 ? clamped(-dot(a, d) / l2, 0.0, 1.0) : 0;
  weight[0] = 1 - t, weight[1] = t;
  return t < 1 ? a + d * t : b;
}

/// Point of triangle a, b, c nearest to the origin, and its weights. On curved shapes the triangle ends up as a sliver
/// far from the origin; there products of distances from the origin (the usual Voronoi tests) lose the direction of v,
/// but the cross product of the edges keeps it.
Vec3 nearest_of_triangle(Vec3 a, Vec3 b, Vec3 c, double* weight) {
  const Vec3 n = cross(b - a, c - a);
  const double n2 = dot(n, n);
  if (n2 > 0) {
    const Vec3 v = n * (dot(n, a) / n2);
    const double wa = dot(n, cross(b - v, c - v)) / n2, wb = dot(n, cross(c - v, a - v)) / n2, wc = 1 - wa - wb;
    if (wa > 0 && wb > 0 && wc > 0) return weight[0] = wa, weight[1] = wb, weight[2] = wc, v;
  }
  static constexpr int edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
  const Vec3 corner[3] = {a, b, c};
  Vec3 best{0, 0, 0};
  double least = std::numeric_limits<double>::infinity();
  for (const int* e : edge) {
    double w[2];
    const Vec3 v = nearest_of_segment(corner[e[0]], corner[e[1]], w);
    if (dot(v, v) >= least) continue;
    least = dot(v, v), best = v;
    weight[0] = weight[1] = weight[2] = 0;
    weight[e[0]] = w[0], weight[e[1]] = w[1];
  }
  return best;
}

/// Nearest point of a tetrahedron: of those faces that have the origin on their outer side. False if it is inside.
bool nearest_of_tetrahedron(const Simplex& s, double* weight, Vec3& nearest) {
  static constexpr int face[4][4] = {
      {0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};  // three corners, then the fourth
  double best = std::numeric_limits<double>::infinity(), best_weight[4] = {0, 0, 0, 0};
  bool outside = false;
  for (const int* f : face) {
    const Vec3 a = s.v[f[0]].w, b = s.v[f[1]].w, c = s.v[f[2]].w, n = cross(b - a, c - a);
    const double other = dot(n, s.v[f[3]].w - a), origin = -dot(n, a);
    // a tetrahedron this thin cannot tell inside from outside; its faces tell the distance, and that to the thickness
    const bool flat = std::abs(other) < 1e-10 * norm(n) * (norm(a) + norm(s.v[f[3]].w));
    if (!flat && origin * other >= 0) continue;
    outside = true;
    double w[3];
    const Vec3 v = nearest_of_triangle(a, b, c, w);
    if (dot(v, v) >= best) continue;
    best = dot(v, v), nearest = v;
    for (double& x : best_weight) x = 0;
    for (int k = 0; k < 3; ++k) best_weight[f[k]] = w[k];
  }
  std::copy(best_weight, best_weight + 4, weight);
  return outside;
}

/// Replaces the simplex by its part nearest to the origin; false if the origin is inside.
bool reduce(Simplex& s, Vec3& v, double* weight) {
  double w[4] = {1, 0, 0, 0};
  v = s.v[0].w;
  if (s.count == 2) v = nearest_of_segment(s.v[0].w, s.v[1].w, w);
  if (s.count == 3) v = nearest_of_triangle(s.v[0].w, s.v[1].w, s.v[2].w, w);
  if (s.count == 4 && !nearest_of_tetrahedron(s, w, v)) return false;
  keep(s, w, weight);
  return true;
}

bool contains_point(const Simplex& s, Vec3 w) {
  for (int i = 0; i < s.count; ++i)
    if (s.v[i].w.x == w.x && s.v[i].w.y == w.y && s.v[i].w.z == w.z) return true;
  return false;
}

void finish(const Simplex& s, const double* weight, Vec3 v, Deepest& out) {
  out.gap = norm(v);
  out.n = v * (1 / out.gap);
  out.p_a = out.p_b = {0, 0, 0};
  for (int i = 0; i < s.count; ++i) out.p_a += s.v[i].p_a * weight[i], out.p_b += s.v[i].p_b * weight[i];
}

}  // namespace

GjkAnswer core_distance(const CorePair& pair, double limit, Deepest& out, Simplex& simplex) {
  Prober probe{pair};
  const Vec3 toward = -pair.X_AB.p;
  double weight[4] = {1, 0, 0, 0};
  simplex.count = 1;
  simplex.v[0] = probe(dot(toward, toward) > 0 ? -toward : Vec3{1, 0, 0});
  Vec3 v = simplex.v[0].w;
  double scale = norm(v);
  for (int round = 0; round < kGjkRounds; ++round) {
    const double v2 = dot(v, v);
    if (v2 <= 1e-20 * scale * scale) return GjkAnswer::overlap;  // touching to rounding
    const MinkowskiPoint p = probe(-v);
    scale = std::max(scale, norm(p.w));
    const double reached = dot(v, p.w);  // reached / |v| bounds the distance from below
    if (reached > 0 && reached * reached > limit * limit * v2) return GjkAnswer::beyond;
    if (v2 - reached <= 1e-13 * v2 + 1e-15 * scale * square_root(v2) || contains_point(simplex, p.w)) break;
    const Simplex before = simplex;
    simplex.v[simplex.count++] = p;
    Vec3 next;
    double next_weight[4];
    if (!reduce(simplex, next, next_weight)) return GjkAnswer::overlap;
    if (dot(next, next) >= v2) {  // rounding stops the descent
      simplex = before;
      break;
    }
    v = next;
    std::copy(next_weight, next_weight + 4, weight);
  }
  finish(simplex, weight, v, out);
  return out.gap > limit ? GjkAnswer::beyond : GjkAnswer::apart;
}

void add_radii(double radius_a, double radius_b, Deepest& d) {
  d.p_a -= d.n * radius_a;
  d.p_b += d.n * radius_b;
  d.gap -= radius_a + radius_b;
}

bool convex_deepest(const CorePair& pair, double margin, Deepest& out) {
  const double ra = core_radius(pair.a), rb = core_radius(pair.b);
  Simplex simplex;
  switch (core_distance(pair, margin + ra + rb, out, simplex)) {
    case GjkAnswer::beyond:
      return false;
    case GjkAnswer::apart:
      break;
    case GjkAnswer::overlap:
      core_depth(pair, simplex, out);
      break;
  }
  add_radii(ra, rb, out);
  return true;
}

}  // namespace gradus
