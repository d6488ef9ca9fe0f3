#include "unit/batch/fixtures.h"

namespace gradus::test {
namespace {

constexpr LaneType kDouble{false, 1}, kFloat{true, 1}, kDouble2{false, 2}, kDouble8{false, 8}, kFloat16{true, 16};

/// Lanes have the bits of World until a step is solved exactly there [contact/solve/own_points.h]: lanes take a calm last
/// prediction instead. least: share of all steps that must have been compared.
void expect_bits_of_world(const std::string& robot, LaneType type, double tumble, int worlds, int steps, double least) {
  const Model model = model_of(robot);
  auto lanes = lanes_of(model, worlds, type);
  std::vector<std::unique_ptr<World>> alone;
  for (int w = 0; w < worlds; ++w) {
    const auto start = perturbed(model, w, tumble);
    put(*lanes, w, start);
    alone.push_back(std::move(*World::make(model)));
    alone.back()->set_q(0, start.q);
    alone.back()->set_v(0, start.v);
    std::copy(start.target.begin(), start.target.end(), alone.back()->targets(0).begin());
  }
  int compared = 0;
  for (int k = 0; k < steps; ++k) {
    lanes->step(1);
    for (int w = 0; w < worlds; ++w) {
      World* x = alone[static_cast<std::size_t>(w)].get();
      if (!x) continue;
      x->step();
      if (x->scratch(0).exact) {
        alone[static_cast<std::size_t>(w)].reset();
        continue;
      }
      const Now now{{x->q(0).begin(), x->q(0).end()}, {x->v(0).begin(), x->v(0).end()}, {x->tau(0).begin(), x->tau(0).end()}};
      ASSERT_EQ(read(*lanes, w), now) << robot << " world " << w << " step " << k;
      ++compared;
    }
  }
  std::printf("  %d of %d steps compared\n", compared, worlds * steps);
  EXPECT_GE(compared, least * worlds * steps);
}

TEST(Lanes, one_double_stands_with_the_bits_of_world) { expect_bits_of_world("humanoid28.toml", kDouble, 0, 2, 300, 0.1); }
TEST(Lanes, one_double_falls_with_the_bits_of_world) { expect_bits_of_world("humanoid28.toml", kDouble, 1, 3, 800, 0.1); }
TEST(Lanes, eight_doubles_stand_with_the_bits_of_world) {
  expect_bits_of_world("humanoid28.toml", kDouble8, 0, 8, 300, 0.1);
}
// Falling lanes meet different limits in the same step: every lane must keep its own opinion.
TEST(Lanes, eight_doubles_fall_with_the_bits_of_world) {
  expect_bits_of_world("humanoid28.toml", kDouble8, 1, 11, 800, 0.1);
}
TEST(Lanes, a_four_legged_robot_falls_with_the_bits_of_world) {
  expect_bits_of_world("quadruped.urdf", kDouble8, 1, 8, 500, 0.1);
}
TEST(Lanes, a_robot_bolted_to_the_world_swings_with_the_bits_of_world) {
  expect_bits_of_world("double_pendulum.toml", kDouble8, 0, 8, 500, 1);
}

// Actuator chains, one motor for both hips: standing, friction and play are decided lane by lane; falling, limits too.
TEST(Lanes, one_nao_with_its_chains_stands_with_the_bits_of_world) { expect_bits_of_world("nao_h25_v6.toml", kDouble, 0, 2, 300, 0.1); }
TEST(Lanes, eight_naos_with_their_chains_stand_with_the_bits_of_world) {
  expect_bits_of_world("nao_h25_v6.toml", kDouble8, 0, 8, 300, 0.1);
}
TEST(Lanes, naos_with_their_chains_fall_with_the_bits_of_world) { expect_bits_of_world("nao_h25_v6.toml", kDouble8, 1, 9, 800, 0.1); }

/// Model number w: another friction, masses, gains, servo and gravity.
Model changed_model(const std::string& robot, int w) {
  return model_of(robot, true, [&](SceneSpec& s) {
    s.gravity.z *= 1 - 0.03 * w;
    for (ObjectSpec& o : s.robots[0].robot.objects) {
      o.mass *= 1 + 0.05 * w, o.surface.friction = 0.8 + 0.1 * w;
      o.servo.kp *= 1 - 0.04 * w, o.friction = 0.01 * w;
      if (o.drive) o.drive->controller.kp *= 1 - 0.04 * w, o.drive->friction.coulomb += 0.02 * w, o.drive->gear.ratio *= 1 + 0.01 * w;
    }
  });
}

/// Short cuts for simple inertias are not taken then, so equal to rounding, which standing does not amplify.
TEST(Lanes, worlds_with_constants_of_their_own_move_as_worlds_compiled_so) {
  for (const char* robot : {"humanoid28.toml", "nao_h25_v6.toml"}) {
    const Model model = model_of(robot);
    auto lanes = lanes_of(model, 4, kDouble2);
    int compared = 0;
    for (int w = 0; w < 4; ++w) {
      const Model own = changed_model(robot, w);
      ASSERT_EQ(lanes->set_constants(w, own, 0), "");
      put(*lanes, w, perturbed(model, w, 0));
    }
    lanes->step(150);
    for (int w = 0; w < 4; ++w) {
      const auto world = std::move(*World::make(changed_model(robot, w)));
      const auto start = perturbed(model, w, 0);
      world->set_q(0, start.q), world->set_v(0, start.v);
      std::copy(start.target.begin(), start.target.end(), world->targets(0).begin());
      bool exact = false;
      for (int k = 0; k < 150; ++k) world->step(), exact = exact || world->scratch(0).exact;
      if (exact) continue;
      ++compared;
      const Now now = read(*lanes, w);
      for (std::size_t i = 0; i < now.q.size(); ++i) EXPECT_NEAR(now.q[i], world->q(0)[i], 1e-10) << robot << w;
      for (std::size_t i = 0; i < now.tau.size(); ++i) EXPECT_NEAR(now.tau[i], world->tau(0)[i], 1e-7) << robot << w;
    }
    EXPECT_GE(compared, 2) << robot;
  }
}

TEST(Lanes, a_world_with_constants_of_its_own_does_not_feel_those_of_its_neighbours) {
  for (const LaneType type : {kDouble2, widest_kernel(true).type}) {
    const LaneKernel& kernel = type == kDouble2 ? *std::ranges::find(portable_kernels(), kDouble2, &LaneKernel::type) : widest_kernel(true);
    std::uint64_t hashes[2];
    for (const int other : {0, 1}) {
      const Model model = model_of("nao_h25_v6.toml");
      auto lanes = *Lanes::make(model, 0, type.lanes, {kernel.type, {&kernel, 1}, 1, kPredictions});
      for (int w = 0; w < type.lanes; ++w) {
        ASSERT_EQ(lanes->set_constants(w, changed_model("nao_h25_v6.toml", w == 1 ? 2 : other * (w % 5)), 0), "");
        put(*lanes, w, perturbed(model, w == 1 ? 7 : w + other, 1));
      }
      lanes->step(400);
      hashes[other] = lanes->hash(1);
      EXPECT_TRUE(lanes->finite(1));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
  }
}

TEST(Lanes, constants_that_change_what_worlds_share_are_refused) {
  const Model model = model_of("nao_h25_v6.toml");
  auto lanes = lanes_of(model, 2, kDouble2);
  const Model late = model_of("nao_h25_v6.toml", true, [](SceneSpec& s) {
    for (ObjectSpec& o : s.robots[0].robot.objects)
      if (o.drive) o.drive->delay += 0.02;
  });
  EXPECT_NE(lanes->set_constants(1, late, 0).find("steps of delay"), std::string::npos);
  EXPECT_NE(lanes->set_constants(1, model_of("humanoid28.toml"), 0), "");
}

void expect_alone_as_among_many(LaneType type) {
  const Model model = model_of("humanoid28.toml");
  auto many = lanes_of(model, 100, type), one = lanes_of(model, 1, type);
  for (int w = 0; w < 100; ++w) put(*many, w, perturbed(model, w, w % 3 ? 1 : 0));
  put(*one, 0, perturbed(model, 17, 1));
  many->step(600);
  one->step(600);
  EXPECT_EQ(read(*many, 17), read(*one, 0));
  EXPECT_NE(read(*many, 16), read(*one, 0));
}
TEST(Lanes, world_17_of_100_gives_the_same_bits_alone_in_16_floats) { expect_alone_as_among_many(kFloat16); }
TEST(Lanes, world_17_of_100_gives_the_same_bits_alone_in_8_doubles) { expect_alone_as_among_many(kDouble8); }

/// Whatever registers this machine has: no contraction, so the same numbers.
TEST(Lanes, kernels_for_wide_registers_have_the_bits_of_the_portable_ones) {
  const Model model = model_of("humanoid28.toml");
  for (const auto& kernels : {avx512_kernels(), avx2_kernels(), std::span<const LaneKernel>(&widest_kernel(true), 1)})
    for (const LaneKernel& k : kernels) {
      auto plain = lanes_of(model, 19, {k.type.single, 1});
      auto wide = Lanes::make(model, 0, 19, {k.type, {&k, 1}, 1, kPredictions});
      ASSERT_TRUE(wide);
      for (int w = 0; w < 19; ++w) put(*plain, w, perturbed(model, w, w % 2)), put(**wide, w, perturbed(model, w, w % 2));
      plain->step(300), (*wide)->step(300);
      EXPECT_EQ(plain->hash(), (*wide)->hash()) << k.type.lanes << " lanes";
    }
}

TEST(Lanes, results_do_not_depend_on_threads_or_on_how_steps_are_grouped) {
  const Model model = model_of("humanoid28.toml");
  auto one = lanes_of(model, 50, kFloat16, 1), three = lanes_of(model, 50, kFloat16, 3);
  for (Lanes* l : {one.get(), three.get()})
    for (int w = 0; w < 50; ++w) put(*l, w, perturbed(model, w, 1));
  one->step(200);
  for (int i = 0; i < 40; ++i) three->step(5);
  EXPECT_EQ(one->hash(), three->hash());
}

TEST(Lanes, a_float_lane_gives_the_bits_of_one_float) {
  const Model model = model_of("humanoid28.toml");
  auto one = lanes_of(model, 20, kFloat), lanes = lanes_of(model, 20, kFloat16);
  for (Lanes* l : {one.get(), lanes.get()})
    for (int w = 0; w < 20; ++w) put(*l, w, perturbed(model, w, w % 2));
  one->step(400);
  lanes->step(400);
  EXPECT_EQ(one->hash(), lanes->hash());
}

// Rounding of float: 6e-8 of 0.3 m a step, damped by the stance; facts/gpu.md found 7e-6 m and 3e-4 rad as the worst of
// 256.
TEST(Lanes, floats_stand_as_doubles_do) {
  const Model model = model_of("humanoid28.toml");
  auto f = lanes_of(model, 32, kFloat16), d = lanes_of(model, 32, kDouble8);
  for (Lanes* l : {f.get(), d.get()})
    for (int w = 0; w < 32; ++w) put(*l, w, perturbed(model, w, 0));
  f->step(1000);
  d->step(1000);
  for (int w = 0; w < 32; ++w) {
    EXPECT_NEAR(read(*f, w).q[2], read(*d, w).q[2], 2e-5) << w;
    EXPECT_LT(distance(read(*f, w).q, read(*d, w).q), 1e-3) << w;
  }
}

// Poses unwound from tip to root instead of stored: equal to rounding, which falls amplify (Lyapunov time about 0.1 s).
void expect_recomputed_as_stored(const std::string& robot, LaneType type, double tolerance) {
  const Model model = model_of(robot);
  LaneType recompute = type;
  recompute.recompute = true;
  auto stored = lanes_of(model, 16, type), recomputed = lanes_of(model, 16, recompute);
  for (Lanes* l : {stored.get(), recomputed.get()})
    for (int w = 0; w < 16; ++w) put(*l, w, perturbed(model, w, w % 2));
  stored->step(200);
  recomputed->step(200);
  for (int w = 0; w < 16; ++w)
    EXPECT_LT(distance(read(*stored, w).q, read(*recomputed, w).q), tolerance) << robot << " " << w;
}
TEST(Lanes, recomputed_frames_give_the_same_motion_of_a_humanoid) {
  expect_recomputed_as_stored("humanoid28.toml", kDouble, 1e-10);
}
TEST(Lanes, recomputed_frames_give_the_same_motion_of_a_quadruped) {
  expect_recomputed_as_stored("quadruped.urdf", kDouble, 1e-10);
}
TEST(Lanes, recomputed_frames_give_the_same_motion_of_a_pendulum) {
  expect_recomputed_as_stored("double_pendulum.toml", kDouble, 1e-10);
}
TEST(Lanes, recomputed_frames_give_the_same_motion_in_float) {
  expect_recomputed_as_stored("humanoid28.toml", kFloat16, 2e-2);
}

TEST(Lanes, targets_belong_to_one_world) {
  const Model model = model_of("humanoid28.toml");
  auto plain = lanes_of(model, 16, kFloat16), turned = lanes_of(model, 16, kFloat16);
  Start s = perturbed(model, 5, 0);
  s.target[0] += 0.3;  // the head looks left
  ASSERT_TRUE(turned->write_targets(5, s.target));
  plain->step(300);
  turned->step(300);
  EXPECT_NEAR(read(*turned, 5).q[7] - read(*plain, 5).q[7], 0.3, 0.01);
  for (int w = 0; w < 16; ++w)
    if (w != 5) {
      EXPECT_EQ(read(*turned, w), read(*plain, w)) << w;
    }
}

TEST(Lanes, reset_brings_chosen_worlds_back_and_leaves_the_others) {
  const Model model = model_of("humanoid28.toml");
  auto lanes = lanes_of(model, 40, kFloat16), fresh = lanes_of(model, 40, kFloat16);
  for (int w = 0; w < 40; ++w) put(*lanes, w, perturbed(model, w, 1));
  lanes->step(300);
  const Now kept = read(*lanes, 7);
  std::vector<std::uint8_t> mask(40, 0);
  mask[3] = mask[38] = 1;
  ASSERT_TRUE(lanes->reset(mask));
  EXPECT_EQ(read(*lanes, 7), kept);
  fresh->step(100);
  lanes->step(100);
  EXPECT_EQ(read(*lanes, 3), read(*fresh, 3));
  EXPECT_EQ(read(*lanes, 38), read(*fresh, 38));
  EXPECT_NE(read(*lanes, 7), kept);
  EXPECT_FALSE(lanes->reset(std::vector<std::uint8_t>(39, 1)));
}

TEST(Lanes, feet_carry_the_weight) {
  const Model model = model_of("humanoid28.toml");
  auto lanes = lanes_of(model, 16, kFloat16);
  lanes->step(1000);
  double sum = 0;
  for (int k = 0; k < static_cast<int>(model.robots[0].kind->points.size()); ++k) sum += lanes->normal_force(9, k);
  EXPECT_NEAR(sum, model.robots[0].kind->mass * 9.81, 0.01);
}

TEST(Lanes, a_lost_world_is_reported_and_harms_no_other) {
  const Model model = model_of("humanoid28.toml");
  auto lanes = lanes_of(model, 16, kFloat16), clean = lanes_of(model, 16, kFloat16);
  Start s = perturbed(model, 1, 0);
  s.v[8] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(lanes->write_v(4, s.v));
  lanes->step(20);
  clean->step(20);
  EXPECT_FALSE(lanes->finite(4));
  for (int w = 0; w < 16; ++w)
    if (w != 4) {
      EXPECT_EQ(read(*lanes, w), read(*clean, w)) << w;
    }
}

TEST(Lanes, what_cannot_be_made_is_said) {
  const Model model = model_of("humanoid28.toml");
  const auto text = [&](int robot, int worlds, LaneType type) {
    Lanes::Options o;
    o.type = type;
    auto r = Lanes::make(model, robot, worlds, o);
    return r ? std::string("made") : r.notes().at(0).text;
  };
  EXPECT_EQ(text(1, 16, kFloat16), "batch: the scene has no robot number 1");
  EXPECT_EQ(text(0, 0, kFloat16), "batch: cannot make 0 worlds");
  EXPECT_EQ(text(0, 16, LaneType{true, 5}), "batch: no kernel was compiled for 5 lanes of this type");
  EXPECT_EQ(text(0, 16, kFloat16), "made");
}

TEST(Lanes, what_they_cannot_do_is_refused_with_a_list) {
  Model model = model_of("nao_h25_v6.toml");
  model.robots.push_back(model.robots[0]);
  model.robots[0].self_contact = true;
  model.robots[0].motion = "single_body";
  model.contact.law = "spring";
  model.static_objects.push_back(0);
  const auto made = Lanes::make(model, 0, 16, {});
  ASSERT_FALSE(made);
  std::string all;
  for (const Diagnostic& d : made.notes()) all += d.text + "\n";
  EXPECT_EQ(made.notes().size(), 5u) << all;
  for (const char* what : {"single_body", "more than one robot", "terrain", "spring", "self-contact"})
    EXPECT_NE(all.find(what), std::string::npos) << what << " in\n" << all;
}

}  // namespace
}  // namespace gradus::test
