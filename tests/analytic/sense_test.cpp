// Sensors against closed forms: what they measure, and what the common channel does to it [docs/sensors.md].
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "support/robots.h"
#include "world/properties.h"

namespace gradus::test {
namespace {

constexpr double kStep = 0.001;

SensorSetting setting(std::string key, std::vector<double> numbers) { return {std::move(key), std::move(numbers), {}, {}, {}}; }

SensorSpec sensor(std::string name, std::string kind, std::vector<SensorSetting> settings = {}, Pose X = identity_pose()) {
  return {std::move(name), std::move(kind), "", X, std::move(settings), {}};
}

Pose turned(Vec3 rpy, Vec3 at) { return {to_matrix(from_roll_pitch_yaw(rpy.x, rpy.y, rpy.z)), at}; }

/// A free box without gravity that carries the sensors.
struct Floating {
  SceneSpec s = scene(kStep);
  std::unique_ptr<World> world;
  explicit Floating(std::vector<SensorSpec> sensors, Vec3 v = {0, 0, 0}, Vec3 w = {0, 0, 0}, Vec3 gravity = {0, 0, 0},
                    const std::string& motion = "free_body") {
    s.gravity = gravity;
    RobotSpec box = solid_box(1, {0.2, 0.2, 0.2});
    box.sensors = std::move(sensors);
    add(s, box, motion, {0, 0, 10});
    s.robots[0].v_WB = v;
    s.robots[0].w_WB = w;
    world = make_world(s);
  }
  std::vector<double> read(int sensor) const {
    const auto v = world->read(0, sensor).values;
    return {v.begin(), v.end()};
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) world->step();
  }
};

/// The samples of one channel, one a step.
std::vector<double> record(Floating& f, int sensor, int steps) {
  std::vector<double> out;
  for (int i = 0; i < steps; ++i) {
    f.world->step();
    out.push_back(f.read(sensor)[0]);
  }
  return out;
}

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}
double deviation(const std::vector<double>& x) {
  const double m = mean(x);
  double sum = 0;
  for (double v : x) sum += (v - m) * (v - m);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

TEST(Sense, a_gyroscope_turns_with_its_own_axes) {
  const double half = std::numbers::pi / 2;
  // about the world's z; a sensor rolled by 90° has that along its own y, one pitched by 90° along its −x
  Floating f({sensor("plain", "gyroscope"), sensor("rolled", "gyroscope", {}, turned({half, 0, 0}, {0, 0, 0})),
              sensor("pitched", "gyroscope", {}, turned({0, half, 0}, {0, 0, 0}))},
             {0, 0, 0}, {0, 0, 2});
  f.run(100);
  EXPECT_NEAR(f.read(0)[2], 2, 1e-12);
  EXPECT_NEAR(f.read(1)[1], 2, 1e-12);
  EXPECT_NEAR(f.read(2)[0], -2, 1e-12);
  EXPECT_NEAR(f.read(1)[2], 0, 1e-12);
}

TEST(Sense, an_accelerometer_shows_nothing_in_free_fall_and_g_upwards_at_rest) {
  Floating falling({sensor("a", "accelerometer")}, {1, 2, 0}, {0, 0, 0}, {0, 0, -9.81});
  falling.run(50);
  for (double x : falling.read(0)) EXPECT_NEAR(x, 0, 1e-9);

  SceneSpec s = scene(kStep);
  add_ground(s);
  RobotSpec box = solid_box(1, {0.2, 0.2, 0.2});
  box.sensors = {sensor("a", "accelerometer", {}, turned({0, 0.3, 0}, {0.05, 0, 0}))};
  add(s, box, "articulated", {0, 0, 0.1});
  const auto world = make_world(s);
  for (int i = 0; i < 2000; ++i) world->step();
  // pitched nose down by 0.3: up is (−sin, 0, cos) in its axes
  EXPECT_NEAR(world->read(0, 0).values[0], -9.81 * std::sin(0.3), 1e-6);
  EXPECT_NEAR(world->read(0, 0).values[2], 9.81 * std::cos(0.3), 1e-6);
}

TEST(Sense, an_accelerometer_off_the_axis_feels_the_turning) {
  // ω × (ω × r) points inwards; the difference over a step is that of its middle: off by the angle ω h/2
  const double w = 10, r = 0.08;
  Floating f({sensor("a", "accelerometer", {}, turned({0, 0, 0}, {r, 0, 0}))}, {0, 0, 0}, {0, 0, w});
  f.run(100);
  EXPECT_NEAR(f.read(0)[0], -w * w * r, w * w * r * std::pow(w * kStep, 2));
  EXPECT_NEAR(f.read(0)[1], w * w * r * w * kStep / 2, w * w * r * std::pow(w * kStep, 2));
}

TEST(Sense, noise_has_the_deviation_that_was_asked_for) {
  Floating f({sensor("g", "gyroscope", {setting("noise", {0.25})})});
  const auto x = record(f, 0, 40000);
  EXPECT_NEAR(mean(x), 0, 4 * 0.25 / std::sqrt(40000));
  EXPECT_NEAR(deviation(x), 0.25, 4 * 0.25 / std::sqrt(2 * 40000));
}

TEST(Sense, a_density_gives_rms_through_the_filter_and_wanders_as_white_noise_does) {
  // implicit low-pass of white steps of deviation s: a/(2 − a) of the variance; Allan deviation of the unfiltered: D/√(2τ)
  const double D = 0.01, fc = 50, s = D * std::sqrt(1 / (2 * kStep)), W = 2 * std::numbers::pi * fc * kStep, a = W / (1 + W);
  Floating f({sensor("filtered", "gyroscope", {setting("noise_per_root_hz", {D}), setting("bandwidth", {fc})}),
              sensor("white", "gyroscope", {setting("noise_per_root_hz", {D})})});
  std::vector<double> filtered, white;
  for (int i = 0; i < 60000; ++i) {
    f.world->step();
    filtered.push_back(f.read(0)[0]);
    white.push_back(f.read(1)[0]);
  }
  EXPECT_NEAR(deviation(filtered), s * std::sqrt(a / (2 - a)), 0.03 * s * std::sqrt(a / (2 - a)));
  EXPECT_NEAR(deviation(white), s, 0.015 * s);
  for (const int n : {10, 100}) {  // τ = n h
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i + 2 * n <= white.size(); i += n, ++count) {
      double first = 0, second = 0;
      for (int k = 0; k < n; ++k) first += white[i + k], second += white[i + n + k];
      sum += std::pow((second - first) / n, 2) / 2;
    }
    const double allan = std::sqrt(sum / count), due = D / std::sqrt(2 * n * kStep);
    EXPECT_NEAR(allan, due, due * 4 / std::sqrt(count)) << "tau " << n;
  }
}

