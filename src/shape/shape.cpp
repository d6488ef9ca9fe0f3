#include "shape/shape.h"

#include "shape/height_field.h"
#include "shape/hull.h"
#include "shape/mesh.h"

namespace gradus {

const char* to_string(SolidKind kind) {
  switch (kind) {
    case SolidKind::plane:
      return "plane";
    case SolidKind::sphere:
      return "sphere";
    case SolidKind::box:
      return "box";
    case SolidKind::capsule:
      return "capsule";
    case SolidKind::cylinder:
      return "cylinder";
    case SolidKind::hull:
      return "hull";
    case SolidKind::mesh:
      return "mesh";
    case SolidKind::height_field:
      return "height_field";
    case SolidKind::triangle:
      return "triangle";
  }
  return "?";
}

namespace {
Shape of_kind(SolidKind kind) {
  Shape s;
  s.kind = kind;
  return s;
}
}  // namespace

Shape plane_shape() { return of_kind(SolidKind::plane); }
Shape sphere_shape(double radius) {
  Shape s = of_kind(SolidKind::sphere);
  s.radius = radius;
  return s;
}
Shape box_shape(Vec3 half) {
  Shape s = of_kind(SolidKind::box);
  s.half = half;
  return s;
}
Shape capsule_shape(double radius, double half_length) {
  Shape s = of_kind(SolidKind::capsule);
  s.radius = radius, s.half.z = half_length;
  return s;
}
Shape cylinder_shape(double radius, double half_length) {
  Shape s = of_kind(SolidKind::cylinder);
  s.radius = radius, s.half.z = half_length;
  return s;
}
Shape hull_shape(const Hull& hull) {
  Shape s = of_kind(SolidKind::hull);
  s.hull = &hull;
  return s;
}
Shape mesh_shape(const TriangleMesh& mesh) {
  Shape s = of_kind(SolidKind::mesh);
  s.mesh = &mesh;
  return s;
}
Shape field_shape(const HeightField& field) {
  Shape s = of_kind(SolidKind::height_field);
  s.field = &field;
  return s;
}

bool is_convex(const Shape& s) {
  return s.kind != SolidKind::plane && s.kind != SolidKind::mesh && s.kind != SolidKind::height_field;
}

Box3 bounds(const Shape& s) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double r = s.radius;
  switch (s.kind) {
    case SolidKind::plane:
      return {{-inf, -inf, -inf}, {inf, inf, 0}};
    case SolidKind::sphere:
      return {{-r, -r, -r}, {r, r, r}};
    case SolidKind::box:
      return {-s.half, s.half};
    case SolidKind::capsule:
      return {{-r, -r, -s.half.z - r}, {r, r, s.half.z + r}};
    case SolidKind::cylinder:
      return {{-r, -r, -s.half.z}, {r, r, s.half.z}};
    case SolidKind::hull:
      return s.hull->box;
    case SolidKind::mesh:
      return s.mesh->box();
    case SolidKind::height_field: {
      const HeightGrid& g = s.field->grid();
      return {{g.x0, g.y0, -inf}, {g.x0 + (g.nx - 1) * g.dx, g.y0 + (g.ny - 1) * g.dy, s.field->highest()}};
    }
    case SolidKind::triangle: {
      Box3 b = empty_box();
      for (int k = 0; k < 3; ++k) include(b, s.corners[k]);
      return b;
    }
  }
  return empty_box();
}

namespace {

void sphere_around(const Box3& b, Vec3& centre, double& radius) {
  centre = (b.lo + b.hi) * 0.5;
  radius = norm(b.hi - b.lo) * 0.5;
}

void sphere_around(const TriangleMesh& mesh, Vec3& centre, double& radius) {
  centre = (mesh.box().lo + mesh.box().hi) * 0.5;
  radius = 0;
  for (const Vec3& v : mesh.vertices()) radius = std::max(radius, norm(v - centre));
}

}  // namespace

void bounding_sphere(const Shape& s, Vec3& centre, double& radius) {
  centre = {0, 0, 0};
  switch (s.kind) {
    case SolidKind::plane:
      radius = std::numeric_limits<double>::infinity();
      return;
    case SolidKind::sphere:
      radius = s.radius;
      return;
    case SolidKind::box:
      radius = norm(s.half);
      return;
    case SolidKind::capsule:
      radius = s.half.z + s.radius;
      return;
    case SolidKind::cylinder:
      radius = square_root(s.half.z * s.half.z + s.radius * s.radius);
      return;
    case SolidKind::hull:
      centre = s.hull->centre, radius = s.hull->radius;
      return;
    case SolidKind::mesh:
      return sphere_around(*s.mesh, centre, radius);
    case SolidKind::height_field: {
      Box3 b = bounds(s);
      b.lo.z = s.field->lowest();
      return sphere_around(b, centre, radius);
    }
    case SolidKind::triangle:
      return sphere_around(bounds(s), centre, radius);
  }
}

double core_radius(const Shape& s) {
  return s.kind == SolidKind::sphere || s.kind == SolidKind::capsule ? s.radius : 0;
}

