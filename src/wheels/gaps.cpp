/// Gaps of a whole group, for checks and placement.
#include <algorithm>

#include "wheels/contact.h"
#include "wheels/planar_wheels.h"

namespace gradus::wheels {
namespace {

BodyShape shape_of(const WheelsModel& m, int body) {
  if (body < m.robot_count()) return {&m.robots[body], m.robots[body].radius};
  return {nullptr, m.par.ball.radius};
}
Placed placed_of(std::span<const double> state, int body) {
  const auto s = body_of(state, body);
  return {{s[kX], s[kY]}, {}, rotation(s[kTheta]), 0, {}};
}

double gap_to_field(const WheelsModel& m, std::span<const double> state, int body) {
  const BodyShape shape = shape_of(m, body);
  const Placed at = placed_of(state, body);
  double least = 1;
  for (const Wall& w : m.par.field.walls) least = std::min(least, wall_gap(shape, at, w, m.par.ball.radius));
  for (const ConvexPiece& b : m.blocks) least = std::min(least, block_gap(shape, at, b, m.par.ball.radius));
  return least;
}

double gap_between(const WheelsModel& m, std::span<const double> state, int i, int j) {
  const int a = std::min(i, j), b = std::max(i, j);
  const BodyShape A = shape_of(m, a), B = shape_of(m, b);
  const Placed pa = placed_of(state, a), pb = placed_of(state, b);
  const double far = norm(pa.p - pb.p) - A.radius - B.radius;
  return far > 0.01 ? far : pair_gap(A, pa, B, pb, m.par.ball.radius);
}

}  // namespace

double body_gap(const WheelsModel& m, std::span<const double> state, int body) {
  double least = gap_to_field(m, state, body);
  for (int j = 0; j < m.body_count(); ++j)
    if (j != body && body_of(state, j)[kPresent] != 0) least = std::min(least, gap_between(m, state, body, j));
  return least;
}

double smallest_gap(const WheelsModel& m, std::span<const double> state) {
  double least = 1;
  for (int i = 0; i < m.body_count(); ++i) {
    if (body_of(state, i)[kPresent] == 0) continue;
    least = std::min(least, gap_to_field(m, state, i));
    for (int j = i + 1; j < m.body_count(); ++j)
      if (body_of(state, j)[kPresent] != 0) least = std::min(least, gap_between(m, state, i, j));
  }
  return least;
}

}  // namespace gradus::wheels
