// Servo models from recordings: the bench against a World, known truth, and recordings that are no good.
#include "fit/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "fit/numbers.h"
#include "load/servo_toml.h"
#include "world/world.h"

namespace gradus::fit {
namespace {

namespace fs = std::filesystem;

std::string in_temp(const std::string& text) {
  std::string name = (fs::temp_directory_path() / "gradus_XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  ::close(fd);
  std::ofstream(name) << text;
  return name;
}

/// A recording of a servo: goals that step and swing, 100 samples a second.
Recording commanded(double mass, double kp, double seconds = 4) {
  Recording r;
  r.file = "made.csv", r.mass = mass, r.length = 0.1, r.kp = kp;
  for (int i = 0; i < static_cast<int>(seconds * 100); ++i) {
    const double t = 0.01 * i;
    r.t.push_back(t);
    r.goal.push_back(t < 0.2 ? 0 : 0.8 * std::sin(2.5 * t * t / 2) + (t > 2 ? 0.4 : 0));
    r.pos.push_back(0);
    r.on.push_back(t < 3.2);  // released, it swings
  }
  return r;
}

DriveSpec servo() {
  DriveSpec d;
  d.delay = 0.006;
  d.controller.kp = 3, d.controller.limit = 7.4;
  d.motor.resistance = 6, d.motor.torque_constant = d.motor.back_emf = 0.5, d.motor.inertia = 1.6e-3;
  d.friction.coulomb = 0.01, d.friction.viscous = 0.006, d.friction.load = 0.2;
  return d;
}

/// The same bench as a robot in a World.
std::vector<double> in_world(const Recording& r, const DriveSpec& drive) {
  RobotBuilder b("bench");
  const double tiny = 1e-9;
  b.fixed().base("post").revolute("joint", {0, 1, 0}).mass(r.mass, {0, 0, -r.length}, {tiny, 0, 0, tiny, 0, tiny});
  b.drive(drive);
  SceneSpec scene;
  scene.step = kStep;
  RobotInstanceSpec robot;
  robot.name = "bench", robot.robot = b.spec();
  robot.robot.objects.back().initial = r.pos[0];
  scene.robots.push_back(robot);
  auto made = World::make(std::move(*compile(scene)));
  World& w = **made;
  w.targets(0)[0] = r.goal[0];
  w.set_motion(0, "articulated");
  std::vector<double> out;
  std::size_t j = 0;
  for (int k = 0; out.size() < r.t.size(); ++k) {
    const double t = k * kStep;
    if (r.t[out.size()] <= t + 1e-9) out.push_back(drive.controller.motor_side ? w.motor_angle(0, 0) : w.q(0)[7]);
    while (j + 1 < r.t.size() && r.t[j + 1] <= t + 1e-12) ++j;
    const double to_next = j + 1 < r.t.size() ? (t - r.t[j]) / (r.t[j + 1] - r.t[j]) * (r.goal[j + 1] - r.goal[j]) : 0;
    w.targets(0)[0] = r.goal[j] + to_next;
    w.stiffness(0)[0] = r.on[j] ? drive.controller.stiffness : 0;
    w.step();
  }
  return out;
}

TEST(Bench, moves_as_a_world_does) {
  DriveSpec elastic = servo();
  elastic.gear.model = GearModel::elastic;
  elastic.gear.stiffness = 60, elastic.gear.damping = 0.2, elastic.gear.play = 0.01;
  DriveSpec behind = elastic;
  behind.controller.motor_side = true;
  for (const DriveSpec& d : {servo(), elastic, behind}) {
    const Recording r = commanded(0.5, 0);
    std::vector<double> bench;
    Steps(r, kStep).simulate(d, {}, bench);
    const std::vector<double> world = in_world(r, d);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < bench.size(); ++i)
      worst = std::max(worst, std::fabs(bench[i] - world[i])), largest = std::max(largest, std::fabs(world[i]));
    EXPECT_GT(largest, 0.5);
    EXPECT_LT(worst, 0.01) << static_cast<int>(d.gear.model) << d.controller.motor_side;  // a hundredth of the motion
  }
}

/// What an encoder of 4096 steps a turn with noise would have recorded.
Recording recorded(Recording r, const DriveSpec& d, std::uint32_t seed) {
  std::vector<double> truth;
  Steps(r, kStep).simulate(d, {}, truth);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    double noise = -6;  // twelve uniform numbers are nearly normal
    for (std::uint32_t k = 0; k < 12; ++k) noise += random_uniform({seed, 0, 1}, i, k);
    const double step = 2 * 3.14159265358979 / 4096;
    r.pos[i] = std::round((truth[i] + 0.001 * noise) / step) * step;
  }
  return r;
}

TEST(Fit, finds_the_numbers_that_made_the_recordings) {
  const DriveSpec truth = servo();
  std::vector<Recording> all;
  for (std::uint32_t i = 0; i < 3; ++i) all.push_back(recorded(commanded(0.3 + 0.2 * i, 0), truth, 7 + i));
  Options o;
  o.known.model = truth;
  o.known.model->controller.kp *= 1.6, o.known.model->friction.load *= 0.5, o.known.model->delay *= 1.5;
  o.known.model->motor.inertia *= 0.6;
  o.rms = true;
  const auto r = fit(all, o);
  ASSERT_TRUE(r);
  EXPECT_LT(r->train, 0.0016);  // noise and steps: 1.1 mrad
  EXPECT_TRUE(r->describes);
  DriveSpec d = truth;
  int fixed = 0, inside = 0;
  for (const Estimate& e : r->estimates) {
    if (e.name == "encoder offset" || !e.fixed) continue;
    const double x = number(e.name).at(d);
    ++fixed, inside += x >= e.low && x <= e.high;
    EXPECT_NEAR(e.value, x, 0.2 * x) << e.name;
  }
  EXPECT_GE(fixed, 4);
  EXPECT_GE(inside, fixed - 1);
  // what is written can be read, and says the same
  DriveSpec named = r->drive;
  named.name = "made", named.source = "a test", named.valid = "here";
  const std::string file = in_temp(to_toml(named, passport(*r, all, true)));
  const auto back = load_servo(file);
  ASSERT_TRUE(back) << to_string(back.notes()[0]);
  EXPECT_NEAR(back->controller.kp, r->drive.controller.kp, 1e-5 * r->drive.controller.kp);
  EXPECT_NEAR(back->range.speed, r->range.speed, 1e-3 * r->range.speed);
  fs::remove(file);
}

TEST(Fit, the_simplest_model_is_taken_that_is_as_good_as_the_best) {
  DriveSpec plain = servo();
  plain.delay = 0, plain.friction.load = 0;
  std::vector<Recording> all;
  for (std::uint32_t i = 0; i < 3; ++i) all.push_back(recorded(commanded(0.3 + 0.2 * i, 0, 2.5), plain, 70 + i));
  Options o;
  o.known.voltage = true, o.known.volts = 7.4;
  o.rms = true, o.restarts = 1;
  const auto r = fit(all, o);
  ASSERT_TRUE(r);
  EXPECT_LT(r->held_out, 0.004);
  EXPECT_LE(r->stages.size(), 3u);  // base and at most two more of nine
  EXPECT_TRUE(r->describes);
}

TEST(Fit, says_when_the_model_does_not_describe_the_recordings) {
  std::vector<Recording> all{recorded(commanded(0.5, 0), servo(), 1), recorded(commanded(0.4, 0), servo(), 2)};
  for (Recording& r : all)
    for (std::size_t i = 0; i < r.pos.size(); ++i) r.pos[i] = -r.pos[i];  // it turns the other way
  Options o;
  o.known.model = servo();
  o.restarts = 1, o.evaluations = 300;
  const auto r = fit(all, o);
  ASSERT_TRUE(r);
  EXPECT_FALSE(r->describes);
}

TEST(Recording, what_is_no_good_is_refused_with_the_reason) {
  const auto problem = [](const std::string& text) {
    const std::string file = in_temp(text);
    Recording r;
    const std::string out = read_recording(file, r);
    fs::remove(file);
    return out;
  };
  std::string rows;
  for (int i = 0; i < 20; ++i) rows += std::to_string(i * 0.01) + ",0.1," + std::to_string(0.01 * i) + "\n";
  const std::string head = "t_s,goal_rad,pos_rad\n";
  EXPECT_EQ(problem(head + rows), "");
  EXPECT_NE(problem("").find("empty"), std::string::npos);
  EXPECT_NE(problem("t_s,goal_rad,position\n" + rows).find("pos_rad"), std::string::npos);
  EXPECT_NE(problem(head + rows + "0.3,nan,0.1\n").find("goal_rad of line 22"), std::string::npos);
  EXPECT_NE(problem(head + rows + "0.3,abc,0.1\n").find("line 22"), std::string::npos);
  EXPECT_NE(problem(head + rows + "0.1,0,0.1\n").find("does not grow"), std::string::npos);
  EXPECT_NE(problem(head + "0,0,0\n1,0,0\n").find("fewer than ten"), std::string::npos);
  std::string constant;
  for (int i = 0; i < 20; ++i) constant += std::to_string(i * 0.01) + ",0.1,0.5\n";
  EXPECT_NE(problem(head + constant).find("never changes"), std::string::npos);
  Recording r;
  EXPECT_NE(read_recording("/nowhere/x.csv", r), "");
  EXPECT_FALSE(read_index("/nowhere/index.csv", ""));
}

TEST(Recording, a_torque_recording_integrates_its_speed) {
  std::string text = "t_s,pos_error_rad,vel_rad_s,torque_Nm\n";
  for (int i = 0; i <= 100; ++i) text += std::to_string(i * 0.01) + ",0.2," + std::to_string(2 * i * 0.01) + "," + std::to_string(i) + "\n";
  const std::string file = in_temp(text);
  Recording r;
  EXPECT_EQ(read_recording(file, r), "");
  fs::remove(file);
  EXPECT_TRUE(r.measures_torque());
  EXPECT_NEAR(r.pos.back(), 1, 1e-9);  // ∫ 2 t dt
  EXPECT_NEAR(r.goal.back(), 1.2, 1e-9);
}

}  // namespace
}  // namespace gradus::fit
