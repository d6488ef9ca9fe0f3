/// Terrain on a regular grid: solid below its surface, looked up by cell, with holes.
///
/// Node (i, j) lies at (x0 + i dx, y0 + j dy, z). Each cell is two triangles, split along the diagonal from (i, j) to
/// (i + 1, j + 1): triangle 2c = (00, 10, 11) and 2c + 1 = (00, 11, 01) of cell c = j (nx − 1) + i. What is drawn must
/// use the same split. Outside its rectangle and over holes there is no ground.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "shape/triangle.h"
#include "base/result.h"
#include "model/height_grid.h"

namespace gradus {

/// The surface over a place: height and gradient of the triangle there.
struct SurfaceSlope {
  double z;       // [m]
  double gx, gy;  // dz/dx, dz/dy
  int triangle;
  Vec3 normal() const {
    const double s = 1 / square_root(1 + gx * gx + gy * gy);
    return {-gx * s, -gy * s, s};
  }
};

/// Two neighbours of a row.
inline Two load_pair(const double* r) {
  Two::V v;
  std::memcpy(&v, r, sizeof v);
  return v;
}

/// Slopes of both triangles of a cell.
struct SlopePair {
  Two gx, gy;  // dz/dx, dz/dy
};

class HeightField {
 public:
  static Result<HeightField> build(HeightGrid grid, UnknownHeights unknown = UnknownHeights::hole);

