/// Kernels that do two links of one robot at a time on a core: the equations of frames.h and dynamics.h with the scalar
/// Two. The same bits as link by link, but for the order of sums over links.
#pragma once
#include "base/clones.h"
#include "model/link_pairs.h"
#include "tree/dynamics.h"

namespace gradus {

GRADUS_INLINE Mat3T<Two> load_two(const Mat3& a, const Mat3& b) {
  return {load_two(a.x, b.x), load_two(a.y, b.y), load_two(a.z, b.z)};
}
GRADUS_INLINE void store_two(const Mat3T<Two>& ab, Mat3& a, Mat3& b) {
  store_two(ab.x, a.x, b.x);
  store_two(ab.y, a.y, b.y);
  store_two(ab.z, a.z, b.z);
}

/// Both links of a pair, about one axis. A function of its own: several of them in one, GCC merges their ends and moves
/// every number from register to register there.
template <Axis axis, bool prismatic, bool velocities>
[[gnu::noinline]] GRADUS_CLONES void step_pair(const JointPair& j, const CoordinatesT<double>& x, Frame* frames) {
  const Frame &a = frames[j.parent_1], &b = frames[j.parent_2];
  Frame &c = frames[j.first], &d = frames[j.second];  // one link if it has no twin: written twice with the same
  LinkT<Two> l{};
  l.p_PB = j.link.p_PB;
  l.axis = j.link.axis;
  l.axis_kind = prismatic ? j.link.axis_kind : axis;
  l.prismatic = prismatic;
  l.same_origin = j.link.same_origin;
  const Two q = load_two(x.q + (j.first - 1), x.q + (j.second - 1));
  Two sine{}, cosine{};
  if (!prismatic) sine_cosine(q, sine, cosine);
  FrameT<Two> parent, f;
  parent.R = load_two(a.R, b.R);
  parent.p = load_two(a.p, b.p);
  place_out(l, q, sine, cosine, parent, f);
  store_two(f.R, c.R, d.R);
  store_two(f.p, c.p, d.p);
  if (!velocities) return;
  parent.V = load_two(a.V, b.V);
  move_out(l, load_two(x.v + (j.first - 1), x.v + (j.second - 1)), parent, f);
  store_two(f.V, c.V, d.V);
  store_two(f.S, c.S, d.S);
}

/// All links of a joint with a type of its own: they lie where its child lies and move as it moves [joint_type.h].
template <bool velocities>
[[gnu::noinline]] void step_typed(const TypedJoint& t, const CoordinatesT<double>& x, Frame* frames) {
  const Frame& parent = frames[t.parent];
  const Pose X_JC = t.type->pose(x.q + (t.first - 1));
  Frame f;
  f.R = parent.R * (t.R_LJ * X_JC.R * transpose(t.R_LJ));
  f.p = parent.p + parent.R * (t.p_PJ + t.R_LJ * X_JC.p);
  f.V = parent.V;
  for (int i = t.first; velocities && i <= t.last; ++i) {
    const Vec6& S = t.S[static_cast<std::size_t>(i - t.first)];
    const Vec3 a = f.R * S.a;
    frames[i].S = {a, cross(f.p, a) + f.R * S.l};
    f.V += frames[i].S * x.v[i - 1];
  }
  for (int i = t.first; i <= t.last; ++i) {
    frames[i].R = f.R, frames[i].p = f.p;
    if (velocities) frames[i].V = f.V;
  }
}

/// q ⊕ u of a robot's typed joints; u(i): what joint i moves by.  q, q_next: joint parts
template <class Way>
void advance_typed(const LinkPairs& pairs, const double* q, const Way& u, double* q_next) {
  for (const TypedJoint& t : pairs.typed) {
    double way[kMostColumns];
    for (int i = t.first; i <= t.last; ++i) way[i - t.first] = u(i - 1);
    t.type->advance(q + (t.first - 1), way, q_next + (t.first - 1));
  }
}

/// Frames of all links, or their poses alone and the root's velocity.  frames (nlink)
template <bool velocities>
GRADUS_INLINE void compute_in_pairs(const LinkPairs& pairs, const CoordinatesT<double>& x, Frame* frames) {
  frames[0] = root_frame(x);
  for (const JointPair& j : pairs.joints) {
    const Axis axis = j.link.axis_kind;
    if (j.link.prismatic)
      step_pair<Axis::general, true, velocities>(j, x, frames);
    else if (axis == Axis::y)
      step_pair<Axis::y, false, velocities>(j, x, frames);
    else if (axis == Axis::x)
      step_pair<Axis::x, false, velocities>(j, x, frames);
    else if (axis == Axis::z)
      step_pair<Axis::z, false, velocities>(j, x, frames);
    else if (j.typed == JointPair::kPlain)
      step_pair<Axis::general, false, velocities>(j, x, frames);
    else if (j.typed != JointPair::kEarlier)
      step_typed<velocities>(pairs.typed[static_cast<std::size_t>(j.typed)], x, frames);
  }
}

/// What limbs hand to a link where they meet: slots of inward walks.
struct LimbSlot {
  Mat6 direct_I, sum_I;  // of the child with the next number, and of all others
  Vec6 direct_b, sum_b;
};

GRADUS_INLINE Sym3T<Two> load_two(const Sym3& a, const Sym3& b) {
  return {load_two(&a.xx, &b.xx), load_two(&a.xy, &b.xy), load_two(&a.xz, &b.xz),
          load_two(&a.yy, &b.yy), load_two(&a.yz, &b.yz), load_two(&a.zz, &b.zz)};
}
GRADUS_INLINE Mat6T<Two> load_two(const Mat6& a, const Mat6& b) {
  return {load_two(a.A, b.A), load_two(a.B, b.B), load_two(a.C, b.C)};
}
GRADUS_INLINE Sym3 part_of(const Sym3T<Two>& s, int k) {
  return {s.xx.v[k], s.xy.v[k], s.xz.v[k], s.yy.v[k], s.yz.v[k], s.zz.v[k]};
}
GRADUS_INLINE Vec3 part_of(const Vec3T<Two>& a, int k) { return {a.x.v[k], a.y.v[k], a.z.v[k]}; }
GRADUS_INLINE Vec6 part_of(const Vec6T<Two>& a, int k) { return {part_of(a.a, k), part_of(a.l, k)}; }
GRADUS_INLINE Mat6 part_of(const Mat6T<Two>& I, int k) {
  return {part_of(I.A, k), {part_of(I.B.x, k), part_of(I.B.y, k), part_of(I.B.z, k)}, part_of(I.C, k)};
}

/// Adds what limbs left to the links of a pair, but for the child with the next number, with which the walk began.
GRADUS_INLINE void add_sums(const LimbSlot& s1, const LimbSlot& s2, Mat6T<Two>& I, Vec6T<Two>& b) {
  I += load_two(s1.sum_I, s2.sum_I);
  b += load_two(s1.sum_b, s2.sum_b);
}

/// Adds external forces on one or both links of a pair: rare, so one after the other.
template <class Contact>
[[gnu::noinline]] void add_contacts(const JointPair& j, const Frame* frames, const Contact& contact, Mat6T<Two>& I,
                                    Vec6T<Two>& b) {
  Mat6 I1 = part_of(I, 0), I2 = part_of(I, 1);
  Vec6 b1 = part_of(b, 0), b2 = part_of(b, 1);
  if (contact.any(j.first)) contact(j.first, frames[j.first], I1, b1);
  if (j.second == j.first)
    I2 = I1, b2 = b1;
  else if (contact.any(j.second))
    contact(j.second, frames[j.second], I2, b2);
  I = load_two(I1, I2);
  b = load_two(b1, b2);
}

/// What a pair leaves to parents that are not the pair before. The second first: numbers fall.
inline void hand_over(const JointPair& j, const Mat6T<Two>& I, const Vec6T<Two>& b, LimbSlot* slots) {
  auto give = [&](int k, LimbSlot& s, bool direct) {
    if (direct)
      s.direct_I = part_of(I, k), s.direct_b = part_of(b, k);
    else
      s.sum_I += part_of(I, k), s.sum_b += part_of(b, k);
  };
  if (j.second != j.first) give(1, slots[j.into_2], j.direct_2);
  give(0, slots[j.into_1], j.direct_1);
}

/// Two joints on one motor: one coordinate with two columns [dynamics.h (9), (10)].
template <class Force>
[[gnu::noinline]] void eliminate_shared(const JointPair& j, const double* v, const Frame* frames, const Force& force,
                                        const Mat6T<Two>& I, const Vec6T<Two>& b, JointFactor* factors,
                                        LimbSlot* slots) {
  Mat6 I1 = part_of(I, 0), I2 = part_of(I, 1);
  Vec6 b1 = part_of(b, 0), b2 = part_of(b, 1);
  const Two &rotor = j.link.rotor, &ratio = j.link.ratio;
  hold_follower(frames[j.second], v[j.second - 1], rotor.v[1], force(j.second), I2, b2, factors[j.second]);
  eliminate_pair(frames[j.first], v[j.first - 1], rotor.v[0], force(j.first), ratio.v[0], I2, b2, factors[j.second], I1,
                 b1, factors[j.first]);
  LimbSlot& s = slots[j.into_1];
  if (j.direct_1)
    s.direct_I = I1, s.direct_b = b1;
  else
    s.sum_I += I1, s.sum_b += b1;
}

GRADUS_INLINE const Vec3& column(const Mat3& R, Axis axis) {
  return axis == Axis::z ? R.z : axis == Axis::y ? R.y : R.x;
}

/// Inertias of a pair's own links about the root's origin, as own_inertia makes them: of round bodies only one axis is
/// turned.
GRADUS_INLINE RigidInertiaT<Two> own_of_pair(const JointPair& j, const Frame& f1, const Frame& f2) {
  const Vec3T<Two> p = load_two(f1.p, f2.p);
  if (j.round == Axis::general) {
    const Mat3T<Two> R = load_two(f1.R, f2.R);
    return inertia_at(j.link.mass, p + R * j.link.com, turned_inertia(j.link, R));
  }
  const Vec3T<Two> a = load_two(column(f1.R, j.round), column(f2.R, j.round));
  const Vec3T<Two> c = j.on_axis ? p + a * j.along : p + load_two(f1.R, f2.R) * j.link.com;
  return inertia_at(j.link.mass, c, round_inertia(a, j.j, j.d));
}

/// Momentum of a pair's links about the root, which is taken to be at rest, and mass times centre of mass.
struct PairMomentum {
  Vec6T<Two> H;
  Vec3T<Two> h;
};

/// Adds the inertia and bias of a pair's own links.  V: their velocities
GRADUS_INLINE void add_own(const JointPair& j, const Frame& f1, const Frame& f2, const Vec6T<Two>& V, Mat6T<Two>& I,
                           Vec6T<Two>& b, PairMomentum& out) {
  const RigidInertiaT<Two> own = own_of_pair(j, f1, f2);
  out.H = own * V;
  out.h = own.h;
  I += own;
  b += cross_force(V, out.H);
}

/// Two joints, each with a coordinate of its own.
template <class Force>
GRADUS_INLINE void eliminate_both(const JointPair& j, const double* v, const FrameT<Two>& f, const Force& force,
                                  Mat6T<Two>& I, Vec6T<Two>& b, JointFactor* factors) {
  const JointForceT<double> t1 = force(j.first), t2 = force(j.second);
  JointFactorT<Two> out;
  eliminate(f, load_two(v + (j.first - 1), v + (j.second - 1)), j.link.rotor,
            JointForceT<Two>{two(t1.tau, t2.tau), two(t1.e, t2.e)}, I, b, out);
  JointFactor &o1 = factors[j.first], &o2 = factors[j.second];
  store_two(out.U, o1.U, o2.U);
  store_two(out.d_inv, &o1.d_inv, &o2.d_inv);
  store_two(out.u, &o1.u, &o2.u);
}

/// The root's articulated inertia and bias from what limbs left to it.
template <class Contact>
GRADUS_INLINE void gather_root(const Link& link, const Frame& f, const Contact& contact, const LimbSlot& limbs,
                               Mat6& I0, Vec6& b0) {
  RigidInertiaT<double> own;
  Vec6 own_b;
  own_inertia(link, f, own, own_b);
  I0 = limbs.direct_I;
  I0 += own;
  b0 = limbs.direct_b + own_b;
  I0 += limbs.sum_I;
  b0 += limbs.sum_b;
  if (contact.any(0)) contact(0, f, I0, b0);
}

/// The inward pass of the articulated-body algorithm [dynamics.h: aba_inward], two links at a time. Not where a
/// follower is apart from its leader (LinkPairs::shared_apart).
///   contact.any(i)         are there external forces on link i?
///   slots (slot_count)     room
///   momenta (pairs)        of the links with mass: a step in flight wants them [motion/flight_pairs.h]
template <class Force, class Contact>
GRADUS_INLINE void aba_inward_in_pairs(const RobotKind& kind, const CoordinatesT<double>& x, const Frame* frames,
                                       const Force& force, const Contact& contact, LimbSlot* slots,
                                       JointFactor* factors, PairMomentum* momenta, Mat6& I0, Vec6& b0) {
  const LinkPairs& pairs = *kind.pairs;
  const LimbSlot none{zero66<double>(), zero66<double>(), zero6<double>(), zero6<double>()};
  for (int k = 0; k < pairs.slot_count; ++k) slots[k] = none;
  Mat6T<Two> I = zero66<Two>();
  Vec6T<Two> b = zero6<Two>();
  for (std::size_t k = pairs.joints.size(); k-- > 0;) {
    const JointPair& j = pairs.joints[k];
    const Frame &f1 = frames[j.first], &f2 = frames[j.second];
    const bool collects = j.collect_1 >= 0 || j.collect_2 >= 0;
    const LimbSlot &s1 = j.collect_1 >= 0 ? slots[j.collect_1] : none,
                   &s2 = j.collect_2 >= 0 ? slots[j.collect_2] : none;
    if (j.link.tip) {
      I = collects ? load_two(s1.direct_I, s2.direct_I) : zero66<Two>();
      b = collects ? load_two(s1.direct_b, s2.direct_b) : zero6<Two>();
    }
    FrameT<Two> f;
    f.V = load_two(f1.V, f2.V);
    if (!j.massless) add_own(j, f1, f2, f.V, I, b, momenta[k]);
    if (collects) add_sums(s1, s2, I, b);
    if (contact.any(j.first) || contact.any(j.second)) add_contacts(j, frames, contact, I, b);
    f.S = load_two(f1.S, f2.S);
    if (j.shared) {
      eliminate_shared(j, x.v, frames, force, I, b, factors, slots);
      continue;
    }
    eliminate_both(j, x.v, f, force, I, b, factors);
    if (!j.follows) hand_over(j, I, b, slots);
  }
  gather_root(kind.links[0], frames[0], contact, slots[0], I0, b0);
}

/// The outward pass [dynamics.h: aba_outward], two links at a time.
GRADUS_CLONES inline void aba_outward_in_pairs(const LinkPairs& pairs, const CoordinatesT<double>& x,
                                               const Frame* frames, const JointFactor* factors, Vec6 acc0, Vec6* acc,
                                               double* a) {
  acc[0] = acc0;
  for (const JointPair& j : pairs.joints) {
    const Frame &f1 = frames[j.first], &f2 = frames[j.second];
    const JointFactor &o1 = factors[j.first], &o2 = factors[j.second];
    FrameT<Two> f;
    f.V = load_two(f1.V, f2.V);
    f.S = load_two(f1.S, f2.S);
    const Vec6T<Two> up = load_two(acc[j.parent_1], acc[j.parent_2]) +
                          velocity_product(f, load_two(x.v + (j.first - 1), x.v + (j.second - 1)));
    Two ai = (load_two(&o1.u, &o2.u) - dot(load_two(o1.U, o2.U), up)) * load_two(&o1.d_inv, &o2.d_inv);
    if (j.shared) ai = two(ai.v[0], j.link.ratio.v[0] * ai.v[0]);
    store_two(ai, a + (j.first - 1), a + (j.second - 1));
    store_two(up + f.S * ai, acc[j.first], acc[j.second]);
  }
}

/// Sums over links from which their common rigid body follows, about the root's origin:
///   inertia = sphere 1 + J,    of one link at c:  R J_B Rᵀ + m (|c|² 1 − c cᵀ)
template <class T>
struct BodySumT {
  T sphere;
  Vec3T<T> h;  // mass times centre of mass
  Sym3T<T> J;

