/// Wheeled matches in the step: what the scenes describe, what the group publishes, snapshots, logs, impulses,
/// placements, and teams over FIRASim's protocol on real sockets.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "session/attach.h"
#include "link/firasim/match.h"
#include "control/wheels_team.h"
#include "load/scene_toml.h"
#include "wheels/field.h"
#include "wheels/group.h"
#include "session/record.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

using namespace wheels;

SceneSpec match_scene(const std::string& name) {
  auto s = load_scene(GRADUS_SOURCE_DIR "/scenes/mirosot_" + name + ".toml", {});
  for (const Diagnostic& d : s.notes()) ADD_FAILURE() << to_string(d);
  return *s;
}

/// Nobody drives; no referee, so that robots stand where the scene puts them.
SceneSpec quiet_scene(const std::string& name) {
  SceneSpec s = match_scene(name);
  s.groups[0].blue = s.groups[0].yellow = "none";
  s.groups[0].referee.reset();
  s.groups[0].camera.reset();
  for (std::size_t i = 0; i < s.robots.size(); ++i) s.robots[i].p_WB.x = -0.6 + 0.2 * static_cast<double>(i);
  return s;
}

std::unique_ptr<World> driven_world(const SceneSpec& s, int threads = 1) {
  auto world = make_world(s, threads);
  EXPECT_TRUE(attach_controllers(*world));
  return world;
}

const wheels::Group& group_of(const World& w) { return static_cast<const wheels::Group&>(w.groups().motion(0)); }

std::span<const double> bodies(const World& w) {
  return w.section(0).first(static_cast<std::size_t>(state_size(group_of(w).model())));
}

/// Engine and robot file agree on what a robot is.
TEST(Mirosot, the_robot_file_is_the_realistic_preset) {
  const auto world = make_world(match_scene("5v5"));
  const WheelsModel& found = group_of(*world).model();
  const WheelsParameters want = league_parameters(League::five_a_side, Preset::realistic);
  ASSERT_EQ(found.robot_count(), 10);
  for (const wheels::RobotModel& m : found.robots) {
    const RobotParameters &r = m.par, &p = want.robots[0];
    EXPECT_NEAR(r.body_mass, p.body_mass, 1e-12);
    EXPECT_NEAR(r.wheel_mass, p.wheel_mass, 1e-12);
    EXPECT_NEAR(r.body_inertia, p.body_inertia, 1e-12);
    EXPECT_NEAR(r.wheel_inertia, p.wheel_inertia, 1e-15);
    EXPECT_NEAR(r.wheel_yaw_inertia, p.wheel_yaw_inertia, 1e-15);
    EXPECT_NEAR(r.wheel_radius, p.wheel_radius, 1e-12);
    EXPECT_NEAR(r.half_axle, p.half_axle, 1e-12);
    EXPECT_EQ(r.centre_offset, 0);
    EXPECT_NEAR(r.wheel_damping, p.wheel_damping, 1e-15);
    EXPECT_NEAR(r.drive.speed_gain, p.drive.speed_gain, 1e-12);
    EXPECT_NEAR(r.drive.limit_drive, p.drive.limit_drive, 1e-12);
    ASSERT_EQ(r.outline.size(), 4u);
    for (const Vec2 corner : r.outline) EXPECT_NEAR(std::fabs(corner.x) + std::fabs(corner.y), 0.075, 1e-12);
  }
  EXPECT_NEAR(found.par.ball.radius, want.ball.radius, 1e-12);
  EXPECT_NEAR(found.par.ball.mass, want.ball.mass, 1e-12);
  EXPECT_NEAR(found.par.ball.inertia_ratio, 0.4, 1e-12);
  ASSERT_EQ(found.par.field.walls.size(), want.field.walls.size());
  for (std::size_t i = 0; i < want.field.walls.size(); ++i)
    EXPECT_NEAR(found.par.field.walls[i].offset, want.field.walls[i].offset, 1e-12);
}