TEST(Sense, a_low_pass_lags_by_its_time_constant) {
  // a step of the angular velocity: implicit first order, 1 − (1 − a)ⁿ after n steps
  const double fc = 20, W = 2 * std::numbers::pi * fc * kStep, a = W / (1 + W);
  Floating f({sensor("g", "gyroscope", {setting("bandwidth", {fc})})});
  f.run(10);
  std::vector<double> v(f.world->v(0).begin(), f.world->v(0).end());
  v[2] = 1;
  ASSERT_TRUE(f.world->set_v(0, v));
  for (int n = 1; n <= 30; ++n) {
    EXPECT_NEAR(f.read(0)[2], 1 - std::pow(1 - a, n), 1e-12) << n;
    f.world->step();
  }
}

TEST(Sense, drift_has_its_deviation_and_forgets_in_its_time) {
  Floating f({sensor("g", "gyroscope", {setting("drift.deviation", {0.1}), setting("drift.time", {0.05})})});
  const auto x = record(f, 0, 200000);
  // 200 s of a correlation time of 50 ms: about 2000 independent values of the variance
  EXPECT_NEAR(deviation(x), 0.1, 0.1 * 4 / std::sqrt(2 * 2000.0));
  const int lag = 50;
  double sum = 0;
  for (std::size_t i = 0; i + lag < x.size(); ++i) sum += x[i] * x[i + lag];
  const double keeps = std::pow(1 / (1 + kStep / 0.05), lag);
  EXPECT_NEAR(sum / static_cast<double>(x.size() - lag) / 0.01, keeps, 0.08);
}

TEST(Sense, offset_and_scale_are_drawn_once) {
  Floating f({sensor("g", "gyroscope", {setting("offset.value", {0.5}), setting("scale.value", {0.1})}),
              sensor("drawn", "gyroscope", {setting("offset", {0.5}), setting("scale", {0.1})})},
             {0, 0, 0}, {0, 0, 2});
  f.run(3);
  EXPECT_NEAR(f.read(0)[2], 2.2 + 0.5, 1e-12);
  EXPECT_NEAR(f.read(0)[0], 0.5, 1e-12);
  const std::vector<double> once = f.read(1);
  EXPECT_NE(once[0], 0);
  EXPECT_NE(once[0], once[1]) << "each channel has its own";
  f.run(100);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(f.read(1)[i], once[i], 1e-12);
}

TEST(Sense, converters_saturate_and_have_digits) {
  Floating f({sensor("g", "gyroscope", {setting("range", {-1, 1}), setting("bits", {3})})}, {0, 0, 0}, {0.3, 0, 5});
  f.run(1);
  EXPECT_DOUBLE_EQ(f.read(0)[2], 1) << "beyond its range";
  EXPECT_DOUBLE_EQ(f.read(0)[0], 0.25) << "digits of 2/8";
  Floating r({sensor("g", "gyroscope", {setting("resolution", {0.2})})}, {0, 0, 0}, {0.32, -0.31, 0});
  r.run(1);
  EXPECT_NEAR(r.read(0)[0], 0.4, 1e-12) << "⌊0.32/0.2 + ½⌋ = 2";
  EXPECT_NEAR(r.read(0)[1], -0.4, 1e-12);
}

