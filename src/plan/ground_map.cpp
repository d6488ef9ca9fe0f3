#include "plan/ground_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sense/ground.h"

namespace gradus::plan {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSky = 1000;  // [m] from where the ground is looked for
constexpr int kAround = 3;     // nodes to each side

}  // namespace

const std::array<const char*, kFeatures> kFeatureNames{"slope", "roughness", "rise", "drop", "hollow"};

GroundMap::GroundMap(const Model& model, const MapArea& area, double ball_radius) : area_(area) {
  nx_ = 1 + static_cast<int>(std::ceil((area.x_high - area.x_low) / kCell));
  ny_ = 1 + static_cast<int>(std::ceil((area.y_high - area.y_low) / kCell));
  height_.resize(static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_));
  for (int j = 0; j < ny_; ++j)
    for (int i = 0; i < nx_; ++i) height_[at(i, j)] = sense::ground_height(model, x(i), y(j), kSky, kNone);
  roll_ball(ball_radius);
  look_around();
}

bool GroundMap::node(double x, double y, int& i, int& j) const {
  const double u = (x - area_.x_low) / kCell + 0.5, v = (y - area_.y_low) / kCell + 0.5;
  if (!(u >= 0 && v >= 0 && u < nx_ && v < ny_)) return false;
  i = static_cast<int>(u), j = static_cast<int>(v);
  return true;
}

double GroundMap::rest_at(double x, double y) const {
  int i, j;
  return node(x, y, i, j) ? rest(i, j) : kNone;
}

void GroundMap::roll_ball(double radius) {
  const int reach = static_cast<int>(radius / kCell);
  rest_.assign(height_.size(), kNone);
  for (int j = 0; j < ny_; ++j)
    for (int i = 0; i < nx_; ++i) {
      double top = height(i, j) + radius;
      for (int b = std::max(0, j - reach); b <= std::min(ny_ - 1, j + reach); ++b)
        for (int a = std::max(0, i - reach); a <= std::min(nx_ - 1, i + reach); ++a) {
          const double d2 = kCell * kCell * ((a - i) * (a - i) + (b - j) * (b - j));
          if (d2 <= radius * radius) top = std::max(top, height(a, b) + square_root(radius * radius - d2));
        }
      rest_[at(i, j)] = top;
    }
}

void GroundMap::look_around() {
  features_.assign(height_.size(), Features{});
  for (int j = 0; j < ny_; ++j)
    for (int i = 0; i < nx_; ++i) {
      if (i < kAround || j < kAround || i >= nx_ - kAround || j >= ny_ - kAround) {
        rest_[at(i, j)] = kNone;
        continue;
      }
      const double here = height(i, j);
      double sum = 0, sum_x = 0, sum_y = 0, squares = 0, low = here, high = here, offsets2 = 0;
      constexpr double n = (2 * kAround + 1) * (2 * kAround + 1);
      for (int b = -kAround; b <= kAround; ++b)
        for (int a = -kAround; a <= kAround; ++a) {
          const double z = height(i + a, j + b) - here;  // NaN spreads to all sums
          sum += z, sum_x += a * kCell * z, sum_y += b * kCell * z, squares += z * z, offsets2 += a * a * kCell * kCell;
          low = std::min(low, height(i + a, j + b)), high = std::max(high, height(i + a, j + b));
        }
      if (std::isnan(sum)) {
        rest_[at(i, j)] = kNone;
        continue;
      }
      const double gx = sum_x / offsets2, gy = sum_y / offsets2, mean = sum / n;
      const double left = squares / n - mean * mean - (gx * gx + gy * gy) * offsets2 / n;
      features_[at(i, j)] = {square_root(gx * gx + gy * gy), square_root(std::max(0.0, left)), high - here, here - low, mean};
    }
}

}  // namespace gradus::plan
