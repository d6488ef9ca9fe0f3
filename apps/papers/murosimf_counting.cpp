#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "common/files.h"
#include "papers/paper.h"
#include "shape/trees/scene.h"
#include "shape/library.h"
#include "control/keyframes.h"
#include "base/rng.h"
#include "load/motion_toml.h"
#include "load/scene_toml.h"
#include "state/state.h"
#include "tree/kernels.h"

/// MuRoSimF 2009, section 5 and table 3: how many tests does collision detection make for two robots, the field and a ball?
/// The paper counts 973 pairs of bodies, and 178 tests of spheres plus 45 of bodies with its trees.
namespace gradus::cli {
namespace {

constexpr int kRobots = 2;
constexpr double kSink = 0.001;  // [m] feet stand this deep, so that they touch
constexpr double kBall = 0.042;  // [m] radius

/// One set of compounds: robots, field, ball, with one kind of volume and the floor in the field's tree or outside.
class Counter {
 public:
  Counter(const SceneSpec& spec, const RobotKind& kind, VolumeKind volume, bool floor_in_tree) : scene_(volume) {
    for (int i = 0; i < kRobots; ++i) add_robot(spec.robots[0].robot, kind);
    add_field(spec, floor_in_tree);
    CompoundSetup ball;
    ball.items.push_back({sphere_shape(kBall), identity_pose(), 0});
    add(std::move(ball), true);
    if (!floor_in_tree) scene_.add_ground(plane_shape(), identity_pose());
    has_ground_ = !floor_in_tree;
    scene_.finish(4096);
    scene_.update(kRobots, std::vector<Pose>{identity_pose()}, 0);
  }

  void place(std::span<const std::vector<Pose>> robots, Vec3 ball) {
    for (int i = 0; i < kRobots; ++i) scene_.update(i, robots[static_cast<std::size_t>(i)], 0);
    scene_.update(kRobots + 1, std::vector<Pose>{{identity3<double>(), ball}}, 0);
    found_ = scene_.find_pairs();
    volumes += static_cast<double>(scene_.counters().volume_tests);
    objects += static_cast<double>(scene_.counters().object_tests);
    most = std::max(most, scene_.counters().volume_tests + scene_.counters().object_tests);
    ++samples;
  }

  /// Contacts of the list of all pairs, and how many of them the trees did not offer.
  void compare_with_naive() {
    const std::set<ItemPair> offered(found_.begin(), found_.end());
    const auto check = [&](const ItemPair& p) {
      Contact c[kContactMax];
      if (collide(scene_.shape(p.compound_a, p.item_a), scene_.pose(p.compound_a, p.item_a),
                  scene_.shape(p.compound_b, p.item_b), scene_.pose(p.compound_b, p.item_b), 0, c) == 0)
        return;
      ++contacts;
      missed += !offered.contains(p);
    };
    for (int a = 0; a < static_cast<int>(sizes_.size()); ++a)
      for (int i = 0; i < sizes_[static_cast<std::size_t>(a)]; ++i) {
        if (has_ground_ && a != kRobots) check({a, i, -1, 0});
        for (int b = a + 1; b < static_cast<int>(sizes_.size()); ++b)
          for (int j = 0; j < sizes_[static_cast<std::size_t>(b)]; ++j) check({a, i, b, j});
      }
  }

  std::int64_t naive() const { return scene_.naive_tests(); }
  double volumes = 0, objects = 0;
  std::int64_t most = 0;
  long samples = 0, contacts = 0, missed = 0;

 private:
  void add(CompoundSetup c, bool unstructured) {
    std::vector<Vec3> centres;
    for (const Item& i : c.items) centres.push_back(i.X_BS.p);
    if (unstructured) c.tree = build_unstructured(centres);
    sizes_.push_back(static_cast<int>(c.items.size()));
    scene_.add(std::move(c));
  }

