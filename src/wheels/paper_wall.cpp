#include "wheels/paper_wall.h"

#include <cmath>

#include "wheels/engine.h"
#include "math/angle.h"

namespace gradus::wheels {

Twist pivot_twist(const RobotParameters& robot, Vec2 c, double wheel_speed, PivotForm form) {
  const double across = (c.y > 0 ? robot.half_axle : -robot.half_axle) + c.y;  // σ b + c_y = −e_y
  const double reach2 = c.x * c.x + across * across;                           // |e|²
  const double rim = robot.wheel_radius * wheel_speed;
  const double w = form == PivotForm::projected ? rim * across / reach2 : rim / across;
  return {w * c.y, -w * c.x, w};
}

/// Speed of the driving wheel: what is commanded, or what the motors would make of it in h.
double Engine::driving_speed(const Body& b, bool right, double h) const {
  const RobotModel& r = *b.shape.robot;
  if (r.par.drive.input == DriveInput::wheel_speed) return right ? b.command.right : b.command.left;
  double a[3];
  robot_acceleration(*model_, r, b.modes, b.now.q, a);
  const double v = b.now.q[0] + h * a[0], w = b.now.q[2] + h * a[2];
  return (v + (right ? 1 : -1) * r.par.half_axle * w) / r.par.wheel_radius;
}

/// Paper mode, a robot alone at the boundary and pressing on it: gives it its twist and returns true. A robot that
/// drives away, slides (small angle) or touches other robots is left to the contact rows.
bool Engine::hold_at_boundary(double t, double h) {
  Body& b = bodies_[island_[0]];
  if (model_->par.impact != ImpactMode::paper || island_size_ != 1 || !b.shape.robot) return false;
  int touching = 0;
  const Contact* corner = nullptr;
  bool presses = false;
  for (int k = 0; k < contact_count_; ++k) {
    const Contact& c = contacts_[k];
    if (c.gap > 2 * numerics_->standoff || row_of_[k] < 0) continue;
    ++touching;
    corner = &c;
    presses |= solver_.row_velocity(solver_.row(row_of_[k])) < -1e-9;
  }
  if (touching == 0 || !presses) return false;
  Twist twist;
  if (touching == 1) {
    const double angle = arc_sine(std::fabs(dot(corner->n, b.now.R * Vec2{1, 0})));
    if (angle < model_->par.slide_angle) return false;
    const Vec2 c_B = inverse_times(b.now.R, corner->p - b.now.p);
    const bool right = c_B.y > 0;  // a corner on the left is driven by the right wheel
    twist = pivot_twist(b.shape.robot->par, c_B, driving_speed(b, right, h), model_->par.pivot);
  }
  SolverBody& s = solver_.body(0);
  s.v[0] = twist.v, s.v[1] = twist.u, s.v[2] = twist.w;
  for (int i = 0; i < solver_.row_count(); ++i) solver_.row(i).lambda = 0;
  finish_slice(t, h);
  return b.in_contact;
}

}  // namespace gradus::wheels
