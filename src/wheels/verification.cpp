#include "wheels/verification.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "wheels/field.h"
#include "wheels/paper_wall.h"
#include "wheels/planar_wheels.h"

namespace gradus::wheels {
namespace {

using Augmented = double[8][9];

/// Gauss–Jordan with pivoting; the solution ends in the last column.
void solve(Augmented& a) {
  for (int i = 0; i < 8; ++i) {
    int best = i;
    for (int k = i; k < 8; ++k)
      if (std::fabs(a[k][i]) > std::fabs(a[best][i])) best = k;
    std::swap(a[i], a[best]);
    for (int k = 0; k < 8; ++k) {
      if (k == i) continue;
      const double f = a[k][i] / a[i][i];
      for (int j = i; j < 9; ++j) a[k][j] -= f * a[i][j];
    }
  }
  for (int i = 0; i < 8; ++i) a[i][8] /= a[i][i];
}

/// A group with its state, for the checks below. The parameters are ours, so compile cannot fail.
struct Bench {
  WheelsModel model;
  Scratch scratch;
  std::vector<double> state;
  std::vector<WheelCommand> commands;
  Report report;
  explicit Bench(const WheelsParameters& p)
      : model(*compile(p)), scratch(model), state(state_size(model)), commands(model.robot_count()) {
    clear_state(model, state);
    set_ball(model, state, {50, 0}, {});
  }
  std::span<double> body(int i) { return body_of(std::span<double>(state), i); }
  void step(double h) { advance(model, state, commands, h, scratch, report); }
};

WheelsParameters open_group(int robots) {
  WheelsParameters p;
  p.field.walls = {{{0, -1}, -1e2}, {{0, 1}, -1e2}, {{-1, 0}, -1e2}, {{1, 0}, -1e2}};
  p.field.half_length = p.field.half_width = 1e2;
  p.robots.resize(robots);
  for (RobotParameters& r : p.robots) r.drive.input = DriveInput::torque, r.centre_offset = 0.012;
  p.tyres = Tyres::rolling, p.impact = ImpactMode::rolling;
  return p;
}

void against_multipliers(std::vector<VerificationRow>& rows) {
  const WheelsParameters p = open_group(1);
  Bench b(p);
  set_robot(b.state, 0, {0, 0}, 0);
  const MultiplierModel witness(p.robots[0]);
  MultiplierModel::State s{};
  s[0] = p.robots[0].centre_offset;
  double pose = 0, wheel = 0;
  for (int k = 0; k < 400; ++k) {
    const double t = 0.01 * k;
    b.commands[0] = {4e-3 * std::sin(3.1 * t) + 1e-3, 4e-3 * std::cos(2.3 * t) - 5e-4};
    b.step(0.01);
    for (int i = 0; i < 200; ++i) s = witness.step(s, b.commands[0].right, b.commands[0].left, 5e-5);
    const auto r = b.body(0);
    const Vec2 centre = Vec2{r[kX], r[kY]} + rotation(r[kTheta]) * Vec2{p.robots[0].centre_offset, 0};
    pose = std::max({pose, std::fabs(centre.x - s[0]), std::fabs(centre.y - s[1]),
                     std::fabs(std::remainder(r[kTheta] - s[2], 2 * M_PI))});
    wheel = std::max({wheel, std::fabs(r[kWheelRight] - s[3]), std::fabs(r[kWheelLeft] - s[4])});
  }
  rows.push_back({"pose, reduced model against multipliers, 4 s", "m, rad", 0, pose, 1e-9});
  rows.push_back({"wheel angle, the same", "rad", 0, wheel, 1e-8});
}

void energy_and_work(std::vector<VerificationRow>& rows) {
  WheelsParameters p = open_group(1);
  p.robots[0].wheel_damping = 0;
  Bench b(p);
  set_robot(b.state, 0, {0, 0}, 0);
  b.body(0)[kV] = 0.5, b.body(0)[kW] = 25;
  const double before = kinetic_energy(b.model, b.state, 0);
  for (int k = 0; k < 1250; ++k) b.step(0.016);
  rows.push_back({"energy, no damping, 20 s", "relative", 1, kinetic_energy(b.model, b.state, 0) / before, 1e-12});
  Bench c(p);
  set_robot(c.state, 0, {0, 0}, 0);
  double work = 0;
  for (int k = 0; k < 500; ++k) {
    const double right = c.body(0)[kWheelRight], left = c.body(0)[kWheelLeft];
    c.commands[0] = {6e-3 * std::sin(0.01 * k), 5e-3 * std::cos(0.013 * k)};
    c.step(0.004);
    work +=
        c.commands[0].right * (c.body(0)[kWheelRight] - right) + c.commands[0].left * (c.body(0)[kWheelLeft] - left);
  }
  rows.push_back({"work of the motors against energy gained", "J", kinetic_energy(c.model, c.state, 0), work, 1e-10});
}

void pivot(std::vector<VerificationRow>& rows) {
  RobotParameters r;
  r.half_axle = 0.0375;  // the printed case
  const Vec2 corner{0.0375, -0.0375};
  const double omega = 10;
  const Twist t = pivot_twist(r, corner, omega, PivotForm::projected);
  const double speed = norm(Vec2{t.v - t.w * corner.y, t.u + t.w * corner.x});
  rows.push_back({"speed of the corner a robot turns about", "m/s", 0, speed, 1e-12});
  rows.push_back({"turning rate over ω_l r / L, eq. (18)", "", -0.8, t.w / (omega * r.wheel_radius / 0.075), 1e-12});
}

void rim(std::vector<VerificationRow>& rows) {
  std::string problem;
  const auto pieces = convex_pieces(square_outline(0.075), problem);
  const double a = 0.0375, r_b = 0.02135;
  rows.push_back({"rim of the square, ahead", "m", a + r_b, rim_point(pieces, r_b, 0).radius, 1e-12});
  rows.push_back(
      {"rim of the square, corner", "m", std::sqrt(2.0) * a + r_b, rim_point(pieces, r_b, M_PI / 4).radius, 1e-12});
}

void ball(std::vector<VerificationRow>& rows) {
  WheelsParameters p = league_parameters(League::five_a_side);
  p.robots.clear();
  p.ball.rolling_resistance = p.ball.rolling_damping = 0;
  Bench b(p);
  set_ball(b.model, b.state, {-1, 0}, {0.9, 0}, false);
  for (int k = 0; k < 40; ++k) b.step(0.016);
  rows.push_back(
      {"ball placed without spin: speed once it rolls", "of the start", 5.0 / 7, b.body(0)[kBallVx] / 0.9, 1e-12});
  p.surfaces.ball_wall.friction = p.ball.sliding_friction = 0;
  Bench c(p);
  set_ball(c.model, c.state, {0.1, 0.3}, {0.31, 1.7});
  for (int k = 0; k < 50; ++k) c.step(0.01);
  const double e = p.surfaces.ball_wall.restitution, wall = p.field.half_width - p.ball.radius;
  const double hit = 0.5 - (wall - c.body(0)[kY]) / (e * 1.7);  // when it must have bounced, from where it is now
  rows.push_back({"time of the ball's hit on the wall", "s", (wall - 0.3) / 1.7, hit, 1e-9});
}

/// 1000 robots thrown at each other, mode slip, e = 1, free rigid bodies.
void impulses(std::vector<VerificationRow>& rows) {
  WheelsParameters p = open_group(2);
  p.tyres = Tyres::slip, p.impact = ImpactMode::slip;
  p.surfaces.robot_robot = {1, 0};
  p.numerics.rest_speed = 0;
  for (RobotParameters& r : p.robots) r.wheel_inertia = r.wheel_damping = r.tyre_static = r.tyre_sliding = 0;
  Bench b(p);
  double worst = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const RandomKey key{n, 0, 9};
    for (int i = 0; i < 2; ++i) {
      set_robot(b.state, i, {i * 0.112, 0}, random_in(key, 0, i, -3, 3));
      const double toward = (i ? -1 : 1) * random_in(key, 1, i, 0.2, 1.5);
      const Vec2 v = inverse_times(rotation(b.body(i)[kTheta]), Vec2{toward, 0});
      b.body(i)[kV] = v.x, b.body(i)[kU] = v.y, b.body(i)[kW] = random_in(key, 2, i, -10, 10);
    }
    auto energy = [&] { return kinetic_energy(b.model, b.state, 0) + kinetic_energy(b.model, b.state, 1); };
    b.report = {};
    const double before = energy();
    for (int k = 0; k < 20 && b.report.impacts == 0; ++k) b.step(0.004);
    if (b.report.impacts == 1 && b.report.slices == 0) worst = std::max(worst, std::fabs(energy() / before - 1));
  }
  rows.push_back({"energy of 1000 elastic hits, largest change", "relative", 0, worst, 1e-9});
}

}  // namespace

