#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/commands.h"
#include "load/scene_json.h"
#include "world/properties.h"

namespace gradus::cli {
namespace {

/// A period that steps do not divide is met on average.
const char* on_average(double period, const World& w) {
  return period > 0 && !Rate(period, 0, w.model().step).even() ? " (met on average)" : "";
}

void print_robot(const World& w, int r) {
  const RobotModel& robot = w.model().robots[static_cast<std::size_t>(r)];
  const RobotKind& kind = *robot.kind;
  const Vec3 rpy = to_roll_pitch_yaw(robot.q_WB);
  std::printf("\nrobot %s\n", robot.name.c_str());
  std::printf("  kind        %s: %d joints, %d degrees of freedom, %.3f kg, %zu contact points\n", kind.name.c_str(),
              kind.njoint(), kind.dof(), kind.mass, kind.points.size());
  std::printf("  motion      %s; can also be moved by", robot.motion.c_str());
  for (const MotionTable& m : all_motions())
    if (m.name != robot.motion && m.bind(kind).missing.empty()) std::printf(" %s", std::string(m.name).c_str());
  std::printf("\n  base        x %.4f m, y %.4f m, z %.4f m, roll %.2f deg, pitch %.2f deg, yaw %.2f deg\n",
              robot.p_WB.x, robot.p_WB.y, robot.p_WB.z, rpy.x * 57.29577951308232, rpy.y * 57.29577951308232,
              rpy.z * 57.29577951308232);
  const ControllerSpec& c = robot.controller;
  std::printf("  controller  %s%s%s", c.kind.c_str(), c.file.empty() ? "" : " ", c.file.c_str());
  if (c.kind != "none") std::printf(", every %g ms from %g s%s", c.period * 1e3, c.start, on_average(c.period, w));
  std::printf("\n");
  if (!w.sensors(r).empty()) std::printf("  sensors     ");
  for (std::size_t i = 0; i < w.sensors(r).size(); ++i)
    std::printf("%s%s", i == 0 ? "" : ", ", w.sensors(r)[i].name.c_str());
  if (!w.sensors(r).empty()) std::printf("; gradus show … --sensors tells more\n");
}

/// Processor time of one image as programs get it now, the least of three.   [ms]
double image_cost(const FrameView& v) {
  Camera camera(v.scene, v.lens, v.mount);
  BandRoom room(*v.scene, v.lens->camera().width);
  std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(v.lens->camera().width) * static_cast<std::size_t>(v.lens->camera().height));
  Image out;
  out.rgb = rgb.data();
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = thread_time();
    camera.render(v.poses, v.key, static_cast<std::uint32_t>(v.frame), room, out);
    best = std::min(best, thread_time() - start);
  }
  return 1e3 * best;
}

/// What the levels of sensing cost that have images. The world goes on until its cameras have one.
void print_image_costs(World& w) {
  FrameView view;
  for (int r = 0; r < w.robot_count(); ++r)
    for (std::size_t s = 0; s < w.sensors(r).size(); ++s) {
      if (!w.sensors(r)[s].table->images) continue;
      const std::string name = w.model().robots[static_cast<std::size_t>(r)].name + "." + w.sensors(r)[s].name;
      const double rate = 1 / std::max(w.sensors(r)[s].period, w.model().step);
      std::printf("%s, if it is read:", name.c_str());
      for (const int level : {2, 3}) {
        if (!w.set_parameter(name + ".sensing", level).empty()) continue;
        for (w.view(r, static_cast<int>(s), view); view.frame < 0 && w.k() < 2000; w.view(r, static_cast<int>(s), view)) w.step();
        if (view.frame < 0) continue;
        const double ms = image_cost(view);
        std::printf("%s %s %.2f ms an image, %.1f %% of a core", level == 2 ? "" : ";", kSensingNames[level], ms, 0.1 * ms * rate);
      }
      std::printf("\n");
    }
}

