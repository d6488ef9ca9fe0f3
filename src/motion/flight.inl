/// Second half of a step in flight, for any scalar and frames policy: order two in the joints, momentum exact.
///
/// The prediction v¹ = v + h a froze inertia and velocity products at the start of the step: first order. What it lacks
/// is found from the links' momenta. In a frame that falls freely and starts at the root with its velocity, a link's
/// momentum H_i = I_i V_i (moment about that frame's origin) changes by the impulses on it alone, so for each joint, with
/// the links beyond it and the mean of its axis over the step,
///
///   r_j = h (τ_j − e_j a_j − rotor_j a_j) − S̄_jᵀ Σ_{i ≥ j} (H_i(q⁺, v¹) − H_i(q, v)),   S̄ = (S + S⁺)/2        (1)
///   v⁺ = v¹ + (M + diag e)⁻¹ r,     r_root = −Σ ΔH                                                              (2)
///
/// with the factorisation that predict left: r is O(h²), the factorisation off by O(h), so the error is O(h³) a step.
/// Impulses from outside at the start of the step belong to ΔH, and positions move with the velocities after them.
/// Positions move with the mean velocity; stiff joints go over to the end velocity as their share outweighs the inertia:
///
///   q⁺ = q ⊕ h (v + v¹)/2,    q_j⁺ = q_j + h v_j¹ − (1 − e_j/D_j) h² a_j/2                                      (3)
///
/// What (2) still lacks of the total momentum is given to the root as the twist of a rigid body, so that linear and
/// angular momentum are exact, and the centre of mass moves with the mean of its velocities:
///
///   Δω = J_c(q⁺)⁻¹ (L − L⁺),   Δċ = (p − p⁺)/m,   c⁺ = c + h (ċ + ċ⁺)/2                                          (4)
#pragma once
#include "model/kind_arrays.h"
#include "motion/root.h"
#include "tree/dynamics.h"