TEST(Mirosot, a_body_with_two_prongs_has_a_concave_outline) {
  std::vector<std::vector<Vec2>> parts = {{{-0.03, -0.03}, {0.03, -0.03}, {0.03, 0.03}, {-0.03, 0.03}},
                                          {{0.0, 0.02}, {0.03, 0.018}, {0.042, 0.03}, {0.0, 0.03}},
                                          {{0.0, -0.03}, {0.042, -0.03}, {0.03, -0.018}, {0.0, -0.02}}};
  const std::vector<Vec2> outline = union_outline(parts);
  double area = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) area += 0.5 * cross(outline[i], outline[(i + 1) % outline.size()]);
  EXPECT_EQ(outline.size(), 6u) << "two corners behind, two tips, two corners of the bay";
  EXPECT_NEAR(area, 0.06 * 0.06 + 0.012 * 0.012, 1e-12);
  std::string problem;
  EXPECT_GT(convex_pieces(outline, problem).size(), 1u) << problem;
  parts[1] = {{0.0, 0.02}, {0.06, 0.02}, {0.06, 0.03}, {0.0, 0.03}};  // a ray can leave the body and meet this prong
  EXPECT_TRUE(union_outline(parts).empty());
}

/// What the group publishes is its section: pose, velocity in world axes, wheels that roll.
TEST(Mirosot, coordinates_and_velocities_are_those_of_the_group) {
  SceneSpec s = match_scene("3v3");
  const auto world = driven_world(s);
  for (int k = 0; k < 120; ++k) world->step();
  for (int i = 0; i < 6; ++i) {
    const int robot = world->model().groups[0].members[static_cast<std::size_t>(i)];
    const auto b = body_of(bodies(*world), i);
    const auto q = world->q(robot), v = world->v(robot);
    EXPECT_EQ(q[0], b[kX]);
    EXPECT_EQ(q[1], b[kY]);
    EXPECT_NEAR(q[2], 0.0225, 1e-12) << "on its wheels";
    EXPECT_NEAR(to_roll_pitch_yaw(base_orientation(q.data())).z, b[kTheta], 1e-12);
    const double c = std::cos(b[kTheta]), sn = std::sin(b[kTheta]);
    EXPECT_NEAR(v[3], c * b[kV] - sn * b[kU], 1e-12);
    EXPECT_NEAR(v[4], sn * b[kV] + c * b[kU], 1e-12);
    EXPECT_EQ(v[2], b[kW]);
    const RobotKind& kind = *world->model().robots[static_cast<std::size_t>(robot)].kind;
    const auto left = 6 + static_cast<std::size_t>(kind.find_joint("left_wheel"));
    const auto right = 6 + static_cast<std::size_t>(kind.find_joint("right_wheel"));
    EXPECT_NEAR(0.5 * 0.0225 * (v[left] + v[right]), b[kV], 1e-12);
    EXPECT_NEAR(0.5 * 0.0225 / 0.0335 * (v[right] - v[left]), b[kW], 1e-11);
  }
  const auto ball = world->v(world->model().groups[0].members.back());
  const auto b = body_of(bodies(*world), 6);
  EXPECT_NEAR(0.02135 * ball[1], b[kBallRollX], 1e-12) << "rolling forward turns about +y";
  EXPECT_NEAR(-0.02135 * ball[0], b[kBallRollY], 1e-12);
}

/// Before, the ball lay still for 253 of 300 s. tests/programs/match_figures has the figures of 20 seeds.
TEST(Mirosot, the_built_in_strategy_keeps_the_ball_rolling) {
  for (const char* name : {"3v3", "5v5"}) {
    const auto world = driven_world(match_scene(name));
    int still = 0;
    const int steps = 120 * 60;
    for (int k = 0; k < steps; ++k) {
      world->step();
      const auto ball = body_of(bodies(*world), group_of(*world).model().robot_count());
      still += std::hypot(ball[kBallVx], ball[kBallVy]) < 0.02;
    }
    EXPECT_LT(still, steps / 10) << name;
  }
}

