#include "plan/self_collision.h"

#include <algorithm>

#include "tree/kernels.h"

namespace gradus::plan {
namespace {

/// Links of one joint or loop, which touch where they are joined.
bool joined(const RobotKind& kind, int a, int b) {
  const auto parent = [&](int link) { return kind.links[static_cast<std::size_t>(link)].parent; };
  const auto holds = [&](const LoopPoint& p) { return std::minmax(p.link_a, p.link_b) == std::minmax(a, b); };
  return a == b || parent(a) == b || parent(b) == a || std::any_of(kind.loops.begin(), kind.loops.end(), holds);
}

}  // namespace

SelfCollision::SelfCollision(std::shared_ptr<const RobotKind> kind) : kind_(std::move(kind)) {
  const auto n = static_cast<std::size_t>(kind_->nlink());
  links_.resize(n);
  frames_.resize(n);
  coordinates_.assign(static_cast<std::size_t>(kind_->nq()), 0);
  coordinates_[3] = 1;
  rest_.assign(static_cast<std::size_t>(kind_->nv()), 0);
}

Result<std::unique_ptr<SelfCollision>> SelfCollision::make(std::shared_ptr<const RobotKind> kind, MeshUse meshes) {
  std::unique_ptr<SelfCollision> out(new SelfCollision(std::move(kind)));
  Diagnostics notes;
  for (const ShapeInfo& s : out->kind_->shapes) {
    if (!s.spec.collides || s.spec.kind == ShapeKind::plane || s.spec.kind == ShapeKind::height_field) continue;
    const Result<Shape> shape = out->library_.add(s.spec, out->kind_->meshes, meshes);
    notes.insert(notes.end(), shape.notes().begin(), shape.notes().end());
    if (!shape) continue;
    Part part{*shape, s.X_LS, s.link, s.object, {}, 0};
    bounding_sphere(*shape, part.centre, part.radius);
    part.centre = s.X_LS * part.centre;
    out->parts_.push_back(part);
  }
  if (has_errors(notes)) return notes;
  out->centres_.resize(out->parts_.size());
  out->find_pairs();
  return {std::move(out), std::move(notes)};
}

void SelfCollision::find_pairs() {
  std::vector<double> start;
  for (const Joint& j : kind_->joints) start.push_back(j.initial);
  place(start);
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i)
    for (int j = 0; j < i; ++j) {
      const Part &a = parts_[static_cast<std::size_t>(j)], &b = parts_[static_cast<std::size_t>(i)];
      if (joined(*kind_, a.link, b.link) || shapes_overlap(a.shape, pose(a), b.shape, pose(b))) continue;
      pairs_.push_back({j, i});
    }
  candidates_.resize(pairs_.size());
}

void SelfCollision::place(std::span<const double> q) {
  std::copy_n(q.begin(), kind_->joints.size(), coordinates_.begin() + 7);
  compute_poses(*kind_, coordinates_.data(), rest_.data(), frames_.data());
  for (std::size_t l = 0; l < links_.size(); ++l) links_[l] = {frames_[l].R, frames_[l].p};
  for (std::size_t i = 0; i < parts_.size(); ++i) centres_[i] = links_[static_cast<std::size_t>(parts_[i].link)] * parts_[i].centre;
}

bool SelfCollision::collides(std::span<const double> q) {
  place(q);
  for (const Pair& p : pairs_) {
    const Part &a = parts_[static_cast<std::size_t>(p.a)], &b = parts_[static_cast<std::size_t>(p.b)];
    const Vec3 d = centres_[static_cast<std::size_t>(p.a)] - centres_[static_cast<std::size_t>(p.b)];
    const double reach = a.radius + b.radius;
    if (dot(d, d) <= reach * reach && shapes_overlap(a.shape, pose(a), b.shape, pose(b))) return true;
  }
  return false;
}

NearestPair SelfCollision::nearest(std::span<const double> q, double limit) {
  place(q);
  std::size_t count = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& p = pairs_[i];
    const double bound = norm(centres_[static_cast<std::size_t>(p.a)] - centres_[static_cast<std::size_t>(p.b)]) -
                         parts_[static_cast<std::size_t>(p.a)].radius - parts_[static_cast<std::size_t>(p.b)].radius;
    if (bound <= limit) candidates_[count++] = {bound, static_cast<int>(i)};
  }
  const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(candidates_.begin(), end, [](const Candidate& x, const Candidate& y) { return x.bound < y.bound || (x.bound == y.bound && x.pair < y.pair); });
  NearestPair out;
  for (auto c = candidates_.begin(); c != end && c->bound <= limit; ++c) {
    const Pair& p = pairs_[static_cast<std::size_t>(c->pair)];
    const Part &a = parts_[static_cast<std::size_t>(p.a)], &b = parts_[static_cast<std::size_t>(p.b)];
    Apart here;
    if (!shapes_apart(a.shape, pose(a), b.shape, pose(b), limit, here) || here.distance >= out.distance) continue;
    out = {a.object, b.object, here.distance, here.p_a, here.p_b};
    limit = here.distance;
    if (limit == 0) break;
  }
  return out;
}

}  // namespace gradus::plan
