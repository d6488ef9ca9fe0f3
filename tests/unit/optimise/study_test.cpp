// Formulas, study files, and searches that are stopped and go on.
#include "optimise/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "load/scene_toml.h"
#include "load/settings_toml.h"
#include "load/shipped.h"
#include "optimise/search.h"

namespace gradus::optimise {
namespace {

namespace fs = std::filesystem;

/// A folder of this test alone.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gradus_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }
  std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

/// A ball that falls from 2 m: z = 2 + 0.1 − g t²/2 exactly (its step is of order two).
const char* const kDrop = R"(
[world]
step = "1 ms"
duration = "0.5 s"
gravity = "10 m/s^2"
[robot.ball]
model = "robots/spl_ball.toml"
motion = "free_body"
pose = { z = "2 m", yaw = "30 deg" }
velocity = { x = "3 m/s" }
)";

double value(const std::string& formula, double seconds = 0.5) {
  auto scene = parse_scene(kDrop, std::string(GRADUS_SOURCE_DIR) + "/scenes/drop.toml", shipped_files());
  if (!scene) throw std::runtime_error(to_string(scene.notes()[0]));
  auto session = Session::make(std::move(*scene), {});
  const auto e = Expression::parse(formula, {});
  if (!e) throw std::runtime_error(e.notes()[0].text);
  auto watch = e->bind(**session);
  if (!watch) throw std::runtime_error(watch.notes()[0].text);
  watch->look(**session);
  for (int k = 0; k < std::lround(seconds * 1000); ++k) (*session)->step(), watch->look(**session);
  return watch->value(**session);
}

TEST(Expression, arithmetic_binds_as_in_books) {
  EXPECT_DOUBLE_EQ(value("1 + 2*3 - 4/8"), 6.5);
  EXPECT_DOUBLE_EQ(value("2 - 3 - 4"), -5);
  EXPECT_DOUBLE_EQ(value("-2^2"), -4);
  EXPECT_DOUBLE_EQ(value("2^3^2"), 512);
  EXPECT_DOUBLE_EQ(value("2^-1"), 0.5);
  EXPECT_DOUBLE_EQ(value("(1 + 2)*(3 - 5)"), -6);
  EXPECT_NEAR(value("4^0.5 + sqrt(9) + abs(-2) + min(3, 1) + max(3, 1) + exp(0) + log(1)"), 12, 1e-13);
  EXPECT_NEAR(value("sin(1)^2 + cos(1)^2"), 1, 1e-15);
  EXPECT_DOUBLE_EQ(value("(1 < 2) + (1 > 2)"), 1);
}
TEST(Expression, functions_over_time_see_every_step) {
  // x = 3 t, z = 2 − 5 t²
  EXPECT_NEAR(value("ball.x"), 1.5, 1e-9);
  EXPECT_NEAR(value("first(ball.z)"), 2, 1e-9);
  EXPECT_NEAR(value("ball.z"), 2 - 5 * 0.25, 1e-9);
  EXPECT_NEAR(value("highest(ball.z) - lowest(ball.z)"), 1.25, 1e-9);
  EXPECT_NEAR(value("integral(ball.vx)"), 1.5, 1e-9);
  EXPECT_NEAR(value("mean(ball.x)"), 0.75, 0.0016);  // the step after each is counted: + 3 h/2
  EXPECT_NEAR(value("rms(ball.vx)"), 3, 1e-12);
  EXPECT_NEAR(value("mean(2*ball.vx - 1)"), 5, 1e-12);
  EXPECT_DOUBLE_EQ(value("count(fall) + count(goal, ball)"), 0);
  EXPECT_NEAR(value("time"), 0.5, 1e-12);
}
TEST(Expression, faults_are_told_with_their_place) {
  for (const char* wrong : {"", "1 +", "(1", "1)", "foo(2)", "mean(rms(ball.x))", "min(1)", "count()", "1 2", "3 $ 4", "1e", "-"}) {
    const auto e = Expression::parse(wrong, {"study.toml", 3, 7});
    ASSERT_FALSE(e) << wrong;
    EXPECT_EQ(e.notes()[0].place.line, 3);
  }
  EXPECT_NE(Expression::parse("hihgest(a.b)", {}).notes()[0].text.find("highest"), std::string::npos);
  const auto deep = Expression::parse(std::string(5000, '('), {});
  EXPECT_FALSE(deep);
  EXPECT_FALSE(Expression::parse(std::string(20000, '1'), {}));
  EXPECT_THROW(value("ball.zz"), std::runtime_error);
}

const char* const kStudy = R"TOML(
[study]
maximise    = "ball.x"
evaluations = 150
seed        = 5
[[parameter]]
path = "ball.pose.x"
low  = "-1 m"
high = "1 m"
[[parameter]]
path = "ball.pose.z"
low  = "1 m"
high = "3 m"
[[scene]]
file  = "drop.toml"
seeds = [1, 2]
[[constraint]]
formula = "highest(ball.z)"
at_most = 2.5
)TOML";

