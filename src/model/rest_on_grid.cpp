#include "model/rest_on_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/vec.h"

namespace gradus {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

/// Over a point s along the edge from where it is nearest to the centre, e the distance there, m the slope:
///   f(s) = z + m s + √(R² − s²),  R² = r² − e²,   f′ = 0 at s = m R / √(1 + m²)
/// f is concave, so within the ends of the edge its maximum is at s or at the end nearer to s.
double over_edge(const Vec3& a, const Vec3& b, double r) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::sqrt(dx * dx + dy * dy), ux = dx / length, uy = dy / length;
  const double first = a.x * ux + a.y * uy, e = a.x * uy - a.y * ux, rr = r * r - e * e;  // the centre is at 0, 0
  if (!(rr >= 0)) return kNone;
  const double R = std::sqrt(rr), last = first + length, lo = std::max(first, -R), hi = std::min(last, R);
  if (lo > hi) return kNone;
  const double m = (b.z - a.z) / length, s = std::clamp(m * R / std::sqrt(1 + m * m), lo, hi);
  return a.z + m * (s - first) + std::sqrt(std::max(0.0, rr - s * s));
}

/// The sphere touches the inside of the triangle (counter-clockwise from above) at c − r n, or it does not.
double over_inside(const Vec3& a, const Vec3& b, const Vec3& c, double r) {
  Vec3 n = cross(b - a, c - a);
  n = n * (1 / std::sqrt(dot(n, n)));
  const double x = -r * n.x, y = -r * n.y;
  const auto left_of = [&](const Vec3& p, const Vec3& q) { return (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x) >= 0; };
  if (!left_of(a, b) || !left_of(b, c) || !left_of(c, a)) return kNone;
  return (dot(n, a) + r) / n.z;
}

}  // namespace

double rest_height(const HeightGrid& g, double x, double y, double radius) {
  if (!(radius > 0)) return height_at(g, x, y);
  const auto cell_at = [](double way, double size, int nodes) {
    return static_cast<int>(std::clamp(std::floor(way / size), -1.0, static_cast<double>(nodes)));
  };
  const int i0 = std::max(0, cell_at(x - radius - g.x0, g.dx, g.nx)), j0 = std::max(0, cell_at(y - radius - g.y0, g.dy, g.ny)),
            i1 = std::min(g.nx - 2, cell_at(x + radius - g.x0, g.dx, g.nx)),
            j1 = std::min(g.ny - 2, cell_at(y + radius - g.y0, g.dy, g.ny));
  const auto node = [&](int i, int j) {
    return Vec3{g.x0 + i * g.dx - x, g.y0 + j * g.dy - y,
                g.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i)]};
  };
  double top = kNone;
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const Vec3 a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
      if (std::isnan(a.z + b.z + c.z + d.z)) continue;
      top = std::max({top, over_inside(a, b, c, radius), over_inside(a, c, d, radius)});
      top = std::max({top, over_edge(a, b, radius), over_edge(b, c, radius), over_edge(a, c, radius),
                      over_edge(c, d, radius), over_edge(a, d, radius)});
    }
  return top == kNone ? std::numeric_limits<double>::quiet_NaN() : top;
}

double rest_height_on_cells(const HeightGrid& g, double x, double y, double radius) {
  const auto cell_at = [](double way, double size, int cells) {
    return static_cast<int>(std::clamp(std::floor(way / size + 0.5), -1.0, static_cast<double>(cells)));
  };
  const int i0 = std::max(0, cell_at(x - radius - g.x0, g.dx, g.nx)), j0 = std::max(0, cell_at(y - radius - g.y0, g.dy, g.ny)),
            i1 = std::min(g.nx - 1, cell_at(x + radius - g.x0, g.dx, g.nx)),
            j1 = std::min(g.ny - 1, cell_at(y + radius - g.y0, g.dy, g.ny));
  double top = kNone;
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const double z = g.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i)];
      const double dx = std::max(0.0, std::fabs(x - g.x0 - i * g.dx) - 0.5 * g.dx),
                   dy = std::max(0.0, std::fabs(y - g.y0 - j * g.dy) - 0.5 * g.dy), rest = radius * radius - dx * dx - dy * dy;
      if (z == z && rest >= 0) top = std::max(top, z + std::sqrt(rest));
    }
  return top == kNone ? std::numeric_limits<double>::quiet_NaN() : top;
}

}  // namespace gradus
