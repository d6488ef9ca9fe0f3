/// Bodies at rest sleep [engine/sleepers.h]: they cost nothing, wake when something comes near or people touch them, and
/// then behave as if they had never slept.
#include <gtest/gtest.h>

#include "batch/worlds.h"
#include "support/robots.h"
#include "world/world.h"

namespace gradus::test {
namespace {

constexpr double kEdge = 0.1;

/// Stacks of three boxes in a row, half a metre apart, and a ball two metres before the first.
SceneSpec stacks(int count, double sleep_speed = 1e-4) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  s.contact.sleep_speed = sleep_speed;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k)
      add(s, solid_box(0.5, {kEdge, kEdge, kEdge}), "free_body", {0.5 * i, 0, kEdge * (k + 0.5)});
  add(s, solid_ball(0.3, 0.05), "free_body", {-2, 0, 0.05});
  return s;
}



/// Rolls the ball towards the stacks.
void roll(World& w, double speed) {
  const double v[6] = {0, speed / 0.05, 0, speed, 0, 0};
  ASSERT_TRUE(w.set_v(w.robot_count() - 1, v));
}

TEST(Sleep, all_sleep_at_rest_and_nothing_moves_any_more) {
  const auto w = make_world(stacks(4));
  run(*w, 0.4);
  EXPECT_EQ(w->engine().awake().size(), 13u) << "sleep_after is half a second";
  run(*w, 0.6);
  ASSERT_EQ(w->engine().awake().size(), 0u);
  EXPECT_TRUE(w->engine().moving_contacts().live_contacts().empty());
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(w->contact_force(3 * i, 0), 1.5 * 9.81, 1e-3) << "what carries a stack is still to be seen";
  const std::vector<double> before = w->state().slab;
  run(*w, 1);
  EXPECT_EQ(w->state().slab, before) << "to the bit";
  for (int r = 0; r < w->robot_count(); ++r)
    for (const double x : w->v(r)) EXPECT_EQ(x, 0);
}

TEST(Sleep, a_stack_that_is_hit_wakes_as_a_whole_and_others_sleep_on) {
  const auto w = make_world(stacks(4));
  run(*w, 1);
  roll(*w, 4);
  ASSERT_EQ(w->engine().awake().size(), 1u);
  while (w->engine().awake().size() == 1 && w->time() < 2) w->step();
  const std::span<const int> awake = w->engine().awake();
  EXPECT_EQ(std::vector<int>(awake.begin(), awake.end()), (std::vector<int>{0, 1, 2, 12}));
  EXPECT_LT(w->q(12)[0], -0.5 * kEdge - 0.05 + 1e-3) << "before it went in";
}

/// The discrete law has no memory of how long a body has lain there, but for the impulses of the step before.
TEST(Sleep, a_blow_has_the_effect_that_it_has_on_bodies_that_never_sleep) {
  const auto slept = make_world(stacks(1)), never = make_world(stacks(1, 0));
  for (World* w : {slept.get(), never.get()}) {
    run(*w, 1);
    roll(*w, 4);
  }
  ASSERT_EQ(slept->engine().awake().size(), 1u);
  ASSERT_EQ(never->engine().awake().size(), 4u);
  for (World* w : {slept.get(), never.get()}) run(*w, 0.5);
  for (int r = 0; r < 4; ++r)
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(slept->q(r)[static_cast<std::size_t>(i)], never->q(r)[static_cast<std::size_t>(i)], 1e-4) << r;
}

