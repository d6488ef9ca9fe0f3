/// An engine has no memory: replaced by a fresh one before every step, its scratch full of NaN, or with its state
/// carried into another world, a run has the same bits. For every golden input and every shipped scene.
#include <gtest/gtest.h>

#include <filesystem>

#include "batch/worlds.h"
#include "load/scene_toml.h"
#include "session/attach.h"
#include "support/golden_inputs.h"

namespace gradus::test {
namespace {

World::Options poisoned(int threads, bool fresh) {
  World::Options o;
  o.threads = threads, o.poison = true, o.fresh_engine = fresh;
  return o;
}

class EngineMemory : public testing::TestWithParam<GoldenInput> {};
INSTANTIATE_TEST_SUITE_P(Inputs, EngineMemory, testing::ValuesIn(golden_inputs()), [](const auto& p) {
  std::string name = p.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST_P(EngineMemory, a_fresh_engine_for_every_step_and_spoilt_scratch_change_no_bit) {
  const auto plain = make_world(GetParam().scene);
  const auto spoilt = make_world(GetParam().scene, poisoned(4, false));
  const auto fresh = make_world(GetParam().scene, poisoned(2, true));
  for (int piece = 0; piece < 6; ++piece) {  // the push comes at step 100
    for (World* w : {plain.get(), spoilt.get(), fresh.get()}) run_golden(GetParam(), *w, 20);
    ASSERT_EQ(spoilt->hash(), plain->hash()) << "spoilt, step " << plain->k();
    ASSERT_EQ(fresh->hash(), plain->hash()) << "fresh, step " << plain->k();
  }
}

std::vector<std::string> shipped_scenes() {
  std::vector<std::string> out;
  for (const auto& e : std::filesystem::directory_iterator(GRADUS_SOURCE_DIR "/scenes"))
    if (e.path().extension() == ".toml") out.push_back(e.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

class SceneMemory : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenes, SceneMemory, testing::ValuesIn(shipped_scenes()),
                         [](const auto& p) { return p.param; });

/// The leader is driven by its controllers. The others get its inputs; before every step the third takes over the
/// leader's snapshot, so it has never seen the step before.
TEST_P(SceneMemory, fresh_engines_and_snapshots_into_another_world_change_no_bit) {
  const auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + GetParam() + ".toml");
  ASSERT_TRUE(scene);
  const auto leader = make_world(*scene, 1);
  ASSERT_TRUE(attach_controllers(*leader));
  const auto fresh = make_world(*scene, poisoned(2, true)), other = make_world(*scene, poisoned(4, false));
  auto model = compile(*scene);
  ASSERT_TRUE(model);
  const auto batch = Worlds::make(std::move(*model), 3, {2, false, {}});  // one thread has two of them
  ASSERT_TRUE(batch);
  for (int i = 0; i < 60; ++i) {
    if (i == 20)
      for (int r = 0; r < leader->robot_count(); ++r) {
        const Impulse kick{r, 0, {0, 0, 0.01}, {0.5, 0.2, 0.7}};
        if (r >= 16) continue;
        leader->add_impulse(kick), fresh->add_impulse(kick);
        (*batch)->add_impulse(0, kick), (*batch)->add_impulse(2, kick);
      }
    ASSERT_TRUE(other->restore(leader->snapshot()));
    leader->step();
    ASSERT_TRUE(fresh->set_input(leader->input()));
    ASSERT_TRUE(other->set_input(leader->input()));
    fresh->step();
    other->step();
    ASSERT_EQ(other->hash(), leader->hash()) << "another world, step " << i;
    ASSERT_EQ(fresh->hash(), leader->hash()) << "fresh engine, step " << i;
    for (const int w : {0, 2})
      ASSERT_TRUE((*batch)->set_input(w, leader->input()));  // the one between them goes its own way
    (*batch)->step();
    ASSERT_EQ((*batch)->hash(0), leader->hash()) << "first of a batch, step " << i;
    ASSERT_EQ((*batch)->hash(2), leader->hash()) << "last of a batch, step " << i;
  }
}

}  // namespace
}  // namespace gradus::test