  GRADUS_INLINE void add_mass(T m, Vec3T<T> c) {
    const Vec3T<T> mc = c * m;
    sphere += dot(mc, c);
    J.xx -= mc.x * c.x;
    J.xy -= mc.x * c.y;
    J.xz -= mc.x * c.z;
    J.yy -= mc.y * c.y;
    J.yz -= mc.y * c.z;
    J.zz -= mc.z * c.z;
    h += mc;
  }
};

GRADUS_INLINE void add_pair(const SpindlePair& s, const Frame& f, const Frame& g, BodySumT<Two>& sum) {
  const Vec3T<Two> a = load_two(column(f.R, s.axis), column(g.R, s.axis));
  add_outer(sum.J, a, s.d);
  sum.add_mass(s.mass, load_two(f.p, g.p) + a * s.com);
}

GRADUS_INLINE void add_pair(const BodyPair& b, const Frame& f, const Frame& g, BodySumT<Two>& sum) {
  const Mat3T<Two> R = load_two(f.R, g.R);
  add_outer(sum.J, R.x, b.dx);
  add_outer(sum.J, R.y, b.dy);
  sum.add_mass(b.mass, load_two(f.p, g.p) + R * b.com);
}

/// All links as one rigid body: mass, centre of mass from the root's origin, inertia about it (world axes).
GRADUS_CLONES inline void common_body(const RobotKind& kind, const Frame* frames, double& mass, Vec3& com, Sym3& J) {
  const LinkPairs& pairs = *kind.pairs;
  const Two o(0.0);
  BodySumT<Two> s{o, {o, o, o}, {o, o, o, o, o, o}};
  for (const SpindlePair& p : pairs.spindles) add_pair(p, frames[p.first], frames[p.second], s);
  for (const BodyPair& p : pairs.bodies) add_pair(p, frames[p.first], frames[p.second], s);
  BodySumT<double> sum{sum_of(s.sphere) + pairs.sphere, sum_of(s.h), sum_of(s.J)};
  for (int i : pairs.odd) {
    const Link& l = kind.links[static_cast<std::size_t>(i)];
    sum.J += rotated(frames[i].R, l.J);
    sum.add_mass(l.mass, frames[i].p + frames[i].R * l.com);
  }
  mass = kind.mass;
  com = sum.h * (1 / mass);
  J = sum.J;
  add_outer(J, com, mass);
  const double sphere = sum.sphere - dot(sum.h, com);
  J.xx += sphere;
  J.yy += sphere;
  J.zz += sphere;
}

}  // namespace gradus
