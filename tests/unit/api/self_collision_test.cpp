/// The library call, as users see it.
#include <gtest/gtest.h>

#include <cmath>

#include "gradus/self_collision.h"

namespace {

TEST(SelfCollision, IsALibraryCall) {
  auto check = gradus::SelfCollision::load("messor");
  ASSERT_EQ(check.joints().size(), 18u);
  std::vector<double> q(18, 0.0);
  EXPECT_FALSE(check.collides(q));
  const auto near = check.nearest(q);
  EXPECT_GT(near.distance, 0);
  EXPECT_EQ(near.distance, check.distance(q));
  double d2 = 0;
  for (int i = 0; i < 3; ++i) d2 += std::pow(near.point_a[i] - near.point_b[i], 2);
  EXPECT_NEAR(std::sqrt(d2), near.distance, 1e-12);
  EXPECT_TRUE(check.nearest(q, 1e-6).a.empty());
  // the coxae of one side turned towards each other: the shins meet
  for (std::size_t j = 0; j < q.size(); ++j) {
    if (check.joints()[j] == "left_front_coxa") q[j] = 0.9;
    if (check.joints()[j] == "left_middle_coxa") q[j] = -0.9;
  }
  EXPECT_TRUE(check.collides(q));
  EXPECT_EQ(check.distance(q), 0);
  const auto touching = check.nearest(q);
  EXPECT_NE(touching.a.find("left_"), std::string::npos);
  EXPECT_NE(touching.b.find("left_"), std::string::npos);
  EXPECT_THROW(check.collides(std::vector<double>(17, 0.0)), gradus::Error);
  q[0] = std::nan("");
  EXPECT_THROW(check.distance(q), gradus::Error);
  EXPECT_THROW(gradus::SelfCollision::load("no_such_robot"), gradus::Error);
}

}  // namespace