TEST(Sense, samples_come_at_their_rate_and_late_by_their_delay) {
  // x runs at 1 m/s: the encoder of a prismatic joint would do; here the accelerating spin of a gyroscope is enough
  for (const double rate : {1000.0, 250.0, 83.33, 60.0})
    for (const double delay : {0.0, 0.012, 0.0105}) {
      Floating f({sensor("g", "gyroscope", {setting("rate", {rate}), setting("delay", {delay})})});
      std::vector<double> v(6, 0.0);
      for (int k = 1; k < 200; ++k) {
        f.world->step();
        v[2] = k;  // what it measures at step k is k
        ASSERT_TRUE(f.world->set_v(0, v));
        // (6): the newest sample n with first step ⌈n/(rate h)⌉ and arrival ⌈(n/rate + delay)/h⌉ ≤ k
        int shown = 0;
        for (int n = 0; n < 1000; ++n) {
          const double at = n / (rate * kStep), arrives = at + delay / kStep;
          if (std::ceil(arrives - 1e-6) <= k) shown = static_cast<int>(std::ceil(at - 1e-6));
        }
        ASSERT_DOUBLE_EQ(f.read(0)[2], shown) << rate << " Hz, " << delay << " s, step " << k;
      }
    }
}

TEST(Sense, one_sensor_changes_no_other) {
  const auto noisy = [](const char* name) {
    return sensor(name, "gyroscope", {setting("noise", {1}), setting("offset", {1}), setting("noise_per_root_hz", {1})});
  };
  Floating both({noisy("a"), noisy("b")}), alone({noisy("b")});
  both.run(20), alone.run(20);
  EXPECT_EQ(both.read(1), alone.read(0));
  EXPECT_NE(both.read(0), both.read(1));
}

TEST(Sense, what_sensors_remember_lies_in_the_state) {
  std::vector<SensorSpec> sensors{
      sensor("a", "accelerometer", {setting("bandwidth", {30}), setting("noise", {0.1}), setting("rate", {100}), setting("delay", {0.03})}),
      sensor("g", "gyroscope", {setting("drift.deviation", {0.1}), setting("drift.time", {0.1}), setting("rate", {83.3})})};
  Floating one(sensors, {0, 0, 0}, {1, 2, 3}, {0, 0, -9.81}), other(sensors, {0, 0, 0}, {1, 2, 3}, {0, 0, -9.81});
  one.run(157);
  other.run(3);
  ASSERT_TRUE(other.world->restore(one.world->snapshot()));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(one.read(0), other.read(0));
    EXPECT_EQ(one.read(1), other.read(1));
    one.run(1), other.run(1);
    ASSERT_EQ(one.world->hash(), other.world->hash());
  }
}

TEST(Sense, pads_carry_the_weight_around_its_centre) {
  // a plate whose centre of mass lies ahead and to the left of its middle; the rear pads are further apart
  RobotBuilder b("plate");
  b.base("plate").solid_box(2, {0.2, 0.1, 0.02}, {0, 0, 0});
  RobotSpec plate = b.spec();
  plate.objects[0].com = {0.02, 0.01, 0};
  SensorSpec pads = sensor("pads", "pads", {setting("pads", {0.1, 0.05, 0.1, -0.05, -0.1, 0.06, -0.1, -0.06})});
  plate.sensors = {pads};
  SceneSpec s = scene(kStep);
  add_ground(s);
  add(s, plate, "articulated", {0.3, -0.2, 0.01});
  s.robots[0].q_WB = from_roll_pitch_yaw(0, 0, 0.7);
  const auto world = make_world(s);
  for (int i = 0; i < 3000; ++i) world->step();
  const auto x = world->read(0, 0).values;
  const double load = x[0] + x[1] + x[2] + x[3];
  EXPECT_NEAR(load, 2 * 9.81, 1e-4);
  EXPECT_NEAR(0.1 * (x[0] + x[1] - x[2] - x[3]) / load, 0.02, 1e-5) << "centre of pressure";
  EXPECT_NEAR((0.05 * (x[0] - x[1]) + 0.06 * (x[2] - x[3])) / load, 0.01, 1e-5);
  EXPECT_GT(x[0], x[1]) << "left of the middle";
  EXPECT_GT(x[0], x[2]) << "ahead of the middle";
}

TEST(Sense, touch_answers_above_its_threshold_after_a_while) {
  RobotSpec box = solid_box(1, {0.2, 0.2, 0.2});
  box.sensors = {sensor("light", "touch", {setting("threshold", {5}), setting("hold", {0.01})}), sensor("heavy", "touch", {setting("threshold", {50})})};
  SceneSpec s = scene(kStep);
  add_ground(s);
  add(s, box, "articulated", {0, 0, 0.102});
  const auto world = make_world(s);
  int first = -1;
  for (int i = 0; i < 1500; ++i) {
    world->step();
    if (first < 0 && world->read(0, 0).values[0] > 0) first = i;
  }
  EXPECT_GE(first + 1, 20 + 10) << "falls 2 mm in 20 ms, then the time it waits";
  EXPECT_EQ(world->read(0, 0).values[0], 1);
  EXPECT_EQ(world->read(0, 1).values[0], 0) << "10 N are not 50";
}

