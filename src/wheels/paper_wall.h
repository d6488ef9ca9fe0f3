/// A robot at the boundary as the paper models it [Klančar 2007, sec. 4.1]: two corners out, it stops (17); one corner,
/// it turns about that corner, driven by the wheel on the other side (18)–(21); at a small angle it slides instead.
///
/// Corner c (body axes), driving wheel at (0, −σ b) with σ = sgn c_y, e from the corner to that wheel:
///   projected: θ̇ = r φ̇ (σ b + c_y)/|e|²     (the paper: the rim speed projected on the tangent)            (22)
///   rolling:   θ̇ = r φ̇ / (σ b + c_y)        (no longitudinal slip of the driving wheel)                   (23)
///   (v, u) = θ̇ (c_y, −c_x): the corner stands still                                                      (24)
#pragma once
#include "wheels/model.h"

namespace gradus::wheels {

struct Twist {
  double v = 0, u = 0, w = 0;  // body axes
};

/// Twist of a robot that turns about its corner, the driving wheel turning at `wheel_speed` [rad/s].
Twist pivot_twist(const RobotParameters& robot, Vec2 corner_B, double wheel_speed, PivotForm form);

}  // namespace gradus::wheels
