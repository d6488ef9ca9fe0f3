/// The examples of the documentation must load as they stand.
#include <gtest/gtest.h>

#include "load/motion_toml.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "unit/load/toml_test_tools.h"

namespace gradus {
namespace {

const std::string kRoot = GRADUS_SOURCE_DIR;

/// The ```toml blocks of a page.
std::vector<std::string> examples(const std::string& page) {
  const std::string text = read_whole(kRoot + "/docs/" + page), fence = "```toml\n";
  std::vector<std::string> all;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    all.push_back(text.substr(begin, text.find("```", begin) - begin));
  }
  return all;
}

TEST(TomlDocs, robots_of_the_page_load) {
  const std::vector<std::string> all = examples("robot_files.md");
  EXPECT_EQ(all.size(), 4u);
  for (const std::string& text : all)
    EXPECT_EQ(text_of(parse_robot_toml(text, kRoot + "/robots/example.toml")), "") << text;
}

TEST(TomlDocs, the_mirrored_limits_are_as_the_page_says) {
  const Result<RobotSpec> r = parse_robot_toml(examples("robot_files.md").at(1), "example.toml");
  ASSERT_TRUE(r);
  const ObjectSpec &left = r->objects.at(3), &right = r->objects.at(6);
  EXPECT_EQ(right.name, "right_roll");
  EXPECT_EQ(right.lower, -left.upper);
  EXPECT_EQ(right.upper, -left.lower);
}

TEST(TomlDocs, scenes_and_motions_of_the_page_load) {
  const std::vector<std::string> all = examples("scene_files.md");
  std::vector<std::string> motions, matches;
  for (const std::string& text : all) {
    if (text.starts_with("[motion]"))
      motions.push_back(text);
    else if (text.find("[group.") != std::string::npos)
      matches.push_back(text);
    else
      EXPECT_EQ(text_of(parse_scene(text, kRoot + "/scenes/example.toml")), "") << text;
  }
  ASSERT_TRUE(motions.size() == 2 && matches.size() == 1);
  const Result<SceneSpec> scene = parse_scene(all[0], kRoot + "/scenes/example.toml");
  EXPECT_EQ(text_of(scene), "");
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->robots.size(), 8u);
  const Result<SceneSpec> match = parse_scene(matches[0], kRoot + "/scenes/example.toml");
  EXPECT_EQ(text_of(match), "");
  ASSERT_TRUE(match && match->groups.size() == 1);
  EXPECT_EQ(match->robots.size(), 11u);
  EXPECT_NEAR(match->step, 1.0 / 60, 1e-15);
  EXPECT_EQ(match->groups[0].camera->find("delay")->numbers[0], 0.02);
  const Result<MotionFile> by_hand = parse_motion(motions[0], "nod.toml"),
                           by_program = parse_motion(motions[1], "nod.toml");
  EXPECT_EQ(text_of(by_hand), "");
  EXPECT_EQ(text_of(by_program), "");
  ASSERT_TRUE(by_hand && by_program);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(by_hand->frames.at(i).q, by_program->frames.at(i).q);  // the same motion twice
}

}  // namespace
}  // namespace gradus