TEST(Sense, force_and_torque_through_a_joint_hold_what_hangs_on_it) {
  // an arm of 2 kg, centre 0.3 m from a shoulder about y, held out along x against gravity
  RobotBuilder b("arm");
  b.base("post").fixed().solid_box(1, {0.1, 0.1, 0.1}, {0, 0, 0});
  b.revolute("shoulder", {0, 1, 0}).mass(2, {0.3, 0, 0}, inertia_of_box(2, {0.6, 0.05, 0.05})).servo({4000, 100, 1e9, 1e9, 0});
  RobotSpec arm = b.spec();
  SensorSpec force = sensor("force", "force"), torque = sensor("torque", "torque"), drive = sensor("drive", "joint_torque");
  force.on = torque.on = "shoulder";
  arm.sensors = {force, torque, drive};
  SceneSpec s = scene(kStep);
  add(s, arm, "articulated", {0, 0, 1});
  const auto world = make_world(s);
  for (int i = 0; i < 5000; ++i) world->step();
  EXPECT_NEAR(world->read(0, 0).values[2], 2 * 9.81 * std::cos(world->q(0)[7]), 1e-3) << "its axes turn with the arm";
  EXPECT_NEAR(world->read(0, 1).values[1], -2 * 9.81 * 0.3, 2 * 9.81 * 0.3 * 1e-3) << "upwards about −y";
  EXPECT_NEAR(world->read(0, 2).values[0], world->read(0, 1).values[1], 1e-3) << "all of it comes from the drive";
  // released: about the shoulder only gravity acts, so no torque comes through; the pin carries the swing
  EXPECT_EQ(world->set_parameter("robot0.kp_factor", 0), "");
  EXPECT_EQ(world->set_parameter("robot0.kd_factor", 0), "");
  for (int i = 0; i < 300; ++i) world->step();
  const double q = world->q(0)[7], v = world->v(0)[6];
  EXPECT_NEAR(world->read(0, 1).values[1], 0, 0.02);
  // along the arm: −(m v² r + m g sin q) points back to the shoulder
  EXPECT_NEAR(world->read(0, 0).values[0], -2 * (v * v * 0.3 + 9.81 * std::sin(q)), 0.01 * 2 * 9.81);
}

TEST(Sense, a_force_sensor_knows_all_of_a_sliding_foots_friction) {
  // A body of 3 kg on a foot of 1 kg slides along x: a = −μ g for both, so μ 3 g goes through what joins them.
  for (const bool field : {false, true}) {
    RobotBuilder b("slider");
    b.base("body").solid_box(3, {0.1, 0.1, 0.02}, {0, 0, 0.1});
    b.revolute("foot", {0, 0, 1}).solid_box(1, {0.6, 0.6, 0.04}, {0, 0, 0.02}).servo({1000, 30, 1e9, 1e9, 0});
    RobotSpec slider = b.spec();
    for (ObjectSpec& o : slider.objects) o.surface.friction = 0.3;
    SensorSpec force = sensor("force", "force");
    force.on = "foot";
    slider.sensors = {force};
    SceneSpec s = scene(kStep);
    if (field) {
      s.field.push_back({"table", {}, {identity3<double>(), Vec3{0, 0, -0.5}}, {}, {}, ""});
      s.field.back().shape.kind = ShapeKind::box;
      s.field.back().shape.size = {20, 20, 1};
      s.field.back().surface.friction = 0.3;
    } else {
      add_ground(s);
    }
    add(s, slider, "articulated", {0, 0, 0});
    s.robots[0].v_WB = {3, 0, 0};
    const auto world = make_world(s);
    for (int i = 0; i < 700; ++i) world->step();
    ASSERT_GT(world->v(0)[3], 0.3);  // it slides
    EXPECT_NEAR(world->read(0, 0).values[0], 0.3 * 3 * 9.81, 0.02 * 0.3 * 3 * 9.81) << field;
    EXPECT_NEAR(world->read(0, 0).values[2], -3 * 9.81, 0.02 * 3 * 9.81) << field;
    for (int i = 0; i < 2500; ++i) world->step();
    EXPECT_NEAR(world->read(0, 0).values[0], 0, 0.01);  // at rest
  }
}

/// A box in the air that looks along x, and a wall of the field at distance d, turned about z.
struct BeforeWall {
  SceneSpec s = scene(kStep);
  std::unique_ptr<World> world;
  BeforeWall(SensorSpec sensor, double d, double turn) {
    s.gravity = {0, 0, 0};
    RobotSpec box = solid_box(1, {0.2, 0.2, 0.2});
    box.sensors = {std::move(sensor)};
    add(s, box, "free_body", {0, 0, 10});
    FieldObjectSpec wall;
    wall.name = "wall";
    wall.shape.kind = ShapeKind::box;
    wall.shape.size = {0.2, 20, 20};
    const Mat3 R = to_matrix(from_roll_pitch_yaw(0, 0, turn));
    wall.X_WO = {R, Vec3{0, 0, 10} + R * Vec3{d + 0.1, 0, 0}};  // its face is d away, measured square to it
    s.field.push_back(wall);
    world = make_world(s);
    world->step();
  }
};

