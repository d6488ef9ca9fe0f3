#include "shape/narrow/surface.h"

#include "shape/narrow/primitive.h"
#include "shape/narrow/terrain_capsule.h"
#include "shape/narrow/terrain_cylinder.h"
#include "shape/narrow/terrain_polyhedron.h"
#include "shape/height_field.h"
#include "shape/hull.h"
#include "shape/mesh.h"

namespace gradus {
namespace {

constexpr Vec3 kUp{0, 0, 1};

/// A point of b that lies `gap` above the plane z = 0 of a: n points from b to a.
void add_over_plane(Vec3 p, double margin, int id, Candidates& out) {
  if (p.z <= margin) out.add({{p.x, p.y, 0.5 * p.z}, -kUp, p.z, static_cast<std::uint32_t>(id)});
}

/// Two rims have a lowest point each; the nearer rim adds its highest and its two sides, so that a standing can rests
/// on four.
void plane_cylinder(const Shape& b, const Pose& X_AB, double margin, Candidates& out) {
  const Vec3 axis = X_AB.R.z, down = -kUp;
  const Vec3 lean = down - axis * dot(down, axis);
  const Vec3 x = norm(lean) > 1e-9 ? direction(lean, kUp) : X_AB.R.x, y = cross(axis, x);
  const double end = axis.z > 0 ? -1 : 1;  // which end is lower
  const Vec3 low = X_AB.p + axis * (end * b.half.z), high = X_AB.p - axis * (end * b.half.z);
  add_over_plane(low + x * b.radius, margin, 0, out);
  add_over_plane(high + x * b.radius, margin, 1, out);
  add_over_plane(low + y * b.radius, margin, 2, out);
  add_over_plane(low - y * b.radius, margin, 3, out);
  add_over_plane(low - x * b.radius, margin, 4, out);
}

void plane_mesh(const TriangleMesh& m, const Pose& X_AB, double margin, Candidates& out) {
  int stack[TriangleMesh::kDepthMax], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const TriangleMesh::Node& n = m.nodes()[stack[--top]];
    if (moved(X_AB, n.box).lo.z > margin) continue;
    if (n.count == 0) {
      stack[top++] = n.first + 1, stack[top++] = n.first;
      continue;
    }
    for (int k = 0; k < n.count; ++k) {
      const int t = m.triangle_at(n.first + k);
      const std::array<Vec3, 3> c = m.corners(t);
      for (int v = 0; v < 3; ++v) add_over_plane(X_AB * c[v], margin, 3 * t + v, out);
    }
  }
}

/// What meshes and height fields have in common, so that one routine serves both.
struct Surface {
  const Shape& s;
  bool is_mesh() const { return s.kind == SolidKind::mesh; }
  std::array<Vec3, 3> corners(int t) const { return is_mesh() ? s.mesh->corners(t) : s.field->corners(t); }
  Vec3 normal(int t) const { return is_mesh() ? s.mesh->normal(t) : s.field->normal(t); }
  bool closest(Vec3 p, double reach, SurfacePoint& out) const {
    return is_mesh() ? s.mesh->closest(p, reach, out) : s.field->closest(p, reach, out);
  }
  bool contains(Vec3 p) const { return is_mesh() ? s.mesh->contains(p) : s.field->contains(p); }
  /// A distance that surely reaches the surface from an inner point p; limited under terrain, where straight up will
  /// do.
  double way_out(Vec3 p) const {
    if (is_mesh()) return norm(s.mesh->box().hi - s.mesh->box().lo);
    double z = p.z;
    s.field->height(p.x, p.y, z);
    return std::min(z - p.z, 64 * std::max(s.field->grid().dx, s.field->grid().dy));
  }
  template <class Visit>
  void each(const Box3& box, Visit&& visit) const {
    is_mesh() ? s.mesh->each(box, visit) : s.field->each(box, visit);
  }
};

/// Outward direction from the surface at an inner point, and the surface point in that direction.
void exit_of(const Surface& s, Vec3 p, SurfacePoint& q) {
  if (s.closest(p, s.way_out(p), q) && q.distance > 0) {
    q.n = (q.p - p) * (1 / q.distance);
    return;
  }
  double z = p.z;
  if (!s.is_mesh()) s.s.field->height(p.x, p.y, z);
  if (q.triangle < 0) q = {{p.x, p.y, z}, kUp, z - p.z, 0, TrianglePart::face};
}

/// In a groove a ball touches both walls: further faces whose own nearest point is inside them and that look elsewhere.
void add_other_walls(const Surface& s, Vec3 c, double radius, double margin, Candidates& out) {
  const double reach = radius + margin;
  s.each({c - Vec3{reach, reach, reach}, c + Vec3{reach, reach, reach}}, [&](int t, const std::array<Vec3, 3>& k) {
    const Vec3 area = cross(k[1] - k[0], k[2] - k[0]);
    const double above = dot(area, c - k[0]), area2 = dot(area, area);
    if (above <= 0 || above * above > reach * reach * area2) return;  // most leave here, before any root is taken
    const double scale = 1 / square_root(area2), d = above * scale;
    const Vec3 n = area * scale;
    for (int i = 0; i < out.count; ++i)
      if (dot(out.c[i].normal, n) < -0.97) return;
    TrianglePart part;
    const Vec3 q = closest_on_triangle(c, k[0], k[1], k[2], part);
    if (part != TrianglePart::face) return;
    out.add({(q + c - n * radius) * 0.5, -n, d - radius, static_cast<std::uint32_t>(t) * 64});
  });
}

void surface_sphere(const Surface& s, const Shape& b, Vec3 c, double margin, Candidates& out) {
  const bool inside = s.contains(c);
  SurfacePoint q;
  const double reach = b.radius + margin;
  if (inside)
    exit_of(s, c, q);
  else if (!s.closest(c, reach, q))
    return;
  const bool behind = inside || (s.is_mesh() && !s.s.mesh->closed() && dot(c - q.p, q.n) < 0);
  const double sign = behind ? -1 : 1;
  const Vec3 outward = inside ? q.n : q.distance > 1e-12 ? (c - q.p) * (sign / q.distance) : s.normal(q.triangle);
  const double gap = sign * q.distance - b.radius;
  if (gap > margin) return;
  out.add({(q.p + c - outward * b.radius) * 0.5, -outward, gap, static_cast<std::uint32_t>(q.triangle) * 64});
  if (!behind) add_other_walls(s, c, b.radius, margin, out);
}

/// Is `outward` at the surface point p a direction that the surface itself would give there? A step along it must stay
/// nearest to p; beside flat and hollow edges it does not, and a contact there would be a ghost that trips sliding
/// feet.
bool owns_direction(const Surface& s, Vec3 p, Vec3 outward) {
  constexpr double step = 1e-5;
  SurfacePoint q;
  return !s.closest(p + outward * step, step, q) ||
         q.distance > (1 - 1e-9) * step;  // the distance falls with the angle squared
}

/// Shallowest of the crossings along a face's normal: used if no contact came of them, so that no overlap goes
/// unreported.
struct Reserve {
  bool any = false;
  Contact c{};
};

/// A corner of the surface that pierces a flat face of b is shallower along that face's normal than along the
/// triangle's own. (Those two directions stand for the full search of the expanding polytope, which would take most of
/// the time on fine terrain.)
bool pierced(const Surface& s, const std::array<Vec3, 3>& corner, Vec3 n, double lowest, const Shape& b,
             const Pose& X_AB, Deepest& d) {
  SurfaceFeature f;
  facing_feature(b, transpose_times(X_AB.R, -n), f);
  if (f.count < 3) return false;
  const Vec3 up = -(X_AB.R * f.normal);  // out of the surface
  int top = 0;
  for (int k = 1; k < 3; ++k)
    if (dot(up, corner[k]) > dot(up, corner[top])) top = k;
  const double gap = dot(up, X_AB * f.p[0] - corner[top]);
  if (gap <= lowest || dot(up, n) <= 0 || !owns_direction(s, corner[top], up)) return false;
  d.n = -up, d.gap = gap, d.p_a = corner[top], d.p_b = corner[top] + up * gap;
  return true;
}

/// Cheap: is the triangle clear of b's own box?
bool outside_box(const std::array<Vec3, 3>& corner, const Box3& box_B, const Pose& X_AB) {
  Box3 k = empty_box();
  for (const Vec3& p : corner) include(k, transpose_times(X_AB.R, p - X_AB.p));
  return !overlap(k, box_B);
}

void triangle_against(const Surface& s, int t, const std::array<Vec3, 3>& corner, const Shape& b, const Pose& X_AB,
                      double margin, Candidates& out, Reserve& reserve) {
  const Vec3 n = direction(cross(corner[1] - corner[0], corner[2] - corner[0]), kUp);
  const double lowest = dot(n, X_AB * support(b, transpose_times(X_AB.R, -n)).p - corner[0]) - core_radius(b);
  const double highest = dot(n, X_AB * support(b, transpose_times(X_AB.R, n)).p - corner[0]) + core_radius(b);
  if (lowest > margin || highest < 0) return;
  Shape tri;
  tri.kind = SolidKind::triangle, tri.corners = corner.data();
  Deepest d;
  Simplex simplex;
  const double radius = core_radius(b);
  const GjkAnswer answer = core_distance({tri, b, X_AB}, margin + radius, d, simplex);
  if (answer == GjkAnswer::beyond) return;
  const std::uint32_t base = static_cast<std::uint32_t>(t) * 64;
  if (answer == GjkAnswer::apart) {
    add_radii(0, radius, d);
    const double facing = -dot(d.n, n);
    if (facing > 1 - 1e-12 || (facing > 0 && owns_direction(s, d.p_a, -d.n)))
      return add_manifold(tri, b, X_AB, d, margin, true, base, out);
    if (d.gap > 0) return;  // a neighbour is nearer
  } else if (pierced(s, corner, n, lowest, b, X_AB, d)) {
    return add_manifold(tri, b, X_AB, d, margin, true, base, out);
  }
  // They cross, but the shortest way apart is not one the surface offers: measure along the face's own normal.
  d.n = -n, d.gap = lowest;
  if (!reserve.any || lowest > reserve.c.gap) {
    const Vec3 p = X_AB * support(b, transpose_times(X_AB.R, -n)).p - n * radius;
    reserve = {true, {p - n * (0.5 * lowest), -n, lowest, base}};
  }
  add_manifold(tri, b, X_AB, d, margin, false, base, out);
}

/// The lowest points of b may be far below any triangle that crosses it: those inside the solid count with their own
/// way out.
void add_sunken_points(const Surface& s, const Shape& b, const Pose& X_AB, Candidates& out) {
  int deepest = 0;
  for (int i = 1; i < out.count; ++i)
    if (out.c[i].gap < out.c[deepest].gap) deepest = i;
  const Vec3 down = transpose_times(X_AB.R, out.c[deepest].normal);  // into the surface, in B
  SurfaceFeature f;
  facing_feature(b, down, f);
  if (f.count < kFeatureMax) f.p[f.count++] = support(b, down).p + down * core_radius(b);
  for (int i = 0; i < f.count; ++i) {
    const Vec3 p = X_AB * f.p[i];
    if (!s.contains(p)) continue;
    SurfacePoint q;
    exit_of(s, p, q);
    if (dot(q.n, out.c[deepest].normal) > -0.5) continue;  // another wall: its own triangles speak for it
    out.add(
        {p + q.n * (0.5 * q.distance), -q.n, -q.distance, static_cast<std::uint32_t>(q.triangle) * 64 + 2 + (i & 31)});
  }
}

/// A shape that is wholly inside touches no triangle; it leaves along the way its centre would.
void swallowed(const Surface& s, const Shape& b, const Pose& X_AB, double margin, Candidates& out) {
  const Box3 box = bounds(b);
  const Vec3 c = X_AB * ((box.lo + box.hi) * 0.5);
  if (!s.contains(c)) return;
  SurfacePoint q;
  exit_of(s, c, q);
  const Vec3 p = X_AB * support(b, transpose_times(X_AB.R, -q.n)).p - q.n * core_radius(b);
  const double gap = dot(q.n, p - q.p);
  if (gap <= margin) out.add({p - q.n * (0.5 * gap), -q.n, gap, static_cast<std::uint32_t>(q.triangle) * 64 + 1});
}

/// Terrain under a capsule, cylinder or polyhedron; false if its triangles must be asked.
bool look_up(const HeightField& field, const Shape& b, const Pose& X_AB, double margin, Candidates& out) {
  if (b.kind == SolidKind::cylinder) return field_against_cylinder(field, b, X_AB, margin, out);
  if (b.kind == SolidKind::capsule) return field_against_capsule(field, b, X_AB, margin, out), true;
  return field_against_polyhedron(field, b, X_AB, margin, out);
}

}  // namespace

