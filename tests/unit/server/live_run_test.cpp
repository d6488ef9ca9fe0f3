#include "server/live_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "raw_client.h"
#include "support/viewer/demo_world.h"

namespace gradus::view {
namespace {

/// A run without viewers: the test steps it and gives the commands.
class LiveRunTest : public testing::Test {
 protected:
  void SetUp() override { make({}); }
  void make(LiveRunOptions options) {
    server_ = std::move(*ViewServer::start({}));
    options.start_paused = true;
    world_ = std::make_unique<DemoWorld>(2);
    run_ = std::make_unique<LiveRun>(*world_, *server_, options);
  }
  void step(int count) {
    ASSERT_EQ(run_->carry_out(Step{count}), "");
    const std::uint64_t end = world_->k() + static_cast<std::uint64_t>(count);
    while (world_->k() < end) run_->turn();
  }
  /// Steps and notes the hash of every moment.
  void step_noting(int count) {
    for (int i = 0; i < count; ++i) {
      step(1);
      hashes_[world_->k()] = run_->look().hash;
    }
  }
  std::string seek(std::uint64_t k) { return run_->carry_out(Seek{static_cast<double>(k) * 0.001}); }
  /// Runs 700 steps in which the user pulls and lets go, and changes a property.
  void eventful_run() {
    step_noting(130);
    ASSERT_EQ(run_->carry_out(Push{1, {0, 0, 0.1}, {1, 0.5, 0.5}, 100, 100}), "");
    step_noting(200);
    ASSERT_EQ(run_->carry_out(ReleasePush{}), "");
    ASSERT_EQ(run_->carry_out(SetProperty{5, 3.0}), "");
    step_noting(370);
  }

  std::unique_ptr<ViewServer> server_;
  std::unique_ptr<DemoWorld> world_;
  std::unique_ptr<LiveRun> run_;
  std::map<std::uint64_t, std::uint64_t> hashes_;
};

/// Bodies are known by number: one of an older scene description means another body, or none at all.
TEST_F(LiveRunTest, a_push_of_an_older_scene_is_refused) {
  Command push{1, 1, Push{1, {0, 0, 0.1}, {1, 0.5, 0.5}, 100, 100}, world_->describe()->revision};
  EXPECT_EQ(run_->obey(push), "");
  push.scene_revision = world_->describe()->revision + 7;
  EXPECT_NE(run_->obey(push), "");
  push.action = ReleasePush{};
  EXPECT_EQ(run_->obey(push), "") << "letting go needs no scene";
}

TEST_F(LiveRunTest, a_step_adds_exactly_one) {
  step(1);
  EXPECT_EQ(run_->look().k, 1u);
  EXPECT_DOUBLE_EQ(run_->look().time, 0.001);
  for (int i = 0; i < 20; ++i) run_->turn();
  EXPECT_EQ(run_->look().k, 1u) << "paused holds";
}

TEST_F(LiveRunTest, every_moment_of_the_past_has_its_old_hash) {
  eventful_run();
  for (std::uint64_t k : {1u, 99u, 100u, 101u, 130u, 131u, 250u, 330u, 331u, 699u, 700u, 5u}) {
    ASSERT_EQ(seek(k), "");
    EXPECT_EQ(world_->k(), k);
    EXPECT_EQ(run_->look().hash, hashes_[k]) << k;
    EXPECT_DOUBLE_EQ(run_->look().t_max, 0.7);
  }
}

TEST_F(LiveRunTest, going_on_from_the_past_repeats_what_happened) {
  eventful_run();
  ASSERT_EQ(seek(60), "");
  EXPECT_TRUE(run_->look().past);
  for (std::uint64_t k = 61; k <= 700; ++k) {
    step(1);
    ASSERT_EQ(run_->look().hash, hashes_[k]) << k;
  }
  EXPECT_FALSE(run_->look().past);
  EXPECT_TRUE(run_->look().ghosts.empty());
}

TEST_F(LiveRunTest, a_change_in_the_past_branches_and_leaves_a_ghost) {
  eventful_run();
  ASSERT_EQ(seek(400), "");
  const std::vector<BodyPose> old_course = [&] {
    seek(500);
    auto bodies = run_->look().bodies;
    seek(400);
    return bodies;
  }();
  ASSERT_EQ(run_->carry_out(SetProperty{5, 0.0}), "");  // stop waving
  EXPECT_EQ(run_->k_max(), 400u) << "what came later is gone";
  step(100);
  const Frame& f = run_->look();
  EXPECT_NE(f.hash, hashes_[500]);
  ASSERT_EQ(f.ghosts.size(), f.bodies.size());
  double ghost_from_old = 0, new_from_old = 0;
  for (std::size_t i = 0; i < f.bodies.size(); ++i) {
    ghost_from_old = std::max(ghost_from_old, norm(f.ghosts[i].p_WB - old_course[i].p_WB));
    new_from_old = std::max(new_from_old, norm(f.bodies[i].p_WB - old_course[i].p_WB));
  }
  EXPECT_EQ(ghost_from_old, 0) << "the ghost is the old course";
  EXPECT_GT(new_from_old, 0.05) << "the new course is elsewhere";
}

TEST_F(LiveRunTest, what_is_refused_in_the_past_costs_nothing_of_what_came_later) {
  eventful_run();
  ASSERT_EQ(seek(400), "");
  EXPECT_NE(run_->carry_out(SetMotion{2, 0}), "") << "the ball has one level only";
  EXPECT_TRUE(run_->look().past);
  EXPECT_EQ(run_->look().hash, hashes_[400]);
  EXPECT_EQ(run_->k_max(), 700u);
  ASSERT_EQ(seek(700), "");
  EXPECT_EQ(run_->look().hash, hashes_[700]);
}

/// A viewer that wants properties, as long as it lives.
class Subscriber {
 public:
  Subscriber(ViewServer& server, const std::string& properties) : client_(server.port()) {
    const std::string url = server.view_url();
    client_.open_stream(url.substr(url.find("token=") + 6));
    client_.command(R"({"id":1,"do":"subscribe","properties":)" + properties + "}");
    client_.next_text("reply");
  }

