#include "support/robots.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gradus::test {
namespace {

enum class Form { none, box, capsule_x, capsule_z, sphere };

/// One link of the humanoid: frames are parallel at q = 0.
struct LinkRow {
  const char *name, *parent;
  Vec3 offset, axis;  // joint origin in the parent's frame; axis
  double mass;
  Vec3 com, size;  // size: of the solid box that gives the inertia
  double lower, upper, stand;
  bool leg;  // leg or arm servo
  Form form;
  Vec3 half, at;  // of the shape: half extents, or radius and half length, or radius
};

constexpr double kHalfRoot = 0.70710678118654752440;
// clang-format off
const LinkRow kHumanoid28[] = {
    {"torso", "", {0, 0, 0}, {0, 0, 1}, 1.0496, {-0.004, 0, 0.043}, {0.10, 0.14, 0.20}, 0, 0, 0, true, Form::box, {0.05, 0.07, 0.08}, {0, 0, 0.03}},
    {"neck", "torso", {0, 0, 0.1265}, {0, 0, 1}, 0.0784, {0, 0, -0.027}, {0.04, 0.04, 0.06}, -2.08, 2.08, 0, false, Form::none, {}, {}},
    {"head", "neck", {0, 0, 0}, {0, 1, 0}, 0.6051, {0, 0, 0.052}, {0.12, 0.12, 0.12}, -0.67, 0.51, 0, false, Form::sphere, {0.065, 0, 0}, {0, 0, 0.055}},
    {"lshoulder", "torso", {0, 0.098, 0.100}, {0, 1, 0}, 0.0930, {-0.001, -0.002, 0}, {0.05, 0.05, 0.05}, -2.08, 2.08, 1.4, false, Form::none, {}, {}},
    {"lbiceps", "lshoulder", {0, 0, 0}, {0, 0, 1}, 0.1578, {0.025, 0.005, 0}, {0.09, 0.05, 0.05}, -0.31, 1.32, 0.2, false, Form::capsule_x, {0.025, 0.025, 0}, {0.040, 0.007, 0}},
    {"lelbow", "lbiceps", {0.105, 0.015, 0}, {1, 0, 0}, 0.0648, {-0.027, 0, 0}, {0.06, 0.04, 0.04}, -2.08, 2.08, -1.0, false, Form::none, {}, {}},
    {"lforearm", "lelbow", {0, 0, 0}, {0, 0, 1}, 0.2633, {0.065, 0, 0}, {0.13, 0.05, 0.05}, -1.54, -0.03, -0.4, false, Form::capsule_x, {0.025, 0.040, 0}, {0.070, 0, 0}},
    {"rshoulder", "torso", {0, -0.098, 0.100}, {0, 1, 0}, 0.0930, {-0.001, 0.002, 0}, {0.05, 0.05, 0.05}, -2.08, 2.08, 1.4, false, Form::none, {}, {}},
    {"rbiceps", "rshoulder", {0, 0, 0}, {0, 0, 1}, 0.1578, {0.025, -0.005, 0}, {0.09, 0.05, 0.05}, -1.32, 0.31, -0.2, false, Form::capsule_x, {0.025, 0.025, 0}, {0.040, -0.007, 0}},
    {"relbow", "rbiceps", {0.105, -0.015, 0}, {1, 0, 0}, 0.0648, {-0.027, 0, 0}, {0.06, 0.04, 0.04}, -2.08, 2.08, 1.0, false, Form::none, {}, {}},
    {"rforearm", "relbow", {0, 0, 0}, {0, 0, 1}, 0.2633, {0.065, 0, 0}, {0.13, 0.05, 0.05}, 0.03, 1.54, 0.4, false, Form::capsule_x, {0.025, 0.040, 0}, {0.070, 0, 0}},
    {"lpelvis", "torso", {0, 0.05, -0.085}, {0, kHalfRoot, -kHalfRoot}, 0.0698, {-0.008, -0.012, 0.027}, {0.06, 0.06, 0.06}, -1.14, 0.74, 0, true, Form::none, {}, {}},
    {"lhip", "lpelvis", {0, 0, 0}, {1, 0, 0}, 0.1405, {-0.015, 0, -0.005}, {0.06, 0.05, 0.05}, -0.37, 0.79, 0, true, Form::none, {}, {}},
    {"lthigh", "lhip", {0, 0, 0}, {0, 1, 0}, 0.3895, {0.001, 0.002, -0.054}, {0.07, 0.07, 0.12}, -1.53, 0.48, -0.35, true, Form::capsule_z, {0.035, 0.03, 0}, {0, 0, -0.05}},
    {"lshin", "lthigh", {0, 0, -0.100}, {0, 1, 0}, 0.2912, {0.004, 0.002, -0.049}, {0.06, 0.06, 0.11}, -0.09, 2.11, 0.70, true, Form::capsule_z, {0.03, 0.03, 0}, {0, 0, -0.05}},
    {"lankle", "lshin", {0, 0, -0.1029}, {0, 1, 0}, 0.1342, {0.0005, 0, 0.007}, {0.05, 0.05, 0.05}, -1.19, 0.92, -0.35, true, Form::none, {}, {}},
    {"lfoot", "lankle", {0, 0, 0}, {1, 0, 0}, 0.1718, {0.025, 0.003, -0.032}, {0.16, 0.08, 0.03}, -0.40, 0.77, 0, true, Form::box, {0.08, 0.04, 0.01}, {0.03, 0, -0.035}},
    {"rpelvis", "torso", {0, -0.05, -0.085}, {0, kHalfRoot, kHalfRoot}, 0.0698, {-0.008, 0.012, 0.027}, {0.06, 0.06, 0.06}, -1.14, 0.74, 0, true, Form::none, {}, {}},
    {"rhip", "rpelvis", {0, 0, 0}, {1, 0, 0}, 0.1405, {-0.015, 0, -0.005}, {0.06, 0.05, 0.05}, -0.79, 0.37, 0, true, Form::none, {}, {}},
    {"rthigh", "rhip", {0, 0, 0}, {0, 1, 0}, 0.3895, {0.001, -0.002, -0.054}, {0.07, 0.07, 0.12}, -1.53, 0.48, -0.35, true, Form::capsule_z, {0.035, 0.03, 0}, {0, 0, -0.05}},
    {"rshin", "rthigh", {0, 0, -0.100}, {0, 1, 0}, 0.2912, {0.004, -0.002, -0.049}, {0.06, 0.06, 0.11}, -0.09, 2.11, 0.70, true, Form::capsule_z, {0.03, 0.03, 0}, {0, 0, -0.05}},
    {"rankle", "rshin", {0, 0, -0.1029}, {0, 1, 0}, 0.1342, {0.0005, 0, 0.007}, {0.05, 0.05, 0.05}, -1.19, 0.92, -0.35, true, Form::none, {}, {}},
    {"rfoot", "rankle", {0, 0, 0}, {1, 0, 0}, 0.1718, {0.025, -0.003, -0.032}, {0.16, 0.08, 0.03}, -0.77, 0.40, 0, true, Form::box, {0.08, 0.04, 0.01}, {0.03, 0, -0.035}},
};
// clang-format on

void add_shape(const LinkRow& row, RobotBuilder& b) {
  ShapeSpec s;
  s.X_OS.p = row.at;
  switch (row.form) {
    case Form::none:
      return;
    case Form::box:
      s.kind = ShapeKind::box;
      s.size = row.half * 2.0;
      break;
    case Form::sphere:
      s.kind = ShapeKind::sphere;
      s.radius = row.half.x;
      break;
    case Form::capsule_x:
      s.X_OS.R = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};  // z of the shape along x
      [[fallthrough]];
    case Form::capsule_z:
      s.kind = ShapeKind::capsule;
      s.radius = row.half.x;
      s.length = 2 * row.half.y;
  }
  b.shape(s);
}

