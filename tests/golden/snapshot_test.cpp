/// Snapshots: complete, also across changes of level and waiting impulses; damaged or hostile bytes are refused.
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "support/golden_inputs.h"

namespace gradus::test {
namespace {

std::unique_ptr<World> standing(const char* motion = "articulated") {
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, humanoid28(), motion, {0, 0, kHumanoid28Height});
  return make_world(s);
}

std::vector<std::byte> good_bytes() {
  const auto world = standing();
  run(*world, 0.1);
  world->add_impulse({0, 3, {0, 0, 0.1}, {1, 2, 3}});
  return world->snapshot().bytes();
}

/// The same bytes with a checksum that fits them: what someone would send who knows the format.
std::vector<std::byte> signed_again(std::vector<std::byte> bytes) {
  put_le(bytes, bytes.size() - 8, hash_bytes(bytes.data(), bytes.size() - 8));
  return bytes;
}

TEST(Snapshot, holds_level_changes_and_waiting_impulses) {
  for (const char* from : {"kinematic_walk", "single_body", "prescribed_joints", "articulated"})
    for (const char* to : {"kinematic_walk", "single_body", "prescribed_joints", "articulated"}) {
      const auto world = standing(from);
      run(*world, 0.1);
      ASSERT_TRUE(world->set_motion(0, to).empty());
      run(*world, 0.005);
      ASSERT_TRUE(world->add_impulse({0, 0, {0, 0, 0.1}, {0.3, 0, 0}}));
      const auto saved = Snapshot::from_bytes(world->snapshot().bytes());
      ASSERT_TRUE(saved);
      run(*world, 0.1);
      const auto other = standing("articulated");  // knows nothing of what was before
      ASSERT_TRUE(other->restore(*saved));
      EXPECT_EQ(other->motion(0).name, to);
      run(*other, 0.1);
      EXPECT_EQ(other->hash(), world->hash()) << from << " to " << to;
    }
}

TEST(Snapshot, every_cut_and_every_flipped_byte_is_refused) {
  const std::vector<std::byte> good = good_bytes();
  ASSERT_TRUE(Snapshot::from_bytes(good));
  for (std::size_t n = 0; n < good.size(); ++n) {
    ASSERT_FALSE(Snapshot::from_bytes(std::span(good).first(n))) << n;
    std::vector<std::byte> bad = good;
    bad[n] ^= std::byte{0x10};
    ASSERT_FALSE(Snapshot::from_bytes(bad)) << n;
  }
}

TEST(Snapshot, hostile_counts_with_a_right_checksum_are_refused_without_allocating_them) {
  const std::vector<std::byte> good = good_bytes();
  // Every aligned and unaligned place gets a huge number, so every count does.
  for (std::size_t at = 0; at + 16 < std::min<std::size_t>(good.size(), 120); ++at) {
    std::vector<std::byte> bad = good;
    put_le(bad, at, std::uint64_t{0x7fffffffffffffff});
    const auto s = Snapshot::from_bytes(signed_again(bad));
    if (s) {
      EXPECT_LE(s->state.size() + s->input.size(), good.size());
    }
  }
  EXPECT_FALSE(Snapshot::from_bytes(signed_again(std::vector<std::byte>(good.begin(), good.end() - 16))));
}

TEST(Snapshot, of_another_model_or_with_links_that_do_not_exist_is_refused_and_changes_nothing) {
  const auto world = standing();
  run(*world, 0.01);
  const std::uint64_t before = world->hash();
  const Snapshot good = world->snapshot();
  auto refused = [&](auto&& edit) {
    Snapshot s = good;
    edit(s);
    return !world->restore(s) && world->hash() == before;
  };
  EXPECT_TRUE(refused([](Snapshot& s) { s.state.pop_back(); }));
  EXPECT_TRUE(refused([](Snapshot& s) { s.input.push_back(0); }));
  EXPECT_TRUE(refused([](Snapshot& s) { s.motion[0] = "flying"; }));
  EXPECT_TRUE(refused([](Snapshot& s) { s.motion[0] = "free_body"; }));  // has joints
  EXPECT_TRUE(refused([](Snapshot& s) { s.motion.clear(); }));
  EXPECT_TRUE(refused([](Snapshot& s) { s.impulses.push_back({0, 999, {}, {}}); }));
  EXPECT_TRUE(refused([](Snapshot& s) { s.impulses.push_back({-1, 0, {}, {}}); }));
  const std::size_t push = static_cast<std::size_t>(world->model().robots[0].kind->njoint() + kPushLink);
  EXPECT_TRUE(refused([&](Snapshot& s) { s.input[push] = 1e9; }));
  EXPECT_TRUE(refused([&](Snapshot& s) { s.input[push] = std::nan(""); }));
  EXPECT_TRUE(world->restore(good));
}

TEST(Snapshot, a_standing_foot_that_does_not_exist_does_no_harm) {
  const auto world = standing("kinematic_walk");
  run(*world, 0.01);
  Snapshot s = world->snapshot();
  for (double& x : s.state) {
    const double kept = x;
    for (const double bad : {1e300, -5.0, std::nan("")}) {
      x = bad;
      if (world->restore(s)) world->step();  // must not touch what is not its own (address sanitizer)
    }
    x = kept;
  }
}

}  // namespace
}  // namespace gradus::test