/// FIRASim's robots turn their wheels by 21 rad/s at most, whatever a client asks for.
TEST(Mirosot, wheel_commands_are_cut_at_the_servos_speed) {
  auto s = load_scene(GRADUS_SOURCE_DIR "/scenes/firasim_3v3.toml", {});
  ASSERT_TRUE(s);
  s->groups[0].blue = s->groups[0].yellow = "none";
  s->groups[0].referee.reset();
  for (std::size_t i = 0; i < s->robots.size(); ++i) s->robots[i].p_WB.y = -0.5 + 0.15 * static_cast<double>(i);
  const auto world = make_world(*s);
  for (double& t : world->targets(0)) t = 1000;
  for (int k = 0; k < 45; ++k) world->step();
  const auto b = body_of(bodies(*world), 0);
  EXPECT_GT(std::fabs(b[kV]), 0.95 * 21 * 0.02);
  EXPECT_LT(std::fabs(b[kV]), 1.001 * 21 * 0.02);
}

TEST(Mirosot, two_built_in_teams_play_with_goals_and_restarts) {
  const auto world = driven_world(match_scene("5v5"));
  double gap = 1;
  for (int k = 0; k < 240 * 60; ++k) {
    world->step();
    if (k % 10 == 0) gap = std::min(gap, smallest_gap(group_of(*world).model(), bodies(*world)));
  }
  const auto match = match_of(world->section(0));
  EXPECT_GE(match[kGoalsBlue] + match[kGoalsYellow], 2);
  EXPECT_GE(match[kEventCount], 2 * (match[kGoalsBlue] + match[kGoalsYellow]) - 1)
      << "each goal is followed by a kick-off";
  EXPECT_NEAR(match[kClock], 240, 1e-6);
  EXPECT_GT(gap, -1e-4);
  EXPECT_EQ(group_of(*world).report().stalled + group_of(*world).report().not_finite, 0);
  EXPECT_EQ(world->report().not_finite, -1);
}

TEST(Mirosot, seeds_differ_by_the_cameras_noise_and_each_is_repeatable) {
  std::uint64_t hash[3];
  for (int i = 0; i < 3; ++i) {
    SceneSpec s = match_scene("3v3");
    s.seed = i == 2 ? 2 : 1;
    const auto world = driven_world(s, i == 1 ? 2 : 1);
    for (int k = 0; k < 300; ++k) world->step();
    hash[i] = world->hash();
  }
  EXPECT_EQ(hash[0], hash[1]) << "the same with two threads";
  EXPECT_NE(hash[0], hash[2]);
}

TEST(Mirosot, a_snapshot_in_the_middle_of_play_goes_on_with_the_same_bits) {
  const auto world = driven_world(match_scene("3v3"));
  for (int k = 0; k < 200; ++k) world->step();
  const auto bytes = world->snapshot().bytes();
  for (int k = 0; k < 200; ++k) world->step();
  const auto other = driven_world(match_scene("3v3"));
  ASSERT_TRUE(other->restore(*Snapshot::from_bytes(bytes)));
  for (int k = 0; k < 200; ++k) other->step();
  EXPECT_EQ(other->hash(), world->hash());
}

TEST(Mirosot, a_log_with_placements_and_a_halt_replays_to_the_same_hash) {
  const auto file = std::filesystem::temp_directory_path() / ("gradus_mirosot_test_" + std::to_string(getpid()) + ".mcap");
  const SceneSpec s = match_scene("3v3");
  const auto world = driven_world(s);
  {
    auto log = Recorder::open(file.string(), s, *world, {});
    ASSERT_TRUE(log);
    for (int k = 0; k < 180; ++k) {
      Command c;
      c.kind = Command::Kind::place;
      if (k == 50) c.robot = "ball", c.point = {0.2, 0.1, 0}, c.vector = {-0.5, 0.3, 0};
      if (k == 60) c.robot = "yellow2", c.point = {0.1, -0.2, 1.0};
      if (k == 70) c.robot = "blue3", c.name = "away";
      if (k == 90 || k == 120) c.kind = Command::Kind::set, c.name = "match.halted", c.value = k == 90;
      if (!c.robot.empty() || !c.name.empty()) {
        (*log)->command(*world, c);
        EXPECT_EQ(apply(*world, c), "");
      }
      world->step();
      (*log)->after_step(*world);
    }
    EXPECT_TRUE((*log)->close());
  }
  const auto again = replay(file.string(), {}, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first_difference, -1);
  EXPECT_EQ(again->hash, world->hash());
  EXPECT_GT(norm(Vec3{world->q(1)[0], world->q(1)[1], 0}), 0);
  std::filesystem::remove(file);
}

