/// Flexible links: what cutting keeps, how a cantilever sags and swings, and that its energy only falls.
#include <gtest/gtest.h>

#include <cmath>

#include "support/order.h"
#include "support/robots.h"
#include "tree/kernels.h"
#include "tree/pairs.h"

namespace gradus::test {
namespace {

/// A bar of length 1 m along x, bolted to the world at x = 0.
RobotSpec cantilever(int cuts, double stiffness, double damping = 0, bool twists = false) {
  RobotBuilder b("cantilever");
  b.fixed()
      .base("wall")
      .translation("bar", {0, 0, 0})
      .solid_box(2, {1, 0.02, 0.02}, {0.5, 0, 0})
      .endpoint("tip_holder");
  b.translation("tip", {1, 0, 0});
  RobotSpec spec = b.spec();
  for (ObjectSpec& o : spec.objects) {
    if (o.name == "bar") o.flex = FlexSpec{cuts, stiffness, damping, twists, {0, 0, 0}};
    if (o.name == "tip_holder") o.kind = ObjectKind::fork;
  }
  return spec;
}

/// Height of the bar's end.
double tip(const World& w) { return w.X_WO(0, w.model().robots[0].kind->find_object("tip")).p.z; }

TEST(Flex, straight_pieces_have_the_mass_and_inertia_of_the_whole) {
  RobotBuilder b("body");
  b.base("body").mass(1.3, {0.01, -0.02, -0.05}, {3e-3, 1e-4, -2e-4, 2.8e-3, 3e-4, 7e-4});
  for (const int cuts : {1, 2, 5}) {
    RobotSpec spec = b.spec();
    const auto whole = kind_of(spec);
    spec.objects[0].flex = FlexSpec{cuts, 100, 0, true, {0.1, 0.2, 1}};
    const auto cut = kind_of(spec);
    ASSERT_EQ(cut->njoint(), 3 * cuts);
    auto body_of = [](const RobotKind& kind, double& mass, Vec3& com, Sym3& J) {
      std::vector<double> q(static_cast<std::size_t>(kind.nq()), 0.0), v(static_cast<std::size_t>(kind.nv()), 0.0);
      q[3] = 1;
      std::vector<Frame> frames(kind.links.size());
      compute_frames(kind, q.data(), v.data(), frames.data());
      common_body(kind, frames.data(), mass, com, J);
    };
    double m1, m2;
    Vec3 c1, c2;
    Sym3 J1, J2;
    body_of(*whole, m1, c1, J1);
    body_of(*cut, m2, c2, J2);
    EXPECT_NEAR(m1, m2, 1e-12);
    EXPECT_LT(norm(c1 - c2), 1e-12);
    for (const double d : {J1.xx - J2.xx, J1.xy - J2.xy, J1.xz - J2.xz, J1.yy - J2.yy, J1.yz - J2.yz, J1.zz - J2.zz})
      EXPECT_NEAR(d, 0, 1e-12);
  }
}

TEST(Flex, cantilever_sags_under_its_weight_as_the_sum_over_its_cuts) {
  // moment at a cut s from the wall: w (1 − s)²/2 of the weight w per length; it turns all beyond: tip −Σ M/k (1 − s).
  // Many cuts with k = EI N come near the beam's w/(8 EI).
  for (const int cuts : {1, 3, 19}) {
    const double EI = 2e4, k = EI * (cuts + 1), w = 2 * 9.81;
    SceneSpec s = scene(0.005);
    add(s, cantilever(cuts, k, 0.02 * k), "articulated");
    const auto world = make_world(s);
    run(*world, 4);
    double due = 0;
    for (int c = 1; c <= cuts; ++c) {
      const double at = static_cast<double>(c) / (cuts + 1);
      due -= w * (1 - at) * (1 - at) / 2 / k * (1 - at);
    }
    EXPECT_LT(fastest(*world), 1e-8);
    EXPECT_NEAR(tip(*world), due, 1e-6 * std::fabs(due)) << cuts;
    if (cuts == 19) {
      EXPECT_NEAR(tip(*world), -w / (8 * EI), 0.11 * w / (8 * EI));  // a sum of 19 terms without the clamp's half
    }
  }
}

TEST(Flex, one_cut_swings_with_the_frequency_of_spring_and_half_bar) {
  // J ω² = k, J = (m/2)(L/2)²/3 + (m/2)·thickness²/12 about either axis across, (m/2)·thickness²/6 along it
  const double m = 1, across = m * (0.5 * 0.5 + 0.02 * 0.02) / 12 + m * 0.25 * 0.25, along = m * 0.02 * 0.02 / 6;
  for (const int axis : {0, 1, 2}) {
    const double k = axis < 2 ? 500 : 5, omega = std::sqrt(k / (axis < 2 ? across : along));
    SceneSpec s = scene(1e-5);
    s.gravity = {0, 0, 0};
    add(s, cantilever(1, k, 0, true), "articulated");
    const auto world = make_world(s);
    std::vector<double> v(world->v(0).begin(), world->v(0).end());
    v[static_cast<std::size_t>(6 + axis)] = 0.01;
    world->set_v(0, v);
    double last = -1, period = 0;
    int crossings = 0;
    while (crossings < 6) {
      const double before = world->q(0)[static_cast<std::size_t>(7 + axis)];
      world->step();
      const double now = world->q(0)[static_cast<std::size_t>(7 + axis)];
      if (before < 0 && now >= 0) {
        if (crossings++ > 0)
          period = (world->time() - last) / (crossings - 1);
        else
          last = world->time();
      }
    }
    EXPECT_NEAR(2 * M_PI / period, omega, 1e-3 * omega) << axis;
  }
}

TEST(Flex, energy_never_grows_and_without_damping_is_lost_in_first_order) {
  const double k = 500;
  auto lost = [&](double h) {
    SceneSpec s = scene(h);
    s.gravity = {0, 0, 0};
    add(s, cantilever(3, k, 0, true), "articulated");
    const auto world = make_world(s);
    auto energy = [&] {
      double sum = world->energy(0);
      for (const double q : world->q(0).subspan(7)) sum += 0.5 * k * q * q;
      return sum;
    };
    std::vector<double> v(world->v(0).begin(), world->v(0).end());
    for (std::size_t i = 6; i < v.size(); ++i) v[i] = 0.02 * (i % 2 ? 1 : -0.5);
    world->set_v(0, v);
    const double at_start = energy();
    double before = at_start;
    while (world->time() < 0.1 - h / 2) {
      world->step();
      EXPECT_LE(energy(), before * (1 + 1e-9));
      before = energy();
    }
    return (at_start - before) / at_start;
  };
  expect_order(lost, 2e-5, 1, 0.2);
}

TEST(Flex, is_stable_at_5_ms_for_any_stiffness) {
  for (const double k : {100.0, 1e3, 1e6, 1e9})
    for (const int cuts : {1, 4}) {
      SceneSpec s = scene(0.005);
      add(s, cantilever(cuts, k, 0.01 * k, cuts > 1), "articulated");  // about two axes, about three
      const auto world = make_world(s);
      if (cuts > 1) {  // every bend and twist is hit as well
        std::vector<double> v(world->v(0).begin(), world->v(0).end());
        for (std::size_t i = 6; i < v.size(); ++i) v[i] = i % 2 ? 0.5 : -0.5;
        world->set_v(0, v);
      }
      double most = 0;
      for (int i = 0; i < 2000; ++i) {
        world->step();
        most = std::max(most, fastest(*world));
      }
      EXPECT_LT(most, 5) << k;
      EXPECT_LT(fastest(*world), 1e-3) << k << " " << cuts;
    }
}

}  // namespace
}  // namespace gradus::test
