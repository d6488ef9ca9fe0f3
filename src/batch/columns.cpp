#include "batch/columns.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "shape/geometry.h"

namespace gradus {
namespace {

using Kind = ObservedColumn::Kind;
constexpr const char* kAxes[] = {".x", ".y", ".z"};

Diagnostic unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                   const std::string& otherwise) {
  Diagnostic d;
  d.text = "batch: there is no " + what + " '" + name + "'";
  d.suggestion = did_you_mean_or(name, known, otherwise);
  return d;
}

bool is_pattern(const std::string& s) { return s.find_first_of("*?[") != std::string::npos; }

/// Everything that can be asked for by one name: single columns by their path, and names of several.
template <class Column>
struct Catalogue {
  std::vector<Column> columns;                             // in their order
  std::map<std::string, int> by_path;                      // into columns
  std::map<std::string, std::vector<std::string>> groups;  // of paths

  void add(Column c) {
    by_path.emplace(c.path, static_cast<int>(columns.size()));
    columns.push_back(std::move(c));
  }
  /// Paths that a name, pattern or group stands for; none: it is not known.
  std::vector<std::string> find(const std::string& name) const {
    if (by_path.count(name)) return {name};
    if (const auto g = groups.find(name); g != groups.end()) return g->second;
    std::vector<std::string> out;
    if (is_pattern(name))
      for (const Column& c : columns)
        if (fnmatch(name.c_str(), c.path.c_str(), 0) == 0) out.push_back(c.path);
    return out;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& g : groups) out.push_back(g.first);
    for (const Column& c : columns) out.push_back(c.path);
    return out;
  }
  void choose(const std::vector<std::string>& wanted, const char* what, const char* otherwise, std::vector<Column>& out,
              std::vector<NamedColumns>& named, Diagnostics& notes) const {
    for (const std::string& name : wanted) {
      const std::vector<std::string> paths = find(name);
      if (paths.empty()) notes.push_back(unknown(what, name, names(), otherwise));
      named.push_back({name, static_cast<int>(out.size()), static_cast<int>(paths.size())});
      for (const std::string& p : paths) out.push_back(columns[static_cast<std::size_t>(by_path.at(p))]);
    }
  }
};

/// Numbers that a World keeps beside its State: one that takes many states in turn mixes them up.
bool is_of_state(const std::string& path) {
  for (const char* name : {"unsettled", "energy_error", "second_passes", "unsettled_islands", "dropped_contacts"})
    if (path == name) return false;
  return !path.ends_with(".us_per_step");
}

std::vector<std::string> joint_paths(const RobotModel& robot, const char* end) {
  std::vector<std::string> out;
  for (const Joint& j : robot.kind->joints)
    out.push_back(robot.name + "." + robot.kind->objects[static_cast<std::size_t>(j.object)].name + end);
  return out;
}

void add_base(Catalogue<ObservedColumn>& c, const RobotModel& robot, int number) {
  const struct {
    const char* name;
    Kind kind;
  } own[] = {{".gravity", Kind::gravity}, {".velocity", Kind::velocity}, {".spin", Kind::spin}};
  for (const auto& o : own) {
    std::vector<std::string>& group = c.groups[robot.name + o.name];
    for (int i = 0; i < 3; ++i) {
      group.push_back(robot.name + o.name + kAxes[i]);
      c.add({o.kind, group.back(), number, i, {}});
    }
  }
}

Catalogue<ObservedColumn> everything_to_see(const World& world) {
  Catalogue<ObservedColumn> c;
  for (const Property& p : list_properties(world)) {
    if (!is_of_state(p.path)) continue;
    c.add({Kind::property, p.path, p.view.robot, p.view.index, p.view});
    if (!p.path.ends_with(".fn")) continue;
    const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(p.view.robot)].kind;
    const int link = kind.objects[static_cast<std::size_t>(p.view.index)].link;
    c.add({Kind::most, p.path + ".most", p.view.robot, link, {}});
    c.add({Kind::air, p.path + ".air", p.view.robot, link, {}});
  }
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotModel& robot = world.model().robots[static_cast<std::size_t>(r)];
    add_base(c, robot, r);
    const struct {
      const char *group, *end;
    } of_joints[] = {{".joint_q", ".q"}, {".joint_v", ".v"}, {".joint_tau", ".tau"}, {".joint_target", ".target"}};
    for (const auto& j : of_joints) {
      std::vector<std::string> paths = joint_paths(robot, j.end);
      if (!paths.empty() && c.by_path.count(paths[0])) c.groups[robot.name + j.group] = std::move(paths);
    }
  }
  return c;
}

