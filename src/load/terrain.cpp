#include "load/terrain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/rng.h"
#include "load/map.h"
#include "math/power.h"
#include "math/scalar.h"

namespace gradus {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kHole = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmall = 1e-9;  // [m] a node that lies on an edge but for rounding is on it

constexpr double kSteepest = 30 * kPi / 180;                           // [rad]
constexpr double kRise = 0.2, kTread = 0.3;                            // [m]
constexpr double kWaveHeight = 0.2, kWaveLength = 2;                   // [m]
constexpr double kRoughRms = 0.05, kShortest = 0.25, kLongest = 1;     // [m]
constexpr int kRoughWaves = 64;
constexpr double kBoxHeight = 0.2, kBoxLeast = 0.3, kBoxMost = 1;      // [m]
constexpr double kBoxDensity = 1.5;                                    // [1/m²]
constexpr double kStonePitch = 0.5, kStoneGap = 0.3, kStoneHeight = 0.05;  // [m]
constexpr double kGapMost = 0.4, kPlatformLeast = 0.6, kPlatformMost = 1.2;  // [m]
constexpr double kRim = 0.25;                                          // [m]
constexpr double kSizeLimit = 1000, kCellLeast = 1e-3, kCellMost = 0.1;  // [m]

double sine(double x) {
  double s = 0, c = 0;
  sine_cosine(x, s, c);
  return s;
}

/// Cells along an axis; the size has been checked, or is only compared with a limit.
double cells_along(const TerrainSpec& t, int axis) { return std::floor(t.size[axis] / t.cell + 0.5); }

/// What all kinds work on: the grid at height 0, and random numbers of this kind and seed.
struct Ground {
  const TerrainSpec& t;
  HeightGrid g;
  RandomKey key;

  explicit Ground(const TerrainSpec& terrain) : t(terrain) {
    const int ends = t.walls ? 0 : 1;
    g.nx = static_cast<int>(cells_along(t, 0)) + ends, g.ny = static_cast<int>(cells_along(t, 1)) + ends;
    g.dx = g.dy = t.cell;
    g.x0 = -0.5 * g.dx * (g.nx - 1), g.y0 = -0.5 * g.dy * (g.ny - 1);
    g.z.assign(static_cast<std::size_t>(g.nx) * static_cast<std::size_t>(g.ny), 0.0);
    key = {t.seed, static_cast<std::uint32_t>(t.kind), 0};
  }
  double x(int i) const { return g.x0 + i * g.dx; }
  double y(int j) const { return g.y0 + j * g.dy; }
  double& z(int i, int j) {
    return g.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i)];
  }
  double random(std::uint64_t which, std::uint32_t draw, double lo, double hi) const {
    return random_in(key, which, draw, lo, hi);
  }
  bool in_circle(double px, double py) const {
    const double a = t.start + kSmall;
    return t.start > 0 && px * px + py * py <= a * a;
  }
  /// Does a rectangle reach into the start circle?
  bool meets_circle(double x0, double x1, double y0, double y1) const {
    return in_circle(std::clamp(0.0, x0, x1), std::clamp(0.0, y0, y1));
  }
  /// Nodes i with lo ≤ x(i) ≤ hi: first … last, empty if last < first.
  void nodes(double lo, double hi, double first_at, int count, int& first, int& last) const {
    first = static_cast<int>(std::max(0.0, std::ceil((lo - kSmall - first_at) / t.cell)));
    last = static_cast<int>(std::min(count - 1.0, std::floor((hi + kSmall - first_at) / t.cell)));
  }
  void fill(double x0, double x1, double y0, double y1, double height) {
    int i0 = 0, i1 = 0, j0 = 0, j1 = 0;
    nodes(x0, x1, g.x0, g.nx, i0, i1);
    nodes(y0, y1, g.y0, g.ny, j0, j1);
    for (int j = j0; j <= j1; ++j)
      for (int i = i0; i <= i1; ++i) z(i, j) = height;
  }
  /// The same height along y.
  template <class Profile>
  void along_x(Profile profile) {
    for (int i = 0; i < g.nx; ++i) z(i, 0) = profile(x(i));
    for (int j = 1; j < g.ny; ++j) std::copy_n(&z(0, 0), g.nx, &z(0, j));
  }
  /// Flat in the start circle, as it was beyond its rim.
  void flatten_start() {
    if (!(t.start > 0)) return;
    for (int j = 0; j < g.ny; ++j)
      for (int i = 0; i < g.nx; ++i) {
        const double r = std::sqrt(x(i) * x(i) + y(j) * y(j)), s = std::clamp((r - t.start) / kRim, 0.0, 1.0);
        z(i, j) *= s * s * (3 - 2 * s);
      }
  }
};

