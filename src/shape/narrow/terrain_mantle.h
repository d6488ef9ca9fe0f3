/// The round side of capsules and cylinders on terrain: a segment p + t e, 0 ≤ t ≤ 1, with a radius.
///
/// The distance of the segment from the surface is smallest between an end of the segment and the surface, or between
/// its inside and
///   a node of the grid,                                                                                            (1)
///   an edge of the grid,                                                                                           (2)
/// but only where these are crests. Where the segment itself is below the surface, its depth is largest at an end, or
/// where it crosses under a ridge, and is measured along the common normal of the two. (3) Each place counts only if
/// the surface ends there towards the segment, so that contacts have the surface's own normals.
#pragma once
#include "shape/narrow/terrain_parts.h"

namespace gradus {

template <bool Plain>
class MantleOnTerrain : protected OnTerrain<Plain> {
 protected:
  using Base = OnTerrain<Plain>;

  MantleOnTerrain(const HeightField& field, const HeightField::Window& w, Vec3 p, Vec3 e, double radius, double margin,
                  Candidates& out)
      : Base(field, w, margin, out),
        p_(p),
        e_(e),
        ee_(dot(e, e)),
        inv_ee_(1 / ee_),
        radius_(radius),
        kind_{kind_of<0>(), kind_of<1>(), kind_of<2>()} {}

  /// Meets the crests near the sole, which is set: calls node(i, j), and meets edges if asked to. most_at(q): how deep
  /// a point q of an edge may be; where it is deeper, others speak.
  template <class Node, class Most>
  void sweep(bool with_edges, Node&& node, Most&& most_at) {
    constexpr int most = 63;  // one more, so that the right ends of edges are known
    const HeightField::Window& w = this->w_;
    for (int i = w.i0; i <= w.i1 + 1; i += most) {
      const int own = std::min(most, w.i1 + 2 - i), seen = std::min(own + 1, this->g_.nx - i);
      std::uint64_t before = 0;
      for (int j = w.j0; j <= w.j1 + 1; ++j) {
        const std::uint64_t near = this->near_sole(i, j, seen);
        if ((near | before) != 0) row(i, j, own, before, near, with_edges, node, most_at);
        before = near;
      }
    }
    this->end_sweep();
  }

  /// (1): outward from node q to the inside of the segment, t of the way along it; false if an end is nearer or the
  /// surface does not end there.
  bool faces_node(int i, int j, Vec3 q, Vec3& outward, double& distance) const {
    const double t = dot(q - p_, e_) * inv_ee_;
    if (!(t > 0 && t < 1)) return false;
    const Vec3 d = p_ + e_ * t - q;
    const double d2 = dot(d, d), reach = radius_ + this->margin_;
    if (d2 > reach * reach || d2 <= terrain::kEqual * terrain::kEqual) return false;
    distance = square_root(d2);
    outward = d * (1 / distance);
    return leads_away(i, j, outward) && !this->f_.contains(q + d);
  }
  void add(Vec3 on_surface, Vec3 outward, double gap, std::uint32_t id) {
    if (gap <= this->margin_) this->out_.add({on_surface + outward * (0.5 * gap), -outward, gap, id});
  }

  Vec3 p_, e_;  // [m]
  double ee_, inv_ee_;
  double radius_;

 private:
  /// Nodes of a row, its edges along x, and those from the row before to it. near, before: which nodes are near the
  /// sole.
  template <class Node, class Most>
  void row(int i, int j, int own, std::uint64_t before, std::uint64_t near, bool with_edges, Node&& node,
           Most&& most_at) {
    const auto each = [&](std::uint64_t bits, int of_row, HeightField::Crest kind, auto&& visit) {
      if (bits == 0) return;
      for (bits &= this->f_.crest_bits(i, of_row, own, kind); bits != 0; bits &= bits - 1)
        visit(i + std::countr_zero(bits));
    };
    each(near, j, HeightField::peak, [&](int k) { node(k, j); });
    if (!with_edges) return;
    each(near | near >> 1, j, HeightField::ridge_along_x, [&](int k) { edge<1>(k, j, most_at); });
    if (j == this->w_.j0) return;
    each(near | before, j - 1, HeightField::ridge_along_y, [&](int k) { edge<0>(k, j - 1, most_at); });
    each(near >> 1 | before, j - 1, HeightField::ridge_on_diagonal, [&](int k) { edge<2>(k, j - 1, most_at); });
  }