  void add_robot(const RobotSpec& spec, const RobotKind& kind) {
    CompoundSetup c;
    std::vector<int> parent;
    std::vector<std::vector<int>> items(spec.objects.size());
    std::vector<Vec3> centres;
    const std::vector<Pose> X = start_poses(kind);
    for (const ObjectSpec& o : spec.objects) parent.push_back(o.parent ? o.parent.value : -1);
    for (const ShapeInfo& s : kind.shapes) {
      const Result<Shape> shape = library_.add(s.spec, kind.meshes);
      if (!shape || !s.spec.collides) continue;
      items[static_cast<std::size_t>(s.object)].push_back(static_cast<int>(c.items.size()));
      c.items.push_back({*shape, s.X_LS, s.link});
      centres.push_back(X[static_cast<std::size_t>(s.link)] * s.X_LS.p);
    }
    c.tree = build_structured(parent, items, centres);
    add(std::move(c), false);
  }

  void add_field(const SceneSpec& spec, bool floor_in_tree) {
    CompoundSetup c;
    c.is_static = true;
    for (const FieldObjectSpec& f : spec.field) {
      const bool floor = f.shape.kind == ShapeKind::plane;
      if (!f.shape.collides || (floor && !floor_in_tree)) continue;  // lines are only painted
      const Result<Shape> shape =
          floor ? Result<Shape>(box_shape({2.25, 1.5, 0.005})) : library_.add(f.shape, spec.meshes);
      if (shape)
        c.items.push_back({*shape, floor ? Pose{identity3<double>(), {0, 0, -0.005}} : f.X_WO * f.shape.X_OS, 0});
    }
    add(std::move(c), true);
  }

  ShapeLibrary library_;
  CollisionScene scene_;
  std::vector<int> sizes_;
  bool has_ground_ = false;
  std::span<const ItemPair> found_;
};

/// Link poses of a robot whose base stands at (x, y) with a heading and a tilt, joints as given, lowest point in the
/// floor.
std::vector<Pose> posed(const RobotKind& kind, double x, double y, double yaw, double roll,
                        std::span<const double> joints) {
  std::vector<double> q(static_cast<std::size_t>(kind.nq())), v(static_cast<std::size_t>(kind.nv()));
  set_base_pose(q.data(), {x, y, 0}, from_roll_pitch_yaw(roll, 0, yaw));
  std::copy(joints.begin(), joints.end(), q.begin() + 7);
  std::vector<Frame> frames(kind.links.size());
  compute_poses(kind, q.data(), v.data(), frames.data());
  double lowest = 1e9;
  for (const ContactPoint& p : kind.points) {
    const Frame& f = frames[static_cast<std::size_t>(p.link)];
    lowest = std::min(lowest, (f.p + f.R * p.p_BC).z - p.radius);
  }
  std::vector<Pose> out;
  for (const Frame& f : frames) out.push_back({f.R, f.p + Vec3{x, y, -lowest - kSink}});
  return out;
}

/// Two robots that walk to the ball, kick it and now and then fall beside it: places to be in, not a simulation of
/// walking.
class Game {
 public:
  Game(const RobotKind& kind, const MotionFile& walk) : kind_(kind), walk_(walk, kind, true, 0) {
    for (const std::string& joint : walk.joints) joint_.push_back(kind.find_joint(joint));
    joints_.resize(static_cast<std::size_t>(kind.njoint()));
  }
  Vec3 ball() const { return ball_; }
  std::vector<std::vector<Pose>> poses() {
    std::vector<std::vector<Pose>> out;
    for (std::size_t i = 0; i < player_.size(); ++i) {
      const Player& p = player_[i];
      for (std::size_t c = 0; c < joint_.size(); ++c)
        if (joint_[c] >= 0)
          joints_[static_cast<std::size_t>(joint_[c])] = walk_.value(p.walked / 0.25 + 0.3 * static_cast<double>(i), c);
      out.push_back(posed(kind_, p.x, p.y, p.yaw, p.roll, joints_));
    }
    return out;
  }
  void advance(double dt) {
    time_ += dt;
    for (std::size_t i = 0; i < player_.size(); ++i) move(player_[i], dt, static_cast<double>(i));
    keep_apart();
    const double speed = norm(v_ball_);
    v_ball_ = speed > 0.4 * dt ? v_ball_ * (1 - 0.4 * dt / speed) : Vec3{0, 0, 0};
    ball_ += v_ball_ * dt;
    if (std::abs(ball_.x) > 2.2) ball_.x = std::copysign(2.2, ball_.x), v_ball_.x = -v_ball_.x;
    if (std::abs(ball_.y) > 1.4) ball_.y = std::copysign(1.4, ball_.y), v_ball_.y = -v_ball_.y;
  }

