/// Parameters set while a run goes on: what follows from them, who is touched, and that runs with them can be repeated,
/// rewound and replayed bit for bit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <set>

#include "session/attach.h"
#include "load/scene_toml.h"
#include "load/set.h"
#include "world/command.h"
#include "session/record.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

Command set(const std::string& path, double value) {
  Command c;
  c.kind = Command::Kind::set;
  c.name = path;
  c.value = value;
  return c;
}

double get(const World& w, const std::string& path) {
  const auto view = find_property(w, path);
  EXPECT_TRUE(view) << path;
  return view ? view->get(w) : 0;
}

std::vector<double> motion_of(const World& w, int robot) {
  std::vector<double> all(w.q(robot).begin(), w.q(robot).end());
  all.insert(all.end(), w.v(robot).begin(), w.v(robot).end());
  return all;
}

/// Two of one kind, side by side, knees bent by a target that their servos do not quite reach.
SceneSpec two_standing() {
  SceneSpec s = scene(0.001);
  add_ground(s);
  RobotSpec robot = humanoid28();
  robot.file = "humanoid28";  // of the same file: they share their kind
  add(s, robot, "articulated", {0, 0, kHumanoid28Height}).name = "one";
  add(s, robot, "articulated", {2, 0, kHumanoid28Height}).name = "two";
  return s;
}
const char* const kAnyJoint = "one.";  // completed by first_joint
std::string first_joint(const World& w) {
  return kAnyJoint + w.model().robots[0].kind->objects[w.model().robots[0].kind->joints[3].object].name;
}

// ---- only that robot

TEST(Parameters, change_one_robot_and_leave_those_that_share_its_kind) {
  const auto plain = make_world(two_standing()), changed = make_world(two_standing());
  ASSERT_EQ(changed->model().robots[0].kind, changed->model().robots[1].kind);
  const auto kind = changed->model().robots[1].kind;
  run(*plain, 0.05), run(*changed, 0.05);
  const std::string kp = first_joint(*changed) + ".kp";
  const double before = get(*changed, kp);
  ASSERT_EQ(apply(*changed, set(kp, 0.5 * before)), "");
  EXPECT_EQ(get(*changed, kp), 0.5 * before);
  EXPECT_EQ(changed->model().robots[1].kind, kind);
  EXPECT_EQ(kind->joints[3].servo.kp, before);
  run(*plain, 0.2), run(*changed, 0.2);
  EXPECT_EQ(motion_of(*changed, 1), motion_of(*plain, 1));
  EXPECT_NE(motion_of(*changed, 0), motion_of(*plain, 0));
}

TEST(Parameters, setting_what_is_there_already_moves_nothing) {
  const auto plain = make_world(two_standing()), same = make_world(two_standing());
  for (const Property& p : list_properties(*same))
    if (p.view.original && std::isfinite(p.view.get(*same))) {
      ASSERT_EQ(apply(*same, set(p.path, p.view.get(*same))), "") << p.path;
    }
  run(*plain, 0.2), run(*same, 0.2);
  // surfaces that said nothing say what the scene says: the ground says nothing, so the pair is what it was
  for (int r : {0, 1}) EXPECT_EQ(motion_of(*same, r), motion_of(*plain, r));
}

// ---- what follows from a number follows as if the file had said so

/// One path for every row of the table that a scene's robots have: whichever object comes first.
std::vector<Property> one_of_each(const World& w) {
  std::vector<Property> out;
  std::set<std::string> seen;
  for (const Property& p : list_properties(w)) {
    if (!p.view.original || !std::isfinite(p.view.get(w))) continue;
    const std::size_t robot = p.path.find('.'), object = p.path.find('.', robot + 1);
    const bool of_object = p.view.robot >= 0 && object != std::string::npos;
    if (seen.insert(of_object ? p.path.substr(object) : p.path.substr(robot)).second) out.push_back(p);
  }
  return out;
}

double other_value(const Property& p, double now) {
  const double up = now == 0 ? 0.01 : 1.07 * now;
  return up <= p.view.upper ? up : 0.93 * now;
}

std::string with_unit(double x, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g %s", x, unit);
  return text;
}

std::unique_ptr<World> world_of(const SceneSpec& s) {
  auto world = make_world(s);
  EXPECT_TRUE(attach_controllers(*world));
  return world;
}

