/// Steps of a root that moves as one 6-degree-of-freedom body: shared by single_body, free_body and prescribed_joints.
///
///   (M + Σ W at contacts) a = −bias + Σ (f − W (a_known + g))                                              (1)
///
/// a: acceleration of the root minus gravity; a_known: what the joints' own motion adds to a contact's point.
#pragma once
#include <algorithm>

#include "state/access.h"
#include "tree/dynamics.h"

namespace gradus {

/// Own scratch of these motions: what respond needs.
struct RigidScratch {
  Factor6 factor;   // of the left side of (1)
  Vec3 com;         // centre of mass from the root's origin, world axes    [m]
  Sym3 J;           // rotational inertia about the centre of mass          [kg m²]
  double mass;
};

/// Adds a push (Input) to the bias.
template <class V>
void add_push(const V& view, Vec6& bias) {
  const double* push = view.target() + view.kind().njoint() + kPushLink;
  if (push[0] < 0) return;
  const Frame& f = view.frames()[static_cast<int>(push[0])];
  bias = bias - wrench_at(f.p + f.R * Vec3{push[4], push[5], push[6]}, Vec3{push[1], push[2], push[3]});
}

/// Contacts into the left and right side of (1); known (nlink) may be null.
inline void add_contacts(std::span<const StaticContact> contacts, Vec3 g, const Vec6* known, Mat6& M, Vec6& bias) {
  for (const StaticContact& c : contacts) {
    if (!c.active) continue;
    const Vec3 a = known ? velocity_at(known[c.link], c.r) + g : g;
    add_point(M, c.r, c.W);
    bias = bias - wrench_at(c.r, c.f - c.W * a);
  }
}

/// Solves (1) for the root; a fixed root cannot accelerate.
template <class T>
GRADUS_INLINE Vec6T<T> solve_root(RootKind root, Vec3T<T> g, const Mat6T<T>& M, const Vec6T<T>& bias, Factor6T<T>& factor) {
  if (root == RootKind::fixed) return {zero3<T>(), -g};
  factorize(M, factor);
  return solve(factor, Vec6T<T>{-bias.a, -bias.l});
}

inline bool touches(std::span<const StaticContact> contacts) {
  for (const StaticContact& c : contacts)
    if (c.active) return true;
  return false;
}

/// State[k+1] of a root without regard to its inertia: rotation by the exponential map of w⁺; position with the mean
/// velocity in flight, which is exact for gravity, and with v⁺ in contact, which is what friction was computed for.
/// q_next and v_next may be q and v themselves.
template <class T>
GRADUS_INLINE void commit_root(RootKind root, const T* q, const T* v, const Vec6T<T>& acc, Vec3T<T> g, MaskOf<T> contact,
                               std::type_identity_t<T> h, T* q_next, T* v_next) {
  const Vec3T<T> v0 = base_velocity(v);
  if (root == RootKind::fixed) {
    set_base_pose(q_next, base_position(q), base_orientation(q));
    set_base_twist(v_next, zero3<T>(), zero3<T>());
    return;
  }
  const Vec3T<T> w1 = base_angular_velocity(v) + acc.a * h, v1 = v0 + (acc.l + g) * h;
  const Vec3T<T> mean = select(contact, v1, (v0 + v1) * T(0.5));
  set_base_pose(q_next, base_position(q) + mean * h, normalized(exponential(w1 * h) * base_orientation(q)));
  set_base_twist(v_next, w1, v1);
}

/// State[k+1] of one rigid body: the angular momentum L about its centre of mass that (1) left is kept while the body turns.
///   w½ = J(R½)⁻¹ L,  R½ = exp(h/2 J⁻¹ L) R,   R⁺ = exp(h w½) R,   w⁺ = J(R⁺)⁻¹ L                           (2)
/// Midpoint rule on the rotation: second order, angular momentum exact [Hairer, Lubich, Wanner 2006, IV.1].
inline void commit_rigid(const RigidScratch& s, const double* q, const double* v, Vec6 acc, Vec3 g, bool contact,
                         double h, double* q_next, double* v_next) {
  const Vec3 w0 = base_angular_velocity(v), c0 = base_velocity(v) + cross(w0, s.com);
  const Vec3 w = w0 + acc.a * h;
  const Vec3 c1 = base_velocity(v) + (acc.l + g) * h + cross(w, s.com);  // velocity of the centre of mass
  const Vec3 L = s.J * w;
  const Sym3 J_inv = inverse(s.J);
  auto spin = [&](const Mat3& turn) { return turn * (J_inv * transpose_times(turn, L)); };
  const Vec3 w_half = spin(to_matrix(exponential(w * (0.5 * h))));
  const Quat dR = exponential(w_half * h);
  const Mat3 turn = to_matrix(dR);
  const Vec3 w1 = spin(turn), com1 = turn * s.com;
  const Vec3 mean = contact ? c1 : (c0 + c1) * 0.5;
  set_base_pose(q_next, base_position(q) + (s.com - com1) + mean * h, normalized(dR * base_orientation(q)));
  set_base_twist(v_next, w1, c1 - cross(w1, com1));
}

/// (13) of docs/couple.md: impacts with moving bodies add half of the root's change of velocity to its mean velocity.
inline void add_kick(const Vec6& kick, double h, double* q_next) {
  q_next[0] += 0.5 * h * kick.l.x;
  q_next[1] += 0.5 * h * kick.l.y;
  q_next[2] += 0.5 * h * kick.l.z;
}

/// Impulses on links act on the whole: dV of every link is the root's.
inline void respond_rigid(const RobotKind& kind, const Factor6& factor, Vec6* impulse, Vec6* dV, double* dv) {
  Vec6 sum = zero6<double>();
  for (int i = 0; i < kind.nlink(); ++i) sum += impulse[i];
  const Vec6 d = kind.root == RootKind::fixed ? zero6<double>() : solve(factor, sum);
  for (int i = 0; i < kind.nlink(); ++i) dV[i] = d;
  for (int i = 0; i < kind.njoint(); ++i) dv[i] = 0;
}

/// Ω of a robot whose links move as one: the same for every pair of links.
inline void response_rigid(const RobotKind& kind, const Factor6& factor, std::span<const int> links, Response* out) {
  Response one;
  for (int k = 0; k < 6; ++k) {
    double e[6] = {0, 0, 0, 0, 0, 0};
    e[k] = 1;
    one.column[k] = kind.root == RootKind::fixed ? zero6<double>() : solve(factor, Vec6{{e[0], e[1], e[2]}, {e[3], e[4], e[5]}});
  }
  std::fill_n(out, links.size() * links.size(), one);
}

/// Results for sensors: joint forces are not known at these levels; the base's mean acceleration over the step.
inline void commit_results(const RobotKind& kind, const double* v, const double* v_next, double h, double* r) {
  for (int i = 0; i < kind.njoint(); ++i) r[i] = 0;
  for (int i = 0; i < 6; ++i) r[kind.njoint() + i] = (v_next[i] - v[i]) / h;
}

/// predict of a robot that moves as one rigid body. (1) is taken as a change of momentum in the present configuration, so
/// there is no bias: commit_rigid turns the body afterwards.
template <class V>
void predict_one_body(const V& view) {
  const RobotKind& kind = view.kind();
  RigidScratch& s = view.template own<RigidScratch>();
  common_body(kind.links.data(), kind.nlink(), view.frames(), s.mass, s.com, s.J);
  Mat6 M = rigid_inertia(s.mass, s.com, s.J);
  Vec6 bias = zero6<double>();
  add_push(view, bias);
  add_contacts(view.contacts(), view.gravity(), nullptr, M, bias);
  const Vec6 acc0 = solve_root(kind.root, view.gravity(), M, bias, s.factor);
  view.acc_out()[0] = acc0;
  for (const StaticContact& c : view.contacts()) view.acc_out()[c.link] = acc0;  // where the contact law will look
}

template <class V>
void commit_one_body(const V& view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v();
  const Vec6 acc = view.acc()[0];
  const bool contact = touches(view.contacts()) || view.rests();
  if (kind.root == RootKind::free) {
    const RigidScratch& s = view.template own<RigidScratch>();
    commit_rigid(s, q, v, acc, view.gravity(), contact, h, view.q_next(), view.v_next());
    if (!contact) add_kick({view.kick().a, velocity_at(view.kick(), s.com)}, h, view.q_next());
  } else {
    commit_root(kind.root, q, v, acc, view.gravity(), contact, h, view.q_next(), view.v_next());
  }
  commit_results(kind, v, view.v_next(), h, view.r_next());
}

}  // namespace gradus