[[noreturn]] void give_up(const Diagnostics& notes) {
  for (const Diagnostic& d : notes) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  std::abort();
}

/// A random body in the last object's frame: off-centre, with principal axes of its own.
void add_random_body(Random& r, RobotBuilder& b) {
  const double m = r.in(0.2, 2);
  const Vec3 size{r.in(0.05, 0.4), r.in(0.05, 0.4), r.in(0.05, 0.4)};
  const Mat3 R = to_matrix(r.rotation());
  b.mass(m, r.vector(0.15), rotated(R, inertia_of_box(m, size)));
}

void add_random_turn(Random& r, const std::string& name, RobotBuilder& b) {
  const double angle = r.in(-3, 3);
  b.rotation(name, r.direction(), angle);
}

void add_random_joint(Random& r, const std::string& name, RobotBuilder& b) {
  static const Vec3 coordinate[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
  const double length = r.in(0.5, 2);
  const Vec3 axis = r.in(0, 1) < 0.4 ? coordinate[r.below(4)] : r.direction() * length;
  if (r.in(0, 1) < 0.3)
    b.prismatic(name, axis);
  else
    b.revolute(name, axis);
  ServoSpec servo;
  servo.rotor = r.in(0, 1) < 0.5 ? r.in(0.001, 0.1) : 0;
  b.servo(servo);
}

}  // namespace

