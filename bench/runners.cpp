#include "bench/runners.h"

#include <algorithm>

#include "batch/lanes/lanes.h"
#include "bench/mjcf.h"
#include "bench/mujoco.h"
#include "world/world.h"

namespace gradus::bench {
namespace {

class WorldRunner : public Runner {
 public:
  explicit WorldRunner(std::unique_ptr<World> world) : world_(std::move(world)) {}
  void run(int steps) override {
    for (int i = 0; i < steps; ++i) world_->step();
  }
  void set_targets(std::span<const double> target) override {
    for (int r = 0; r < world_->robot_count(); ++r) std::copy(target.begin(), target.end(), world_->targets(r).begin());
  }
  void describe(BenchRow& out) override {
    out.contacts = world_->scratch(0).contact_count;
    out.hash = world_->hash();
    if (world_->report().not_finite >= 0) out.note = "state is not finite";
  }

 private:
  std::unique_ptr<World> world_;
};

class LanesRunner : public Runner {
 public:
  explicit LanesRunner(std::unique_ptr<Lanes> lanes) : lanes_(std::move(lanes)) {}
  void run(int steps) override { lanes_->step(steps); }
  void set_targets(std::span<const double> target) override {
    for (int w = 0; w < lanes_->worlds(); ++w) lanes_->write_targets(w, target);
  }
  int worlds() const override { return lanes_->worlds(); }
  void set_world_targets(int world, std::span<const double> target) override { lanes_->write_targets(world, target); }
  void describe(BenchRow& out) override {
    out.contacts = 0;
    for (int k = 0; k < static_cast<int>(lanes_->kind().points.size()); ++k)
      out.contacts += lanes_->normal_force(0, k) > 0;
    out.hash = lanes_->hash();
    if (!lanes_->finite(0)) out.note = "state is not finite";
  }

 private:
  std::unique_ptr<Lanes> lanes_;
};

class MujocoRunner : public Runner {
 public:
  explicit MujocoRunner(std::unique_ptr<Mujoco> mujoco) : mujoco_(std::move(mujoco)) {}
  void run(int steps) override { mujoco_->step(steps); }
  void set_targets(std::span<const double> target) override {
    std::copy(target.begin(), target.end(), mujoco_->ctrl().begin());
  }
  void describe(BenchRow& out) override { out.contacts = mujoco_->contact_count(); }

 private:
  std::unique_ptr<Mujoco> mujoco_;
};

}  // namespace

Result<std::unique_ptr<Runner>> make_world_runner(const Model& model, const std::string& variant) {
  auto world = World::make(model);
  if (!world) return world.notes();
  auto r = std::make_unique<WorldRunner>(std::move(*world));
  r->row.engine = "gradus";
  r->row.variant = variant;
  r->row.robots = static_cast<int>(model.robots.size());
  r->row.methods = model.robots[0].motion + ", compliant ground points, " +
                   (model.robots[0].kind->drives.empty() ? "servo" : "actuator chains") + ", double";
  return std::unique_ptr<Runner>(std::move(r));
}

Result<std::unique_ptr<Runner>> make_lanes_runner(const Model& model, int worlds, LaneType type,
                                                  std::span<const LaneKernel> kernels, const std::string& variant,
                                                  int predictions) {
  Lanes::Options options;
  options.predictions = predictions;
  options.type = type;
  options.kernels = kernels;
  auto lanes = Lanes::make(model, 0, worlds, options);
  if (!lanes) return lanes.notes();
  auto r = std::make_unique<LanesRunner>(std::move(*lanes));
  r->row.engine = "gradus";
  r->row.variant = variant;
  r->row.robots = worlds;
  r->row.methods = std::string("articulated, compliant ground points, servo, ") + (type.single ? "float" : "double") +
                   " x " + std::to_string(type.lanes);
  return std::unique_ptr<Runner>(std::move(r));
}

Result<std::unique_ptr<Runner>> make_mujoco_runner(const Model& model, const ContactSpec& contact) {
  const RobotModel& robot = model.robots[0];
  MjcfOptions options;
  options.step = model.step;
  options.gravity = model.gravity;
  options.ground = model.ground.present;
  auto mujoco = Mujoco::make(to_mjcf(*robot.kind, contact, options));
  if (!mujoco) return mujoco.notes();
  auto q = (*mujoco)->q();
  const double base[7] = {robot.p_WB.x, robot.p_WB.y, robot.p_WB.z, robot.q_WB.w,
                          robot.q_WB.x, robot.q_WB.y, robot.q_WB.z};
  std::copy(base, base + 7, q.begin());
  for (std::size_t j = 0; j < robot.kind->joints.size(); ++j)
    q[7 + j] = (*mujoco)->ctrl()[j] = robot.kind->joints[j].initial;
  auto r = std::make_unique<MujocoRunner>(std::move(*mujoco));
  r->row.engine = "mujoco " + Mujoco::version();
  r->row.variant = "Euler, Newton, pyramidal";
  r->row.methods = "mj_step, double";
  return std::unique_ptr<Runner>(std::move(r));
}

}  // namespace gradus::bench
