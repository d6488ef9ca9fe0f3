#include "server/command.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

namespace gradus::view {
namespace {

SceneDescription two_robots() {
  SceneDescription s;
  s.robots = {{"red1", {"single_body", "articulated"}, 0, {{"trunk", {}}, {"head", {}}}, {}},
              {"blue1", {"kinematic_walk"}, 0, {{"trunk", {}}}, {}}};
  s.properties = {{"red1.trunk.x", "m"},
                  {"red1.gain", "", PropertyType::number, true, 0, 2},
                  {"red1.light", "", PropertyType::boolean, true}};
  return s;
}

const SceneDescription kScene = two_robots();

template <class T>
T good(const char* text) {
  const ParsedCommand c = parse_command(text, kScene);
  EXPECT_EQ(c.error, "") << text;
  EXPECT_TRUE(std::holds_alternative<T>(c.action)) << text;
  return std::holds_alternative<T>(c.action) ? std::get<T>(c.action) : T{};
}

std::string error(const std::string& text) { return parse_command(text, kScene).error; }

TEST(Command, names_become_indices) {
  const auto m = good<SetMotion>(R"({"id":1,"do":"set_motion","robot":"red1","level":"articulated"})");
  EXPECT_EQ(m.robot, 0);
  EXPECT_EQ(m.level, 1);
  EXPECT_EQ(m.robot_name, "red1") << "the name is what counts when the scene has changed meanwhile";
  EXPECT_EQ(m.level_name, "articulated");
  const auto p = good<SetProperty>(R"({"id":1,"do":"set_property","path":"red1.gain","value":1.5})");
  EXPECT_EQ(p.property, 1);
  EXPECT_EQ(p.value, 1.5);
  EXPECT_EQ(p.path, "red1.gain");
  EXPECT_EQ(good<SetProperty>(R"({"id":1,"do":"set_property","path":"red1.light","value":true})").value, 1);
}

TEST(Command, numbers_are_carried_over) {
  EXPECT_EQ(parse_command(R"({"id":77,"do":"pause"})", kScene).id, 77u);
  EXPECT_EQ(good<Step>(R"({"id":1,"do":"step","count":10})").count, 10);
  EXPECT_EQ(good<Speed>(R"({"id":1,"do":"speed","factor":0.25})").factor, 0.25);
  EXPECT_TRUE(std::isinf(good<Speed>(R"({"id":1,"do":"speed","factor":"max"})").factor));
  EXPECT_EQ(good<Seek>(R"({"id":1,"do":"seek","time":2.5})").time, 2.5);
  const auto push = good<Push>(
      R"({"id":1,"do":"push","body":2,"point":[0.1,0.2,0.3],"target":[1,2,3],"stiffness":150,"max_force":90})");
  EXPECT_EQ(push.body, 2);
  EXPECT_EQ(push.point_B.y, 0.2);
  EXPECT_EQ(push.target_W.z, 3);
  EXPECT_EQ(push.stiffness, 150);
  EXPECT_EQ(push.max_force, 90);
  EXPECT_EQ(good<Subscribe>(R"({"id":1,"do":"subscribe","properties":[2,0,2]})").properties,
            (std::vector<std::uint16_t>{0, 2}));
}

TEST(Command, everything_but_subscription_and_lease_needs_control) {
  EXPECT_TRUE(needs_control(Pause{}));
  EXPECT_TRUE(needs_control(Push{}));
  EXPECT_TRUE(needs_control(ReleasePush{}));
  EXPECT_TRUE(needs_control(Seek{}));
  EXPECT_TRUE(needs_control(SetProperty{}));
  EXPECT_FALSE(needs_control(Subscribe{}));
  EXPECT_FALSE(needs_control(TakeControl{}));
}

TEST(Command, what_names_nothing_or_is_out_of_range_is_refused) {
  for (const char* text : {
           "",
           "[]",
           "7",
           "null",
           "{",
           R"("pause")",
           R"({"do":"pause"})",
           R"({"id":1})",
           R"({"id":-1,"do":"pause"})",
           R"({"id":1,"do":"eval"})",
           R"({"id":1,"do":5})",
           R"({"id":1,"do":"step","count":0})",
           R"({"id":1,"do":"step","count":1.5})",
           R"({"id":1,"do":"step","count":1e9})",
           R"({"id":1,"do":"step"})",
           R"({"id":1,"do":"speed","factor":0})",
           R"({"id":1,"do":"speed","factor":-1})",
           R"({"id":1,"do":"speed","factor":1e999})",
           R"({"id":1,"do":"speed","factor":"fast"})",
           R"({"id":1,"do":"set_motion","robot":"green1","level":"articulated"})",
           R"({"id":1,"do":"set_motion","robot":"blue1","level":"articulated"})",
           R"({"id":1,"do":"set_property","path":"red1.trunk.x","value":1})",
           R"({"id":1,"do":"set_property","path":"red1.gain","value":2.01})",
           R"({"id":1,"do":"set_property","path":"red1.gain","value":true})",
           R"({"id":1,"do":"set_property","path":"red1.light","value":1})",
           R"({"id":1,"do":"push","body":3,"point":[0,0,0],"target":[0,0,0],"stiffness":1,"max_force":1})",
           R"({"id":1,"do":"push","body":0,"point":[0,0],"target":[0,0,0],"stiffness":1,"max_force":1})",
           R"({"id":1,"do":"push","body":0,"point":[0,0,1e7],"target":[0,0,0],"stiffness":1,"max_force":1})",
           R"({"id":1,"do":"push","body":0,"point":[0,0,"x"],"target":[0,0,0],"stiffness":1,"max_force":1})",
           R"({"id":1,"do":"seek","time":-1})",
           R"({"id":1,"do":"subscribe","properties":[3]})",
           R"({"id":1,"do":"subscribe","properties":[-1]})",
           R"({"id":1,"do":"subscribe","properties":0})",
           R"({"id":1,"do":"subscribe","properties":[],"camera":0})",
           R"({"id":1,"do":"subscribe","properties":[],"camera":-1})",
           R"({"id":1,"do":"subscribe","properties":[],"camera":"x"})",
           R"({"id":1,"do":"subscribe","properties":[],"camera":70000})",
       })
    EXPECT_NE(error(text), "") << text;
  EXPECT_NE(error(std::string(kCommandSizeMax + 1, ' ')), "");
  EXPECT_NE(error(std::string(4000, '[')), "");
}

TEST(Command, no_byte_of_a_good_command_can_be_changed_into_a_crash) {
  const std::string text =
      R"({"id":1,"do":"push","body":0,"point":[0,0,0],"target":[1,2,3],"stiffness":1,"max_force":1})";
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_NE(error(text.substr(0, n)), "");
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string mutant = text;
    for (int j = 0; j < 3; ++j) mutant[random() % mutant.size()] = static_cast<char>(random() & 255);
    const ParsedCommand c = parse_command(mutant, kScene);
    const auto* push = c.error.empty() ? std::get_if<Push>(&c.action) : nullptr;
    EXPECT_TRUE(push == nullptr || (push->body >= 0 && push->body < 3)) << mutant;
  }
}

TEST(SceneDescription, json_says_what_was_described_and_survives_odd_names) {
  SceneDescription s = two_robots();
  s.name = "bad \xff name";
  Shape box;
  box.kind = ShapeKind::box;
  box.size = {1, 2, 3};
  box.X_BS = {to_matrix(from_axis_angle({0, 0, 1}, 1.0)), {4, 5, 6}};
  s.robots[0].bodies[0].shapes = {box};
  s.robots[0].joints = {{"knee", -1, 2}, {"wheel"}};
  auto mesh = std::make_shared<MeshSpec>();
  mesh->vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh->triangles = {{0, 1, 2}};
  Shape shell;
  shell.kind = ShapeKind::mesh;
  shell.mesh = mesh;
  s.robots[0].bodies[1].shapes = s.robots[1].bodies[0].shapes = {shell};
  const auto j = nlohmann::json::parse(to_json(s));
  EXPECT_EQ(j["type"], "scene");
  EXPECT_EQ(j["robots"][0]["levels"][1], "articulated");
  EXPECT_EQ(j["robots"][0]["bodies"][0]["shapes"][0]["size"], (std::vector<double>{1, 2, 3}));
  EXPECT_NEAR(j["robots"][0]["bodies"][0]["shapes"][0]["pose"]["q"][2].get<double>(), std::sin(0.5), 1e-12);
  EXPECT_NEAR(j["robots"][0]["bodies"][0]["shapes"][0]["pose"]["q"][3].get<double>(), std::cos(0.5), 1e-12);
  EXPECT_EQ(j["robots"][0]["joints"][0]["upper"], 2);
  EXPECT_TRUE(j["robots"][0]["joints"][1]["upper"].is_null());
  EXPECT_EQ(j["meshes"].size(), 1u) << "two shapes share one mesh";
  EXPECT_EQ(j["meshes"][0]["triangles"], (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(j["properties"][1]["settable"], true);
  EXPECT_FALSE(j["properties"][0].contains("settable"));
}

}  // namespace
}  // namespace gradus::view