Vec3 Random::direction() {
  for (;;) {
    const Vec3 a = vector(1);
    const double n = norm(a);
    if (n > 0.1 && n < 1) return a * (1 / n);
  }
}

Quat Random::rotation() {
  const Vec3 axis = direction();
  return exponential(axis * in(0, 3));
}

RobotSpec humanoid28() {
  RobotBuilder b("humanoid28");
  for (const LinkRow& row : kHumanoid28) {
    const std::string name = row.name, parent = row.parent;
    if (parent.empty()) {
      b.base(name);
    } else {
      // One successor follows directly; several need a fork, which may stand anywhere.
      if (!b.spec().find(parent + "_fork")) b.after(parent).fork(parent + "_fork");
      b.after(parent + "_fork").translation(name + "_at", row.offset).revolute(name, row.axis);
      b.limits(row.lower, row.upper).initial(row.stand);
      ServoSpec arm{12, 0.2, 3}, leg{60, 1.0, 12};
      b.servo(row.leg ? leg : arm);
    }
    b.mass(row.mass, row.com, inertia_of_box(row.mass, row.size));
    add_shape(row, b);
    if (name == "lfoot" || name == "rfoot") b.foot();
  }
  RobotSpec spec = b.spec();
  spec.file = "humanoid28";  // robots of one file share their compiled kind
  return spec;
}

RobotSpec humanoid28_stiff(double stiffer) {
  RobotSpec spec = humanoid28();
  for (ObjectSpec& o : spec.objects) {
    o.servo.kp *= stiffer;
    o.servo.kd *= std::sqrt(stiffer);
    o.servo.torque = std::numeric_limits<double>::infinity();
  }
  return spec;
}

RobotSpec random_tree(std::uint64_t seed) {
  Random r(seed);
  RobotBuilder b("random_tree");
  b.base("root");
  add_random_body(r, b);
  std::vector<std::string> forks;
  for (int i = 0; i < 14; ++i) {
    const std::string n = std::to_string(i);
    b.fork("fork" + n);
    forks.push_back("fork" + n);
    // Half of the joints continue the chain, the others start anywhere.
    if (r.in(0, 1) < 0.5) b.after(forks[static_cast<std::size_t>(r.below(static_cast<int>(forks.size())))]);
    b.translation("to" + n, r.vector(0.3));
    if (r.in(0, 1) < 0.7) add_random_turn(r, "turn" + n, b);
    add_random_joint(r, "joint" + n, b);
    add_random_body(r, b);
    if (r.in(0, 1) < 0.5) {
      b.translation("on" + n, r.vector(0.2));
      add_random_turn(r, "tilt" + n, b);
      add_random_body(r, b);
    }
  }
  return b.spec();
}

RobotSpec fixed_arm() {
  Random r(77);
  RobotBuilder b("fixed_arm");
  b.base("post").fixed();
  add_random_body(r, b);
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i);
    b.translation("link" + n, r.vector(0.3));
    add_random_turn(r, "twist" + n, b);
    if (i == 3)
      b.prismatic("joint" + n, r.direction());
    else
      b.revolute("joint" + n, r.direction());
    ServoSpec servo;
    servo.rotor = 0.02;
    b.servo(servo);
    add_random_body(r, b);
  }
  return b.spec();
}

