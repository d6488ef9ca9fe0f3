#include "shape/narrow/primitive.h"

#include "shape/hull.h"

namespace gradus {

SignedPoint nearest_on_box(Vec3 half, Vec3 q) {
  const Vec3 p{clamped(q.x, -half.x, half.x), clamped(q.y, -half.y, half.y), clamped(q.z, -half.z, half.z)};
  const Vec3 d = q - p;
  if (const double l = norm(d); l > 0) return {p, d * (1 / l), l};
  int k = 0;  // inside: out through the nearest face; ties to rounding go to x, then y
  for (int i = 1; i < 3; ++i)
    if (component(half, i) - std::abs(component(q, i)) < component(half, k) - std::abs(component(q, k)) - 1e-12) k = i;
  SignedPoint s{q, {0, 0, 0}, std::abs(component(q, k)) - component(half, k)};
  component(s.n, k) = component(q, k) >= 0 ? 1 : -1;
  component(s.p, k) = component(s.n, k) * component(half, k);
  return s;
}

SignedPoint nearest_on_cylinder(double radius, double half_length, Vec3 q) {
  const double rho = square_root(q.x * q.x + q.y * q.y), z = std::abs(q.z);
  const Vec3 out = rho > 0 ? Vec3{q.x / rho, q.y / rho, 0} : Vec3{1, 0, 0}, up{0, 0, q.z >= 0 ? 1.0 : -1.0};
  const double across = rho - radius, above = z - half_length;
  if (across > 0 && above > 0) {
    const double d = square_root(across * across + above * above);
    return {out * radius + up * half_length, (out * across + up * above) * (1 / d), d};
  }
  if (across > above) return {out * radius + Vec3{0, 0, q.z}, out, across};
  return {Vec3{q.x, q.y, 0} + up * half_length, up, above};
}

void nearest_on_segments(Vec3 p, Vec3 u, Vec3 q, Vec3 v, Vec3& on_p, Vec3& on_q) {
  // minimise |p + s u − q − t v| over |s|, |t| ≤ 1 [Ericson 2005, sec. 5.1.9]
  const Vec3 r = p - q;
  const double a = dot(u, u), e = dot(v, v), b = dot(u, v), c = dot(u, r), f = dot(v, r);
  double s = 0, t = 0;
  if (a > 0 && e > 0) {
    const double det = a * e - b * b;
    s = det > 1e-14 * a * e ? clamped((b * f - c * e) / det, -1.0, 1.0) : 0;
    t = clamped((b * s + f) / e, -1.0, 1.0);
    s = clamped((b * t - c) / a, -1.0, 1.0);
    t = clamped((b * s + f) / e, -1.0, 1.0);
  } else if (a > 0) {
    s = clamped(-c / a, -1.0, 1.0);
  } else if (e > 0) {
    t = clamped(f / e, -1.0, 1.0);
  }
  on_p = p + u * s;
  on_q = q + v * t;
}

namespace {

/// a is a sphere: everything follows from where its centre lies against b.
void from_signed_point(const CorePair& pair, const SignedPoint& s, Deepest& out) {
  out.n = pair.X_AB.R * s.n;
  out.gap = s.distance - pair.a.radius;
  out.p_a = -out.n * pair.a.radius;
  out.p_b = pair.X_AB * s.p;
}

bool sphere_hull(const CorePair& pair, double margin, Deepest& out) {
  const Hull& h = *pair.b.hull;
  const Vec3 c = transpose_times(pair.X_AB.R, -pair.X_AB.p);  // centre in B
  int best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < h.face_count(); ++f)
    if (const double d = dot(h.face_normal[f], c) - h.face_offset[f]; d > most + 1e-12) most = d, best = f;
  if (most > margin + pair.a.radius) return false;  // the distance is at least that of any face's plane
  if (most > 0) return convex_deepest(pair, margin, out);
  from_signed_point(pair, {c - h.face_normal[best] * most, h.face_normal[best], most}, out);
  return true;
}

bool capsule_capsule(const CorePair& pair, Deepest& out) {
  Vec3 on_a, on_b;
  const Vec3 u{0, 0, pair.a.half.z}, v = pair.X_AB.R.z * pair.b.half.z;
  nearest_on_segments({0, 0, 0}, u, pair.X_AB.p, v, on_a, on_b);
  Vec3 d = on_a - on_b;
  // Axes that nearly meet leave only the rounding of d; inside a segment the true d is square to it, and if it is so
  // inside both, their cross product tells its direction exactly.
  const Vec3 across = cross(u, v), from_b = on_b - pair.X_AB.p;
  const bool in_a = std::abs(on_a.z) < pair.a.half.z * (1 - 1e-9);
  const bool in_b = dot(from_b, from_b) < dot(v, v) * (1 - 2e-9);
  if (in_a && in_b && dot(across, across) > 1e-14 * dot(u, u) * dot(v, v)) {
    d = across * (dot(d, across) / dot(across, across));
  } else if (dot(d, d) < 1e-6) {
    if (in_a) d = d - u * (dot(d, u) / dot(u, u));
    if (in_b) d = d - v * (dot(d, v) / dot(v, v));
  }
  const double length = norm(d);
  out.n = length > 1e-14 ? d * (1 / length) : direction(across, perpendicular({0, 0, 1}));
  out.p_a = on_a, out.p_b = on_b, out.gap = length;
  add_radii(pair.a.radius, pair.b.radius, out);
  return true;
}

struct Axis {
  Vec3 l;              // unit, in A
  double separation;   // of the projections; negative: overlap
  int i = -1, j = -1;  // edges of a and b it is square to; −1 for faces
};

/// Largest separation over the 15 axes of two boxes [Gottschalk, Lin, Manocha 1996]. A crossed axis must beat the faces
/// clearly: nearly parallel edges give nearly the face's normal, and the face gives the better manifold. Ends at the
/// first axis with more than `enough`.
Axis widest_axis(Vec3 ha, Vec3 hb, const Pose& X_AB, double enough) {
  const Vec3 t = X_AB.p, eb[3] = {X_AB.R.x, X_AB.R.y, X_AB.R.z};
  const double a[3] = {ha.x, ha.y, ha.z}, b[3] = {hb.x, hb.y, hb.z}, d[3] = {t.x, t.y, t.z};
  double R[3][3], Q[3][3];  // R[i][j]: a's axis i along b's axis j; Q: its magnitude
  for (int j = 0; j < 3; ++j) R[0][j] = eb[j].x, R[1][j] = eb[j].y, R[2][j] = eb[j].z;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Q[i][j] = std::abs(R[i][j]);
  Axis best{{1, 0, 0}, -std::numeric_limits<double>::infinity(), -1, -1};
  for (int i = 0; i < 3; ++i) {
    const double s = std::abs(d[i]) - (a[i] + Q[i][0] * b[0] + Q[i][1] * b[1] + Q[i][2] * b[2]);
    if (!(s > best.separation + 1e-10)) continue;
    best = {{i == 0 ? 1.0 : 0, i == 1 ? 1.0 : 0, i == 2 ? 1.0 : 0}, s, -1, -1};
    if (s > enough) return best;
  }
  for (int j = 0; j < 3; ++j) {
    const double s = std::abs(dot(t, eb[j])) - (Q[0][j] * a[0] + Q[1][j] * a[1] + Q[2][j] * a[2] + b[j]);
    if (!(s > best.separation + 1e-10)) continue;
    best = {eb[j], s, -1, -1};
    if (s > enough) return best;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      // c = a's axis i × b's axis j: 0, −R[i2][j], R[i1][j] along a's axes i, i1, i2
      const double square = R[i1][j] * R[i1][j] + R[i2][j] * R[i2][j];
      if (square < 1e-12) continue;
      const double s = std::abs(d[i2] * R[i1][j] - d[i1] * R[i2][j]) -
                       (a[i1] * Q[i2][j] + a[i2] * Q[i1][j] + b[j1] * Q[i][j2] + b[j2] * Q[i][j1]);
      if (s <= 0 && best.separation >= 0) continue;  // cannot be the widest
      const double length = square_root(square);
      if (!(s > (best.separation + 1e-9) * length)) continue;
      double l[3] = {0, 0, 0};
      l[i1] = -R[i2][j] / length, l[i2] = R[i1][j] / length;
      best = {{l[0], l[1], l[2]}, s / length, i, j};
      if (best.separation > enough) return best;
    }
  if (dot(t, best.l) > 0) best.l = -best.l;  // from b to a
  return best;
}

/// Boxes, or a box and a segment (half extents 0, 0, z): further axes of a degenerate box are harmless, since the
/// overlap along any axis bounds the depth from above.
bool boxes(const CorePair& pair, Vec3 ha, Vec3 hb, double margin, Deepest& out) {
  const double ra = core_radius(pair.a), rb = core_radius(pair.b);
  const Axis axis = widest_axis(ha, hb, pair.X_AB, margin + ra + rb);
  if (axis.separation > margin + ra + rb) return false;
  if (axis.separation > 0) return convex_deepest(pair, margin, out);
  out.n = axis.l, out.gap = axis.separation;
  out.p_a = support(pair.a, -out.n).p;
  out.p_b = pair.X_AB * support(pair.b, transpose_times(pair.X_AB.R, out.n)).p;
  if (axis.i >= 0) {  // the two edges cross: nearest points of their lines
    Vec3 u{0, 0, 0}, v{0, 0, 0};
    component(u, axis.i) = component(ha, axis.i);
    component(v, axis.j) = component(hb, axis.j);
    Vec3 mid_a = out.p_a, mid_b = transpose_times(pair.X_AB.R, out.p_b - pair.X_AB.p);
    component(mid_a, axis.i) = 0;
    component(mid_b, axis.j) = 0;
    nearest_on_segments(mid_a, u, pair.X_AB * mid_b, pair.X_AB.R * v, out.p_a, out.p_b);
  } else {  // a corner or edge over a face: its foot on the face
    const bool face_of_a =
        std::abs(axis.l.x) + std::abs(axis.l.y) + std::abs(axis.l.z) < 1 + 1e-9 && dot(magnitude(axis.l), ha) > 0;
    if (face_of_a)
      out.p_a = out.p_b + out.n * out.gap;
    else
      out.p_b = out.p_a - out.n * out.gap;
  }
  add_radii(ra, rb, out);
  return true;
}

}  // namespace

