#include "api/picture.h"

#include "api/fail.h"
#include "render/image.h"

namespace gradus {

struct Painter::Impl {
  std::shared_ptr<const DrawnScene> scene;
  PoseMaker maker;
  Poses poses;
  std::shared_ptr<const LensTable> view;  // of the last size
  explicit Impl(const Model& model, std::shared_ptr<const DrawnScene> drawn)
      : scene(std::move(drawn)), maker(model), poses(make_poses(*scene)) {}
};

Painter::Painter(const Model& model) {
  auto drawn = DrawnScene::make(model);
  if (!drawn) fail(drawn.notes());
  impl_ = std::make_unique<Impl>(model, *drawn);
}

Painter::~Painter() = default;

std::vector<unsigned char> Painter::paint(const Model& model, int width, int height, Vec3 eye, Vec3 target, const double* q,
                                          const double* v) {
  CameraSpec spec;
  spec.width = width, spec.height = height;
  if (const Diagnostics faults = check(spec); !faults.empty()) fail(faults);
  if (!(norm(target - eye) > 1e-9)) throw Error("picture: eye and target must be two points");
  if (!impl_->view || impl_->view->camera().width != width || impl_->view->camera().height != height)
    impl_->view = std::make_shared<const LensTable>(spec);
  for (std::size_t r = 0; r < model.robots.size(); ++r) {
    const RobotKind& kind = *model.robots[r].kind;
    impl_->maker.set(*impl_->scene, kind, static_cast<int>(r), q, v, impl_->poses);
    q += kind.nq(), v += kind.nv();
  }
  Camera camera(impl_->scene, impl_->view, {"free", -1, 0, look_at(eye, target), {}});
  BandRoom room(*impl_->scene, width);
  std::vector<unsigned char> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  Image image;
  image.rgb = out.data();
  camera.render(impl_->poses, 0, 0, room, image);
  return out;
}

}  // namespace gradus
