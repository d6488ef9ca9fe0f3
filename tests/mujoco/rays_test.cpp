/// Every pixel of three scenes against an independent witness: MuJoCo's rays.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/mujoco_view.h"
#include "load/scene_toml.h"
#include "render/image.h"
#include "world/world.h"

namespace gradus::test {
namespace {

struct Shot {
  const char* scene;
  Vec3 eye, target;
};
class RaysOfMujoco : public testing::TestWithParam<Shot> {};

TEST_P(RaysOfMujoco, at_most_3_of_10000_pixels_differ_by_a_centimetre) {
  auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + GetParam().scene + ".toml");
  ASSERT_TRUE(scene);
  auto world = World::make(*compile(*scene));
  ASSERT_TRUE(world);
  for (int k = 0; k < 200; ++k) (*world)->step();
  const Model& model = (*world)->model();
  const std::shared_ptr<const DrawnScene> drawn = *DrawnScene::make(model);
  Poses poses = make_poses(*drawn);
  PoseMaker maker(model);
  for (int r = 0; r < (*world)->robot_count(); ++r)
    maker.set(*drawn, *model.robots[static_cast<std::size_t>(r)].kind, r, (*world)->q(r).data(), (*world)->v(r).data(),
              poses);
  const auto witness = bench::MujocoView::make(bench::to_mjcf(*drawn, poses));
  ASSERT_TRUE(witness);

  CameraSpec c;
  c.width = 320, c.height = 240, c.view = 1;
  const CameraMount mount{"free", -1, 0, look_at(GetParam().eye, GetParam().target), {}};
  const auto table = std::make_shared<const LensTable>(c);
  Camera camera(drawn, table, mount, {true, Shadows::none, true, true});
  BandRoom room(*drawn, c.width);
  std::vector<float> depth(static_cast<std::size_t>(c.width * c.height));
  std::vector<std::uint16_t> segment(depth.size());
  Image image;
  image.depth = depth.data(), image.segment = segment.data();
  camera.render(poses, 1, 0, room, image);

  int differ = 0, solid = 0;
  for (int y = 0; y < c.height; ++y)
    for (int x = 0; x < c.width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * c.width + x;
      const Vec3 d = table->direction(x, y), w = mount.X_LC.R * d;
      const double due = witness->cast(mount.X_LC.p, w) * d.z;
      if (due > 40 || depth[i] > 40) continue;  // MuJoCo's ground ends there
      solid += segment[i] > 2;
      differ += std::abs((due < 0 ? 0 : due) - depth[i]) > 0.01;
    }
  RecordProperty("differ", differ);
  RecordProperty("solid", solid);
  EXPECT_GT(solid, 3000);
  EXPECT_LE(differ, 3 * c.width * c.height / 10000);
}

INSTANTIATE_TEST_SUITE_P(Scenes, RaysOfMujoco,
                         testing::Values(Shot{"spl", {-2.2, 1.1, 0.5}, {0, 0, 0.25}},
                                         Shot{"levels", {-0.5, -1.8, 0.5}, {-1.2, 0, 0.3}},
                                         Shot{"mirosot_5v5", {0.9, -0.7, 0.5}, {0, 0, 0}}),
                         [](const auto& one) { return one.param.scene; });

}  // namespace
}  // namespace gradus::test
