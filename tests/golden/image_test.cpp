/// Images are the same bits for every number of lanes and threads, and as they were when they were last looked at.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "support/image_inputs.h"

namespace gradus::test {
namespace {

std::map<std::string, std::uint64_t> golden() {
  std::ifstream in(GRADUS_SOURCE_DIR "/tests/golden/image_hashes.txt");
  std::map<std::string, std::uint64_t> out;
  std::string name, hash;
  while (in >> name >> hash) out[name] = std::stoull(hash, nullptr, 16);
  return out;
}

TEST(GoldenImages, every_scene_lanes_and_threads) {
  const auto due = golden();
  for (const std::string& scene : image_scenes()) {
    ASSERT_TRUE(due.contains(scene)) << scene;
    for (const render::RenderKernel& k : render::kernels())
      EXPECT_EQ(image_hash(scene, k, 1), due.at(scene)) << scene << ", " << k.name;
    for (const int threads : {2, 4})
      EXPECT_EQ(image_hash(scene, render::best_kernel(), threads), due.at(scene)) << scene << ", threads " << threads;
  }
}

}  // namespace
}  // namespace gradus::test