void make_slope(Ground& ground) {
  const double a = ground.t.start, grade = tangent(kSteepest * ground.t.difficulty);
  ground.along_x([&](double x) { return grade * (x - std::clamp(x, -a, a)); });
}

/// A node on a riser's line still belongs to the tread on the side of the start.
void make_stairs(Ground& ground) {
  const double a = ground.t.start, rise = kRise * ground.t.difficulty;
  const auto risers = [&](double way) { return std::max(0.0, std::ceil((way - a - kSmall) / kTread)); };
  ground.along_x([&](double x) { return rise * (x > 0 ? risers(x) : -risers(-x)); });
}

void make_wave(Ground& ground) {
  const double height = kWaveHeight * ground.t.difficulty;
  ground.along_x([&](double x) { return height * sine(2 * kPi / kWaveLength * x); });
  ground.flatten_start();
}

/// Sum of plane waves cos(kx x + ky y + φ), each as a product of tables over x and over y:
///   cos(α + β) = cos α cos β − sin α sin β
/// then scaled so that the root of the mean square over all nodes is the one stated.
void make_rough(Ground& ground) {
  HeightGrid& g = ground.g;
  const auto nx = static_cast<std::size_t>(g.nx);
  std::vector<double> sx(nx), cx(nx);
  for (std::uint64_t w = 0; w < kRoughWaves; ++w) {
    double sin_way = 0, cos_way = 0;
    sine_cosine(ground.random(w, 0, 0, 2 * kPi), sin_way, cos_way);
    const double k = ground.random(w, 1, 2 * kPi / kLongest, 2 * kPi / kShortest),
                 phase = ground.random(w, 2, 0, 2 * kPi);
    for (int i = 0; i < g.nx; ++i) sine_cosine(k * cos_way * ground.x(i) + phase, sx[i], cx[i]);
    for (int j = 0; j < g.ny; ++j) {
      double sy = 0, cy = 0;
      sine_cosine(k * sin_way * ground.y(j), sy, cy);
      double* row = &ground.z(0, j);
      for (std::size_t i = 0; i < nx; ++i) row[i] += cx[i] * cy - sx[i] * sy;
    }
  }
  double squares = 0;
  for (const double z : g.z) squares += z * z;
  const double rms = std::sqrt(squares / static_cast<double>(g.z.size()));
  if (rms > 0)
    for (double& z : g.z) z *= kRoughRms * ground.t.difficulty / rms;
  ground.flatten_start();
}

void make_discrete(Ground& ground) {
  const HeightGrid& g = ground.g;
  const double lx = -2 * g.x0, ly = -2 * g.y0, height = kBoxHeight * ground.t.difficulty;
  const auto count = static_cast<std::uint64_t>(kBoxDensity * lx * ly + 0.5);
  for (std::uint64_t b = 0; b < count; ++b) {
    const double x = ground.random(b, 0, g.x0, -g.x0), y = ground.random(b, 1, g.y0, -g.y0),
                 wx = 0.5 * ground.random(b, 2, kBoxLeast, kBoxMost),
                 wy = 0.5 * ground.random(b, 3, kBoxLeast, kBoxMost), h = height * ground.random(b, 4, -1, 1);
    if (!ground.meets_circle(x - wx, x + wx, y - wy, y + wy)) ground.fill(x - wx, x + wx, y - wy, y + wy, h);
  }
}

/// One stone in each field of the lattice whose middle field is around the origin; it lies anywhere within its field.
void make_stepping_stones(Ground& ground) {
  const HeightGrid& g = ground.g;
  const double d = ground.t.difficulty, gap = kStoneGap * d, half = 0.5 * (kStonePitch - gap),
               height = kStoneHeight * d;
  std::fill(ground.g.z.begin(), ground.g.z.end(), kHole);
  const int mx = static_cast<int>(std::ceil(-g.x0 / kStonePitch + 0.5)),
            my = static_cast<int>(std::ceil(-g.y0 / kStonePitch + 0.5));
  for (int v = -my; v <= my; ++v)
    for (int u = -mx; u <= mx; ++u) {
      const auto which = static_cast<std::uint64_t>(v + 65536) << 20 | static_cast<std::uint64_t>(u + 65536);
      const double x = u * kStonePitch + 0.5 * gap * ground.random(which, 0, -1, 1),
                   y = v * kStonePitch + 0.5 * gap * ground.random(which, 1, -1, 1);
      const bool at_start = ground.meets_circle(x - half, x + half, y - half, y + half);
      ground.fill(x - half, x + half, y - half, y + half, at_start ? 0 : height * ground.random(which, 2, -1, 1));
    }
  for (int j = 0; j < g.ny; ++j)
    for (int i = 0; i < g.nx; ++i)
      if (ground.in_circle(ground.x(i), ground.y(j))) ground.z(i, j) = 0;
}

