/// B1, detailed drive: the actuator chain of one joint [docs/actuators.md], taken implicitly together with the robot.
///
///   delay       g = (1 − f) u_{k−n} + f u_{k−n−1},     delay = (n + f) h                                       (1)
///   controller  P = kp (g − x⁺) + ki (I + h (g − x⁺)) + kd (ġ − y),    U = S clamp(P, ±P_max)                   (2)
///   motor       L (i⁺ − i)/h = U − R i⁺ − K_e σ W,     T_m = σ K_t i⁺                                          (3)
///   rotor       J (W − ω)/h = T_m − B W − T_f − T_s                                                           (4)
///   friction    T_f = F sgn W (any |T_f| ≤ F at rest),  F = F_c + F_s s + (μ + μ_s s) |T|,  s = 1/(1 + (ω/ω_s)²)  (5)
///   gear        T_s = k (θ⁺ − q⁺ ∓ g/2) + C (W − V),   pushing only: zero inside the play                         (6)
///
/// θ, ω, W rotor angle and its speed now and at the end of the step, q, V those of the joint; x, y what the encoder in
/// the loop sees. With W eliminated, each combination of what is saturated, stuck and in contact (a *piece*) makes the
/// torque on the joint a straight line of its speed at the end of the step,
///
///   T_s(V) = t₀ + t₁ V,   t₁ ≤ 0                                                                              (7)
///
/// and all pieces together a continuous falling function. The motion gets τ = t₀ + t₁ v and e = −h t₁ of one piece:
/// that on which the joint would end if the rest of the robot answered as in the last step, with the articulated
/// inertia m that the joint turns and the torque c from outside (Newton's method on a monotone function):
///
///   m (V − v)/h = T_s(V) + c                                                                                  (9)
///
/// The review looks whether the predicted V lies on that piece; if not, (9) is solved again with m and c as predicted.
///
/// Friction is a budget: it can stop, never drive, so taking ω and the load |T_s| in F from the step before cannot add
/// energy. With a rigid gear W = V, the rotor's inertia is part of the joint, and rest means |V| < kRest. The
/// `motoflex` gear is Algorithm 2 of MoToFlex 2011 [facts: nao.md 4.3, 4.5a]: a torque filter behind the motor that the
/// joint's angle does not enter, p, w position and speed of its mass, with viscous friction before and dry friction
/// behind it:
///
///   m (w⁺ − w)/h = T_m − B_g w⁺ − T_s,   T_s = D (p⁺ − l) if p⁺ > l,  D p⁺ if p⁺ < 0,  else 0                      (8)
#pragma once
#include <cstdint>

#include "model/model.h"

namespace gradus {

constexpr double kRest = 1e-6;  // [rad/s] a rigid gear that creeps slower than this under its friction is at rest

/// What a snapshot keeps of a chain; behind it lies the delay's ring of commands.
struct ChainState {
  double theta, omega;  // rotor at the joint [rad, rad/s]; motoflex: gear mass p, w
  double current;       // [A]
  double voltage;       // at the motor's terminals in the last step [V]
  double integral;      // of the error [rad s]
  double load;          // |torque| through the gear, mean of the last steps [N m]
  double goal;          // delayed command of the last step [rad]
  double inertia;       // m/h of (9) in the last step, 0: there was none [N m s/rad]
  double outside;       // c of (9) in the last step [N m]
};
constexpr int kChainState = 9;  // doubles

/// Constants of one chain for one length of step.
struct Chain {
  int joint;
  int state;  // offset of its ChainState in the robot's drive section
  GearModel gear;
  bool motor_side, error_rate;
  bool electrical;  // the controller's output is a voltage
  bool falls;       // friction falls with the speed
  int mimic_of;     // joint that it follows, −1: none
  double mimic_multiplier, mimic_offset;
  int delay_steps;     // n of (1)
  int ring;            // entries of the ring: n + 1, 0 without delay
  double delay_share;  // f of (1)
  double h, per_h;
  double kp, ki, kd, limit, slope;  // slope: −∂P/∂y = h kp + h² ki + kd
  double gain;                      // T_m per volt over one step: σ K_t/(L/h + R)
  double current_torque;            // T_m per ampere that flows: gain L/h
  double kappa;                     // σ K_e
  double inductor;                  // L/h
  double per_impedance;             // 1/(L/h + R)
  double inertia;                   // J/h
  double resistance;  // torque per speed that brakes the rotor: B + gain κ, and J/h if it is a body of its own
  double released_resistance;  // without current
  double coulomb, stribeck, per_stribeck_speed, load, load_stribeck;
  double play, half_play, spring, contact;  // g, g/2, k, C + h k
  double spring_share;                      // k/(C + h k)
  double mass, mass_loss, mass_spring;      // motoflex: h/m, 1 + h B_g/m, h D/m
};
Chain make_chain(const DriveModel& drive, double h, int state);
/// Doubles of State that a chain takes.
inline int chain_size(const Chain& c) { return kChainState + c.ring; }

/// Which straight pieces hold: −1, 0 or 1 each.
struct Piece {
  std::int8_t bound = 0;    // output of the controller at its lower limit, free, at its upper
  std::int8_t slip = 0;     // sign of the sliding speed; 0: stuck
  std::int8_t contact = 0;  // flank of the teeth; 0: inside the play
  bool operator==(const Piece&) const = default;
};

/// (7), and the rotor's speed w₀ + w₁ V.
struct ChainLine {
  double t0, t1, w0, w1;
};

/// One chain during one step.
struct ChainStep {
  double p0;                  // (2) at y = 0
  double stiffness;           // S
  double drive, drive_slope;  // motor torque of P without limit, drive − drive_slope y
  double top;                 // motor torque at the limit
  double memory;              // motor torque of the current that flows, σ K_t (L/h) i/(L/h + R)
  double resistance;          // of Chain, as S has it
  double momentum;            // J ω/h
  double friction;            // F of (5)
  double twist;               // θ − q
  double goal;                // g of (1)
  Piece piece;
  ChainLine line;
};

// Inlined into loops over chains; bodies in chain.inl.
inline double delayed_goal(const Chain& c, const double* ring, std::int64_t k, double command);  // (1)
inline double friction_budget(const Chain& c, const ChainState& s, double speed);                // (5)
inline void begin_chain(const Chain& c, const ChainState& s, double q, double v, double goal, double stiffness,
                        ChainStep& x);
/// The piece on which the end-of-step speed V lies.
inline Piece find_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V);
inline ChainLine find_line(const Chain& c, const ChainState& s, const ChainStep& x, const Piece& p);
/// True if the predicted speed V lies on another piece than the line was made for.
inline bool off_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V);
/// Then: the piece and its line by (9).   inertia: m
inline void change_piece(const Chain& c, const ChainState& s, ChainStep& x, double V, double inertia);
/// State after a step from speed v to V and angle q_next, with the line that the motion had: what the joint got, the
/// rotor gave.   inertia: m
inline void end_chain(const Chain& c, const ChainState& s, const ChainStep& x, double v, double V, double q_next,
                      double inertia, ChainState& next);
/// Solves (9) written M V − T_s(V) = b, starting at V. The rare case: not inlined.
void solve_piece(const Chain& c, const ChainState& s, double M, double b, double V, ChainStep& x);

/// Energy of the rotor, the current and the teeth.  [J]
double stored_energy(const Chain& c, const ChainState& s, double q);

}  // namespace gradus
