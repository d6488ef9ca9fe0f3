/// One kernel against another, on 1000 random states of three robots. Each recursion is written once, so a wrong sign
/// in any of them shows as a disagreement with one that goes another way.
#include <gtest/gtest.h>

#include <array>

#include "support/dense.h"
#include "support/robots.h"
#include "tree/kernels.h"

namespace gradus::test {
namespace {

constexpr int kStates = 1000;
constexpr Vec3 kGravity{0.7, -1.3, -9.81};  // tilted, so that no component is zero by accident

struct Robot {
  const char* name;
  std::shared_ptr<const RobotKind> kind;
};
std::ostream& operator<<(std::ostream& out, const Robot& r) { return out << r.name; }

std::vector<Robot> robots() {
  return {{"humanoid28", kind_of(humanoid28())},
          {"random_tree", kind_of(random_tree(5))},
          {"fixed_arm", kind_of(fixed_arm())}};
}

class Kernels : public testing::TestWithParam<Robot> {
 protected:
  const RobotKind& kind = *GetParam().kind;
  TreeScratch scratch{kind};
  Random random{3};
  int n = kind.nv();
  int first = kind.root == RootKind::free ? 0 : 6;  // first moving velocity

  std::vector<double> vector() { return std::vector<double>(static_cast<std::size_t>(n)); }
  std::vector<double> random_vector(double size) {
    std::vector<double> a = vector();
    for (int i = first; i < n; ++i) a[static_cast<std::size_t>(i)] = random.in(-size, size);
    return a;
  }
  Dense mass(const RandomState& s) {
    Dense M(n);
    mass_matrix(kind, s.q.data(), scratch, M.m.data());
    return M;
  }
  /// The moving part of an equation system over all velocities: a fixed root's six rows are left out.
  std::vector<double> solve_moving(const Dense& A, const std::vector<double>& y) {
    Dense a(n - first);
    std::vector<double> b(y.begin() + first, y.end());
    for (int r = first; r < n; ++r)
      for (int c = first; c < n; ++c) a(r - first, c - first) = A(r, c);
    std::vector<double> x = solve(a, b);
    x.insert(x.begin(), static_cast<std::size_t>(first), 0.0);
    return x;
  }
};
INSTANTIATE_TEST_SUITE_P(Robots, Kernels, testing::ValuesIn(robots()),
                         [](const auto& p) { return std::string(p.param.name); });

TEST_P(Kernels, forward_dynamics_gives_back_the_acceleration_that_inverse_dynamics_was_asked_for) {
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    const std::vector<double> a = random_vector(20);
    std::vector<double> tau = vector(), back = vector();
    inverse_dynamics(kind, s.q.data(), s.v.data(), a.data(), kGravity, scratch, tau.data());
    // The root's own force cannot be applied through a joint: what it would have given is taken off again.
    //   M a = τ_joints − bias + τ_root   ⇒   a − M⁻¹ τ_root = ABA(τ_joints)
    std::vector<double> root(tau.begin(), tau.end());
    std::fill(root.begin() + 6, root.end(), 0.0);
    forward_dynamics(kind, s.q.data(), s.v.data(), tau.data() + 6, kGravity, scratch, back.data());
    if (first == 0) {
      const std::vector<double> by_root = solve_moving(mass(s), root);
      for (std::size_t i = 0; i < back.size(); ++i) back[i] += by_root[i];
    }
    ASSERT_LT(relative_error(back, a), 1e-10) << "state " << k;
  }
}

TEST_P(Kernels, without_root_force_forward_after_inverse_is_the_identity) {
  // ABA alone, no mass matrix: accelerations from random joint forces need exactly these forces and none at a free
  // root.
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    const std::vector<double> tau = random_vector(20);
    std::vector<double> a = vector(), back = vector();
    forward_dynamics(kind, s.q.data(), s.v.data(), tau.data() + 6, kGravity, scratch, a.data());
    inverse_dynamics(kind, s.q.data(), s.v.data(), a.data(), kGravity, scratch, back.data());
    ASSERT_LT(relative_error(back.data() + 6, tau.data() + 6, n - 6), 1e-10) << "state " << k;
    if (first > 0) continue;
    double size = 0;  // of the forces that cancel at the root
    for (const Vec6& f : scratch.force) size = std::max({size, norm(f.a), norm(f.l)});
    for (int i = 0; i < 6; ++i) ASSERT_LT(std::fabs(back[static_cast<std::size_t>(i)]), 1e-10 * std::max(size, 100.0));
  }
}

