#include "control/walk/leg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control/walk/rotation.h"
#include "math/angle.h"

namespace gradus::walk {
namespace {

constexpr double kTiny = 1e-9;  // [m]: what the compiler's turning of frames leaves

/// Knee angle from the distance between hip and ankle.
double knee_angle(const LegGeometry& leg, double distance, bool& reached) {
  const double a = leg.thigh, b = leg.shin, c = (a * a + b * b - distance * distance) / (2 * a * b);
  reached = c >= -1 - 1e-12 && c <= 1;
  return std::numbers::pi - arc_cosine(c);
}

class LegReader {
 public:
  LegReader(const RobotKind& kind, const Place& place) : kind_(kind), place_(place) {}

  Result<LegGeometry> read(const std::array<std::string, 6>& names) {
    for (std::size_t i = 0; i < 6; ++i) {
      leg_.joint[i] = kind_.find_joint(names[i]);
      if (leg_.joint[i] < 0) fault("'" + kind_.name + "' has no joint '" + names[i] + "'");
    }
    if (!notes_.empty()) return notes_;
    for (std::size_t i = 1; i < 6; ++i)
      if (link(i).parent != leg_.joint[i - 1] + 1)
        fault("joint '" + names[i] + "' does not follow '" + names[i - 1] + "'");
    read_axes(names);
    read_lengths(names);
    if (!notes_.empty()) return notes_;
    return leg_;
  }

 private:
  const Link& link(std::size_t i) const { return kind_.links[static_cast<std::size_t>(leg_.joint[i] + 1)]; }
  void fault(std::string text) {
    notes_.push_back({place_, Severity::error, std::move(text),
                      "a walk needs legs of the joints yaw, roll, pitch, knee, ankle pitch, ankle roll"});
  }

  void read_axes(const std::array<std::string, 6>& names) {
    const Vec3 yaw = link(0).axis;
    const double up = yaw.z >= 0 ? 1 : -1;
    if (std::fabs(yaw.x) > kTiny || std::fabs(yaw.z) < 0.1)
      fault("the axis of '" + names[0] + "' does not lie upright in the y-z plane");
    leg_.sign[0] = up;
    leg_.phi = arc_tangent(-up * yaw.y, up * yaw.z);  // Rx(φ) z = (0, −sin φ, cos φ)
    for (std::size_t i = 1; i < 6; ++i) {
      const double along = i == 1 || i == 5 ? link(i).axis.x : link(i).axis.y;
      if (std::fabs(std::fabs(along) - 1) > kTiny)
        fault(fmt::format("joint '{}' does not turn about {}", names[i], i == 1 || i == 5 ? "x" : "y"));
      leg_.sign[i] = along > 0 ? 1 : -1;
    }
  }

  void read_lengths(const std::array<std::string, 6>& names) {
    const Vec3 off = link(1).p_PB, yaw = link(0).axis;
    if (norm(off - yaw * dot(off, yaw)) > kTiny) fault("the roll joint '" + names[1] + "' is beside the yaw axis");
    if (norm(link(2).p_PB) > kTiny) fault("the axes of '" + names[1] + "' and '" + names[2] + "' do not cross");
    if (norm(link(5).p_PB) > kTiny) fault("the axes of '" + names[4] + "' and '" + names[5] + "' do not cross");
    for (std::size_t i : {3, 4}) {
      const Vec3 p = link(i).p_PB;
      if (std::hypot(p.x, p.y) > kTiny || p.z >= 0)
        fault("joint '" + names[i] + "' is not straight below the one before it");
    }
    leg_.thigh = -link(3).p_PB.z;
    leg_.shin = -link(4).p_PB.z;
    leg_.p_BH = link(0).p_PB + off;
    for (int l = link(0).parent; l > 0; l = kind_.links[static_cast<std::size_t>(l)].parent)
      fault("'" + names[0] + "' does not begin at the base");
    leg_.foot_link = leg_.joint[5] + 1;
    leg_.sole = sole_depth();
    if (!(leg_.sole > 0)) fault("the foot of '" + names[5] + "' has no shape below the ankle");
  }

  double sole_depth() const {
    double lowest = 0;
    const auto f = static_cast<std::size_t>(leg_.foot_link);
    for (int i = kind_.point_begin[f]; i < kind_.point_begin[f + 1]; ++i) {
      const ContactPoint& p = kind_.points[static_cast<std::size_t>(i)];
      lowest = std::min(lowest, p.p_BC.z - p.radius);
    }
    return -lowest;
  }

  const RobotKind& kind_;
  Place place_;
  LegGeometry leg_{};
  Diagnostics notes_;
};

LegAngles with_signs(const LegGeometry& leg, LegAngles q) {
  for (std::size_t i = 0; i < 6; ++i) q[i] *= leg.sign[i];
  return q;
}

}  // namespace

Result<LegGeometry> read_leg(const RobotKind& kind, const std::array<std::string, 6>& joints, const Place& place) {
  return LegReader(kind, place).read(joints);
}

LegAngles leg_angles(const LegGeometry& leg, const SolePose& X, bool& reached) {
  // From the ankle to the hip, in the foot's axes.
  const Vec3 d = transpose_times(X.R, leg.p_BH - (X.p + X.R.z * leg.sole));
  LegAngles q{};
  q[3] = knee_angle(leg, norm(d), reached);
  q[5] = arc_tangent(d.y, d.z);
  q[4] =
      arc_tangent(-leg.thigh * sine(q[3]), leg.shin + leg.thigh * cosine(q[3])) - arc_tangent(d.x, square_root(d.y * d.y + d.z * d.z));
  // What is left for the hip, seen from the tilted yaw axis: M = Rz(σ q0) Rx(q1 − φ) Ry(q2).
  const Mat3 M = rotation_x(-leg.phi) * X.R * rotation_x(-q[5]) * rotation_y(-q[4] - q[3]);
  q[0] = arc_tangent(-M.y.x, M.y.y);
  q[1] = arc_sine(M.y.z) + leg.phi;
  q[2] = arc_tangent(-M.x.z, M.z.z);
  return with_signs(leg, q);
}

LegAngles leg_angles_with_yaw(const LegGeometry& leg, const SolePose& X, double yaw, bool& reached) {
  const Mat3 R0 = rotation_x(leg.phi) * rotation_z(leg.sign[0] * yaw) * rotation_x(-leg.phi);
  const Vec3 a = transpose_times(R0, X.p + X.R.z * leg.sole - leg.p_BH);  // from the hip to the ankle
  LegAngles q{};
  q[0] = leg.sign[0] * yaw;
  q[3] = knee_angle(leg, norm(a), reached);
  q[1] = arc_tangent(a.y, -a.z);
  q[2] =
      arc_tangent(-a.x, square_root(a.y * a.y + a.z * a.z)) - arc_tangent(leg.shin * sine(q[3]), leg.thigh + leg.shin * cosine(q[3]));
  const Vec3 n = transpose_times(R0 * rotation_x(q[1]) * rotation_y(q[2] + q[3]), X.R.z);  // sole normal in the shin
  q[4] = arc_tangent(n.x, n.z);
  q[5] = -arc_sine(n.y);
  return with_signs(leg, q);
}

}  // namespace gradus::walk
