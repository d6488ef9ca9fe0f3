// Batch of the public interface: bits, independence of neighbours, columns, resets, delays, parameters, refusals.
#include "gradus/batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "gradus/build.h"

namespace gradus::test {
namespace {

using Mask = std::vector<std::uint8_t>;

Batch::Options options_of(int worlds, const std::string& backend, std::vector<std::string> observe = {}) {
  Batch::Options o;
  o.worlds = worlds;
  o.backend = backend;
  o.single = false;
  o.observe = std::move(observe);
  return o;
}

/// A cart on a rail with a pole, above no ground: small, smooth, and every number can be followed.
SceneDraft cart() {
  RobotDraft r("cart");
  r.fixed().base("rail").prismatic("slide", {1, 0, 0}).servo(50, 5, 100).solid_box(1, {0.2, 0.1, 0.1});
  r.revolute("pole", {0, 1, 0}).servo(0, 0.01, 1).solid_box(0.1, {0.02, 0.02, 1}, {0, 0, 0.5});
  SceneDraft s(0.001);
  s.add("r", r, {0, 0, 1});
  return s;
}

/// Reproducible numbers in [−1, 1].
double number(int world, int call, int i) {
  const unsigned x = static_cast<unsigned>(world) * 2654435761u + static_cast<unsigned>(call) * 40503u +
                     static_cast<unsigned>(i) * 9176u;
  return ((x * 1664525u + 1013904223u) >> 8) * (1.0 / 8388608.0) - 1;
}

template <class T>
void fill(Batch& b, int call, double size, int first_world = 0) {
  const std::span<T> a = b.actions<T>();
  const int n = b.action_size();
  for (int w = 0; w < b.worlds(); ++w)
    for (int i = 0; i < n; ++i)
      a[static_cast<std::size_t>(w * n + i)] =
          static_cast<T>(b.action_start()[static_cast<std::size_t>(i)] + size * number(first_world + w, call, i));
}

class BatchScenes : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scenes, BatchScenes,
                         testing::Values("bench_standing", "levels", "nao", "terrain", "mirosot_3v3", "pile"));

/// That each has the bits of World is tested for every shipped scene in tests/golden/engine_test.cpp.
TEST_P(BatchScenes, a_world_has_the_same_bits_alone_and_among_others) {
  Batch::Options o = options_of(3, "worlds");
  o.threads = 2;
  const char* scene = GetParam();
  auto batch = Batch::load(scene, o);
  auto alone = Batch::load(scene, options_of(1, "worlds"));
  for (int call = 0; call < 5; ++call) {
    fill<double>(batch, call, 0.1);
    const auto a = batch.actions<double>();
    const int n = batch.action_size();
    std::copy_n(a.begin() + 2 * n, n, alone.actions<double>().begin());
    batch.act(4);
    alone.act(4);
    ASSERT_EQ(batch.hash(2), alone.hash(0)) << "call " << call;
    if (n > 0) {
      ASSERT_NE(batch.hash(1), alone.hash(0));
    }
  }
}

TEST(Batch, worlds_have_the_bits_of_simulation) {
  auto sim = Simulation::build(cart());
  auto batch = Batch::build(cart(), options_of(2, "worlds"));
  for (int call = 0; call < 20; ++call) {
    fill<double>(batch, call, 0.3);
    std::copy_n(batch.actions<double>().begin(), 2, sim.targets(0).begin());
    batch.act(7);
    sim.step(7);
    ASSERT_EQ(batch.hash(0), sim.hash()) << "call " << call;
  }
  EXPECT_EQ(batch.ages()[1], 140);
}

const std::vector<std::string> kQuadruped = {"quadruped.gravity",
                                             "quadruped.velocity",
                                             "quadruped.spin",
                                             "quadruped.z",
                                             "quadruped.yaw",
                                             "quadruped.joint_q",
                                             "quadruped.joint_v",
                                             "quadruped.joint_tau",
                                             "quadruped.joint_target",
                                             "quadruped.*_foot.fn",
                                             "quadruped.*_foot.fn.most",
                                             "quadruped.*_foot.fn.air",
                                             "time"};
const std::string kRobot = std::string(GRADUS_SOURCE_DIR) + "/robots/quadruped.urdf";

TEST(Batch, one_world_of_lanes_gives_the_same_bits_for_any_number_of_worlds_and_threads) {
  for (const bool single : {true, false}) {
    Batch::Options o = options_of(41, "lanes", kQuadruped);
    o.single = single;
    o.threads = 3;
    auto many = Batch::load(kRobot, o);
    o.worlds = o.threads = 1;
    auto one = Batch::load(kRobot, o);
    for (int call = 0; call < 30; ++call) {
      single ? fill<float>(many, call, 0.5) : fill<double>(many, call, 0.5);
      single ? fill<float>(one, call, 0.5, 29) : fill<double>(one, call, 0.5, 29);
      many.act(20), one.act(20);
      ASSERT_EQ(many.hash(29), one.hash(0)) << call;
    }
    const auto n = static_cast<std::size_t>(many.observation_size());
    for (std::size_t i = 0; i < n; ++i) {
      if (single) {
        ASSERT_EQ(many.observations<float>()[29 * n + i], one.observations<float>()[i]) << i;
      } else {
        ASSERT_EQ(many.observations<double>()[29 * n + i], one.observations<double>()[i]) << i;
      }
    }
  }
}

/// In double, lanes have World's bits until a step is solved exactly there; standing still none is.
TEST(Batch, lanes_and_worlds_observe_the_same_numbers) {
  auto lanes = Batch::load(kRobot, options_of(3, "lanes", kQuadruped));
  auto worlds = Batch::load(kRobot, options_of(3, "worlds", kQuadruped));
  ASSERT_EQ(lanes.observation_size(), worlds.observation_size());
  for (int call = 0; call < 5; ++call) {
    fill<double>(lanes, call, 0.002), fill<double>(worlds, call, 0.002);
    lanes.act(2), worlds.act(2);
    for (std::size_t i = 0; i < lanes.observations<double>().size(); ++i)
      ASSERT_NEAR(lanes.observations<double>()[i], worlds.observations<double>()[i], 1e-11)
          << "column " << i % static_cast<std::size_t>(lanes.observation_size());
  }
}

TEST(Batch, columns_are_those_of_the_properties) {
  auto batch = Batch::build(cart(), options_of(1, "worlds", {"r.slide.q", "r.joint_v", "time", "r.gravity"}));
  auto sim = Simulation::build(cart());
  fill<double>(batch, 1, 0.3);
  std::copy_n(batch.actions<double>().begin(), 2, sim.targets(0).begin());
  batch.act(30), sim.step(30);
  const auto x = batch.observations<double>();
  EXPECT_EQ(x[0], sim.get("r.slide.q"));
  EXPECT_EQ(x[1], sim.get("r.slide.v"));
  EXPECT_EQ(x[2], sim.get("r.pole.v"));
  EXPECT_EQ(x[3], sim.get("time"));
  EXPECT_EQ(x[6], -1);
  const auto& named = batch.observation_columns();
  ASSERT_EQ(named.size(), 4u);
  EXPECT_EQ(named[1].begin, 1);
  EXPECT_EQ(named[1].paths, (std::vector<std::string>{"r.slide.v", "r.pole.v"}));
}

TEST(Batch, auto_takes_lanes_where_they_can_do_all_and_says_why_not) {
  EXPECT_EQ(Batch::build(cart(), options_of(4, "auto", {"r.joint_q"})).backend(), "lanes");
  const auto other = Batch::build(cart(), options_of(4, "auto", {"r.energy"}));
  EXPECT_EQ(other.backend(), "worlds");
  EXPECT_NE(other.why().find("observing 'r.energy'"), std::string::npos) << other.why();
}

std::string refusal(const auto& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Batch, lanes_refuse_with_a_list_of_all_they_cannot_do) {
  const std::string text = refusal([] { Batch::load("mirosot_3v3", options_of(2, "lanes", {"ball.energy"})); });
  for (const char* part : {"motion planar_wheels", "more than one robot", "observing 'ball.energy'"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Batch, unknown_names_are_errors_with_what_is_near) {
  const std::string text = refusal([] {
    Batch::Options o = options_of(2, "auto", {"r.slide.g", "r.joint_w"});
    o.act = {"r.slde.target"};
    Batch::build(cart(), o);
  });
  for (const char* part : {"'r.slide.g'", "'r.joint_w'", "'r.slde.target'", "did you mean 'r.slide.target'?"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(refusal([] { Batch::build(cart(), options_of(0, "auto")); }), "");
  EXPECT_NE(refusal([] { Batch::build(cart(), options_of(2, "gpu")); }), "");
  EXPECT_NE(refusal([] { Batch::build(cart(), options_of(2, "worlds", {"energy_error"})); }), "");
}

TEST(Batch, an_action_that_is_not_finite_is_refused_and_nothing_happens) {
  for (const char* backend : {"worlds", "lanes"}) {
    auto batch = Batch::build(cart(), options_of(3, backend));
    const std::uint64_t before = batch.hash();
    batch.actions<double>()[3] = std::numeric_limits<double>::quiet_NaN();
    const std::string text = refusal([&] { batch.act(1); });
    EXPECT_NE(text.find("world 1"), std::string::npos) << text;
    EXPECT_EQ(batch.hash(), before);
    EXPECT_NE(refusal([&] { batch.act(std::span<const double>(batch.actions<double>()).first(4), 1); }), "");
    EXPECT_NE(refusal([&] { batch.actions<float>(); }), "");
  }
}

TEST(Batch, reset_by_mask_leaves_the_others_alone_and_random_starts_depend_on_seed_world_and_episode) {
  for (const char* backend : {"worlds", "lanes"}) {
    auto many = Batch::build(cart(), options_of(20, backend, {"r.joint_q"})),
         few = Batch::build(cart(), options_of(7, backend, {"r.joint_q"}));
    const std::vector<double> positions{0, 0, 0, 0, 0, 0, 0.5, 0.1}, velocities{0, 0, 0, 0, 0, 0, 0.2, 0.2};
    for (Batch* b : {&many, &few})
      b->set_start_noise(positions, velocities), b->reset(Mask(static_cast<std::size_t>(b->worlds()), 1));
    for (int w = 0; w < 7; ++w) EXPECT_EQ(many.hash(w), few.hash(w)) << backend;
    for (int i = 0; i < 14; ++i)
      EXPECT_LE(std::abs(few.observations<double>()[static_cast<std::size_t>(i)]), i % 2 ? 0.1 : 0.5);
    EXPECT_NE(many.hash(0), many.hash(1));
    many.act(10);
    const std::uint64_t third = many.hash(3), fourth = many.hash(4);
    Mask mask(20, 0);
    mask[4] = 1;
    many.reset(mask);
    EXPECT_EQ(many.hash(3), third);
    EXPECT_NE(many.hash(4), fourth);
    EXPECT_EQ(many.ages()[4], 0);
    EXPECT_EQ(many.ages()[3], 10);
    EXPECT_EQ(many.episodes()[4], 2);
    Mask fifth(7, 0);
    fifth[4] = 1;
    few.reset(fifth);  // also its second episode, without the steps between
    EXPECT_EQ(many.hash(4), few.hash(4));
  }
}

TEST(Batch, given_states_are_taken_and_read_back) {
  for (const char* backend : {"worlds", "lanes"}) {
    auto b = Batch::build(cart(), options_of(2, backend, {"r.joint_q"}));
    std::vector<double> q(2 * 9), v(2 * 8), q2(2 * 9), v2(2 * 8);
    b.states(q, v);
    q[9 + 7] = 0.25, v[8 + 7] = -1;
    b.reset(Mask{0, 1}, q, v);
    b.states(q2, v2);
    EXPECT_EQ(q, q2);
    EXPECT_EQ(v, v2);
    EXPECT_EQ(b.observations<double>()[2], 0.25);
    q[9] = std::nan("");
    EXPECT_NE(refusal([&] { b.reset(Mask{1, 1}, q, v); }), "");
    EXPECT_NE(refusal([&] { b.reset(Mask{1}); }), "");
  }
}

/// Targets after d of n steps: as d steps with the old and n − d with the new ones.
TEST(Batch, delays_hold_the_old_targets_for_their_steps) {
  for (const char* backend : {"worlds", "lanes"}) {
    auto late = Batch::build(cart(), options_of(3, backend)), prompt = Batch::build(cart(), options_of(3, backend));
    late.set_delays(std::vector<int>{0, 3, 9});
    for (Batch* b : {&late, &prompt}) fill<double>(*b, 0, 0.3), b->act(10);
    EXPECT_EQ(late.hash(0), prompt.hash(0));
    EXPECT_NE(late.hash(1), prompt.hash(1));
    auto by_hand = Batch::build(cart(), options_of(3, backend));
    by_hand.act(3);
    fill<double>(by_hand, 0, 0.3);
    by_hand.act(7);
    EXPECT_EQ(late.hash(1), by_hand.hash(1)) << backend;
    EXPECT_NE(refusal([&] { late.act(9); }), "");
  }
}

TEST(Batch, a_world_with_parameters_of_its_own_moves_as_a_simulation_that_was_set_so) {
  Batch::Options o = options_of(3, "worlds");
  o.parameters = {"r.kp_factor", "world.gravity"};
  auto batch = Batch::build(cart(), o);
  batch.set_parameters(Mask{0, 1, 1}, std::vector<double>{1, 9.81, 0.5, 9.81, 1, 3.7});
  auto sim = Simulation::build(cart());
  sim.set("r.kp_factor", 0.5);
  sim.set("world.gravity", 9.81);
  fill<double>(batch, 0, 0.3);
  std::copy_n(batch.actions<double>().begin() + 2, 2, sim.targets(0).begin());
  batch.act(50), sim.step(50);
  std::vector<double> q(27), v(24);
  batch.states(q, v);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(q[9 + i], sim.q(0)[i]);
  EXPECT_NE(refusal([&] { batch.set_parameters(Mask{1, 1, 1}, std::vector<double>(6, -1)); }), "");
}

TEST(Batch, worlds_in_lanes_have_parameters_of_their_own_and_move_as_worlds_do) {
  Batch::Options o = options_of(20, "lanes");
  o.parameters = {"r.mass_factor", "world.gravity"};
  auto lanes = Batch::build(cart(), o);
  o.backend = "worlds";
  auto worlds = Batch::build(cart(), o);
  std::vector<double> values;
  for (int w = 0; w < 20; ++w) values.insert(values.end(), {1 + 0.1 * w, 9.81 - 0.2 * (w % 7)});
  for (Batch* b : {&lanes, &worlds}) b->set_parameters(Mask(20, 1), values), fill<double>(*b, 0, 0.3), b->act(40);
  std::vector<double> q(180), v(160), q2(180), v2(160);
  lanes.states(q, v), worlds.states(q2, v2);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(q[i], q2[i]) << i;
  EXPECT_NE(q[9 + 8], q[18 + 8]);
}

TEST(Batch, a_saved_world_goes_on_in_another_place) {
  for (const char* backend : {"worlds", "lanes"}) {
    auto a = Batch::build(cart(), options_of(5, backend)), b = Batch::build(cart(), options_of(2, backend));
    fill<double>(a, 0, 0.3), a.act(20);
    b.restore(1, a.save(3));
    std::copy_n(a.actions<double>().begin() + 6, 2, b.actions<double>().begin() + 2);
    a.act(20), b.act(20);
    EXPECT_EQ(a.hash(3), b.hash(1));
    EXPECT_EQ(b.ages()[1], 40);
    EXPECT_NE(refusal([&] { b.restore(0, std::vector<double>(3)); }), "");
  }
}

TEST(Batch, pushes_are_those_of_simulation_and_lanes_refuse_them) {
  auto batch = Batch::load("bench_standing", options_of(2, "worlds"));
  auto sim = Simulation::load("bench_standing");
  const std::string body = sim.bodies(0)[0], robot = sim.robot_name(0);
  const std::array<double, 3> force{30, 0, 0}, point{0, 0, 0.1};
  batch.push(Mask{0, 1}, robot + "." + body, std::vector<double>{0, 0, 0, 30, 0, 0}, point);
  sim.push(0, body, force, point);
  batch.act(50), sim.step(50);
  EXPECT_EQ(batch.hash(1), sim.hash());
  EXPECT_NE(batch.hash(0), sim.hash());
  auto lanes = Batch::build(cart(), options_of(2, "lanes"));
  EXPECT_NE(refusal([&] { lanes.push(Mask{1, 1}, "r.slide", std::vector<double>(6, 1.0), point); }), "");
}

TEST(Batch, a_world_that_is_not_finite_is_told_and_can_be_reset) {
  for (const char* backend : {"worlds", "lanes"}) {
    auto b = Batch::build(cart(), options_of(3, backend));
    std::vector<double> q(27), v(24);
    b.states(q, v);
    v[8 + 7] = 1e200;
    b.reset(Mask{0, 1, 0}, q, v);
    b.act(20);
    EXPECT_TRUE(b.finite()[0] && !b.finite()[1] && b.finite()[2]) << backend;
    b.reset(Mask{0, 1, 0});
    b.act(1);
    EXPECT_TRUE(b.finite()[1]);
  }
}

}  // namespace
}  // namespace gradus::test
