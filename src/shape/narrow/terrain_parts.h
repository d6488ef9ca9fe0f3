/// What shapes on terrain have in common: the part of the field under them, corners against faces, crossings of their
/// edges with ridges, nodes that point at them.
///
/// Terrain is solid below its surface z = f(x, y); D = f − z is how deep a point of the shape lies, straight up. Along
/// an edge of the shape D has its maxima at ends and over ridges, where
///   dD/dt ≥ 0 before and ≤ 0 behind the ridge;                                                                     (1)
/// the contact there has the common normal n of edge and ridge, and depth D n_z along it.
#pragma once
#include <bit>
#include <cmath>

#include "shape/narrow/manifold.h"
#include "shape/height_field.h"

namespace gradus {

namespace terrain {
inline constexpr double kEqual = 1e-12;         // [m] heights that differ less are equal
inline constexpr double kFlat = 1e-7;           // slope along an edge that is none
inline constexpr double kUpward = 1e-9;         // a face that looks up (z of its normal) is no way out of the ground
inline constexpr std::uint32_t kOfCorner = 48;  // features from here on are corners of the shape

/// Kinds of grid lines: u = k (along y), v = k (along x), u − v = k (diagonals). From its first node a line leads on by
/// (di, dj).
template <int kind>
inline constexpr int di = kind == 0 ? 0 : 1;
template <int kind>
inline constexpr int dj = kind == 1 ? 0 : 1;
template <int kind>
inline constexpr int crest = kind == 0   ? HeightField::ridge_along_y
                             : kind == 1 ? HeightField::ridge_along_x
                                         : HeightField::ridge_on_diagonal;
}  // namespace terrain

/// Plain: all cells around the shape are there, so that nothing has to be asked about borders and holes.
template <bool Plain>
class OnTerrain {
 protected:
  OnTerrain(const HeightField& field, const HeightField::Window& w, double margin, Candidates& out)
      : f_(field),
        g_(field.grid()),
        w_(w),
        margin_(margin),
        reach_(margin * std::max(2.0, field.steepness())),
        out_(out),
        z_(field.grid().z.data()),
        nx_(field.grid().nx) {}

  const double* at(int i, int j) const { return z_ + j * nx_ + i; }
  Vec3 place(int i, int j) const { return {g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, *at(i, j)}; }
  bool solid(int i, int j) const {
    return Plain || (i >= 0 && j >= 0 && i < f_.cells_x() && j < f_.cells_y() && !f_.is_hole(i, j));
  }
  bool is_ground(int i, int j) const {
    return solid(i, j) || solid(i - 1, j) || solid(i, j - 1) || solid(i - 1, j - 1);
  }
  /// Are the triangles on both sides of a grid line there? The first is left of u = k, below v = k, above the diagonal.
  template <int kind>
  bool has_first(int i, int j) const {
    return kind == 0 ? solid(i - 1, j) : kind == 1 ? solid(i, j - 1) : solid(i, j);
  }
  std::uint32_t feature(int i, int j, std::uint32_t kind) const {
    return static_cast<std::uint32_t>(j * g_.nx + i) * 64 + kind;
  }

  /// The sole is a plane through p with normal n (upwards) that has the whole shape above it, best the steepest such.
  void set_sole(Vec3 p, Vec3 n) {
    const double inverse = 1 / n.z;
    sole_ = {-n.x * inverse, -n.y * inverse, dot(n, p) * inverse};
    sole_reach_ = std::max(reach_, margin_ * inverse) + 1e-9;
  }
  /// Height of the sole over a place.
  double sole_under(double x, double y) const { return sole_.x * x + sole_.y * y + sole_.z; }
  double over_sole(Vec3 p) const { return p.z - sole_under(p.x, p.y); }
  /// Is p farther above the sole than all terrain?
  bool is_over_sole(Vec3 p) const { return over_sole(p) > highest_over_sole_ + reach_; }
  /// Can a part of the shape of which p is the lowest point, and the nearest to the sole, touch no terrain?
  bool is_over_all(Vec3 p) const { return p.z > highest_ + reach_ || is_over_sole(p); }

