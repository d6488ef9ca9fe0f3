/// The walk over limbs that a GPU takes [batch/gpu/limb_step.h], on a CPU against the step of lanes.
#include "unit/batch/fixtures.h"

#include "batch/constants.h"
#include "batch/gpu/limb_host.h"

namespace gradus::test {
namespace {

constexpr LaneType kDouble{false, 1};

struct Limbs {
  explicit Limbs(const Model& model, int warps) : constants(*model.robots[0].kind), at(make_row_layout(model.robots[0].kind->njoint(), static_cast<int>(model.robots[0].kind->points.size()))) {
    EXPECT_TRUE(make_limb_robot(constants.view(model), warps, data, error)) << error;
  }
  std::vector<double> row_of(const Start& s) const {
    std::vector<double> row(static_cast<std::size_t>(at.size), 0.0);
    std::copy(s.q.begin(), s.q.end(), row.begin() + at.q);
    std::copy(s.v.begin(), s.v.end(), row.begin() + at.v);
    std::copy(s.target.begin(), s.target.end(), row.begin() + at.target);
    return row;
  }
  void step(std::vector<double>& row, int steps) const {
    data.robot.plan.warps == 1 ? step_limbs<double, 1>(data, at, row.data(), steps) : step_limbs<double, 4>(data, at, row.data(), steps);
  }
  KindConstants<double> constants;
  RowLayout at;
  LimbRobotData<double> data;
  std::string error;
};

/// Places, velocities and joint forces after `steps` are those of lanes to rounding: what falls touch nothing at times, where
/// sums are made in another order.
void expect_step_of_lanes(const std::string& robot, int warps, double tumble, int worlds, int steps) {
  const Model model = model_of(robot);
  const Limbs limbs(model, warps);
  double worst = 0;
  for (int w = 0; w < worlds; ++w) {
    const Start start = perturbed(model, w, tumble);
    auto lane = lanes_of(model, 1, kDouble);
    put(*lane, 0, start);
    lane->step(steps);
    std::vector<double> row = limbs.row_of(start);
    limbs.step(row, steps);
    const Now now = read(*lane, 0);
    const auto compare = [&](const std::vector<double>& x, int at, double scale) {
      for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - row[static_cast<std::size_t>(at) + i]) / scale);
    };
    compare(now.q, limbs.at.q, 1), compare(now.v, limbs.at.v, 100), compare(now.tau, limbs.at.r, 1000);
    EXPECT_GT(std::abs(now.v[7]), 0) << "something moves";
  }
  std::printf("  %s: %.1e\n", robot.c_str(), worst);
  EXPECT_LE(worst, 1e-11) << robot << ", " << warps << " warps";
}

const char* const kSmall[] = {"humanoid28.toml", "quadruped.urdf", "kidsize.toml", "dog.toml", "double_pendulum.toml", "cart_pole.toml"};
const char* const kLegged[] = {"humanoid28.toml", "quadruped.urdf", "kidsize.toml", "dog.toml", "go1.toml", "messor.urdf"};

TEST(Limbs, one_warp_stands_as_lanes_do) {
  for (const char* robot : kSmall) expect_step_of_lanes(robot, 1, 0, 2, 300);
}
TEST(Limbs, one_warp_falls_as_lanes_do) {
  for (const char* robot : kSmall) expect_step_of_lanes(robot, 1, 1, 8, 250);
}
TEST(Limbs, four_warps_stand_as_lanes_do) {
  for (const char* robot : kLegged) expect_step_of_lanes(robot, 4, 0, 1, 60);
}
TEST(Limbs, four_warps_fall_as_lanes_do) {
  for (const char* robot : kLegged) expect_step_of_lanes(robot, 4, 1, 1, 100);
}

TEST(Limbs, every_link_is_walked_once_by_the_warp_of_its_limb) {
  for (const char* robot : kLegged) {
    const Model model = model_of(robot);
    const RobotKind& kind = *model.robots[0].kind;
    const LimbPlan plan = Limbs(model, 4).data.robot.plan;
    std::vector<int> warp_of(kind.links.size(), -1);
    for (int w = 0; w < 4; ++w)
      for (int r = 0; r < plan.run_count[w]; ++r)
        for (int i = plan.runs[w][r].first; i <= plan.runs[w][r].last; ++i) {
          EXPECT_EQ(warp_of[static_cast<std::size_t>(i)], -1) << robot << i;
          warp_of[static_cast<std::size_t>(i)] = w;
        }
    for (std::size_t i = 1; i < kind.links.size(); ++i) {
      EXPECT_GE(warp_of[i], 0) << robot << i;
      const int parent = kind.links[i].parent;
      if (parent == 0) continue;
      EXPECT_EQ(warp_of[i], warp_of[static_cast<std::size_t>(parent)]) << robot << i;
    }
  }
}
TEST(Limbs, legs_are_dealt_to_warps_of_their_own) {
  const LimbPlan plan = Limbs(model_of("quadruped.urdf"), 0).data.robot.plan;
  EXPECT_EQ(plan.warps, 4);
  for (int w = 0; w < 4; ++w) EXPECT_EQ(plan.run_count[w], w == plan.root_warp ? 2 : 1);  // the root is a run of its own
  EXPECT_EQ(Limbs(model_of("double_pendulum.toml"), 0).data.robot.plan.warps, 1);
}
TEST(Limbs, what_they_cannot_do_is_said) {
  const auto refusal = [](const std::string& robot) {
    const Model model = model_of(robot);
    const KindConstants<double> k(*model.robots[0].kind);
    LimbRobotData<double> data;
    std::string error;
    EXPECT_FALSE(make_limb_robot(k.view(model), 0, data, error));
    return error;
  };
  EXPECT_EQ(refusal("nao_h25_v6.toml"), "one motor on two joints");
  EXPECT_EQ(refusal("anymal.toml"), "more than 64 contact points in what one warp walks");
}

}  // namespace
}  // namespace gradus::test