/// Trenches on both sides of the start, counted in cells from the middle: node i is in one if near < i < far.
void make_gaps(Ground& ground) {
  const HeightGrid& g = ground.g;
  const double cell = ground.t.cell, middle = 0.5 * (g.nx - 1);
  const auto whole = [&](double way) { return std::floor(way / cell + 0.5); };
  const double width = whole(kGapMost * ground.t.difficulty);
  for (const int side : {-1, 1}) {
    double near = whole(std::max(ground.t.start, 0.5 * kPlatformLeast)) + 1;
    for (std::uint64_t n = 0; near < middle; ++n) {
      for (double m = near + 1; m < near + width; ++m) {
        const double i = side > 0 ? std::floor(middle) + m : std::ceil(middle) - m;
        if (i < 0 || i > g.nx - 1) break;
        for (int j = 0; j < g.ny; ++j) ground.z(static_cast<int>(i), j) = kHole;
      }
      near += width + whole(ground.random(n, side > 0 ? 0 : 1, kPlatformLeast, kPlatformMost));
    }
  }
}

}  // namespace

const std::vector<std::string>& terrain_kinds() {
  static const std::vector<std::string> words{"slope",    "stairs",          "wave", "rough",
                                              "discrete", "stepping_stones", "gaps"};
  return words;
}

std::vector<TerrainFault> faults_of(const TerrainSpec& t) {
  std::vector<TerrainFault> faults;
  if (!(t.difficulty >= 0 && t.difficulty <= 1))
    faults.push_back({"difficulty", fmt::format("{} is not from 0 to 1", t.difficulty), "0 is flat, 1 the hardest"});
  if (!(t.start >= 0 && t.start <= kSizeLimit))
    faults.push_back({"start", fmt::format("{} m is not from 0 to {} m", t.start, kSizeLimit), "write e.g. \"50 cm\""});
  const bool cell = t.cell >= kCellLeast && t.cell <= kCellMost;
  if (!cell)
    faults.push_back({"cell", fmt::format("{} m is not from {} to {} m", t.cell, kCellLeast, kCellMost),
                      "write e.g. \"2 cm\""});
  for (const double size : t.size)
    if (!(size > 0 && size <= kSizeLimit)) {
      faults.push_back(
          {"size", fmt::format("{} m is not above 0 and up to {} m", size, kSizeLimit), "write e.g. [\"6 m\", \"6 m\"]"});
      return faults;
    }
  if (!cell) return faults;
  if (t.walls && (t.kind == TerrainKind::slope || t.kind == TerrainKind::wave || t.kind == TerrainKind::rough))
    faults.push_back({"risers", "this kind of terrain has none", "leave it out; stairs, discrete, stepping_stones and gaps have"});
  const int ends = t.walls ? 0 : 1;
  const double nx = cells_along(t, 0) + ends, ny = cells_along(t, 1) + ends;
  if (nx < 2 || ny < 2)
    faults.push_back({"size", "the terrain is smaller than a cell", "make it larger or the cell smaller"});
  else if (nx * ny > static_cast<double>(kMapNodeLimit))
    faults.push_back({"size", fmt::format("the terrain has {} × {} heights, more than {}", nx, ny, kMapNodeLimit),
                      "make it smaller or the cell larger"});
  return faults;
}

std::size_t node_count(const TerrainSpec& t) {
  const int ends = t.walls ? 0 : 1;
  return static_cast<std::size_t>((cells_along(t, 0) + ends) * (cells_along(t, 1) + ends));
}

HeightGrid make_terrain(const TerrainSpec& terrain) {
  Ground ground(terrain);
  switch (terrain.kind) {
    case TerrainKind::slope:
      make_slope(ground);
      break;
    case TerrainKind::stairs:
      make_stairs(ground);
      break;
    case TerrainKind::wave:
      make_wave(ground);
      break;
    case TerrainKind::rough:
      make_rough(ground);
      break;
    case TerrainKind::discrete:
      make_discrete(ground);
      break;
    case TerrainKind::stepping_stones:
      make_stepping_stones(ground);
      break;
    case TerrainKind::gaps:
      make_gaps(ground);
      break;
  }
  return std::move(ground.g);
}

}  // namespace gradus