void plane_against(const Shape& b, const Pose& X_AB, double margin, Candidates& out) {
  switch (b.kind) {
    case SolidKind::sphere:
      add_over_plane(X_AB.p - kUp * b.radius, margin, 0, out);
      return;
    case SolidKind::capsule:
      for (int end = 0; end < 2; ++end) {
        const Vec3 c = X_AB * Vec3{0, 0, end ? b.half.z : -b.half.z};
        add_over_plane(c - kUp * b.radius, margin, end, out);
      }
      return;
    case SolidKind::box:
      for (int k = 0; k < 8; ++k)
        add_over_plane(
            X_AB * Vec3{k & 1 ? b.half.x : -b.half.x, k & 2 ? b.half.y : -b.half.y, k & 4 ? b.half.z : -b.half.z},
            margin, k, out);
      return;
    case SolidKind::cylinder:
      plane_cylinder(b, X_AB, margin, out);
      return;
    case SolidKind::hull:
      if ((X_AB * support(b, transpose_times(X_AB.R, -kUp)).p).z > margin) return;
      for (std::size_t i = 0; i < b.hull->vertices.size(); ++i)
        add_over_plane(X_AB * b.hull->vertices[i], margin, static_cast<int>(i), out);
      return;
    case SolidKind::mesh:
      plane_mesh(*b.mesh, X_AB, margin, out);
      return;
    default:
      return;
  }
}

