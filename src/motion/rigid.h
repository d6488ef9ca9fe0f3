/// Steps of a root that moves as one 6-degree-of-freedom body: shared by single_body, free_body and prescribed_joints.
///
///   (M + Σ W at contacts) a = −bias + Σ (f − W (a_known + g))                                              (1)
///
/// a: acceleration of the root minus gravity; a_known: what the joints' own motion adds to a contact's point.
#pragma once
#include <algorithm>

#include "motion/root.h"
#include "state/motion.h"
#include "tree/pairs.h"

namespace gradus {

/// Own scratch of these motions: what respond needs.
struct RigidScratch {
  Factor6 factor;  // of the left side of (1)
  Vec3 com;        // centre of mass from the root's origin, world axes    [m]
  Sym3 J;          // rotational inertia about the centre of mass          [kg m²]
  double mass;
};

/// What these motions need; z_size: private numbers.
inline MotionNeeds rigid_needs(const RobotKind& kind, int z_size) {
  MotionNeeds n;
  n.z_size = z_size;
  n.scratch = sizeof(RigidScratch);
  n.uses_drives = false;
  if (!(kind.mass > 0)) n.missing.push_back("mass: no object has one");
  return n;
}

/// Adds a push (Input) to the bias.
template <class V>
void add_push(const V& view, Vec6& bias) {
  const double* push = view.target() + view.kind().njoint() + kPushLink;
  if (push[0] < 0) return;
  const Frame& f = view.frames()[static_cast<int>(push[0])];
  bias = bias - wrench_at(f.p + f.R * Vec3{push[4], push[5], push[6]}, Vec3{push[1], push[2], push[3]});
}

/// A contact into the left and right side of (1); known (nlink) may be null.
inline void add_contact(const StaticContact& c, Vec3 g, const Vec6* known, Mat6& M, Vec6& bias) {
  const Vec3 a = known ? velocity_at(known[c.link], c.r) + g : g;
  add_point(M, c.r, c.W);
  bias = bias - wrench_at(c.r, c.f - c.W * a);
}

/// Two contacts side by side whose W are diagonal: points that stick to level ground.
GRADUS_INLINE void add_two_contacts(const StaticContact& c, const StaticContact& d, Vec3T<Two> g, const Vec6* known,
                                    Mat6T<Two>& M, Vec6T<Two>& bias) {
  const Vec3T<Two> r = load_two(c.r, d.r);
  const Vec3T<Two> a = known ? velocity_at(load_two(known[c.link], known[d.link]), r) + g : g;
  const Vec3T<Two> W{load_two(&c.W.xx, &d.W.xx), load_two(&c.W.yy, &d.W.yy), load_two(&c.W.zz, &d.W.zz)};
  add_point_diagonal(M, r, W.x, W.y, W.z);
  bias = bias - wrench_at(r, load_two(c.f, d.f) - Vec3T<Two>{W.x * a.x, W.y * a.y, W.z * a.z});
}

/// All contacts; most robots stand, and then contacts go in pairs.
inline void add_contacts(std::span<const StaticContact> contacts, Vec3 g, const Vec6* known, Mat6& M, Vec6& bias) {
  Mat6T<Two> M_two = zero66<Two>();
  Vec6T<Two> bias_two = zero6<Two>();
  const StaticContact* first = nullptr;
  for (const StaticContact& c : contacts) {
    if (!c.active) continue;
    if (c.W.xy != 0 || c.W.xz != 0 || c.W.yz != 0) {
      add_contact(c, g, known, M, bias);
    } else if (!first) {
      first = &c;
    } else {
      add_two_contacts(*first, c, two(g, g), known, M_two, bias_two);
      first = nullptr;
    }
  }
  if (first) add_contact(*first, g, known, M, bias);
  M += sum_of(M_two);
  bias += sum_of(bias_two);
}

/// Moments that the law opposes to turning links, at the end of the step: n = −κ (ω + h (α + α_known)). Few laws have
/// any.
template <class V>
void add_spin(const V& view, const Vec6* known, double h, Mat6& M, Vec6& bias) {
  for (std::size_t i = 0; i < view.spin().size(); ++i) {
    const double drag = view.spin()[i];
    if (drag == 0) continue;
    M.A.xx += h * drag, M.A.yy += h * drag, M.A.zz += h * drag;
    bias.a += (view.frames()[i].V.a + (known ? known[i].a * h : Vec3{0, 0, 0})) * drag;
  }
}

/// State[k+1] of one rigid body: the angular momentum L about its centre of mass that (1) left is kept while the body
/// turns.
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
    one.column[k] =
        kind.root == RootKind::fixed ? zero6<double>() : solve(factor, Vec6{{e[0], e[1], e[2]}, {e[3], e[4], e[5]}});
  }
  std::fill_n(out, links.size() * links.size(), one);
}

/// predict of a robot that moves as one rigid body. (1) is taken as a change of momentum in the present configuration,
/// so there is no bias: commit_rigid turns the body afterwards.
template <class V>
void predict_one_body(const V& view, double h) {
  const RobotKind& kind = view.kind();
  RigidScratch& s = view.template own<RigidScratch>();
  common_body(kind, view.frames(), s.mass, s.com, s.J);
  Mat6 M = rigid_inertia(s.mass, s.com, s.J);
  Vec6 bias = zero6<double>();
  add_push(view, bias);
  add_contacts(view.contacts(), view.gravity(), nullptr, M, bias);
  add_spin(view, nullptr, h, M, bias);
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
