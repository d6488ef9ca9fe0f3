#include "shape/height_field.h"

#include <fmt/format.h>

#include <cmath>

namespace gradus {
namespace {

constexpr int kNodesMax = 1 << 14;  // a side: 16,384² doubles are 2 GiB

/// Fills unknown nodes with the lowest known neighbour, ring by ring, until all are known.
void fill_unknown(HeightGrid& g) {
  for (bool again = true; again;) {
    again = false;
    const std::vector<double> before = g.z;
    for (int j = 0; j < g.ny; ++j)
      for (int i = 0; i < g.nx; ++i) {
        double& z = g.z[static_cast<std::size_t>(j) * g.nx + i];
        if (!std::isnan(z)) continue;
        for (int v = std::max(0, j - 1); v <= std::min(g.ny - 1, j + 1); ++v)
          for (int u = std::max(0, i - 1); u <= std::min(g.nx - 1, i + 1); ++u) {
            const double n = before[static_cast<std::size_t>(v) * g.nx + u];
            if (!std::isnan(n) && !(z <= n)) z = n, again = true;
          }
      }
  }
}

/// What is wrong with a grid, or "".
std::string fault_of(const HeightGrid& grid, UnknownHeights unknown) {
  if (grid.nx < 2 || grid.ny < 2 || grid.nx > kNodesMax || grid.ny > kNodesMax)
    return fmt::format("a height field needs 2 to {} nodes a side, not {} by {}", kNodesMax, grid.nx, grid.ny);
  if (!(grid.dx > 0) || !(grid.dy > 0)) return "the cells of a height field need a size above zero";
  if (grid.z.size() != static_cast<std::size_t>(grid.nx) * grid.ny)
    return fmt::format("{} heights for {} by {} nodes", grid.z.size(), grid.nx, grid.ny);
  std::size_t known = 0;
  for (double z : grid.z) {
    if (std::isinf(z)) return "a height is infinite";
    known += !std::isnan(z);
  }
  if (known == 0) return "the height field has no known height";
  if (known < grid.z.size() && unknown == UnknownHeights::refuse)
    return fmt::format("{} heights are unknown", grid.z.size() - known);
  return "";
}

}  // namespace

Result<HeightField> HeightField::build(HeightGrid grid, UnknownHeights unknown) {
  const std::string fault = fault_of(grid, unknown);
  if (!fault.empty()) return Diagnostics{{{}, Severity::error, fault, ""}};
  if (unknown == UnknownHeights::lowest_neighbour) fill_unknown(grid);
  HeightField f;
  f.g_ = std::move(grid);
  f.inv_dx_ = 1 / f.g_.dx, f.inv_dy_ = 1 / f.g_.dy;
  f.lowest_ = std::numeric_limits<double>::infinity(), f.highest_ = -f.lowest_;
  for (double& z : f.g_.z) {
    if (std::isnan(z)) continue;
    f.lowest_ = std::min(f.lowest_, z), f.highest_ = std::max(f.highest_, z);
  }
  f.look_at_cells();
  f.crest_.resize(f.g_.z.size() + 8);
  for (int j = 0; j < f.g_.ny; ++j)
    for (int i = 0; i < f.g_.nx; ++i) f.crest_[static_cast<std::size_t>(j) * f.g_.nx + i] = f.crest_of(i, j);
  return f;
}

/// Which cells are holes, and the steepest of the others.
void HeightField::look_at_cells() {
  hole_.resize(static_cast<std::size_t>(cells_x()) * cells_y());
  for (int j = 0; j < cells_y(); ++j)
    for (int i = 0; i < cells_x(); ++i) {
      const double* r = &g_.z[static_cast<std::size_t>(j) * g_.nx + i];
      const bool bad = std::isnan(r[0]) || std::isnan(r[1]) || std::isnan(r[g_.nx]) || std::isnan(r[g_.nx + 1]);
      hole_[static_cast<std::size_t>(j) * cells_x() + i] = bad;
      has_holes_ |= bad;
      if (!bad)
        steepness_ = std::max({steepness_, steepness_of(r[1] - r[0], r[g_.nx + 1] - r[1]),
                               steepness_of(r[g_.nx + 1] - r[g_.nx], r[g_.nx] - r[0])});
    }
  steepness_ = std::min(steepness_, kSteepnessMax);
}

/// A node is a crest if along none of the grid's three lines through it the surface is hollow, and along one it is
/// convex. An edge is one if the slope across it falls from the one triangle to the other, or just one of them is
/// there.
std::uint8_t HeightField::crest_of(int i, int j) const {
  constexpr double equal = 1e-12;  // [m]
  const auto z = [&](int u, int v) {
    return u < 0 || v < 0 || u >= g_.nx || v >= g_.ny ? std::numeric_limits<double>::quiet_NaN()
                                                      : g_.z[static_cast<std::size_t>(v) * g_.nx + u];
  };
  const double h = z(i, j);
  if (std::isnan(h)) return 0;
  bool hollow = false, convex = false;
  const auto line = [&](double before, double after) {
    const double bend = before + after - 2 * h;  // a missing neighbour compares false: the ground may end there
    hollow |= bend > equal, convex |= !(bend >= -equal);
  };
  line(z(i - 1, j), z(i + 1, j)), line(z(i, j - 1), z(i, j + 1)), line(z(i - 1, j - 1), z(i + 1, j + 1));
  // over an edge the bend is that of the four nodes around it: the two beside it against its ends
  const auto edge = [&](bool first, bool second, double left, double right, double ends, Crest kind) {
    return first != second || (first && left + right - ends < -equal) ? kind : 0;
  };
  const double x = z(i + 1, j), y = z(i, j + 1), xy = z(i + 1, j + 1);
  return static_cast<std::uint8_t>((!hollow && convex ? peak : 0) |
                                   edge(solid(i - 1, j), solid(i, j), z(i - 1, j), xy, h + y, ridge_along_y) |
                                   edge(solid(i, j - 1), solid(i, j), z(i, j - 1), xy, h + x, ridge_along_x) |
                                   edge(solid(i, j), solid(i, j), x, y, h + xy, ridge_on_diagonal));
}

HeightField::Window HeightField::window(double x_lo, double x_hi, double y_lo, double y_hi) const {
  return {std::max(0, cell_i(x_lo)), std::min(cells_x() - 1, cell_i(x_hi)), std::max(0, cell_j(y_lo)),
          std::min(cells_y() - 1, cell_j(y_hi))};
}

HeightField::Window HeightField::node_window(Vec3 lo, Vec3 hi) const {
  const auto ceiling = [](double x, int most) {
    const int k = floor_between(x, most);
    return k < x ? k + 1 : k;
  };
  return {std::max(0, ceiling(u_of(lo.x), g_.nx)), floor_between(u_of(hi.x), g_.nx - 1),
          std::max(0, ceiling(v_of(lo.y), g_.ny)), floor_between(v_of(hi.y), g_.ny - 1)};
}

std::array<Vec3, 3> HeightField::corners(int t) const {
  const int c = t / 2;
  const Cell k = cell(c % cells_x(), c / cells_x());
  if (t % 2 == 0) return {k.p00, k.p10, k.p11};
  return {k.p00, k.p11, k.p01};
}

Vec3 HeightField::normal(int t) const {
  const std::array<Vec3, 3> c = corners(t);
  return direction(cross(c[1] - c[0], c[2] - c[0]), {0, 0, 1});
}

bool HeightField::slope(double x, double y, SurfaceSlope& out) const {
  // a point on the last row or column belongs to the last cell
  int i = cell_i(x), j = cell_j(y);
  if (i == cells_x() && x <= g_.x0 + cells_x() * g_.dx) --i;
  if (j == cells_y() && y <= g_.y0 + cells_y() * g_.dy) --j;
  if (i < 0 || j < 0 || i >= cells_x() || j >= cells_y() || is_hole(i, j)) return false;
  const double u = u_of(x) - i, v = v_of(y) - j;
  const double* r = &g_.z[static_cast<std::size_t>(j) * g_.nx + i];
  const double z00 = r[0], z10 = r[1], z01 = r[g_.nx], z11 = r[g_.nx + 1];
  const bool lower = u >= v;
  const double along_x = lower ? z10 - z00 : z11 - z01, along_y = lower ? z11 - z10 : z01 - z00;
  out.z = z00 + u * along_x + v * along_y;
  out.gx = along_x * inv_dx_, out.gy = along_y * inv_dy_;
  out.triangle = 2 * (j * cells_x() + i) + (lower ? 0 : 1);
  return true;
}

bool HeightField::height(double x, double y, double& z) const {
  SurfaceSlope s;
  if (!slope(x, y, s)) return false;
  z = s.z;
  return true;
}

bool HeightField::contains(Vec3 p) const {
  double z;
  return height(p.x, p.y, z) && p.z < z;
}

void HeightField::try_cell(int i, int j, const Vec3& p, double& best2, SurfacePoint& out) const {
  if (has_holes_ && is_hole(i, j)) return;
  const Vec3 p00{g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, g_.z[static_cast<std::size_t>(j) * g_.nx + i]};
  const SlopePair g = slopes(i, j);
  const Vec3 d = p - p00;
  const Two above = Two(d.z) - g.gx * Two(d.x) - g.gy * Two(d.y);  // of both planes
  const unsigned near = lane_bits(above * above <= Two((1 + 1e-9) * best2) * (Two(1.0) + g.gx * g.gx + g.gy * g.gy));
  if (near == 0) return;
  const Cell k = cell(i, j);
  for (int half = 0; half < 2; ++half) {
    if (!(near >> half & 1)) continue;
    TrianglePart part;
    const Vec3 q = closest_on_triangle(p, k.p00, half == 0 ? k.p10 : k.p11, half == 0 ? k.p11 : k.p01, part);
    const double d2 = dot(p - q, p - q);
    if (d2 < best2 || (out.triangle < 0 && d2 <= best2))
      best2 = d2, out.p = q, out.triangle = 2 * (j * cells_x() + i) + half, out.part = part;
  }
}

/// Cells of row j from i on, upwards or downwards, until all that follow are farther than the best. dy2: squared
/// distance of p from the row. Most cells are left for their range of heights.
template <int to>
void HeightField::try_row(int j, int i, double dy2, const Vec3& p, double& best2, SurfacePoint& out) const {
  const double *r = &g_.z[static_cast<std::size_t>(j) * g_.nx], *s = r + g_.nx;
  for (; to > 0 ? i < cells_x() : i >= 0; i += to) {
    const double dx = to > 0 ? g_.x0 + i * g_.dx - p.x : p.x - (g_.x0 + (i + 1) * g_.dx);
    const double beside2 = dx > 0 ? dx * dx + dy2 : dy2;
    if (beside2 > best2) return;
    const double lo = std::min(std::min(r[i], r[i + 1]), std::min(s[i], s[i + 1]));
    const double hi = std::max(std::max(r[i], r[i + 1]), std::max(s[i], s[i + 1]));
    const double over = std::max(std::max(lo - p.z, p.z - hi), 0.0);
    if (beside2 + over * over <= best2) try_cell(i, j, p, best2, out);
  }
}

bool HeightField::closest(Vec3 p, double reach, SurfacePoint& out) const {
  double z, best2 = reach * reach;
  out.triangle = -1;
  // The cell under p first: its distance bounds the window.
  const int ci = cell_i(p.x), cj = cell_j(p.y);
  if (ci >= 0 && cj >= 0 && ci < cells_x() && cj < cells_y()) try_cell(ci, cj, p, best2, out);
  // Then rows, and cells in rows, from there outwards.
  const int si = std::clamp(ci, 0, cells_x() - 1), sj = std::clamp(cj, 0, cells_y() - 1);
  const auto row = [&](int j, double dy) {
    const double dy2 = dy > 0 ? dy * dy : 0;
    if (dy2 > best2) return false;
    try_row<1>(j, j == cj && si == ci ? si + 1 : si, dy2, p, best2, out);
    try_row<-1>(j, si - 1, dy2, p, best2, out);
    return true;
  };
  for (int j = sj; j < cells_y() && row(j, g_.y0 + j * g_.dy - p.y); ++j) continue;
  for (int j = sj - 1; j >= 0 && row(j, p.y - (g_.y0 + (j + 1) * g_.dy)); --j) continue;
  if (out.triangle < 0) return false;
  out.distance = square_root(best2);
  out.n = normal(out.triangle);
  if (height(p.x, p.y, z) && (p.z < z) != (dot(p - out.p, out.n) < 0) && out.distance > 0)
    out.n = (p - out.p) * ((p.z < z ? -1 : 1) / out.distance);  // at edges the one face's normal may lie about the side
  return true;
}

bool HeightField::cast_cell(int i, int j, Vec3 p, Vec3 d, double t_max, double& t, int& triangle) const {
  double lo, hi;
  if (!cell_range(i, j, lo, hi)) return false;
  const int c = j * cells_x() + i;
  bool found = false;
  for (int k = 2 * c; k < 2 * c + 2; ++k) {
    const std::array<Vec3, 3> q = corners(k);
    const double s = ray_triangle(p, d, q[0], q[1], q[2]);
    if (s >= 0 && s <= t_max) t_max = t = s, triangle = k, found = true;
  }
  return found;
}

/// Cells along the ray in order [Amanatides, Woo 1987]; the first cell with a hit has the first hit.
bool HeightField::cast(Vec3 p, Vec3 d, double t_max, double& t, int& triangle) const {
  const Box3 box{{g_.x0, g_.y0, lowest_}, {g_.x0 + cells_x() * g_.dx, g_.y0 + cells_y() * g_.dy, highest_}};
  double t0 = 0, t1 = t_max;
  for (int k = 0; k < 3; ++k) {
    const double v = component(d, k), o = component(p, k), lo = component(box.lo, k), hi = component(box.hi, k);
    const double pad = 1e-9 * (1 + std::abs(hi - lo));
    if (v == 0) {
      if (o < lo - pad || o > hi + pad) return false;
      continue;
    }
    const double a = (lo - pad - o) / v, b = (hi + pad - o) / v;
    t0 = std::max(t0, std::min(a, b)), t1 = std::min(t1, std::max(a, b));
  }
  if (t0 > t1) return false;
  const Vec3 start = p + d * t0;
  int i = std::clamp(cell_i(start.x), 0, cells_x() - 1), j = std::clamp(cell_j(start.y), 0, cells_y() - 1);
  const int si = d.x > 0 ? 1 : -1, sj = d.y > 0 ? 1 : -1;
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto next_x = [&] { return d.x == 0 ? inf : (g_.x0 + (i + (si > 0)) * g_.dx - p.x) / d.x; };
  auto next_y = [&] { return d.y == 0 ? inf : (g_.y0 + (j + (sj > 0)) * g_.dy - p.y) / d.y; };
  while (true) {
    if (cast_cell(i, j, p, d, t_max, t, triangle)) return true;
    const double tx = next_x(), ty = next_y();
    if (std::min(tx, ty) > t1) return false;
    if (tx < ty)
      i += si;
    else
      j += sj;
    if (i < 0 || j < 0 || i >= cells_x() || j >= cells_y()) return false;
  }
}

}  // namespace gradus