 private:
  RawClient client_;
};

TEST_F(LiveRunTest, the_ghost_has_the_properties_of_the_old_course_at_the_same_step) {
  run_->look();  // the description is known to the server …
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const Subscriber viewer(*server_, "[3,4,20]");  // … and a speed, an amplitude and a joint are wanted
  eventful_run();
  std::map<std::uint64_t, std::vector<float>> old_course;
  for (std::uint64_t k : {410u, 473u, 500u, 699u, 700u}) {
    seek(k);
    ASSERT_EQ(run_->look().signals.size(), 3u);
    for (const Signal& s : run_->look().signals) old_course[k].push_back(s.value);
  }
  seek(400);
  ASSERT_EQ(run_->carry_out(SetProperty{4, 0.25}), "");
  step(310);
  EXPECT_TRUE(run_->look().ghost_signals.empty()) << "the old course ended at 700";
  for (std::uint64_t k : {500u, 410u, 700u, 473u, 699u}) {  // to and fro
    seek(k);
    const Frame& f = run_->look();
    ASSERT_EQ(f.ghost_signals.size(), 3u) << k;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(f.ghost_signals[i].property, f.signals[i].property);
      EXPECT_EQ(f.ghost_signals[i].value, old_course[k][i]) << k;
    }
    EXPECT_NE(f.signals[1].value, f.ghost_signals[1].value) << "the amplitude was changed";
  }
}

TEST_F(LiveRunTest, a_branch_from_within_a_push_lets_go) {
  eventful_run();
  ASSERT_EQ(seek(200), "");
  const auto is_pushed = [&] {
    const Frame& f = run_->look();
    return std::any_of(f.contacts.begin(), f.contacts.end(), [](const Contact& c) { return c.other == kUserPush; });
  };
  EXPECT_TRUE(is_pushed()) << "as it was";
  ASSERT_EQ(run_->carry_out(Branch{}), "");
  EXPECT_FALSE(is_pushed()) << "its recorded end is gone, and no hand holds it";
  step(50);
  const std::uint64_t hash = run_->look().hash;
  ASSERT_EQ(seek(210), "");
  step(40);
  EXPECT_EQ(run_->look().hash, hash) << "letting go is part of the course";
}

TEST_F(LiveRunTest, seek_pauses_and_stays_within_the_past) {
  eventful_run();
  run_->carry_out(Resume{});
  ASSERT_EQ(seek(1000000), "");
  EXPECT_TRUE(run_->look().paused);
  EXPECT_EQ(world_->k(), run_->k_max());
}

TEST_F(LiveRunTest, memory_is_bounded_by_giving_up_the_oldest_past) {
  std::vector<std::byte> one;
  world_->save(one);
  LiveRunOptions options;
  options.memory_max = 8 * one.size();
  make(options);
  eventful_run();
  EXPECT_LE(run_->memory(), options.memory_max);
  EXPECT_GT(run_->k_min(), 0u);
  EXPECT_LT(run_->k_min(), 700u);
  ASSERT_EQ(seek(0), "");
  EXPECT_EQ(world_->k(), run_->k_min());
  EXPECT_EQ(run_->look().hash, hashes_[run_->k_min()]);
  step(700 - static_cast<int>(run_->k_min()));
  EXPECT_EQ(run_->look().hash, hashes_[700]) << "actions before the oldest snapshot are in it";
}

TEST_F(LiveRunTest, memory_stays_bounded_beside_a_ghost) {
  std::vector<std::byte> one;
  world_->save(one);
  LiveRunOptions options;
  options.memory_max = 8 * one.size();
  make(options);
  for (int branch = 0; branch < 5; ++branch) {
    step(900);
    ASSERT_EQ(seek(world_->k() - 450), "");
    ASSERT_EQ(run_->carry_out(SetProperty{5, 1.0 + branch}), "");
    step(300);
    EXPECT_FALSE(run_->look().ghosts.empty()) << branch;
    EXPECT_LE(run_->memory(), options.memory_max) << branch;
  }
}

TEST_F(LiveRunTest, no_step_is_taken_beyond_the_last) {
  LiveRunOptions options;
  options.k_last = 25;
  make(options);
  run_->carry_out(Speed{std::numeric_limits<double>::infinity()});
  run_->carry_out(Resume{});
  for (int i = 0; i < 50; ++i) run_->turn();
  EXPECT_EQ(world_->k(), 25u);
}

TEST_F(LiveRunTest, reset_starts_the_same_run_again) {
  eventful_run();
  ASSERT_EQ(run_->carry_out(Reset{}), "");
  EXPECT_EQ(run_->look().k, 0u);
  EXPECT_EQ(run_->look().t_max, 0);
  step(100);
  EXPECT_EQ(run_->look().hash, hashes_[100]);
}

TEST_F(LiveRunTest, a_refused_change_leaves_no_trace) {
  step(50);
  EXPECT_NE(run_->carry_out(SetMotion{2, 0}), "") << "the ball has one level";
  step(50);
  ASSERT_EQ(seek(20), "");
  step(80);
  EXPECT_EQ(world_->k(), 100u);
}

}  // namespace
}  // namespace gradus::view
