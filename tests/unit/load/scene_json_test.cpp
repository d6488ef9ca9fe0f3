/// A scene kept in a log comes back whole: every number, word and flag of its JSON text is read again.
#include "load/scene_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "load/scene_toml.h"
#include "model/parameters.h"

namespace gradus {
namespace {

using nlohmann::json;

SceneSpec scene(const std::string& name) {
  auto s = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + name + ".toml", {});
  EXPECT_TRUE(s) << name;
  return s ? *s : SceneSpec{};
}

json json_of(const SceneSpec& s) { return json::parse(to_json(s)); }

/// Calls visit(leaf) for every number and flag, but those that name something else.
template <class Visit>
void each_leaf(json& j, const std::string& path, const Visit& visit) {
  if (j.is_object())
    for (auto& [key, value] : j.items()) each_leaf(value, path + "." + key, visit);
  else if (j.is_array())
    for (std::size_t i = 0; i < j.size() && i < 2; ++i) each_leaf(j[i], path + "[" + std::to_string(i) + "]", visit);
  else if (j.is_number_float() || j.is_boolean())
    visit(j, path);
}

TEST(SceneJson, every_number_and_flag_that_is_written_is_read) {
  for (const char* name : {"nao", "mirosot_3v3", "terrain"}) {
    const json whole = json_of(scene(name));
    json work = whole;
    int changed = 0, refused = 0;
    each_leaf(work, "", [&](json& leaf, const std::string& path) {
      if (path.find(".z[") != std::string::npos || path.find("meshes") != std::string::npos) return;  // thousands alike
      const json before = leaf;
      if (leaf.is_boolean())
        leaf = !leaf.get<bool>();
      else
        leaf = leaf.get<double>() * 1.0000001 + (leaf.get<double>() == 0 ? 1e-9 : 0);
      const auto back = scene_from_json(work.dump(), "log");
      if (!back)
        ++refused;  // no longer a sound scene (a rotation matrix, limits): nothing to compare
      else
        EXPECT_EQ(json_of(*back), work) << name << path;
      changed += static_cast<bool>(back);
      leaf = before;
    });
    EXPECT_GT(changed, refused) << name;
    EXPECT_GT(changed, 100) << name;
  }
}

/// What was once left out of the table: each of these makes a difference in the text and comes back.
TEST(SceneJson, fields_that_a_table_forgot_are_kept) {
  SceneSpec s = scene("mirosot_3v3");
  s.contact.torsion = 0.011;
  s.groups[0].sides = "blue_right";
  s.groups[0].referee->half = 123;
  s.robots[0].robot.objects[0].surface.torsion = 0.012;
  s.robots[0].robot.objects[0].surface.rolling = 0.013;
  s.robots[0].robot.objects[0].flex = FlexSpec{2, 30, 0.5, true, {0, 0, 1}};
  const auto back = scene_from_json(to_json(s), "log");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->contact.torsion, 0.011);
  EXPECT_EQ(back->groups[0].sides, "blue_right");
  EXPECT_EQ(back->groups[0].referee->half, 123);
  const ObjectSpec& o = back->robots[0].robot.objects[0];
  EXPECT_EQ(o.surface.torsion, 0.012);
  EXPECT_EQ(o.surface.rolling, 0.013);
  ASSERT_TRUE(o.flex);
  EXPECT_TRUE(o.flex->twists);
  EXPECT_EQ(o.flex->cuts, 2);
  EXPECT_EQ(o.flex->along.z, 1);
}

TEST(SceneJson, loops_come_back) {
  SceneSpec s = scene("four_bar");
  LoopSpec& l = s.robots[0].robot.loops.at(0);
  l.meets = Vec3{0.25, 0, 0};
  l.width = 0.07;
  const auto back = scene_from_json(to_json(s), "log");
  ASSERT_TRUE(back);
  const LoopSpec& r = back->robots[0].robot.loops.at(0);
  EXPECT_EQ(json_of(*back), json_of(s));
  EXPECT_EQ(r.a, "coupler");
  EXPECT_EQ(r.b, "rocker");
  EXPECT_EQ(r.hold, LoopHold::hinge);
  EXPECT_EQ(r.at.x, 0.35);
  EXPECT_EQ(r.axis.y, 1);
  EXPECT_EQ(r.width, 0.07);
  ASSERT_TRUE(r.meets);
  EXPECT_EQ(r.meets->x, 0.25);
  EXPECT_EQ(r.place.line, l.place.line);
}

}  // namespace
}  // namespace gradus
