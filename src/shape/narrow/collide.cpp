#include "shape/narrow/collide.h"

#include "shape/narrow/manifold.h"
#include "shape/narrow/primitive.h"
#include "shape/narrow/surface.h"

namespace gradus {
namespace {

bool is_surface(const Shape& s) { return s.kind == SolidKind::mesh || s.kind == SolidKind::height_field; }

/// Cheap refusal by bounding spheres; only bounded shapes have one.
bool far_apart(const Shape& a, const Shape& b, const Pose& X_AB, double margin) {
  if (!is_convex(a) || !is_convex(b)) return false;
  Vec3 ca, cb;
  double ra, rb;
  bounding_sphere(a, ca, ra);
  bounding_sphere(b, cb, rb);
  const Vec3 d = X_AB * cb - ca;
  const double reach = ra + rb + margin;
  return dot(d, d) > reach * reach;
}

/// Candidates in the frame of a; expects a.kind ≤ b.kind, but surfaces before convex shapes.
void find(const Shape& a, const Shape& b, const Pose& X_AB, double margin, bool near, Candidates& out) {
  if (a.kind == SolidKind::plane) return plane_against(b, X_AB, margin, out);
  if (is_surface(a) && b.kind == SolidKind::mesh) return surface_against_mesh(a, b, X_AB, margin, out);
  if (is_surface(a) && is_convex(b)) return surface_against_convex(a, b, X_AB, margin, out);
  if (!near && (!is_convex(a) || !is_convex(b) || far_apart(a, b, X_AB, margin))) return;
  Deepest d;
  if (!deepest_of_pair({a, b, X_AB}, margin, d)) return;
  if (a.kind == SolidKind::sphere) return out.add({(d.p_a + d.p_b) * 0.5, d.n, d.gap, 0});
  add_manifold(a, b, X_AB, d, margin, true, 0, out);
}

/// Which of the two is computed as a: planes, then height fields and meshes, then convex shapes by kind.
int rank(const Shape& s) {
  switch (s.kind) {
    case SolidKind::plane:
      return 0;
    case SolidKind::height_field:
      return 1;
    case SolidKind::mesh:
      return 2;
    default:
      return 3 + static_cast<int>(s.kind);
  }
}

}  // namespace

int collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Contact* out,
            bool near) {
  const bool swap = rank(a) > rank(b);
  const Shape &first = swap ? b : a, &second = swap ? a : b;
  const Pose &X_W1 = swap ? X_WB : X_WA, &X_W2 = swap ? X_WA : X_WB;
  const Pose X_12{
      {transpose_times(X_W1.R, X_W2.R.x), transpose_times(X_W1.R, X_W2.R.y), transpose_times(X_W1.R, X_W2.R.z)},
      transpose_times(X_W1.R, X_W2.p - X_W1.p)};
  Candidates found;
  find(first, second, X_12, margin, near, found);
  found.thin();
  for (int i = 0; i < found.count; ++i) {
    out[i] = found.c[i];
    out[i].point = X_W1 * found.c[i].point;
    out[i].normal = X_W1.R * found.c[i].normal;
    if (swap) out[i].normal = -out[i].normal;
  }
  return found.count;
}

}  // namespace gradus