TEST(Mirosot, a_halt_stops_all_wheels_and_game_on_lets_them_go) {
  SceneSpec s = match_scene("3v3");
  s.groups[0].referee.reset();
  for (std::size_t i = 0; i < s.robots.size(); ++i) s.robots[i].p_WB.x = -0.6 + 0.2 * static_cast<double>(i);
  const auto world = driven_world(s);
  const auto speed = [&] {
    double sum = 0;
    for (int r = 0; r < 6; ++r) sum += std::fabs(world->v(r)[3]) + std::fabs(world->v(r)[4]);
    return sum;
  };
  const auto halt = [&](double value) { EXPECT_EQ(find_property(*world, "match.halted")->set(*world, value), ""); };
  for (int k = 0; k < 60; ++k) world->step();
  EXPECT_GT(speed(), 0.5);
  halt(1);
  for (int k = 0; k < 120; ++k) world->step();
  EXPECT_LT(speed(), 1e-3);
  halt(0);
  for (int k = 0; k < 30; ++k) world->step();
  EXPECT_GT(speed(), 0.5);
}

TEST(Mirosot, overlapping_placements_go_to_the_nearest_free_place_and_are_counted) {
  const auto world = make_world(quiet_scene("3v3"));
  EXPECT_EQ(world->place(0, {0.3, 0.3, 0.5}).moved, 0);
  const PlaceResult second = world->place(1, {0.31, 0.3, 0.5});
  EXPECT_TRUE(second.placed);
  EXPECT_GT(second.moved, 0.05);
  EXPECT_LT(second.moved, 0.12);
  EXPECT_FALSE(world->place(2, {std::nan(""), 0, 0}).placed);
  EXPECT_EQ(world->placements().moved, 1);
  EXPECT_EQ(world->placements().refused, 1);
  EXPECT_GT(smallest_gap(group_of(*world).model(), bodies(*world)), 0);
  std::vector<double> q(world->q(2).begin(), world->q(2).end());
  q[0] = 0.3, q[1] = 0.3;  // dragged onto another one in the viewer
  world->set_q(2, q);
  EXPECT_GT(smallest_gap(group_of(*world).model(), bodies(*world)), 0);
  EXPECT_NE(world->q(2)[0], 0.3);
}

/// Impulse P ahead: Δv = P/m_v. Across: the tyres let go, Δu = P/m (no offset), and friction takes it back.
TEST(Mirosot, an_impulse_meets_the_inertia_of_a_robot_on_its_tyres) {
  SceneSpec s = quiet_scene("3v3");
  s.step = 1e-6;  // so that motor and tyres have no time
  const auto world = make_world(s);
  world->place(0, {0, 0.3, 0.7});
  world->place(1, {0.3, 0.3, 0.7});
  const double P = 0.05, c = std::cos(0.7), sn = std::sin(0.7);
  ASSERT_TRUE(world->add_impulse({0, 0, {0, 0, 0}, {P * c, P * sn, 0}}));
  ASSERT_TRUE(world->add_impulse({1, 0, {0, 0, 0}, {-P * sn, P * c, 0}}));
  world->step();
  const wheels::RobotModel& m = group_of(*world).model().robots[0];
  EXPECT_NEAR(body_of(bodies(*world), 0)[kV], P / m.mass_v, 1e-9);
  EXPECT_NEAR(body_of(bodies(*world), 0)[kU], 0, 1e-9);
  EXPECT_NEAR(body_of(bodies(*world), 1)[kU], P / m.mass, 1e-9);
  EXPECT_NEAR(world->v(0)[3], c * P / m.mass_v, 1e-9);
}

