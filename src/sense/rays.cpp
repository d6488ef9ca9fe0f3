#include "sense/rays.h"

#include <algorithm>

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
      hidden_(scene_->shapes.size()),
      around_(scene_->shapes.size()),
      around_robot_(model.robots.size()) {
  between_.reserve(scene_->shapes.size());
}

void Rays::begin(const double* state, std::span<const RobotLayout> at) {
  state_ = state;
  at_ = at;
  placed_ = false;
}

/// Links and the spheres around all shapes, once for a state.
void Rays::bring_into_place() {
  if (placed_) return;
  placed_ = true;
  for (std::size_t r = 0; r < model_.robots.size(); ++r)
    maker_.set(*scene_, *model_.robots[r].kind, static_cast<int>(r), state_ + at_[r].q, state_ + at_[r].v, poses_);
  for (std::size_t i = 0; i < around_.size(); ++i) {
    const DrawnShape& s = scene_->shapes[i];
    around_[i] = {s.robot < 0 ? s.middle : X_WL(s.robot, s.link) * s.middle, s.bound};
  }
  for (std::size_t r = 0; r < around_robot_.size(); ++r) {
    Ball& b = around_robot_[r];
    b = {base_position(state_ + at_[r].q), -1};
    for (std::size_t i = 0; i < around_.size(); ++i)
      if (scene_->shapes[i].robot == static_cast<int>(r)) b.radius = std::max(b.radius, norm(around_[i].centre_W - b.centre_W) + around_[i].radius);
  }
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
  bring_into_place();
  for (std::size_t i = 0; i < hidden_.size(); ++i)
    hidden_[i] = scene_->shapes[i].robot == robot && scene_->shapes[i].link == s.link;
  caster_.place(poses_, X_WL(robot, s.link) * s.X_LS, hidden_);
}

namespace {

/// May a line from the eye into a target meet the ball? At a part t of the way d to a target, lines into it are within ρ t of its axis:
///   |c − t d| ≤ b + ρ t for some t   if   |c − p d| √(1 − ρ²/d²) ≤ b + ρ p,   p: nearest to c on the way
bool may_meet(Vec3 eye, const Rays::Ball& ball, std::span<const Rays::Ball> targets) {
  const Vec3 c = ball.centre_W - eye;
  const double cc = dot(c, c);
  if (cc <= ball.radius * ball.radius) return true;
  for (const Rays::Ball& t : targets) {
    const Vec3 d = t.centre_W - eye;
    const double dd = dot(d, d), wide = t.radius * t.radius;
    if (wide >= dd) return true;  // the eye is in it
    const double part = std::min(std::max(dot(c, d) / dd, 0.0), 1.0), reach = ball.radius + t.radius * part;
    const Vec3 off = c - d * part;
    if (dot(off, off) * (1 - wide / dd) <= reach * reach) return true;
  }
  return false;
}

}  // namespace

/// The few shapes that lines to the targets may meet: of a hundred robots most are nowhere near.
void Rays::stand(int robot, const Sensor& s, std::span<const Ball> targets) {
  bring_into_place();
  const Pose X_WS = X_WL(robot, s.link) * s.X_LS;
  between_.clear();
  int last = -1;  // robot that was asked last
  bool near = true;
  for (std::size_t i = 0; i < around_.size(); ++i) {
    const DrawnShape& d = scene_->shapes[i];
    if (d.robot == robot && d.link == s.link) continue;  // what carries the sensor is not seen
    if (d.robot >= 0 && d.robot != last)
      last = d.robot, near = may_meet(X_WS.p, around_robot_[static_cast<std::size_t>(d.robot)], targets);
    if (d.robot >= 0 && !near) continue;
    if (d.kind == render::FlatKind::plane || may_meet(X_WS.p, around_[i], targets)) between_.push_back(static_cast<int>(i));
  }
  caster_.place_few(poses_, X_WS, between_);
}

}  // namespace gradus::sense