/// One line for each sensor: what it is, where, how often and how late, and what a sample is made of.
void print_sensors(const World& w) {
  bool any = false;
  for (int r = 0; r < w.robot_count(); ++r) {
    const RobotModel& robot = w.model().robots[static_cast<std::size_t>(r)];
    if (w.sensors(r).empty()) continue;
    std::printf("%srobot %s\n  %-20s %-14s %-14s %8s %9s %9s  %-12s %s\n", any ? "\n" : "", robot.name.c_str(), "sensor", "kind",
                "on", "channels", "rate [Hz]", "late [ms]", "unit", "first channel: noise, digit, range");
    any = true;
    for (std::size_t i = 0; i < w.sensors(r).size(); ++i) {
      const sense::Sensor& s = w.sensors(r)[i];
      const sense::Channel& c = s.channel[0];
      const ObjectInfo& on = robot.kind->objects[static_cast<std::size_t>(robot.kind->sensors[i].object)];
      std::printf("  %-20s %-14s %-14s %8d %9.5g %9.4g  %-12s ", s.name.c_str(), s.table->name.data(), on.name.c_str(), s.count(),
                  1 / std::max(s.period, w.model().step), 1e3 * s.delay, s.units[0]);
      if (s.table->images || s.table->name == "objects") {
        std::printf("sensing %s\n", kSensingNames[static_cast<int>(sensing_of(robot.kind->sensors[i].spec))]);
        continue;
      }
      if (s.ideal) {
        std::printf("ideal\n");
        continue;
      }
      std::printf("%.3g, %.3g, %.4g … %.4g%s\n", std::hypot(c.noise, c.density * std::sqrt(c.share / (2 - c.share))), c.digit,
                  c.lower, c.upper, on_average(s.period, w));
    }
  }
  if (!any) std::printf("no robot has sensors; see docs/sensors.md, or: sensors = \"nao_v6\" on a robot of the scene\n");
}

void print_scene(const SceneSpec& scene, const World& w) {
  const Model& m = w.model();
  std::printf("scene %s%s%s\n", scene.name.c_str(), scene.about.empty() ? "" : ": ", scene.about.c_str());
  std::printf("  step        %g ms (%g Hz), seed %llu, %g s by default, log every %g ms\n", m.step * 1e3, 1 / m.step,
              static_cast<unsigned long long>(m.seed), m.duration, m.log_period * 1e3);
  std::printf("  gravity     %g %g %g m/s^2\n", m.gravity.x, m.gravity.y, m.gravity.z);
  const ContactSpec& c = scene.contact;
  std::printf("  contact     %s: stiffness %g N/m, damping %g N s/m, sticking %g N/m, %g N s/m, friction %g\n",
              c.law.c_str(), c.stiffness, c.damping, c.tangential_stiffness, c.tangential_damping, c.friction);
  const auto maps = std::count_if(scene.field.begin(), scene.field.end(),
                                  [](const FieldObjectSpec& f) { return f.shape.kind == ShapeKind::height_field; });
  std::printf("  field       %zu object%s, ground %s\n", m.field.size(), m.field.size() == 1 ? "" : "s",
              m.ground.present ? "plane"
              : maps > 0       ? "height map"
                               : "none");
  for (int r = 0; r < w.robot_count(); ++r) print_robot(w, r);
}

void print_properties(const World& w) {
  for (const Property& p : list_properties(w))
    std::printf("%-40s %-12s %-4s %14.6g  %s\n", p.path.c_str(), p.view.unit, p.view.write ? "set" : "", p.view.get(w),
                p.view.about);
}

}  // namespace

void add_show(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("show", "Print the resolved scene: every default and chosen method");
  struct Options {
    std::string scene;
    std::vector<std::string> sets, motions;
    bool properties = false, sensors = false, json = false;
  };
  auto o = std::make_shared<Options>();
  cmd->add_option("SCENE", o->scene, "scene file, the name of one that comes with gradus, a robot file or a log")
      ->required();
  cmd->add_flag("--properties", o->properties, "list every property with its unit and present value");
  cmd->add_flag("--sensors", o->sensors, "a table of the robots' sensors");
  cmd->add_option("--set", o->sets, "PATH=VALUE, as for run");
  cmd->add_option("--motion", o->motions, "ROBOT=LEVEL, as for run");
  cmd->add_flag("--json", o->json, "the complete resolved scene as JSON");
  cmd->footer("Examples: gradus show levels --properties | grep knee\n          gradus show imu_shaker --sensors");
  cmd->callback([o, &outcome] {
    auto scene = load_scene_with(o->scene, o->sets, o->motions);
    outcome.status = 1;
    if (!scene) return;
    auto model = compile(*scene);
    if (!model) return print(model.notes());
    auto world = World::make(std::move(*model));
    print(world.notes());
    if (!world) return;
    outcome.status = 0;
    if (o->json)
      std::printf("%s\n", to_json(*scene, 1).c_str());
    else if (o->properties)
      print_properties(**world);
    else if (o->sensors)
      print_sensors(**world), print_image_costs(**world);
    else
      print_scene(*scene, **world);
  });
}

}  // namespace gradus::cli
