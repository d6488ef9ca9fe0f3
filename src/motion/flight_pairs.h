/// flight.inl for one robot on a core, two links at a time [tree/pairs.h]: the same bits.
#pragma once
#include "motion/flight.inl"
#include "tree/pairs.h"

namespace gradus {

/// Room for walks in pairs; the links' numbers as in FlightRoomT.
struct FlightPairsRoom {
  FlightRoomT<double> links;
  PairMomentum* before;         // (pairs) at the start of the step
  RigidInertiaT<Two>* inertia;  // (pairs) at the new place

  static std::size_t size(const RobotKind& k) {
    const auto n = static_cast<std::size_t>(k.nlink());
    return n * (2 * sizeof(Vec6) + sizeof(RigidInertiaT<double>) + sizeof(double)) + alignof(Two) +
           k.pairs->joints.size() * (sizeof(PairMomentum) + sizeof(RigidInertiaT<Two>));
  }
  /// memory: of that size, aligned for doubles.
  static FlightPairsRoom at(const RobotKind& k, void* memory) {
    FlightPairsRoom r;
    const int n = k.nlink();
    r.links.change = static_cast<Vec6*>(memory);
    r.links.impulse = r.links.change + n;
    r.links.inertia = reinterpret_cast<RigidInertiaT<double>*>(r.links.impulse + n);
    r.links.dv = reinterpret_cast<double*>(r.links.inertia + n);
    const auto end = reinterpret_cast<std::uintptr_t>(r.links.dv + n);
    r.before = reinterpret_cast<PairMomentum*>((end + alignof(Two) - 1) / alignof(Two) * alignof(Two));
    r.inertia = reinterpret_cast<RigidInertiaT<Two>*>(r.before + k.pairs->joints.size());
    return r;
  }
};

/// The second number of a joint without a twin is the first again: it must not count. (A product, since Valgrind 3.19
/// does not know the instruction that GCC makes of two(x, 0).)
GRADUS_INLINE Two only_first(Two x) { return x * two(1, 0); }
GRADUS_INLINE Vec3T<Two> only_first(const Vec3T<Two>& a) { return {only_first(a.x), only_first(a.y), only_first(a.z)}; }
GRADUS_INLINE Vec6T<Two> only_first(const Vec6T<Two>& a) { return {only_first(a.a), only_first(a.l)}; }
GRADUS_INLINE Sym3T<Two> only_first(const Sym3T<Two>& s) {
  return {only_first(s.xx), only_first(s.xy), only_first(s.xz), only_first(s.yy), only_first(s.yz), only_first(s.zz)};
}

/// Momenta at the start of the step, where no prediction in pairs left them.
inline void momenta_in_pairs(const RobotKind& kind, const Frame* frames, PairMomentum* out) {
  const std::vector<JointPair>& pairs = kind.pairs->joints;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const JointPair& j = pairs[k];
    if (j.massless) continue;
    const RigidInertiaT<Two> own = own_of_pair(j, frames[j.first], frames[j.second]);
    out[k] = {own * load_two(frames[j.first].V, frames[j.second].V), own.h};
  }
}

/// sum_momenta of flight.inl after momenta_in_pairs or a prediction in pairs. sum.after is left to fly_on_in_pairs or
/// add_change.
GRADUS_CLONES inline void sum_momenta_in_pairs(const RobotKind& kind, const Frame* before, const Frame* after,
                                               const Vec6& acc0, Vec3 jump, double h, const FlightPairsRoom& room,
                                               FlightSumT<double>& sum) {
  const Vec3 rise = acc0.l * h;
  sum.shift = (jump + rise) * (0.5 * h);
  sum.given = zero6<double>();
  sum.kick = {0, 0, 0};
  const Vec3T<Two> rise2 = cast<Two>(rise), shift = cast<Two>(sum.shift);
  const Two o(0.0);
  Vec6T<Two> start = zero6<Two>();
  Vec3T<Two> mc = zero3<Two>();
  RigidInertiaT<Two> all{{o, o, o, o, o, o}, zero3<Two>(), o};
  const std::vector<JointPair>& pairs = kind.pairs->joints;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const JointPair& j = pairs[k];
    const Frame &f1 = after[j.first], &f2 = after[j.second];
    Vec6 &c1 = room.links.change[j.first], &c2 = room.links.change[j.second];
    if (j.massless) {
      c1 = c2 = zero6<double>();
      continue;
    }
    const RigidInertiaT<Two> I = room.inertia[k] = own_of_pair(j, f1, f2);
    Vec6T<Two> H = I * Vec6T<Two>{load_two(f1.V.a, f2.V.a), load_two(f1.V.l, f2.V.l) + rise2};
    H.a += cross(shift, H.l);
    const PairMomentum& m = room.before[k];
    store_two(H - m.H, c1, c2);
    if (j.first == j.second) {
      start += only_first(m.H), mc += only_first(m.h);
      all.A += only_first(I.A), all.h += only_first(I.h), all.m += only_first(I.m);
    } else {
      start += m.H, mc += m.h;
      all.A += I.A, all.h += I.h, all.m += I.m;
    }
  }
  const Link& root = kind.links[0];
  sum.before = sum_of(start);
  sum.mc = sum_of(mc);
  sum.I = {sum_of(all.A), sum_of(all.h), sum_of(all.m)};
  room.links.change[0] = zero6<double>();
  if (!has_mass(root)) return;
  const RigidInertiaT<double> I0 = own_inertia(root, before[0]),
                              I = room.links.inertia[0] = own_inertia(root, after[0]);
  const Vec6 H0 = I0 * before[0].V;
  Vec6 H1 = I * Vec6{after[0].V.a, after[0].V.l + rise};
  H1.a += cross(sum.shift, H1.l);
  sum.before += H0;
  sum.mc += I0.h;
  sum.I.A += I.A, sum.I.h += I.h, sum.I.m += I.m;
  room.links.change[0] = H1 - H0;
}

