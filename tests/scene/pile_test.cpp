/// Large scenes of moving contacts as shipped: the pile of balls comes to rest, and a scrum makes no energy.
#include <gtest/gtest.h>

#include "load/scene_toml.h"
#include "support/contact_scenes.h"
#include "support/energy_books.h"

namespace gradus::test {
namespace {

SceneSpec shipped(const char* name, double h) {
  auto scene = load_scene(std::string(GRADUS_SOURCE_DIR "/scenes/") + name, {});
  EXPECT_TRUE(scene);
  scene->step = h;
  return *scene;
}

/// Tennis balls with e = 0.7 at a step in which gravity alone gives the speed of an impact. An island that does not
/// settle must keep its impulses as the next guess: begun anew from nothing every time, the pile creeps for ever.
TEST(Pile, of_bouncing_balls_comes_to_rest_at_5_ms) {
  const auto w = make_world(shipped("pile.toml", 0.005));
  run(*w, 3);
  const std::int64_t unsettled = w->report().coupling.unsettled;
  run(*w, 0.5);
  for (int i = 0; i < w->robot_count(); ++i) ASSERT_LT(norm(base_velocity_of(*w, i)), 1e-3) << i;
  EXPECT_EQ(w->report().coupling.unsettled, unsettled);
  EXPECT_EQ(w->report().coupling.dropped, 0);
  for (const MovingContact& c : w->contacts()) ASSERT_GT(c.gap, -1e-4);
}

/// The books close: where nothing touches, contacts did nothing, to rounding [support/energy_books.h].
TEST(Energy, of_robots_in_flight_is_the_work_of_their_joints) {
  SceneSpec s = scene(0.001);
  for (double x : {0.0, 2.0})
    add(s, humanoid28(), "articulated", {x, 0, 3}, exponential(Vec3{0.3, 0.5, 0.1})).w_WB = {1, 2, x};
  const auto w = make_world(s);
  for (int i = 0; i < w->robot_count(); ++i)
    for (double& t : w->targets(i)) t += 0.3;
  for (int k = 0; k < 300; ++k) {
    const EnergyBooks b = step_with_books(*w);
    ASSERT_NEAR(b.contacts, 0, 1e-11) << k;
    ASSERT_GT(std::abs(b.joints), 0);
  }
}

struct Rise {
  double contacts_step = 0, contacts = 0, integration = 0;
};

/// Ten robots run into each other and fall.
Rise rise_in_scrum(double h) {
  const auto w = make_world(shipped("scrum.toml", h));
  Rise out;
  double contacts = 0, least_contacts = 0, integration = 0, least = 0;
  while (w->time() < 0.7) {
    const EnergyBooks b = step_with_books(*w);
    const double d = b.contacts + b.stored;
    contacts += d, integration += b.gravity + b.inertia;
    least_contacts = std::min(least_contacts, contacts), least = std::min(least, integration);
    out.contacts_step = std::max(out.contacts_step, d);
    out.contacts = std::max(out.contacts, contacts - least_contacts);
    out.integration = std::max(out.integration, integration - least);
  }
  EXPECT_LT(contacts, -10);  // they did fall
  return out;
}

/// Contacts never give more than they took: impulses are exact to 1e-6 m/s, a few N s of them act in a step. What is
/// left is the integration's, of first order in h.
TEST(Energy, of_a_scrum_never_grows_but_by_the_joints_work) {
  const Rise coarse = rise_in_scrum(0.001), fine = rise_in_scrum(0.0005);
  for (const Rise& r : {coarse, fine}) {
    EXPECT_LT(r.contacts_step, 5e-6);
    EXPECT_LT(r.contacts, 1e-4);
  }
  EXPECT_LT(coarse.integration, 0.15);  // of 100 J that the robots begin with
  EXPECT_LT(fine.integration, 0.75 * coarse.integration);
}

}  // namespace
}  // namespace gradus::test
