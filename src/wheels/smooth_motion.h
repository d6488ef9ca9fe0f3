/// Motion between contacts: Taylor series of a robot under its motors and tyres, and of the ball sliding, rolling or at
/// rest. The equations are quadratic, so the series follow from recurrences without differentiating anything by hand.
///
///   m_v v̇              =  m u w + m_c d w² + F_v                                                      (3)
///   m u̇ + m_c d ẇ      = −m v w + F_lat
///   m_c d u̇ + I_w ẇ    = −m_c d v w + F_w
///   ẋ = v cos θ − u sin θ,   ẏ = v sin θ + u cos θ,   θ̇ = w                                           (4)
///   F_v = (τ_r + τ_l)/r,  F_w = b (τ_r − τ_l)/r,  τ = clamp(gain · cmd − slope · φ̇) − damping · φ̇     (5)
///   stick: u = 0 while |m v w + m_c d ẇ| ≤ μ_s m g;   slip: F_lat = −μ_d m g sgn u                     (6)
///   ball:  slip s = V − ρ ≠ 0: V̇ = −μ g ŝ, ρ̇ = μ g ŝ / ι;   s = 0: V̇ = −(c g + k |V|) V̂            (7)
///
/// Where a mode ends (a torque limit, stick or slip, the ball's sliding or its stop), the piece ends: no event for
/// others.
#pragma once
#include "wheels/model.h"
#include "wheels/piece.h"

namespace gradus::wheels {

struct WheelCommand {
  double right = 0, left = 0;  // N·m, V or rad/s, as the drive's input says
};

/// A body at one instant.
struct Instant {
  Vec2 p;
  double theta = 0;
  Rot2 R;                // of theta
  double q[3] = {};      // robot: v, u, w; ball: V_x, V_y, spin
  Vec2 roll;             // ball
  double wheel[2] = {};  // robot: angles right, left
};

/// Wheel and tyre modes of a robot, and its motor forces as linear functions of (v, w).
struct RobotModes {
  int wheel[2] = {};                // right, left: −1, +1 at a torque limit, 0 between
  double limit[2] = {};             // torque at that limit [N·m]
  int turning[2] = {};              // sign of the wheel speed that chose the limits; 0 where the limits are symmetric
  int tyre = 0;                     // 0 sticks, ±1 slips to the left, right
  double force_v = 0, force_w = 0;  // F_v, F_w at v = w = 0
  double damp_vv = 0, damp_vw = 0, damp_ww = 0;  // −∂(F_v, F_w)/∂(v, w)
};

RobotModes robot_modes(const WheelsModel& m, const RobotModel& r, const Instant& now, const WheelCommand& command);
/// Sums the wheels' constant torques and slopes into F_v, F_w, eq. (5).
void set_forces(const RobotModel& r, const WheelCommand& command, RobotModes& modes);
/// Puts motors at their limits that want more at the velocities q_end; says whether there were any.
bool limit_motors(const RobotModel& r, const WheelCommand& command, const Instant& now, const double* q_end,
                  RobotModes& modes);

/// What ended a piece, so that the end is put exactly.
enum class PieceEnd { horizon, mode, grip };  // grip: u has become 0

struct SmoothResult {
  PieceEnd end = PieceEnd::horizon;
};

/// Writes the free piece of a robot from t to at most `stop`.
SmoothResult robot_piece(const WheelsModel& m, const RobotModel& r, const Instant& now, const RobotModes& modes,
                         const WheelCommand& command, double t, double stop, Piece& piece);

/// Phase of the ball's free motion.
enum class BallPhase { rest, roll, slide };
struct BallResult {
  BallPhase phase = BallPhase::rest;
  bool finished = false;  // sliding or rolling ends with the piece
};
BallResult ball_piece(const WheelsModel& m, const Instant& now, double t, double stop, Piece& piece);

/// The instant at time t of a free piece that began at `start`.
Instant robot_at(const RobotModel& r, const Instant& start, const Piece& piece, double t, PieceEnd end);
Instant ball_at(const WheelsModel& m, const Instant& start, const Piece& piece, double t, BallResult how);

/// Accelerations (v̇, u̇, ẇ) of a robot in its modes, and the ground force (lateral) that rolling needs, eq. (6).
void robot_acceleration(const WheelsModel& m, const RobotModel& r, const RobotModes& modes, const double q[3],
                        double out[3]);

}  // namespace gradus::wheels