/// A tennis ball that is no member rolls into a member: momentum goes over, and the group's own ball is not touched.
TEST(Mirosot, robots_outside_the_group_touch_its_members) {
  SceneSpec s = quiet_scene("3v3");
  s.step = 0.001;
  RobotInstanceSpec& guest = add(s, solid_ball(0.4, 0.0325), "free_body", {-0.3, 0.3, 0.0325});
  guest.v_WB = {1, 0, 0};
  guest.w_WB = {0, 1 / 0.0325, 0};
  const auto world = make_world(s);
  world->place(0, {0, 0.3, 0});
  const int ball = world->robot_count() - 1;
  double deepest = 1;
  for (int k = 0; k < 500; ++k) {
    world->step();
    deepest = std::min(deepest, world->q(0)[0] - 0.0375 - world->q(ball)[0] - 0.0325);
  }
  EXPECT_GT(world->q(0)[0], 0.005) << "pushed along +x";
  EXPECT_LT(world->v(ball)[3], 0.5);
  EXPECT_GT(deepest, -0.002);
  EXPECT_NEAR(world->q(1)[0], -0.4, 1e-6) << "the others stand where they stood";
}

/// Two matches side by side: each goes as it would alone, to the last bit of its section, wherever it is played.
TEST(Mirosot, two_groups_on_two_pitches_play_as_each_would_alone) {
  const auto renamed = [](SceneSpec s, const std::string& name, Vec3 at) {
    s.groups[0].name = name;
    s.groups[0].at = at;
    for (RobotInstanceSpec& r : s.robots) {
      r.name = name + "_" + r.name, r.group = name;
      r.p_WB += at;
    }
    return s;
  };
  SceneSpec first = match_scene("3v3");
  first.groups[0].camera.reset();  // their noise is each group's own
  first.robots[0].p_WB.x += 0.011;
  SceneSpec second = match_scene("3v3");
  second.groups[0].camera.reset();
  second.groups[0].sides = "blue_right";
  const SceneSpec a = renamed(first, "a", {0, 0, 0}), b = renamed(second, "b", {0, 4, 0});
  SceneSpec both = a;
  both.groups.push_back(b.groups[0]);
  both.robots.insert(both.robots.end(), b.robots.begin(), b.robots.end());
  const auto pair = driven_world(both), one = driven_world(a), other = driven_world(renamed(second, "b", {0, 0, 0}));
  for (int i = 0; i < 600; ++i) {
    pair->step(), one->step(), other->step();
    ASSERT_TRUE(std::ranges::equal(pair->section(0), one->section(0))) << i;
    ASSERT_TRUE(std::ranges::equal(pair->section(1), other->section(0))) << i;
  }
  const std::size_t robots = a.robots.size();
  for (std::size_t r = 0; r < robots; ++r) {
    EXPECT_NEAR(pair->q(static_cast<int>(robots + r))[1], other->q(static_cast<int>(r))[1] + 4, 1e-12);
    EXPECT_EQ(pair->q(static_cast<int>(robots + r))[0], other->q(static_cast<int>(r))[0]);
  }
  // a push from outside, and a place in the pitch's own axes
  const int member = static_cast<int>(robots);
  ASSERT_TRUE(pair->place(member, {0.3, -0.2, 0}).placed);
  EXPECT_NEAR(pair->q(member)[1], 3.8, 1e-12);
  ASSERT_TRUE(pair->add_impulse({member, 0, {0, 0, 0}, {0, 0.1, 0}}));
  pair->step();
  EXPECT_GT(pair->v(member)[4], 0.01);
}

