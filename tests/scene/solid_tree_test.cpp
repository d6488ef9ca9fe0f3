/// Objects of the field in a tree: thousands cost what a few do.
#include <gtest/gtest.h>

#include "contact/find/static_world.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

/// Posts a metre apart in a square, as a StaticWorld holds them.
StaticWorld posts(int count, Model& model) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  for (int i = 0; i < count; ++i) {
    FieldObjectSpec f;
    f.name = "post" + std::to_string(i);
    f.shape.kind = ShapeKind::box;
    f.shape.size = {0.1, 0.1, 0.5};
    f.X_WO.p = {1.0 * (i % side), 1.0 * (i / side), 0.25};
    s.field.push_back(f);
  }
  add(s, solid_box(1, {0.2, 0.2, 0.2}), "single_body", {0.5, 0.5, 0.1});
  model = std::move(*compile(s));
  StaticWorld w;
  EXPECT_FALSE(has_errors(w.build(model)));
  return w;
}

TEST(SolidTree, finds_what_going_through_all_finds) {
  Model model;
  const StaticWorld w = posts(1000, model);
  SolidTree tree;
  tree.build(w.solids());
  Random random{5};
  for (int k = 0; k < 500; ++k) {
    const Vec3 c{random.in(-2, 34), random.in(-2, 34), random.in(-1, 2)};
    const double r = random.in(0, 3);
    std::vector<int> all, found(1000);
    for (std::size_t i = 0; i < w.solids().size(); ++i) {
      const Box3& b = w.solids()[i].box_W;
      if (c.x + r >= b.lo.x && c.x - r <= b.hi.x && c.y + r >= b.lo.y && c.y - r <= b.hi.y && c.z + r >= b.lo.z &&
          c.z - r <= b.hi.z)
        all.push_back(static_cast<int>(i));
    }
    found.resize(static_cast<std::size_t>(tree.find(w.solids(), c, r, found.data(), 1000)));
    ASSERT_EQ(found, all);
  }
}

TEST(SolidTree, looks_at_few_of_a_thousand) {
  Model few, many;
  const StaticWorld ten = posts(10, few), thousand = posts(1000, many);
  int looked[2], near[64], k = 0;
  for (const StaticWorld* w : {&ten, &thousand}) {
    SolidTree tree;
    tree.build(w->solids());
    tree.find(w->solids(), {0.5, 0.5, 0.1}, 0.7, near, 64, &looked[k++]);
  }
  std::printf("  boxes looked at: %d of 10 posts, %d of 1000\n", looked[0], looked[1]);
  EXPECT_LE(looked[0], 20);
  EXPECT_LE(looked[1], 40) << "a step of a humanoid is 28,000 instructions, a box 15";
}

}  // namespace
}  // namespace gradus::test
