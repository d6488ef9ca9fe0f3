#include "render/cast.h"

#include <algorithm>

#include "render/lens_table.h"

namespace gradus {
namespace {

constexpr std::size_t kPacket = 16;
std::size_t whole_packets(std::size_t n) { return (n + kPacket - 1) / kPacket * kPacket; }

}  // namespace

void RayFan::make_room(std::size_t capacity) {
  const std::size_t n = whole_packets(capacity);
  for (auto* v : {&x_, &y_, &z_}) v->resize(n);
  cones_.resize(n / kPacket);
}

void RayFan::set(std::span<const Vec3> directions) {
  count_ = std::min(directions.size(), capacity());
  for (std::size_t i = 0; i < whole_packets(count_); ++i) {  // the last ray fills its packet
    const Vec3& d = directions[std::min(i, count_ - 1)];
    x_[i] = static_cast<float>(d.x), y_[i] = static_cast<float>(d.y), z_[i] = static_cast<float>(d.z);
  }
  for (std::size_t p = 0; p * kPacket < count_; ++p)
    cones_[p] = cone_around(&x_[p * kPacket], &y_[p * kPacket], &z_[p * kPacket], kPacket, 1, 0);
}

RayCaster::RayCaster(std::shared_ptr<const DrawnScene> scene, std::size_t most_rays, const render::RenderKernel& kernel)
    : scene_(std::move(scene)), kernel_(kernel), placed_(*scene_) {
  const std::size_t n = whole_packets(most_rays);
  for (auto* v : {&distance_, &nx_, &ny_, &nz_}) v->resize(n);
  shape_.resize(n), answers_.resize(n), lists_.resize(scene_->shapes.size() + kPacket);
}

void RayCaster::place(const Poses& poses, const Pose& X_WS, std::span<const std::uint8_t> hidden) {
  placed_.place(*scene_, poses, {X_WS, {0, 0, 0}, {0, 0, 0}}, 0, hidden);
}

std::span<const RayAnswer> RayCaster::cast(const RayFan& fan, double range, bool ground) {
  const std::size_t n = std::min(fan.count(), answers_.size());
  kernel_.cast({&placed_.placed(), fan.x_.data(), fan.y_.data(), fan.z_.data(), fan.cones_.data(),
                static_cast<std::int32_t>(whole_packets(n)), static_cast<float>(range), ground, distance_.data(),
                shape_.data(), nx_.data(), ny_.data(), nz_.data(), lists_.data()});
  for (std::size_t i = 0; i < n; ++i) answers_[i] = {distance_[i], shape_[i], {nx_[i], ny_[i], nz_[i]}};
  return {answers_.data(), n};
}

std::vector<std::uint8_t> shapes_of_robot(const DrawnScene& scene, int robot) {
  std::vector<std::uint8_t> out(scene.shapes.size(), 0);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = scene.shapes[i].robot == robot;
  return out;
}

}  // namespace gradus