TEST(Mirosot, mistakes_of_groups_are_told) {
  const struct {
    const char* what;
    void (*spoil)(SceneSpec&);
    const char* said;
  } cases[] = {
      {"no pitch", [](SceneSpec& s) { s.pitch.reset(); }, "needs a pitch"},
      {"unknown group", [](SceneSpec& s) { s.robots[0].group = "mach"; }, "did you mean 'match'?"},
      {"unknown team", [](SceneSpec& s) { s.robots[0].team = "bleu"; }, "did you mean 'blue'?"},
      {"no ball", [](SceneSpec& s) { s.robots.pop_back(); }, "the ball"},
      {"single robot",
       [](SceneSpec& s) { s.robots[0].group = s.robots[0].team = "", s.robots[0].motion = "planar_wheels"; },
       "moves groups"},
      {"preset", [](SceneSpec& s) { s.groups[0].preset = "fira"; }, "firasim"},
      {"driver", [](SceneSpec& s) { s.groups[0].blue = "strateg"; }, "strategy"},
      {"goal", [](SceneSpec& s) { s.pitch->goal_width = 2; }, "do not fit"},
      {"on one pitch", [](SceneSpec& s) { s.groups.push_back(s.groups[0]), s.groups[1].name = "b", s.groups[1].at.y = 1; },
       "lies on that of group 'match'"},
      {"friction", [](SceneSpec& s) { s.groups[0].friction = -1; }, "friction is -1"},
  };
  for (const auto& c : cases) {
    SceneSpec s = match_scene("3v3");
    c.spoil(s);
    std::string all;
    for (const Diagnostic& d : check(s)) all += d.text + " " + d.suggestion + "\n";
    EXPECT_NE(all.find(c.said), std::string::npos) << c.what << ": " << all;
  }
  SceneSpec s = match_scene("3v3");
  s.robots[0].robot = s.robots.back().robot;  // a ball in the team
  auto model = compile(s);
  ASSERT_TRUE(model);
  const auto world = World::make(std::move(*model));
  ASSERT_FALSE(world);
  EXPECT_NE(to_string(world.notes().front()).find("two wheels"), std::string::npos);
}

/// A referee and a client that know nothing but packets, on real sockets; steps wait for the client.
class Wire : public testing::Test {
 protected:
  void open(SceneSpec s, bool sync) {
    GroupSpec& g = s.groups[0];
    auto ear = firasim::UdpSocket::receiver({"127.0.0.1", 0});
    ASSERT_TRUE(ear);
    ear_ = std::move(*ear);
    auto mouth = firasim::UdpSocket::sender();
    ASSERT_TRUE(mouth);
    mouth_ = std::move(*mouth);
    g.yellow = "firasim";
    g.firasim.vision = {"127.0.0.1:" + std::to_string(ear_.port())};
    g.firasim.commands = "127.0.0.1:0";
    g.firasim.placement = "127.0.0.1:0";
    g.firasim.referee = "127.0.0.1:" + std::to_string(referee_port());
    world_ = driven_world(s);
    auto match = firasim::MatchLink::open(*world_, 0, {sync, 0.05});
    for (const Diagnostic& d : match.notes()) ADD_FAILURE() << to_string(d);
    match_ = std::move(*match);
  }
  static std::uint16_t referee_port() {  // one that is free now
    auto probe = firasim::UdpSocket::receiver({"127.0.0.1", 0});
    return probe ? probe->port() : 0;
  }
  void step() {
    for (const Command& c : match_->receive(*world_)) EXPECT_EQ(apply(*world_, c), "");
    world_->step();
    match_->publish(*world_);
  }
  bool hear(firasim::Environment& e) {
    const std::size_t size = ear_.receive(buffer_);
    return size > 0 && decode(firasim::Bytes(buffer_).first(size), e);
  }
  void answer(const firasim::Packet& p) {
    encode(p, bytes_);
    mouth_.send({"127.0.0.1", match_->command_port()}, bytes_);
  }
  firasim::UdpSocket ear_, mouth_;
  std::unique_ptr<firasim::MatchLink> match_;  // the world must not outlive it
  std::unique_ptr<World> world_;
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(8192), bytes_;
};