MultiplierModel::State MultiplierModel::derivative(const State& s, double tau_right, double tau_left) const {
  const double c = std::cos(s[2]), sn = std::sin(s[2]), w = s[7];
  const double m = p_.body_mass + 2 * p_.wheel_mass, d = p_.centre_offset, b = p_.half_axle, r = p_.wheel_radius;
  const double J = p_.body_inertia + 2 * p_.wheel_yaw_inertia + 2 * p_.wheel_mass * (d * d + b * b);
  const double k = 2 * p_.wheel_mass * d;
  Augmented a = {};
  const double A[3][5] = {{-sn, c, -d, 0, 0}, {c, sn, b, -r, 0}, {c, sn, -b, 0, -r}};
  const double dA[3][5] = {{-c * w, -sn * w, 0, 0, 0}, {-sn * w, c * w, 0, 0, 0}, {-sn * w, c * w, 0, 0, 0}};
  a[0][0] = a[1][1] = m, a[2][2] = J, a[3][3] = a[4][4] = p_.wheel_inertia;
  a[0][2] = a[2][0] = k * sn, a[1][2] = a[2][1] = -k * c;
  a[0][8] = -k * w * w * c, a[1][8] = -k * w * w * sn;
  a[3][8] = tau_right - p_.wheel_damping * s[8], a[4][8] = tau_left - p_.wheel_damping * s[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) a[j][5 + i] = a[5 + i][j] = A[i][j], a[5 + i][8] -= dA[i][j] * s[5 + j];
  solve(a);
  State out;
  for (int j = 0; j < 5; ++j) out[j] = s[5 + j], out[5 + j] = a[j][8];
  return out;
}

MultiplierModel::State MultiplierModel::step(const State& s, double tau_right, double tau_left, double h) const {
  auto at = [&](const State& k, double f) {
    State o = s;
    for (int i = 0; i < 10; ++i) o[i] += f * k[i];
    return o;
  };
  const State k1 = derivative(s, tau_right, tau_left), k2 = derivative(at(k1, h / 2), tau_right, tau_left);
  const State k3 = derivative(at(k2, h / 2), tau_right, tau_left), k4 = derivative(at(k3, h), tau_right, tau_left);
  State o = s;
  for (int i = 0; i < 10; ++i) o[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  return o;
}

std::vector<VerificationRow> verify_paper() {
  std::vector<VerificationRow> rows;
  against_multipliers(rows);
  energy_and_work(rows);
  pivot(rows);
  rim(rows);
  ball(rows);
  impulses(rows);
  return rows;
}

}  // namespace gradus::wheels
