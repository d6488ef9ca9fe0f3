#include "sense/ground.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradus::sense {
namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

/// How far a ray from p along d goes until it enters a solid about the origin; NaN: it does not, or begins inside.
double into_sphere(Vec3 p, Vec3 d, double radius) {
  const double b = dot(p, d), c = dot(p, p) - radius * radius, root = b * b - c;
  return c > 0 && b < 0 && root >= 0 ? -b - std::sqrt(root) : kNever;
}

double into_box(Vec3 p, Vec3 d, Vec3 half) {
  double near = 0, far = std::numeric_limits<double>::infinity();
  bool inside = true;
  const double P[3] = {p.x, p.y, p.z}, D[3] = {d.x, d.y, d.z}, H[3] = {half.x, half.y, half.z};
  for (int i = 0; i < 3; ++i) {
    inside = inside && std::fabs(P[i]) < H[i];
    if (std::fabs(D[i]) < 1e-12) {
      if (std::fabs(P[i]) > H[i]) return kNever;
      continue;
    }
    const double a = (-H[i] - P[i]) / D[i], b = (H[i] - P[i]) / D[i];
    near = std::max(near, std::min(a, b)), far = std::min(far, std::max(a, b));
  }
  return near <= far && !inside ? near : kNever;
}

/// Round side along z between the ends, flat ends if `flat`.
double into_tube(Vec3 p, Vec3 d, double radius, double half, bool flat) {
  double best = kNever;
  const auto take = [&](double t) {
    if (t >= 0 && !(best <= t)) best = t;
  };
  const double a = d.x * d.x + d.y * d.y, b = p.x * d.x + p.y * d.y, c = p.x * p.x + p.y * p.y - radius * radius;
  const double root = b * b - a * c;
  if (a > 1e-24 && c > 0 && b < 0 && root >= 0) {
    const double t = (-b - std::sqrt(root)) / a;
    if (std::fabs(p.z + t * d.z) <= half) take(t);
  }
  for (const double end : {-half, half}) {
    if (!flat) {
      const double t = into_sphere(p - Vec3{0, 0, end}, d, radius);
      if (t == t) take(t);
    } else if (std::fabs(d.z) > 1e-12 && (p.z - end) * end > 0) {
      const double t = (end - p.z) / d.z, x = p.x + t * d.x, y = p.y + t * d.y;
      if (x * x + y * y <= radius * radius) take(t);
    }
  }
  return best;
}

/// The nearest triangle, from whichever side: by the signed volumes of the ray with its edges, so that no ray slips
/// through between two triangles.
double into_triangles(const MeshSpec& mesh, Vec3 p, Vec3 d) {
  double best = kNever;
  for (const std::array<int, 3>& corner : mesh.triangles) {
    const Vec3 a = mesh.vertices[static_cast<std::size_t>(corner[0])] - p,
               b = mesh.vertices[static_cast<std::size_t>(corner[1])] - p,
               c = mesh.vertices[static_cast<std::size_t>(corner[2])] - p;
    const double u = dot(d, cross(c, b)), v = dot(d, cross(a, c)), w = dot(d, cross(b, a));
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) continue;
    const double volume = u + v + w;
    if (volume == 0) continue;  // seen from the side
    const double t = dot(d, a * u + b * v + c * w) / (volume * dot(d, d));
    if (t >= 0 && !(best <= t)) best = t;
  }
  return best;
}

}  // namespace

double ground_height(const Model& model, double x, double y, double below, double none) {
  double best = -std::numeric_limits<double>::infinity();
  if (model.ground.present && model.ground.n.z > 1e-6) {
    const Plane& g = model.ground;
    const double z = (g.offset - g.n.x * x - g.n.y * y) / g.n.z;
    if (z <= below) best = z;
  }
  for (const int number : model.static_objects) {
    const FieldObjectSpec& f = model.field[static_cast<std::size_t>(number)];
    const Pose X_SW = inverse(f.X_WO * f.shape.X_OS);
    const Vec3 p = X_SW * Vec3{x, y, below}, d = X_SW.R * Vec3{0, 0, -1};
    double t = kNever;
    switch (f.shape.kind) {
      case ShapeKind::sphere:
        t = into_sphere(p, d, f.shape.radius);
        break;
      case ShapeKind::box:
        t = into_box(p, d, f.shape.size * 0.5);
        break;
      case ShapeKind::capsule:
        t = into_tube(p, d, f.shape.radius, 0.5 * f.shape.length, false);
        break;
      case ShapeKind::cylinder:
        t = into_tube(p, d, f.shape.radius, 0.5 * f.shape.length, true);
        break;
      case ShapeKind::plane:
        if (d.z < 0 && p.z >= 0) t = -p.z / d.z;
        break;
      case ShapeKind::height_field: {
        const double z = height_at(model.maps[static_cast<std::size_t>(f.shape.map)].grid, p.x, p.y);  // its z is up
        if (z <= p.z) t = p.z - z;
        break;
      }
      case ShapeKind::mesh:
        t = into_triangles(model.meshes[static_cast<std::size_t>(f.shape.mesh)], p, d);
        break;
      case ShapeKind::hull:
        break;
    }
    if (t == t && below - t > best) best = below - t;
  }
  return std::isfinite(best) ? best : none;
}

}  // namespace gradus::sense