TEST(Sense, a_sonar_hears_the_nearest_wall_that_faces_it) {
  const double deg = std::numbers::pi / 180;
  const SensorSpec sonar = sensor("s", "sonar", {setting("range", {0.25, 2.55})});
  EXPECT_NEAR(BeforeWall(sonar, 1, 0).world->read(0, 0).values[0], 1, 1e-5);
  // turned by less than half of the cone: a ray near its normal is in the cone, the shortest of the rings that reaches it
  const double turned = BeforeWall(sonar, 1, 20 * deg).world->read(0, 0).values[0];
  EXPECT_NEAR(turned, 1, 1e-5) << "the ring at 20° holds the normal";
  EXPECT_NEAR(BeforeWall(sonar, 1, 65 * deg).world->read(0, 0).values[0], 1 / std::cos(35 * deg), 1e-5) << "65° − 30°: still below 40°";
  EXPECT_EQ(BeforeWall(sonar, 1, 75 * deg).world->read(0, 0).values[0], 2.55) << "75° − 30° is too slanted";
  EXPECT_EQ(BeforeWall(sonar, 3, 0).world->read(0, 0).values[0], 2.55) << "too far";
  EXPECT_EQ(BeforeWall(sonar, 0.15, 0).world->read(0, 0).values[0], 0.25) << "nearer than it can tell";
}

TEST(Sense, a_laser_sweeps_from_right_to_left) {
  const double deg = std::numbers::pi / 180, view = 120 * deg;
  const SensorSpec laser = sensor("l", "laser", {setting("view", {view}), setting("rays", {13}), setting("range", {0, 5})});
  BeforeWall w(laser, 1, 20 * deg);
  const auto x = w.world->read(0, 0).values;
  ASSERT_EQ(x.size(), 13u);
  for (int i = 0; i < 13; ++i) {
    const double angle = view * (i / 12.0 - 0.5), off = angle - 20 * deg;  // from the wall's normal
    const double due = std::cos(off) > 0 && 1 / std::cos(off) < 5 ? 1 / std::cos(off) : 5;
    EXPECT_NEAR(x[static_cast<std::size_t>(i)], due, 2e-5 * due) << i;
  }
}

TEST(Sense, a_height_scan_sees_steps_and_not_the_robot) {
  SceneSpec s = scene(kStep);
  s.gravity = {0, 0, 0};
  add_ground(s);
  RobotSpec box = solid_box(1, {0.2, 0.2, 0.2});
  box.sensors = {sensor("scan", "height_scan", {setting("size", {2, 1}), setting("points", {3, 2})})};
  add(s, box, "free_body", {1, 2, 1.5}, from_roll_pitch_yaw(0.3, -0.2, std::numbers::pi / 2));  // looks along y, tilted
  FieldObjectSpec step;
  step.name = "step";
  step.shape.kind = ShapeKind::box;
  step.shape.size = {4, 1, 0.5};
  step.X_WO = {to_matrix(Quat{1, 0, 0, 0}), {1, 3.3, 0.25}};  // 0.5 m high from y = 2.8 on
  s.field.push_back(step);
  const auto world = make_world(s);
  const auto x = world->read(0, 0).values;
  ASSERT_EQ(x.size(), 6u);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(x[static_cast<std::size_t>(j)], 1.5, 1e-12) << "behind";
    EXPECT_NEAR(x[static_cast<std::size_t>(2 + j)], 1.5, 1e-12) << "below: not its own body";
    EXPECT_NEAR(x[static_cast<std::size_t>(4 + j)], 1.0, 1e-12) << "ahead, on the step";
  }
}

TEST(Sense, controllers_see_joints_through_the_encoder) {
  RobotBuilder b("arm");
  b.base("post").fixed().solid_box(1, {0.1, 0.1, 0.1}, {0, 0, 0});
  b.revolute("shoulder", {0, 1, 0}).mass(2, {0.3, 0, 0}, inertia_of_box(2, {0.6, 0.05, 0.05}));
  RobotSpec arm = b.spec();
  const double digit = 2 * std::numbers::pi / 4096;
  arm.sensors = {sensor("encoder", "encoder", {setting("bits", {12}), setting("per", {2 * std::numbers::pi}), setting("rate", {100})})};
  SceneSpec s = scene(kStep);
  add(s, arm, "articulated", {0, 0, 1});
  const auto world = make_world(s);
  OutputRoom room;
  double before = 0;
  for (int i = 1; i <= 400; ++i) {
    world->step();
    if (i % 10 != 0) continue;
    const RobotOutput o = world->output(0, room);
    EXPECT_NEAR(o.q[0], world->q(0)[7], digit / 2 + 1e-12);
    EXPECT_NEAR(std::remainder(o.q[0], digit), 0, 1e-12);
    EXPECT_NEAR(o.v[0], (o.q[0] - before) / 0.01, 1e-9) << "difference of samples";
    ASSERT_EQ(o.sensors.size(), 1u);
    EXPECT_EQ(o.sensors[0].name, "encoder");
    EXPECT_EQ(o.sensors[0].sample, i / 10);
    EXPECT_NEAR(o.sensors[0].time, i * kStep, 1e-12);
    EXPECT_EQ(o.sensors[0].truth[0], world->q(0)[7]);
    before = o.q[0];
  }
}

