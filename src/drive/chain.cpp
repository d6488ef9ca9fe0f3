#include "drive/chain.inl"

#include <algorithm>
#include <cmath>

namespace gradus {

void SolvePiece::operator()(double todo, const Chain& c, const ChainState& s, double M, double b, double V, ChainStep& x) const {
  solve_piece_where(todo, c, s, M, b, V, x);
}

namespace {

void set_delay(const DriveSpec& d, double h, Chain& c) {
  const double steps = d.delay / h;
  c.delay_steps = static_cast<int>(std::floor(steps + 1e-9));
  c.delay_share = maximum(steps - c.delay_steps, 0.0);
  c.ring = d.delay > 0 ? c.delay_steps + 1 : 0;
}

void set_controller(const DriveSpec& d, double h, Chain& c) {
  c.motor_side = d.controller.motor_side && d.has_rotor();
  c.error_rate = d.controller.error_rate;
  c.kp = d.controller.kp;
  c.ki = d.controller.ki;
  c.kd = d.controller.kd;
  c.limit = d.controller.limit;
  c.speed_limit = d.motor.speed;
  c.power_limit = d.motor.power;
  c.bounded = std::isfinite(c.speed_limit) || std::isfinite(c.power_limit);
  c.slope = h * c.kp + h * h * c.ki + c.kd;
}

void set_motor(const DriveSpec& d, double h, Chain& c) {
  c.gain = 1;
  c.electrical = d.electrical();
  if (c.electrical) {
    c.inductor = d.motor.inductance / h;
    c.per_impedance = 1 / (c.inductor + d.motor.resistance);
    c.gain = d.gear.ratio * d.motor.torque_constant * c.per_impedance;
    c.kappa = d.gear.ratio * d.motor.back_emf;
  }
  c.current_torque = c.gain * c.inductor;
  c.inertia = d.rotor_inertia() / h;
  c.released_resistance = d.friction.viscous + (d.has_rotor() ? c.inertia : 0);
  c.resistance = c.released_resistance + c.gain * c.kappa;
}

void set_friction(const DriveSpec& d, Chain& c) {
  c.coulomb = d.friction.coulomb;
  c.stribeck = d.friction.stribeck;
  c.per_stribeck_speed = 1 / d.friction.stribeck_speed;
  // A gear of efficiency η loses the share (1 − η)/η of what it transmits, driving or driven.
  c.load = d.friction.load + (1 - d.gear.efficiency) / d.gear.efficiency;
  c.load_stribeck = d.friction.load_stribeck;
  c.falls = c.stribeck != 0 || c.load_stribeck != 0;
}

void set_gear(const DriveSpec& d, double h, Chain& c) {
  c.gear = d.gear.model;
  c.play = d.gear.play;
  c.loose = c.play > 0;
  c.half_play = 0.5 * d.gear.play;
  c.spring = d.gear.stiffness;
  c.contact = d.gear.damping + h * d.gear.stiffness;
  c.spring_share = c.contact > 0 ? c.spring / c.contact : 0;
  if (c.gear == GearModel::motoflex) {
    c.mass = h / d.gear.inertia;
    c.mass_loss = 1 + c.mass * d.gear.damping;
    c.mass_spring = c.mass * d.gear.stiffness;
  }
}

}  // namespace

Chain make_chain(const DriveModel& drive, double h, int state) {
  Chain c{};
  c.joint = drive.joint;
  c.state = state;
  c.h = h;
  c.per_h = 1 / h;
  c.mimic_of = -1;
  set_delay(drive.spec, h, c);
  set_controller(drive.spec, h, c);
  set_motor(drive.spec, h, c);
  set_friction(drive.spec, c);
  set_gear(drive.spec, h, c);
  return c;
}

void set_mimic(const Joint& joint, Chain& c) {
  c.mimic_of = joint.mimic_of;
  c.mimic_multiplier = joint.mimic_multiplier;
  c.mimic_offset = joint.mimic_offset;
}

void enter_chain(const Chain& c, double q, double v, double target, double* section) {
  const bool filter = c.gear == GearModel::motoflex;
  double* numbers = section + c.state;
  *reinterpret_cast<ChainState*>(numbers) = {filter ? 0 : q, filter ? 0 : v, 0, 0, 0, 0, target, 0, 0};
  std::fill_n(numbers + kChainState, c.ring, target);
}

double stored_energy(const Chain& c, const ChainState& s, double q) {
  double sum = 0;
  if (c.per_impedance > 0) sum += 0.5 * c.inductor * c.h * s.current * s.current;
  if (c.gear != GearModel::elastic) return sum;
  const double x = s.theta - q, over = maximum(x - c.half_play, 0.0) + minimum(x + c.half_play, 0.0);
  return sum + 0.5 * c.inertia * c.h * s.omega * s.omega + 0.5 * c.spring * over * over;
}

}  // namespace gradus