/// Joints whose coordinate follows another's have no target of their own.
bool is_free(const Joint& j) { return j.mimic_of < 0 && !j.shared; }

void add_joint_commands(Catalogue<ActionColumn>& c, const World& world, int robot, int joint) {
  using A = ActionColumn::Kind;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const RobotModel& r = world.model().robots[static_cast<std::size_t>(robot)];
  const Joint& j = r.kind->joints[static_cast<std::size_t>(joint)];
  const RobotLayout& at = world.engine().at(robot);
  const int n = r.kind->njoint();
  const std::string prefix = r.name + "." + r.kind->objects[static_cast<std::size_t>(j.object)].name;
  const bool speeds = world.engine().needs(robot).speed_targets;  // of wheels
  const double most_speed = j.servo.speed > 0 ? j.servo.speed : kInfinity;
  c.add({A::target, prefix + ".target", robot, joint, at.target + joint, speeds ? -most_speed : j.lower,
         speeds ? most_speed : j.upper});
  c.groups[r.name + ".joint_target"].push_back(prefix + ".target");
  if (r.impedance) {
    const struct {
      A kind;
      const char* name;
      double lower, upper;
    } of_impedance[] = {{A::speed, "speed", -most_speed, most_speed},
                        {A::torque, "torque", -j.servo.torque, j.servo.torque},
                        {A::kp, "kp", 0, kInfinity},
                        {A::kd, "kd", 0, kInfinity}};
    int i = 0;
    for (const auto& o : of_impedance) {
      c.add({o.kind, prefix + "." + o.name, robot, joint, at.impedance + n * i++ + joint, o.lower, o.upper});
      c.groups[r.name + ".joint_" + o.name].push_back(prefix + "." + o.name);
    }
  }
  if (j.drive >= 0) {
    c.add({A::stiffness, prefix + ".stiffness", robot, joint, at.stiffness + joint, 0, 1});
    c.groups[r.name + ".joint_stiffness"].push_back(prefix + ".stiffness");
  }
}

Catalogue<ActionColumn> everything_to_command(const World& world) {
  Catalogue<ActionColumn> c;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(r)].kind;
    for (int j = 0; j < kind.njoint(); ++j)
      if (is_free(kind.joints[static_cast<std::size_t>(j)])) add_joint_commands(c, world, r, j);
  }
  return c;
}

}  // namespace

Result<BatchColumns> compile_columns(const World& world, const std::vector<std::string>& observe,
                                     const std::vector<std::string>& act) {
  BatchColumns out;
  Diagnostics notes;
  everything_to_see(world).choose(observe, "number to observe", "gradus show SCENE --properties lists them",
                                  out.observed, out.observed_names, notes);
  const auto commands = everything_to_command(world);
  std::vector<std::string> wanted = act;
  if (act.empty())
    for (const RobotModel& r : world.model().robots)
      if (commands.groups.count(r.name + ".joint_target")) wanted.push_back(r.name + ".joint_target");
  commands.choose(wanted, "number to command", "joints have .target", out.actions, out.action_names, notes);
  std::map<std::string, int> seen;
  for (const ActionColumn& a : out.actions)
    if (seen[a.path]++ == 1)
      notes.push_back({{}, Severity::error, "batch: '" + a.path + "' is commanded twice", "name it once"});
  if (has_errors(notes)) return notes;
  return out;
}

Vec3 in_base(const Quat& q_WB, Vec3 v_W) { return transpose_times(to_matrix(q_WB), v_W); }

double base_column(const ObservedColumn& c, Vec3 gravity, const double* q, const double* v) {
  const Quat q_WB = base_orientation(q);
  if (c.kind == Kind::velocity) return component(in_base(q_WB, base_velocity(v)), c.index);
  if (c.kind == Kind::spin) return component(in_base(q_WB, base_angular_velocity(v)), c.index);
  const double size = norm(gravity);
  return size > 0 ? component(in_base(q_WB, gravity * (1 / size)), c.index) : 0;
}

}  // namespace gradus
