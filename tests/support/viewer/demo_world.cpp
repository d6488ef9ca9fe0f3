#include "support/viewer/demo_world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/hash.h"

namespace gradus::view {
namespace {

constexpr double kStep = 0.001;
constexpr double kMass = 5, kSwayStiffness = 90, kSwayDamping = 12, kPushDamping = 20;  // kg, N/m, N s/m
constexpr double kLeg = 0.16;                                                           // thigh and shank  [m]
constexpr double kAnkle = 0.045, kBallRadius = 0.07;

/// A joint and the body that it moves. Bodies follow their parents.
struct LinkShape {
  const char* name;
  int parent;   // index; -1 for the base
  Vec3 offset;  // joint in the parent's frame  [m]
  Vec3 axis;
  ShapeKind kind;
  double radius, length;
  Vec3 size;
  Vec3 centre;  // of the shape in the body's frame
  int tint;     // 0 light shell, 1 dark, 2 team colour
};

constexpr ShapeKind kBox = ShapeKind::box, kCapsule = ShapeKind::capsule, kSphere = ShapeKind::sphere;
constexpr Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

constexpr std::array<LinkShape, 17> kLinks = {{
    {"pelvis", -1, {0, 0, 0}, kZ, kBox, 0, 0, {0.11, 0.17, 0.09}, {0, 0, 0.01}, 1},
    {"torso", 0, {0, 0, 0.06}, kZ, kBox, 0, 0, {0.13, 0.21, 0.23}, {0, 0, 0.115}, 2},
    {"neck", 1, {0, 0, 0.24}, kZ, kCapsule, 0.025, 0.02, {}, {0, 0, 0.01}, 1},
    {"head", 2, {0, 0, 0.04}, kY, kSphere, 0.07, 0, {}, {0, 0, 0.055}, 0},
    {"right_shoulder", 1, {0, -0.135, 0.19}, kX, kSphere, 0.04, 0, {}, {0, 0, 0}, 1},
    {"right_upper_arm", 4, {0, -0.01, 0}, kY, kCapsule, 0.03, 0.11, {}, {0, 0, -0.065}, 0},
    {"right_forearm", 5, {0, 0, -0.14}, kY, kCapsule, 0.026, 0.12, {}, {0, 0, -0.07}, 2},
    {"left_shoulder", 1, {0, 0.135, 0.19}, kX, kSphere, 0.04, 0, {}, {0, 0, 0}, 1},
    {"left_upper_arm", 7, {0, 0.01, 0}, kY, kCapsule, 0.03, 0.11, {}, {0, 0, -0.065}, 0},
    {"left_forearm", 8, {0, 0, -0.14}, kY, kCapsule, 0.026, 0.12, {}, {0, 0, -0.07}, 2},
    {"right_thigh", 0, {0, -0.055, -0.03}, kY, kCapsule, 0.042, 0.09, {}, {0, 0, -0.08}, 0},
    {"right_shank", 10, {0, 0, -kLeg}, kY, kCapsule, 0.034, 0.1, {}, {0, 0, -0.075}, 2},
    {"right_foot", 11, {0, 0, -kLeg}, kY, kBox, 0, 0, {0.17, 0.085, 0.03}, {0.03, 0, -0.03}, 1},
    {"left_thigh", 0, {0, 0.055, -0.03}, kY, kCapsule, 0.042, 0.09, {}, {0, 0, -0.08}, 0},
    {"left_shank", 13, {0, 0, -kLeg}, kY, kCapsule, 0.034, 0.1, {}, {0, 0, -0.075}, 2},
    {"left_foot", 14, {0, 0, -kLeg}, kY, kBox, 0, 0, {0.17, 0.085, 0.03}, {0.03, 0, -0.03}, 1},
    {"pack", 1, {-0.085, 0, 0.12}, kZ, kBox, 0, 0, {0.05, 0.14, 0.14}, {0, 0, 0}, 1},
}};
constexpr int kLinkCount = static_cast<int>(kLinks.size());
constexpr std::array<const char*, 4> kLevels = {"kinematic_walk", "single_body", "prescribed_joints", "articulated"};
constexpr std::array<double, 4> kCost = {0.08, 0.31, 0.94, 2.2};  // made up  [µs]

double squat(double phase, double amplitude) { return 0.25 + 0.2 * amplitude * (1 - std::cos(0.7 * phase)); }

/// Joint angle of a link: waving right arm, swinging left arm, squatting legs, everything else still.  [rad]
double joint_angle(int link, double phase, double amplitude) {
  const double knee = squat(phase, amplitude);
  switch (link) {
    case 3:
      return 0.1 * std::sin(0.7 * phase);
    case 4:
      return -2.4 + 0.5 * amplitude * std::sin(3 * phase);
    case 6:
      return -0.4;
    case 7:
      return 0.15;
    case 8:
      return 0.5 * amplitude * std::sin(phase);
    case 9:
      return -0.6;
    case 10:
    case 13:
      return -knee;
    case 11:
    case 14:
      return 2 * knee;
    case 12:
    case 15:
      return -knee;
    default:
      return 0;
  }
}

Vec3 home(int robot, int count) {
  const int columns = count <= 4 ? count : 6;
  return {-0.9 * (robot / columns), 0.9 * (robot % columns - 0.5 * (columns - 1)), 0};
}

Vec3 team_colour(int robot) { return robot % 2 == 0 ? Vec3{0.13, 0.42, 0.78} : Vec3{0.83, 0.33, 0.16}; }

Shape shape_of(const LinkShape& link, int robot) {
  Shape s;
  s.kind = link.kind;
  s.radius = link.radius;
  s.length = link.length;
  s.size = link.size;
  s.X_BS.p = link.centre;
  s.colour = link.tint == 0 ? Vec3{0.86, 0.87, 0.89} : link.tint == 1 ? Vec3{0.21, 0.23, 0.27} : team_colour(robot);
  return s;
}

FieldObject field_box(const char* name, Vec3 size, Vec3 centre, Vec3 colour) {
  FieldObject f{name, {}};
  f.shape.kind = kBox;
  f.shape.size = size;
  f.shape.X_BS.p = centre;
  f.shape.colour = colour;
  return f;
}

constexpr int kRobotProperties = 6;  // of a robot, before those of its joints

}  // namespace

DemoWorld::DemoWorld(int robot_count) : robot_count_(std::min(robot_count, kRobotsMax)) {
  for (int r = 0; r < robot_count_; ++r) {
    state_.robots[r].level = r % 4;
    state_.robots[r].phase = 0.6 * r;
  }
  describe_scene();
  Frame frame;
  fill(frame, {});
}

void DemoWorld::describe_robot(int r) {
  SceneDescription& s = *scene_;
  const std::string name = (r % 2 == 0 ? "blue" : "red") + std::to_string(r / 2 + 1);
  Robot robot{name, {kLevels.begin(), kLevels.end()}, state_.robots[r].level, {}, {}};
  s.properties.push_back({name + ".base.x", "m", PropertyType::number, false});
  s.properties.push_back({name + ".base.y", "m", PropertyType::number, false});
  s.properties.push_back({name + ".base.z", "m", PropertyType::number, false});
  s.properties.push_back({name + ".base.speed", "m/s", PropertyType::number, false});
  s.properties.push_back({name + ".wave.amplitude", "", PropertyType::number, true, 0, 1.5});
  s.properties.push_back({name + ".wave.rate", "1/s", PropertyType::number, true, 0, 5});
  for (const LinkShape& link : kLinks) {
    robot.bodies.push_back({link.name, {shape_of(link, r)}});
    if (link.parent < 0) continue;
    robot.joints.push_back({link.name, -3, 3});
    s.properties.push_back({name + "." + link.name + ".q", "rad", PropertyType::number, false});
  }
  s.robots.push_back(std::move(robot));
}

void DemoWorld::describe_scene() {
  SceneDescription& s = *scene_;
  s.name = "demo feed";
  s.about = "made-up motion for trying the viewer";
  s.step = kStep;
  s.can_seek = s.can_branch = true;
  for (int r = 0; r < robot_count_; ++r) describe_robot(r);
  Shape ball;
  ball.radius = kBallRadius;
  ball.colour = {0.95, 0.55, 0.1};
  s.robots.push_back({"ball", {"free_body"}, 0, {{"ball", {ball}}}, {}});
  FieldObject ground{"ground", {}};
  ground.shape.kind = ShapeKind::plane;
  ground.shape.colour = {0.36, 0.5, 0.36};
  s.field.push_back(ground);
  const Vec3 white{0.93, 0.93, 0.9};
  s.field.push_back(field_box("left post", {0.06, 0.06, 0.8}, {-1.5, 0.8, 0.4}, white));
  s.field.push_back(field_box("right post", {0.06, 0.06, 0.8}, {-1.5, -0.8, 0.4}, white));
  s.field.push_back(field_box("crossbar", {0.06, 1.66, 0.06}, {-1.5, 0, 0.83}, white));
}

double DemoWorld::time() const { return static_cast<double>(state_.k) * kStep; }

Vec3 DemoWorld::push_force_W() const {
  const Push& push = state_.push;
  const BodyPose& body = bodies_[static_cast<std::size_t>(push.body)];
  const Vec3 point_W = body.p_WB + to_matrix(body.q_WB) * push.point_B;
  Vec3 f = (push.target_W - point_W) * push.stiffness;
  const double n = norm(f);
  return n > push.max_force ? f * (push.max_force / n) : f;
}

void DemoWorld::step() {
  const int pushed = state_.is_pushed ? state_.push.body / kLinkCount : -1;
  const Vec3 f = state_.is_pushed ? push_force_W() : Vec3{0, 0, 0};
  for (int r = 0; r < robot_count_; ++r) {
    RobotState& s = state_.robots[r];
    const double fx = r == pushed ? f.x - kPushDamping * s.vx : 0, fy = r == pushed ? f.y - kPushDamping * s.vy : 0;
    s.vx += kStep / kMass * (fx - kSwayStiffness * s.x - kSwayDamping * s.vx);
    s.vy += kStep / kMass * (fy - kSwayStiffness * s.y - kSwayDamping * s.vy);
    s.x += kStep * s.vx;
    s.y += kStep * s.vy;
    s.phase += kStep * 2 * s.rate;
    const bool leans = std::hypot(s.x, s.y) > 0.25;
    if (leans && !s.has_leant)
      events_.push_back({state_.k, time(), "fall", scene_->robots[static_cast<std::size_t>(r)].name + " leans far", r});
    s.has_leant = leans;
  }
  ++state_.k;
  bodies_.clear();
  for (int r = 0; r < robot_count_; ++r) place_robot(r, bodies_);
}

std::string DemoWorld::apply(const Action& action) {
  if (const auto* m = std::get_if<SetMotion>(&action)) {
    if (m->robot >= robot_count_) return "the ball has one level only";
    state_.robots[m->robot].level = m->level;
  } else if (const auto* p = std::get_if<SetProperty>(&action)) {
    constexpr int kPerRobot = kRobotProperties + kLinkCount - 1;
    RobotState& s = state_.robots[p->property / kPerRobot];
    (p->property % kPerRobot == 4 ? s.amplitude : s.rate) = p->value;
  } else if (const auto* push = std::get_if<Push>(&action)) {
    if (push->body >= robot_count_ * kLinkCount) return "the ball follows its circle";
    state_.push = *push;
    state_.is_pushed = true;
  } else if (std::holds_alternative<ReleasePush>(action)) {
    state_.is_pushed = false;
  }
  return "";
}

/// Leans about the ankles by the sway; feet stay flat on the ground.
void DemoWorld::place_robot(int r, std::vector<BodyPose>& bodies) const {
  const RobotState& s = state_.robots[r];
  const double knee = squat(s.phase, s.amplitude), height = 2 * kLeg * std::cos(knee) + kAnkle + 0.03;
  const Quat lean = from_axis_angle({-s.y, s.x, 1e-12}, std::min(1.2, std::hypot(s.x, s.y) / 0.4));
  const Mat3 R = to_matrix(lean);
  const Vec3 ankle = home(r, robot_count_) + Vec3{0, 0, kAnkle};
  const std::size_t first = bodies.size();
  for (int i = 0; i < kLinkCount; ++i) {
    const LinkShape& link = kLinks[static_cast<std::size_t>(i)];
    BodyPose b;
    if (link.parent < 0) {
      b = {ankle + R * Vec3{0, 0, height - kAnkle}, lean};
    } else {
      const BodyPose parent = bodies[first + static_cast<std::size_t>(link.parent)];
      b.p_WB = parent.p_WB + to_matrix(parent.q_WB) * link.offset;
      b.q_WB = parent.q_WB * from_axis_angle(link.axis, joint_angle(i, s.phase, s.amplitude));
    }
    if (i == 12 || i == 15) b.q_WB = {1, 0, 0, 0};  // feet
    bodies.push_back(b);
  }
}

double DemoWorld::signal(int property) const {
  constexpr int kPerRobot = kRobotProperties + kLinkCount - 1;
  const int r = property / kPerRobot, i = property % kPerRobot;
  const RobotState& s = state_.robots[r];
  const Vec3 p = bodies_[static_cast<std::size_t>(r * kLinkCount)].p_WB;
  const std::array<double, kRobotProperties> own = {p.x, p.y, p.z, std::hypot(s.vx, s.vy), s.amplitude, s.rate};
  return i < kRobotProperties ? own[static_cast<std::size_t>(i)]
                              : joint_angle(i - kRobotProperties + 1, s.phase, s.amplitude);
}

/// Its status and the contacts of its feet; its bodies are placed.
void DemoWorld::fill_robot(int r, Frame& frame) const {
  const RobotState& s = state_.robots[r];
  const int first = r * kLinkCount;
  const Vec3 pelvis = bodies_[static_cast<std::size_t>(first)].p_WB;
  const double share = 0.5 + 2 * s.y;  // weight moves to the side of the lean
  for (int foot : {12, 15}) {
    const Vec3 p = bodies_[static_cast<std::size_t>(first + foot)].p_WB;
    const double load = kMass * 9.81 / 4 * std::clamp(foot == 15 ? share : 1 - share, 0.05, 0.95);
    for (double dx : {-0.055, 0.115})
      for (double dy : {-0.04, 0.04})
        frame.contacts.push_back({{p.x + dx, p.y + dy, 0},
                                  {2 * s.x * load, 2 * s.y * load, load},
                                  static_cast<std::uint16_t>(first + foot),
                                  kStaticWorld});
  }
  frame.robots.push_back({s.level,
                          s.has_leant,
                          kCost[static_cast<std::size_t>(s.level)],
                          kUnknown,
                          pelvis + Vec3{0, 0, 0.08},
                          {s.vx, s.vy, 0},
                          home(r, robot_count_) + Vec3{0.03 + 0.3 * s.x, 0.3 * s.y, 0}});
}

void DemoWorld::fill(Frame& frame, const Wanted& wanted) {
  bodies_.clear();
  frame.robots.clear();
  frame.contacts.clear();
  frame.signals.clear();
  for (int r = 0; r < robot_count_; ++r) {
    place_robot(r, bodies_);
    fill_robot(r, frame);
  }
  if (state_.is_pushed) {
    const BodyPose& b = bodies_[static_cast<std::size_t>(state_.push.body)];
    frame.contacts.push_back({b.p_WB + to_matrix(b.q_WB) * state_.push.point_B, push_force_W(),
                              static_cast<std::uint16_t>(state_.push.body), kUserPush});
  }
  const double a = 0.5 * time();
  frame.bodies = bodies_;
  frame.bodies.push_back({{0.8 + 0.5 * std::cos(a), 0.8 * std::sin(a), kBallRadius},
                          from_axis_angle({0, 0, 1}, a) * from_axis_angle({1, 0, 0}, 7 * a)});
  frame.robots.push_back({0, false, 0.05, kUnknown, frame.bodies.back().p_WB, {}, {kUnknown, kUnknown, kUnknown}});
  for (std::uint16_t p : wanted.signals) frame.signals.push_back({p, static_cast<float>(signal(p))});
  frame.volumes.clear();
  if (wanted.volumes)  // a box around every robot: enough to look at
    for (int r = 0; r < robot_count_; ++r)
      frame.volumes.push_back({home(r, robot_count_) + Vec3{0, 0, 0.4}, {0.15, 0.25, 0.4}, 0});
  frame.hash = hash_bytes(&state_.k, sizeof state_.k);
  for (int r = 0; r < robot_count_; ++r) frame.hash = hash_bytes(&state_.robots[r].x, 5 * sizeof(double), frame.hash);
}

void DemoWorld::save(std::vector<std::byte>& snapshot) const {
  static_assert(std::is_trivially_copyable_v<State>);
  snapshot.resize(sizeof state_);
  std::memcpy(snapshot.data(), &state_, sizeof state_);
}

void DemoWorld::restore(std::span<const std::byte> snapshot) {
  if (snapshot.size() != sizeof state_) return;
  std::memcpy(&state_, snapshot.data(), sizeof state_);
  Frame frame;
  fill(frame, {});
}

void DemoWorld::take_events(std::vector<Event>& events) {
  events.insert(events.end(), events_.begin(), events_.end());
  events_.clear();
}

}  // namespace gradus::view
