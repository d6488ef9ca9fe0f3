#include "gradus/self_collision.h"

#include <fmt/format.h>

#include <cmath>

#include "api/fail.h"
#include "load/robot_toml.h"
#include "load/shipped.h"
#include "plan/self_collision.h"

namespace gradus {

struct SelfCollision::Impl {
  std::unique_ptr<plan::SelfCollision> check;
  std::vector<std::string> joints;

  void refuse(std::span<const double> q) const {
    if (q.size() != joints.size()) throw Error(fmt::format("q must have {} numbers, one for each joint, not {}", joints.size(), q.size()));
    for (std::size_t j = 0; j < q.size(); ++j)
      if (!std::isfinite(q[j])) throw Error("q of joint '" + joints[j] + "' is not finite");
  }
};

SelfCollision::SelfCollision(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SelfCollision::SelfCollision(SelfCollision&&) noexcept = default;
SelfCollision& SelfCollision::operator=(SelfCollision&&) noexcept = default;
SelfCollision::~SelfCollision() = default;

SelfCollision SelfCollision::load(const std::string& robot, Meshes meshes) {
  const auto spec = load_robot(find_shipped(robot, "robots"), shipped_files());
  if (!spec) fail(spec.notes());
  const auto kind = compile(*spec, ContactSpec{});
  if (!kind) fail(kind.notes());
  auto check = plan::SelfCollision::make(*kind, meshes == Meshes::hulls ? MeshUse::hull : MeshUse::triangles);
  if (!check) fail(check.notes());
  auto impl = std::make_unique<Impl>();
  for (const Joint& j : (*kind)->joints) impl->joints.push_back((*kind)->objects[static_cast<std::size_t>(j.object)].name);
  impl->check = std::move(*check);
  return SelfCollision(std::move(impl));
}

const std::vector<std::string>& SelfCollision::joints() const { return impl_->joints; }
int SelfCollision::pair_count() const { return impl_->check->pair_count(); }

bool SelfCollision::collides(std::span<const double> q) {
  impl_->refuse(q);
  return impl_->check->collides(q);
}

double SelfCollision::distance(std::span<const double> q) {
  impl_->refuse(q);
  return impl_->check->distance(q);
}

SelfCollision::Pair SelfCollision::nearest(std::span<const double> q) { return nearest(q, std::numeric_limits<double>::infinity()); }

SelfCollision::Pair SelfCollision::nearest(std::span<const double> q, double limit) {
  impl_->refuse(q);
  const plan::NearestPair n = impl_->check->nearest(q, limit);
  const auto name = [&](int object) { return object < 0 ? std::string() : impl_->check->kind().objects[static_cast<std::size_t>(object)].name; };
  return {name(n.a), name(n.b), n.distance, {n.p_a.x, n.p_a.y, n.p_a.z}, {n.p_b.x, n.p_b.y, n.p_b.z}};
}

}  // namespace gradus
