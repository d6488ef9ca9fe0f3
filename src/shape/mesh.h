/// Triangle surface with a box tree over its triangles. Closed surfaces (every edge shared by two triangles that run
/// through it in opposite directions) are solid inside; open ones are a skin with an outer side.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "shape/triangle.h"
#include "base/result.h"

namespace gradus {

class TriangleMesh {
 public:
  /// Triangles without area are left out (with a warning); fails on bad indices, points that are not finite, or nothing
  /// left.
  static Result<TriangleMesh> build(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

  int triangle_count() const { return static_cast<int>(triangles_.size()); }
  bool closed() const { return closed_; }
  const Box3& box() const { return nodes_[0].box; }
  std::span<const Vec3> vertices() const { return vertices_; }
  /// Corners of triangle t, copied so that they lie together.
  std::array<Vec3, 3> corners(int t) const {
    const std::array<int, 3>& i = triangles_[t];
    return {vertices_[i[0]], vertices_[i[1]], vertices_[i[2]]};
  }
  Vec3 normal(int t) const { return normal_[t]; }

  /// Calls visit(triangle, corners) for all triangles whose boxes meet `box`, always in the same order.
  template <class Visit>
  void each(const Box3& box, Visit&& visit) const {
    int stack[kDepthMax], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& n = nodes_[stack[--top]];
      if (!overlap(n.box, box)) continue;
      if (n.count > 0)
        for (int k = 0; k < n.count; ++k) visit(order_[n.first + k], corners(order_[n.first + k]));
      else
        stack[top++] = n.first + 1, stack[top++] = n.first;
    }
  }
  /// Closest surface point within `reach` of p.
  bool closest(Vec3 p, double reach, SurfacePoint& out) const;
  /// First hit of p + t d, 0 ≤ t ≤ t_max, from outside or inside.
  bool cast(Vec3 p, Vec3 d, double t_max, double& t, int& triangle) const;
  /// Inside a closed mesh.
  bool contains(Vec3 p) const;

  struct Node {
    Box3 box;
    int first;  // inner: left child, the right one follows it; leaf: first of order_
    int count;  // 0 for inner nodes
  };
  std::span<const Node> nodes() const { return nodes_; }
  int triangle_at(int k) const { return order_[k]; }
  static constexpr int kDepthMax = 64;  // median splits halve: 2^60 triangles would fit

 private:
  std::vector<Vec3> centroids() const;
  void build_tree();
  void build_normals();
  Box3 box_of(int t) const;
  Vec3 part_normal(int t, TrianglePart part) const;

  std::vector<Vec3> vertices_;                    // [m]
  std::vector<std::array<int, 3>> triangles_;     // (nt)
  std::vector<Vec3> normal_;                      // (nt) unit
  std::vector<std::array<Vec3, 3>> edge_normal_;  // (nt) sum over the two faces of ab, bc, ca
  std::vector<Vec3> vertex_normal_;               // (nv) angle-weighted [Bærentzen, Aanæs 2005]
  std::vector<Node> nodes_;
  std::vector<int> order_;  // (nt) triangles in the order of the leaves
  bool closed_ = false;
};

}  // namespace gradus