TEST_P(Kernels, columns_of_the_mass_matrix_are_inverse_dynamics_of_unit_accelerations) {
  for (int k = 0; k < kStates; ++k) {
    RandomState s = random_state(kind, random);
    std::fill(s.v.begin(), s.v.end(), 0.0);
    const Dense M = mass(s);
    double size = 0;
    for (double x : M.m) size = std::max(size, std::fabs(x));
    for (int c = 0; c < n; ++c) {
      std::vector<double> e = vector(), tau = vector();
      e[static_cast<std::size_t>(c)] = 1;
      inverse_dynamics(kind, s.q.data(), s.v.data(), e.data(), {0, 0, 0}, scratch, tau.data());
      for (int r = 0; r < n; ++r)
        ASSERT_NEAR(M(r, c), tau[static_cast<std::size_t>(r)], 1e-10 * size) << k << ": " << r << "," << c;
    }
  }
}

TEST_P(Kernels, kinetic_energy_is_half_v_M_v) {
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    const Dense M = mass(s);
    double vMv = 0;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) vMv += s.v[static_cast<std::size_t>(r)] * M(r, c) * s.v[static_cast<std::size_t>(c)];
    // link by link: ½ m |v_cm|² + ½ w·J w + ½ rotor v²
    compute_frames(kind, s.q.data(), s.v.data(), scratch.frames.data());
    double twice = 0;
    for (int i = 0; i < kind.nlink(); ++i) {
      const Link& l = kind.links[static_cast<std::size_t>(i)];
      const Frame& f = scratch.frames[static_cast<std::size_t>(i)];
      const Vec3 u = base_velocity(s.v.data()) + velocity_at(f.V, f.p + f.R * l.com), w = transpose_times(f.R, f.V.a);
      twice += l.mass * dot(u, u) + dot(w, l.J * w);
      if (i > 0) twice += l.rotor * s.v[static_cast<std::size_t>(5 + i)] * s.v[static_cast<std::size_t>(5 + i)];
    }
    ASSERT_NEAR(twice / vMv, 1, 1e-10) << "state " << k;
  }
}

/// Coordinates after moving with velocity v for a short time t: the definition of what v means.
std::vector<double> moved(const RandomState& s, double t) {
  std::vector<double> q = s.q;
  set_base_pose(q.data(), base_position(s.q.data()) + base_velocity(s.v.data()) * t,
                exponential(base_angular_velocity(s.v.data()) * t) * base_orientation(s.q.data()));
  for (std::size_t i = 7; i < q.size(); ++i) q[i] += t * s.v[i - 1];
  return q;
}

Vec3 point_at(const RobotKind& kind, TreeScratch& scratch, const std::vector<double>& q, int link, Vec3 p_L) {
  const std::vector<double> still(static_cast<std::size_t>(kind.nv()), 0.0);
  compute_frames(kind, q.data(), still.data(), scratch.frames.data());
  const Frame& f = scratch.frames[static_cast<std::size_t>(link)];
  return base_position(q.data()) + f.p + f.R * p_L;
}