 private:
  struct Player {
    double x, y, yaw, roll = 0, walked = 0;
  };
  void move(Player& p, double dt, double number) {
    const double cycle = std::fmod(time_ + 7 * number, 15);  // 2 s of each 15 s on the ground
    p.roll = cycle > 13 ? std::min(1.5, (cycle - 13) * 4) : 0;
    if (p.roll > 0) return;
    const double dx = ball_.x - p.x, dy = ball_.y - p.y, away = std::hypot(dx, dy);
    double turn = std::atan2(dy, dx) - p.yaw;
    turn = std::atan2(std::sin(turn), std::cos(turn));
    p.yaw += std::clamp(turn, -2 * dt, 2 * dt);
    const double way = (std::abs(turn) < 0.6 ? 0.25 : 0.08) * dt;
    p.x += way * std::cos(p.yaw), p.y += way * std::sin(p.yaw), p.walked += way;
    if (away < 0.1 && norm(v_ball_) < 0.3) v_ball_ = {1.2 * std::cos(p.yaw + 0.3), 1.2 * std::sin(p.yaw + 0.3), 0};
  }

  /// Robots jostle, arms against arms, but do not walk through each other.
  void keep_apart() {
    Player &a = player_[0], &b = player_[1];
    const double dx = b.x - a.x, dy = b.y - a.y, away = std::hypot(dx, dy), lacks = 0.24 - away;
    if (lacks <= 0 || away < 1e-9) return;
    a.x -= 0.5 * lacks * dx / away, a.y -= 0.5 * lacks * dy / away;
    b.x += 0.5 * lacks * dx / away, b.y += 0.5 * lacks * dy / away;
  }