SupportPoint support(const Shape& s, Vec3 d, int hint) {
  switch (s.kind) {
    case SolidKind::box: {
      const int id = (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (d.z > 0 ? 4 : 0);
      return {{d.x > 0 ? s.half.x : -s.half.x, d.y > 0 ? s.half.y : -s.half.y, d.z > 0 ? s.half.z : -s.half.z}, id};
    }
    case SolidKind::capsule:
      return {{0, 0, d.z > 0 ? s.half.z : -s.half.z}, d.z > 0};
    case SolidKind::cylinder: {
      const double across = square_root(d.x * d.x + d.y * d.y), z = d.z > 0 ? s.half.z : -s.half.z;
      if (across <= 1e-300) return {{s.radius, 0, z}, 0};
      return {{s.radius * (d.x / across), s.radius * (d.y / across), z}, -1};
    }
    case SolidKind::hull: {
      const int v = farthest_vertex(*s.hull, d, hint);
      return {s.hull->vertices[v], v};
    }
    case SolidKind::triangle: {
      const double a = dot(s.corners[0], d), b = dot(s.corners[1], d), c = dot(s.corners[2], d);
      const int v = a >= b && a >= c ? 0 : b >= c ? 1 : 2;
      return {s.corners[v], v};
    }
    default:
      return {{0, 0, 0}, 0};  // sphere: its centre
  }
}

namespace {

void put(SurfaceFeature& f, Vec3 p, int id) {
  if (f.count == kFeatureMax) return;
  f.p[f.count] = p, f.id[f.count++] = id;
}

void box_face(const Shape& s, Vec3 d, SurfaceFeature& out) {
  const Vec3 m = magnitude(d);
  const int k = m.x >= m.y && m.x >= m.z ? 0 : m.y >= m.z ? 1 : 2, u = (k + 1) % 3, v = (k + 2) % 3;
  const double side = component(d, k) > 0 ? 1 : -1;
  component(out.normal, k) = side;
  for (int i = 0; i < 4; ++i) {
    const int turn = side > 0 ? i : 3 - i;  // counter-clockwise seen from outside
    const double su = turn == 0 || turn == 3 ? -1 : 1, sv = turn < 2 ? -1 : 1;
    Vec3 p;
    component(p, k) = side * component(s.half, k);
    component(p, u) = su * component(s.half, u);
    component(p, v) = sv * component(s.half, v);
    put(out, p, (p.x > 0 ? 1 : 0) | (p.y > 0 ? 2 : 0) | (p.z > 0 ? 4 : 0));
  }
}

/// A flat end becomes an octagon with fixed corners, the mantle a line; between them only the rim's point faces d.
void cylinder_feature(const Shape& s, Vec3 d, SurfaceFeature& out) {
  constexpr double flat = 0.05;  // sine of the angle up to which a face counts as facing
  const double across = square_root(d.x * d.x + d.y * d.y);
  const double z = d.z > 0 ? s.half.z : -s.half.z;
  if (across < flat) {
    out.normal = {0, 0, d.z > 0 ? 1.0 : -1.0};
    constexpr double c = 0.70710678118654752440;
    constexpr double x[8] = {1, c, 0, -c, -1, -c, 0, c}, y[8] = {0, c, 1, c, 0, -c, -1, -c};
    for (int i = 0; i < 8; ++i) {
      const int k = d.z > 0 ? i : (8 - i) % 8;
      put(out, {s.radius * x[k], s.radius * y[k], z}, k + (d.z > 0 ? 8 : 0));
    }
    return;
  }
  const Vec3 rim{s.radius * d.x / across, s.radius * d.y / across, 0};
  if (std::abs(d.z) < flat) {
    put(out, rim - Vec3{0, 0, s.half.z}, 16);
    put(out, rim + Vec3{0, 0, s.half.z}, 17);
  } else {
    put(out, rim + Vec3{0, 0, z}, 18);
  }
}

void capsule_feature(const Shape& s, Vec3 d, SurfaceFeature& out) {
  if (std::abs(d.z) < 0.1) {
    put(out, d * s.radius - Vec3{0, 0, s.half.z}, 0);
    put(out, d * s.radius + Vec3{0, 0, s.half.z}, 1);
  } else {
    put(out, d * s.radius + Vec3{0, 0, d.z > 0 ? s.half.z : -s.half.z}, d.z > 0);
  }
}

void triangle_feature(const Shape& s, Vec3 d, SurfaceFeature& out) {
  const Vec3 n = direction(cross(s.corners[1] - s.corners[0], s.corners[2] - s.corners[0]), {0, 0, 1});
  const bool front = dot(n, d) >= 0;
  out.normal = front ? n : -n;
  for (int k = 0; k < 3; ++k) put(out, s.corners[front ? k : 2 - k], front ? k : 2 - k);
}

/// The face around the farthest vertex that faces d best. Faces with more corners than fit are thinned evenly.
void hull_face(const Hull& hull, Vec3 d, SurfaceFeature& out) {
  const int v = farthest_vertex(hull, d, 0);
  int best = hull.faces_of(v)[0];
  for (int f : hull.faces_of(v))
    if (dot(hull.face_normal[f], d) > dot(hull.face_normal[best], d)) best = f;
  out.normal = hull.face_normal[best];
  const std::span<const int> c = hull.face(best);
  const std::size_t stride = (c.size() + kFeatureMax - 1) / kFeatureMax;
  for (std::size_t i = 0; i < c.size(); i += stride) put(out, hull.vertices[c[i]], c[i]);
}

}  // namespace

void facing_feature(const Shape& s, Vec3 d, SurfaceFeature& out) {
  out.count = 0;
  out.normal = {0, 0, 0};
  switch (s.kind) {
    case SolidKind::box:
      return box_face(s, d, out);
    case SolidKind::cylinder:
      return cylinder_feature(s, d, out);
    case SolidKind::hull:
      return hull_face(*s.hull, d, out);
    case SolidKind::capsule:
      return capsule_feature(s, d, out);
    case SolidKind::triangle:
      return triangle_feature(s, d, out);
    default:
      return put(out, d * s.radius, 0);
  }
}

}  // namespace gradus
