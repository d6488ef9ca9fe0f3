#include "collision/narrow/terrain_polyhedron.h"

#include <bit>
#include <cmath>

#include "collision/shape/hull.h"

namespace gradus {
namespace {

constexpr double kEqual = 1e-12;         // [m] heights that differ less are equal
constexpr double kFlat = 1e-7;           // slope along an edge that is none
constexpr double kUpward = 1e-9;         // a face that looks up (z of its normal) is no way out of the ground
constexpr std::uint32_t kOfCorner = 48;  // features from here on are corners of the shape

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

/// Plain: all cells around the shape are there, so that nothing has to be asked about borders and holes.
template <bool Plain>
class PolyhedronOnTerrain {
 public:
  PolyhedronOnTerrain(const HeightField& field, const Polyhedron& shape, const HeightField::Window& w, double margin,
                      Candidates& out)
      : f_(field),
        g_(field.grid()),
        s_(shape),
        w_(w),
        margin_(margin),
        reach_(margin * std::max(2.0, field.steepness())),
        out_(out) {}

  bool run() {
    look_at_faces();
    if (!nodes()) return true;
    corners();
    edges();
    if (out_.count == 0) return !overlap_;
    out_.thin();
    for (int i = 0; i < out_.count; ++i) shorten(out_.c[i]);
    return true;
  }

 private:
  const double* at(int i, int j) const { return g_.z.data() + static_cast<std::ptrdiff_t>(j) * g_.nx + i; }
  bool solid(int i, int j) const {
    return Plain || (i >= 0 && j >= 0 && i < f_.cells_x() && j < f_.cells_y() && !f_.is_hole(i, j));
  }
  std::uint32_t feature(int i, int j, std::uint32_t kind) const {
    return static_cast<std::uint32_t>(j * g_.nx + i) * 64 + kind;
  }

  /// Which way the faces look. The sole is the one that looks down most.
  void look_at_faces() {
    const Vec3 up_S{s_.X_AS.R.x.z, s_.X_AS.R.y.z, s_.X_AS.R.z.z};
    for (int k = 0; k < s_.face_count; ++k) {
      nz_[k] = dot(s_.normal_S[k], up_S);
      if (nz_[k] < nz_[sole_]) sole_ = k;
      if (nz_[k] <= kUpward && !is_too_steep(k)) cone_[cone_count_++] = cone_of(k);
    }
  }
  /// Does no node point at a face: is the terrain nowhere as steep?
  bool is_too_steep(int k) const { return Plain && -nz_[k] * f_.steepness() < 1 - 1e-9 && f_.is_gentle(); }
  bool looks_down(int k) const { return nz_[k] < -kUpward; }
  Vec3 normal(int k) const { return s_.X_AS.R * s_.normal_S[k]; }

  /// False if all nodes of the cells under the shape are so far below the plane of its sole that nothing touches: what
  /// lies between nodes is no higher, what else the shape has is no lower. Only crests can be corners of what they
  /// share.
  bool nodes() {
    const Vec3 n = normal(sole_);
    const double inverse = 1 / n.z, reach = margin_ * std::max({2.0, f_.steepness(), -inverse}) + 1e-9;
    sole_z_ = {-n.x * inverse, -n.y * inverse, (s_.offset[sole_] + dot(n, s_.X_AS.p)) * inverse};
    HeightField::Tops tops;
    bool near = false;
    for (int j = w_.j0; j <= w_.j1 + 1; ++j)
      for (int i = w_.i0; i <= w_.i1 + 1; i += 64) {
        const double low = sole_under({g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, 0}) - reach;
        const std::uint64_t above = f_.nodes_above(i, j, std::min(64, w_.i1 + 2 - i), low, sole_z_.x * g_.dx, tops);
        near |= above != 0;
        for (std::uint64_t k = above & f_.peaks(i, j); k != 0; k &= k - 1) node(i + std::countr_zero(k), j);
      }
    highest_ = tops.z, highest_over_sole_ = tops.over - reach;
    return near;
  }
  /// Height of the sole's plane over a place.
  double sole_under(Vec3 p) const { return sole_z_.x * p.x + sole_z_.y * p.y + sole_z_.z; }
  /// Can a part of the shape of which p is the lowest point, or nearest to the sole's plane, touch the terrain?
  bool is_over_all(Vec3 p) const {
    return p.z > highest_ + reach_ || p.z - sole_under(p) > highest_over_sole_ + reach_;
  }