  const HeightGrid& grid() const { return g_; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  bool is_hole(int i, int j) const { return hole_[static_cast<std::size_t>(j) * (g_.nx - 1) + i] != 0; }
  bool has_holes() const { return has_holes_; }
  double u_of(double x) const { return (x - g_.x0) * inv_dx_; }  // in cells from node (0, 0)
  double v_of(double y) const { return (y - g_.y0) * inv_dy_; }
  double inv_dx() const { return inv_dx_; }  // [1/m]
  double inv_dy() const { return inv_dy_; }
  int cells_x() const { return g_.nx - 1; }
  int cells_y() const { return g_.ny - 1; }

  /// How many times farther it is straight up than along the normal, where the surface is steepest; 8 at most.
  double steepness() const { return steepness_; }
  static constexpr double kSteepnessMax = 8;  // walls steeper than that are met when they touch, not before
  bool is_gentle() const { return steepness_ < kSteepnessMax; }

  /// Where a shape from above can touch the surface other than with a corner of its own: nodes that are a peak or lie
  /// on a ridge, and edges of the grid that are a ridge (or end the ground). Elsewhere the surface is hollow or flat,
  /// and something beside the place is as near. On rough ground most nodes and half of the edges are none.
  enum Crest : std::uint8_t {
    peak = 1,              // node (i, j)
    ridge_along_y = 2,     // from node (i, j) to (i, j + 1)
    ridge_along_x = 4,     // to (i + 1, j)
    ridge_on_diagonal = 8  // to (i + 1, j + 1)
  };
  /// Sums of Crest for the nodes of row j.
  const std::uint8_t* crests(int j) const { return crest_.data() + static_cast<std::ptrdiff_t>(j) * g_.nx; }
  /// Bit k: node (i + k, j) is such a crest, for k < count ≤ 64.
  std::uint64_t crest_bits(int i, int j, int count, Crest kind) const {
    static_assert(std::endian::native == std::endian::little);
    const std::uint8_t* c = crests(j) + i;
    const int shift = std::countr_zero(static_cast<unsigned>(kind));
    std::uint64_t bits = 0;
    for (int k = 0; k < count; k += 8) {  // the lowest bits of eight bytes move side by side into the highest byte
      std::uint64_t eight;
      std::memcpy(&eight, c + k, sizeof eight);
      bits |= ((eight >> shift & 0x0101010101010101u) * 0x0102040810204080u >> 56) << k;
    }
    return count < 64 ? bits & ((std::uint64_t{1} << count) - 1) : bits;
  }
  /// Bit k: node (i + k, j) is known and at or above the line low + k dz, for k < count ≤ 64. Keeps the highest seen.
  struct Tops {
    Two z{-std::numeric_limits<double>::infinity()}, over = z;  // heights, and heights over the line [m]
    static double of(Two t) { return std::max(t.v[0], t.v[1]); }
  };
  std::uint64_t nodes_above(int i, int j, int count, double low, double dz, Tops& tops) const {
    const double* row = g_.z.data() + static_cast<std::ptrdiff_t>(j) * g_.nx + i;
    Two top = tops.z, top_over = tops.over, line = two(low, low + dz);
    const Two step(2 * dz), zero(0.0);
    std::uint64_t above = 0;
    int k = 0;
    const auto look_at = [&](Two z) {
      const Two over = z - line;
      top = maximum(z, top), top_over = maximum(over, top_over);  // unknown heights compare false
      above |= static_cast<std::uint64_t>(lane_bits(over >= zero)) << k;
    };
    for (; k + 1 < count; k += 2, line += step) look_at(load_pair(row + k));
    if (k < count) look_at(two(row[k], std::numeric_limits<double>::quiet_NaN()));
    tops = {top, top_over};
    return above;
  }

  /// Height of the surface over (x, y); false outside and over holes.
  bool height(double x, double y, double& z) const;
  bool slope(double x, double y, SurfaceSlope& out) const;
  SlopePair slopes(int i, int j) const {
    const double* r = g_.z.data() + static_cast<std::ptrdiff_t>(j) * g_.nx + i;
    const Two lower = load_pair(r), upper = load_pair(r + g_.nx), rise = upper - lower;
    const Two left(__builtin_shufflevector(lower.v, upper.v, 0, 2)),
        right(__builtin_shufflevector(lower.v, upper.v, 1, 3));
    return {(right - left) * Two(inv_dx_), Two(__builtin_shufflevector(rise.v, rise.v, 1, 0)) * Two(inv_dy_)};
  }
  /// Corners of triangle t, counter-clockwise from above.
  std::array<Vec3, 3> corners(int t) const;
  Vec3 normal(int t) const;
  /// Closest surface point to p within `reach`; looks only at cells that can hold a closer one.
  bool closest(Vec3 p, double reach, SurfacePoint& out) const;
  /// Below the surface.
  bool contains(Vec3 p) const;
  /// First hit of p + t d, 0 ≤ t ≤ t_max, with the surface from above or below.
  bool cast(Vec3 p, Vec3 d, double t_max, double& t, int& triangle) const;

  /// Cells that a box covers: i0 ≤ i ≤ i1, j0 ≤ j ≤ j1 (i1 < i0 if none).
  struct Window {
    int i0, i1, j0, j1;
  };
  Window window(double x_lo, double x_hi, double y_lo, double y_hi) const;
  /// Asks the memory for all that lies in a window, so that its rows come together and not one after the other.
  void prefetch(const Window& w) const {
    for (int j = w.j0; j <= w.j1 + 1; ++j) {
      const std::size_t row = static_cast<std::size_t>(j) * g_.nx;
      for (int i = w.i0; i <= w.i1 + 8; i += 8) __builtin_prefetch(g_.z.data() + row + i);
      __builtin_prefetch(crest_.data() + row + w.i0);
    }
  }
  /// Nodes in a box, likewise.
  Window node_window(Vec3 lo, Vec3 hi) const;
  /// Calls visit(triangle, corners) for the triangles of all cells that reach into the box, row by row.
  template <class Visit>
  void each(const Box3& box, Visit&& visit) const {
    const Window w = window(box.lo.x, box.hi.x, box.lo.y, box.hi.y);
    for (int j = w.j0; j <= w.j1; ++j)
      for (int i = w.i0; i <= w.i1; ++i) {
        double lo, hi;
        if (!cell_range(i, j, lo, hi) || lo > box.hi.z || hi < box.lo.z) continue;
        const int c = j * cells_x() + i;
        const Cell k = cell(i, j);
        visit(2 * c, std::array<Vec3, 3>{k.p00, k.p10, k.p11});
        visit(2 * c + 1, std::array<Vec3, 3>{k.p00, k.p11, k.p01});
      }
  }

 private:
  struct Cell {
    Vec3 p00, p10, p11, p01;
  };
  Cell cell(int i, int j) const {
    const double* r = &g_.z[static_cast<std::size_t>(j) * g_.nx + i];
    const double x = g_.x0 + i * g_.dx, y = g_.y0 + j * g_.dy, u = g_.x0 + (i + 1) * g_.dx, v = g_.y0 + (j + 1) * g_.dy;
    return {{x, y, r[0]}, {u, y, r[1]}, {u, v, r[g_.nx + 1]}, {x, v, r[g_.nx]}};
  }
  bool cell_range(int i, int j, double& lo, double& hi) const {
    if (is_hole(i, j)) return false;
    const double* r = &g_.z[static_cast<std::size_t>(j) * g_.nx + i];
    const double a = std::min(r[0], r[1]), b = std::max(r[0], r[1]);
    const double c = std::min(r[g_.nx], r[g_.nx + 1]), d = std::max(r[g_.nx], r[g_.nx + 1]);
    lo = std::min(a, c), hi = std::max(b, d);
    return true;
  }
  bool solid(int i, int j) const { return i >= 0 && j >= 0 && i < cells_x() && j < cells_y() && !is_hole(i, j); }
  void look_at_cells();
  std::uint8_t crest_of(int i, int j) const;
  void try_cell(int i, int j, const Vec3& p, double& best2, SurfacePoint& out) const;
  template <int to>
  void try_row(int j, int i, double dy2, const Vec3& p, double& best2, SurfacePoint& out) const;
  bool cast_cell(int i, int j, Vec3 p, Vec3 d, double t_max, double& t, int& triangle) const;
  double steepness_of(double along_x, double along_y) const {
    const double gx = along_x * inv_dx_, gy = along_y * inv_dy_;
    return square_root(1 + gx * gx + gy * gy);
  }
  /// −1 before the first cell, the number of cells behind the last.
  int cell_i(double x) const { return floor_between(u_of(x), cells_x()); }
  int cell_j(double y) const { return floor_between(v_of(y), cells_y()); }
  /// Largest integer up to x, within −1 … most.
  static int floor_between(double x, int most) {
    x = clamped(x, -1.0, static_cast<double>(most));
    const int k = static_cast<int>(x);
    return k > x ? k - 1 : k;
  }

  HeightGrid g_;
  double inv_dx_ = 0, inv_dy_ = 0;
  double lowest_ = 0, highest_ = 0, steepness_ = 1;
  bool has_holes_ = false;
  std::vector<std::uint8_t> hole_;   // (cells) 1: no ground here
  std::vector<std::uint8_t> crest_;  // (nodes + 8) sums of Crest; eight are read at once
};

}  // namespace gradus
