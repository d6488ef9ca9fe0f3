/// Every file of tests/misuse/files is wrong on purpose; what the loaders say about it stands, word for word, in the
/// .expected file beside it. The beginning of the name (robot_, scene_, motion_, servo_) tells the loader.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "load/motion_toml.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "load/servo_toml.h"
#include "unit/load/toml_test_tools.h"

namespace gradus {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(GRADUS_SOURCE_DIR) / "tests/misuse/files";

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string complaints(const std::string& name) {
  if (name.starts_with("robot_")) return text_of(load_robot(name));
  if (name.starts_with("servo_")) return text_of(load_servo(name));
  if (name.starts_with("scene_")) return text_of(load_scene(name));
  return text_of(load_motion(name));
}

/// Loads with relative names, as a user in that folder would.
class BadTomlFile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { fs::current_path(kFolder); }
  void TearDown() override { fs::current_path(before_); }
  fs::path before_ = fs::current_path();
};

TEST_P(BadTomlFile, is_refused_with_exactly_the_expected_words) {
  const fs::path expected = fs::path(GetParam()).replace_extension(".expected");
  const std::string said = complaints(GetParam());
  EXPECT_NE(said, "");
  EXPECT_EQ(said, read_whole(expected));
}

INSTANTIATE_TEST_SUITE_P(Toml, BadTomlFile, testing::ValuesIn(bad_files()),
                         [](const auto& i) { return fs::path(i.param).stem().string(); });

TEST(BadTomlFiles, are_at_least_fifty) { EXPECT_GE(bad_files().size(), 50u); }

}  // namespace
}  // namespace gradus
