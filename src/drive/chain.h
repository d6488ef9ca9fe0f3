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
/// An ideal motor may have a largest speed v₀ and power P. Where it turns with ω > 0, P_max of (2) on that side is
///
///   min(P_max, P/ω, max(0, (J + m)/h (v₀ − ω)))                                                               (10)
///
/// with ω and m/h of the step before: it drives no faster than v₀ by itself, and brakes with all it has.
///
/// Friction is a budget: it can stop, never drive, so taking ω and the load |T_s| in F from the step before cannot add
/// energy. With a rigid gear W = V, the rotor's inertia is part of the joint, and rest means |V| < kRest. The
/// `motoflex` gear is Algorithm 2 of MoToFlex 2011 [facts: nao.md 4.3, 4.5a]: a torque filter behind the motor that the
/// joint's angle does not enter, p, w position and speed of its mass, with viscous friction before and dry friction
/// behind it:
///
///   m (w⁺ − w)/h = T_m − B_g w⁺ − T_s,   T_s = D (p⁺ − l) if p⁺ > l,  D p⁺ if p⁺ < 0,  else 0                      (8)
///
/// The body is a template over the scalar [chain.inl]: a robot in double, lanes of worlds. F: the scalar of the constants,
/// the same for all lanes or, where F is T, each lane's own; what is an int or a bool is the same for all lanes.
#pragma once
#include <cstdint>

#include "math/scalar.h"
#include "model/model.h"

