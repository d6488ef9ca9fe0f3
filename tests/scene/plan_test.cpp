/// Planned ways, walked.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

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

/// Everything wrong at once, with its place.
TEST(Plan, ScenesAreToldWhatAPlanMisses) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "gradus_plan_test.toml";
  const auto faults = [&](const std::string& controller) {
    std::ofstream(file) << "[field.ground]\nshape = \"plane\"\n[robot.m]\nmodel = \"" GRADUS_SOURCE_DIR "/robots/messor.urdf\"\ncontroller = { " << controller << " }\n";
    std::string text;
    const auto scene = load_scene_or_robot(file.string());
    for (const Diagnostic& d : scene.notes())
      if (d.severity == Severity::error) text += to_string(d) + "\n";
    return text;
  };
  const std::string plan = "plan = \"" GRADUS_SOURCE_DIR "/gaits/plan_tripod.toml\"";
  EXPECT_EQ(faults(plan + ", goal = { x = \"1 m\", y = \"0 m\", yaw = \"90 deg\" }, stride = \"6 cm\""), "");
  EXPECT_NE(faults(plan).find("a plan needs a goal"), std::string::npos);
  const std::string two = faults(plan + ", goal = { x = \"1 m\" }, stride = \"3 m\"");
  EXPECT_NE(two.find("'y' is missing"), std::string::npos);
  EXPECT_NE(two.find("stride must be within"), std::string::npos);
  EXPECT_NE(two.find(":5:"), std::string::npos);
  EXPECT_NE(faults(plan + ", goal = { x = \"1 m\", y = \"0 m\" }, footholds = \"none.json\"").find("none.json"), std::string::npos);
  EXPECT_NE(faults("gait = \"" GRADUS_SOURCE_DIR "/gaits/tripod.toml\", goal = { x = \"1 m\", y = \"0 m\" }").find("goal is for plans only"), std::string::npos);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace gradus