bool deepest_of_pair(const CorePair& pair, double margin, Deepest& out) {
  const SolidKind ka = pair.a.kind, kb = pair.b.kind;
  if (ka == SolidKind::sphere) {
    const Vec3 c = transpose_times(pair.X_AB.R, -pair.X_AB.p);  // centre in B
    if (kb == SolidKind::box)
      from_signed_point(pair, nearest_on_box(pair.b.half, c), out);
    else if (kb == SolidKind::cylinder)
      from_signed_point(pair, nearest_on_cylinder(pair.b.radius, pair.b.half.z, c), out);
    else if (kb == SolidKind::sphere || kb == SolidKind::capsule)
      capsule_capsule(pair, out);
    else if (kb == SolidKind::hull)
      return sphere_hull(pair, margin, out);
    else
      return convex_deepest(pair, margin, out);
    return out.gap <= margin;
  }
  if (ka == SolidKind::box && kb == SolidKind::box)
    return boxes(pair, pair.a.half, pair.b.half, margin, out) && out.gap <= margin;
  if (ka == SolidKind::box && kb == SolidKind::capsule)
    return boxes(pair, pair.a.half, {0, 0, pair.b.half.z}, margin, out) && out.gap <= margin;
  if (ka == SolidKind::capsule && kb == SolidKind::capsule) return capsule_capsule(pair, out) && out.gap <= margin;
  return convex_deepest(pair, margin, out) && out.gap <= margin;
}

}  // namespace gradus