TEST(Study, finds_the_bound_and_keeps_the_constraint) {
  Folder f;
  f.file("drop.toml", kDrop);
  auto study = Study::load(f.file("study.toml", kStudy));
  ASSERT_TRUE(study) << to_string(study.notes()[0]);
  EXPECT_EQ(study->run_count(), 2);
  auto search = Search::open(std::move(*study), f.at("out"), false);
  ASSERT_TRUE(search);
  while (!(*search)->budget_is_spent(0)) {
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> done{0};
    EXPECT_EQ((*search)->tell(evaluate_all((*search)->study(), (*search)->ask(), 2, stop, done)), "");
  }
  const auto x = (*search)->study().values((*search)->best());
  EXPECT_GT(x[0], 0.98);  // x at the end = pose.x + 1.5
  EXPECT_LT(x[1], 2.5);
  EXPECT_NEAR((*search)->best_outcome().objective, x[0] + 1.5, 1e-9);
  EXPECT_EQ((*search)->best_outcome().violation, 0);
  // the result is a file that a scene takes
  std::string scene = kDrop;
  scene.insert(scene.find("step ="), "settings = [\"best.toml\"]\n");
  f.file("out/with.toml", scene);
  const auto with = load_scene(f.at("out/with.toml"), shipped_files());
  ASSERT_TRUE(with) << to_string(with.notes()[0]);
  EXPECT_EQ(with->robots[0].p_WB.x, x[0]);
  EXPECT_EQ(with->robots[0].p_WB.z, x[1]);
}

TEST(Study, a_search_that_was_stopped_ends_with_the_same_bits) {
  Folder f;
  f.file("drop.toml", kDrop);
  const std::string file = f.file("study.toml", kStudy);
  auto run = [&](const std::string& out, bool resume, int generations, int threads) {
    auto study = Study::load(file);
    auto search = Search::open(std::move(*study), f.at(out), resume);
    ASSERT_TRUE(search) << to_string(search.notes()[0]);
    for (int g = 0; g < generations && !(*search)->budget_is_spent(0); ++g) {
      std::atomic<bool> stop{false};
      std::atomic<std::int64_t> done{0};
      (*search)->tell(evaluate_all((*search)->study(), (*search)->ask(), threads, stop, done));
    }
  };
  run("whole", false, 1000, 1);
  run("parts", false, 3, 3);
  std::ofstream(f.at("parts/log.jsonl"), std::ios::app) << "{\"generation\":3,\"ind";  // killed while writing
  run("parts", true, 2, 1);
  run("parts", true, 1000, 2);
  EXPECT_EQ(text_of(f.at("whole/log.jsonl")), text_of(f.at("parts/log.jsonl")));
  EXPECT_EQ(text_of(f.at("whole/best.toml")), text_of(f.at("parts/best.toml")));
  // another study is not continued
  std::string other = kStudy;
  other.replace(other.find("2.5"), 3, "2.6");
  auto changed = Study::load(f.file("study.toml", other));
  const auto refused = Search::open(std::move(*changed), f.at("parts"), true);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.notes()[0].text.find("another study"), std::string::npos);
  // nor is a damaged checkpoint
  f.file("study.toml", kStudy);
  const std::string good = text_of(f.at("whole/checkpoint.json"));
  for (const std::size_t keep : {std::size_t{0}, std::size_t{20}, good.size() / 2, good.size() - 40}) {
    f.file("whole/checkpoint.json", good.substr(0, keep));
    auto study = Study::load(f.at("study.toml"));
    EXPECT_FALSE(Search::open(std::move(*study), f.at("whole"), true)) << keep;
  }
}

