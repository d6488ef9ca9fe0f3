/// The static world as a planner of footholds sees it: heights on a grid, where the ball of a foot would rest, and what the ground around each node is like.
///
/// Heights h come from the ground plane and all objects of the field [sense/ground.h]. A ball of radius r that is lowered at (x, y) rests with its centre at
///   z(x, y) = max over |d| ≤ r of h(x + dx, y + dy) + √(r² − d²)                                              (1)
/// Around each node the heights of a square of 7 × 7 nodes say, with the plane fitted to them by least squares, what a foot finds there:
///   slope      of the plane                                      (a gradient)
///   roughness  root mean square of the heights above the plane   [m]
///   rise, drop highest and lowest of them against the middle     [m], both ≥ 0
///   hollow     their mean above the middle                       [m], negative on peaks                       (2)
/// Nodes with a hole in that square are no footholds.
#pragma once
#include <array>
#include <vector>

#include "model/model.h"

namespace gradus::plan {

/// In the order of (2).
inline constexpr int kFeatures = 5;
using Features = std::array<double, kFeatures>;
extern const std::array<const char*, kFeatures> kFeatureNames;

struct MapArea {
  double x_low, x_high, y_low, y_high;  // [m]
};

class GroundMap {
 public:
  static constexpr double kCell = 0.01;  // distance of nodes                                          [m]
  GroundMap(const Model& model, const MapArea& area, double ball_radius);

  int nx() const { return nx_; }
  int ny() const { return ny_; }
  double x(int i) const { return area_.x_low + kCell * i; }
  double y(int j) const { return area_.y_low + kCell * j; }
  /// Nearest node; false outside.
  bool node(double x, double y, int& i, int& j) const;
  double height(int i, int j) const { return height_[at(i, j)]; }  // NaN: a hole                       [m]
  double rest(int i, int j) const { return rest_[at(i, j)]; }      // (1); NaN: no foothold             [m]
  const Features& features(int i, int j) const { return features_[at(i, j)]; }
  /// (1) of the nearest node, NaN outside.
  double rest_at(double x, double y) const;
  const MapArea& area() const { return area_; }

 private:
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(j) * static_cast<std::size_t>(nx_) + static_cast<std::size_t>(i); }
  void roll_ball(double radius);
  void look_around();

  MapArea area_;
  int nx_, ny_;
  std::vector<double> height_, rest_;  // (ny · nx)
  std::vector<Features> features_;     // the same
};

}  // namespace gradus::plan