TEST(Sense, sensors_are_properties_and_their_numbers_parameters) {
  Floating f({sensor("gyro", "gyroscope", {setting("offset.value", {0.5})})}, {0, 0, 0}, {0, 0, 2});
  const auto z = find_property(*f.world, "robot0.gyro.z"), truth = find_property(*f.world, "robot0.gyro.z.true"),
             offset = find_property(*f.world, "robot0.gyro.offset.value"), ideal = find_property(*f.world, "robot0.gyro.ideal");
  ASSERT_TRUE(z && truth && offset && ideal);
  EXPECT_EQ(std::string(z->unit), "rad/s");
  EXPECT_NEAR(z->get(*f.world), 2.5, 1e-12);
  EXPECT_NEAR(truth->get(*f.world), 2, 1e-12);
  EXPECT_EQ(offset->get(*f.world), 0.5);
  EXPECT_EQ(offset->set(*f.world, 1), "");
  f.run(1);
  EXPECT_NEAR(z->get(*f.world), 3, 1e-12);
  EXPECT_EQ(ideal->set(*f.world, 1), "");
  f.run(1);
  EXPECT_NEAR(z->get(*f.world), 2, 1e-12);
  EXPECT_NE(find_property(*f.world, "robot0.gyro.noise")->set(*f.world, -1), "");
}

TEST(Sense, a_laser_that_sweeps_looks_at_each_direction_at_its_own_time) {
  // Towards a wall at 1 m/s, all rays straight ahead: ray i looked (1 − (i + 1)/n) of the sweep before the sample.
  for (const double rate : {10.0, 30.0}) {
    const int n = 20;
    const double sweep = 0.03, v = 1;
    Floating f({sensor("scan", "laser", {setting("view", {0}), setting("rays", {double(n)}), setting("sweep", {sweep}),
                                         setting("rate", {rate}), setting("range", {0, 20})})},
               {v, 0, 0});
    f.s.field.push_back({"wall", {}, {identity3<double>(), Vec3{10, 0, 10}}, {}, {}, ""});
    f.s.field.back().shape.kind = ShapeKind::box;
    f.s.field.back().shape.size = {2, 50, 50};
    f.world = make_world(f.s);
    int compared = 0;
    for (int k = 0; k < 700; ++k) {
      f.world->step();
      const auto r = f.world->read(0, 0);
      if (r.sample < 2) continue;
      const double at = static_cast<double>(r.sample) / rate;
      for (int i = 0; i < n; ++i) {
        const double looked = at - sweep * (1 - (i + 1.0) / n);
        ASSERT_NEAR(r.values[static_cast<std::size_t>(i)], 9 - v * looked, v * 1.01 * kStep) << k << " " << i;
        ++compared;
      }
    }
    EXPECT_GT(compared, 1000);
  }
}

TEST(Sense, a_height_scan_sees_the_triangles_of_a_mesh) {
  // A roof: ridge along y at z = 1 over x = 0, eaves at x = ±2 on the ground.
  SceneSpec s = scene(kStep);
  s.gravity = {0, 0, 0};
  add_ground(s);
  MeshSpec roof;
  roof.vertices = {{-2, -3, 0}, {0, -3, 1}, {2, -3, 0}, {-2, 3, 0}, {0, 3, 1}, {2, 3, 0}};
  roof.triangles = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {0, 2, 1}, {3, 4, 5}, {0, 3, 5}, {0, 5, 2}};
  s.meshes.push_back(roof);
  s.field.push_back({"roof", {}, identity_pose(), {}, {}, ""});
  s.field.back().shape.kind = ShapeKind::mesh;
  s.field.back().shape.mesh = 0;
  RobotSpec box = solid_box(1, {0.2, 0.2, 0.2});
  box.sensors = {sensor("scan", "height_scan", {setting("size", {6, 1}), setting("points", {13, 3})})};
  add(s, box, "free_body", {0, 0, 3});
  const auto world = make_world(s);
  world->step();
  const auto values = world->read(0, 0).values;
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 3; ++j) {
      const double x = 6 * (i / 12.0 - 0.5), height = std::max(0.0, 1 - std::fabs(x) / 2);
      EXPECT_NEAR(values[static_cast<std::size_t>(3 * i + j)], 3 - height, 1e-9) << x;
    }
}

