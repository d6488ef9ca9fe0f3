#include "wheels/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gradus::wheels {

Sym3 inverse(const Sym3& a) {
  // L D Lᵀ: cofactors would lose digits where stiff contacts meet small inertias.
  const double i0 = 1 / a.xx, l1 = a.xy * i0, l2 = a.xz * i0;
  const double i1 = 1 / (a.yy - l1 * a.xy), m = a.yz - l1 * a.xz, l3 = m * i1;
  const double i2 = 1 / (a.zz - l2 * a.xz - l3 * m);
  const double k2 = l1 * l3 - l2;  // last row of L⁻¹ = (k2, −l3, 1), second = (−l1, 1)
  return {i0 + l1 * l1 * i1 + k2 * k2 * i2, -l1 * i1 - k2 * l3 * i2, k2 * i2, i1 + l3 * l3 * i2, -l3 * i2, i2};
}

namespace {

class Checker {
 public:
  void positive(double x, const std::string& what) { add(std::isfinite(x) && x > 0, what + " must be positive", x); }
  void not_negative(double x, const std::string& what) {
    add(std::isfinite(x) && x >= 0, what + " must not be negative", x);
  }
  void between(double x, double lo, double hi, const std::string& what) {
    add(x >= lo && x <= hi, fmt::format("{} must lie between {} and {}", what, lo, hi), x);
  }
  void fail(const std::string& text) { errors.push_back({{}, Severity::error, text, ""}); }
  Diagnostics errors;

 private:
  void add(bool ok, const std::string& text, double x) {
    if (!ok) fail(fmt::format("planar_wheels: {}, not {}", text, x));
  }
};

void check_robot(const RobotParameters& p, int index, Checker& check) {
  const std::string who = fmt::format("robot {}: ", index);
  check.positive(p.body_mass, who + "body mass");
  check.not_negative(p.wheel_mass, who + "wheel mass");
  check.positive(p.wheel_radius, who + "wheel radius");
  check.positive(p.half_axle, who + "half axle");
  check.between(p.centre_offset, -0.5, 0.5, who + "mass centre offset");
  check.positive(p.body_inertia, who + "body inertia");
  check.not_negative(p.wheel_inertia, who + "wheel inertia");
  check.not_negative(p.wheel_yaw_inertia, who + "wheel yaw inertia");
  check.not_negative(p.wheel_damping, who + "wheel damping");
  check.not_negative(p.tyre_sliding, who + "sliding friction of the tyres");
  check.between(p.tyre_static, p.tyre_sliding, 1e6, who + "static friction of the tyres");
  check.not_negative(p.drive.speed_gain, who + "speed gain");
  check.not_negative(p.drive.torque_per_volt, who + "torque per volt");
  check.not_negative(p.drive.back_emf, who + "back-EMF");
  check.not_negative(p.drive.limit_drive, who + "driving torque limit");
  check.not_negative(p.drive.limit_brake, who + "braking torque limit");
}

void check_ball_and_surfaces(const WheelsParameters& p, Checker& check) {
  check.positive(p.ball.radius, "ball radius");
  check.positive(p.ball.mass, "ball mass");
  check.between(p.ball.inertia_ratio, 1e-3, 1, "ball inertia ratio");
  check.not_negative(p.ball.sliding_friction, "ball sliding friction");
  check.not_negative(p.ball.rolling_resistance, "ball rolling resistance");
  check.not_negative(p.ball.rolling_damping, "ball rolling damping");
  check.not_negative(p.ball.spin_resistance, "ball spin resistance");
  const Surface* all[] = {&p.surfaces.ball_wall, &p.surfaces.ball_robot, &p.surfaces.robot_robot,
                          &p.surfaces.robot_wall};
  for (const Surface* s : all) {
    check.between(s->restitution, 0, 1, "restitution");
    check.between(s->friction, 0, 10, "contact friction");
  }
  check.positive(p.gravity, "gravity");
  if (p.tyres == Tyres::rolling && p.impact == ImpactMode::slip)
    check.fail("planar_wheels: rolling tyres cannot hold the sideways speed that impact mode 'slip' gives");
}

void check_field_and_numerics(const WheelsParameters& p, Checker& check) {
  if (p.field.walls.size() < 3) check.fail("planar_wheels: the field needs at least three walls");
  for (const Wall& w : p.field.walls) {
    check.between(norm(w.normal), 1 - 1e-9, 1 + 1e-9, "length of a wall normal");
    check.between(w.offset, -1e3, 1e3, "wall offset");
  }
  for (const auto& block : p.field.blocks) {
    if (block.size() < 3 || block.size() > kMaxVertices)
      check.fail(fmt::format("planar_wheels: a block has 3 to {} corners", kMaxVertices));
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Vec2 a = block[i], b = block[(i + 1) % block.size()], c = block[(i + 2) % block.size()];
      if (!(cross(b - a, c - b) > 0)) {
        check.fail("planar_wheels: a block must be convex and counter-clockwise");
        break;
      }
    }
  }
  const Numerics& n = p.numerics;
  check.between(n.time_tolerance, 1e-12, 1e-6, "time tolerance");
  check.between(n.longest_piece, 1e-4, 0.1, "longest piece");
  check.between(n.longest_slice, 1e-4, 0.02, "longest slice");
  check.between(n.band, 2 * n.standoff, 1e-3, "contact band");
  check.positive(n.standoff, "standoff");
  check.between(n.compliance, 1e-9, 0.1, "compliance");
  check.positive(n.push_out_time, "push-out time");
}