TEST_P(Kernels, jacobian_and_link_velocities_equal_finite_differences) {
  constexpr double t = 1e-5;  // central differences: error t² |v|³, about 1e-8 here, and rounding 1e-16 / t
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    const int link = random.below(kind.nlink());
    const Vec3 p_L = random.vector(0.3);
    const Vec3 ahead = point_at(kind, scratch, moved(s, t), link, p_L),
               behind = point_at(kind, scratch, moved(s, -t), link, p_L);
    const Vec3 difference = (ahead - behind) * (0.5 / t);
    compute_frames(kind, s.q.data(), s.v.data(), scratch.frames.data());
    const Frame& f = scratch.frames[static_cast<std::size_t>(link)];
    const Vec3 by_frame = base_velocity(s.v.data()) + velocity_at(f.V, f.p + f.R * p_L);
    std::vector<double> J(static_cast<std::size_t>(3 * n));
    point_jacobian(kind, scratch.frames.data(), link, p_L, J.data());
    double Jv[3] = {0, 0, 0};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < n; ++c) Jv[r] += J[static_cast<std::size_t>(r * n + c)] * s.v[static_cast<std::size_t>(c)];
    const double size = std::max(1.0, norm(difference));
    ASSERT_LT(norm(Vec3{Jv[0], Jv[1], Jv[2]} - difference) / size, 1e-6) << "state " << k;
    ASSERT_LT(norm(by_frame - difference) / size, 1e-6) << "state " << k;
  }
}

TEST_P(Kernels, each_column_of_the_jacobian_equals_its_finite_difference) {
  constexpr double t = 1e-6;
  for (int k = 0; k < kStates / 20; ++k) {
    RandomState s = random_state(kind, random);
    const int link = kind.nlink() - 1 - random.below(kind.nlink() / 2);
    const Vec3 p_L = random.vector(0.3);
    compute_frames(kind, s.q.data(), s.v.data(), scratch.frames.data());
    std::vector<double> J(static_cast<std::size_t>(3 * n));
    point_jacobian(kind, scratch.frames.data(), link, p_L, J.data());
    for (int c = 0; c < n; ++c) {
      std::fill(s.v.begin(), s.v.end(), 0.0);
      s.v[static_cast<std::size_t>(c)] = 1;
      const Vec3 d =
          (point_at(kind, scratch, moved(s, t), link, p_L) - point_at(kind, scratch, moved(s, -t), link, p_L)) *
          (0.5 / t);
      const auto u = static_cast<std::size_t>(c), N = static_cast<std::size_t>(n);
      ASSERT_LT(norm(Vec3{J[u], J[N + u], J[2 * N + u]} - d), 1e-6) << "state " << k << " column " << c;
    }
  }
}

/// A force at a point of a link with its slope, as contacts hand it over.
struct Touch {
  int link;
  Vec3 p_L, f;
  Sym3 W;
};

struct Implicit {
  std::vector<double> tau, e;  // (nv), joints from 6 on
  std::vector<Touch> touches;
};

Implicit random_implicit(const RobotKind& kind, Random& r) {
  Implicit x;
  x.tau.resize(static_cast<std::size_t>(kind.nv()));
  x.e.resize(static_cast<std::size_t>(kind.nv()));
  for (std::size_t i = 6; i < x.tau.size(); ++i) {
    x.tau[i] = r.in(-5, 5);
    x.e[i] = r.in(0, 0.2);
  }
  for (int k = 0; k < 5; ++k) {
    const Sym3 diagonal{r.in(0, 1), 0, 0, r.in(0, 1), 0, r.in(0, 1)};
    x.touches.push_back(
        {r.below(kind.nlink()), r.vector(0.2), r.vector(20), rotated(to_matrix(r.rotation()), diagonal)});
  }
  return x;
}

/// (M + diag(e) + Σ Jᵀ W J) over all velocities.
Dense implicit_matrix(const RobotKind& kind, const Frame* frames, const Implicit& x, Dense A) {
  const int n = kind.nv();
  for (int i = 0; i < n; ++i) A(i, i) += x.e[static_cast<std::size_t>(i)];
  std::vector<double> J(static_cast<std::size_t>(3 * n));
  auto column = [&](int c) {
    const auto u = static_cast<std::size_t>(c), N = static_cast<std::size_t>(n);
    return Vec3{J[u], J[N + u], J[2 * N + u]};
  };
  for (const Touch& t : x.touches) {
    point_jacobian(kind, frames, t.link, t.p_L, J.data());
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) A(r, c) += dot(column(r), t.W * column(c));
  }
  return A;
}

/// Jᵀ f of a force at a point.
void add_force(const RobotKind& kind, const Frame* frames, int link, Vec3 p_L, Vec3 f, std::vector<double>& y) {
  const auto N = static_cast<std::size_t>(kind.nv());
  std::vector<double> J(3 * N);
  point_jacobian(kind, frames, link, p_L, J.data());
  for (std::size_t c = 0; c < N; ++c) y[c] += dot(Vec3{J[c], J[N + c], J[2 * N + c]}, f);
}

