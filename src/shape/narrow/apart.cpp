#include "shape/narrow/apart.h"

#include "shape/narrow/gjk.h"
#include "shape/narrow/mesh_pair.h"

namespace gradus {
namespace {

Pose between(const Pose& X_WA, const Pose& X_WB) {
  return {{transpose_times(X_WA.R, X_WB.R.x), transpose_times(X_WA.R, X_WB.R.y), transpose_times(X_WA.R, X_WB.R.z)},
          transpose_times(X_WA.R, X_WB.p - X_WA.p)};
}

Shape triangle_shape(const std::array<Vec3, 3>& corners) {
  Shape s;
  s.kind = SolidKind::triangle, s.corners = corners.data();
  return s;
}

/// 0 if they overlap, negative if farther apart than limit. Points in A.
double convex_distance(const Shape& a, const Shape& b, const Pose& X_AB, double limit, Apart& out) {
  const double ra = core_radius(a), rb = core_radius(b);
  Deepest d;
  Simplex simplex;
  const GjkAnswer answer = core_distance({a, b, X_AB}, limit + ra + rb, d, simplex);
  if (answer == GjkAnswer::beyond) return -1;
  if (answer == GjkAnswer::overlap || d.gap <= ra + rb) return 0;
  add_radii(ra, rb, d);
  out.p_a = d.p_a, out.p_b = d.p_b;
  return d.gap;
}

double gap2(const Box3& a, const Box3& b) {
  const Vec3 g = larger(larger(a.lo - b.hi, b.lo - a.hi), {0, 0, 0});
  return dot(g, g);
}

/// Nearest points of a mesh and a convex shape, nearer than `best`, which becomes their distance; 0: they overlap. In A, the mesh's frame.
bool mesh_convex(const TriangleMesh& mesh, const Shape& b, const Pose& X_AB, double& best, Apart& out) {
  const Box3 around = moved(X_AB, bounds(b));
  struct Job {
    int node;
    double bound2;
  };
  Job stack[TriangleMesh::kDepthMax];
  int top = 0;
  bool found = false;
  const auto push = [&](int node) {
    if (const double g = gap2(mesh.nodes()[node].box, around); g <= best * best) stack[top++] = {node, g};
  };
  push(0);
  while (top > 0) {
    const Job job = stack[--top];
    if (job.bound2 > best * best) continue;
    const TriangleMesh::Node& n = mesh.nodes()[job.node];
    if (n.count == 0) {
      const bool left_first = gap2(mesh.nodes()[n.first].box, around) <= gap2(mesh.nodes()[n.first + 1].box, around);
      push(left_first ? n.first + 1 : n.first), push(left_first ? n.first : n.first + 1);
      continue;
    }
    for (int k = 0; k < n.count; ++k) {
      const std::array<Vec3, 3> corners = mesh.corners(mesh.triangle_at(n.first + k));
      Apart here;
      const double d = convex_distance(triangle_shape(corners), b, X_AB, best, here);
      if (d < 0 || d > best) continue;
      best = d, out.p_a = here.p_a, out.p_b = here.p_b, found = true;
      if (best == 0) return true;
    }
  }
  if (mesh.closed() && mesh.contains(X_AB * ((bounds(b).lo + bounds(b).hi) * 0.5))) best = 0, found = true;
  return found;
}

/// One of two surfaces that do not cross is inside the other.
bool one_inside(const TriangleMesh& a, const TriangleMesh& b, const Pose& X_AB) {
  return (a.closed() && a.contains(X_AB * b.vertices()[0])) || (b.closed() && b.contains(inverse(X_AB) * a.vertices()[0]));
}

bool meshes_apart(const TriangleMesh& a, const TriangleMesh& b, const Pose& X_AB, double limit, Apart& out) {
  if (one_inside(a, b, X_AB)) return out.distance = 0, true;
  double best2 = limit * limit * (1 + 1e-15) + 1e-300;
  if (!nearest_of_meshes(a, b, X_AB, best2, out.p_a, out.p_b)) return false;
  out.distance = square_root(best2);
  return true;
}

}  // namespace

bool shapes_overlap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  Apart out;
  if (a.kind == SolidKind::mesh && b.kind == SolidKind::mesh) {
    const Pose X_AB = between(X_WA, X_WB);
    return meshes_cross(*a.mesh, *b.mesh, X_AB) || one_inside(*a.mesh, *b.mesh, X_AB);
  }
  double best = 0;
  if (a.kind == SolidKind::mesh) return mesh_convex(*a.mesh, b, between(X_WA, X_WB), best, out);
  if (b.kind == SolidKind::mesh) return mesh_convex(*b.mesh, a, between(X_WB, X_WA), best, out);
  return convex_distance(a, b, between(X_WA, X_WB), 0, out) == 0;
}

bool shapes_apart(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double limit, Apart& out) {
  Apart found;  // in the frame of the first
  if (a.kind != SolidKind::mesh && b.kind == SolidKind::mesh) {
    if (!shapes_apart(b, X_WB, a, X_WA, limit, found)) return false;
    out = {found.distance, found.p_b, found.p_a};
    return true;
  }
  const Pose X_AB = between(X_WA, X_WB);
  if (b.kind == SolidKind::mesh) {
    if (!meshes_apart(*a.mesh, *b.mesh, X_AB, limit, found)) return false;
  } else if (a.kind == SolidKind::mesh) {
    found.distance = limit;
    if (!mesh_convex(*a.mesh, b, X_AB, found.distance, found)) return false;
  } else {
    found.distance = convex_distance(a, b, X_AB, limit, found);
    if (found.distance < 0) return false;
  }
  out = {found.distance, X_WA * found.p_a, X_WA * found.p_b};
  return true;
}

}  // namespace gradus
