#include "shape/mesh.h"
#include "math/angle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace gradus {

Result<TriangleMesh> TriangleMesh::build(std::span<const Vec3> vertices,
                                         std::span<const std::array<int, 3>> triangles) {
  auto note = [](Severity s, std::string text) { return Diagnostic{{}, s, std::move(text), ""}; };
  Diagnostics notes;
  TriangleMesh m;
  m.vertices_.assign(vertices.begin(), vertices.end());
  for (const Vec3& v : vertices)
    if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z))
      return Diagnostics{note(Severity::error, "a vertex of the mesh is not finite")};
  const int nv = static_cast<int>(vertices.size());
  int flat = 0;
  for (const std::array<int, 3>& t : triangles) {
    for (int i : t)
      if (i < 0 || i >= nv)
        return Diagnostics{note(Severity::error, fmt::format("a triangle refers to vertex {} of {}", i, nv))};
    const Vec3 n = cross(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]);
    if (norm(n) < 1e-18) {
      ++flat;
      continue;
    }
    m.triangles_.push_back(t);
    m.normal_.push_back(direction(n, {0, 0, 1}));
  }
  if (m.triangles_.empty()) return Diagnostics{note(Severity::error, "the mesh has no triangle with an area")};
  if (flat > 0) notes.push_back(note(Severity::warning, fmt::format("{} triangles without area left out", flat)));
  m.build_tree();
  m.build_normals();
  return {std::move(m), std::move(notes)};
}

Box3 TriangleMesh::box_of(int t) const {
  Box3 b = empty_box();
  for (const Vec3& p : corners(t)) include(b, p);
  return b;
}

std::vector<Vec3> TriangleMesh::centroids() const {
  std::vector<Vec3> centre(triangle_count());
  for (int t = 0; t < triangle_count(); ++t) {
    const std::array<Vec3, 3> c = corners(t);
    centre[t] = (c[0] + c[1] + c[2]) * (1.0 / 3);
  }
  return centre;
}

namespace {

/// Brings the lower half of the triangles, along the longest side of what their centroids span, to the front.
void halve(int* order, int count, const std::vector<Vec3>& centre, Vec3 side) {
  const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
  std::nth_element(order, order + count / 2, order + count, [&](int a, int b) {
    const double x = component(centre[a], axis), y = component(centre[b], axis);
    return x < y || (x == y && a < b);
  });
}

}  // namespace

/// Median split along the longest side of the centroids' box; at most two triangles a leaf.
void TriangleMesh::build_tree() {
  const int n = triangle_count();
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  const std::vector<Vec3> centre = centroids();
  struct Job {
    int node, first, count;
  };
  nodes_.assign(1, {});
  std::vector<Job> jobs{{0, 0, n}};
  while (!jobs.empty()) {
    const Job j = jobs.back();
    jobs.pop_back();
    Box3 box = empty_box(), spread = empty_box();
    for (int k = j.first; k < j.first + j.count; ++k)
      include(box, box_of(order_[k])), include(spread, centre[order_[k]]);
    if (j.count <= 2) {
      nodes_[j.node] = {box, j.first, j.count};
      continue;
    }
    const int half = j.count / 2;
    halve(order_.data() + j.first, j.count, centre, spread.hi - spread.lo);
    const int left = static_cast<int>(nodes_.size());
    nodes_[j.node] = {box, left, 0};
    nodes_.resize(nodes_.size() + 2);
    jobs.push_back({left + 1, j.first + half, j.count - half});
    jobs.push_back({left, j.first, half});
  }
}

/// Normals of edges and corners, and whether the surface is closed.
void TriangleMesh::build_normals() {
  vertex_normal_.assign(vertices_.size(), {0, 0, 0});
  edge_normal_.resize(triangles_.size());
  std::map<std::pair<int, int>, std::vector<int>> owners;  // directed edge → triangles that run along it
  for (int t = 0; t < triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int i = triangles_[t][k], j = triangles_[t][(k + 1) % 3], l = triangles_[t][(k + 2) % 3];
      owners[{i, j}].push_back(t);
      const Vec3 u = vertices_[j] - vertices_[i], v = vertices_[l] - vertices_[i];
      vertex_normal_[i] += normal_[t] * arc_tangent(norm(cross(u, v)), dot(u, v));
    }
  closed_ = true;
  for (int t = 0; t < triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int i = triangles_[t][k], j = triangles_[t][(k + 1) % 3];
      const auto other = owners.find({j, i});
      edge_normal_[t][k] = normal_[t];
      if (other != owners.end() && other->second.size() == 1 && owners[{i, j}].size() == 1)
        edge_normal_[t][k] += normal_[other->second[0]];
      else
        closed_ = false;
    }
}

