#include "sense/rays.h"

namespace gradus::sense {

Result<std::unique_ptr<Rays>> Rays::make(const Model& model, std::size_t most_rays) {
  auto scene = DrawnScene::make(model);
  if (!scene) return scene.notes();
  return std::unique_ptr<Rays>(new Rays(model, *scene, most_rays));
}

Rays::Rays(const Model& model, std::shared_ptr<const DrawnScene> scene, std::size_t most_rays)
    : model_(model),
      scene_(std::move(scene)),
      caster_(scene_, most_rays),
      maker_(model),
      poses_(make_poses(*scene_)),
      hidden_(scene_->shapes.size()) {}

void Rays::begin(const double* state, std::span<const RobotLayout> at) {
  state_ = state;
  at_ = at;
  placed_ = false;
}

std::span<const RayAnswer> Rays::cast(int robot, const Sensor& s, double range) {
  if (!placed_)
    for (std::size_t r = 0; r < model_.robots.size(); ++r)
      maker_.set(*scene_, *model_.robots[r].kind, static_cast<int>(r), state_ + at_[r].q, state_ + at_[r].v, poses_);
  placed_ = true;
  for (std::size_t i = 0; i < hidden_.size(); ++i)
    hidden_[i] = scene_->shapes[i].robot == robot && scene_->shapes[i].link == s.link;
  const std::size_t link = static_cast<std::size_t>(scene_->link_first[static_cast<std::size_t>(robot)] + s.link);
  caster_.place(poses_, poses_.links[link].X_WL * s.X_LS, hidden_);
  return caster_.cast(*s.fan, range);
}

}  // namespace gradus::sense
