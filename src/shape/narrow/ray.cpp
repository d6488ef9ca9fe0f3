#include "shape/narrow/ray.h"

#include "shape/height_field.h"
#include "shape/hull.h"
#include "shape/mesh.h"

namespace gradus {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Part of a ray inside a convex solid: [in, out], with the normal where it enters. in = −∞ means it has always been
/// inside.
struct Span {
  double in = -kInf, out = kInf;
  Vec3 n{0, 0, 0};
  bool empty() const { return in > out; }
};

/// Keeps the part behind the plane n · x ≤ offset.
void cut(Span& s, Vec3 p, Vec3 d, Vec3 n, double offset) {
  const double speed = dot(n, d), height = dot(n, p) - offset;
  if (speed == 0) {
    if (height > 0) s.in = kInf;
  } else if (speed < 0) {
    if (const double t = -height / speed; t > s.in) s.in = t, s.n = n;
  } else {
    s.out = std::min(s.out, -height / speed);
  }
}

/// Part of a ray inside |x − c|² ≤ r², where x and d may have been stripped of a component (mantles).
Span ball(Vec3 x, Vec3 d, double r) {
  const double a = dot(d, d), b = dot(x, d), c = dot(x, x) - r * r;
  Span s;
  if (a == 0) return s.in = c > 0 ? kInf : -kInf, s;
  const double root2 = b * b - a * c;
  if (root2 < 0) return s.in = kInf, s;
  const double root = square_root(root2), q = -(b + (b >= 0 ? root : -root));  // no cancellation
  const double t1 = q / a, t2 = q != 0 ? c / q : 0;
  s.in = std::min(t1, t2), s.out = std::max(t1, t2);
  s.n = direction(x + d * s.in, {0, 0, 1});
  return s;
}

Vec3 flat(Vec3 v) { return {v.x, v.y, 0}; }

Span cylinder_span(double radius, double half_length, Vec3 p, Vec3 d) {
  Span s = ball(flat(p), flat(d), radius);
  cut(s, p, d, {0, 0, 1}, half_length);
  cut(s, p, d, {0, 0, -1}, half_length);
  return s;
}

/// Union of the mantle and two balls; it is convex, so the earliest entry and the latest exit belong together.
Span capsule_span(const Shape& shape, Vec3 p, Vec3 d) {
  Span s = cylinder_span(shape.radius, shape.half.z, p, d);
  for (double end : {-shape.half.z, shape.half.z}) {
    const Span b = ball(p - Vec3{0, 0, end}, d, shape.radius);
    if (b.empty()) continue;
    if (s.empty()) s = b;
    if (b.in < s.in) s.in = b.in, s.n = b.n;
    s.out = std::max(s.out, b.out);
  }
  return s;
}

Span convex_span(const Shape& s, Vec3 p, Vec3 d) {
  Span span;
  switch (s.kind) {
    case SolidKind::plane:
      cut(span, p, d, {0, 0, 1}, 0);
      break;
    case SolidKind::sphere:
      return ball(p, d, s.radius);
    case SolidKind::box:
      for (int k = 0; k < 6; ++k) {
        Vec3 n{0, 0, 0};
        component(n, k % 3) = k < 3 ? 1 : -1;
        cut(span, p, d, n, component(s.half, k % 3));
      }
      break;
    case SolidKind::capsule:
      return capsule_span(s, p, d);
    case SolidKind::cylinder:
      return cylinder_span(s.radius, s.half.z, p, d);
    case SolidKind::hull:
      for (int f = 0; f < s.hull->face_count() && !span.empty(); ++f)
        cut(span, p, d, s.hull->face_normal[f], s.hull->face_offset[f]);
      break;
    default:
      span.in = kInf;
  }
  return span;
}

}  // namespace

bool cast_ray(const Shape& s, const Pose& X_WS, Vec3 p_W, Vec3 d_W, double t_max, RayHit& hit) {
  const Vec3 p = transpose_times(X_WS.R, p_W - X_WS.p), d = transpose_times(X_WS.R, d_W);
  hit.triangle = -1;
  const Vec3 against = direction(-d_W, {0, 0, 1});
  if (s.kind == SolidKind::mesh || s.kind == SolidKind::height_field) {
    const bool mesh = s.kind == SolidKind::mesh;
    if (mesh ? s.mesh->contains(p) : s.field->contains(p)) return hit.t = 0, hit.normal = against, true;
    if (!(mesh ? s.mesh->cast(p, d, t_max, hit.t, hit.triangle) : s.field->cast(p, d, t_max, hit.t, hit.triangle)))
      return false;
    const Vec3 n = X_WS.R * (mesh ? s.mesh->normal(hit.triangle) : s.field->normal(hit.triangle));
    hit.normal = dot(n, d_W) <= 0 ? n : -n;
    return true;
  }
  const Span span = convex_span(s, p, d);
  if (span.empty() || span.out < 0 || span.in > t_max) return false;
  hit.t = std::max(0.0, span.in);
  hit.normal = span.in < 0 ? against : X_WS.R * span.n;
  return true;
}

}  // namespace gradus
