/// The same bits: from run to run, for any number of threads, after a snapshot, and as in the table beside this file,
/// which was written by another compiler at another level of optimisation (tools/check_determinism compares four).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "support/golden_inputs.h"

namespace gradus::test {
namespace {

constexpr int kSteps = 300;

std::map<std::string, std::string> table() {
  std::ifstream file(GRADUS_SOURCE_DIR "/tests/golden/hashes.txt");
  std::map<std::string, std::string> out;
  std::string line, name, hash;
  while (std::getline(file, line))
    if (!line.empty() && line[0] != '#' && std::istringstream(line) >> name >> hash) out[name] = hash;
  return out;
}

class Golden : public testing::TestWithParam<GoldenInput> {};
INSTANTIATE_TEST_SUITE_P(Inputs, Golden, testing::ValuesIn(golden_inputs()), [](const auto& p) {
  std::string name = p.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST_P(Golden, hash_is_that_of_the_table_and_the_same_for_1_2_and_4_threads) {
  static const auto golden = table();
  for (const int threads : {1, 2, 4}) {
    const auto world = make_world(GetParam().scene, threads);
    run_golden(GetParam(), *world, kSteps);
    EXPECT_EQ(world->report().not_finite, -1);
    const std::string hash = fmt::format("{:016x}", world->hash());
    const auto found = golden.find(GetParam().name);
    ASSERT_NE(found, golden.end()) << "not in tests/golden/hashes.txt: " << GetParam().name << " " << hash;
    EXPECT_EQ(hash, found->second) << threads << " threads. If the change is meant: tools/check_determinism --update";
  }
}

TEST_P(Golden, a_restored_world_goes_on_with_the_same_bits) {
  const auto world = make_world(GetParam().scene);
  run_golden(GetParam(), *world, 150);
  const Snapshot saved = world->snapshot();
  const std::vector<std::byte> bytes = saved.bytes();
  run_golden(GetParam(), *world, 100);
  const std::uint64_t want = world->hash();

  ASSERT_TRUE(world->restore(saved));
  run_golden(GetParam(), *world, 100);
  EXPECT_EQ(world->hash(), want);

  const auto read = Snapshot::from_bytes(bytes);
  ASSERT_TRUE(read);
  const auto other = make_world(GetParam().scene, 2);
  ASSERT_TRUE(other->restore(*read));
  EXPECT_EQ(other->k(), 150);
  run_golden(GetParam(), *other, 100);
  EXPECT_EQ(other->hash(), want);
}

TEST(GoldenTable, has_at_least_thirty_different_inputs) {
  const auto golden = table();
  EXPECT_GE(golden.size(), 30u);
  std::map<std::string, std::string> by_hash;
  for (const auto& [name, hash] : golden)
    EXPECT_TRUE(by_hash.emplace(hash, name).second) << name << " = " << by_hash[hash];
  EXPECT_EQ(golden.size(), golden_inputs().size());
}

TEST(Golden, a_change_of_the_last_bit_changes_the_hash) {
  GoldenInput in{"last_bit", scene(0.001), {}, 0};
  add(in.scene, humanoid28(), "articulated", {0, 0, 1});
  std::uint64_t hash[2];
  for (const int changed : {0, 1}) {
    const auto world = make_world(in.scene);
    std::vector<double> q(world->q(0).begin(), world->q(0).end());
    if (changed) q[2] = std::nextafter(q[2], 2.0);
    world->set_q(0, q);
    run_golden(in, *world, 10);
    hash[changed] = world->hash();
  }
  EXPECT_NE(hash[0], hash[1]);
}

/// What controllers asked for decides the next step, so it is part of the hash.
TEST(Golden, a_target_is_part_of_the_hash) {
  SceneSpec s = scene(0.001);
  add(s, humanoid28(), "articulated", {0, 0, 1});
  const auto world = make_world(s);
  const std::uint64_t before = world->hash();
  world->targets(0)[3] = std::nextafter(world->targets(0)[3], 2.0);
  EXPECT_NE(world->hash(), before);
}

}  // namespace
}  // namespace gradus::test