TEST(Study, every_fault_is_told_at_its_place) {
  Folder f;
  f.file("drop.toml", kDrop);
  const std::string good = kStudy;
  auto faults = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto study = Study::load(f.file("study.toml", text));
    return study ? std::string("none") : to_string(study.notes()[0]);
  };
  EXPECT_NE(faults("ball.pose.z", "ball.pose.w").find("ball.pose.w"), std::string::npos);
  EXPECT_NE(faults("\"1 m\"", "\"-1 m\"").find("high must be above low"), std::string::npos);
  EXPECT_NE(faults("\"1 m\"", "\"-2 m\"").find("wrong way round"), std::string::npos);
  EXPECT_NE(faults("\"1 m\"", "\"1 s\"").find("the same unit"), std::string::npos);
  EXPECT_NE(faults("\"1 m\"", "1").find("unit"), std::string::npos);
  EXPECT_NE(faults("maximise    = \"ball.x\"", "maximise = \"ball.xx\"").find("ball.xx"), std::string::npos);
  EXPECT_NE(faults("maximise ", "maximize ").find("maximi"), std::string::npos);
  EXPECT_NE(faults("drop.toml", "dorp.toml").find("dorp"), std::string::npos);
  EXPECT_NE(faults("seeds = [1, 2]", "seeds = [\"a\"]").find("seeds"), std::string::npos);
  EXPECT_NE(faults("evaluations = 150", "evaluations = 0").find("evaluations"), std::string::npos);
  EXPECT_NE(faults("seed        = 5", "method = \"cmaa\"").find("cma"), std::string::npos);
  EXPECT_NE(faults("at_most = 2.5", "").find("at_most"), std::string::npos);
}

TEST(Study, runs_that_fail_are_ranked_last_and_told) {
  Folder f;
  f.file("drop.toml", kDrop);
  std::string text = kStudy;
  text.replace(text.find("\"ball.x\""), 8, "\"log(ball.z - 0.25)\"");  // no value where it starts below 1.5 m
  auto study = Study::load(f.file("study.toml", text));
  ASSERT_TRUE(study) << to_string(study.notes()[0]);
  const Outcome low = study->evaluate({0.5, 0.0}), high = study->evaluate({0.5, 0.6}), over = study->evaluate({0.5, 0.9});
  EXPECT_EQ(low.failed, 2);
  EXPECT_NE(low.why.find("finite"), std::string::npos);
  EXPECT_GT(low.rank, over.rank);    // failed is worse than a broken constraint
  EXPECT_GT(over.rank, high.rank);   // which is worse than any that keeps it
  EXPECT_GT(over.violation, 0);
}

TEST(Settings, wrong_files_are_refused) {
  Folder f;
  EXPECT_FALSE(load_settings(f.at("none.toml")));
  EXPECT_FALSE(load_settings(f.file("a.toml", "[setting]\nx = 1\n")));
  EXPECT_FALSE(load_settings(f.file("b.toml", "[settings]\n\"a.b\" = [1]\n")));
  const auto good = load_settings(f.file("c.toml", "[settings]\n\"a.b\" = \"3 m\"\n\"a.a\" = 2\n"));
  ASSERT_TRUE(good);
  EXPECT_EQ((*good)[0].assignment, "a.b=3 m");
  EXPECT_EQ((*good)[1].assignment, "a.a=2");
  EXPECT_EQ((*good)[1].place.line, 3);
}

}  // namespace
}  // namespace gradus::optimise
