#include "collision/narrow/terrain_capsule.h"

#include <cmath>

namespace gradus {
namespace {

constexpr double kEqual = 1e-12;  // [m] heights that differ less are equal

class CapsuleOnTerrain {
 public:
  CapsuleOnTerrain(const HeightField& field, const Shape& capsule, const Pose& X_AB, double margin, Candidates& out)
      : f_(field),
        g_(field.grid()),
        radius_(capsule.radius),
        reach_(capsule.radius + margin),
        margin_(margin),
        p_(X_AB.p - X_AB.R.z * capsule.half.z),
        e_(X_AB.R.z * (2 * capsule.half.z)),
        inv_e2_(1 / dot(e_, e_)),
        out_(out) {}

  void run() {
    const Vec3 far{reach_, reach_, reach_}, lo = smaller(p_, p_ + e_) - far, hi = larger(p_, p_ + e_) + far;
    if (lo.z > f_.highest()) return;
    end(p_, 0);
    end(p_ + e_, 1);
    longest_ = norm(Vec3{g_.dx, g_.dy, 0}) * f_.steepness();
    const HeightField::Window w = f_.node_window(lo, hi);
    const int i0 = std::max(0, w.i0 - 1), j0 = std::max(0, w.j0 - 1);  // edges reach in from the nodes before
    for (int j = j0; j <= w.j1; ++j)
      for (int i = i0; i <= w.i1; ++i) node(i, j);
  }

 private:
  bool known(int i, int j) const { return i >= 0 && j >= 0 && i < g_.nx && j < g_.ny && !std::isnan(z(i, j)); }
  double z(int i, int j) const { return g_.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g_.nx) + static_cast<std::size_t>(i)]; }
  Vec3 at(int i, int j) const { return {g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, z(i, j)}; }
  std::uint32_t feature(int i, int j, std::uint32_t kind) const {
    return static_cast<std::uint32_t>(j * g_.nx + i) * 64 + kind;
  }
  void add(Vec3 on_surface, Vec3 outward, double gap, std::uint32_t id) {
    if (gap <= margin_) out_.add({on_surface + outward * (0.5 * gap), -outward, gap, id});
  }

  /// The ball at an end of the segment.
  void end(Vec3 c, std::uint32_t number) {
    double height;
    SurfacePoint q;
    const bool inside = f_.height(c.x, c.y, height) && c.z < height;
    if (inside) {
      const double cells = 64 * std::max(g_.dx, g_.dy);  // straight up will do from deeper ones
      if (!f_.closest(c, std::min(height - c.z, cells), q) || q.distance <= 0)
        return add({c.x, c.y, height}, {0, 0, 1}, c.z - height - radius_, number);
      return add(q.p, (q.p - c) * (1 / q.distance), -q.distance - radius_, feature_of(q.triangle, number));
    }
    if (!f_.closest(c, reach_, q)) return;
    add(q.p, q.distance > kEqual ? (c - q.p) * (1 / q.distance) : f_.normal(q.triangle), q.distance - radius_,
        feature_of(q.triangle, number));
  }
  std::uint32_t feature_of(int triangle, std::uint32_t end) const {
    return static_cast<std::uint32_t>(triangle / 2) * 64 + 60 + end;
  }

  /// A node and the three edges that begin there.
  void node(int i, int j) {
    if (std::isnan(z(i, j))) return;
    const Vec3 q = at(i, j);
    const double t = dot(q - p_, e_) * inv_e2_;
    const Vec3 d = p_ + e_ * clamped(t, 0.0, 1.0) - q;
    const double d2 = dot(d, d), near = reach_ + longest_;
    if (d2 > near * near) {
      if (q.z > p_.z || q.z > p_.z + e_.z) edges(i, j, q);  // it may be deep under them
      return;
    }
    if (t > 0 && t < 1 && d2 <= reach_ * reach_ && d2 > kEqual * kEqual) {
      const double distance = square_root(d2);
      const Vec3 n = d * (1 / distance);
      if (leads_away(i, j, q, n) && !f_.contains(q + d)) add(q, n, distance - radius_, feature(i, j, 40));
    }
    edges(i, j, q);
  }
  /// Do all edges from a node lead away from n?
  bool leads_away(int i, int j, Vec3 q, Vec3 n) const {
    static constexpr int kTo[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    for (const auto& to : kTo)
      if (known(i + to[0], j + to[1]) && dot(n, at(i + to[0], j + to[1]) - q) > kEqual) return false;
    return true;
  }

  void edges(int i, int j, Vec3 q) {
    if (known(i + 1, j)) edge(i, j, q, at(i + 1, j), {i + 1, j + 1}, {i, j - 1}, 1);
    if (known(i, j + 1)) edge(i, j, q, at(i, j + 1), {i + 1, j + 1}, {i - 1, j}, 2);
    if (known(i + 1, j + 1)) edge(i, j, q, at(i + 1, j + 1), {i + 1, j}, {i, j + 1}, 3);
  }

  struct Node {
    int i, j;
  };
  /// The grid's edge from a to b, with the two nodes that close its triangles.
  void edge(int i, int j, Vec3 a, Vec3 b, Node left, Node right, std::uint32_t kind) {
    const Vec3 u = b - a;
    Vec3 n = cross(e_, u);
    const double n2 = dot(n, n), eu = dot(e_, u), ee = dot(e_, e_), uu = dot(u, u);
    if (n2 <= 1e-12 * ee * uu) return;  // along the segment: nodes and ends speak
    if (n.z < 0) n = -n;
    const Vec3 r = p_ - a;
    const double over = dot(n, r);  // of the segment above the edge, times |n|
    if (over * over > reach_ * reach_ * n2 && over > 0) return;
    // over it: common perpendicular of the two lines (1); under it: straight up from one to the other (2)
    const double er = dot(e_, r), ur = dot(u, r), turn = e_.x * u.y - e_.y * u.x;
    const double t = over > 0 ? (eu * ur - uu * er) / n2 : (r.y * u.x - r.x * u.y) / turn;
    const double s = over > 0 ? (ee * ur - eu * er) / n2 : (r.y * e_.x - r.x * e_.y) / turn;
    if (!(t > 0 && t < 1 && s > 0 && s < 1)) return;
    if (over > 0 && f_.contains(p_ + e_ * t)) return;
    const double size = square_root(n2);
    const Vec3 q = a + u * s, outward = n * (1 / size);
    for (const Node& k : {left, right})
      if (known(k.i, k.j) && dot(outward, at(k.i, k.j) - q) > kEqual) return;
    add(q, outward, over / size - radius_, feature(i, j, kind + 4));
  }
  const HeightField& f_;
  const HeightGrid& g_;
  double radius_, reach_, margin_;
  Vec3 p_, e_;     // the segment p + t e, 0 ≤ t ≤ 1                 [m]
  double inv_e2_;  // 1/|e|²
  double longest_ = 0;  // edge of the grid                          [m]
  Candidates& out_;
};

}  // namespace

void field_against_capsule(const HeightField& field, const Shape& capsule, const Pose& X_AB, double margin,
                           Candidates& out) {
  CapsuleOnTerrain(field, capsule, X_AB, margin, out).run();
}

}  // namespace gradus