  /// Bit k: node (i + k, j) is not below the sole by more than the reach. What lies between nodes below is no higher,
  /// and what else the shape has is no lower, so if no node is near nothing touches.
  std::uint64_t near_sole(int i, int j, int count) {
    const double low = sole_under(g_.x0 + i * g_.dx, g_.y0 + j * g_.dy) - sole_reach_;
    const std::uint64_t near = f_.nodes_above(i, j, count, low, sole_.x * g_.dx, tops_);
    is_near_ |= near != 0;
    return near;
  }
  void end_sweep() { highest_ = tops_.of(tops_.z), highest_over_sole_ = tops_.of(tops_.over) - sole_reach_; }

  /// Seen from a face with outward normal n, how far (i, j) must rise above its neighbours at +x, +y and both to point
  /// at the face.
  struct Cone {
    Vec3 n;
    double x, y, both, equal;
  };
  Cone cone_of(Vec3 n) const {
    const double up = -n.z, by = up > terrain::kUpward ? -1 / up : 0, x = n.x * g_.dx * by, y = n.y * g_.dy * by;
    return {n, x, y, x + y, terrain::kEqual / std::max(up, terrain::kUpward)};
  }
  /// Does no node point at faces with that z of their normals: is the terrain nowhere as steep?
  bool is_too_steep(double nz) const { return Plain && -nz * f_.steepness() < 1 - 1e-9 && f_.is_gentle(); }

  /// Does the terrain end at its node (i, j), seen from a face: do all edges from there lead away from it, and not all
  /// along a flat? Inside flats the corners of the shape and of the flat speak.
  bool points_out(int i, int j, const Cone& c) const {
    return Plain && c.n.z < -terrain::kUpward ? rises_over_all(at(i, j), c) : leads_away_from_all(i, j, -c.n);
  }
  bool rises_over_all(const double* r, const Cone& c) const {
    const std::ptrdiff_t up = nx_;
    const double h = r[0] + c.equal, l = r[0] - c.equal;
    const bool rises = (h - r[1] >= c.x) & (h - r[-1] >= -c.x) & (h - r[up] >= c.y) & (h - r[-up] >= -c.y) &
                       (h - r[up + 1] >= c.both) & (h - r[-up - 1] >= -c.both);  // together: no branch to guess
    return rises && (l - r[1] > c.x || l - r[-1] > -c.x || l - r[up] > c.y || l - r[-up] > -c.y ||
                     l - r[up + 1] > c.both || l - r[-up - 1] > -c.both);
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
      if (rise > terrain::kEqual) return false;
      slopes |= rise < -terrain::kEqual;
    }
    return slopes;
  }

  /// A corner p of the shape against the triangle over it.
  void corner(Vec3 p, std::uint32_t number) {
    SurfaceSlope s;
    if (!f_.slope(p.x, p.y, s)) return;
    const double D = s.z - p.z;
    if (D < -margin_ * f_.steepness()) return;
    overlap_ |= D > 0;
    const Vec3 n = s.normal();
    const double depth = D * n.z;
    if (depth >= -margin_)
      out_.add({p + n * (0.5 * depth), -n, -depth,
                static_cast<std::uint32_t>(s.triangle / 2) * 64 + terrain::kOfCorner + number % 16});
  }

  /// How an edge of the shape passes a place: e is a change of position, du and dv that in cells.
  struct Heading {
    Vec3 e;
    double du, dv;
    double flat;  // change of D along e that is none
  };
  Heading heading(Vec3 e) const { return {e, e.x * f_.inv_dx(), e.y * f_.inv_dy(), terrain::kFlat * norm(e)}; }

  /// The place w along line k, in cells: the line's node before it, and its height.
  struct OnLine {
    int i, j;
    double h;
  };
  template <int kind>
  OnLine on_line(int k, double w) const {
    const int m = static_cast<int>(w), i = kind == 0 ? k : m, j = kind == 0 ? m : kind == 1 ? k : m - k;
    const double* r = at(i, j);
    return {i, j, r[0] + (w - m) * (r[terrain::dj<kind> * nx_ + terrain::di<kind>] - r[0])};
  }
  template <int kind>
  bool on_grid(int k, double w) const {
    if (!(w >= 0 && w < (kind == 0 ? g_.ny : g_.nx) - 1)) return false;
    const int m = static_cast<int>(w), i = kind == 0 ? k : m, j = kind == 0 ? m : kind == 1 ? k : m - k;
    return i >= 0 && j >= 0 && i + terrain::di<kind> < g_.nx && j + terrain::dj<kind> < g_.ny;
  }

