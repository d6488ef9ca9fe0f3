// What a program outside can do with the installed library, header by header.
#include <gradus/build.h>
#include <gradus/gradus.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

void expect(bool good, const char* what) {
  if (good) return;
  std::printf("not so: %s\n", what);
  std::exit(1);
}

/// Load, step, read; a level change, a snapshot and the error of a wrong path.
void load_and_step(const char* scene) {
  auto sim = gradus::Simulation::load(scene);
  const double start = sim.get("level3.x");
  sim.step(3000);
  expect(sim.get("level3.x") > start + 0.05, "the robot walks");
  sim.set_motion("level3", "prescribed_joints");
  const auto saved = sim.save();
  sim.step(100);
  const auto hash = sim.hash();
  sim.restore(saved);
  sim.step(100);
  expect(sim.hash() == hash, "restore gives the same state");
  try {
    sim.get("level3.nose");
    expect(false, "a wrong path is refused");
  } catch (const gradus::Error& e) {
    std::printf("ok: %s\n", e.what());
  }
}

/// Handles and arrays, contacts, poses, events, logs.
void look_inside(const char* scene, const char* log) {
  gradus::Simulation::Options options;
  options.logs = {log};
  auto sim = gradus::Simulation::load(scene, options);
  const int robot = sim.find_robot("level3");
  const auto z = sim.property("level3.z");
  const auto knee = sim.property("level3.left_knee.target");
  sim.step(10);
  expect(sim.get(z) == sim.q(robot)[2], "a handle and an array show the same number");
  sim.set(knee, 0.25);
  expect(sim.get("level3.left_knee.target") == 0.25, "a handle writes");
  double carried = 0;
  for (const auto& c : sim.contacts())
    if (c.robot == "level3" && c.other == "ground") carried += c.force[2];
  expect(carried > 5, "the ground carries the robot");
  expect(std::fabs(sim.pose(robot, sim.bodies(robot)[0]).position[2] - sim.q(robot)[2]) < 0.5, "bodies have poses");
  expect(sim.joints(robot).size() + 7 == sim.q(robot).size(), "joints and coordinates fit");
  const double blow[3] = {0, 6, 0}, point[3] = {0, 0, 0.1};
  sim.kick(robot, sim.bodies(robot)[0], blow, point);
  sim.step(3000);
  bool fell = false;
  for (const auto& e : sim.events()) fell = fell || (e.kind == "fall" && e.robot == "level3");
  expect(fell, "a robot that was hit falls, and it is told");
  sim.close_logs();
}

/// A pendulum made in code, driven by torque: a quarter turn against gravity.
void build_in_code() {
  gradus::RobotDraft arm("arm");
  arm.fixed().base("post").revolute("elbow", {0, 1, 0}).servo(0, 0, 20).solid_box(1, {0.02, 0.02, 0.3}, {0, 0, -0.15});
  gradus::SceneDraft scene(0.001);
  scene.ground().add("arm1", arm, {0, 0, 1}).impedance();
  auto sim = gradus::Simulation::build(scene);
  const int robot = sim.find_robot("arm1");
  auto drive = sim.impedance(robot);
  const double load = 1 * 9.81 * 0.15;  // at a right angle
  for (int i = 0; i < 4000; ++i) {
    const double q = sim.q(robot)[7], v = sim.v(robot)[6];
    drive.torque[0] = -load - 8 * (q + 1.5708) - 0.8 * v;
    sim.step();
  }
  expect(std::fabs(sim.q(robot)[7] + 1.5708) < 1e-3, "torque control holds the arm level");
  try {
    sim.set_state(robot, {}, {});
    expect(false, "a state of the wrong length is refused");
  } catch (const gradus::Error& e) {
    std::printf("ok: %s\n", e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  load_and_step(argv[1]);
  look_inside(argv[1], "look_inside.mcap");
  build_in_code();
}