  /// Most nodes are no corner for any face; that is asked first.
  void node(int i, int j) {
    for (int c = 0; c < cone_count_; ++c)
      if (points_out(i, j, cone_[c])) return meet_node(i, j);
  }

  /// The node leaves by the nearest face against which the terrain points. Not if straight up is shorter: then it is no
  /// corner of what they share.
  void meet_node(int i, int j) {
    const Vec3 q{g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, *at(i, j)};
    double d[Polyhedron::kFaceMax];
    double depth;
    if (!is_inside(q, d, depth) || !is_ground(i, j)) return;
    overlap_ |= depth > 0;
    depth += kEqual;
    int best = -1;
    for (int c = 0; c < cone_count_; ++c)
      if (const int k = cone_[c].face; d[k] < depth && points_out(i, j, cone_[c])) depth = d[k], best = k;
    if (best < 0) return;
    const Vec3 n = normal(best);
    out_.add({q + n * (0.5 * depth), n, -depth, feature(i, j, 40)});
  }
  bool is_ground(int i, int j) const {
    return solid(i, j) || solid(i - 1, j) || solid(i, j - 1) || solid(i - 1, j - 1);
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

  /// Seen from a face that looks down or to the side, how far (i, j) must rise above its neighbours at +x, +y and both
  /// to point at the face.
  struct Cone {
    int face;
    double x, y, both, equal;
  };
  Cone cone_of(int k) const {
    const Vec3 n = normal(k);
    const double up = -n.z, x = up > kUpward ? -n.x * g_.dx / up : 0, y = up > kUpward ? -n.y * g_.dy / up : 0;
    return {k, x, y, x + y, kEqual / std::max(up, kUpward)};
  }

  /// Does the terrain end at its node (i, j), seen from a face: do all edges from there lead away from it, and not all
  /// along a flat? Inside flats the corners of the shape and of the flat speak.
  bool points_out(int i, int j, const Cone& c) const {
    return Plain && looks_down(c.face) ? rises_over_all(at(i, j), c) : leads_away_from_all(i, j, -normal(c.face));
  }
  bool rises_over_all(const double* r, const Cone& c) const {
    const std::ptrdiff_t up = g_.nx;
    const double h = r[0] + c.equal;
    if (h - r[1] < c.x || h - r[-1] < -c.x || h - r[up] < c.y || h - r[-up] < -c.y || h - r[up + 1] < c.both ||
        h - r[-up - 1] < -c.both)
      return false;
    const double l = r[0] - c.equal;
    return l - r[1] > c.x || l - r[-1] > -c.x || l - r[up] > c.y || l - r[-up] > -c.y || l - r[up + 1] > c.both ||
           l - r[-up - 1] > -c.both;
  }
  [[gnu::noinline]] bool leads_away_from_all(int i, int j, Vec3 d) const {
    static constexpr int kTo[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const double h = *at(i, j), dx = d.x * g_.dx, dy = d.y * g_.dy;
    bool slopes = false;
    for (const auto& to : kTo) {
      const int u = i + to[0], v = j + to[1];
      if (u < 0 || v < 0 || u >= g_.nx || v >= g_.ny || std::isnan(*at(u, v))) {
        slopes = true;  // a border
        continue;
      }
      const double rise = dx * to[0] + dy * to[1] + d.z * (*at(u, v) - h);
      if (rise > kEqual) return false;
      slopes |= rise < -kEqual;
    }
    return slopes;
  }

  /// Corners of faces that look down.
  void corners() {
    std::uint64_t low = 0;
    for (int k = 0; k < s_.edge_count; ++k)
      if (looks_down(s_.edge[k].face) || looks_down(s_.edge[k].other))
        low |= std::uint64_t{1} << s_.edge[k].from | std::uint64_t{1} << s_.edge[k].to;
    for (; low != 0; low &= low - 1)
      if (const int v = std::countr_zero(low); !is_over_all(s_.vertex[v])) corner(s_.vertex[v], v);
  }

  void corner(Vec3 p, int number) {
    SurfaceSlope s;
    if (!f_.slope(p.x, p.y, s)) return;
    const double D = s.z - p.z;
    if (D < -margin_ * f_.steepness()) return;
    overlap_ |= D > 0;
    const Vec3 n = s.normal();
    const double depth = D * n.z;
    if (depth >= -margin_)
      out_.add({p + n * (0.5 * depth), -n, -depth,
                static_cast<std::uint32_t>(s.triangle / 2) * 64 + kOfCorner + static_cast<std::uint32_t>(number % 16)});
  }

  /// Deep corners may have a shorter way out than straight over them.
  void shorten(Contact& c) const {
    const double depth = -c.gap;
    if (c.feature % 64 < kOfCorner || depth <= 0.5 * std::min(g_.dx, g_.dy)) return;
    const Vec3 p = c.point + c.normal * (0.5 * depth);
    SurfacePoint q;
    if (!f_.closest(p, depth, q) || q.distance >= depth || q.distance <= 0) return;
    const Vec3 n = (q.p - p) * (1 / q.distance);
    c.point = p + n * (0.5 * q.distance), c.normal = -n, c.gap = -q.distance;
  }

  /// Edges of lower faces (1), as far as they are not above all of the terrain.
  void edges() {
    for (int k = 0; k < s_.edge_count; ++k) {
      const Hull::Edge& e = s_.edge[k];
      if (!looks_down(e.face) && !looks_down(e.other)) continue;
      const Vec3 p = s_.vertex[e.from], q = s_.vertex[e.to];
      double t0 = 0, t1 = 1;
      cut(highest_ + reach_ - p.z, q.z - p.z, t0, t1);
      const double over = p.z - sole_under(p);
      cut(highest_over_sole_ + reach_ - over, q.z - sole_under(q) - over, t0, t1);
      if (t0 < t1) walk(p, q - p, t0, t1, static_cast<std::uint32_t>(k % 12));
    }
  }
  /// Leaves of t0 ≤ t ≤ t1 where t by ≤ most.
  static void cut(double most, double by, double& t0, double& t1) {
    if (most < 0 && by >= 0) t1 = -1;
    if (most < 0 && by < 0) t0 = std::max(t0, most / by);
    if (most >= 0 && by > most) t1 = std::min(t1, most / by);
  }

  /// The part t0 ≤ t ≤ t1 of an edge p + t e; u and v count cells.
  struct Line {
    Vec3 p, e;
    double t0, t1;
    double u, v, du, dv;
    double flat;  // change of D along e that is none
    std::uint32_t id;
  };

  /// Crossings with lines u = k, v = k and u − v = k of the grid.
  void walk(Vec3 p, Vec3 e, double t0, double t1, std::uint32_t id) {
    const Line l{p, e, t0, t1, f_.u_of(p.x), f_.v_of(p.y), e.x * f_.inv_dx(), e.y * f_.inv_dy(), kFlat * norm(e), id};
    lines<0>(l, l.u, l.du, l.v, l.dv);
    lines<1>(l, l.v, l.dv, l.u, l.du);
    lines<2>(l, l.u - l.v, l.du - l.dv, l.u, l.du);
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
    int k = static_cast<int>(lo), last = static_cast<int>(hi);
    k += k<lo, last -= last> hi;
    if (k > last) return;
    const double inverse = 1 / by, dw = along * inverse,
                 w0 = other - from * dw;  // w, and z of the edge, as linear in k
    const double dz = l.e.z * inverse, z0 = l.p.z - from * dz - 2 * margin_;
    constexpr int di = kind == 0 ? 0 : 1, dj = kind == 1 ? 0 : 1;
    constexpr int crest = kind == 0   ? HeightField::ridge_along_y
                          : kind == 1 ? HeightField::ridge_along_x
                                      : HeightField::ridge_on_diagonal;
    const double* z = g_.z.data();
    const std::uint8_t* crests = f_.crests(0);
    const std::ptrdiff_t nx = g_.nx;
    double w = w0 + k * dw, low = z0 + k * dz;
    for (; k <= last; ++k, w += dw, low += dz) {
      if (!Plain && !(w >= 0 && w < (kind == 0 ? g_.ny : g_.nx) - 1)) continue;
      const int m = static_cast<int>(w), i = kind == 0 ? k : m, j = kind == 0 ? m : kind == 1 ? k : m - k;
      if (!Plain && (i < 0 || j < 0 || i + di >= g_.nx || j + dj >= g_.ny)) continue;
      const std::ptrdiff_t node = j * nx + i;
      if (!(crests[node] & crest)) continue;
      const double *r = z + node, h = r[0] + (w - m) * (r[dj * nx + di] - r[0]);
      if (h >= low) crossing<kind>(l, (k - from) * inverse, i, j, r, h);  // unknown ones compare false
    }
  }

  template <int kind>
  void crossing(const Line& l, double t, int i, int j, const double* r, double h) {
    const bool second = solid(i, j), first = kind == 2 ? second : kind == 0 ? solid(i - 1, j) : solid(i, j - 1);
    if (!first && !second) return;
    const double D = h - (l.p.z + t * l.e.z);
    overlap_ |= D > 0;
    if (!is_ridge<kind>(l, r, first, second) || D > thickness() + margin_) return;
    constexpr int di = kind == 0 ? 0 : 1, dj = kind == 1 ? 0 : 1;
    Vec3 n = cross(l.e, Vec3{di * g_.dx, dj * g_.dy, r[dj * g_.nx + di] - r[0]});
    const double size = norm(n);
    if (size * kFlat < 1e-6 * l.flat * (g_.dx + g_.dy)) return;  // along the line: its ends speak for it
    n = n * ((n.z < 0 ? -1 : 1) / size);
    const double depth = D * n.z;
    const Vec3 q{l.p.x + t * l.e.x, l.p.y + t * l.e.y, h};
    if (depth >= -margin_) out_.add({q - n * (0.5 * depth), -n, -depth, feature(i, j, kind) + 4 + l.id * 3});
  }

  /// Is D largest there along the edge? Not in hollows, nor on flat ground, where nodes and corners speak. D changes
  /// with the slopes of the triangles on both sides of the grid's line: the first is left of u = k, below v = k, above
  /// the diagonal. r: heights from the line's first node on.
  template <int kind>
  bool is_ridge(const Line& l, const double* r, bool has_first, bool has_second) const {
    const std::ptrdiff_t up = g_.nx;
    const bool forward = (kind == 0 ? l.du : kind == 1 ? l.dv : l.du - l.dv) > 0;  // from the first to the second
    double first = forward ? 1 : -1, second = -first;  // dD/dt; where there is no ground, D falls
    if constexpr (kind == 0) {
      if (has_first) first = (r[0] - r[-1]) * l.du + (r[up] - r[0]) * l.dv - l.e.z;
      if (has_second) second = (r[up + 1] - r[up]) * l.du + (r[up] - r[0]) * l.dv - l.e.z;
    } else if constexpr (kind == 1) {
      if (has_first) first = (r[1] - r[0]) * l.du + (r[0] - r[-up]) * l.dv - l.e.z;
      if (has_second) second = (r[1] - r[0]) * l.du + (r[up + 1] - r[1]) * l.dv - l.e.z;
    } else {
      first = (r[up + 1] - r[up]) * l.du + (r[up] - r[0]) * l.dv - l.e.z;
      second = (r[1] - r[0]) * l.du + (r[up + 1] - r[1]) * l.dv - l.e.z;
    }
    const double before = forward ? first : second, after = forward ? second : first;
    return before >= -l.flat && after <= l.flat && (before > l.flat || after < -l.flat);
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
      if (nz_[k] > kUpward) above = std::min(above, d);
    }
    return thickness_ = below + above;
  }

  const HeightField& f_;
  const HeightGrid& g_;
  const Polyhedron& s_;
  const HeightField::Window& w_;  // cells under the shape
  double margin_;
  double reach_;  // straight up, what is farther is beyond margin                               [m]
  Candidates& out_;
  double nz_[Polyhedron::kFaceMax];  // z of the faces' normals in A
  Cone cone_[Polyhedron::kFaceMax];  // of faces that look down or to the side and that a node may point at
  int cone_count_ = 0;
  int sole_ = 0;                                // the face that looks down most
  Vec3 sole_z_{0, 0, 0};                        // its plane: z = x X + y Y + z
  double highest_ = 0, highest_over_sole_ = 0;  // of the terrain under the shape, and over the sole's plane [m]
  double thickness_ = -1;  // of the shape, straight up; −1: not asked yet                       [m]
  bool overlap_ = false;   // a crest is inside the shape, or a corner or an edge below the surface
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
  const bool plain =
      !field.has_holes() && w.i0 > 0 && w.j0 > 0 && w.i1 + 1 < field.cells_x() && w.j1 + 1 < field.cells_y();
  return plain ? PolyhedronOnTerrain<true>(field, s, w, margin, out).run()
               : PolyhedronOnTerrain<false>(field, s, w, margin, out).run();
}

}  // namespace gradus