/// Both ways to the same number give the same bits: set in a world that stands at its start, or said before it was
/// compiled.
void compare_with_compiled(const std::string& scene_name, int steps, int least) {
  const auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + scene_name);
  ASSERT_TRUE(scene);
  const auto plain = world_of(*scene);
  for (int i = 0; i < steps; ++i) plain->step();
  int compared = 0, acted = 0;
  for (const Property& p : one_of_each(*world_of(*scene))) {
    const auto live = world_of(*scene);
    const double x = other_value(p, p.view.get(*live));
    if (!apply(*live, set(p.path, x)).empty()) continue;  // two wheels that must be alike
    SceneSpec said = *scene;
    for (std::size_t i = 0; i < said.robots.size(); ++i) {  // where it stands at the start is not made again
      RobotInstanceSpec& r = said.robots[i];
      r.on_ground = false, r.scatter = r.scatter_yaw = 0;
      r.p_WB = live->model().robots[i].p_WB, r.q_WB = live->model().robots[i].q_WB;
    }
    Diagnostics notes;
    ASSERT_TRUE(apply_set(said, p.path + "=" + with_unit(x, p.view.unit), notes)) << p.path << to_string(notes.front());
    const auto compiled = world_of(said);
    for (int i = 0; i < steps; ++i) live->step(), compiled->step();
    bool moved = false;
    for (int r = 0; r < live->robot_count(); ++r) {
      ASSERT_EQ(motion_of(*live, r), motion_of(*compiled, r)) << p.path;
      moved |= motion_of(*live, r) != motion_of(*plain, r);
    }
    ++compared, acted += moved;
  }
  EXPECT_GE(acted, least) << "of " << compared;
}

TEST(Parameters, give_the_bits_of_a_scene_that_said_so_plain_servos) { compare_with_compiled("levels.toml", 60, 10); }
TEST(Parameters, give_the_bits_of_a_scene_that_said_so_actuator_chains) { compare_with_compiled("nao.toml", 60, 15); }
TEST(Parameters, give_the_bits_of_a_scene_that_said_so_bodies_that_touch) {
  compare_with_compiled("stack.toml", 60, 4);
}
TEST(Parameters, give_the_bits_of_a_scene_that_said_so_terrain) { compare_with_compiled("terrain.toml", 60, 5); }
TEST(Parameters, give_the_bits_of_a_scene_that_said_so_wheels) { compare_with_compiled("mirosot_3v3.toml", 180, 4); }

// ---- closed forms

/// A weight on a vertical slide hangs below its target by m g/kp.
TEST(Parameters, of_stiffness_mass_and_gravity_give_the_sag_of_a_spring) {
  SceneSpec s = scene(0.001);
  RobotBuilder b("slide");
  b.base("post")
      .fixed()
      .prismatic("slide", {0, 0, 1})
      .solid_box(2, {0.1, 0.1, 0.1}, {0, 0, 0})
      .servo({.kp = 1000, .kd = 60});
  add(s, b.spec(), "articulated", {0, 0, 1}).name = "r";
  const auto w = make_world(s);
  const auto sag = [&] {
    run(*w, 3);
    return -get(*w, "r.slide.q");
  };
  EXPECT_NEAR(sag(), 2 * 9.81 / 1000, 1e-9);
  EXPECT_EQ(apply(*w, set("r.slide.kp", 500)), "");
  EXPECT_NEAR(sag(), 2 * 9.81 / 500, 1e-9);
  EXPECT_EQ(apply(*w, set("r.slide.mass", 3)), "");
  EXPECT_NEAR(sag(), 3 * 9.81 / 500, 1e-9);
  EXPECT_EQ(apply(*w, set("world.gravity", 1.62)), "");
  EXPECT_NEAR(sag(), 3 * 1.62 / 500, 1e-9);
  EXPECT_EQ(apply(*w, set("r.kp_factor", 2)), "");
  EXPECT_NEAR(sag(), 3 * 1.62 / 1000, 1e-9);
  EXPECT_EQ(apply(*w, set("r.slide.torque", 2)), "");  // cannot carry 4.86 N: the rest is left to the damping
  run(*w, 3);
  EXPECT_NEAR(get(*w, "r.slide.v"), -(3 * 1.62 - 2) / 60, 1e-9);
  EXPECT_EQ(get(*w, "r.kp_factor"), 2);
  EXPECT_EQ(get(*w, "r.slide.kp"), 1000) << "a factor shows in what it multiplied";
}