namespace gradus {

constexpr double kRest = 1e-6;  // [rad/s] a rigid gear that creeps slower than this under its friction is at rest

/// What a snapshot keeps of a chain; behind it lies the delay's ring of commands.
template <class T>
struct ChainStateT {
  T theta, omega;  // rotor at the joint [rad, rad/s]; motoflex: gear mass p, w
  T current;       // [A]
  T voltage;       // at the motor's terminals in the last step [V]
  T integral;      // of the error [rad s]
  T load;          // |torque| through the gear, mean of the last steps [N m]
  T goal;          // delayed command of the last step [rad]
  T inertia;       // m/h of (9) in the last step, 0: there was none [N m s/rad]
  T outside;       // c of (9) in the last step [N m]
};
using ChainState = ChainStateT<double>;
constexpr int kChainState = 9;  // numbers

/// Constants of one chain for one length of step.
template <class F>
struct ChainT {
  int joint;
  int state;  // offset of its state in the robot's drive section
  GearModel gear;
  bool motor_side, error_rate;
  bool electrical;  // the controller's output is a voltage
  bool falls;       // friction falls with the speed
  bool bounded;     // by a speed or a power (10)
  bool loose;       // the gear has play
  int mimic_of;     // joint that it follows, −1: none
  int delay_steps;  // n of (1)
  int ring;         // entries of the ring: n + 1, 0 without delay
  F mimic_multiplier, mimic_offset;
  F delay_share;  // f of (1)
  F h, per_h;
  F kp, ki, kd, limit, speed_limit, power_limit, slope;  // slope: −∂P/∂y = h kp + h² ki + kd
  F gain;                      // T_m per volt over one step: σ K_t/(L/h + R)
  F current_torque;            // T_m per ampere that flows: gain L/h
  F kappa;                     // σ K_e
  F inductor;                  // L/h
  F per_impedance;             // 1/(L/h + R)
  F inertia;                   // J/h
  F resistance;  // torque per speed that brakes the rotor: B + gain κ, and J/h if it is a body of its own
  F released_resistance;  // without current
  F coulomb, stribeck, per_stribeck_speed, load, load_stribeck;
  F play, half_play, spring, contact;  // g, g/2, k, C + h k
  F spring_share;                      // k/(C + h k)
  F mass, mass_loss, mass_spring;      // motoflex: h/m, 1 + h B_g/m, h D/m
};
using Chain = ChainT<double>;
Chain make_chain(const DriveModel& drive, double h, int state);
/// Whom the joint of the chain follows.
void set_mimic(const Joint& joint, Chain& c);
/// Numbers of State that a chain takes.
template <class F>
int chain_size(const ChainT<F>& c) {
  return kChainState + c.ring;
}

/// Which straight pieces hold: −1, 0 or 1 each.
template <class T>
struct PieceT {
  T bound;    // output of the controller at its lower limit, free, at its upper
  T slip;     // sign of the sliding speed; 0: stuck
  T contact;  // flank of the teeth; 0: inside the play
};
using Piece = PieceT<double>;

/// (7), and the rotor's speed w₀ + w₁ V.
template <class T>
struct ChainLineT {
  T t0, t1, w0, w1;
};
using ChainLine = ChainLineT<double>;

/// One chain during one step.
template <class T>
struct ChainStepT {
  T p0;                  // (2) at y = 0
  T at_rest;             // side of its limits on which that lies
  T stiffness;           // S
  T drive, drive_slope;  // motor torque of P without limit, drive − drive_slope y
  T low, high;           // limits of P
  T gain;                // motor torque per P
  T memory;              // motor torque of the current that flows, σ K_t (L/h) i/(L/h + R)
  T resistance;          // of Chain, as S has it
  T momentum;            // J ω/h
  T friction;            // F of (5)
  T smooth;              // 1 without friction, else 0
  T twist;               // θ − q
  T goal;                // g of (1)
  PieceT<T> piece;
  ChainLineT<T> line;
};
using ChainStep = ChainStepT<double>;

// Inlined into loops over chains; bodies in chain.inl.
template <class T, class F>
T delayed_goal(const ChainT<F>& c, const T* ring, std::int64_t k, std::type_identity_t<T> command);  // (1)
template <class T, class F>
T friction_budget(const ChainT<F>& c, const ChainStateT<T>& s, std::type_identity_t<T> speed);  // (5)
/// The piece on which the end-of-step speed V lies.
template <class T, class F>
PieceT<T> find_piece(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, std::type_identity_t<T> V);
template <class T, class F>
ChainLineT<T> find_line(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, const PieceT<T>& p);
/// Where the predicted speed V lies on another piece than the line was made for.
template <class T, class F>
MaskOf<T> off_piece(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, std::type_identity_t<T> V);
/// Solves (9) written M V − T_s(V) = b, starting at V, where `todo` is 1.
template <class T, class F>
void solve_piece_where(T todo, const ChainT<F>& c, const ChainStateT<T>& s, T M, T b, T V, ChainStepT<T>& x);

/// What the rare case of a step is handed to; not inlined. Kernels for lanes bring their own, so that no two units share it.
struct SolvePiece {
  void operator()(double todo, const Chain& c, const ChainState& s, double M, double b, double V, ChainStep& x) const;
};
inline void solve_piece(const Chain& c, const ChainState& s, double M, double b, double V, ChainStep& x) {
  SolvePiece{}(1, c, s, M, b, V, x);
}

template <class T, class F, class Solve>
void begin_chain(const ChainT<F>& c, const ChainStateT<T>& s, T q, T v, T goal, T stiffness, ChainStepT<T>& x, const Solve& solve);
/// Then, where it was off its piece: the piece and its line by (9).   inertia: m
template <class T, class F, class Solve>
void change_piece(MaskOf<T> off, const ChainT<F>& c, const ChainStateT<T>& s, ChainStepT<T>& x, T V, T inertia, const Solve& solve);
/// State after a step from speed v to V and angle q_next, with the line that the motion had: what the joint got, the
/// rotor gave. `next` may be `s`.   inertia: m
template <class T, class F>
void end_chain(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, T v, T V, T q_next, T inertia,
               ChainStateT<T>& next);

/// State and ring of a chain that begins at rest in itself.  section: drive section of the robot's State
void enter_chain(const Chain& c, double q, double v, double target, double* section);

/// Energy of the rotor, the current and the teeth.  [J]
double stored_energy(const Chain& c, const ChainState& s, double q);

}  // namespace gradus