namespace gradus {

/// Room for one robot.
template <class T>
struct FlightRoomT {
  Vec6T<T>* change;           // (nlink) of momentum, summed inwards; then the links' twists at the end
  Vec6T<T>* impulse;          // (nlink) what (2) hands inwards; then the change of the links' twists
  RigidInertiaT<T>* inertia;  // (nlink) at the new place
  T* dv;                      // (njoint)
};

/// Sums over all links in the falling frame; moments about its origin.
template <class T>
struct FlightSumT {
  Vec6T<T> before, after;  // momentum
  Vec6T<T> given;          // by forces and impulses from outside
  Vec3T<T> kick;           // the part of it that came at once, at the start
  Vec3T<T> mc;             // mass times centre of mass before, from the root
  RigidInertiaT<T> I;      // of all links at the new place, about the root there
  Vec3T<T> shift;          // from the falling frame's origin to the root at the end
};

/// A sum over links as walks in pairs make it [flight_pairs.h]: first and second links of pairs, then the root.
template <class S>
struct HalvesT {
  S half[2], root;
  GRADUS_INLINE S& of(bool is_root, bool second) { return is_root ? root : half[second]; }
};

template <class F>
GRADUS_INLINE bool has_mass(const LinkT<F>& l) {
  return any(l.mass > F(0.0));
}

/// Momenta before and at (q⁺, v¹), and what lies between them for each link.
///   before, after: frames at (q, v) and (q⁺, v¹)     acc0: predicted acceleration of the root minus gravity
///   jump: of the root's velocity at the start, by impulses; part of acc0
template <class T, class F, class Before, class After>
GRADUS_INLINE void sum_momenta(const KindArraysT<F>& kind, const CoordinatesT<T>& x, Before& before,
                               const CoordinatesT<T>& x1, After& after, const Vec6T<T>& acc0,
                               Vec3T<T> jump, std::type_identity_t<T> h, const FlightRoomT<T>& room,
                               FlightSumT<T>& sum) {
  const T o = T(0.0);
  const Vec3T<T> rise = acc0.l * h;  // of the root's velocity in the falling frame
  sum.shift = (jump + rise) * (T(0.5) * h);
  sum.given = zero6<T>();
  sum.kick = zero3<T>();
  const Vec6T<T> none = zero6<T>();
  const RigidInertiaT<T> nothing{{o, o, o, o, o, o}, zero3<T>(), o};
  HalvesT<Vec6T<T>> start{{none, none}, none}, change = start;
  HalvesT<Vec3T<T>> mc{{none.a, none.a}, none.a};
  HalvesT<RigidInertiaT<T>> all{{nothing, nothing}, nothing};
  for (int i = 0; i < kind.nlink; ++i) {
    const LinkT<F>& l = kind.links[i];
    const FrameT<T>& f0 = before.outward(kind.links, x, i);
    const FrameT<T>& f1 = after.outward(kind.links, x1, i);
    room.change[i] = room.impulse[i] = zero6<T>();
    if (!has_mass(l)) continue;
    const RigidInertiaT<T> I0 = own_inertia(l, f0), I = own_inertia(l, f1);
    const Vec6T<T> H0 = I0 * f0.V;
    Vec6T<T> H1 = I * Vec6T<T>{f1.V.a, f1.V.l + rise};
    H1.a += cross(sum.shift, H1.l);
    room.inertia[i] = I;
    room.change[i] = H1 - H0;
    start.of(i == 0, l.second) += H0;
    change.of(i == 0, l.second) += room.change[i];
    mc.of(i == 0, l.second) += I0.h;
    RigidInertiaT<T>& a = all.of(i == 0, l.second);
    a.A += I.A, a.h += I.h, a.m += I.m;
  }
  sum.before = start.half[0] + start.half[1] + start.root;
  sum.after = sum.before + (change.half[0] + change.half[1] + change.root);
  sum.mc = mc.half[0] + mc.half[1] + mc.root;
  sum.I = all.half[0];
  for (const RigidInertiaT<T>& a : {all.half[1], all.root}) sum.I.A += a.A, sum.I.h += a.h, sum.I.m += a.m;
}

/// sum.after where nothing but (4) is added to v¹. Before forces from outside are added to the links' changes.
template <class T>
GRADUS_INLINE void add_change(int nlink, const FlightRoomT<T>& room, FlightSumT<T>& sum) {
  sum.after = sum.before;
  for (int i = 0; i < nlink; ++i) sum.after += room.change[i];
}

/// A force held through the step on a point of a link, r from the root: its impulse belongs to the balance.
template <class T>
GRADUS_INLINE void add_held_force(int link, Vec3T<T> r, Vec3T<T> force, std::type_identity_t<T> h,
                                  const FlightRoomT<T>& room, FlightSumT<T>& sum) {
  const Vec6T<T> W = wrench_at(r, force * h);
  sum.given += W;
  room.change[link] = room.change[link] - W;
}

/// An impulse on a link at the start of the step, about the root: the same.
template <class T>
GRADUS_INLINE void add_impulse(int link, const Vec6T<T>& impulse, const FlightRoomT<T>& room, FlightSumT<T>& sum) {
  sum.given += impulse;
  sum.kick += impulse.l;
  room.change[link] = room.change[link] - impulse;
}

/// Both of a robot in the step. hit: impulses were given.
template <class View>
void add_outside(const View& view, bool hit, double h, const FlightRoomT<double>& room, FlightSumT<double>& sum) {
  const RobotKind& kind = view.kind();
  for (int i = 0; i < kind.nlink() && hit; ++i) add_impulse(i, view.given()[i], room, sum);
  const double* push = view.target() + kind.njoint() + kPushLink;
  if (!(push[0] >= 0)) return;
  const Frame& f = view.frames()[static_cast<int>(push[0])];
  add_held_force(static_cast<int>(push[0]), f.p + f.R * Vec3{push[4], push[5], push[6]},
                 Vec3{push[1], push[2], push[3]}, h, room, sum);
}

/// (1), (2) after sum_momenta: joint speeds v1 (in: v¹) and the change of the root's twist.
template <class T, class F, class Before, class After>
GRADUS_INLINE Vec6T<T> fly_on(const KindArraysT<F>& kind, const CoordinatesT<T>& x, Before& before,
                              const CoordinatesT<T>& x1, After& after, const DriveForceT<T>* drive,
                              const JointFactorT<T>* factors, const Factor6T<T>* root, const Vec6T<T>& acc0, const T* a,
                              std::type_identity_t<T> h, const FlightRoomT<T>& room, T* v1, FlightSumT<T>& sum) {
  const LinkT<F>* links = kind.links;
  const int n = kind.nlink;
  for (int i = n - 1; i > 0; --i) {
    const LinkT<F>& l = links[i];
    const FrameT<T>& f0 = before.inward(links, x, i);
    const FrameT<T>& f1 = after.inward(links, x1, i);
    const Vec6T<T> S = (f0.S + f1.S) * T(0.5), D = room.change[i], g = room.impulse[i];
    T u = h * (drive[i - 1].tau - (drive[i - 1].e + T(l.rotor)) * a[i - 1]) - dot(S, D) + dot(f0.S, g);
    if (l.follower >= 0) u += T(l.ratio) * room.dv[l.follower - 1];
    room.dv[i - 1] = u;
    room.change[l.parent] += D;
    room.impulse[l.parent] += g - factors[i].U * (factors[i].d_inv * u);
  }
  const Vec6T<T> dV0 = root ? solve(*root, room.impulse[0] - room.change[0]) : zero6<T>();
  // Outwards: the change of speeds, and with them the twists and momenta at the new place.
  const Vec6T<T> none = zero6<T>();
  HalvesT<Vec6T<T>> end{{none, none}, none};
  room.impulse[0] = dV0;
  for (int i = 0; i < n; ++i) {
    const LinkT<F>& l = links[i];
    const FrameT<T>& f0 = before.outward(links, x, i);
    const FrameT<T>& f1 = after.outward(links, x1, i);
    if (i == 0) {
      room.change[0] = {f1.V.a + dV0.a, acc0.l * h + dV0.l};
    } else {
      const Vec6T<T>& up = room.impulse[l.parent];
      const T u = l.leader < 0 ? (room.dv[i - 1] - dot(factors[i].U, up)) * factors[i].d_inv
                               : T(l.ratio) * room.dv[l.leader - 1];
      room.dv[i - 1] = u;
      room.impulse[i] = up + f0.S * u;
      v1[i - 1] += u;
      room.change[i] = room.change[l.parent] + f1.S * v1[i - 1];
    }
    if (root && has_mass(l)) end.of(i == 0, l.second) += room.inertia[i] * room.change[i];
  }
  sum.after = end.half[0] + end.half[1] + end.root;
  sum.after.a += cross(sum.shift, sum.after.l);
  return dV0;
}

/// (3) of a root: turns with the mean of its angular velocities; w1, v1: its twist v¹.
template <class T>
GRADUS_INLINE QuatT<T> mean_turn(const T* q, Vec3T<T> w0, Vec3T<T> w1, std::type_identity_t<T> h) {
  return normalized(exponential((w0 + w1) * (T(0.5) * h)) * base_orientation(q));
}

/// (4) for a free root: w1, v1: its twist at the end, v0: its velocity before; returns its place.
/// rests: the centre of mass moves with its velocity at the end.
template <class T>
GRADUS_INLINE Vec3T<T> keep_momentum(const FlightSumT<T>& s, Vec3T<T> p0, Vec3T<T> v0, Vec3T<T> g, bool rests,
                                     std::type_identity_t<T> h, Vec3T<T>& w1, Vec3T<T>& v1) {
  const T m = s.I.m, per = T(1.0) / m;
  const Vec3T<T> c0 = s.mc * per, c1 = s.I.h * per, at = c1 + s.shift;  // centre of mass: before, from the root, at the end
  const Vec3T<T> p1 = s.before.l + s.given.l, lack = p1 - s.after.l;
  const Vec3T<T> L0 = s.before.a + s.given.a - cross(c0, p1), L1 = s.after.a - cross(at, s.after.l);
  Sym3T<T> J = s.I.A;
  add_outer(J, c1, m);
  const T cc = dot(c1, c1) * m;
  J.xx -= cc, J.yy -= cc, J.zz -= cc;
  const Vec3T<T> dw = inverse(J) * (L0 - L1), dc = lack * per;
  w1 += dw;
  v1 += dc - cross(dw, c1);
  const Vec3T<T> end = v0 + p1 * per + g * h, start = v0 + (s.before.l + s.kick) * per;  // of the centre of mass
  return p0 + c0 + (rests ? end : (start + end) * T(0.5)) * h - c1;
}

}  // namespace gradus