/// A block that slides slows down by μ g, whatever its friction was before.
TEST(Parameters, of_friction_slow_a_sliding_block) {
  for (const char* path : {"r.friction", "r.box.surface.friction", "world.contact.friction"}) {
    SceneSpec s = scene(0.001);
    add_ground(s);
    RobotSpec box = solid_box(1, {0.2, 0.2, 0.1});
    box.objects[0].name = "box";
    if (std::string_view(path) == "world.contact.friction") box.objects[0].surface.friction.reset();
    for (FieldObjectSpec& f : s.field) f.surface.friction.reset();
    RobotInstanceSpec& r = add(s, box, "single_body", {0, 0, 0.05});
    r.name = "r";
    r.v_WB = {5, 0, 0};
    const auto w = make_world(s);
    run(*w, 0.1);
    ASSERT_EQ(apply(*w, set(path, 0.25)), "") << path;
    run(*w, 0.05);
    const double v = get(*w, "r.vx");
    run(*w, 0.2);
    EXPECT_NEAR((v - get(*w, "r.vx")) / 0.2, 0.25 * 9.81, 0.01) << path;
  }
}

// ---- rewinding

TEST(Parameters, a_snapshot_before_the_set_gives_back_the_old_value_and_the_old_hashes) {
  const auto w = make_world(two_standing());
  run(*w, 0.1);
  const std::string kp = first_joint(*w) + ".kp";
  const double before = get(*w, kp);
  const Snapshot start = w->snapshot();
  std::vector<std::uint64_t> hashes;
  const auto course = [&] {
    std::vector<std::uint64_t> out;
    for (int i = 0; i < 100; ++i) w->step(), out.push_back(w->hash());
    return out;
  };
  const auto plain = course();
  ASSERT_TRUE(w->restore(start));
  ASSERT_EQ(apply(*w, set(kp, 3 * before)), "");
  const auto changed = course();
  const Snapshot later = w->snapshot();
  EXPECT_NE(changed, plain);
  ASSERT_TRUE(w->restore(start));
  EXPECT_EQ(get(*w, kp), before);
  EXPECT_EQ(course(), plain) << "what was before the set is as if it never happened";
  ASSERT_TRUE(w->restore(start));
  ASSERT_EQ(apply(*w, set(kp, 3 * before)), "");
  EXPECT_EQ(course(), changed) << "and doing it again gives the same again";
  ASSERT_TRUE(w->restore(later));
  EXPECT_EQ(get(*w, kp), 3 * before);
}

TEST(Parameters, travel_in_the_bytes_of_a_snapshot_in_their_order) {
  const auto w = make_world(two_standing());
  const std::string joint = first_joint(*w);
  run(*w, 0.05);
  for (const Command& c :
       {set(joint + ".kp", 33), set("one.kp_factor", 0.5), set(joint + ".kd", 1.5), set("two.friction", 0.2),
        set("two.mass_factor", 1.5), set("world.gravity", 3), set(joint + ".torque", 20)})
    ASSERT_EQ(apply(*w, c), "") << c.name;
  EXPECT_EQ(get(*w, joint + ".kp"), 16.5);
  const auto saved = Snapshot::from_bytes(w->snapshot().bytes());
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->settings, w->settings());
  const auto other = make_world(two_standing());
  ASSERT_TRUE(other->restore(*saved));
  EXPECT_EQ(other->hash(), w->hash());
  EXPECT_EQ(get(*other, joint + ".kp"), 16.5);
  run(*w, 0.2), run(*other, 0.2);
  EXPECT_EQ(other->hash(), w->hash());
}

TEST(Parameters, that_a_snapshot_cannot_have_are_refused_and_change_nothing) {
  const auto w = make_world(two_standing());
  run(*w, 0.02);
  ASSERT_EQ(apply(*w, set("one.friction", 0.4)), "");
  const Snapshot good = w->snapshot();
  const std::uint64_t hash = w->hash();
  const auto refused = [&](Setting bad) {
    Snapshot s = good;
    s.settings.push_back(std::move(bad));
    return !w->restore(s) && w->hash() == hash && get(*w, "one.friction") == 0.4;
  };
  EXPECT_TRUE(refused({"nobody.friction", 0.3}));
  EXPECT_TRUE(refused({"one.nothing", 0.3}));
  EXPECT_TRUE(refused({"one.friction", -1}));
  EXPECT_TRUE(refused({"one.friction", std::nan("")}));
  EXPECT_TRUE(refused({"world.time", 1}));
  EXPECT_TRUE(refused({"", 1}));
  const std::vector<std::byte> bytes = good.bytes();
  for (std::size_t n = 0; n < bytes.size(); n += 3) ASSERT_FALSE(Snapshot::from_bytes(std::span(bytes).first(n))) << n;
}

