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
      aimed_(most_rays),
      maker_(model),
      poses_(make_poses(*scene_)),
      hidden_(scene_->shapes.size()) {}

void Rays::begin(const double* state, std::span<const RobotLayout> at) {
  state_ = state;
  at_ = at;
  placed_ = false;
  standing_ = -1;
}

std::span<const RayAnswer> Rays::cast(int robot, const Sensor& s, double range) {
  stand(robot, s);
  return caster_.cast(*s.fan, range);
}

std::span<const RayAnswer> Rays::aim(std::span<const Vec3> directions_S, double range) {
  aimed_.set(directions_S);
  return caster_.cast(aimed_, range);
}

void Rays::stand(int robot, const Sensor& s) {
  const Vec3 p = s.X_LS.p;
  const Mat3& R = s.X_LS.R;
  const std::array<double, 12> place{p.x, p.y, p.z, R.x.x, R.x.y, R.x.z, R.y.x, R.y.y, R.y.z, R.z.x, R.z.y, R.z.z};
  if (robot == standing_ && s.link == standing_link_ && place == standing_at_) return;  // another sensor of the same eye
  standing_ = robot, standing_link_ = s.link, standing_at_ = place;
  if (!placed_)
    for (std::size_t r = 0; r < model_.robots.size(); ++r)
      maker_.set(*scene_, *model_.robots[r].kind, static_cast<int>(r), state_ + at_[r].q, state_ + at_[r].v, poses_);
  placed_ = true;
  for (std::size_t i = 0; i < hidden_.size(); ++i)
    hidden_[i] = scene_->shapes[i].robot == robot && scene_->shapes[i].link == s.link;
  const std::size_t link = static_cast<std::size_t>(scene_->link_first[static_cast<std::size_t>(robot)] + s.link);
  caster_.place(poses_, poses_.links[link].X_WL * s.X_LS, hidden_);
}

}  // namespace gradus::sense
