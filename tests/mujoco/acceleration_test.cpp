/// Accelerations against an independent witness: Debian's MuJoCo. Its free joint has the linear velocity in world axes
/// and the angular one in the body's own, ours has both in world axes.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cstring>

#include "support/dense.h"
#include "support/mjcf.h"
#include "support/robots.h"
#include "tree/kernels.h"

namespace gradus::test {
namespace {

constexpr Vec3 kGravity{0.7, -1.3, -9.81};

class Witness {
 public:
  explicit Witness(const RobotKind& kind) : free_(kind.root == RootKind::free) {
    const std::string xml = to_mjcf(kind, kGravity);
    auto vfs = std::make_unique<mjVFS>();
    mj_defaultVFS(vfs.get());
    mj_makeEmptyFileVFS(vfs.get(), "robot.xml", static_cast<int>(xml.size()));
    std::memcpy(vfs->filedata[0], xml.data(), xml.size());
    char error[1000] = "";
    model_ = mj_loadXML("robot.xml", vfs.get(), error, sizeof error);
    mj_deleteVFS(vfs.get());
    if (!model_) throw std::runtime_error(std::string(error) + "\n" + xml);
    data_ = mj_makeData(model_);
  }
  ~Witness() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  /// In our convention: root angular (3), root linear (3), joints.
  std::vector<double> accelerations(const RandomState& s, const std::vector<double>& tau) {
    const Mat3 R = to_matrix(base_orientation(s.q.data()));
    const std::size_t joints = s.q.size() - 7, root_q = free_ ? 7 : 0, root_v = free_ ? 6 : 0;
    if (free_) {
      std::copy(s.q.begin(), s.q.begin() + 7, data_->qpos);
      const Vec3 w_B = transpose_times(R, base_angular_velocity(s.v.data()));
      const double twist[6] = {s.v[3], s.v[4], s.v[5], w_B.x, w_B.y, w_B.z};
      std::copy(twist, twist + 6, data_->qvel);
    }
    for (std::size_t i = 0; i < joints; ++i) {
      data_->qpos[root_q + i] = s.q[7 + i];
      data_->qvel[root_v + i] = s.v[6 + i];
      data_->qfrc_applied[root_v + i] = tau[6 + i];
    }
    mj_forward(model_, data_);
    std::vector<double> a(s.v.size(), 0.0);
    for (std::size_t i = 0; i < joints; ++i) a[6 + i] = data_->qacc[root_v + i];
    if (free_) {
      const Vec3 w = R * Vec3{data_->qacc[3], data_->qacc[4], data_->qacc[5]};
      const double root[6] = {w.x, w.y, w.z, data_->qacc[0], data_->qacc[1], data_->qacc[2]};
      std::copy(root, root + 6, a.begin());
    }
    return a;
  }

 private:
  bool free_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

/// `states` random states; returns the worst relative difference.
double worst_difference(const RobotSpec& spec, int states) {
  const auto kind = kind_of(spec);
  Witness witness(*kind);
  TreeScratch scratch(*kind);
  Random random(19);
  double worst = 0;
  for (int k = 0; k < states; ++k) {
    const RandomState s = random_state(*kind, random);
    std::vector<double> tau(s.v.size(), 0.0), a(s.v.size());
    for (std::size_t i = 6; i < tau.size(); ++i) tau[i] = random.in(-10, 10);
    forward_dynamics(*kind, s.q.data(), s.v.data(), tau.data() + 6, kGravity, scratch, a.data());
    // Forward dynamics knows accelerations of the root's origin; ours are spatial: the origin's own is v̇, the same.
    worst = std::max(worst, relative_error(a, witness.accelerations(s, tau)));
  }
  return worst;
}

TEST(MuJoCo, accelerations_of_the_humanoid_agree) { EXPECT_LT(worst_difference(humanoid28(), 1000), 1e-8); }
TEST(MuJoCo, accelerations_of_the_fixed_arm_agree) { EXPECT_LT(worst_difference(fixed_arm(), 1000), 1e-8); }
TEST(MuJoCo, accelerations_of_random_trees_agree) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_LT(worst_difference(random_tree(seed), 50), 1e-8) << seed;
}

}  // namespace
}  // namespace gradus::test