/// What drivers see is a sensor of kind `overhead`: the pose of the frame that has arrived, in the axes of their pitch, and
/// velocities from it and the one before. Who was taken from the pitch is not seen.
TEST(MatchCamera, drivers_see_the_newest_frame_that_has_arrived) {
  SceneSpec s = quiet_scene("3v3");
  s.step = 1e-3;
  s.groups[0].at = {3, -2, 0};
  for (RobotInstanceSpec& r : s.robots) r.p_WB += Vec3{3, -2, 0};
  SensorSpec camera;
  camera.name = "match.camera", camera.kind = "overhead";
  camera.settings = {{"rate", {50}, {}, {}, {}}, {"delay", {0.03}, {}, {}, {}}};
  s.groups[0].camera = camera;
  const auto world = make_world(s);
  const int ball = world->model().groups[0].members.back();
  ASSERT_TRUE(world->place(ball, {0.1, 0.2, 0, 0.3, 0.4, true}).placed);
  ASSERT_TRUE(world->place(0, {0, 0, 0, 0, 0, false}).placed);
  std::vector<Vec3> was;  // the ball, step by step, in the axes of the pitch
  std::vector<Sight> room;
  for (int k = 0; k <= 200; ++k, world->step()) {
    was.push_back(base_position(world->q(ball).data()) - Vec3{3, -2, 0});
    const auto sights = world->output_of_group(0, room).members;
    const int frame = (k - 30) / 20;  // k ≥ 30: taken every 20 steps, seen 30 later
    if (k < 90) continue;
    const Sight& seen = sights.back();
    EXPECT_TRUE(seen.seen);
    const Vec3 now = was[static_cast<std::size_t>(20 * frame)], before = was[static_cast<std::size_t>(20 * (frame - 1))];
    EXPECT_NEAR(seen.x, now.x, 1e-12) << k;
    EXPECT_NEAR(seen.y, now.y, 1e-12) << k;
    EXPECT_NEAR(seen.vx, 50 * (now.x - before.x), 1e-9) << k;
    EXPECT_NEAR(seen.vy, 50 * (now.y - before.y), 1e-9) << k;
    EXPECT_FALSE(sights[0].seen);
    EXPECT_TRUE(sights[1].seen);
  }
}

TEST_F(Wire, every_step_waits_for_the_clients_answer_and_no_picture_is_lost) {
  open(match_scene("3v3"), true);
  firasim::Environment e;
  std::vector<Sight> sights;
  int heard = 0;
  for (int k = 0; k < 120; ++k) {
    ASSERT_TRUE(hear(e));
    ++heard;
    EXPECT_EQ(e.step, static_cast<std::uint32_t>(std::llround(1000.0 * k / 60))) << "milliseconds of simulated time";
    firasim::Packet p;
    for (std::uint32_t i = 0; i < 3; ++i) p.commands.push_back({i, true, 20, 20});
    answer(p);
    step();
  }
  EXPECT_EQ(heard, 120);
  EXPECT_EQ(match_->impatient(), 0);
  EXPECT_EQ(match_->counters().packets, 120);
  const auto target = world_->targets(3);
  EXPECT_EQ(target[0], 20);
  step();  // nobody answers: it goes on after its patience
  EXPECT_EQ(match_->impatient(), 1);
}

/// A client bound to 127.0.0.1 does not get multicast. While its team is not heard, pictures go there too.
TEST_F(Wire, a_client_that_is_bound_to_loopback_hears_pictures_after_a_while) {
  SceneSpec s = match_scene("3v3");
  open(s, false);
  match_.reset();
  s.groups[0].yellow = "firasim";
  s.groups[0].firasim.vision = {"224.0.0.1:" + std::to_string(ear_.port())};
  s.groups[0].firasim.commands = s.groups[0].firasim.placement = "127.0.0.1:0";
  s.groups[0].firasim.referee = "127.0.0.1:" + std::to_string(referee_port());
  world_ = driven_world(s);
  auto match = firasim::MatchLink::open(*world_, 0, {false, 0.05});
  ASSERT_TRUE(match) << to_string(match.notes().front());
  match_ = std::move(*match);
  firasim::Environment e;
  while (hear(e)) continue;  // what the first world sent
  int before = 0, after = 0;
  for (int k = 0; k < 180; ++k) {
    step();
    while (hear(e)) ++(k < 119 ? before : after);
  }
  EXPECT_EQ(before, 0);
  EXPECT_GE(after, 55);
}