  /// An edge of the shape passes through (x, y, h − D) over a grid line at height h, D deep. r: heights from the line's
  /// first node on. D most: deeper, it is a wall, where corners speak.
  template <int kind>
  void crossing(const Heading& l, double x, double y, double h, double D, double most, int i, int j, std::uint32_t id) {
    const double* r = at(i, j);
    overlap_ |= D > 0;
    if (!is_ridge<kind>(l, r, has_first<kind>(i, j), solid(i, j)) || D > most) return;
    constexpr int di = terrain::di<kind>, dj = terrain::dj<kind>;
    Vec3 n = cross(l.e, Vec3{di * g_.dx, dj * g_.dy, r[dj * nx_ + di] - r[0]});
    const double size = norm(n);
    if (size * terrain::kFlat < 1e-6 * l.flat * (g_.dx + g_.dy)) return;  // along the line: its ends speak for it
    n = n * ((n.z < 0 ? -1 : 1) / size);
    const double depth = D * n.z;
    const Vec3 q{x, y, h};
    if (depth >= -margin_) out_.add({q - n * (0.5 * depth), -n, -depth, feature(i, j, kind) + id});
  }

  /// (1). Not in hollows, nor on flat ground, where nodes and corners speak. D changes with the slopes of the triangles
  /// on both sides of the grid's line.
  template <int kind>
  bool is_ridge(const Heading& l, const double* r, bool has_first, bool has_second) const {
    const std::ptrdiff_t up = nx_;
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
    return (before >= -l.flat) & (after <= l.flat) & ((before > l.flat) | (after < -l.flat));
  }

  /// Leaves the four best contacts. Corners that are deep may have a shorter way out than straight over them. False:
  /// they overlap in a way that gave no contact, ask the triangles.
  bool finish() {
    if (out_.count == 0) return !overlap_;
    out_.thin();
    for (int i = 0; i < out_.count; ++i) shorten(out_.c[i]);
    return true;
  }
  void shorten(Contact& c) const {
    const double depth = -c.gap;
    if (c.feature % 64 < terrain::kOfCorner || depth <= 0.5 * std::min(g_.dx, g_.dy)) return;
    const Vec3 p = c.point + c.normal * (0.5 * depth);
    SurfacePoint q;
    if (!f_.closest(p, depth, q) || q.distance >= depth || q.distance <= 0) return;
    const Vec3 n = (q.p - p) * (1 / q.distance);
    c.point = p + n * (0.5 * q.distance), c.normal = -n, c.gap = -q.distance;
  }

  const HeightField& f_;
  const HeightGrid& g_;
  const HeightField::Window w_;  // cells under the shape
  double margin_;
  double reach_;  // straight up, what is farther is beyond margin                               [m]
  Candidates& out_;
  const double* z_;                             // heights, row by row                                          [m]
  std::ptrdiff_t nx_;                           // nodes of a row
  bool overlap_ = false;                        // a crest is inside the shape, or a corner or an edge below the surface
  bool is_near_ = false;                        // some node is near the sole
  double highest_ = 0, highest_over_sole_ = 0;  // of the terrain under the shape, by end_sweep           [m]

 private:
  Vec3 sole_{0, 0, 0};  // the plane z = sole.x x + sole.y y + sole.z
  double sole_reach_ = 0;
  HeightField::Tops tops_;
};

/// Are all cells of a window and around it there?
inline bool is_plain(const HeightField& f, const HeightField::Window& w) {
  return !f.has_holes() && w.i0 > 0 && w.j0 > 0 && w.i1 + 1 < f.cells_x() && w.j1 + 1 < f.cells_y();
}

}  // namespace gradus
