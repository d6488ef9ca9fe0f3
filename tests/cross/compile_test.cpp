/// The compiler turns all link frames parallel to the root and fuses objects into links. Here the same robots are
/// followed object by object as the Spec defines them, with ordinary products of transforms and std::sin, std::cos.
#include <gtest/gtest.h>

#include <cmath>

#include "support/robots.h"

namespace gradus::test {
namespace {

/// Rotation about a unit axis, column by column [Rodrigues 1840]: R a = a cos + (n × a) sin + n (n·a)(1 − cos).
Mat3 rodrigues(Vec3 axis, double angle) {
  const Vec3 n = axis * (1 / norm(axis));
  auto turned = [&](Vec3 a) {
    return a * std::cos(angle) + cross(n, a) * std::sin(angle) + n * (dot(n, a) * (1 - std::cos(angle)));
  };
  return {turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})};
}

/// Object poses as spec.h defines them; q by the joints' order of description is not the compiled one, so by name.
std::vector<Pose> poses_by_definition(const RobotSpec& spec, const RobotKind& kind, const double* q) {
  std::vector<Pose> X_WO(spec.objects.size());
  for (std::size_t i = 0; i < spec.objects.size(); ++i) {
    const ObjectSpec& o = spec.objects[i];
    Pose own = identity_pose();
    if (o.kind == ObjectKind::translation) own.p = o.offset;
    if (o.kind == ObjectKind::rotation) own.R = rodrigues(o.axis, o.angle);
    if (o.is_joint()) {
      const double x = q[7 + kind.find_joint(o.name)];
      if (o.kind == ObjectKind::revolute)
        own.R = rodrigues(o.axis, x);
      else
        own.p = o.axis * (x / norm(o.axis));
    }
    X_WO[i] = o.parent ? X_WO[static_cast<std::size_t>(o.parent.value)] * own
                       : Pose{to_matrix(base_orientation(q)), base_position(q)};
  }
  return X_WO;
}

double distance(const Pose& a, const Pose& b) {
  return norm(a.p - b.p) + norm(a.R.x - b.R.x) + norm(a.R.y - b.R.y) + norm(a.R.z - b.R.z);
}

class Compile : public testing::TestWithParam<int> {
 protected:
  RobotSpec spec = GetParam() == 0   ? humanoid28()
                   : GetParam() == 1 ? fixed_arm()
                                     : random_tree(static_cast<std::uint64_t>(GetParam()));
  Random random{11};
};
INSTANTIATE_TEST_SUITE_P(Robots, Compile, testing::Range(0, 40));

TEST_P(Compile, object_poses_are_the_product_of_the_spec_s_transforms) {
  SceneSpec s = scene(0.001);
  add(s, spec, "articulated");
  const auto world = make_world(s);
  const RobotKind& kind = *world->model().robots[0].kind;
  for (int k = 0; k < 20; ++k) {
    const RandomState state = random_state(kind, random);
    world->set_q(0, state.q);
    const std::vector<Pose> want = poses_by_definition(spec, kind, state.q.data());
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_LT(distance(world->X_WO(0, static_cast<int>(i)), want[i]), 1e-12) << spec.objects[i].name;
  }
}

TEST_P(Compile, mass_centre_of_mass_and_inertia_are_those_of_the_objects) {
  SceneSpec s = scene(0.001);
  add(s, spec, "articulated");
  const auto world = make_world(s);
  const RobotKind& kind = *world->model().robots[0].kind;
  const RandomState state = random_state(kind, random);
  world->set_q(0, state.q);
  const std::vector<Pose> X_WO = poses_by_definition(spec, kind, state.q.data());
  double mass = 0;
  Vec3 moment{0, 0, 0};
  Sym3 J{0, 0, 0, 0, 0, 0};  // about the world's origin
  for (std::size_t i = 0; i < X_WO.size(); ++i) {
    const ObjectSpec& o = spec.objects[i];
    if (!(o.mass > 0)) continue;
    const Vec3 c = X_WO[i] * o.com;
    mass += o.mass;
    moment += c * o.mass;
    J += rotated(X_WO[i].R, o.inertia);
    J += point_inertia(o.mass, c);
  }
  EXPECT_NEAR(kind.mass, mass, 1e-12 * mass);
  EXPECT_LT(norm(world->centre_of_mass(0) - moment * (1 / mass)), 1e-12);
  // Spun as a whole about the origin, its angular momentum is J w.
  std::vector<double> v(static_cast<std::size_t>(kind.nv()), 0.0);
  const Vec3 w = random.vector(1);
  set_base_twist(v.data(), w, cross(w, base_position(state.q.data())));
  world->set_v(0, v);
  const Vec6 momentum = world->momentum(0);
  EXPECT_LT(norm(momentum.a - J * w), 1e-11 * (1 + norm(J * w)));
  EXPECT_LT(norm(momentum.l - cross(w, moment)), 1e-12 * (1 + norm(moment)));
  EXPECT_NEAR(world->energy(0) + dot(moment, world->model().gravity), 0.5 * dot(w, J * w), 1e-10 * (1 + dot(w, J * w)));
}

TEST_P(Compile, links_are_numbered_parents_first_and_limbs_are_runs) {
  const auto kind = kind_of(spec);
  for (int i = 1; i < kind->nlink(); ++i) {
    const Link& l = kind->links[static_cast<std::size_t>(i)];
    ASSERT_LT(l.parent, i);
    EXPECT_EQ(l.follows, l.parent == i - 1);
    if (!l.follows) {
      EXPECT_GE(kind->links[static_cast<std::size_t>(l.parent)].branch, 0);
    }
  }
}

}  // namespace
}  // namespace gradus::test