TEST(Sense, an_overhead_camera_tells_where_robots_were_with_its_noise_and_misses) {
  const double rate = 50, delay = 0.06, sigma = 0.02, heading = 0.05, miss = 0.3, v = 2, w = 0.5;
  Floating f({sensor("above", "overhead", {setting("rate", {rate}), setting("delay", {delay}), setting("noise.position", {sigma}),
                                           setting("noise.heading", {heading}), setting("miss", {miss})})});
  add(f.s, solid_box(1, {0.1, 0.1, 0.1}), "free_body", {1, -2, 5});
  f.s.robots[1].v_WB = {v, 0, 0};
  f.s.robots[1].w_WB = {0, 0, w};
  f.world = make_world(f.s);
  ASSERT_EQ(f.world->read(0, 0).values.size(), 8u);  // of both robots: seen, x, y, heading
  double seen = 0, x = 0, xx = 0, hh = 0;
  int frames = 0;
  std::int64_t last = -1;
  for (int k = 0; k < 100'000; ++k) {
    f.world->step();
    const auto r = f.world->read(0, 0);
    if (r.sample < 0 || r.sample == std::exchange(last, r.sample)) continue;
    ASSERT_NEAR(static_cast<double>(f.world->k()) * kStep, static_cast<double>(r.sample) / rate + delay, 0.5 * kStep);
    ++frames, seen += r.values[4];
    if (r.values[4] == 0) {
      EXPECT_EQ(r.values[5], 0);
      continue;
    }
    const double t = static_cast<double>(r.sample) / rate, dx = r.values[5] - (1 + v * t);
    const double turn = std::remainder(r.values[7] - w * t, 2 * std::numbers::pi);
    x += dx, xx += dx * dx, hh += turn * turn;
  }
  const double n = seen;
  EXPECT_NEAR(n / frames, 1 - miss, 4 * std::sqrt(miss * (1 - miss) / frames));
  EXPECT_NEAR(x / n, 0, 4 * sigma / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(xx / n), sigma, 4 * sigma / std::sqrt(2 * n));
  EXPECT_NEAR(std::sqrt(hh / n), heading, 4 * heading / std::sqrt(2 * n));
  EXPECT_EQ(f.world->read(0, 0).truth[4], 1);  // the truth misses nothing
}

TEST(Sense, an_overhead_camera_sees_nothing_beyond_its_area) {
  Floating f({sensor("above", "overhead", {setting("rate", {100}), setting("area", {-1, -2, 1, 3})})});
  add(f.s, solid_box(1, {0.1, 0.1, 0.1}), "free_body", {0.5, 2.5, 5});
  f.s.robots[1].v_WB = {2, 0, 0};  // crosses x = 1 after 0.25 s
  f.world = make_world(f.s);
  for (int k = 1; k <= 500; ++k) {
    f.world->step();
    const auto r = f.world->read(0, 0);
    const double t = r.time, x = 0.5 + 2 * t;
    if (std::fabs(x - 1) < 1e-6) continue;
    EXPECT_EQ(r.values[4], x < 1) << t;
    EXPECT_NEAR(r.values[6], x < 1 ? 2.5 : 0, 1e-9) << t;
  }
}

/// A motor of 5 ohm and 1 N m/A whose file names 20 V, on a battery of 24 V when full and 0.5 ohm inside that feeds 2 A of
/// electronics. The joint's goal is out of reach, so the motor has all the voltage that there is.
struct Fed {
  std::unique_ptr<World> world;
  explicit Fed(double inertia, std::vector<SensorSetting> settings, bool feeds = true) {
    DriveSpec d;
    d.controller.kp = 1000;
    d.controller.limit = 20;
    d.motor = {5, 0, 1, 1, 0};
    RobotBuilder b("wheel");
    b.fixed().base("post").revolute("wheel", {0, 0, 1}).solid_box(1, {0.2, 0.2, 0.2}, {0, 0, 0}).drive(d);
    RobotSpec robot = b.spec();
    robot.objects.back().inertia = {inertia, 0, 0, inertia, 0, inertia};
    for (const auto& [key, number] : {std::pair{"full", 24.0}, {"resistance", 0.5}, {"electronics", 2.0}, {"nominal", 24.0}})
      settings.push_back(setting(key, {number}));
    if (feeds) {
      SensorSetting to;
      to.key = "feeds", to.words = {"motors"};
      settings.push_back(to);
    }
    robot.sensors = {sensor("battery", "battery", std::move(settings))};
    SceneSpec s = scene(kStep);
    add(s, robot, "articulated");
    world = make_world(s);
    world->targets(0)[0] = 1000;
  }
  double read(int channel) const { return world->read(0, 0).values[static_cast<std::size_t>(channel)]; }
};

TEST(Sense, a_battery_that_feeds_motors_sags_under_them) {
  // Stalled on a huge wheel, u = 20/24 U, so P = u²/5 = g U², and U = 24 − 0.5 (2 + g U).
  const double g = 20.0 / 24 * 20 / 24 / 5, U = (24 - 0.5 * 2) / (1 + 0.5 * g), u = 20.0 / 24 * U, i = 2 + g * U;
  Fed stalled(1e6, {setting("capacity", {1e9}), setting("empty", {24})});
  run(*stalled.world, 0.1);
  EXPECT_NEAR(stalled.read(0), U, 1e-6);
  EXPECT_NEAR(stalled.read(1), i, 1e-6);
  EXPECT_NEAR(stalled.world->tau(0)[0], u / 5, 1e-4);
  // On a battery that only looks on the motor has what its file names.
  Fed alone(1e6, {setting("capacity", {1e9}), setting("empty", {24})}, false);
  run(*alone.world, 0.1);
  EXPECT_NEAR(alone.world->tau(0)[0], 20.0 / 5, 1e-4);
  EXPECT_NEAR(alone.read(0), 11.5 + std::sqrt(11.5 * 11.5 - 0.5 * 80), 1e-4);  // U² − 23 U + 0.5 P = 0, P = 20²/5
  // Without load: no current but that of the electronics, and the speed of 20/24 of the voltage.
  Fed free(1e-3, {setting("capacity", {1e9}), setting("empty", {24})});
  run(*free.world, 1);
  EXPECT_NEAR(free.world->v(0)[6], 20.0 / 24 * 23, 1e-3);
}

