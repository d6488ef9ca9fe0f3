#include "support/contact_scenes.h"

#include <algorithm>
#include <cmath>

#include "tree/kernels.h"

namespace gradus::test {
namespace {

void set_target(World& w, int robot, const char* joint, double q) {
  w.targets(
      robot)[static_cast<std::size_t>(w.model().robots[static_cast<std::size_t>(robot)].kind->find_joint(joint))] = q;
}

RobotInstanceSpec& add_humanoid(SceneSpec& s, Vec3 p, Quat q = {1, 0, 0, 0}) {
  return add(s, humanoid28(), "articulated", {p.x, p.y, p.z + kHumanoid28Height}, q);
}

SceneSpec leaning(double h, double k) {
  SceneSpec s = contact_scene(h, k);
  add_humanoid(s, {0, 0, 0.001});
  add_humanoid(s, {0.40, 0.01, 0.001}, from_roll_pitch_yaw(0, 0, M_PI));
  return s;
}
void lean(World& w) {
  for (int r : {0, 1})
    for (const char* j : {"lankle", "rankle"}) set_target(w, r, j, -0.35 - 0.3);
}

SceneSpec falling(double h, double k) {
  SceneSpec s = contact_scene(h, k);
  add_humanoid(s, {0, 0, 0});
  add_humanoid(s, {0.05, 0.02, 0.62}, exponential(Vec3{0, 1.2, 0.3}));
  return s;
}

SceneSpec on_boxes(double h, double k) {
  SceneSpec s = contact_scene(h, k);
  s.contact.friction = 0.8;
  add_humanoid(s, {0, 0, 0.0505});
  for (int side : {-1, 1}) add(s, solid_box(0.5, {0.24, 0.09, 0.05}), "free_body", {0.03, side * 0.05, 0.025});
  return s;
}

SceneSpec hit_by_ball(double h, double k) {
  SceneSpec s = contact_scene(h, k);
  add_humanoid(s, {0, 0, 0});
  add(s, solid_ball(2, 0.1, 0.5), "free_body", {-0.45, 0, 0.15}).v_WB = {3, 0, 2};
  return s;
}

/// The right foot is up; a ball lies under it; then the leg stretches.
SceneSpec ball_under_foot(double h, double k) {
  SceneSpec s = contact_scene(h, k);
  add_humanoid(s, {0, 0, 0.001});
  for (ObjectSpec& o : s.robots[0].robot.objects) {
    if (o.name == "rthigh") o.initial = -1.15;
    if (o.name == "rshin") o.initial = 1.9;
    if (o.name == "rankle") o.initial = -0.75;
  }
  s.robots[0].robot.file = "";
  add(s, solid_ball(0.043, 0.026, 0.8), "free_body", {0.035, -0.05, 0.026});
  return s;
}
void step_on_ball(World& w) {
  set_target(w, 0, "rthigh", -0.35);
  set_target(w, 0, "rshin", 0.7);
  set_target(w, 0, "rankle", -0.35);
}

SceneSpec arms_on_torso(double h, double k) {
  SceneSpec s = contact_scene(h, k);
  add_humanoid(s, {0, 0, 0}).self_contact = true;
  return s;
}
void fold_arms(World& w) {
  const double side[2] = {-1, 1};
  const char* joints[2][4] = {{"lshoulder", "lbiceps", "lelbow", "lforearm"},
                              {"rshoulder", "rbiceps", "relbow", "rforearm"}};
  for (int i = 0; i < 2; ++i) {
    set_target(w, 0, joints[i][0], 1.2);
    set_target(w, 0, joints[i][1], side[i] * 0.31);
    set_target(w, 0, joints[i][2], 0);
    set_target(w, 0, joints[i][3], side[i] * 1.54);
  }
}

double speed(const World& w, int r) {
  double s = norm(base_velocity_of(w, r));
  const auto v = w.v(r);
  for (std::size_t j = 6; j < v.size(); ++j) s = std::max(s, 0.1 * std::fabs(v[j]));
  return s;
}

}  // namespace

SceneSpec contact_scene(double h, double k, double relaxation) {
  SceneSpec s = scene(h);
  add_ground(s);
  s.contact.friction = 0.5;
  s.contact.moving_stiffness = k;
  s.contact.moving_damping = k * relaxation;
  return s;
}

namespace {

/// A wedge: rises along x from 0 to its height.
MeshSpec wedge(Vec3 size) {
  MeshSpec m;
  for (const double y : {0.0, size.y}) {
    m.vertices.push_back({0, y, 0});
    m.vertices.push_back({size.x, y, 0});
    m.vertices.push_back({size.x, y, size.z});
  }
  m.triangles = {{0, 1, 2}, {3, 5, 4}, {0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}, {0, 2, 5}, {0, 5, 3}};
  return m;
}

/// Heights without a sine: the same numbers with every compiler.
HeightMapSpec steps_of_millimetres() {
  HeightMapSpec m;
  m.grid = {81, 81, 0.05, 0.05, -2, -2, {}};
  for (int j = 0; j < m.grid.ny; ++j)
    for (int i = 0; i < m.grid.nx; ++i) m.grid.z.push_back(0.003 * ((7 * i + 13 * j) % 11));
  return m;
}

void put(SceneSpec& s, const char* name, ShapeKind kind, Vec3 at) {
  FieldObjectSpec f;
  f.name = name;
  f.shape.kind = kind;
  (kind == ShapeKind::mesh ? f.shape.mesh : f.shape.map) = 0;
  f.X_WO.p = at;
  s.field.push_back(f);
}

}  // namespace

SceneSpec rough_ground(double h, double k) {
  SceneSpec s = contact_scene(h, k);
  s.field.clear();
  s.maps.push_back(steps_of_millimetres());
  s.meshes.push_back(wedge({0.4, 0.6, 0.15}));
  put(s, "rough", ShapeKind::height_field, {0, 0, 0});
  put(s, "wedge", ShapeKind::mesh, {0.3, -0.3, 0.02});
  add_humanoid(s, {0, 0, 0.03}, from_roll_pitch_yaw(0.2, 0.3, 0));
  add_humanoid(s, {0.1, 0.05, 0.6}, exponential(Vec3{0, 1.2, 0.3}));
  add(s, solid_box(1, {0.12, 0.08, 0.04}), "single_body", {0.5, 0.1, 0.35}, from_roll_pitch_yaw(0.3, 0.2, 0.1)).v_WB = {
      -1, 0, 0};
  add(s, solid_box(0.5, {0.1, 0.1, 0.1}), "free_body", {-0.3, 0.1, 0.2}).v_WB = {1, 0, 0};
  add(s, solid_ball(0.2, 0.06), "free_body", {0.6, -0.1, 0.5}).w_WB = {0, 20, 5};
  RobotSpec hull = solid_box(0.3, {0.2, 0.1, 0.1});
  hull.meshes.push_back(wedge({0.2, 0.1, 0.1}));
  for (ShapeSpec& shape : hull.objects[0].shapes) shape.kind = ShapeKind::hull, shape.mesh = 0;
  add(s, hull, "free_body", {-0.1, 0.4, 0.2}).v_WB = {0, -1, 0};
  return s;
}

SceneSpec stack_of(int boxes, double h, double k) {
  SceneSpec s = contact_scene(h, k, 0.001);
  for (int i = 0; i < boxes; ++i)
    add(s, solid_box(1, {0.2, 0.2, 0.2}, 0.5), "free_body", {0.003 * (i % 3), 0.002 * (i % 2), 0.1 + 0.2 * i});
  return s;
}

SceneSpec gram_under_ton(double h) {
  SceneSpec s = contact_scene(h, 1e8, 0.002);
  add(s, solid_box(0.001, {0.1, 0.1, 0.1}, 0.9), "free_body", {0, 0, 0.05});
  add(s, solid_box(1000, {0.2, 0.2, 0.2}, 0.9), "free_body", {0, 0, 0.2});
  return s;
}

const std::vector<RobotScene>& robot_scenes() {
  static const std::vector<RobotScene> all{{"leaning on each other", 5, leaning, lean},
                                           {"falling on each other", 5, falling, {}},
                                           {"on two loose boxes", 5, on_boxes, {}},
                                           {"hit by 2 kg at 3.6 m/s", 1, hit_by_ball, {}},
                                           {"ball under a foot", 1, ball_under_foot, step_on_ball},
                                           {"arms on the torso", 3, arms_on_torso, fold_arms}};
  return all;
}

Watched watch(World& w, double seconds) {
  Watched out;
  const int steps = static_cast<int>(std::lround(seconds / w.model().step));
  for (int i = 0; i < steps && out.finite; ++i) {
    w.step();
    double v = 0;
    for (int r = 0; r < w.robot_count(); ++r) v = std::max(v, speed(w, r));
    out.top = std::max(out.top, v);
    if (i > steps - static_cast<int>(0.5 / w.model().step)) out.end = std::max(out.end, v);
    for (const MovingContact& c : w.engine().moving_contacts().contacts())
      if (c.robot_b >= 0) out.deepest = std::max(out.deepest, -c.gap);
    out.contacts = std::max(out.contacts, static_cast<int>(w.engine().moving_contacts().contacts().size()));
    out.finite = v < 100;
  }
  return out;
}

Vec6 momentum_at(const World& w, const std::vector<std::vector<double>>& q, const std::vector<std::vector<double>>& v) {
  Vec6 sum = zero6<double>();
  for (int r = 0; r < w.robot_count(); ++r) {
    const auto u = static_cast<std::size_t>(r);
    const RobotKind& kind = *w.model().robots[u].kind;
    std::vector<Frame> frames(kind.links.size());
    compute_frames(kind, q[u].data(), v[u].data(), frames.data());
    const Vec6 m = momentum(kind.links.data(), kind.nlink(), frames.data(), base_velocity(v[u].data()));
    sum += Vec6{m.a + cross(base_position(q[u].data()), m.l), m.l};
  }
  return sum;
}

std::vector<std::vector<double>> all_q(const World& w) {
  std::vector<std::vector<double>> out;
  for (int r = 0; r < w.robot_count(); ++r) out.emplace_back(w.q(r).begin(), w.q(r).end());
  return out;
}
std::vector<std::vector<double>> all_v(const World& w) {
  std::vector<std::vector<double>> out;
  for (int r = 0; r < w.robot_count(); ++r) out.emplace_back(w.v(r).begin(), w.v(r).end());
  return out;
}

}  // namespace gradus::test
