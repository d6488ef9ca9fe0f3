/// What a group of wheeled robots with their ball and field is made of: the parameters a user sets, and the constant
/// model compiled from them. Equations: docs/planar_wheels.md. SI units throughout.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "wheels/shape.h"

namespace gradus::wheels {

inline constexpr int kMaxBodies = 64;  // robots and ball of one group; islands are bit sets of one word

/// What a wheel command means.
enum class DriveInput { torque, voltage, wheel_speed };  // N·m, V, rad/s
/// Sideways behaviour of the tyres between impacts.
enum class Tyres { rolling, slip };  // u = 0 always, or Coulomb stick–slip
/// Which velocities an impact may change [docs/planar_wheels.md, sec. 5].
enum class ImpactMode { paper, rolling, slip };
/// Turning about a corner held at the boundary: the paper's eq. (18), or no longitudinal slip of the driving wheel.
enum class PivotForm { projected, rolling };

/// Wheel torque τ = clamp(gain · command − slope · φ̇, limits) − damping · φ̇. A limit is `drive` where torque and wheel
/// speed agree in sign, `brake` where they differ (FIRASim's casters drag, so it starts slowly and brakes hard).
struct Drive {
  DriveInput input = DriveInput::wheel_speed;
  double speed_gain = 0.004;       // wheel_speed: k of τ = k (φ̇_ref − φ̇)                             [N·m·s]
  double torque_per_volt = 0.004;  // voltage: K_t N / R                                             [N·m/V]
  double back_emf = 3e-4;          // voltage: K_t K_e N² / R                                        [N·m·s]
  double limit_drive = 0.03;       // [N·m]
  double limit_brake = 0.03;       // [N·m]
};

struct RobotParameters {
  double body_mass = 0.45;                            // m_c                                                     [kg]
  double wheel_mass = 0.03;                           // m_k, one wheel                                          [kg]
  double wheel_radius = 0.0225;                       // r                                                       [m]
  double half_axle = 0.0335;                          // b                                                       [m]
  double centre_offset = 0;                           // d, mass centre of the body ahead of the axle            [m]
  double body_inertia = 0.45 * 0.075 * 0.075 / 6;     // J_c, about the body's mass centre      [kg m²]
  double wheel_inertia = 0.03 * 0.0225 * 0.0225 / 2;  // J_k, about the axle, with the rotor    [kg m²]
  double wheel_yaw_inertia = 0.03 * 0.0225 * 0.0225 / 4;  // J_m, about the vertical                [kg m²]
  double wheel_damping = 2e-5;                   // μ                                                       [N·m·s]
  double tyre_static = 0.8, tyre_sliding = 0.7;  // friction coefficients across
  Drive drive;
  double top_speed = 1e6;                             // commands beyond it are cut to it                    [rad/s]
  std::vector<Vec2> outline = square_outline(0.075);  // counter-clockwise, star-shaped         [m]
};

struct BallParameters {
  double radius = 0.02135, mass = 0.046;  // [m], [kg]
  double inertia_ratio = 0.4;             // J / (m r²); 0.4 for a solid sphere
  double sliding_friction = 0.3;          // against the floor, until it rolls
  double rolling_resistance = 0.008;      // c: deceleration c g while rolling
  double rolling_damping = 0.05;          // k: deceleration k |V| while rolling                     [1/s]
  double spin_resistance = 0.5;           // loss of the vertical spin's surface speed               [m/s²]
};

/// Restitution and Coulomb friction of one kind of contact.
struct Surface {
  double restitution = 0, friction = 0;
};
struct Surfaces {
  Surface ball_wall{0.7, 0.3}, ball_robot{0.5, 0.3}, robot_robot{0.3, 0.3}, robot_wall{0.2, 0.3};
};

/// Playing field: the places p with normal · p ≥ offset for all walls, outside every block.
struct Wall {
  Vec2 normal;  // inward, unit
  double offset = 0;
};
struct Field {
  std::vector<Wall> walls;
  std::vector<std::vector<Vec2>> blocks;   // convex, counter-clockwise
  double half_length = 0, half_width = 0;  // goal lines at x = ± half_length                        [m]
  double goal_width = 0, goal_depth = 0;   // [m]
};

/// Tolerances of the event engine. The defaults were chosen by measurement (docs/planar_wheels.md, sec. 7).
struct Numerics {
  double time_tolerance = 1e-9;     // event location                                              [s]
  double longest_piece = 20e-3;     // free motion                                                 [s]
  double series_tolerance = 1e-13;  // size of the last two Taylor terms of a free piece           [m]
  double longest_slice = 4e-3;      // contact motion with constant twists                         [s]
  double slice_curvature = 4e-5;    // largest second-order gap change in a slice                  [m]
  double slice_turn = 0.03;         // largest turn of a robot in a slice                          [rad]
  double band = 2e-4;               // pairs closer than this are looked at as contacts            [m]
  double standoff = 2e-5;           // gap kept by resting contacts                                [m]
  double rest_speed = 0.05;         // slower hits do not bounce                                   [m/s]
  double repeat_time = 5e-4;        // a pair hit again within this time does not bounce           [s]
  double push_out_time = 15e-3;     // time constant of undoing a lost standoff                    [s]
  double push_out_speed = 0.01;     // and its largest speed                                       [m/s]
  double held_slack = 2e-5;         // a held corner may lose this much before it is an event      [m]
  double compliance = 1e-4;         // relative regularisation of contact rows in slices
};

struct WheelsParameters {
  std::vector<RobotParameters> robots;  // one entry per robot, blue ones first
  int blue = -1;                        // how many of them are blue; −1: half, rounded up
  int blue_side = -1;                   // −1: blue defends the goal at −x, 1: at +x
  BallParameters ball;
  Surfaces surfaces;
  Field field;
  double gravity = 9.81;
  Tyres tyres = Tyres::slip;
  ImpactMode impact = ImpactMode::slip;
  PivotForm pivot = PivotForm::projected;  // impact mode paper only
  double slide_angle = 0.6;                // paper: below this angle between heading and wall it slides [rad]
  Numerics numerics;
};

/// Symmetric 3×3 matrix over a body's velocities: robot (v, u, w), ball (V_x, V_y, spin).
struct Sym3 {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};
Sym3 inverse(const Sym3& a);  // a positive definite
inline double kinetic_energy(const Sym3& m, const double* v) {
  return 0.5 * (m.xx * v[0] * v[0] + m.yy * v[1] * v[1] + m.zz * v[2] * v[2]) + m.xy * v[0] * v[1] +
         m.xz * v[0] * v[2] + m.yz * v[1] * v[2];
}

struct RobotModel {
  RobotParameters par;
  double mass = 0;                     // m = m_c + 2 m_k
  double mass_v = 0;                   // m_v, eq. (3)
  double inertia_w = 0;                // I_w, eq. (3)
  double mass_offset = 0;              // m_c d
  double gain = 0, slope = 0;          // of the drive, eq. (5)
  Sym3 inertia, mobility;              // of an impact in the chosen mode, and its inverse; sideways entry 0 if rolling
  Sym3 slide_inertia, slide_mobility;  // the same of a contact slice
  std::vector<ConvexPiece> pieces;
  std::vector<RimPoint> rim;  // 360 entries, one per degree
  double radius = 0;          // bounding circle about the axle mid-point
};

struct WheelsModel {
  WheelsParameters par;
  std::vector<RobotModel> robots;
  Sym3 ball_inertia, ball_mobility;
  std::vector<ConvexPiece> blocks;
  int robot_count() const { return static_cast<int>(robots.size()); }
  int body_count() const { return robot_count() + 1; }
  int obstacle_count() const { return static_cast<int>(par.field.walls.size() + blocks.size()); }
};

/// Checks every parameter (all problems are reported) and derives the constants.
Result<WheelsModel> compile(const WheelsParameters& parameters);

}  // namespace gradus::wheels
