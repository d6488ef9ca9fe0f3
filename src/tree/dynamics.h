/// Tree dynamics for any scalar (double, float, lanes of worlds, a CUDA thread): recursive Newton–Euler (rnea),
/// composite rigid bodies (crba), the articulated-body algorithm with implicit terms (aba) and its impulse response.
/// All in world axes about the root's origin [frames.h], so inertias are summed without transforms.
///
/// Implicit terms. Whoever produces a force hands it over with its slopes [docs/step.md]. Over a step h the new
/// acceleration a = (v⁺ − v)/h then obeys
///
///   (M + diag(e) + Σ Fᵀ W F) a = τ − bias + Σ Fᵀ f,     e = h (d + h k) per joint,  W = h (D + h K) per contact    (1)
///
/// which the articulated-body recursion solves in O(n): e enters a joint's D, W a link's 6×6 inertia.
///
/// Gravity g is not applied to links: the observer falls with it. Accelerations named `acc` are therefore the true ones
/// minus g; a fixed root has acc = −g. [Featherstone 2008, ch. 5–7; common frame: ch. 7.2]
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/clones.h"
#include "tree/frames.h"

namespace gradus {

/// A joint's force with its implicit share: τ at the present, e = h (d + h k) of (1). Rotor inertia is added by the
/// kernels.
template <class T>
struct JointForceT {
  T tau, e;
};

/// What the inward pass of aba leaves for the outward pass and for impulse responses.
template <class T>
struct JointFactorT {
  Vec6T<T> U;  // Iᵃ S                                       (3)
  T d_inv;     // 1 / (Sᵀ U + rotor + e)                     (4)
  T u;         // τ − Sᵀ pᵃ                                  (5)
};
using JointFactor = JointFactorT<double>;

/// Inertia of one rigid body about the root's origin, [A [h]×; −[h]× m 1]: what of a Mat6 is not zero by its nature.
template <class T>
struct RigidInertiaT {
  Sym3T<T> A;
  Vec3T<T> h;  // mass times centre of mass
  T m;
};

template <class T>
GRADUS_INLINE Mat6T<T> to_full(const RigidInertiaT<T>& r) {
  const T o = T(0.0);
  return {r.A, {{o, r.h.z, -r.h.y}, {-r.h.z, o, r.h.x}, {r.h.y, -r.h.x, o}}, {r.m, o, o, r.m, o, r.m}};
}
template <class T>
GRADUS_INLINE Mat6T<T>& operator+=(Mat6T<T>& I, const RigidInertiaT<T>& r) {
  I.A += r.A;
  I.B.x.y += r.h.z;
  I.B.x.z -= r.h.y;
  I.B.y.x -= r.h.z;
  I.B.y.z += r.h.x;
  I.B.z.x += r.h.y;
  I.B.z.y -= r.h.x;
  I.C.xx += r.m;
  I.C.yy += r.m;
  I.C.zz += r.m;
  return I;
}
template <class T>
GRADUS_INLINE Vec6T<T> operator*(const RigidInertiaT<T>& r, const Vec6T<T>& V) {
  return {cross_add(r.A * V.a, r.h, V.l), V.l * r.m - cross(r.h, V.a)};
}

/// Inertia j 1 + d a aᵀ of a body that is round about the axis a.
template <class T>
GRADUS_INLINE Sym3T<T> round_inertia(Vec3T<T> a, T j, T d) {
  const Vec3T<T> b = a * d;
  return {j + a.x * b.x, a.x * b.y, a.x * b.z, j + a.y * b.y, a.y * b.z, j + a.z * b.z};
}

/// J about the centre of mass in world axes; most bodies are round, and only one axis of them need be turned.
template <class T, class F>
GRADUS_INLINE Sym3T<T> turned_inertia(const LinkT<F>& l, const Mat3T<T>& R) {
  switch (l.round) {
    case Axis::x:
      return round_inertia(R.x, T(l.J.yy), T(l.J.xx - l.J.yy));
    case Axis::y:
      return round_inertia(R.y, T(l.J.zz), T(l.J.yy - l.J.zz));
    case Axis::z:
      return round_inertia(R.z, T(l.J.xx), T(l.J.zz - l.J.xx));
    case Axis::general:
      break;
  }
  return l.diagonal ? rotated_diagonal(R, T(l.J.xx), T(l.J.yy), T(l.J.zz)) : rotated(R, cast<T>(l.J));
}

/// Of mass m at c, with the inertia A about c.
template <class T>
GRADUS_INLINE RigidInertiaT<T> inertia_at(T m, Vec3T<T> c, const Sym3T<T>& A) {
  const Vec3T<T> h = c * m;
  const T xx = h.x * c.x, yy = h.y * c.y, zz = h.z * c.z;
  return {{A.xx + (yy + zz), A.xy - h.x * c.y, A.xz - h.x * c.z, A.yy + (xx + zz), A.yz - h.y * c.z, A.zz + (xx + yy)},
          h,
          m};
}

/// Link's own inertia about the root's origin.
template <class T, class F>
GRADUS_INLINE RigidInertiaT<T> own_inertia(const LinkT<F>& l, const FrameT<T>& f) {
  return inertia_at(T(l.mass), f.p + f.R * cast<T>(l.com), turned_inertia(l, f.R));
}
/// The same, and its velocity-product force V ×* I V.
template <class T, class F>
GRADUS_INLINE void own_inertia(const LinkT<F>& l, const FrameT<T>& f, RigidInertiaT<T>& I, Vec6T<T>& b) {
  I = own_inertia(l, f);
  b = cross_force(f.V, I * f.V);
}
template <class T, class F>
GRADUS_INLINE void own_inertia(const LinkT<F>& l, const FrameT<T>& f, Mat6T<T>& I, Vec6T<T>& b) {
  RigidInertiaT<T> r;
  own_inertia(l, f, r, b);
  I = to_full(r);
}

/// Velocity-product acceleration of a joint, V × S v.
template <class T>
GRADUS_INLINE Vec6T<T> velocity_product(const FrameT<T>& f, T v) {
  return cross_motion(f.V, f.S * v);
}

/// Eliminates joint i from (I, b) with (3) to (5); what is left passes to the parent:
///   Iᵃ − U D⁻¹ Uᵀ  (6)     pᵃ + Iᵃ c + U D⁻¹ u  (7)
template <class T>
GRADUS_INLINE void eliminate(const FrameT<T>& f, T v, T rotor, const JointForceT<T>& force, Mat6T<T>& I, Vec6T<T>& b,
                             JointFactorT<T>& out) {
  out.U = I * f.S;
  out.d_inv = T(1.0) / (dot(f.S, out.U) + (rotor + force.e));
  out.u = force.tau - dot(f.S, b);
  const Vec6T<T> Ui = out.U * out.d_inv;
  subtract_outer(I, out.U, Ui);
  b = b + I * velocity_product(f, v) + Ui * out.u;
}

/// One motor on two joints of the same parent: q̇₂ = r q̇₁. The follower's articulated inertia and bias wait (`hold`)
/// until the leader is reached; then one coordinate with two columns is eliminated. With c the velocity products:
///   U = U₁ + r U₂,   D = S₁ᵀU₁ + e₁ + r² (S₂ᵀU₂ + e₂),   u = u₁ + r u₂,   u_k = τ_k − S_kᵀ p_k − U_kᵀ c_k         (9)
///   Iᵃ = I₁ + I₂ − U D⁻¹ Uᵀ,   pᵃ = p₁ + I₁ c₁ + p₂ + I₂ c₂ + U D⁻¹ u                                          (10)
/// The follower's factor keeps U₂, S₂ᵀU₂ + e₂ and u₂ meanwhile. Then the leader's is written so that the outward pass
/// treats it as any joint, and the follower's is zero, so that impulses pass through it to the leader.
template <class T>
GRADUS_INLINE void hold_follower(const FrameT<T>& f, T v, T rotor, const JointForceT<T>& force, const Mat6T<T>& I,
                                 Vec6T<T>& b, JointFactorT<T>& out) {
  const Vec6T<T> c = velocity_product(f, v);
  out.U = I * f.S;
  out.d_inv = dot(f.S, out.U) + (rotor + force.e);
  out.u = force.tau - dot(f.S, b) - dot(out.U, c);
  b = b + I * c;
}
template <class T>
GRADUS_INLINE void eliminate_pair(const FrameT<T>& f, T v, T rotor, const JointForceT<T>& force, T r,
                                  const Mat6T<T>& I2, const Vec6T<T>& b2, JointFactorT<T>& second, Mat6T<T>& I,
                                  Vec6T<T>& b, JointFactorT<T>& out) {
  const Vec6T<T> c = velocity_product(f, v), U1 = I * f.S;
  out.U = U1 + second.U * r;
  out.d_inv = T(1.0) / (dot(f.S, U1) + (rotor + force.e) + r * r * second.d_inv);
  const T u = force.tau - dot(f.S, b) - dot(U1, c) + r * second.u;
  out.u = u + dot(out.U, c);  // of which the outward pass takes Uᵀ c away
  b = b + I * c + b2;
  I += I2;
  const Vec6T<T> Ui = out.U * out.d_inv;
  subtract_outer(I, out.U, Ui);
  b = b + Ui * u;
  second = {zero6<T>(), T(0.0), T(0.0)};
}

/// Takes the joint of link i out of I and b, which then are what the parent feels. False for a follower: its I and b
/// wait for its leader.
template <class T, class F, class Force>
GRADUS_INLINE bool eliminate_joint(const LinkT<F>& l, int i, const FrameT<T>& f, T v, const Force& force,
                                   Mat6T<T>* branch_I, Vec6T<T>* branch_b, JointFactorT<T>* factors, Mat6T<T>& I,
                                   Vec6T<T>& b) {
  if (l.hold < 0) {
    eliminate(f, v, T(l.rotor), force(i), I, b, factors[i]);
    return true;
  }
  if (l.leader >= 0) {
    hold_follower(f, v, T(l.rotor), force(i), I, b, factors[i]);
    branch_I[l.hold] = I;
    branch_b[l.hold] = b;
    return false;
  }
  eliminate_pair(f, v, T(l.rotor), force(i), T(l.ratio), branch_I[l.hold], branch_b[l.hold], factors[l.follower], I, b,
                 factors[i]);
  return true;
}

/// Inward pass of the articulated-body algorithm.
///   force(i)             -> JointForceT of link i's joint
///   contact(i, f, I, b)  adds contacts and other external forces on link i to its inertia and bias
///   branch_I, branch_b   (branch_count) room for what limbs hand to branching links
/// Leaves factors (nlink; [0] unused) and the root's articulated inertia and bias.
/// reads links, frames, coordinates   writes factors, I0, b0   cost O(n), no allocation
template <class T, class F, class Frames, class Force, class Contact>
GRADUS_INLINE void aba_inward(const LinkT<F>* links, int nlink, const CoordinatesT<T>& x, Frames& frames,
                              const Force& force, const Contact& contact, Mat6T<T>* branch_I, Vec6T<T>* branch_b,
                              int branch_count, JointFactorT<T>* factors, Mat6T<T>& I0, Vec6T<T>& b0) {
  for (int k = 0; k < branch_count; ++k) branch_I[k] = zero66<T>(), branch_b[k] = zero6<T>();
  Mat6T<T> I = zero66<T>();  // I and b stay in registers along a limb
  Vec6T<T> b = zero6<T>(), own_b;
  RigidInertiaT<T> own;
  for (int i = nlink - 1; i >= 0; --i) {
    const LinkT<F>& l = links[i];
    const FrameT<T>& f = frames.inward(links, x, i);
    own_inertia(l, f, own, own_b);
    if (l.tip) {
      I = to_full(own);
      b = own_b;
    } else {
      I += own;
      b += own_b;
    }
    if (l.branch >= 0) {
      I += branch_I[l.branch];
      b += branch_b[l.branch];
    }
    contact(i, f, I, b);
    if (i == 0) break;
    const bool eliminated = eliminate_joint(l, i, f, x.v[i - 1], force, branch_I, branch_b, factors, I, b);
    if (eliminated && !l.follows) {
      const int slot = links[l.parent].branch;
      branch_I[slot] += I;
      branch_b[slot] += b;
    }
  }
  I0 = I;
  b0 = b;
}

/// Outward pass: accelerations of all links from the root's.  acc (nlink), a (njoint)
///   a_i = (u − Uᵀ (acc_p + c)) / D     acc_i = acc_p + c + S a_i                            (8)
template <class T, class F, class Frames>
GRADUS_INLINE void aba_outward(const LinkT<F>* links, int nlink, const CoordinatesT<T>& x, Frames& frames,
                               const JointFactorT<T>* factors, Vec6T<T> acc0, Vec6T<T>* acc, T* a) {
  acc[0] = acc0;
  frames.outward(links, x, 0);
  for (int i = 1; i < nlink; ++i) {
    const FrameT<T>& f = frames.outward(links, x, i);
    const Vec6T<T> up = acc[links[i].parent] + velocity_product(f, x.v[i - 1]);
    const T ai = links[i].leader < 0 ? (factors[i].u - dot(factors[i].U, up)) * factors[i].d_inv
                                     : T(links[i].ratio) * a[links[i].leader - 1];
    a[i - 1] = ai;
    acc[i] = up + f.S * ai;
  }
}

/// Change of joint velocities and link twists per impulse: one inward and one outward pass over the factors that aba
/// left. wrench (nlink) impulses on the links, about the root's origin: overwritten.  dV (nlink), dv (njoint)
template <class T, class F>
GRADUS_INLINE void impulse_response(const LinkT<F>* links, int nlink, const FrameT<T>* frames,
                                    const JointFactorT<T>* factors, const Factor6T<T>* root, Vec6T<T>* wrench,
                                    Vec6T<T>* dV, T* dv) {
  for (int i = nlink - 1; i > 0; --i) {
    dv[i - 1] = dot(frames[i].S, wrench[i]);
    if (links[i].follower >= 0) dv[i - 1] += T(links[i].ratio) * dv[links[i].follower - 1];
    wrench[links[i].parent] += wrench[i] - factors[i].U * (factors[i].d_inv * dv[i - 1]);
  }
  dV[0] = root ? solve(*root, wrench[0]) : zero6<T>();  // a fixed root does not move
  for (int i = 1; i < nlink; ++i) {
    const Vec6T<T>& up = dV[links[i].parent];
    dv[i - 1] = links[i].leader < 0 ? (dv[i - 1] - dot(factors[i].U, up)) * factors[i].d_inv
                                    : T(links[i].ratio) * dv[links[i].leader - 1];
    dV[i] = up + frames[i].S * dv[i - 1];
  }
}

#if !defined(__CUDACC__)
/// Room for unit_responses.
struct ResponseRoom {
  std::vector<int> path;          // links between the touched ones and the root, ascending
  std::vector<int> last;          // (nlink) the last of the touched links whose path goes through it; −1: none
  std::vector<Vec6T<Two>> twist;  // (nlink)
  std::vector<Two> u;             // (nlink) inward: impulse along the joint; outward: its change of velocity
  void resize(std::size_t nlink) { path.reserve(nlink), last.assign(nlink, -1), twist.resize(nlink), u.resize(nlink); }
};

/// Links between the touched ones and the root, ascending, and the leaders of followers among them.
inline void find_paths(const Link* links, std::span<const int> touched, ResponseRoom& room) {
  for (int k : room.path) room.last[static_cast<std::size_t>(k)] = -1;
  room.path.clear();
  auto take = [&room](int k, int i) {
    int& last = room.last[static_cast<std::size_t>(k)];
    if (last < 0) room.path.push_back(k);
    last = i;
  };
  for (int i = 0; i < static_cast<int>(touched.size()); ++i)
    for (int k = touched[static_cast<std::size_t>(i)]; k > 0; k = links[k].parent) {
      take(k, i);
      if (links[k].leader >= 0) take(links[k].leader, i);  // has the same parent, which is taken next
    }
  std::sort(room.path.begin(), room.path.end());
}

/// Component k of a column.
inline double& entry(Response& m, int column, int k) {
  Vec3& half = k < 3 ? m.column[column].a : m.column[column].l;
  return k % 3 == 0 ? half.x : k % 3 == 1 ? half.y : half.z;
}

/// Two impulses f on link k, handed inward: what is left of them at the root.  u: along the joints of the path
GRADUS_INLINE Vec6T<Two> hand_inward(const Link* links, const Frame* frames, const JointFactor* factors, int k,
                                     Vec6T<Two> f, Two* u) {
  for (; k > 0; k = links[k].parent) {
    int e = k;  // the link whose coordinate is eliminated here: a follower hands its share to its leader
    u[k] = dot(cast<Two>(frames[k].S), f);
    if (links[k].leader >= 0) u[e = links[k].leader] = Two(links[k].ratio) * u[k];
    f = f - cast<Two>(factors[e].U) * (Two(factors[e].d_inv) * u[e]);
  }
  return f;
}

/// Twists of the links on paths to touched link j or a later one, from the root's.  u: changes of joint velocities
GRADUS_INLINE void hand_outward(const Link* links, const Frame* frames, const JointFactor* factors,
                                const ResponseRoom& room, std::size_t j, Two* u, Vec6T<Two>* twist) {
  for (int k : room.path) {
    if (room.last[static_cast<std::size_t>(k)] < static_cast<int>(j)) continue;
    const Vec6T<Two>& up = twist[links[k].parent];
    u[k] = links[k].leader < 0 ? (u[k] - dot(cast<Two>(factors[k].U), up)) * Two(factors[k].d_inv)
                               : Two(links[k].ratio) * u[links[k].leader];
    twist[k] = up + cast<Two>(frames[k].S) * u[k];
  }
}

/// The twists t of link i for the unit impulses 2 c and 2 c + 1 on link j: two columns of Ω_ij, two rows of Ω_ji.
GRADUS_INLINE void store_columns(const Vec6T<Two>& t, std::size_t i, std::size_t j, std::size_t n, int c,
                                 Response* out) {
  for (int s = 0; s < 2; ++s) {
    const double part[6] = {t.a.x.v[s], t.a.y.v[s], t.a.z.v[s], t.l.x.v[s], t.l.y.v[s], t.l.z.v[s]};
    out[i * n + j].column[2 * c + s] = {{part[0], part[1], part[2]}, {part[3], part[4], part[5]}};
    for (int r = 0; r < 6 && i > j; ++r) entry(out[j * n + i], r, 2 * c + s) = part[r];
  }
}

/// What unit impulses on touched links do to each other: impulse_response, for two of the six unit impulses at once and
/// along the paths to the root only. By symmetry Ω_ji = Ω_ijᵀ only links i ≥ j need be reached.
///   out[i n + j]  twist of touched link i per impulse on touched link j, n = touched.size()
GRADUS_CLONES inline void unit_responses(const Link* links, const Frame* frames, const JointFactor* factors,
                                         const Factor6* root, std::span<const int> touched, ResponseRoom& room,
                                         Response* out) {
  find_paths(links, touched, room);
  const std::size_t n = touched.size();
  const Two zero(0.0);
  Two* u = room.u.data();
  Vec6T<Two>* twist = room.twist.data();
  for (std::size_t j = 0; j < n; ++j)
    for (int c = 0; c < 3; ++c) {
      Vec6T<Two> f = zero6<Two>();
      Two* unit[6] = {&f.a.x, &f.a.y, &f.a.z, &f.l.x, &f.l.y, &f.l.z};
      *unit[2 * c] = two(1, 0);
      *unit[2 * c + 1] = two(0, 1);
      for (int k : room.path) u[k] = zero;
      f = hand_inward(links, frames, factors, touched[j], f, u);
      twist[0] = root ? solve(*root, f) : zero6<Two>();  // a fixed root does not move
      hand_outward(links, frames, factors, room, j, u, twist);
      for (std::size_t i = j; i < n; ++i) store_columns(twist[touched[i]], i, j, n, c, out);
    }
}
#else
struct ResponseRoom {};  // bodies on a GPU do not touch each other
#endif

/// Recursive Newton–Euler: forces that give the accelerations acc0 (root, minus gravity) and a (njoint).
/// Returns the force on the root; tau (njoint).  acc and force (nlink) are scratch and hold the links' values
/// afterwards.
template <class T, class F>
GRADUS_INLINE Vec6T<T> rnea(const LinkT<F>* links, int nlink, const CoordinatesT<T>& x, const FrameT<T>* frames,
                            Vec6T<T> acc0, const T* a, Vec6T<T>* acc, Vec6T<T>* force, T* tau) {
  RigidInertiaT<T> I;
  for (int i = 0; i < nlink; ++i) {
    acc[i] = i == 0 ? acc0 : acc[links[i].parent] + velocity_product(frames[i], x.v[i - 1]) + frames[i].S * a[i - 1];
    Vec6T<T> b;
    own_inertia(links[i], frames[i], I, b);
    force[i] = I * acc[i] + b;
  }
  for (int i = nlink - 1; i > 0; --i) {
    tau[i - 1] = dot(frames[i].S, force[i]) + T(links[i].rotor) * a[i - 1];
    force[links[i].parent] += force[i];
  }
  return force[0];
}

/// Composite rigid bodies: joint-space inertia, row-major n × n with n = 6 + njoint, the root's six first.
template <class T, class F>
GRADUS_INLINE void crba(const LinkT<F>* links, int nlink, const FrameT<T>* frames, Mat6T<T>* composite, T* M) {
  const int n = 5 + nlink;
  for (int k = 0; k < n * n; ++k) M[k] = T(0.0);
  for (int i = 0; i < nlink; ++i) {
    Vec6T<T> b;
    own_inertia(links[i], frames[i], composite[i], b);
  }
  auto put = [&](int r, int c, T y) { M[r * n + c] = M[c * n + r] = y; };
  for (int i = nlink - 1; i > 0; --i) {
    composite[links[i].parent] += composite[i];
    const Vec6T<T> f = composite[i] * frames[i].S;
    put(5 + i, 5 + i, dot(frames[i].S, f) + T(links[i].rotor));
    for (int k = links[i].parent; k > 0; k = links[k].parent) put(5 + i, 5 + k, dot(frames[k].S, f));
    const T row[6] = {f.a.x, f.a.y, f.a.z, f.l.x, f.l.y, f.l.z};
    for (int k = 0; k < 6; ++k) put(5 + i, k, row[k]);
  }
  const Mat6T<T>& I = composite[0];
  const Vec3T<T> zero = zero3<T>();
  const T one = T(1.0), o = T(0.0);
  for (int k = 0; k < 6; ++k) {
    const Vec3T<T> e{k % 3 == 0 ? one : o, k % 3 == 1 ? one : o, k % 3 == 2 ? one : o};
    const Vec6T<T> c = I * (k < 3 ? Vec6T<T>{e, zero} : Vec6T<T>{zero, e});
    const T col[6] = {c.a.x, c.a.y, c.a.z, c.l.x, c.l.y, c.l.z};
    for (int r = 0; r < 6; ++r) M[r * n + k] = col[r];
  }
}

/// Sum of all links' inertias about the root's origin and the force their motion with root acceleration zero and joint
/// accelerations a needs: the first six rows of the equations of motion [MuRoSimF 2009, eq. 3].
/// acc (nlink): links' accelerations for root acceleration zero.
template <class T, class F>
GRADUS_INLINE void root_rows(const LinkT<F>* links, int nlink, const CoordinatesT<T>& x, const FrameT<T>* frames,
                             const T* a, Mat6T<T>& composite, Vec6T<T>& bias, Vec6T<T>* acc) {
  RigidInertiaT<T> I;
  composite = zero66<T>();
  bias = zero6<T>();
  for (int i = 0; i < nlink; ++i) {
    acc[i] =
        i == 0 ? zero6<T>() : acc[links[i].parent] + velocity_product(frames[i], x.v[i - 1]) + frames[i].S * a[i - 1];
    Vec6T<T> b;
    own_inertia(links[i], frames[i], I, b);
    composite += I;
    bias += I * acc[i] + b;
  }
}

/// Momentum about the root's origin; `v0` is the root's linear velocity.
template <class T, class F>
GRADUS_INLINE Vec6T<T> momentum(const LinkT<F>* links, int nlink, const FrameT<T>* frames, Vec3T<T> v0) {
  Vec6T<T> sum = zero6<T>();
  for (int i = 0; i < nlink; ++i) {
    RigidInertiaT<T> I;
    Vec6T<T> b;
    own_inertia(links[i], frames[i], I, b);
    sum += I * Vec6T<T>{frames[i].V.a, frames[i].V.l + v0};
  }
  return sum;
}

}  // namespace gradus
