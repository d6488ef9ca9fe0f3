#include "support/golden_inputs.h"

#include <fmt/format.h>

#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "support/contact_scenes.h"

namespace gradus::test {
namespace {

void add_robots(SceneSpec& s, int count, const RobotSpec& robot, const std::string& motion, bool dropped) {
  for (int i = 0; i < count; ++i) {
    auto& r = add(s, robot, motion, {1.0 * i, 0.1 * i, kHumanoid28Height + (dropped ? 0.2 : 0.0005)});
    if (dropped) {
      r.q_WB = from_roll_pitch_yaw(0.3 + 0.1 * i, 0.6, 0.2 * i);
      r.w_WB = {0.5, 1.0 + i, -0.3};
    }
  }
}

void add_humanoids(std::vector<GoldenInput>& out) {
  for (const std::string motion : {"kinematic_walk", "single_body", "prescribed_joints", "articulated"})
    for (const double h : {0.001, 0.002, 0.005})
      for (const bool dropped : {false, true}) {
        if (motion == "kinematic_walk" && dropped) continue;
        GoldenInput in{
            fmt::format("humanoid28_{}_{}_{}ms", motion, dropped ? "dropped" : "standing", 1000 * h), scene(h), {}, 0};
        add_ground(in.scene);
        add_robots(in.scene, 1, humanoid28(), motion, dropped);
        in.push = {0.6, -0.4, 0.1};
        in.swing = dropped ? 0 : 0.1;
        out.push_back(in);
      }
}

void add_trees(std::vector<GoldenInput>& out) {
  for (const std::uint64_t seed : {1, 2, 3, 4})
    for (const std::string motion : {"prescribed_joints", "articulated"}) {
      GoldenInput in{fmt::format("random_tree{}_{}", seed, motion), scene(0.001), {1, 2, 3}, 0.5};
      add(in.scene, random_tree(seed), motion).w_WB = {1, -2, 0.5};
      out.push_back(in);
    }
  GoldenInput arm{"fixed_arm", scene(0.001), {0, 0, 0}, 0.3};
  add(arm.scene, fixed_arm(), "articulated");
  out.push_back(arm);
}

void add_bodies(std::vector<GoldenInput>& out) {
  for (const double slope : {0.0, 0.2, 0.6}) {
    GoldenInput box{fmt::format("box_on_slope_{}", slope), scene(0.001), {0.1, 0.2, 0.3}, 0};
    add_ground(box.scene, {slope, 0.1, 1});
    add(box.scene, solid_box(1, {0.2, 0.3, 0.1}), "free_body", {0, 0, 0.22}, from_roll_pitch_yaw(0.2, 0.3, 0.4))
        .v_WB = {1, 0, 0};
    out.push_back(box);
    GoldenInput ball{fmt::format("ball_on_slope_{}", slope), scene(0.002), {0.1, 0.2, 0.3}, 0};
    add_ground(ball.scene, {slope, 0.1, 1});
    add(ball.scene, solid_ball(0.4, 0.1), "free_body", {0, 0, 0.2}).w_WB = {0, 30, 5};
    out.push_back(ball);
  }
}

/// Every stage of the actuator chain, on a Nao: gears rigid, elastic with play (loops over joint and motor, delay,
/// friction that falls with speed and grows with load) and `motoflex`; the last with flexible legs.
void change_chain(GearModel gear, int number, ObjectSpec& o) {
  DriveSpec& d = *o.drive;
  d.gear.model = gear;
  if (gear == GearModel::rigid) return;
  const bool motoflex = gear == GearModel::motoflex;
  d.gear.play = motoflex ? 1.3e-5 : 0.0244;
  d.gear.stiffness = motoflex ? 6.131e6 : 1500;
  d.gear.damping = motoflex ? 84 : 2;
  d.gear.inertia = 1.08e-3;
  d.controller.motor_side = number % 2 == 0;
  d.controller.ki = number % 3 == 0 ? 20 : 0;
  d.delay = number % 4 == 0 ? 0.0034 : 0;
  if (number % 5 < 2) d.friction = {0.05, d.friction.viscous, 0.03, 0.2, 0.1, 0.05};
  if (motoflex && (o.name.ends_with("HipPitch") || o.name.ends_with("KneePitch")))
    o.flex = FlexSpec{1, 2006, 5, true, {0, 0, 0}};
}

void add_naos(std::vector<GoldenInput>& out) {
  auto loaded = load_robot(GRADUS_SOURCE_DIR "/robots/nao_h25_v6.toml");
  if (!loaded) throw std::runtime_error(to_string(loaded.notes().front()));
  for (const GearModel gear : {GearModel::rigid, GearModel::elastic, GearModel::motoflex})
    for (const double h : {0.001, 0.005}) {
      GoldenInput in{fmt::format("nao_{}_gears_{}ms", to_string(gear), 1000 * h), scene(h), {0.6, -0.4, 0.1}, 0.1};
      RobotSpec robot = *loaded;
      int number = 0;
      for (ObjectSpec& o : robot.objects)
        if (o.drive) change_chain(gear, number++, o);
      add_ground(in.scene);
      add(in.scene, robot, "articulated").on_ground = true;
      out.push_back(in);
    }
}

/// Wheeled matches with everybody driving about; the impulse at step 100 shoves them all. One with a humanoid beside
/// it.
void add_matches(std::vector<GoldenInput>& out) {
  for (const std::string name : {"mirosot_3v3", "mirosot_5v5", "mirosot_11v11"}) {
    auto loaded = load_scene(GRADUS_SOURCE_DIR "/scenes/" + name + ".toml", {});
    if (!loaded) throw std::runtime_error(to_string(loaded.notes().front()));
    loaded->groups[0].blue = loaded->groups[0].yellow = "none";
    out.push_back({name, *loaded, {0.1, 0.05, 0}, 30});
  }
  GoldenInput mixed = out[out.size() - 3];
  mixed.name = "mirosot_3v3_and_humanoid";
  mixed.scene.step = 0.005;
  add_robots(mixed.scene, 1, humanoid28(), "articulated", false);
  mixed.scene.robots.back().p_WB.x = 1.5;
  out.push_back(mixed);
}

void add_crowds(std::vector<GoldenInput>& out) {
  for (const bool dropped : {false, true}) {
    GoldenInput in{fmt::format("five_mixed_{}", dropped ? "dropped" : "standing"), scene(0.001), {0.5, 0.3, 0}, 0.1};
    add_ground(in.scene);
    for (const std::string motion : {"articulated", "single_body", "prescribed_joints"})
      add_robots(in.scene, 1, humanoid28(), motion, dropped);
    add_robots(in.scene, 1, humanoid28(), "kinematic_walk", false);
    add(in.scene, solid_ball(0.4, 0.1), "free_body", {5, 0, 0.5}).v_WB = {1, 0, 0};
    out.push_back(in);
  }
}

/// Moving things that touch: stacks, collisions with spin, robots on each other, on loose boxes, on themselves.
void add_contacts(std::vector<GoldenInput>& out) {
  for (const double h : {0.001, 0.005}) {
    GoldenInput stack{fmt::format("stack_{}ms", 1000 * h), stack_of(6, h), {0.02, 0.01, 0}, 0};
    out.push_back(stack);
    for (const RobotScene& s : robot_scenes()) {
      std::string name = s.name;
      for (char& c : name)
        if (c == ' ' || c == '/') c = '_';
      out.push_back({fmt::format("{}_{}ms", name, 1000 * h), s.make(h, 1e5), {0.1, -0.2, 0.05}, 0.2});
    }
  }
  for (const double h : {0.001, 0.005})
    out.push_back({fmt::format("rough_ground_{}ms", 1000 * h), rough_ground(h), {0.1, -0.2, 0.05}, 0.2});
  GoldenInput heap{"mixed_heap", contact_scene(0.002, 1e5), {0.3, 0.2, 0}, 0.2};
  heap.scene.contact.restitution = 0.4, heap.scene.contact.rolling = 0.001, heap.scene.contact.torsion = 0.001;
  for (const std::string motion : {"articulated", "single_body", "prescribed_joints"})
    add_robots(heap.scene, 1, humanoid28(), motion, true);
  for (std::size_t i = 0; i < 3; ++i)
    heap.scene.robots[i].p_WB = {0.25 * static_cast<double>(i), 0, 0.5 + 0.2 * static_cast<double>(i)};
  add(heap.scene, humanoid28(), "kinematic_walk", {0.1, 0.3, kHumanoid28Height});
  for (int i = 0; i < 6; ++i)
    add(heap.scene, solid_ball(0.2, 0.06), "free_body", {0.12 * i, 0.05, 1.2 + 0.05 * i}).w_WB = {0, 20, 5};
  out.push_back(heap);
}

}  // namespace

std::vector<GoldenInput> golden_inputs() {
  std::vector<GoldenInput> out;
  add_humanoids(out);
  add_trees(out);
  add_bodies(out);
  add_naos(out);
  add_matches(out);
  add_crowds(out);
  add_contacts(out);
  return out;
}

void run_golden(const GoldenInput& input, World& world, int steps) {
  for (int i = 0; i < steps; ++i) {
    for (int r = 0; r < world.robot_count(); ++r) {
      const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(r)].kind;
      // A triangle wave: the same numbers with every compiler, unlike std::sin.
      const double phase = static_cast<double>((world.k() + 17 * r) % 200) / 100, wave = phase < 1 ? phase : 2 - phase;
      for (int j = 0; j < kind.njoint(); ++j)
        world.targets(r)[static_cast<std::size_t>(j)] =
            kind.joints[static_cast<std::size_t>(j)].initial + input.swing * wave * (j % 2 ? -1 : 1);
      if (world.k() == 100) world.add_impulse({r, 0, {0.01, 0.02, 0.03}, input.push});
    }
    world.step();
  }
}

}  // namespace gradus::test