RobotSpec two_legs(double multiplier, bool right_leads) {
  RobotBuilder b("legs");
  b.base("torso").solid_box(2, {0.1, 0.2, 0.3}, {0, 0, 0.1}).fork("hips");
  for (const std::string side : {"l", "r"}) {
    const double y = side == "l" ? 0.05 : -0.05, t = side == "l" ? -1 : 1;
    b.after("hips")
        .translation(side + "_hip", {0, y, -0.05})
        .revolute(side + "_hyp", {0, 1, t})
        .solid_box(0.3, {0.05, 0.05, 0.05}, {0, 0.01, 0});
    b.revolute(side + "_roll", {1, 0, 0}).solid_box(0.5, {0.05, 0.04, 0.2}, {0, 0, -0.1});
    b.translation(side + "_thigh", {0, 0, -0.1})
        .revolute(side + "_knee", {0, 1, 0})
        .solid_box(0.4, {0.1, 0.05, 0.1}, {0.02, 0, -0.05});
  }
  RobotSpec spec = b.spec();
  for (ObjectSpec& o : spec.objects)
    if (o.is_joint()) o.servo = {20, 0};
  const std::string follower = right_leads ? "l_hyp" : "r_hyp", leader = right_leads ? "r_hyp" : "l_hyp";
  for (ObjectSpec& o : spec.objects)
    if (o.name == follower) o.mimic = MimicSpec{leader, multiplier, 0.1};
  return spec;
}

RobotSpec solid_box(double mass, Vec3 size, double friction) {
  return RobotBuilder("box").base("box").solid_box(mass, size, {0, 0, 0}).friction(friction).spec();
}

RobotSpec solid_ball(double mass, double radius, double friction) {
  return RobotBuilder("ball").base("ball").solid_sphere(mass, radius, {0, 0, 0}).friction(friction).spec();
}

std::shared_ptr<const RobotKind> kind_of(const RobotSpec& spec) {
  auto kind = compile(spec, ContactSpec{});
  if (!kind) give_up(kind.notes());
  return *kind;
}

RandomState random_state(const RobotKind& kind, Random& r) {
  RandomState s;
  s.q.resize(static_cast<std::size_t>(kind.nq()));
  s.v.resize(static_cast<std::size_t>(kind.nv()));
  const bool free = kind.root == RootKind::free;
  const Vec3 p = free ? r.vector(2) : Vec3{0, 0, 0};
  set_base_pose(s.q.data(), p, free ? r.rotation() : Quat{1, 0, 0, 0});
  for (std::size_t i = 7; i < s.q.size(); ++i) s.q[i] = r.in(-1.5, 1.5);
  for (std::size_t i = free ? 0 : 6; i < s.v.size(); ++i) s.v[i] = r.in(-4, 4);
  return s;
}

SceneSpec scene(double h) {
  SceneSpec s;
  s.name = "test";
  s.step = h;
  return s;
}

SceneSpec& add_ground(SceneSpec& s, Vec3 normal) {
  FieldObjectSpec g;
  g.name = "ground";
  g.shape.kind = ShapeKind::plane;
  const Vec3 n = normal * (1 / norm(normal)), axis = cross(Vec3{0, 0, 1}, n);
  if (norm(axis) > 0) g.X_WO.R = to_matrix(from_axis_angle(axis, std::atan2(norm(axis), n.z)));
  s.field.push_back(g);
  return s;
}

RobotInstanceSpec& add(SceneSpec& s, const RobotSpec& robot, const std::string& motion, Vec3 p_WB, Quat q_WB) {
  RobotInstanceSpec r;
  r.name = "robot" + std::to_string(s.robots.size());
  r.robot = robot;
  r.motion = motion;
  r.p_WB = p_WB;
  r.q_WB = q_WB;
  s.robots.push_back(r);
  return s.robots.back();
}

std::unique_ptr<World> make_world(const SceneSpec& s, int threads) {
  World::Options options;
  options.threads = threads;
  return make_world(s, options);
}

std::unique_ptr<World> make_world(const SceneSpec& s, const World::Options& options) {
  auto model = compile(s);
  if (!model) give_up(model.notes());
  auto world = World::make(*model, options);
  if (!world) give_up(world.notes());
  return std::move(*world);
}

void run(World& world, double seconds) {
  const auto steps = std::llround(seconds / world.model().step);
  for (long long i = 0; i < steps; ++i) world.step();
}

double fastest(const World& world, int robot) {
  double most = 0;
  for (double x : world.v(robot)) most = std::max(most, std::isnan(x) ? 1e300 : std::fabs(x));
  return most;
}

double fastest_during(World& world, double seconds) {
  double most = 0;
  const double end = world.time() + seconds;
  while (world.time() < end) {
    world.step();
    most = std::max(most, fastest(world));
  }
  return most;
}

Vec3 base_at(const World& world, int robot) { return base_position(world.q(robot).data()); }
Vec3 base_velocity_of(const World& world, int robot) { return base_velocity(world.v(robot).data()); }

}  // namespace gradus::test