/// The inward pass with implicit terms; the root's factor goes to `root`. Accelerations of links and joints.
template <class Frames>
void implicit_aba(const RobotKind& kind, const RandomState& s, const Implicit& x, Frames& frames, TreeScratch& t,
                  Factor6& root, double* a) {
  const CoordinatesT<double> c{base_orientation(s.q.data()), base_angular_velocity(s.v.data()), s.q.data() + 7,
                               s.v.data() + 6};
  compute_frames(kind, s.q.data(), s.v.data(), t.frames.data());
  if constexpr (requires { frames.compute(kind.links.data(), kind.nlink(), c); })
    frames.compute(kind.links.data(), kind.nlink(), c);
  auto force = [&](int i) {
    const auto u = static_cast<std::size_t>(5 + i);
    return JointForceT<double>{x.tau[u], x.e[u]};
  };
  auto touch = [&](int i, const Frame& f, Mat6& I, Vec6& b) {
    for (const Touch& p : x.touches) {
      if (p.link != i) continue;
      const Vec3 r = f.p + f.R * p.p_L;
      add_point(I, r, p.W);
      b = b - wrench_at(r, p.f - p.W * kGravity);  // the observer falls with gravity
    }
  };
  Mat6 I0;
  Vec6 b0;
  aba_inward(kind.links.data(), kind.nlink(), c, frames, force, touch, t.branch_I.data(), t.branch_b.data(),
             kind.branch_count, t.factors.data(), I0, b0);
  factorize(I0, root);
  const Vec6 acc0 = kind.root == RootKind::free ? solve(root, Vec6{-b0.a, -b0.l}) : Vec6{{0, 0, 0}, -kGravity};
  aba_outward(kind.links.data(), kind.nlink(), c, frames, t.factors.data(), acc0, t.acc.data(), a);
}

/// Velocity-product acceleration of a point, J̇ v: what it has when all generalised accelerations are zero.
Vec3 product_acceleration(const RobotKind& kind, TreeScratch& t, const RandomState& s, int link, Vec3 p_L) {
  const std::vector<double> none(static_cast<std::size_t>(kind.nv()), 0.0);
  std::vector<double> tau(none);
  inverse_dynamics(kind, s.q.data(), s.v.data(), none.data(), {0, 0, 0}, t,
                   tau.data());  // leaves the links' accelerations
  const Frame& f = t.frames[static_cast<std::size_t>(link)];
  return velocity_at(t.acc[static_cast<std::size_t>(link)], f.p + f.R * p_L);
}

TEST_P(Kernels, implicit_accelerations_solve_the_dense_equations) {
  // (M + diag(e) + Σ JᵀWJ) a = τ − bias + Σ Jᵀ (f − W (J̇v))   with spatial accelerations: J̇v has no w×u part, as in the
  // step
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    const Implicit x = random_implicit(kind, random);
    StoredFrames<double> frames(scratch.frames.data());
    Factor6 root;
    std::vector<double> a = vector();
    implicit_aba(kind, s, x, frames, scratch, root, a.data() + 6);
    const Vec6 acc0 = scratch.acc[0];
    const Vec3 lin = acc0.l + kGravity;
    const double top[6] = {acc0.a.x, acc0.a.y, acc0.a.z, lin.x, lin.y, lin.z};
    std::copy(top, top + 6, a.begin());
    std::vector<double> y = vector();
    inverse_dynamics(kind, s.q.data(), s.v.data(), vector().data(), kGravity, scratch, y.data());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = (i < 6 ? 0 : x.tau[i]) - y[i];
    for (const Touch& t : x.touches)
      add_force(kind, scratch.frames.data(), t.link, t.p_L,
                t.f - t.W * product_acceleration(kind, scratch, s, t.link, t.p_L), y);
    const Dense M = mass(s);
    compute_frames(kind, s.q.data(), s.v.data(), scratch.frames.data());
    ASSERT_LT(relative_error(a, solve_moving(implicit_matrix(kind, scratch.frames.data(), x, M), y)), 1e-9)
        << "state " << k;
  }
}

