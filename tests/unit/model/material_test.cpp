/// What two surfaces are to each other, number for number.
#include "model/material.h"

#include <gtest/gtest.h>

namespace gradus {
namespace {

SurfaceSpec surface(double friction, double stiffness, double rolling) {
  SurfaceSpec s;
  s.friction = friction, s.stiffness = stiffness, s.rolling = rolling;
  return s;
}

TEST(Material, two_frictions_meet_in_their_geometric_mean_and_two_springs_in_series) {
  const PairNumbers n = pair_numbers({}, surface(0.4, 3e4, 0.001), surface(0.9, 6e4, 0.002));
  EXPECT_DOUBLE_EQ(n.friction, 0.6);
  EXPECT_DOUBLE_EQ(n.stiffness, 2e4);
  EXPECT_DOUBLE_EQ(n.rolling, 0.002) << "the rougher one decides";
}

TEST(Material, one_surface_alone_counts_as_it_is_and_none_leaves_the_scene) {
  ContactSpec scene;
  scene.friction = 0.7;
  EXPECT_EQ(pair_numbers(scene, surface(0.4, 3e4, 0), {}).friction, 0.4);
  EXPECT_EQ(pair_numbers(scene, {}, surface(0.3, 3e4, 0)).friction, 0.3);
  EXPECT_EQ(pair_numbers(scene, {}, {}).friction, 0.7);
}

TEST(Material, a_pair_of_materials_beats_the_surfaces_in_either_order) {
  ContactSpec scene;
  ContactPairSpec pair;
  pair.a = "rubber", pair.b = "grass", pair.friction = 1.3;
  scene.pairs.push_back(pair);
  SurfaceSpec a = surface(0.4, 3e4, 0), b = surface(0.9, 3e4, 0);
  a.material = "grass", b.material = "rubber";
  EXPECT_EQ(pair_numbers(scene, a, b).friction, 1.3);
  EXPECT_EQ(pair_numbers(scene, b, a).friction, 1.3);
  b.material = "wood";
  EXPECT_DOUBLE_EQ(pair_numbers(scene, a, b).friction, 0.6);
}

}  // namespace
}  // namespace gradus
