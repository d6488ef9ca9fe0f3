/// Kernels that do two links of one robot at a time on a core: the equations of frames.h and dynamics.h with the scalar
/// Two. The same bits as link by link, but for the order of sums over links.
#pragma once
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
[[gnu::noinline]] void step_pair(const JointPair& j, const CoordinatesT<double>& x, Frame* frames) {
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
    else
      step_pair<Axis::general, false, velocities>(j, x, frames);
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

GRADUS_INLINE const Vec3& column(const Mat3& R, Axis axis) {
  return axis == Axis::z ? R.z : axis == Axis::y ? R.y : R.x;
}

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
inline void common_body(const RobotKind& kind, const Frame* frames, double& mass, Vec3& com, Sym3& J) {
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
