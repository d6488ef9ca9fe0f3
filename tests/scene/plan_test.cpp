/// Planned ways, walked.
#include <gtest/gtest.h>

#include <cmath>

#include "plan/way_controller.h"
#include "session/scene_file.h"
#include "session/session.h"

namespace gradus {
namespace {

using State = plan::WayReport::State;

std::unique_ptr<Session> session(double friction, double x) {
  auto scene = load_scene_or_robot(GRADUS_SOURCE_DIR "/scenes/messor_plan.toml");
  EXPECT_TRUE(scene);
  scene->field[0].surface.friction = friction;
  scene->robots[0].controller.options += ",goal.x=" + std::to_string(x);
  auto made = Session::make(std::move(*scene), {});
  EXPECT_TRUE(made);
  return std::move(*made);
}

TEST(Plan, AHexapodClimbsStairsToItsGoal) {
  const auto s = session(0.8, 1.2);
  ASSERT_EQ(s->ways().size(), 1u);
  const plan::WayController& way = *s->ways()[0].second;
  for (int k = 0; k < 60000 && way.report().state != State::arrived; ++k) s->step();
  ASSERT_EQ(way.report().state, State::arrived);
  const Vec3 p = base_position(s->world().q(0).data());
  EXPECT_NEAR(p.x, 1.2, 0.03);
  EXPECT_NEAR(p.y, 0.2, 0.03);
  EXPECT_GT(p.z, 0.4);  // three risers of 10 cm
  EXPECT_FALSE(s->world().fallen(0));
  EXPECT_EQ(way.report().plans, 1);
  EXPECT_EQ(way.report().slips, 0);
  for (int k = 0; k < 3000; ++k) s->step();  // and stays there
  const Vec3 later = base_position(s->world().q(0).data());
  EXPECT_NEAR(norm(later - p), 0, 0.02);
}

TEST(Plan, GoingBackInTheMiddleOfAStepRepeatsTheRun) {
  const auto s = session(0.8, 1.2);
  for (int k = 0; k < 6300; ++k) s->step();
  const Bytes saved = s->save();
  for (int k = 0; k < 4000; ++k) s->step();
  const std::uint64_t hash = s->world().hash();
  ASSERT_TRUE(s->restore(saved));
  for (int k = 0; k < 4000; ++k) s->step();
  EXPECT_EQ(s->world().hash(), hash);
  // another session, which has planned nothing yet, goes on from there too
  const auto other = session(0.8, 1.2);
  ASSERT_TRUE(other->restore(saved));
  for (int k = 0; k < 4000; ++k) other->step();
  EXPECT_EQ(other->world().hash(), hash);
  EXPECT_EQ(other->ways()[0].second->plan().way.size(), s->ways()[0].second->plan().way.size());
}

TEST(Plan, ANewWayIsPlannedWhenAFootSlips) {
  const auto s = session(0.8, 1.2);
  const plan::WayController& way = *s->ways()[0].second;
  for (int k = 0; k < 3000; ++k) s->step();
  ASSERT_EQ(way.report().plans, 1);
  const std::size_t before = way.plan().way.size();
  Command push;  // aside, harder than friction holds it
  push.kind = Command::Kind::push, push.robot = "messor", push.name = "body", push.vector = {0, 40, 0};
  ASSERT_EQ(s->apply_now(push), "");
  for (int k = 0; k < 150; ++k) s->step();
  push.vector = {0, 0, 0}, push.name = "";
  ASSERT_EQ(s->apply_now(push), "");
  for (int k = 0; k < 3000; ++k) s->step();
  EXPECT_GE(way.report().slips, 1);
  EXPECT_GE(way.report().plans, 2);
  EXPECT_NE(way.plan().way.size(), before);
  for (int k = 0; k < 60000 && way.report().state != State::arrived; ++k) s->step();
  EXPECT_EQ(way.report().state, State::arrived);
}

}  // namespace
}  // namespace gradus
