/// One set of contacts [contact/contact_set.h]: the same body on the ground plane, on an object of the field, on a moving plate,
/// as a robot or as a free body shows the same contacts, whoever found them and whoever solved them.
#include <gtest/gtest.h>

#include <vector>

#include "contact/contact_set.h"
#include "support/robots.h"
#include "world/world.h"

namespace gradus::test {
namespace {

constexpr double kG = 9.81;

struct Bed {
  const char *ground, *motion;  // what the box lies on; how it is moved
};

/// A box of 3 kg that slides along x, or lies.
SceneSpec box_on(const Bed& bed, double speed) {
  SceneSpec s = scene(0.001);
  s.contact.friction = 0.5;
  const std::string ground = bed.ground;
  double z = 0.05;
  if (ground == "plane") add_ground(s);
  if (ground == "field") {
    FieldObjectSpec f;
    f.name = "block";
    f.shape.kind = ShapeKind::box;
    f.shape.size = {20, 20, 1};
    f.X_WO.p = {0, 0, -0.5};
    s.field.push_back(f);
  }
  if (ground == "plate") {
    add_ground(s);
    add(s, solid_box(3000, {20, 20, 1}, 0.5), "free_body", {0, 0, 0.5});
    z += 1;
  }
  add(s, solid_box(3, {0.2, 0.2, 0.1}, 0.5), bed.motion, {0, 0, z - 1e-5}).v_WB = {speed, 0, 0};
  return s;
}

constexpr Bed kBeds[] = {{"plane", "single_body"}, {"field", "single_body"},  {"plane", "free_body"},
                         {"field", "free_body"},   {"plate", "single_body"}, {"plate", "free_body"}};

/// Sliding: the weight along the normal, μ times it against the motion; lying: the weight. The books' springs are those of four corners that
/// carry a quarter each, whoever holds them.
TEST(ContactSet, shows_a_box_the_same_contacts_whatever_it_lies_on) {
  for (const Bed& bed : kBeds)
    for (const double speed : {2.0, 0.0}) {
      SCOPED_TRACE(std::string(bed.ground) + ", " + bed.motion + (speed > 0 ? ", slides" : ", lies"));
      const auto world = make_world(box_on(bed, speed));
      for (int i = 0; i < 200; ++i) world->step();
      const int box = world->robot_count() - 1;
      Vec3 force{0, 0, 0};
      double normal = 0, spring = 0;
      int count = 0;
      world->contacts().on(box, [&](const Touch& t) {
        EXPECT_EQ(t.robot, box);
        EXPECT_EQ(t.other_robot, std::string(bed.ground) == "plate" ? 0 : -1);
        EXPECT_EQ(world->model().robots[static_cast<std::size_t>(box)].kind->objects[static_cast<std::size_t>(t.object)].link, t.link);
        EXPECT_NEAR(t.normal.z, 1, 1e-9);
        EXPECT_NEAR(t.point.z, std::string(bed.ground) == "plate" ? 1 : 0, 0.002);
        force += t.force, normal += t.normal_force, spring += t.spring;
        ++count;
      });
      EXPECT_EQ(count, 4);
      EXPECT_NEAR(normal, 3 * kG, 0.01 * 3 * kG);
      EXPECT_NEAR(force.z, 3 * kG, 0.01 * 3 * kG);
      EXPECT_NEAR(force.x, speed > 0 ? -0.5 * 3 * kG : 0, 0.01 * 3 * kG);
      EXPECT_GT(spring, 0);
      EXPECT_NEAR(world->contact_force(box, 0), std::string(bed.ground) == "plate" ? 0 : 3 * kG, 0.01 * 3 * kG);
    }
}

/// What two bodies feel of each other is equal and opposite, and over all robots each contact comes once.
TEST(ContactSet, counts_each_contact_once_and_shows_it_from_both_sides) {
  for (const double offset : {0.01, 0.0}) {  // 0: equal faces on each other, clipped in an order that rounding decides
    SceneSpec s = scene(0.001);
    add_ground(s);
    for (int i = 0; i < 3; ++i) add(s, solid_box(1, {0.2, 0.2, 0.2}), i == 1 ? "single_body" : "free_body", {offset * i, -1.3 * offset * i, 0.1 + 0.2 * i});
    const auto world = make_world(s);
    for (int i = 0; i < 500; ++i) world->step();
    int once = 0, of = 0, on = 0, between = 0, on_ground = 0;
    world->contacts().each([&](const Touch& t) { ++once, on_ground += t.other_robot < 0; });
    Vec3 sum{0, 0, 0};
    std::vector<double> carried;
    for (int r = 0; r < 3; ++r) {
      Vec3 force{0, 0, 0};
      world->contacts().of(r, [&](const Touch&) { ++of; });
      world->contacts().on(r, [&](const Touch& t) {
        ++on;
        force += t.force;
        if (t.other_robot >= 0) sum += t.force;
        const double outwards = dot(t.normal, base_position(world->q(r).data()) - t.point);
        EXPECT_GT(outwards, 0) << "normals point to the robot";
      });
      EXPECT_NEAR(force.z, kG, 0.01 * kG);
    }
    world->contacts().between([&](const Touch& t) {
      ++between;
      EXPECT_GE(t.other_robot, 0);
    });
    EXPECT_EQ(on_ground, 4);
    EXPECT_EQ(between, 8);
    EXPECT_EQ(once, 12);
    EXPECT_EQ(of, once);
    EXPECT_EQ(on, once + between);
    EXPECT_LT(norm(sum), 1e-12);
  }
}

}  // namespace
}  // namespace gradus::test
