#include "wheels/from_scene.h"

#include <fmt/format.h>

#include <cmath>

#include "wheels/field.h"

namespace gradus::wheels {
namespace {

constexpr double kClose = 1e-6;  // what counts as the same place [m]

/// The shape of a wheel: a cylinder about y, or a sphere. None: radius 0.
double wheel_radius(const RobotKind& kind, int link) {
  for (const ShapeInfo& s : kind.shapes) {
    if (s.link != link) continue;
    if (s.spec.kind == ShapeKind::sphere) return s.spec.radius;
    if (s.spec.kind == ShapeKind::cylinder && std::fabs(std::fabs(s.X_LS.R.z.y) - 1) < kClose) return s.spec.radius;
  }
  return 0;
}

/// Seen from above.
std::vector<Vec2> footprint(const ShapeInfo& s) {
  std::vector<Vec2> points;
  const auto put = [&](Vec3 p_S) {
    const Vec3 p = s.X_LS * p_S;
    points.push_back({p.x, p.y});
  };
  if (s.spec.kind == ShapeKind::box) {
    const Vec3 h = s.spec.size * 0.5;
    for (int k = 0; k < 8; ++k) put({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
  } else if (s.spec.kind == ShapeKind::cylinder || s.spec.kind == ShapeKind::sphere) {
    for (int k = 0; k < 12; ++k) {  // a round robot as a twelve-sided one, its faces tangent
      const Rot2 turn = rotation((k + 0.5) * M_PI / 6);
      const double r = s.spec.radius / std::cos(M_PI / 12);
      put({r * turn.c, r * turn.s, 0});
    }
  }
  return convex_hull(std::move(points));
}

std::vector<Vec2> outline_of(const RobotKind& kind) {
  std::vector<std::vector<Vec2>> parts;
  for (const ShapeInfo& s : kind.shapes)
    if (s.link == 0 && s.spec.collides) {
      parts.push_back(footprint(s));
      if (parts.back().size() < 3) parts.pop_back();
    }
  return union_outline(parts);
}

LeagueNumbers numbers_of(const PitchSpec& p, int team) {
  return {team,     p.length,        p.width,      p.goal_width, p.goal_depth,
          p.corner, p.centre_radius, p.area_width, p.area_depth, p.penalty_mark};
}

/// What planar_wheels takes for granted of a robot with two wheels.
void check_wheels(const RobotKind& kind, const WheelJoints& w, std::vector<std::string>& missing) {
  const Link &body = kind.links[0], &left = kind.links[static_cast<std::size_t>(w.left) + 1],
             &right = kind.links[static_cast<std::size_t>(w.right) + 1];
  const Joint& motor = kind.joints[static_cast<std::size_t>(w.left)];
  const Joint& other = kind.joints[static_cast<std::size_t>(w.right)];
  const double radius = wheel_radius(kind, w.left + 1);
  const bool alike = left.mass == right.mass && left.rotor == right.rotor && motor.servo.kd == other.servo.kd &&
                     motor.servo.torque == other.servo.torque && motor.damping == other.damping &&
                     wheel_radius(kind, w.right + 1) == radius;
  if (!alike) missing.push_back("equal wheels: shapes, masses, servos and damping");
  if (!(radius > 0)) missing.push_back("the radius of its wheels: give them a cylinder about y");
  const bool centred = std::fabs(left.p_PB.x) < kClose && std::fabs(right.p_PB.x) < kClose &&
                       std::fabs(left.p_PB.y + right.p_PB.y) < kClose;
  if (!centred) missing.push_back("an axle whose middle is the base's origin");
  if (std::fabs(body.com.y) > kClose) missing.push_back("a body whose mass centre is on its middle line");
  if (!std::isfinite(motor.servo.torque) || !(motor.servo.kd > 0))
    missing.push_back("wheel servos: kd (torque per lack of speed) and torque (its limit)");
}

}  // namespace

WheelJoints wheel_joints(const RobotKind& kind) {
  WheelJoints w;
  for (int j = 0; j < kind.njoint(); ++j) {
    const Link& l = kind.links[static_cast<std::size_t>(j) + 1];
    const bool across = std::fabs(std::fabs(l.axis.y) - 1) < kClose && !l.prismatic && l.parent == 0;
    if (!across || l.p_PB.y == 0) return {};
    (l.p_PB.y > 0 ? w.left : w.right) = j;
    (l.p_PB.y > 0 ? w.left_sense : w.right_sense) = l.axis.y > 0 ? 1 : -1;
  }
  return kind.njoint() == 2 && w.left >= 0 && w.right >= 0 ? w : WheelJoints{};
}

RobotParameters robot_parameters(const RobotKind& kind, const RobotParameters& preset,
                                 std::vector<std::string>& missing) {
  RobotParameters r = preset;
  const WheelJoints w = wheel_joints(kind);
  if (w.left < 0) {
    missing.push_back("two wheels: revolute joints about y, one on either side of the base");
    return r;
  }
  check_wheels(kind, w, missing);
  const Link &body = kind.links[0], &left = kind.links[static_cast<std::size_t>(w.left) + 1];
  const Joint& motor = kind.joints[static_cast<std::size_t>(w.left)];
  r.wheel_radius = wheel_radius(kind, w.left + 1);
  r.half_axle = left.p_PB.y;
  r.body_mass = body.mass;
  r.centre_offset = std::fabs(body.com.x) < kClose ? 0 : body.com.x;
  r.body_inertia = body.J.zz;
  r.wheel_mass = left.mass;
  r.wheel_inertia = left.J.yy + left.rotor;
  r.wheel_yaw_inertia = left.J.zz;
  r.wheel_damping = motor.damping;
  r.drive.input = DriveInput::wheel_speed;
  r.drive.speed_gain = motor.servo.kd;
  r.top_speed = std::min(motor.servo.speed, preset.top_speed);
  r.drive.limit_drive = r.drive.limit_brake = motor.servo.torque;
  r.outline = outline_of(kind);
  if (r.outline.size() < 3)
    missing.push_back("an outline that is star-shaped about its axle: a box (or several) on its base that collides");
  return r;
}

BallParameters ball_parameters(const RobotKind& kind, const BallParameters& preset, std::vector<std::string>& missing) {
  BallParameters b = preset;
  if (kind.njoint() > 0 || kind.shapes.size() != 1 || kind.shapes[0].spec.kind != ShapeKind::sphere) {
    missing.push_back("the form of a ball: one sphere, no joints");
    return b;
  }
  b.radius = kind.shapes[0].spec.radius;
  b.mass = kind.mass;
  b.inertia_ratio = kind.links[0].J.zz / (b.mass * b.radius * b.radius);
  return b;
}

Result<WheelsParameters> group_parameters(const Model& model, const GroupModel& group) {
  const GroupSpec& g = group.spec;
  const Preset preset = g.preset == "firasim" ? Preset::firasim : Preset::realistic;
  WheelsParameters p = league_parameters(League::five_a_side, preset);
  const RobotParameters robot = p.robots[0];
  p.robots.clear();
  p.field = soccer_field(numbers_of(*model.pitch, group.blue));
  p.blue = group.blue;
  p.blue_side = g.sides == "blue_right" ? 1 : -1;
  p.gravity = norm(model.gravity);
  p.tyres = g.tyres == "rolling" ? Tyres::rolling : Tyres::slip;
  p.impact = g.impact == "paper" ? ImpactMode::paper : g.impact == "rolling" ? ImpactMode::rolling : ImpactMode::slip;
  for (Surface* s : {&p.surfaces.ball_robot, &p.surfaces.robot_robot, &p.surfaces.robot_wall, &p.surfaces.ball_wall})
    s->friction = g.friction.value_or(s->friction);
  Diagnostics faults;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const gradus::RobotModel& member = model.robots[static_cast<std::size_t>(group.members[i])];
    std::vector<std::string> missing;
    if (i + 1 < group.members.size()) {
      p.robots.push_back(robot_parameters(*member.kind, robot, missing));
      p.robots.back().drive.limit_brake = g.brake.value_or(p.robots.back().drive.limit_brake);
    } else {
      p.ball = ball_parameters(*member.kind, p.ball, missing);
    }
    for (const std::string& m : missing)
      faults.push_back({g.place, Severity::error,
                        fmt::format("robot '{}' cannot be moved by planar_wheels: it lacks {}", member.name, m), ""});
  }
  if (!faults.empty()) return faults;
  return p;
}

}  // namespace gradus::wheels