TEST_P(Kernels, impulse_response_is_the_dense_inverse_times_the_jacobian) {
  for (const bool implicit : {false, true}) {
    for (int k = 0; k < kStates; ++k) {
      const RandomState s = random_state(kind, random);
      Implicit x = random_implicit(kind, random);
      if (!implicit) {
        std::fill(x.e.begin(), x.e.end(), 0.0);
        x.touches.clear();
      }
      StoredFrames<double> frames(scratch.frames.data());
      Factor6 root;
      std::vector<double> a = vector(), dv = vector(), y = vector();
      implicit_aba(kind, s, x, frames, scratch, root, a.data() + 6);
      std::vector<Vec6> wrench(kind.links.size(), zero6<double>()), dV(kind.links.size());
      for (int hit = 0; hit < 2; ++hit) {
        const int link = random.below(kind.nlink());
        const Vec3 p_L = random.vector(0.2), f = random.vector(5);
        const Frame& F = scratch.frames[static_cast<std::size_t>(link)];
        wrench[static_cast<std::size_t>(link)] += wrench_at(F.p + F.R * p_L, f);
        add_force(kind, scratch.frames.data(), link, p_L, f, y);
      }
      impulse_response(kind.links.data(), kind.nlink(), scratch.frames.data(), scratch.factors.data(),
                       first == 0 ? &root : nullptr, wrench.data(), dV.data(), dv.data() + 6);
      const double top[6] = {dV[0].a.x, dV[0].a.y, dV[0].a.z, dV[0].l.x, dV[0].l.y, dV[0].l.z};
      std::copy(top, top + 6, dv.begin());
      const Dense M = mass(s);
      ASSERT_LT(relative_error(dv, solve_moving(implicit_matrix(kind, scratch.frames.data(), x, M), y)), 1e-9)
          << "state " << k;
      // and every link's twist is what its joints' changes make it
      for (int i = 1; i < kind.nlink(); ++i) {
        const auto u = static_cast<std::size_t>(i);
        const Vec6 want = dV[static_cast<std::size_t>(kind.links[u].parent)] + scratch.frames[u].S * dv[u + 5];
        ASSERT_LT(norm(want.a - dV[u].a) + norm(want.l - dV[u].l), 1e-12 * (1 + norm(want.a) + norm(want.l)));
      }
    }
  }
}

/// unit_responses walks only the paths to the root, two impulses at a time; the whole recursion must say the same, also
/// where one motor drives two limbs, so that an impulse on one moves the other.
TEST(UnitResponses, are_impulse_responses) {
  Random random{11};
  for (const RobotSpec& spec : {humanoid28(), random_tree(5), fixed_arm(), two_legs(1, false), two_legs(-0.7, true)}) {
    const auto kind = kind_of(spec);
    TreeScratch scratch(*kind);
    ResponseRoom room;
    room.resize(kind->links.size());
    for (int k = 0; k < 50; ++k) {
      const RandomState s = random_state(*kind, random);
      StoredFrames<double> frames(scratch.frames.data());
      Factor6 factor;
      std::vector<double> a(static_cast<std::size_t>(kind->nv()));
      implicit_aba(*kind, s, random_implicit(*kind, random), frames, scratch, factor, a.data());
      const Factor6* root = kind->root == RootKind::free ? &factor : nullptr;
      const int touched[3] = {kind->nlink() - 1, random.below(kind->nlink()), kind->nlink() / 2};
      Response out[9];
      unit_responses(kind->links.data(), scratch.frames.data(), scratch.factors.data(), root, touched, room, out);
      for (int j = 0; j < 3; ++j)
        for (int c = 0; c < 6; ++c) {
          std::vector<Vec6> wrench(kind->links.size(), zero6<double>()), dV(kind->links.size());
          Vec6& w = wrench[static_cast<std::size_t>(touched[j])];
          *std::array{&w.a.x, &w.a.y, &w.a.z, &w.l.x, &w.l.y, &w.l.z}[static_cast<std::size_t>(c)] = 1;
          impulse_response(kind->links.data(), kind->nlink(), scratch.frames.data(), scratch.factors.data(), root,
                           wrench.data(), dV.data(), a.data());
          for (int i = 0; i < 3; ++i) {
            const Vec6 got = out[i * 3 + j].column[c], want = dV[static_cast<std::size_t>(touched[i])];
            ASSERT_LT(norm(got.a - want.a) + norm(got.l - want.l), 1e-10 * (1 + norm(want.a) + norm(want.l)))
                << spec.name << " impulse " << c << " on link " << touched[j] << ", link " << touched[i];
          }
        }
    }
  }
}

