// The benchmark measures what it says: peers have the same robot, native lanes the same motion, rows are complete.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/bench.h"
#include "bench/mjcf.h"
#include "bench/mujoco.h"
#include "tree/kernels.h"
#include "unit/batch/fixtures.h"

namespace gradus::test {
namespace {

TEST(Bench, an_unknown_name_is_refused_with_a_suggestion) {
  const std::vector<std::string> names{"stant"};
  const auto rows = bench::run_benchmarks(names, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.notes().at(0).text, "unknown benchmark 'stant'");
  EXPECT_EQ(rows.notes().at(0).suggestion, "did you mean 'stand'?");
}

TEST(Bench, rows_say_how_they_were_made_and_repeat_their_hash) {
  bench::BenchOptions options;
  options.data_dir = GRADUS_SOURCE_DIR;
  options.rounds = 1;
  options.block_seconds = 1e-4;
  const std::vector<std::string> names{"stand"};
  const auto a = bench::run_benchmarks(names, options), b = bench::run_benchmarks(names, options);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->size(), b->size());
  ASSERT_GE(a->size(), 2u);
  for (std::size_t i = 0; i < a->size(); ++i) {
    const bench::BenchRow& r = (*a)[i];
    EXPECT_EQ(r.hash, (*b)[i].hash) << r.variant;
    EXPECT_FALSE(r.cpu.empty() || r.compiler.empty() || r.flags.empty() || r.commit.empty());
    if (r.note == "not installed") continue;
    EXPECT_EQ(r.note, "");
    EXPECT_GT(r.ns_per_robot_step, 0);
    EXPECT_EQ(r.contacts, 8) << r.engine << " " << r.variant;
    EXPECT_FALSE(r.methods.empty());
  }
}

// Multiply-adds are contracted: not the same bits, but the same motion to the rounding of a second of standing.
TEST(Bench, native_lanes_stand_as_portable_ones_do) {
  const Model model = model_of("humanoid28.toml");
  if (native_kernels().empty()) GTEST_SKIP() << "native kernels cannot run here";
  for (const LaneType type : {LaneType{true, 16}, LaneType{false, 8}}) {
    Lanes::Options options;
    options.type = type;
    options.kernels = native_kernels();
    auto native = Lanes::make(model, 0, 16, options);
    ASSERT_TRUE(native);
    auto portable = lanes_of(model, 16, type);
    for (Lanes* l : {native->get(), portable.get()})
      for (int w = 0; w < 16; ++w) put(*l, w, perturbed(model, w, 0));
    (*native)->step(1000);
    portable->step(1000);
    const double tolerance = type.single ? 1e-3 : 1e-9;
    for (int w = 0; w < 16; ++w) EXPECT_LT(distance(read(**native, w).q, read(*portable, w).q), tolerance) << w;
  }
}

/// Accelerations of the joints under the servo's forces, as MuJoCo computes them: position term bounded, damping not.
std::vector<double> accelerations(const RobotKind& kind, const Start& s) {
  std::vector<double> tau, a(static_cast<std::size_t>(kind.nv()));
  for (std::size_t j = 0; j < kind.joints.size(); ++j) {
    const ServoSpec& servo = kind.joints[j].servo;
    tau.push_back(clamped(servo.kp * (s.target[j] - s.q[7 + j]), -servo.torque, servo.torque) - servo.kd * s.v[6 + j]);
  }
  TreeScratch scratch(kind);
  forward_dynamics(kind, s.q.data(), s.v.data(), tau.data(), {0, 0, -9.81}, scratch, a.data());
  return a;
}

// Wrong signs of an axis, an inertia or an offset anywhere in the MJCF would show here.
TEST(Bench, mujoco_has_the_same_robot) {
  if (!bench::Mujoco::installed()) GTEST_SKIP() << "libmujoco-dev is not installed";
  const Model model = model_of("humanoid28.toml", false);
  const RobotKind& kind = *model.robots[0].kind;
  bench::MjcfOptions options;
  options.ground = false;
  auto peer = bench::Mujoco::make(bench::to_mjcf(kind, {}, options));
  ASSERT_TRUE(peer) << to_string(peer.notes().at(0));
  bench::Mujoco& m = **peer;
  ASSERT_EQ(m.nq(), kind.nq());
  for (int seed = 0; seed < 10; ++seed) {
    Start s = perturbed(model, seed, 0.3);
    for (int i = 0; i < 6; ++i)
      s.v[static_cast<std::size_t>(i)] = 0;               // MuJoCo turns the base's velocity into its own axes
    for (std::size_t j = 0; j < kind.joints.size(); ++j)  // away from the stops, which are soft in both
      s.q[7 + j] = clamped(s.q[7 + j], kind.joints[j].lower + 0.05, kind.joints[j].upper - 0.05);
    std::copy(s.q.begin(), s.q.end(), m.q().begin());
    std::copy(s.v.begin(), s.v.end(), m.v().begin());
    std::copy(s.target.begin(), s.target.end(), m.ctrl().begin());
    m.forward();
    const std::vector<double> a = accelerations(kind, s);
    double most = 0, error = 0;
    for (std::size_t j = 6; j < a.size(); ++j) {
      most = std::max(most, std::abs(a[j]));
      error = std::max(error, std::abs(a[j] - m.acceleration()[j]));
    }
    EXPECT_LT(error, 1e-8 * most) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gradus::test
