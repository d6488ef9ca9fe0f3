/// Constants of a robot in another precision: double to float for lanes and GPUs, and exactly back for comparisons.
#pragma once
#include "batch/world_step.h"

namespace gradus {

template <class G, class F>
LinkT<G> cast(const LinkT<F>& l) {
  return {cast<G>(l.p_PB), cast<G>(l.axis), cast<G>(l.com), cast<G>(l.J), G(l.mass),  G(l.rotor),       l.parent,
          l.branch,        l.axis_kind,     l.prismatic,    l.follows,    l.tip,      l.on_branch_path, l.same_origin,
          l.diagonal,      l.round,         l.second,       l.leader,     l.follower, l.hold,           l.typed,
          G(l.ratio)};
}

template <class G, class F>
ContactPointT<G> cast(const ContactPointT<F>& p) {
  return {cast<G>(p.p_BC), G(p.radius), G(p.friction), G(p.k), G(p.d), G(p.kt), G(p.dt), p.link, p.object};
}

template <class G, class F>
DriveConstantsT<G> cast(const DriveConstantsT<F>& j) {
  return {G(j.lower),        G(j.upper),
          G(j.stop_k),       G(j.stop_d),
          G(j.damping),      G(j.friction),
          G(j.spring),       {G(j.servo.kp), G(j.servo.kd), G(j.servo.torque), G(j.servo.speed)},
          j.mimic_of,        G(j.mimic_multiplier),
          G(j.mimic_offset), j.passive, j.shared, j.chained};
}

template <class G, class F>
ChainT<G> cast(const ChainT<F>& c) {
  return {c.joint,    c.state,          c.gear,         c.motor_side,      c.error_rate,  c.electrical,
          c.falls,    c.bounded, c.loose,          c.mimic_of,     c.delay_steps,     c.ring,        G(c.mimic_multiplier),
          G(c.mimic_offset), G(c.delay_share), G(c.h),  G(c.per_h),        G(c.kp),       G(c.ki),
          G(c.kd),    G(c.limit),       G(c.speed_limit), G(c.power_limit), G(c.slope),     G(c.gain),         G(c.current_torque), G(c.kappa),
          G(c.inductor), G(c.per_impedance), G(c.inertia), G(c.resistance), G(c.released_resistance), G(c.coulomb),
          G(c.stribeck), G(c.per_stribeck_speed), G(c.load), G(c.load_stribeck), G(c.play), G(c.half_play),
          G(c.spring), G(c.contact),    G(c.spring_share), G(c.mass),      G(c.mass_loss), G(c.mass_spring)};
}

template <class G, class F>
PlaneT<G> cast(const PlaneT<F>& g) {
  return {cast<G>(g.n), cast<G>(g.t1), cast<G>(g.t2), G(g.offset), g.present};
}

}  // namespace gradus