TEST_F(Wire, replacements_are_carried_out_and_broken_datagrams_counted) {
  open(match_scene("3v3"), false);
  firasim::Packet p;
  p.has_ball = true;
  p.ball = {0.3, 0.2, 0.5, 0};
  firasim::RobotReplacement r;
  r.position.id = 2, r.position.x = -0.2, r.position.y = 0.3, r.position.orientation = 90;
  r.yellow = r.turn_on = true;
  p.robots = {r};
  r.position.id = 1, r.yellow = false, r.turn_on = false;
  p.robots.push_back(r);
  answer(p);
  const std::uint8_t junk[] = {0xff, 0xff, 0x03};
  mouth_.send({"127.0.0.1", match_->command_port()}, junk);
  for (const Command& c : match_->receive(*world_)) EXPECT_EQ(apply(*world_, c), "");
  EXPECT_EQ(match_->counters().malformed, 1);
  firasim::Environment e;
  std::vector<Sight> sights;
  firasim::picture(world_->output_of_group(0, sights), e);
  EXPECT_EQ(body_of(bodies(*world_), 5)[kX], -0.2);
  EXPECT_NEAR(body_of(bodies(*world_), 5)[kTheta], M_PI / 2, 1e-12) << "degrees on the wire";
  EXPECT_EQ(body_of(bodies(*world_), 6)[kX], 0.3);
  EXPECT_EQ(body_of(bodies(*world_), 6)[kBallVx], 0.5);
  world_->step();
  firasim::picture(world_->output_of_group(0, sights), e);
  EXPECT_EQ(e.blue.size(), 2u) << "one is switched off";
  EXPECT_EQ(e.field.length, 1.5);
}

TEST_F(Wire, an_external_referee_stops_and_starts_play) {
  SceneSpec s = match_scene("3v3");
  s.groups[0].referee.reset();
  for (std::size_t i = 0; i < s.robots.size(); ++i) s.robots[i].p_WB.x = -0.6 + 0.2 * static_cast<double>(i);
  open(s, false);
  const auto at = firasim::parse_address(world_->model().groups[0].spec.firasim.referee);
  ASSERT_TRUE(at);
  const auto say = [&](firasim::Foul foul) {
    encode(firasim::RefereeCommand{foul, firasim::Color::none, 0, 0, 1}, bytes_);
    mouth_.send(*at, bytes_);
    step();
    return match_of(world_->section(0))[kHalted];
  };
  EXPECT_EQ(say(firasim::Foul::stop), 1);
  EXPECT_EQ(say(firasim::Foul::kick_off), 1) << "only GAME_ON starts play";
  EXPECT_EQ(say(firasim::Foul::game_on), 0);
  EXPECT_EQ(say(firasim::Foul::halt), 1);
  EXPECT_EQ(match_->referee_counters().commands, 4);
}

TEST_F(Wire, our_referee_tells_kick_off_and_game_on_and_takes_placements) {
  SceneSpec s = match_scene("3v3");
  s.groups[0].blue = "none";
  const std::uint16_t port = referee_port();
  auto team = firasim::UdpSocket::receiver({"127.0.0.1", port});
  ASSERT_TRUE(team);
  open(s, false);
  // open chose another port for the referee; a second match speaks to this one
  match_.reset();
  s.groups[0].firasim.referee = "127.0.0.1:" + std::to_string(port);
  s.groups[0].firasim.commands = s.groups[0].firasim.placement = "127.0.0.1:0";
  s.groups[0].firasim.vision = {"127.0.0.1:" + std::to_string(ear_.port())};
  world_ = driven_world(s);
  auto match = firasim::MatchLink::open(*world_, 0, {});
  ASSERT_TRUE(match);
  match_ = std::move(*match);
  firasim::RefereeCommand c;
  std::vector<firasim::Foul> heard;
  const auto listen = [&] {
    for (std::size_t n; (n = team->receive(buffer_)) > 0;)
      if (decode(firasim::Bytes(buffer_).first(n), c)) heard.push_back(c.foul);
  };
  listen();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0], firasim::Foul::kick_off);
  EXPECT_EQ(heard[1], firasim::Foul::game_on);
  world_->place(6, {0.73, 0, 0, 1, 0});  // rolls into the goal at +x: blue scores
  for (int k = 0; k < 120; ++k) step();
  listen();
  EXPECT_EQ(match_of(world_->section(0))[kGoalsBlue], 1);
  EXPECT_NE(std::find(heard.begin() + 2, heard.end(), firasim::Foul::stop), heard.end());
  EXPECT_NE(std::find(heard.begin() + 2, heard.end(), firasim::Foul::kick_off), heard.end());
}

}  // namespace
}  // namespace gradus::test
