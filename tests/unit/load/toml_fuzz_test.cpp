/// Damaged files: whatever happens to a file on its way, the loaders answer with a robot or with words, never with a
/// crash.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/rng.h"
#include "load/motion_toml.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "load/toml_file.h"
#include "unit/load/scratch_folder.h"
#include "unit/load/toml_test_tools.h"

namespace gradus {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = GRADUS_SOURCE_DIR;

std::vector<std::string> shipped_files() {
  std::vector<std::string> names;
  for (const char* folder : {"robots", "fields", "scenes", "motions", "tests/misuse/files"}) {
    for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
      const bool small = entry.is_regular_file() && entry.file_size() < 20'000;
      if (entry.path().extension() == ".toml" && small) names.push_back(fs::relative(entry.path(), kRoot).string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Errors or a sound value; both is a contradiction and neither too.
template <class T>
void expect_answer(const Result<T>& r, const std::string& what) {
  EXPECT_EQ(static_cast<bool>(r), !has_errors(r.notes())) << what;
  for (const Diagnostic& d : r.notes()) {
    EXPECT_FALSE(d.text.empty()) << what;
    EXPECT_FALSE(d.place.file.empty()) << what << ": " << d.text;
  }
}

void load_all_ways(const std::string& text, const std::string& path, const std::string& what) {
  if (path.find("/robots/") != std::string::npos || path.find("robot_") != std::string::npos) {
    const Result<RobotSpec> r = parse_robot_toml(text, path);
    expect_answer(r, what);
    if (r) {
      EXPECT_EQ(text_of(check(*r)), "") << what;
    }
  } else if (path.find("motion") != std::string::npos) {
    expect_answer(parse_motion(text, path), what);
  } else {
    expect_answer(parse_scene(text, path), what);
  }
}

TEST(TomlFuzz, files_cut_off_anywhere_are_refused_or_whole) {
  for (const std::string& name : shipped_files()) {
    const std::string text = read_whole(kRoot / name), path = (kRoot / name).string();
    const std::size_t stride = std::max<std::size_t>(1, text.size() / 60);
    for (std::size_t n = 0; n < text.size(); n += stride)
      load_all_ways(text.substr(0, n), path, name + " cut at " + std::to_string(n));
  }
}

TEST(TomlFuzz, files_with_damaged_bytes_never_crash_a_loader) {
  const RandomKey key{2007, 0, 0};
  std::uint64_t step = 0;
  for (const std::string& name : shipped_files()) {
    const std::string text = read_whole(kRoot / name), path = (kRoot / name).string();
    for (int round = 0; round < 25 && !text.empty(); ++round, ++step) {
      std::string bad = text;
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint64_t bits = random_bits(key, step, k);
        const std::size_t at = (bits >> 16) % bad.size();
        switch (bits % 4) {
          case 0:
            bad[at] = static_cast<char>(bits >> 8);
            break;  // any byte
          case 1:
            bad[at] = "[]{}=\"'.,#\n-0"[(bits >> 8) % 14];
            break;  // a byte that means something
          case 2:
            bad.erase(at, (bits >> 8) % 40);
            break;
          default:
            bad.insert(at, bad.substr((bits >> 40) % bad.size(), (bits >> 8) % 80));
            break;
        }
        if (bad.empty()) break;
      }
      load_all_ways(bad, path, name + " damaged in round " + std::to_string(round));
    }
  }
}

TEST(TomlFuzz, nesting_of_every_kind_is_refused_without_recursion) {
  const auto repeated = [](const std::string& s, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += s;
    return all;
  };
  constexpr int kMany = 100'000;
  for (const std::string& bomb : {
           "[" + repeated("a.", kMany) + "a]\n",
           repeated("a.", kMany) + "a = 1\n",
           repeated("\"a\".", kMany) + "a = 1\n",
           "x = " + repeated("[", kMany),
           "x = " + repeated("{a = ", kMany),
           "x = { " + repeated("a.", kMany) + "a = 1 }\n",
           repeated("[[a]]\n", 1000) + "[" + repeated("a . ", kMany) + "a]\n",
       }) {
    EXPECT_FALSE(parse_robot_toml(bomb, "bomb.toml")) << bomb.substr(0, 40);
    EXPECT_FALSE(parse_scene(bomb, "bomb.toml")) << bomb.substr(0, 40);
  }
}

TEST(TomlFuzz, a_file_of_five_megabytes_is_refused_by_its_size) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/big.toml";
  std::ofstream(path) << std::string(5u << 20, '#');
  EXPECT_NE(text_of(load_robot(path)).find("more than the limit of 4 MiB"), std::string::npos);
  EXPECT_NE(text_of(load_robot(folder.path() + "/none.toml")).find("there is no such file"), std::string::npos);
  EXPECT_NE(text_of(load_scene(folder.path())).find("this is not a file"), std::string::npos);
}

}  // namespace
}  // namespace gradus