void surface_against_convex(const Shape& a, const Shape& b, const Pose& X_AB, double margin, Candidates& out) {
  const Surface s{a};
  if (b.kind == SolidKind::sphere) return surface_sphere(s, b, X_AB.p, margin, out);
  if (a.kind == SolidKind::height_field && look_up(*a.field, b, X_AB, margin, out)) return;
  const Box3 box = grown(moved(X_AB, bounds(b)), margin);
  Reserve reserve;
  const Box3 box_B = grown(bounds(b), margin);
  s.each(box, [&](int t, const std::array<Vec3, 3>& k) {
    if (!outside_box(k, box_B, X_AB)) triangle_against(s, t, k, b, X_AB, margin, out, reserve);
  });
  if (out.count == 0 && reserve.any) out.add(reserve.c);
  if (out.count > 0)
    add_sunken_points(s, b, X_AB, out);
  else
    swallowed(s, b, X_AB, margin, out);
}

void surface_against_mesh(const Shape& a, const Shape& b, const Pose& X_AB, double margin, Candidates& out) {
  const Surface s{a};
  const Pose X_BA = inverse(X_AB);
  Box3 reach = bounds(a);
  if (a.kind == SolidKind::height_field) reach.lo.z = std::min(reach.lo.z, a.field->lowest());
  const Box3 in_b = a.kind == SolidKind::height_field ? b.mesh->box() : grown(moved(X_BA, reach), margin);
  Reserve reserve;
  b.mesh->each(in_b, [&](int, std::array<Vec3, 3> corner) {
    for (Vec3& p : corner) p = X_AB * p;
    Shape tri;
    tri.kind = SolidKind::triangle, tri.corners = corner.data();
    const Box3 box = grown(bounds(tri), margin);
    const int before = out.count;
    s.each(box, [&](int u, const std::array<Vec3, 3>& k) {
      triangle_against(s, u, k, tri, identity_pose(), margin, out, reserve);
    });
    if (out.count == before) swallowed(s, tri, identity_pose(), margin, out);
  });
  if (out.count == 0 && reserve.any) out.add(reserve.c);
  // a inside b, with no surface near the other
  if (out.count == 0 && a.kind == SolidKind::mesh && b.mesh->closed()) {
    const Vec3 c = X_BA * a.mesh->vertices()[0];
    SurfacePoint q;
    if (b.mesh->contains(c) && b.mesh->closest(c, norm(b.mesh->box().hi - b.mesh->box().lo), q)) {
      const Vec3 n = direction(X_AB.R * (q.p - c), kUp);  // a leaves b along n
      out.add({X_AB * ((q.p + c) * 0.5), n, -q.distance, 1});
    }
  }
}

}  // namespace gradus