TEST_P(Kernels, recomputed_frames_give_the_same_accelerations_as_stored_ones) {
  std::vector<Frame> branches(static_cast<std::size_t>(kind.branch_count));
  std::vector<double> sine(kind.links.size()), cosine(kind.links.size());
  TreeScratch other(kind);
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    const Implicit x = random_implicit(kind, random);
    StoredFrames<double> stored(scratch.frames.data());
    RecomputedFrames<double> recomputed(branches.data(), sine.data(), cosine.data());
    Factor6 root;
    std::vector<double> a = vector(), b = vector();
    implicit_aba(kind, s, x, stored, scratch, root, a.data() + 6);
    implicit_aba(kind, s, x, recomputed, other, root, b.data() + 6);
    ASSERT_LT(relative_error(b, a), 1e-9) << "state " << k;
    const Vec6 &A = scratch.acc[0], &B = other.acc[0];
    ASSERT_LT(norm(A.a - B.a) + norm(A.l - B.l), 1e-9 * (1 + norm(A.a) + norm(A.l))) << "state " << k;
  }
}

TEST_P(Kernels, momentum_is_the_sum_over_links_and_the_mass_matrix_times_v) {
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    compute_frames(kind, s.q.data(), s.v.data(), scratch.frames.data());
    const Vec3 v0 = base_velocity(s.v.data());
    const Vec6 got = momentum(kind.links.data(), kind.nlink(), scratch.frames.data(), v0);
    Vec3 P{0, 0, 0}, L{0, 0, 0};
    for (std::size_t i = 0; i < kind.links.size(); ++i) {
      const Link& l = kind.links[i];
      const Frame& f = scratch.frames[i];
      const Vec3 c = f.p + f.R * l.com, p = (v0 + velocity_at(f.V, c)) * l.mass;
      P += p;
      L += cross(c, p) + f.R * (l.J * transpose_times(f.R, f.V.a));
    }
    const double size = 1 + norm(P) + norm(L);
    ASSERT_LT(norm(got.l - P) + norm(got.a - L), 1e-11 * size) << "state " << k;
    const Dense M = mass(s);  // its first six rows are the momentum per velocity
    double row[6] = {0, 0, 0, 0, 0, 0};
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < n; ++c) row[r] += M(r, c) * s.v[static_cast<std::size_t>(c)];
    ASSERT_LT(norm(Vec3{row[0], row[1], row[2]} - L) + norm(Vec3{row[3], row[4], row[5]} - P), 1e-10 * size)
        << "state " << k;
  }
}

TEST_P(Kernels, root_rows_are_the_first_six_rows_of_inverse_dynamics) {
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    std::vector<double> a = random_vector(20), tau = vector();
    inverse_dynamics(kind, s.q.data(), s.v.data(), a.data(), {0, 0, 0}, scratch, tau.data());
    const CoordinatesT<double> c{base_orientation(s.q.data()), base_angular_velocity(s.v.data()), s.q.data() + 7,
                                 s.v.data() + 6};
    Mat6 M;
    Vec6 bias;
    root_rows(kind.links.data(), kind.nlink(), c, scratch.frames.data(), a.data() + 6, M, bias, scratch.acc.data());
    const Vec6 f = M * Vec6{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}} + bias;
    const double got[6] = {f.a.x, f.a.y, f.a.z, f.l.x, f.l.y, f.l.z};
    ASSERT_LT(relative_error(got, tau.data(), 6), 1e-10) << "state " << k;
  }
}

}  // namespace
}  // namespace gradus::test
