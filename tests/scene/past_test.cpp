/// Runs with control programs that go back: gaits, programs in a process of their own, libraries.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "load/scene_toml.h"
#include "session/session.h"

namespace gradus::test {
namespace {

namespace fs = std::filesystem;

/// A folder of one test's own.
class Past : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("gradus_past_" + std::to_string(::getpid()) + "_" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// An arm whose program is the Python text.
  std::unique_ptr<Session> arm(const std::string& program) {
    std::ofstream(folder_ / "program.py") << "import json, os, sys\nrobot = sys.stdin.readline()\n" << program;
    std::ofstream(folder_ / "scene.toml") << "[world]\nstep = \"1 ms\"\n[robot.arm]\nmodel = \"" GRADUS_SOURCE_DIR "/robots/one_dof_arm.toml\"\n"
                                             "controller = { process = \"program.py\", rate = \"100 Hz\" }\n";
    return session(folder_ / "scene.toml");
  }
  static std::unique_ptr<Session> session(const fs::path& file) {
    auto scene = load_scene(file.string());
    EXPECT_TRUE(scene);
    if (!scene) return nullptr;
    auto made = Session::make(std::move(*scene), {});
    EXPECT_TRUE(made);
    return made ? std::move(*made) : nullptr;
  }
  int starts() const {  // how often the program was begun
    std::ifstream in(folder_ / "starts");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(in), {}, 'x'));
  }
  fs::path folder_;
};

void run(Session& s, int steps) {
  for (int i = 0; i < steps; ++i) s.step();
}

/// Targets that depend on all that it was told: an integral of the angle and a count of calls.
constexpr const char* kRemembers = R"(
open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "starts"), "a").write("x")
total, calls = 0.0, 0
for line in sys.stdin:
    total += json.loads(line)["q"][0]
    calls += 1
    print(json.dumps({"target": [0.02 * calls - 0.3 * total]}), flush=True)
)";

constexpr const char* kSaves = R"(
total, calls = 0.0, 0
for line in sys.stdin:
    told = json.loads(line)
    if "save" in told:
        print(json.dumps({"state": [total, calls]}), flush=True)
    elif "restore" in told:
        total, calls = told["restore"]
        print("{}", flush=True)
    else:
        total += told["q"][0]
        calls += 1
        print(json.dumps({"target": [0.02 * calls - 0.3 * total], "saves": True}), flush=True)
)";

/// Saves in the middle, runs on, goes back, runs on again: the same bits. Then goes back and does something else.
void goes_back_and_forth(Session& s) {
  ASSERT_EQ(s.keeps_no_past(), "");
  run(s, 300);
  const Bytes middle = s.save();
  run(s, 400);
  const std::uint64_t end = s.world().hash();
  ASSERT_EQ(s.stopped(), "");
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(s.restore(middle));
    run(s, 400);
    EXPECT_EQ(s.world().hash(), end);
    EXPECT_EQ(s.stopped(), "");
  }
}

TEST_F(Past, a_gait_goes_on_from_where_it_was) {
  const auto s = session(fs::path(GRADUS_SOURCE_DIR) / "scenes/messor_rough.toml");
  ASSERT_TRUE(s);
  ASSERT_EQ(s->keeps_no_past(), "");
  run(*s, 1500);
  const Bytes middle = s->save();
  run(*s, 700);
  const std::uint64_t end = s->world().hash();
  ASSERT_TRUE(s->restore(middle));
  run(*s, 700);
  EXPECT_EQ(s->world().hash(), end);
  const auto other = s->twin();  // another session of the same scene: a ghost
  ASSERT_TRUE(other && other->restore(middle));
  run(*other, 700);
  EXPECT_EQ(other->world().hash(), end);
}

TEST_F(Past, a_program_that_saves_what_it_knows) {
  const auto s = arm(kSaves);
  ASSERT_TRUE(s);
  const Bytes start = s->save();
  goes_back_and_forth(*s);
  const std::uint64_t end = s->world().hash();
  ASSERT_TRUE(s->restore(start));  // from before it said that it saves: it is started again
  run(*s, 700);
  EXPECT_EQ(s->world().hash(), end);
}

TEST_F(Past, a_program_that_does_not_is_told_all_again_when_the_run_takes_another_way) {
  const auto s = arm(kRemembers);
  ASSERT_TRUE(s);
  const Bytes start = s->save();
  goes_back_and_forth(*s);
  EXPECT_EQ(starts(), 1);  // where all is as it was, nobody need be asked
  // Another way, from the middle: what comes must be what a run gives that goes this way at once.
  const auto shove = [](Session& x) {
    Command c;
    c.kind = Command::Kind::set;
    c.name = "arm.shoulder.kp", c.value = 40;
    ASSERT_EQ(x.apply_now(c), "");
  };
  ASSERT_TRUE(s->restore(start));
  run(*s, 350);
  shove(*s);
  run(*s, 350);
  EXPECT_EQ(s->stopped(), "");
  EXPECT_EQ(starts(), 2);
  const auto fresh = arm(kRemembers);
  run(*fresh, 350);
  shove(*fresh);
  run(*fresh, 350);
  EXPECT_EQ(s->world().hash(), fresh->world().hash());
}

TEST_F(Past, a_program_that_does_not_repeat_itself_is_found_out) {
  const auto s = arm(R"(
import random
for line in sys.stdin:
    print(json.dumps({"target": [0.1 * random.random()]}), flush=True)
)");  // small steps: within its torque limit the servo obeys kp
  ASSERT_TRUE(s);
  const Bytes start = s->save();
  run(*s, 100);
  ASSERT_TRUE(s->restore(start));
  run(*s, 50);
  Command c;
  c.kind = Command::Kind::set;
  c.name = "arm.shoulder.kp", c.value = 40;
  ASSERT_EQ(s->apply_now(c), "");
  run(*s, 20);
  EXPECT_NE(s->stopped().find("answers otherwise"), std::string::npos) << s->stopped();
}

/// tests/cli/controllers.c: what it asks for depends on how often it was called.
TEST_F(Past, a_library_that_saves_what_it_knows_and_one_that_does_not) {
  const auto arm_of = [&](const std::string& library) {
    std::ofstream(folder_ / "scene.toml") << "[world]\nstep = \"1 ms\"\n[robot.arm]\nmodel = \"" GRADUS_SOURCE_DIR "/robots/one_dof_arm.toml\"\n"
                                          << "controller = { library = \"" << GRADUS_CONTROLLERS_DIR << "/lib" << library
                                          << ".so\", rate = \"100 Hz\" }\n";
    return session(folder_ / "scene.toml");
  };
  const auto s = arm_of("remembers");
  ASSERT_TRUE(s);
  goes_back_and_forth(*s);
  const auto other = arm_of("nothing");
  ASSERT_TRUE(other);
  EXPECT_NE(other->keeps_no_past().find("does not save what it knows"), std::string::npos) << other->keeps_no_past();
}

}  // namespace
}  // namespace gradus::test