/// The inward half of fly_on: leaves what joints must take in dv, returns what is left for the root. What limbs carry
/// stays in registers from a pair to the one before.
GRADUS_CLONES inline Vec6 hand_in_pairs(const RobotKind& kind, const Frame* before, const Frame* after,
                                        const DriveForce* drive, const JointFactor* factors, const double* a, double h,
                                        const FlightPairsRoom& room) {
  Vec6 *change = room.links.change, *impulse = room.links.impulse;
  for (int i = 0; i < kind.nlink(); ++i) impulse[i] = zero6<double>();
  Vec6T<Two> D = zero6<Two>(), g = zero6<Two>();
  const std::vector<JointPair>& pairs = kind.pairs->joints;
  for (std::size_t k = pairs.size(); k-- > 0;) {
    const JointPair& j = pairs[k];
    const int m = j.first, n = j.second;
    D += load_two(change[m], change[n]);
    if (j.collect_1 >= 0 || j.collect_2 >= 0) g += load_two(impulse[m], impulse[n]);
    const Vec6T<Two> S0 = load_two(before[m].S, before[n].S), S1 = load_two(after[m].S, after[n].S);
    const DriveForce &d1 = drive[m - 1], &d2 = drive[n - 1];
    Two u = Two(h) * (load_two(&d1.tau, &d2.tau) -
                      (load_two(&d1.e, &d2.e) + j.link.rotor) * load_two(a + (m - 1), a + (n - 1))) -
            dot((S0 + S1) * Two(0.5), D) + dot(S0, g);
    if (j.shared) u = two(u.v[0] + j.link.ratio.v[0] * u.v[1], u.v[1]);
    store_two(u, room.links.dv + (m - 1), room.links.dv + (n - 1));
    g = g - load_two(factors[m].U, factors[n].U) * (load_two(&factors[m].d_inv, &factors[n].d_inv) * u);
    if (j.follows) continue;
    if (n != m) change[j.parent_2] += part_of(D, 1), impulse[j.parent_2] += part_of(g, 1);  // numbers fall
    change[j.parent_1] += part_of(D, 0), impulse[j.parent_1] += part_of(g, 0);
    D = g = zero6<Two>();
  }
  return impulse[0] - change[0];
}

/// fly_on of flight.inl after sum_momenta_in_pairs. Not where a follower is apart from its leader.
GRADUS_CLONES inline Vec6 fly_on_in_pairs(const RobotKind& kind, const Frame* before, const Frame* after,
                                          const DriveForce* drive, const JointFactor* factors, const Factor6* root,
                                          const Vec6& acc0, const double* a, double h, const FlightPairsRoom& room,
                                          double* v1, FlightSumT<double>& sum) {
  const Vec6 left = hand_in_pairs(kind, before, after, drive, factors, a, h, room);
  const Vec6 dV0 = root ? solve(*root, left) : zero6<double>();
  Vec6 *twist = room.links.change, *gain = room.links.impulse;
  double* dv = room.links.dv;
  gain[0] = dV0;
  twist[0] = {after[0].V.a + dV0.a, acc0.l * h + dV0.l};
  Vec6T<Two> end = zero6<Two>();
  const std::vector<JointPair>& pairs = kind.pairs->joints;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const JointPair& j = pairs[k];
    const int m = j.first, n = j.second;
    const Vec6T<Two> up = load_two(gain[j.parent_1], gain[j.parent_2]);
    Two u = (load_two(dv + (m - 1), dv + (n - 1)) - dot(load_two(factors[m].U, factors[n].U), up)) *
            load_two(&factors[m].d_inv, &factors[n].d_inv);
    if (j.shared) u = two(u.v[0], j.link.ratio.v[0] * u.v[0]);
    store_two(up + load_two(before[m].S, before[n].S) * u, gain[m], gain[n]);
    const Two speed = load_two(v1 + (m - 1), v1 + (n - 1)) + u;
    store_two(speed, v1 + (m - 1), v1 + (n - 1));
    const Vec6T<Two> V = load_two(twist[j.parent_1], twist[j.parent_2]) + load_two(after[m].S, after[n].S) * speed;
    store_two(V, twist[m], twist[n]);
    if (j.massless) continue;
    const Vec6T<Two> H = room.inertia[k] * V;
    end += m == n ? only_first(H) : H;
  }
  sum.after = sum_of(end);
  if (has_mass(kind.links[0])) sum.after += room.links.inertia[0] * twist[0];
  sum.after.a += cross(sum.shift, sum.after.l);
  return dV0;
}

/// Velocities of frames whose poses are right, as compute_in_pairs makes them.  w: of the root
GRADUS_CLONES inline void renew_velocities(const RobotKind& kind, Vec3 w, const double* v, Frame* frames) {
  frames[0].V = {w, {0, 0, 0}};
  for (const JointPair& j : kind.pairs->joints) {
    Frame &a = frames[j.first], &b = frames[j.second];
    const Two speed = load_two(v + (j.first - 1), v + (j.second - 1));
    store_two(load_two(frames[j.parent_1].V, frames[j.parent_2].V) + load_two(a.S, b.S) * speed, a.V, b.V);
  }
  for (const TypedJoint& t : kind.pairs->typed)
    for (int i = t.first; i < t.last; ++i) frames[i].V = frames[t.last].V;
}

}  // namespace gradus
