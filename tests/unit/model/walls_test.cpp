// Maps with upright walls: every known cell is covered once, at its height, by boxes whose sides lie between nodes; what rests on them.
#include "model/walls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/model.h"
#include "model/rest_on_grid.h"

namespace gradus {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

/// 5 × 3 cells of 10 cm by 20 cm, node (0, 0) at (1, 2).
HeightGrid some_grid() {
  return {5, 3, 0.1, 0.2, 1, 2, {0, 0, 0, 0.5, 0.5,  //
                                 0, 0, 0, 0.5, 0.5,  //
                                 0, kNan, 0.2, 0.2, 0.5}};
}

TEST(Walls, rectangles_cover_every_known_cell_once_at_its_height) {
  const HeightGrid g = some_grid();
  std::vector<int> covered(g.z.size(), 0);
  const auto rectangles = flat_rectangles(g);
  for (const FlatRectangle& r : rectangles)
    for (int j = r.j0; j <= r.j1; ++j)
      for (int i = r.i0; i <= r.i1; ++i) {
        const auto k = static_cast<std::size_t>(j * g.nx + i);
        ++covered[k];
        EXPECT_EQ(g.z[k], r.z);
      }
  for (std::size_t k = 0; k < g.z.size(); ++k) EXPECT_EQ(covered[k], g.z[k] == g.z[k] ? 1 : 0) << k;
  EXPECT_EQ(rectangles.size(), 5u);  // 3 × 2 at 0, 2 × 2 at 0.5, and three in the last row
}

TEST(Walls, boxes_take_the_maps_place_with_sides_between_the_nodes) {
  FieldObjectSpec post, ground;
  post.name = "post";
  ground.name = "ground";
  ground.shape.kind = ShapeKind::height_field;
  ground.shape.map = 0;
  ground.X_WO.p = {10, 20, 30};
  ground.colour = Vec3{0.1, 0.2, 0.3};
  HeightMapSpec map;
  map.grid = some_grid();
  map.walls = true;
  const auto field = with_walls({post, ground}, {map});
  ASSERT_EQ(field.size(), 6u);
  EXPECT_EQ(field[0].name, "post");
  const FieldObjectSpec& box = field[2];  // the two by two cells at 0.5
  EXPECT_EQ(box.name, "ground_1");
  ASSERT_EQ(box.shape.kind, ShapeKind::box);
  const Vec3 middle = (box.X_WO * box.shape.X_OS).p, half = box.shape.size * 0.5;
  EXPECT_NEAR(middle.x - half.x, 11.25, 1e-12);
  EXPECT_NEAR(middle.x + half.x, 11.45, 1e-12);
  EXPECT_NEAR(middle.y - half.y, 21.9, 1e-12);
  EXPECT_NEAR(middle.y + half.y, 22.3, 1e-12);
  EXPECT_NEAR(middle.z + half.z, 30.5, 1e-12);
  EXPECT_NEAR(middle.z - half.z, 30 - kBelow, 1e-12);
  EXPECT_EQ(box.colour->z, 0.3);
  map.walls = false;
  EXPECT_EQ(with_walls({post, ground}, {map})[1].shape.kind, ShapeKind::height_field);
}

TEST(Walls, a_ball_rests_on_the_tread_or_on_the_edge_that_it_reaches) {
  const HeightGrid g = some_grid();
  const double r = 0.03;
  EXPECT_NEAR(rest_height_on_cells(g, 1.1, 2.1, r), r, 1e-15);        // on the flat
  EXPECT_NEAR(rest_height_on_cells(g, 1.25 - 0.031, 2.1, r), r, 1e-15);  // beside the wall
  EXPECT_NEAR(rest_height_on_cells(g, 1.25 - 0.02, 2.1, r), 0.5 + std::sqrt(r * r - 0.02 * 0.02), 1e-12);
  EXPECT_NEAR(rest_height_on_cells(g, 1.3, 2.1, r), 0.5 + r, 1e-15);
  EXPECT_NEAR(rest_height_on_cells(g, 1.0, 2.4, 0), 0, 1e-15);
  EXPECT_TRUE(std::isnan(rest_height_on_cells(g, 1.1, 2.4, 0.01)));   // over the hole
  EXPECT_TRUE(std::isnan(rest_height_on_cells(g, 0.9, 2.0, 0.01)));   // beside the map
  EXPECT_NEAR(rest_height_on_cells(g, 1.21, 2.4, 0), 0.2, 1e-15);
}

}  // namespace
}  // namespace gradus
