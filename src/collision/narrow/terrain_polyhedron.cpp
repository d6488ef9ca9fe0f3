#include "collision/narrow/terrain_polyhedron.h"

#include <cmath>

#include "collision/shape/hull.h"

namespace gradus {
namespace {

constexpr double kEqual = 1e-12;  // [m] heights that differ less are equal
constexpr double kFlat = 1e-7;    // slope along an edge that is none
constexpr double kUpward = 1e-9;  // a face that looks up (z of its normal) is no way out of the ground

/// Plain: all cells around the shape are there, so that nothing has to be asked about borders and holes.
template <bool Plain>
class PolyhedronOnTerrain {
 public:
  PolyhedronOnTerrain(const HeightField& field, const FieldPolyhedron& shape, const Box3& box, double highest,
                      double margin, Candidates& out)
      : f_(field), g_(field.grid()), s_(shape), box_(box), highest_(highest), margin_(margin), out_(out) {}

  bool run() {
    sort_faces();
    thickness_ = thickness();
    nodes();
    corners();
    edges();
    return out_.count > 0 || (!overlap_ && !holds_node());
  }

 private:
  const double* at(int i, int j) const {
    return g_.z.data() + static_cast<std::ptrdiff_t>(j) * g_.nx + i;
  }
  bool solid(int i, int j) const {
    return Plain || (i >= 0 && j >= 0 && i < f_.cells_x() && j < f_.cells_y() && !f_.is_hole(i, j));
  }
  std::uint32_t feature(int i, int j, std::uint32_t kind) const {
    return static_cast<std::uint32_t>(j * g_.nx + i) * 64 + kind;
  }

  /// Faces that look down come first: most nodes that are outside are outside those. Level ones follow.
  void sort_faces() {
    int n = 0;
    const auto put = [&](auto&& wanted) {
      for (int k = 0; k < s_.face_count; ++k)
        if (wanted(s_.face[k].n.z)) order_[n++] = k;
      return n;
    };
    lower_count_ = put([](double z) { return z < -kUpward; });
    level_count_ = put([](double z) { return std::abs(z) <= kUpward; });
    put([](double z) { return z > kUpward; });
    for (int k = 0; k < level_count_; ++k) cone_[k] = cone_of(face(k).n);
  }
  const FieldPolyhedron::Face& face(int k) const { return s_.face[order_[k]]; }
  bool looks_down(int k) const { return s_.face[k].n.z < -kUpward; }

  /// Only nodes in which the terrain ends, seen from some lower or level face, are corners of what they share; most are
  /// none, which is asked first.
  void nodes() {
    const HeightField::Window w = f_.node_window(box_.lo, box_.hi);
    const double lowest = box_.lo.z - margin_;
    for (int j = w.j0; j <= w.j1; ++j) {
      const double* row = at(0, j);
      for (int i = w.i0; i <= w.i1; ++i)
        if (row[i] >= lowest && is_corner(i, j)) meet_node(i, j);  // unknown ones compare false
    }
  }
  bool is_corner(int i, int j) const {
    for (int k = 0; k < level_count_; ++k)
      if (points_out(i, j, k)) return true;
    return false;
  }

  /// The node leaves by the nearest face against which the terrain points. Not if straight up is shorter: then it is no
  /// corner of what they share.
  void meet_node(int i, int j) {
    const Vec3 q{g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, *at(i, j)};
    double d[FieldPolyhedron::kFaceMax];
    double depth = depth_in(q, d) + kEqual;
    if (depth < -1e8 || !is_ground(i, j)) return;
    int best = -1;
    for (int k = 0; k < level_count_; ++k)
      if (d[k] < depth && points_out(i, j, k)) depth = d[k], best = k;
    if (best >= 0)
      out_.add({q + face(best).n * (0.5 * depth), face(best).n, -depth, feature(i, j, 40)});
  }
  bool is_ground(int i, int j) const { return solid(i, j) || solid(i - 1, j) || solid(i, j - 1) || solid(i - 1, j - 1); }

  /// From q straight down to the shape's lower side; −1e9 if q is farther than margin from the shape. d: from each face.
  double depth_in(Vec3 q, double* d) const {
    double straight = 1e9;
    for (int k = 0; k < s_.face_count; ++k) {
      d[k] = face(k).offset - dot(face(k).n, q);
      if (d[k] < -margin_) return -1e9;
    }
    for (int k = 0; k < lower_count_; ++k) straight = std::min(straight, d[k] / -face(k).n.z);
    return straight;
  }