/// The inertias that slices and impacts meet (sec. 5).  inertia_free: of yaw, wheels not turning
void set_inertias(const WheelsParameters& all, double inertia_free, RobotModel& m) {
  const Sym3 slipping{m.mass_v, 0, 0, m.mass, m.mass_offset, m.inertia_w};
  const Sym3 rolling{m.mass_v, 0, 0, m.mass, 0, m.inertia_w};
  const Sym3 rolling_mobility{1 / m.mass_v, 0, 0, 0, 0, 1 / m.inertia_w};  // no sideways freedom
  const bool rolls = all.tyres == Tyres::rolling;
  m.slide_inertia = rolls ? rolling : slipping;
  m.slide_mobility = rolls ? rolling_mobility : inverse(slipping);
  if (all.impact == ImpactMode::rolling) {
    m.inertia = rolling;
    m.mobility = rolling_mobility;
    return;
  }
  const Sym3 free_body{m.mass, 0, 0, m.mass, m.mass_offset, inertia_free};  // (27): wheels do not count
  m.inertia = all.impact == ImpactMode::paper ? free_body : slipping;
  m.mobility = inverse(m.inertia);
}

/// Constants of eqs. (3) and (5).
RobotModel derive(const RobotParameters& p, const WheelsParameters& all, Checker& check, int index) {
  RobotModel m;
  m.par = p;
  const double r2 = p.wheel_radius * p.wheel_radius, d = p.centre_offset, b2 = p.half_axle * p.half_axle;
  m.mass = p.body_mass + 2 * p.wheel_mass;
  m.mass_v = m.mass + 2 * p.wheel_inertia / r2;
  const double inertia_free = p.body_inertia + p.body_mass * d * d + 2 * p.wheel_yaw_inertia + 2 * p.wheel_mass * b2;
  m.inertia_w = inertia_free + 2 * p.wheel_inertia * b2 / r2;
  m.mass_offset = p.body_mass * d;
  if (p.drive.input == DriveInput::torque) m.gain = 1, m.slope = 0;
  if (p.drive.input == DriveInput::voltage) m.gain = p.drive.torque_per_volt, m.slope = p.drive.back_emf;
  if (p.drive.input == DriveInput::wheel_speed) m.gain = m.slope = p.drive.speed_gain;
  set_inertias(all, inertia_free, m);
  std::string problem;
  m.pieces = convex_pieces(p.outline, problem);
  if (!problem.empty()) check.fail(fmt::format("planar_wheels: robot {}: {}", index, problem));
  for (const ConvexPiece& piece : m.pieces) m.radius = std::max(m.radius, piece.radius);
  if (problem.empty()) m.rim = rim_table(m.pieces, all.ball.radius, 360);
  return m;
}

}  // namespace

Result<WheelsModel> compile(const WheelsParameters& p) {
  Checker check;
  if (p.robots.size() + 1 > kMaxBodies)
    check.fail(fmt::format("planar_wheels: at most {} robots in a group", kMaxBodies - 1));
  for (std::size_t i = 0; i < p.robots.size(); ++i) check_robot(p.robots[i], static_cast<int>(i), check);
  check_ball_and_surfaces(p, check);
  check_field_and_numerics(p, check);
  if (!check.errors.empty()) return check.errors;
  WheelsModel m;
  m.par = p;
  for (std::size_t i = 0; i < p.robots.size(); ++i)
    m.robots.push_back(derive(p.robots[i], p, check, static_cast<int>(i)));
  const double spin_mass = p.ball.inertia_ratio * p.ball.mass;
  m.ball_inertia = {p.ball.mass, 0, 0, p.ball.mass, 0, spin_mass};
  m.ball_mobility = inverse(m.ball_inertia);
  for (const auto& block : p.field.blocks) m.blocks.push_back(make_piece(block));
  if (!check.errors.empty()) return check.errors;
  return m;
}

}  // namespace gradus::wheels
