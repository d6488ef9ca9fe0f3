/// Nothing is allocated after make(): counting operator new around 1000 steps of every motion.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "contact/contact_set.h"
#include "load/scene_toml.h"
#include "render/cast.h"
#include "render/image.h"
#include "session/attach.h"
#include "support/contact_scenes.h"

namespace {
std::atomic<long> allocations{0};
}

#if defined(__GNUC__) && !defined(__clang__)  // GCC 12 takes the malloc and free below, inlined, for a mistake
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace gradus::test {
namespace {

class Still : public Controller {
 public:
  void control(const RobotOutput& out, RobotCommand& command) override {
    for (std::size_t i = 0; i < command.target.size(); ++i)
      command.target[i] = 0.9 * command.target[i] + 0.1 * out.q[i];
  }
};

std::unique_ptr<World> crowd(const char* motion, int threads) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  const bool walks = std::string_view(motion) == "kinematic_walk";
  for (int i = 0; i < 3; ++i)
    add(s, humanoid28(), motion, {1.0 * i, 0, kHumanoid28Height + (walks ? 0 : 0.2)},
        from_roll_pitch_yaw(walks ? 0 : 0.4, 0, 0));
  auto world = make_world(s, threads);
  world->add_controller(0, std::make_unique<Still>(), 0.01, 0);
  return world;
}

long allocated_in_1000_steps(World& world) {
  const long before = allocations;
  for (int i = 0; i < 1000; ++i) {
    if (i % 100 == 0) world.add_impulse({1, 0, {0, 0, 0.1}, {0.2, 0, 0}});
    world.step();
  }
  return allocations - before;
}

TEST(Allocation, none_in_images_and_rays) {
  const auto world = crowd("articulated", 1);
  const Model& model = world->model();
  const std::shared_ptr<const DrawnScene> drawn = *DrawnScene::make(model);
  CameraSpec spec;
  spec.width = 80, spec.height = 60, spec.readout = 0.03, spec.exposure = 0.01, spec.full_well = 5000,
  spec.lens.blur = 0.5;
  Camera camera(drawn, std::make_shared<const LensTable>(spec), {"free", -1, 0, look_at({-2, -1, 1}, {0, 0, 0.5}), {}},
                {true, Shadows::all, true, true});
  BandRoom room(*drawn, spec.width);
  std::vector<std::uint8_t> rgb(3 * 80 * 60);
  Image image;
  image.rgb = rgb.data();
  Poses poses = make_poses(*drawn);
  PoseMaker maker(model);
  RayCaster caster(drawn, 37);
  RayFan fan(std::size_t{37});
  const std::vector<Vec3> directions(37, Vec3{1, 0, 0});
  const long before = allocations;
  for (std::uint32_t frame = 0; frame < 20; ++frame) {
    for (int k = 0; k < 10; ++k) world->step();
    for (int r = 0; r < world->robot_count(); ++r)
      maker.set(*drawn, *model.robots[static_cast<std::size_t>(r)].kind, r, world->q(r).data(), world->v(r).data(),
                poses);
    camera.render(poses, 1, frame, room, image);
    fan.set(directions);
    caster.place(poses, identity_pose());
    caster.cast(fan, 5);
  }
  EXPECT_EQ(allocations - before, 0);
}

TEST(Allocation, none_in_1000_steps_after_parameters_were_set) {
  const auto world = crowd("articulated", 1);
  const std::string& robot = world->model().robots[1].name;
  for (const char* parameter : {"kp_factor", "friction", "mass_factor"})
    ASSERT_EQ(world->set_parameter(robot + "." + parameter, 0.5), "");
  ASSERT_EQ(world->set_parameter("world.gravity", 5), "");
  EXPECT_EQ(allocated_in_1000_steps(*world), 0);
}

TEST(Allocation, none_in_1000_steps_of_any_motion) {
  for (const char* motion : {"kinematic_walk", "single_body", "prescribed_joints", "articulated"})
    for (const int threads : {1, 2}) {
      const auto world = crowd(motion, threads);
      EXPECT_EQ(allocated_in_1000_steps(*world), 0) << motion << ", " << threads << " threads";
    }
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, solid_ball(0.4, 0.1), "free_body", {0, 0, 0.5});
  add(s, solid_box(1, {0.1, 0.2, 0.3}), "free_body", {1, 0, 0.5});
  EXPECT_EQ(allocated_in_1000_steps(*make_world(s)), 0);
}

TEST(Allocation, none_where_moving_bodies_touch) {
  for (const RobotScene& s : robot_scenes())
    for (const int threads : {1, 2}) {
      const auto world = make_world(s.make(0.001, 1e5), threads);
      if (s.start) s.start(*world);
      EXPECT_EQ(allocated_in_1000_steps(*world), 0) << s.name;
      EXPECT_EQ(world->report().coupling.dropped, 0) << s.name;
    }
  EXPECT_EQ(allocated_in_1000_steps(*make_world(stack_of(10, 0.001))), 0);
}

/// Kick-offs, goals and placements by the referee, strategies, cameras with delay, collisions in heaps.
TEST(Allocation, none_in_a_match_of_wheeled_robots) {
  for (const char* match : {"mirosot_3v3", "mirosot_5v5", "mirosot_11v11", "mirosot_and_humanoid"})
    for (const int threads : {1, 2}) {
      const auto s = load_scene(GRADUS_SOURCE_DIR "/scenes/" + std::string(match) + ".toml", {});
      ASSERT_TRUE(s) << match;
      const auto world = make_world(*s, threads);
      ASSERT_TRUE(attach_controllers(*world));
      EXPECT_EQ(allocated_in_1000_steps(*world), 0) << match << ", " << threads << " threads";
    }
}

TEST(Allocation, none_on_terrain_and_meshes) {
  for (const int threads : {1, 2}) {
    const auto world = make_world(rough_ground(0.001), threads);
    EXPECT_EQ(allocated_in_1000_steps(*world), 0) << threads << " threads";
    EXPECT_EQ(world->report().coupling.dropped, 0);
    EXPECT_EQ(world->report().field_dropped, 0);
    int on_field = 0, moving = 0;
    world->contacts().each([&](const Touch& t) { ++(t.other_robot < 0 ? on_field : moving); });
    EXPECT_GT(on_field, 4);  // it is a test of these
    EXPECT_GT(moving, 0);
  }
}

TEST(Allocation, none_after_changing_the_level) {
  const auto world = crowd("kinematic_walk", 1);
  for (const char* motion : {"single_body", "articulated", "prescribed_joints", "kinematic_walk", "articulated"}) {
    for (int r = 0; r < 3; ++r) ASSERT_TRUE(world->set_motion(r, motion).empty());
    EXPECT_EQ(allocated_in_1000_steps(*world), 0) << motion;
  }
}

TEST(Allocation, the_counter_counts) {
  const long before = allocations;
  // called as functions: a compiler may leave out a new whose delete it sees
  void *p = ::operator new(10), *q = ::operator new(20);
  ::operator delete(p), ::operator delete(q);
  EXPECT_EQ(allocations - before, 2);
}

}  // namespace
}  // namespace gradus::test
