#include "shape/narrow/terrain_polyhedron.h"

#include "shape/narrow/terrain_parts.h"
#include "shape/hull.h"

namespace gradus {
namespace {

/// A convex polyhedron over a field. What does not change with the pose is borrowed.
struct Polyhedron {
  static constexpr int kVertexMax = 64, kFaceMax = 2 * kVertexMax;
  int vertex_count = 0, face_count = 0, edge_count = 0;
  const Vec3* normal_S = nullptr;    // (faces) outward, unit
  const double* offset = nullptr;    // (faces) n · x on the face                  [m]
  const Hull::Edge* edge = nullptr;  // (edges)
  Pose X_AS;
  Box3 bounds_S;
  Vec3 vertex[kVertexMax];  // in A                                                [m]
  double box_offset[6];     // of a box                                            [m]
};

constexpr Vec3 kBoxNormal[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

/// Four edges along each axis a; bit k of a vertex is its side along axis k.
constexpr std::array<Hull::Edge, 12> box_edges() {
  std::array<Hull::Edge, 12> e{};
  for (int a = 0, n = 0; a < 3; ++a)
    for (int k = 0; k < 4; ++k) {
      const int b = (a + 1) % 3, c = (a + 2) % 3, sb = k & 1, sc = k >> 1, from = (sb << b) | (sc << c);
      e[static_cast<std::size_t>(n++)] = {from, from | (1 << a), 2 * b + sb, 2 * c + sc};
    }
  return e;
}
constexpr std::array<Hull::Edge, 12> kBoxEdge = box_edges();

void put_box(Vec3 half, const Pose& X, Polyhedron& out) {
  out.vertex_count = 8, out.face_count = 6, out.edge_count = 12;
  out.normal_S = kBoxNormal, out.offset = out.box_offset, out.edge = kBoxEdge.data();
  const Vec3 x = X.R.x * half.x, y = X.R.y * half.y, z = X.R.z * half.z;
  for (int k = 0; k < 8; ++k) out.vertex[k] = X.p + (k & 1 ? x : -x) + (k & 2 ? y : -y) + (k & 4 ? z : -z);
  for (int a = 0; a < 3; ++a) out.box_offset[2 * a] = out.box_offset[2 * a + 1] = component(half, a);
}

void put_hull(const Hull& h, const Pose& X, Polyhedron& out) {
  out.vertex_count = static_cast<int>(h.vertices.size());
  out.face_count = h.face_count();
  out.edge_count = static_cast<int>(h.edges.size());
  out.normal_S = h.face_normal.data(), out.offset = h.face_offset.data(), out.edge = h.edges.data();
  for (int v = 0; v < out.vertex_count; ++v) out.vertex[v] = X * h.vertices[static_cast<std::size_t>(v)];
}

bool to_polyhedron(const Shape& s, const Pose& X_AS, Polyhedron& out) {
  out.X_AS = X_AS, out.bounds_S = bounds(s);
  if (s.kind == SolidKind::box) return put_box(s.half, X_AS, out), true;
  if (s.kind != SolidKind::hull || s.hull->vertices.size() > Polyhedron::kVertexMax) return false;
  return put_hull(*s.hull, X_AS, out), true;
}

template <bool Plain>
class PolyhedronOnTerrain : OnTerrain<Plain> {
  using Base = OnTerrain<Plain>;
  using Base::f_, Base::g_, Base::w_, Base::margin_, Base::reach_, Base::out_, Base::overlap_, Base::highest_,
      Base::highest_over_sole_;
  using typename Base::Cone, typename Base::Heading;

 public:
  PolyhedronOnTerrain(const HeightField& field, const Polyhedron& shape, const HeightField::Window& w, double margin,
                      Candidates& out)
      : Base(field, w, margin, out), s_(shape) {}

  bool run() {
    look_at_faces();
    nodes();
    if (!this->is_near_) return true;
    corners();
    edges();
    return this->finish();
  }

 private:
  /// Which way the faces look. The sole is the one that looks down most.
  void look_at_faces() {
    const Vec3 up_S{s_.X_AS.R.x.z, s_.X_AS.R.y.z, s_.X_AS.R.z.z};
    int sole = 0;
    for (int k = 0; k < s_.face_count; ++k) {
      nz_[k] = dot(s_.normal_S[k], up_S);
      if (nz_[k] < nz_[sole]) sole = k;
      if (nz_[k] <= terrain::kUpward && !this->is_too_steep(nz_[k]))
        cone_face_[cone_count_] = k, cone_[cone_count_++] = this->cone_of(normal(k));
    }
    const Vec3 n = normal(sole);
    this->set_sole(s_.X_AS.p + n * s_.offset[sole], -n);
  }
  bool looks_down(int k) const { return nz_[k] < -terrain::kUpward; }
  Vec3 normal(int k) const { return s_.X_AS.R * s_.normal_S[k]; }

  /// Only crests can be corners of what shape and terrain share.
  void nodes() {
    for (int j = w_.j0; j <= w_.j1 + 1; ++j)
      for (int i = w_.i0; i <= w_.i1 + 1; i += 64) {
        const int count = std::min(64, w_.i1 + 2 - i);
        std::uint64_t k = this->near_sole(i, j, count);
        for (k &= f_.crest_bits(i, j, count, HeightField::peak); k != 0; k &= k - 1) node(i + std::countr_zero(k), j);
      }
    this->end_sweep();
  }

  /// Most nodes are no corner for any face; that is asked first.
  void node(int i, int j) {
    for (int c = 0; c < cone_count_; ++c)
      if (this->points_out(i, j, cone_[c])) return meet_node(i, j);
  }

  /// The node leaves by the nearest face against which the terrain points. Not if straight up is shorter: then it is no
  /// corner of what they share.
  void meet_node(int i, int j) {
    const Vec3 q = this->place(i, j);
    double d[Polyhedron::kFaceMax];
    double depth;
    if (!is_inside(q, d, depth) || !this->is_ground(i, j)) return;
    overlap_ |= depth > 0;
    depth += terrain::kEqual;
    int best = -1;
    for (int c = 0; c < cone_count_; ++c)
      if (const double out = d[cone_face_[c]]; out < depth && this->points_out(i, j, cone_[c])) depth = out, best = c;
    if (best < 0) return;
    const Vec3 n = cone_[best].n;
    out_.add({q + n * (0.5 * depth), n, -depth, this->feature(i, j, 40)});
  }

  /// Is q in the shape or within margin of it? d: from each face, straight: down to the lower side.
  bool is_inside(Vec3 q, double* d, double& straight) const {
    const Vec3 q_S = transpose_times(s_.X_AS.R, q - s_.X_AS.p);
    const Vec3 lo = q_S - s_.bounds_S.lo, hi = s_.bounds_S.hi - q_S;
    if (std::min({lo.x, lo.y, lo.z, hi.x, hi.y, hi.z}) < -margin_) return false;
    straight = 1e9;
    for (int k = 0; k < s_.face_count; ++k) {
      d[k] = s_.offset[k] - dot(s_.normal_S[k], q_S);
      if (d[k] < -margin_) return false;
      if (looks_down(k)) straight = std::min(straight, d[k] / -nz_[k]);
    }
    return true;
  }

  /// Does the edge belong to a face that looks down?
  bool is_low(const Hull::Edge& e) const { return std::min(nz_[e.face], nz_[e.other]) < -terrain::kUpward; }

  /// Corners of faces that look down.
  void corners() {
    std::uint64_t low = 0;
    for (int k = 0; k < s_.edge_count; ++k) {
      const Hull::Edge& e = s_.edge[k];
      low |= static_cast<std::uint64_t>(is_low(e)) << e.from | static_cast<std::uint64_t>(is_low(e)) << e.to;
    }
    for (int v = 0; v < s_.vertex_count; ++v)
      clear_ |= static_cast<std::uint64_t>(this->is_over_sole(s_.vertex[v])) << v;
    for (low &= ~clear_; low != 0; low &= low - 1)
      if (const int v = std::countr_zero(low); s_.vertex[v].z <= highest_ + reach_)
        this->corner(s_.vertex[v], static_cast<std::uint32_t>(v));
  }

  /// Edges of lower faces (1), as far as they are not above all of the terrain.
  void edges() {
    const double top = highest_ + reach_;
    for (int k = 0; k < s_.edge_count; ++k) {
      const Hull::Edge& e = s_.edge[k];
      const Vec3 p = s_.vertex[e.from], q = s_.vertex[e.to];
      const bool clear = (clear_ >> e.from & clear_ >> e.to & 1) != 0;
      if (int{!is_low(e)} | int{clear} | int{std::min(p.z, q.z) > top}) continue;  // together: one branch to guess
      double t0 = 0, t1 = 1;
      if (std::max(p.z, q.z) > top) (p.z > top ? t0 : t1) = (top - p.z) / (q.z - p.z);
      walk(p, q - p, t0, t1, static_cast<std::uint32_t>(k % 12));
    }
  }

  /// The part t0 ≤ t ≤ t1 of an edge p + t e; u and v count cells.
  struct Line {
    Vec3 p;
    double t0, t1, u, v;
    Heading h;
    std::uint32_t id;
  };

  /// Crossings with lines u = k, v = k and u − v = k of the grid.
  void walk(Vec3 p, Vec3 e, double t0, double t1, std::uint32_t id) {
    const Line l{p, t0, t1, f_.u_of(p.x), f_.v_of(p.y), this->heading(e), 4 + 3 * id};
    lines<0>(l, l.u, l.h.du, l.v, l.h.dv);
    lines<1>(l, l.v, l.h.dv, l.u, l.h.du);
    lines<2>(l, l.u - l.v, l.h.du - l.h.dv, l.u, l.h.du);
  }

  /// Those of one kind, where from + t by = k. 0: on the line u = k at v = w; 1: on v = k at u = w; 2: on the diagonal
  /// u − v = k at u = w; w = other + t along. Most are no ridge or lie above the terrain, and are left before anything
  /// else is asked.
  template <int kind>
  void lines(const Line& l, double from, double by, double other, double along) {
    if (std::abs(by) < 1e-9) return;
    const double a = from + l.t0 * by, b = from + l.t1 * by;
    double lo = std::min(a, b), hi = std::max(a, b);
    if (!Plain) lo = std::max(lo, -1.0 - g_.ny), hi = std::min(hi, 1.0 + g_.nx + g_.ny);
    if (!(lo <= hi)) return;  // beside the grid, perhaps farther than an integer counts; or not a number
    int k = static_cast<int>(lo), last = static_cast<int>(hi);
    k += static_cast<int>(k < lo);
    last -= static_cast<int>(last > hi);
    if (k > last) return;
    const double inverse = 1 / by, dw = along * inverse, dz = l.h.e.z * inverse;  // w and z are linear in k
    for (; k <= last; k += 64) {
      const int count = std::min(64, last - k + 1);
      const double w = other + (k - from) * dw, z = l.p.z + (k - from) * dz;
      for (std::uint64_t ridges = ridges_above<kind>(k, count, w, dw, z - 2 * margin_, dz); ridges != 0;
           ridges &= ridges - 1) {
        const int on = k + std::countr_zero(ridges);
        cross_ridge<kind>(l, on, (on - from) * inverse, other + (on - from) * dw);
      }
    }
  }

  /// Bit n: the edge crosses line k + n on a ridge that is at or above low + n dz. All of them before any is looked at
  /// closer, so that there are no branches to guess.
  template <int kind>
  std::uint64_t ridges_above(int k, int count, double w, double dw, double low, double dz) const {
    const std::uint8_t* crests = f_.crests(0);
    std::uint64_t found = 0;
    for (int n = 0; n < count; ++n, ++k, w += dw, low += dz) {
      if (!Plain && !this->template on_grid<kind>(k, w)) continue;
      const auto [i, j, h] = this->template on_line<kind>(k, w);
      const bool above = ((crests[j * this->nx_ + i] & terrain::crest<kind>) != 0) & (h >= low);  // unknown: false
      found |= static_cast<std::uint64_t>(above) << n;
    }
    return found;
  }
  template <int kind>
  void cross_ridge(const Line& l, int k, double t, double w) {
    if (!Plain && !this->template on_grid<kind>(k, w)) return;  // w may differ in its last bits
    const auto [i, j, h] = this->template on_line<kind>(k, w);
    const Vec3 p = l.p + l.h.e * t;
    this->template crossing<kind>(l.h, p.x, p.y, h, h - p.z, thickness() + margin_, i, j, l.id);
  }

  /// Straight through the middle of the shape: terrain that is higher than that over an edge is a wall, where the
  /// corners speak.
  double thickness() {
    if (thickness_ >= 0) return thickness_;
    Vec3 middle{0, 0, 0};
    for (int v = 0; v < s_.vertex_count; ++v) middle += s_.vertex[v];
    const Vec3 q = transpose_times(s_.X_AS.R, middle * (1.0 / s_.vertex_count) - s_.X_AS.p);
    double below = 1e9, above = 1e9;
    for (int k = 0; k < s_.face_count; ++k) {
      const double d = (s_.offset[k] - dot(s_.normal_S[k], q)) / nz_[k];
      if (looks_down(k)) below = std::min(below, -d);
      if (nz_[k] > terrain::kUpward) above = std::min(above, d);
    }
    return thickness_ = below + above;
  }

  const Polyhedron& s_;
  double nz_[Polyhedron::kFaceMax];      // z of the faces' normals in A
  Cone cone_[Polyhedron::kFaceMax];      // of faces that look down or to the side and that a node may point at
  int cone_face_[Polyhedron::kFaceMax];  // their numbers
  int cone_count_ = 0;
  std::uint64_t clear_ = 0;  // vertices farther from the sole than all terrain, a bit each; by corners()
  double thickness_ = -1;    // of the shape, straight up; −1: not asked yet                       [m]
};

}  // namespace

bool field_against_polyhedron(const HeightField& field, const Shape& shape, const Pose& X_AS, double margin,
                              Candidates& out) {
  Polyhedron s;
  if (!to_polyhedron(shape, X_AS, s)) return false;
  Box3 box = empty_box();
  for (int v = 0; v < s.vertex_count; ++v) include(box, s.vertex[v]);
  const HeightField::Window w = field.window(box.lo.x, box.hi.x, box.lo.y, box.hi.y);
  if (w.i1 < w.i0 || w.j1 < w.j0) return true;
  if (box.lo.z > field.highest() + field.steepness() * margin) return true;
  field.prefetch(w);
  return is_plain(field, w) ? PolyhedronOnTerrain<true>(field, s, w, margin, out).run()
                            : PolyhedronOnTerrain<false>(field, s, w, margin, out).run();
}

}  // namespace gradus