TEST(Sleep, whatever_people_do_to_a_body_wakes_it_and_its_stack) {
  const auto w = make_world(stacks(2));
  const auto sleep_again = [&] {
    run(*w, 1.5);
    ASSERT_EQ(w->engine().awake().size(), 0u) << w->time();
  };
  sleep_again();
  ASSERT_TRUE(w->add_impulse({0, 0, {0, 0, 0}, {0.01, 0, 0}}));
  EXPECT_EQ(w->engine().awake().size(), 3u);
  w->step();
  EXPECT_GT(w->v(0)[3] + w->v(1)[3] + w->v(2)[3], 0) << "the blow arrives";
  sleep_again();
  w->set_push(1, 0, {0, 0, -1}, {0, 0, 0});
  EXPECT_EQ(w->engine().awake().size(), 3u);
  run(*w, 1);
  EXPECT_EQ(w->engine().awake().size(), 3u) << "as long as it is pushed";
  w->set_push(1, -1, {0, 0, 0}, {0, 0, 0});
  sleep_again();
  std::vector<double> q(w->q(2).begin(), w->q(2).end());
  q[2] += 0.5;
  ASSERT_TRUE(w->set_q(2, q));
  EXPECT_EQ(w->engine().awake().size(), 3u);
  sleep_again();
  EXPECT_NEAR(w->q(2)[2], 2.5 * kEdge, 1e-3) << "fell back";
  ASSERT_EQ(w->set_parameter("world.gravity", 1.62), "");
  EXPECT_EQ(w->engine().awake().size(), 7u) << "the world has changed for all";
  sleep_again();
  ASSERT_TRUE(w->set_motion(4, "single_body").empty());
  EXPECT_EQ(w->engine().awake().size(), 3u);
  run(*w, 1);
  EXPECT_EQ(w->engine().awake().size(), 3u) << "only free bodies sleep";
}

TEST(Sleep, who_has_no_contact_does_not_sleep_however_slow) {
  SceneSpec s = stacks(1);
  s.gravity = {0, 0, 0};
  const auto w = make_world(s);
  const double v[6] = {0, 0, 0, 5e-5, 0, 0};
  std::vector<double> q(w->q(3).begin(), w->q(3).end());
  q[2] = 1;
  ASSERT_TRUE(w->set_q(3, q) && w->set_v(3, v));
  run(*w, 2);
  EXPECT_NEAR(w->q(3)[0], -2 + 1e-4, 1e-12);
}

/// While nothing is awake, while a ball comes, hits, and all settles again.
TEST(Sleep, fresh_engines_snapshots_threads_and_batches_have_the_same_bits) {
  World::Options fresh, poisoned;
  fresh.fresh_engine = fresh.poison = true, fresh.threads = 2;
  poisoned.poison = true, poisoned.threads = 4;
  const SceneSpec s = stacks(3);
  const auto leader = make_world(s), other = make_world(s, fresh), third = make_world(s, poisoned), jumper = make_world(s);
  auto batch = Worlds::make(*compile(s), 3, {2, false, {}});
  ASSERT_TRUE(batch);
  const auto all = [&](auto&& work) {
    for (World* w : {leader.get(), other.get(), third.get()}) work(*w);
  };
  for (int k = 0; k < 2400; ++k) {
    if (k == 900) {
      ASSERT_EQ(leader->engine().awake().size(), 0u);
      all([](World& w) { w.add_impulse({9, 0, {0, 0, 0}, {1.2, 0, 0}}); });
      for (int i = 0; i < 3; ++i) (*batch)->add_impulse(i, {9, 0, {0, 0, 0}, {1.2, 0, 0}});
    }
    if (k % 7 == 0) {
      ASSERT_TRUE(jumper->restore(leader->snapshot()));
    }
    all([](World& w) { w.step(); });
    (*batch)->step();
    ASSERT_EQ(other->hash(), leader->hash()) << "fresh, step " << k;
    ASSERT_EQ(third->hash(), leader->hash()) << "threads, step " << k;
    for (int i = 0; i < 3; ++i) ASSERT_EQ((*batch)->hash(i), leader->hash()) << "batch, step " << k;
    if (k % 7 == 0) {
      jumper->step();
      ASSERT_EQ(jumper->hash(), leader->hash()) << "another world, step " << k;
    }
  }
  EXPECT_EQ(leader->engine().awake().size(), 4u) << "the stack that was hit, and the ball that rolls on";
}

/// A snapshot may hold anything: robots that may not sleep are awake whatever it says.
TEST(Sleep, a_snapshot_cannot_put_others_to_sleep) {
  SceneSpec s = stacks(1);
  add(s, solid_box(1, {0.2, 0.2, 0.2}), "single_body", {3, 0, 1});
  const auto w = make_world(s);
  Snapshot x = w->snapshot();
  x.state.back() = -1;  // the last robot's number of the section
  ASSERT_TRUE(w->restore(x));
  run(*w, 0.2);
  EXPECT_LT(w->q(4)[2], 0.9) << "it falls";
}

}  // namespace
}  // namespace gradus::test
