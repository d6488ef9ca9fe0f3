#include "model/parameters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

namespace gradus {
namespace {

/// A row as docs/parameters.md has it.
std::string row_of(const ParameterText& p, const char* linear_unit) {
  std::ostringstream s;
  s << "| `" << p.name << "` | " << p.unit
    << (std::string_view(linear_unit) == p.unit ? "" : std::string(", ") + linear_unit) << " | ";
  if (std::isfinite(p.lower) && std::isfinite(p.upper))
    s << p.lower << " … " << p.upper;
  else if (std::isfinite(p.lower))
    s << "from " << p.lower;
  else
    s << "any";
  s << " | " << p.about << " |";
  return s.str();
}

TEST(Parameters, the_page_of_the_docs_is_the_table) {
  std::ifstream file(std::string(GRADUS_SOURCE_DIR) + "/docs/parameters.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  std::set<std::string> rows;
  for (const ObjectParameter& p : object_parameters()) rows.insert(row_of(p, p.linear_unit));
  for (const RobotParameter& p : robot_parameters()) rows.insert(row_of(p, p.unit));
  for (const WorldParameter& p : world_parameters()) rows.insert(row_of(p, p.unit));
  for (const std::string& row : rows) EXPECT_NE(page.find(row + "\n"), std::string::npos) << "missing:\n" << row;
  std::size_t listed = 0;
  for (std::size_t at = 0; (at = page.find("\n| `", at)) != std::string::npos; ++at) ++listed;
  EXPECT_EQ(listed, rows.size()) << "rows that are none of the table";
}

RobotSpec two_joints() {
  RobotBuilder b("arm");
  b.base("post")
      .fixed()
      .revolute("shoulder", {0, 1, 0})
      .solid_box(2, {0.1, 0.1, 0.4}, {0, 0, 0.2})
      .servo({.kp = 10, .kd = 1, .torque = 5});
  b.revolute("elbow", {0, 1, 0}).solid_box(1, {0.1, 0.1, 0.2}, {0, 0, 0.1}).servo({.kp = 4, .kd = 0.5, .torque = 3});
  return b.spec();
}
const ObjectSpec& object(const RobotSpec& r, const char* name) {
  return r.objects[static_cast<std::size_t>(r.find(name).value)];
}

/// Factors multiply what is there when they are set; what is set after them counts as it is.
TEST(Parameters, are_carried_out_in_their_order) {
  RobotSpec a = two_joints();
  EXPECT_EQ(apply_settings(a, std::vector<Setting>{{"elbow.kp", 6}, {"kp_factor", 0.5}, {"shoulder.kp", 7}}), "");
  EXPECT_EQ(object(a, "elbow").servo.kp, 3);
  EXPECT_EQ(object(a, "shoulder").servo.kp, 7);
  RobotSpec b = two_joints();
  EXPECT_EQ(apply_settings(b, std::vector<Setting>{{"kp_factor", 0.5}, {"elbow.kp", 6}}), "");
  EXPECT_EQ(object(b, "elbow").servo.kp, 6);
  EXPECT_EQ(object(b, "shoulder").servo.kp, 5);
}

TEST(Parameters, of_whole_robots_reach_every_joint_and_body) {
  RobotSpec r = two_joints();
  const double inertia = object(r, "elbow").inertia.yy;
  EXPECT_EQ(
      apply_settings(
          r, std::vector<Setting>{{"kd_factor", 2}, {"torque_factor", 3}, {"mass_factor", 1.5}, {"friction", 0.3}}),
      "");
  for (const char* name : {"shoulder", "elbow"}) {
    const ObjectSpec &now = object(r, name), before = object(two_joints(), name);
    EXPECT_EQ(now.servo.kd, 2 * before.servo.kd);
    EXPECT_EQ(now.servo.torque, 3 * before.servo.torque);
    EXPECT_EQ(now.mass, 1.5 * before.mass);
    EXPECT_EQ(now.surface.friction, 0.3);
  }
  EXPECT_NEAR(object(r, "elbow").inertia.yy, 1.5 * inertia, 1e-15);
}

TEST(Parameters, are_told_apart_by_what_an_object_is) {
  RobotSpec r = two_joints();
  EXPECT_EQ(apply_settings(r, std::vector<Setting>{{"elbow.gear.play", 0.1}}),
            "there is no parameter 'elbow.gear.play'");
  EXPECT_EQ(apply_settings(r, std::vector<Setting>{{"post.kp", 1}}), "there is no parameter 'post.kp'");
  EXPECT_EQ(apply_settings(r, std::vector<Setting>{{"elbow.kp", -1}}),
            "must be within 0 … 1e+06 N m/rad, not -1 N m/rad");
  DriveSpec chain;
  chain.controller.kp = 3;
  r.objects[2].drive = chain;
  EXPECT_EQ(apply_settings(r, std::vector<Setting>{{"elbow.kp", 1}}), "there is no parameter 'elbow.kp'")
      << "the chain drives it";
  EXPECT_EQ(apply_settings(r, std::vector<Setting>{{"elbow.controller.kp", 1}}), "");
  EXPECT_EQ(apply_settings(r, std::vector<Setting>{{"elbow.delay", 0.1}}), "there is no parameter 'elbow.delay'")
      << "State has no room";
}

/// A number that is right from the start stays right when it is set to itself.
TEST(Parameters, get_what_was_set) {
  RobotSpec r = two_joints();
  const ContactSpec scene;
  for (const ObjectParameter& p : object_parameters())
    for (ObjectSpec& o : r.objects) {
      if (!p.get(o, scene)) continue;
      const double x = std::isfinite(p.upper) ? 0.5 * (p.lower + p.upper) : 1;
      p.set(o, x);
      EXPECT_EQ(*p.get(o, scene), x) << p.name;
    }
}

}  // namespace
}  // namespace gradus
