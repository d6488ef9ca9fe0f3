/// Defects that people found, each as they would see it.
#include <gtest/gtest.h>

#include <cmath>

#include "load/scene_toml.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

/// The park has no ground plane. With one far below nothing may change.
TEST(Terrain, a_robot_that_leaves_it_keeps_no_force_of_the_step_before) {
  double z[2];
  for (const bool plane : {false, true}) {
    auto scene = load_scene(GRADUS_SOURCE_DIR "/scenes/terrain.toml");
    ASSERT_TRUE(scene);
    if (plane) {
      FieldObjectSpec floor;
      floor.name = "floor";
      floor.shape.kind = ShapeKind::plane;
      floor.X_WO.p = {0, 0, -100};
      scene->field.push_back(floor);
    }
    const auto world = make_world(*scene);
    const int guard = world->model().find_robot("guard");
    ASSERT_GE(guard, 0);
    ASSERT_TRUE(world->add_impulse({guard, 0, {0, 0, 0}, {0, 0, 10}}));
    run(*world, 0.2);
    z[plane] = world->q(guard)[2];
  }
  EXPECT_NEAR(z[0], z[1], 1e-9);
}

TEST(NotFinite, one_robot_is_reported_and_the_others_go_on_as_if_it_were_not_there) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  for (int i = 0; i < 4; ++i) add(s, solid_box(1, {0.2, 0.2, 0.2}), "free_body", {0.05 * i, 0, 0.12 + 0.25 * i});
  const auto with = make_world(s), without = make_world(s);
  Snapshot broken = with->snapshot(), away = without->snapshot();
  const int at = with->engine().at(1).q;
  broken.state[static_cast<std::size_t>(at)] = std::nan("");
  away.state[static_cast<std::size_t>(at)] = 1e6;
  ASSERT_TRUE(with->restore(broken));
  ASSERT_TRUE(without->restore(away));
  with->step();
  EXPECT_EQ(with->report().not_finite, 1);
  without->step();
  for (int i = 0; i < 500; ++i) with->step(), without->step();
  for (const int r : {0, 2, 3})
    for (int k = 0; k < 7; ++k)
      EXPECT_EQ(with->q(r)[static_cast<std::size_t>(k)], without->q(r)[static_cast<std::size_t>(k)]) << r << " " << k;
  EXPECT_GT(with->q(3)[2], 0.25) << "lies on the others";
}

TEST(Setting, a_state_of_the_wrong_length_or_not_finite_is_refused) {
  SceneSpec s = scene(0.001);
  add(s, humanoid28(), "articulated", {0, 0, 1});
  const auto world = make_world(s);
  const std::uint64_t before = world->hash();
  std::vector<double> q(world->q(0).begin(), world->q(0).end()), v(world->v(0).begin(), world->v(0).end());
  EXPECT_FALSE(world->set_q(0, std::span(q).first(7)));
  EXPECT_FALSE(world->set_v(0, std::span(v).first(6)));
  q[3] = std::nan("");
  v[8] = INFINITY;
  EXPECT_FALSE(world->set_q(0, q));
  EXPECT_FALSE(world->set_v(0, v));
  EXPECT_EQ(world->hash(), before);
}

SceneSpec touching_balls(int per_side, int count, double apart) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  for (int i = 0; i < count; ++i)
    add(s, solid_ball(0.01, 0.02), "free_body", {apart * (i % per_side), apart * (i / per_side), 0.02});
  return s;
}

/// In one island, more of them than there once was room for.
TEST(Room, more_than_two_thousand_touching_balls_find_it) {
  const auto world = make_world(touching_balls(46, 2100, 0.03999));
  world->step();
  EXPECT_EQ(world->report().coupling.dropped, 0);
  EXPECT_EQ(world->report().coupling.islands, 1);
  EXPECT_GT(world->engine().moving_contacts().contacts().size(), 4000u);
}

/// Where balls lie in each other, far more contacts than bodies usually have: what finds no room is counted.
TEST(Room, that_is_not_enough_is_told) {
  const auto world = make_world(touching_balls(8, 60, 0.001));
  world->step();
  EXPECT_GT(world->report().coupling.dropped, 100);
  EXPECT_EQ(world->engine().moving_contacts().contacts().size(), world->engine().moving_contacts().contact_room());
}

/// Near pairs are shared among threads by number, so nothing depends on how many there are.
TEST(Threads, find_the_same_contacts) {
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 3, 4}) {
    const auto world = make_world(touching_balls(16, 256, 0.0399), threads);
    for (int i = 0; i < 20; ++i) world->step();
    if (threads == 1) first = world->hash();
    EXPECT_EQ(world->hash(), first) << threads;
    EXPECT_GT(world->engine().moving_contacts().contacts().size(), 500u);
  }
}

class CountCalls : public Controller {
 public:
  explicit CountCalls(std::vector<std::int64_t>& calls) : calls_(calls) {}
  void control(const RobotOutput& o, RobotCommand&) override { calls_.push_back(o.k); }

 private:
  std::vector<std::int64_t>& calls_;
};

TEST(Rate, that_does_not_divide_the_step_is_met_on_average) {
  for (const double rate : {60.0, 83.0, 99.9, 100.0, 333.0, 1000.0, 5000.0}) {
    SceneSpec s = scene(0.001);
    add(s, solid_box(1, {0.1, 0.1, 0.1}), "free_body", {0, 0, 1});
    const auto world = make_world(s);
    std::vector<std::int64_t> calls;
    world->add_controller(0, std::make_unique<CountCalls>(calls), 1 / rate, 0.0005);
    for (int i = 0; i < 10000; ++i) world->step();
    const double steps = std::max(1.0, 1000 / rate);
    for (std::size_t n = 0; n < calls.size(); ++n)  // the first step not before start + n / rate
      ASSERT_EQ(calls[n], std::ceil(0.5 + static_cast<double>(n) * steps - 1e-6)) << rate << " call " << n;
    EXPECT_NEAR(static_cast<double>(calls.size()), 10000 / steps, 1.01) << rate;
  }
}

}  // namespace
}  // namespace gradus::test