TEST(Parameters, need_no_new_version_of_snapshots_where_none_was_set) {
  const auto bytes = make_world(two_standing())->snapshot().bytes();
  EXPECT_EQ(bytes[8], std::byte{1}) << "as older programs wrote and read it";
}

// ---- logs

TEST(Parameters, that_were_set_are_in_the_log_and_replay_gives_the_same_hashes) {
  const std::string path = testing::TempDir() + "parameters_test_" + std::to_string(getpid()) + ".mcap";
  const SceneSpec s = two_standing();
  const auto w = make_world(s);
  auto log = Recorder::open(path, s, *w, {});
  ASSERT_TRUE(log);
  const std::string joint = first_joint(*w);
  const std::map<int, Command> script{
      {40, set(joint + ".kp", 12)}, {80, set("two.friction", 0.1)}, {120, set("world.gravity", 12)}};
  for (int i = 0; i < 200; ++i) {
    if (const auto c = script.find(i); c != script.end()) {
      (*log)->command(*w, c->second);
      ASSERT_EQ(apply(*w, c->second), "");
    }
    w->step();
    (*log)->after_step(*w);
  }
  ASSERT_TRUE((*log)->close());
  double seen = 0;
  const auto replayed = replay(path, {}, {}, [&](const World& x) { seen = get(x, joint + ".kp"); });
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->first_difference, -1);
  EXPECT_EQ(replayed->steps, 200);
  EXPECT_EQ(replayed->hash, w->hash());
  EXPECT_EQ(seen, 12);
  std::remove(path.c_str());
}

// ---- what is refused

TEST(Parameters, out_of_range_are_refused_with_a_sentence) {
  const auto w = make_world(two_standing());
  const std::string joint = first_joint(*w);
  const std::uint64_t hash = w->hash();
  EXPECT_EQ(apply(*w, set("one.friction", -0.1)), "'one.friction' must be within 0 … 10, not -0.1");
  EXPECT_EQ(apply(*w, set(joint + ".kp", 2e6)),
            "'" + joint + ".kp' must be within 0 … 1e+06 N m/rad, not 2e+06 N m/rad");
  EXPECT_EQ(apply(*w, set(joint + ".torque", 0)), "'" + joint + ".torque' must be at least 1e-09 N m, not 0 N m");
  EXPECT_EQ(apply(*w, set("one.friction", std::nan(""))), "'one.friction' must be a finite number");
  EXPECT_EQ(apply(*w, set("one.mass", 3)), "'one.mass' can only be read");
  EXPECT_NE(apply(*w, set(joint + ".lower", 3)).find("cannot be set: object"), std::string::npos)
      << "above the upper one";
  EXPECT_NE(apply(*w, set("one.fricton", 1)).find("did you mean 'one.friction'?"), std::string::npos);
  EXPECT_EQ(w->hash(), hash);
  EXPECT_TRUE(w->settings().empty());
}

/// Where a level does not use a number it is not offered, and it counts again when the level does.
TEST(Parameters, wait_for_the_level_that_uses_them) {
  const auto w = make_world(two_standing()), other = make_world(two_standing());
  const std::string kp = first_joint(*w) + ".kp";
  ASSERT_EQ(apply(*w, set(kp, 7)), "");
  ASSERT_TRUE(w->set_motion(0, "single_body").empty());
  EXPECT_FALSE(find_property(*w, kp));
  EXPECT_TRUE(find_property(*w, "one.mass_factor"));
  ASSERT_TRUE(w->set_motion(0, "kinematic_walk").empty());
  EXPECT_FALSE(find_property(*w, "one.mass_factor"));
  ASSERT_TRUE(w->set_motion(0, "articulated").empty());
  EXPECT_EQ(get(*w, kp), 7);
}

/// Names and rows that contradict each other would make a path mean two things.
TEST(Parameters, have_one_meaning_each) {
  for (const char* name : {"levels.toml", "nao.toml", "stack.toml", "mirosot_3v3.toml"}) {
    const auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + name);
    ASSERT_TRUE(scene);
    std::set<std::string> paths;
    for (const Property& p : list_properties(*world_of(*scene)))
      EXPECT_TRUE(paths.insert(p.path).second) << p.path << " twice in " << name;
  }
}

}  // namespace
}  // namespace gradus::test