  /// Do all edges from a node lead away from n?
  bool leads_away(int i, int j, Vec3 n) const {
    static constexpr int kTo[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const double h = *this->at(i, j);
    for (const auto& to : kTo) {
      const int u = i + to[0], v = j + to[1];
      if (!Plain && (u < 0 || v < 0 || u >= this->g_.nx || v >= this->g_.ny)) continue;
      const double rise = n.x * (to[0] * this->g_.dx) + n.y * (to[1] * this->g_.dy) + n.z * (*this->at(u, v) - h);
      if (rise > terrain::kEqual) return false;  // unknown ones compare false
    }
    return true;
  }

  /// What edges u = (x, y, rise) of one kind share. n = e × u, turned upwards, is
  /// (nx + nx_by rise, ny + ny_by rise, nz).
  struct Kind {
    double x, y, xy2, ex;             // u, x² + y², e·(x, y, 0)
    double nx, nx_by, ny, ny_by, nz;  // n
    double up;                        // −1 where n had to be turned, else 1
  };
  template <int kind>
  Kind kind_of() const {
    const double x = terrain::di<kind> * this->g_.dx, y = terrain::dj<kind> * this->g_.dy, nz = e_.x * y - e_.y * x;
    const double up = nz < 0 ? -1 : 1;
    return {x,       y, x * x + y * y, e_.x * x + e_.y * y, -up * e_.z * y, up * e_.y, up * e_.z * x, -up * e_.x,
            up * nz, up};
  }

  /// (2), (3): the ridge u from node a on. Lines of both: p + t e and a + s u. Over the edge t and s are the feet of
  /// the common perpendicular, under it the places straight above each other. Few edges touch, so that all is computed
  /// before the one decision.
  template <int kind, class Most>
  void edge(int i, int j, Most&& most_at) {
    const Kind& k = kind_[kind];
    const double* r = this->at(i, j);
    const double rise = r[terrain::dj<kind> * this->nx_ + terrain::di<kind>] - r[0];
    const Vec3 a{this->g_.x0 + i * this->g_.dx, this->g_.y0 + j * this->g_.dy, r[0]}, from = p_ - a;
    const Vec3 n{k.nx + k.nx_by * rise, k.ny + k.ny_by * rise, k.nz};
    const double n2 = dot(n, n), over = dot(n, from), reach = radius_ + this->margin_;  // over: times |n|
    const double uu = k.xy2 + rise * rise, eu = k.ex + e_.z * rise, ef = dot(e_, from);
    const double uf = k.x * from.x + k.y * from.y + rise * from.z;
    const bool above = over > 0;
    const double tn = above ? eu * uf - uu * ef : k.up * (from.y * k.x - from.x * k.y);
    const double sn = above ? ee_ * uf - eu * ef : k.up * (from.y * e_.x - from.x * e_.y);
    const double d = above ? n2 : k.nz;
    if (!((tn > 0) & (tn < d) & (sn > 0) & (sn < d) & (!above | (over * over <= reach * reach * n2)))) return;
    if (n2 <= 1e-12 * ee_ * uu) return;  // along the segment: nodes and ends speak
    const double inverse = 1 / d;
    const Vec3 u{k.x, k.y, rise};
    meet_edge<kind>(i, j, a + u * (sn * inverse), p_ + e_ * (tn * inverse), n, n2, over, most_at);
  }
  template <int kind, class Most>
  void meet_edge(int i, int j, Vec3 q, Vec3 c, Vec3 n, double n2, double over, Most&& most_at) {
    if (over > 0 && this->f_.contains(c)) return;
    const double inverse = 1 / square_root(n2);
    const Vec3 outward = n * inverse;
    // the nodes that close the triangles on both sides
    constexpr int fi = kind == 0 ? -1 : 0, fj = kind == 0 ? 0 : kind == 1 ? -1 : 1, si = 1, sj = kind == 2 ? 0 : 1;
    if (this->template has_first<kind>(i, j) && dot(outward, this->place(i + fi, j + fj) - q) > terrain::kEqual) return;
    if (this->solid(i, j) && dot(outward, this->place(i + si, j + sj) - q) > terrain::kEqual) return;
    const double depth = radius_ - over * inverse;
    this->overlap_ |= depth > 0;
    if (depth <= 0 || depth <= most_at(q)) add(q, outward, -depth, this->feature(i, j, 4 + kind));
  }

  Kind kind_[3];
};

}  // namespace gradus