TEST(Sense, a_battery_that_is_emptied_takes_the_motors_power_with_it) {
  // U_0 = 24 − 12 (1 − c), c' = −(2 + g U)/Q: the open voltage falls as exp(−t k), k = 12 g'/Q, with
  // i = 2 + g (U_0 − 1)/(1 + 0.5 g) = a + g' U_0.
  const double g = 20.0 / 24 * 20 / 24 / 5, g1 = g / (1 + 0.5 * g), a = 2 - g1, Q = 100, T = 10;
  Fed f(1e6, {setting("capacity", {Q}), setting("empty", {12})});
  run(*f.world, T);
  const double end = -a / g1, open = end + (24 - end) * std::exp(-12 * g1 / Q * T), U = (open - 1) / (1 + 0.5 * g);
  EXPECT_NEAR(f.read(0), U, 0.01);
  EXPECT_NEAR(f.read(2), (open - 12) / 12, 0.001);
  EXPECT_NEAR(f.world->tau(0)[0], 20.0 / 24 * U / 5, 0.01);
  EXPECT_LT(f.read(2), 0.7);
}

TEST(Sense, a_pack_that_is_asked_too_much_switches_its_motors_off_and_stays_so) {
  Fed f(1e6, {setting("capacity", {1e9}), setting("empty", {24}), setting("cutoff", {21.9})});
  f.world->targets(0)[0] = 0;
  run(*f.world, 0.1);
  EXPECT_NEAR(f.read(0), 23, 1e-9);  // nothing is asked
  f.world->targets(0)[0] = 1000;     // 21.5 V under load, as above
  run(*f.world, 0.1);
  EXPECT_EQ(f.world->tau(0)[0], 0);
  EXPECT_NEAR(f.read(0), 23, 1e-9);
  f.world->targets(0)[0] = 0.001;
  run(*f.world, 0.1);
  EXPECT_EQ(f.world->tau(0)[0], 0);
  // A fresh world that is given the state goes on the same way.
  Fed other(1e6, {setting("capacity", {1e9}), setting("empty", {24}), setting("cutoff", {21.9})});
  const Snapshot now = f.world->snapshot();
  other.world->restore(now);
  run(*f.world, 0.01), run(*other.world, 0.01);
  EXPECT_EQ(f.world->hash(), other.world->hash());
}

TEST(Sense, wrong_descriptions_are_told_of) {
  const auto first_fault = [](SensorSpec x) -> std::string {
    SceneSpec s = scene(kStep);
    RobotSpec box = solid_box(1, {0.2, 0.2, 0.2});
    box.sensors = {std::move(x)};
    add(s, box, "free_body", {0, 0, 1});
    auto model = compile(s);
    if (!model) return model.notes()[0].text + "|" + model.notes()[0].suggestion;
    auto world = World::make(std::move(*model));
    return world ? "" : world.notes()[0].text + "|" + world.notes()[0].suggestion;
  };
  EXPECT_EQ(first_fault(sensor("g", "gyroskope")), "sensor 'g': there is no kind 'gyroskope' of sensor|did you mean 'gyroscope'?");
  EXPECT_EQ(first_fault(sensor("g", "gyroscope", {setting("nois", {1})})),
            "sensor 'g': nois: a sensor of kind 'gyroscope' has no such number|did you mean 'noise'?");
  SensorSetting length = setting("noise", {1});
  length.unit = dimension::kLength;
  EXPECT_EQ(first_fault(sensor("g", "gyroscope", {length})),
            "sensor 'g': noise: an angular speed is due here, not a length|standard deviation of a sample");
  EXPECT_NE(first_fault(sensor("g", "gyroscope", {setting("range", {1, -1})})), "");
  EXPECT_NE(first_fault(sensor("g", "gyroscope", {setting("bits", {12})})), "");
  EXPECT_NE(first_fault(sensor("g", "gyroscope", {setting("rate", {1e6}), setting("delay", {50})})), "");
  EXPECT_NE(first_fault(sensor("g", "gyroscope", {setting("noise", {std::nan("")})})), "");
  EXPECT_NE(first_fault(sensor("f", "force")), "") << "nothing holds the base";
  EXPECT_NE(first_fault(sensor("p", "pads")), "");
  SensorSpec nowhere = sensor("g", "gyroscope");
  nowhere.on = "hed";
  EXPECT_NE(first_fault(nowhere), "");
  EXPECT_EQ(first_fault(sensor("g", "gyroscope")), "");
}

}  // namespace
}  // namespace gradus::test