  /// Any node inside the shape?
  bool holds_node() const {
    const HeightField::Window w = f_.node_window(box_.lo, box_.hi);
    double d[FieldPolyhedron::kFaceMax];
    for (int j = w.j0; j <= w.j1; ++j)
      for (int i = w.i0; i <= w.i1; ++i) {
        const double h = *at(i, j);
        if (h >= box_.lo.z && is_ground(i, j) && depth_in({g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, h}, d) > 0) return true;
      }
    return false;
  }

  /// Seen from a face, how far (i, j) must rise above its neighbours at +x, +y and both to point at the face.
  struct Cone {
    double x, y, both, equal;
    bool empty;  // no node does: the terrain is nowhere as steep as the face
  };
  Cone cone_of(Vec3 n) const {
    const double up = -n.z, x = up > kUpward ? -n.x * g_.dx / up : 0, y = up > kUpward ? -n.y * g_.dy / up : 0;
    return {x, y, x + y, kEqual / std::max(up, kUpward), Plain && up * f_.steepness() < 1 - 1e-9 && f_.is_gentle()};
  }

  /// Does the terrain end at its node (i, j), seen from face k: do all edges from there lead away from it, and not all
  /// along a flat? Inside flats the corners of the shape and of the flat speak.
  bool points_out(int i, int j, int k) const {
    if (cone_[k].empty) return false;
    return Plain && k < lower_count_ ? rises_over_all(at(i, j), cone_[k]) : leads_away_from_all(i, j, -face(k).n);
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
  bool leads_away_from_all(int i, int j, Vec3 d) const {
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
    bool low[FieldPolyhedron::kVertexMax] = {};
    for (int k = 0; k < s_.edge_count; ++k)
      if (looks_down(s_.edge[k].face) || looks_down(s_.edge[k].other)) low[s_.edge[k].from] = low[s_.edge[k].to] = true;
    for (int v = 0; v < s_.vertex_count; ++v)
      if (low[v] && s_.vertex[v].z <= highest_ + f_.steepness() * margin_) corner(s_.vertex[v], v);
  }

  void corner(Vec3 p, int number) {
    SurfaceSlope s;
    if (!f_.slope(p.x, p.y, s)) return;
    const double D = s.z - p.z;
    if (D < -margin_ * f_.steepness()) return;
    overlap_ |= D > 0;
    Vec3 n = s.normal();
    double depth = D * n.z;
    if (depth > 0.5 * std::min(g_.dx, g_.dy)) nearer_exit(p, depth, n);
    if (depth >= -margin_)
      out_.add({p + n * (0.5 * depth), -n, -depth,
                static_cast<std::uint32_t>(s.triangle / 2) * 64 + 48 + static_cast<std::uint32_t>(number % 16)});
  }

  /// Deep corners may have a shorter way out than straight over them.
  void nearer_exit(Vec3 p, double& depth, Vec3& n) const {
    SurfacePoint q;
    if (!f_.closest(p, depth, q) || q.distance >= depth || q.distance <= 0) return;
    depth = q.distance;
    n = (q.p - p) * (1 / q.distance);
  }

  /// Edges of lower faces (1).
  void edges() {
    for (int k = 0; k < s_.edge_count; ++k) {
      const FieldPolyhedron::Edge& e = s_.edge[k];
      if (!looks_down(e.face) && !looks_down(e.other)) continue;
      const Vec3 p = s_.vertex[e.from], q = s_.vertex[e.to];
      if (std::min(p.z, q.z) <= highest_ + 2 * margin_) walk(p, q - p, static_cast<std::uint32_t>(k % 12));
    }
  }

  /// An edge p + t e, 0 ≤ t ≤ 1; u and v count cells.
  struct Line {
    Vec3 p, e;
    double u, v, du, dv;
    std::uint32_t id;
  };

  /// Crossings with lines u = k, v = k and u − v = k of the grid.
  void walk(Vec3 p, Vec3 e, std::uint32_t id) {
    const Line l{p, e, f_.u_of(p.x), f_.v_of(p.y), e.x * f_.inv_dx(), e.y * f_.inv_dy(), id};
    lines<0>(l, l.u, l.du, l.v, l.dv);
    lines<1>(l, l.v, l.dv, l.u, l.du);
    lines<2>(l, l.u - l.v, l.du - l.dv, l.u, l.du);
  }

  /// Those of one kind, where from + t by = k. 0: on the line u = k at v = w; 1: on v = k at u = w; 2: on the diagonal
  /// u − v = k at u = w; w = other + t along. Most lie above the terrain, and are left before anything else is asked.
  template <int kind>
  void lines(const Line& l, double from, double by, double other, double along) {
    if (std::abs(by) < 1e-9) return;
    const double most = g_.nx + g_.ny + 2, lo = std::max(std::min(from, from + by), -most),
                 hi = std::min(std::max(from, from + by), most);
    int k = static_cast<int>(lo);
    k += k < lo;
    if (k > hi) return;
    const double inverse = 1 / by, dw = along * inverse, w0 = other - from * dw;  // w, and z of the edge, as linear in k
    const double dz = l.e.z * inverse, z0 = l.p.z - from * dz - 2 * margin_;
    for (; k <= hi; ++k) {
      constexpr int di = kind == 0 ? 0 : 1, dj = kind == 1 ? 0 : 1;
      const double x = k, w = w0 + x * dw;
      if (!Plain && !(w >= 0 && w < (kind == 0 ? g_.ny : g_.nx) - 1)) continue;
      const int m = static_cast<int>(w), i = kind == 0 ? k : m, j = kind == 0 ? m : kind == 1 ? k : m - k;
      if (!Plain && (i < 0 || j < 0 || i + di >= g_.nx || j + dj >= g_.ny)) continue;
      const double *r = at(i, j), h = r[0] + (w - m) * (r[dj * g_.nx + di] - r[0]);
      if (h >= z0 + x * dz) crossing<kind>(l, (x - from) * inverse, i, j, r, h);  // unknown ones compare false
    }
  }

  template <int kind>
  void crossing(const Line& l, double t, int i, int j, const double* r, double h) {
    constexpr int di = kind == 0 ? 0 : 1, dj = kind == 1 ? 0 : 1;
    const double D = h - (l.p.z + t * l.e.z);
    const bool second = solid(i, j), first = kind == 2 ? second : kind == 0 ? solid(i - 1, j) : solid(i, j - 1);
    if (!first && !second) return;
    overlap_ |= D > 0;
    if (D > thickness_ + margin_ || !is_ridge<kind>(l, r, first, second)) return;
    const Vec3 q{l.p.x + t * l.e.x, l.p.y + t * l.e.y, h};
    Vec3 n = cross(l.e, Vec3{di * g_.dx, dj * g_.dy, r[dj * g_.nx + di] - r[0]});
    const double size = norm(n);
    if (size < 1e-6 * norm(l.e) * (g_.dx + g_.dy)) return;  // along the line: its ends speak for it
    n = n * ((n.z < 0 ? -1 : 1) / size);
    const double depth = D * n.z;
    if (depth >= -margin_) out_.add({q - n * (0.5 * depth), -n, -depth, feature(i, j, kind) + 4 + l.id * 3});
  }

  /// Is D largest there along the edge? Not in hollows, nor on flat ground, where nodes and corners speak. D changes with
  /// the slopes of the triangles on both sides of the grid's line: the first is left of u = k, below v = k, above the
  /// diagonal. r: heights from the line's first node on.
  template <int kind>
  bool is_ridge(const Line& l, const double* r, bool has_first, bool has_second) const {
    const std::ptrdiff_t up = g_.nx;
    double first = 0, second = 0;  // dD/dt
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
    const bool forward = (kind == 0 ? l.du : kind == 1 ? l.dv : l.du - l.dv) > 0;
    // both seen from the crossing: falls if negative; where there is no ground, D falls
    const double back = forward ? (has_first ? -first : -1) : (has_second ? -second : -1);
    const double ahead = forward ? (has_second ? second : -1) : (has_first ? first : -1);
    const double flat = kFlat * norm(l.e);
    return back <= flat && ahead <= flat && (back < -flat || ahead < -flat);
  }

  /// Straight through the middle of the shape: terrain that is higher than that over an edge is a wall, where the
  /// corners speak.
  double thickness() const {
    Vec3 middle{0, 0, 0};
    for (int v = 0; v < s_.vertex_count; ++v) middle += s_.vertex[v] * (1.0 / s_.vertex_count);
    double below = 1e9, above = 1e9;
    for (int k = 0; k < s_.face_count; ++k) {
      const double d = face(k).offset - dot(face(k).n, middle);
      if (k < lower_count_) below = std::min(below, d / -face(k).n.z);
      if (k >= level_count_) above = std::min(above, d / face(k).n.z);
    }
    return below + above;
  }

  const HeightField& f_;
  const HeightGrid& g_;
  const FieldPolyhedron& s_;
  const Box3& box_;  // around the shape
  double highest_;   // of the terrain under it                                                 [m]
  double margin_;
  Candidates& out_;
  int order_[FieldPolyhedron::kFaceMax];  // faces: those that look down, level ones, those that look up
  Cone cone_[FieldPolyhedron::kFaceMax];   // of the first two groups
  int lower_count_ = 0, level_count_ = 0;  // ends of the first two groups
  double thickness_ = 0;                   // of the shape, straight up                               [m]
  bool overlap_ = false;                   // a corner or an edge is below the surface
};

/// Highest node of the cells in a window.
double highest_of(const HeightGrid& g, const HeightField::Window& w) {
  double top = -std::numeric_limits<double>::infinity();
  for (int j = w.j0; j <= w.j1 + 1; ++j) {
    const double* row = g.z.data() + static_cast<std::ptrdiff_t>(j) * g.nx;
    for (int i = w.i0; i <= w.i1 + 1; ++i) top = row[i] > top ? row[i] : top;  // unknown ones compare false
  }
  return top;
}

void put_box(Vec3 half, const Pose& X, FieldPolyhedron& out) {
  out.vertex_count = 8, out.face_count = 6, out.edge_count = 12;
  for (int k = 0; k < 8; ++k)
    out.vertex[k] = X * Vec3{k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
  const Vec3 axes[3] = {X.R.x, X.R.y, X.R.z};
  for (int a = 0; a < 3; ++a) {
    const double middle = dot(axes[a], X.p), reach = component(half, a);
    out.face[2 * a] = {-axes[a], reach - middle};
    out.face[2 * a + 1] = {axes[a], reach + middle};
  }
  for (int a = 0, n = 0; a < 3; ++a)
    for (int k = 0; k < 4; ++k) {  // the four edges along axis a, k: sides of the other two
      const int b = (a + 1) % 3, c = (a + 2) % 3, sb = k & 1, sc = k >> 1, from = (sb << b) | (sc << c);
      out.edge[n++] = {from, from | (1 << a), 2 * b + sb, 2 * c + sc};
    }
}

}  // namespace

bool to_field_polyhedron(const Shape& s, const Pose& X_AS, FieldPolyhedron& out) {
  if (s.kind == SolidKind::box) return put_box(s.half, X_AS, out), true;
  if (s.kind != SolidKind::hull || s.hull->vertices.size() > FieldPolyhedron::kVertexMax) return false;
  const Hull& h = *s.hull;
  out.vertex_count = static_cast<int>(h.vertices.size());
  out.face_count = h.face_count();
  out.edge_count = static_cast<int>(h.edges.size());
  for (int v = 0; v < out.vertex_count; ++v) out.vertex[v] = X_AS * h.vertices[static_cast<std::size_t>(v)];
  for (int f = 0; f < out.face_count; ++f) {
    const Vec3 n = X_AS.R * h.face_normal[static_cast<std::size_t>(f)];
    out.face[f] = {n, h.face_offset[static_cast<std::size_t>(f)] + dot(n, X_AS.p)};
  }
  for (int k = 0; k < out.edge_count; ++k) {
    const Hull::Edge& e = h.edges[static_cast<std::size_t>(k)];
    out.edge[k] = {e.from, e.to, e.face, e.other};
  }
  return true;
}

bool field_against_polyhedron(const HeightField& field, const FieldPolyhedron& shape, double margin, Candidates& out) {
  Box3 box = empty_box();
  for (int v = 0; v < shape.vertex_count; ++v) include(box, shape.vertex[v]);
  const HeightField::Window w = field.window(box.lo.x, box.hi.x, box.lo.y, box.hi.y);
  if (w.i1 < w.i0 || w.j1 < w.j0) return true;
  const double highest = highest_of(field.grid(), w);
  if (box.lo.z > highest + field.steepness() * margin) return true;
  const bool plain = !field.has_holes() && w.i0 > 0 && w.j0 > 0 && w.i1 + 1 < field.cells_x() && w.j1 + 1 < field.cells_y();
  return plain ? PolyhedronOnTerrain<true>(field, shape, box, highest, margin, out).run()
               : PolyhedronOnTerrain<false>(field, shape, box, highest, margin, out).run();
}

}  // namespace gradus