Vec3 TriangleMesh::part_normal(int t, TrianglePart part) const {
  switch (part) {
    case TrianglePart::face:
      return normal_[t];
    case TrianglePart::ab:
      return edge_normal_[t][0];
    case TrianglePart::bc:
      return edge_normal_[t][1];
    case TrianglePart::ca:
      return edge_normal_[t][2];
    case TrianglePart::a:
      return vertex_normal_[triangles_[t][0]];
    case TrianglePart::b:
      return vertex_normal_[triangles_[t][1]];
    case TrianglePart::c:
      return vertex_normal_[triangles_[t][2]];
  }
  return normal_[t];
}

namespace {

double distance2(const Box3& b, Vec3 p) {
  const Vec3 d = larger(larger(b.lo - p, p - b.hi), {0, 0, 0});
  return dot(d, d);
}

/// Where p + t d is inside the box, [t0, t1].
bool ray_box(const Box3& b, Vec3 p, Vec3 inv_d, double t_max) {
  double t0 = 0, t1 = t_max;
  for (int k = 0; k < 3; ++k) {
    const double a = (component(b.lo, k) - component(p, k)) * component(inv_d, k);
    const double c = (component(b.hi, k) - component(p, k)) * component(inv_d, k);
    if (a != a || c != c) continue;  // 0 · ∞: the ray runs along this side
    t0 = std::max(t0, std::min(a, c)), t1 = std::min(t1, std::max(a, c));
  }
  return t0 <= t1 * (1 + 1e-12) + 1e-12;
}

}  // namespace

bool TriangleMesh::closest(Vec3 p, double reach, SurfacePoint& out) const {
  double best2 = reach * reach;
  bool found = false;
  int stack[kDepthMax], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& n = nodes_[stack[--top]];
    if (distance2(n.box, p) > best2) continue;
    if (n.count == 0) {  // nearer child first
      const bool left_first = distance2(nodes_[n.first].box, p) <= distance2(nodes_[n.first + 1].box, p);
      stack[top++] = n.first + (left_first ? 1 : 0);
      stack[top++] = n.first + (left_first ? 0 : 1);
      continue;
    }
    for (int k = 0; k < n.count; ++k) {
      const int t = order_[n.first + k];
      const std::array<Vec3, 3> c = corners(t);
      TrianglePart part;
      const Vec3 q = closest_on_triangle(p, c[0], c[1], c[2], part);
      const double d2 = dot(p - q, p - q);
      if (d2 < best2 || (!found && d2 <= best2)) {
        best2 = d2, found = true;
        out = {q, part_normal(t, part), 0, t, part};
      }
    }
  }
  out.distance = square_root(best2);
  out.n = direction(out.n, {0, 0, 1});
  return found;
}

bool TriangleMesh::cast(Vec3 p, Vec3 d, double t_max, double& t, int& triangle) const {
  const Vec3 inv_d{1 / d.x, 1 / d.y, 1 / d.z};
  bool found = false;
  int stack[kDepthMax], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& n = nodes_[stack[--top]];
    if (!ray_box(n.box, p, inv_d, t_max)) continue;
    if (n.count == 0) {
      stack[top++] = n.first + 1, stack[top++] = n.first;
      continue;
    }
    for (int k = 0; k < n.count; ++k) {
      const std::array<Vec3, 3> c = corners(order_[n.first + k]);
      const double s = ray_triangle(p, d, c[0], c[1], c[2]);
      if (s >= 0 && s <= t_max) t_max = t = s, triangle = order_[n.first + k], found = true;
    }
  }
  return found;
}

bool TriangleMesh::contains(Vec3 p) const {
  if (!closed_ || !overlap(box(), {p, p})) return false;
  SurfacePoint s;
  return closest(p, norm(box().hi - box().lo), s) && dot(p - s.p, s.n) < 0;
}

}  // namespace gradus