  const RobotKind& kind_;
  Keyframes walk_;
  std::vector<int> joint_;  // (columns of the motion)
  std::vector<double> joints_;
  std::array<Player, kRobots> player_{Player{-0.8, 0.1, 0}, Player{0.9, -0.2, 3.1}};
  Vec3 ball_{0, 0, kBall}, v_ball_{0, 0, 0};
  double time_ = 0;
};

struct Variant {
  VolumeKind kind;
  bool floor_in_tree;
  std::string name() const {
    return std::string(to_string(kind)) + (floor_in_tree ? ", floor in tree" : ", floor as plane");
  }
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const VolumeKind kind : {VolumeKind::sphere, VolumeKind::aabb, VolumeKind::obb})
    for (const bool in_tree : {true, false}) all.push_back({kind, in_tree});
  return all;
}

/// The placements of facts: both robots within a metre of the ball, anywhere on the field.
void count_placements(const RobotKind& kind, std::span<const double> joints, int count,
                      std::vector<Counter>& counters) {
  const RandomKey key{2008, 0, 1};
  for (int n = 0; n < count; ++n) {
    std::uint32_t draw = 0;
    const auto in = [&](double lo, double hi) { return random_in(key, static_cast<std::uint64_t>(n), draw++, lo, hi); };
    const Vec3 ball{in(-1.75, 1.75), in(-1.2, 1.2), kBall};
    double x[2], y[2];
    do
      for (int i = 0; i < kRobots; ++i) x[i] = ball.x + in(-1, 1), y[i] = ball.y + in(-1, 1);
    while (std::hypot(x[0] - x[1], y[0] - y[1]) < 0.15);
    std::vector<std::vector<Pose>> poses;
    for (int i = 0; i < kRobots; ++i) poses.push_back(posed(kind, x[i], y[i], in(-3, 3), 0, joints));
    for (Counter& c : counters) c.place(poses, ball);
  }
}

void play(Game& game, double seconds, std::vector<Counter>& counters) {
  constexpr double kPeriod = 0.01;
  for (double t = 0; t < seconds; t += kPeriod) {
    const auto poses = game.poses();
    for (Counter& c : counters) c.place(poses, game.ball()), c.compare_with_naive();
    game.advance(kPeriod);
  }
}

std::vector<Counter> make_counters(const SceneSpec& scene, const RobotKind& kind) {
  std::vector<Counter> all;
  for (const Variant& v : variants()) all.emplace_back(scene, kind, v.kind, v.floor_in_tree);
  return all;
}

PaperRow row(const char* quantity, const std::vector<Counter>& counters, double (*value)(const Counter&), Json paper) {
  PaperRow r{.quantity = quantity, .unit = "", .paper = std::move(paper)};
  for (std::size_t i = 0; i < counters.size(); ++i) r.gradus[variants()[i].name()] = value(counters[i]);
  return r;
}

double volume_tests(const Counter& c) { return c.volumes / static_cast<double>(c.samples); }
double object_tests(const Counter& c) { return c.objects / static_cast<double>(c.samples); }

/// placed: robots within 1 m of the ball; played: a walk to the ball.
Json rows_of(const std::vector<Counter>& placed, const std::vector<Counter>& played) {
  const Json paper{{"sphere, floor in tree", 178}}, paper_objects{{"sphere, floor in tree", 45}},
      paper_most{{"sphere, floor in tree", 389}};
  return {PaperRow{.quantity = "tests of a list of all pairs", .unit = "", .paper = 973, .gradus = placed[0].naive()},
          row("volume tests, robots within 1 m of the ball", placed, volume_tests, paper),
          row("object tests, robots within 1 m of the ball", placed, object_tests, paper_objects),
          row("volume tests, in play", played, volume_tests, paper),
          row("object tests, in play", played, object_tests, paper_objects),
          row(
              "most tests of both kinds, in play", played, [](const Counter& c) { return static_cast<double>(c.most); },
              paper_most),
          row(
              "contacts of the list of all pairs that the trees missed, in play", played,
              [](const Counter& c) { return static_cast<double>(c.missed); }, nullptr)};
}

constexpr const char* kScene = R"([world]
include = ["fields/kidsize2007.toml"]
[robot.blue]
model = "robots/kidsize.toml"
)";

}  // namespace

std::optional<Json> murosimf_counting(const PaperOptions& options) {
  const auto scene = parse_scene(kScene, "scenes/counting.toml", shipped_files());
  Diagnostics notes;
  const std::string file = find_file("motions/kidsize_walk.toml", "", "motions", shipped_files(), {}, notes);
  if (!scene || file.empty()) return print(scene ? notes : scene.notes()), std::nullopt;
  const auto walk = load_motion(file);
  if (!walk) return print(walk.notes()), std::nullopt;
  const auto kind = compile(scene->robots[0].robot, scene->contact);
  if (!kind) return print(kind.notes()), std::nullopt;
  std::vector<double> standing(static_cast<std::size_t>((*kind)->njoint()));
  std::vector<Counter> placed = make_counters(*scene, **kind), played = make_counters(*scene, **kind);
  count_placements(**kind, standing, options.quick ? 200 : 2000, placed);
  Game game(**kind, *walk);
  play(game, options.quick ? 3 : 60, played);
  long contacts = 0, missed = 0;
  for (const Counter& c : played) contacts += c.contacts, missed += c.missed;
  return Json{{"name", "murosimf-counting"},
              {"rows", rows_of(placed, played)},
              {"verdict", fmt::format("{} contacts in {} of play, {} missed by the trees", contacts,
                                      options.quick ? "3 s" : "60 s", missed)}};
}

}  // namespace gradus::cli
