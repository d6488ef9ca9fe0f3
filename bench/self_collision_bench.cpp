/// Mesh against mesh beside FCL, and the self-collision of a robot: self_collision_bench [ROUNDS]. Rounds of 1000 pairs by turns; medians.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "load/robot_toml.h"
#include "load/shipped.h"
#include "plan/self_collision.h"
#include "unit/shape/link_mesh.h"
#include "unit/shape/witness.h"
#if GRADUS_HAVE_FCL
#include <fcl/fcl.h>
#endif

namespace gradus {
namespace {

using Clock = std::chrono::steady_clock;

template <class Ask>
double microseconds(int count, int& hits, Ask&& ask) {
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) hits += ask(i);
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / count;
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

#if GRADUS_HAVE_FCL
template <class Volume>
std::shared_ptr<fcl::BVHModel<Volume>> peer_of(const std::vector<Vec3>& v, const std::vector<std::array<int, 3>>& t) {
  auto out = std::make_shared<fcl::BVHModel<Volume>>();
  std::vector<Eigen::Vector3d> points;
  std::vector<fcl::Triangle> faces;
  for (const Vec3& p : v) points.push_back({p.x, p.y, p.z});
  for (const auto& f : t) faces.emplace_back(static_cast<std::size_t>(f[0]), static_cast<std::size_t>(f[1]), static_cast<std::size_t>(f[2]));
  out->beginModel();
  out->addSubModel(points, faces);
  out->endModel();
  return out;
}

Eigen::Isometry3d to_fcl(const Pose& X) {
  Eigen::Isometry3d m = Eigen::Isometry3d::Identity();
  m.linear() << X.R.x.x, X.R.y.x, X.R.z.x, X.R.x.y, X.R.y.y, X.R.z.y, X.R.x.z, X.R.y.z, X.R.z.z;
  m.translation() << X.p.x, X.p.y, X.p.z;
  return m;
}
#endif

void meshes(int around, int along, int rounds) {
  std::vector<Vec3> v[2];
  std::vector<std::array<int, 3>> t[2];
  for (int k = 0; k < 2; ++k) test::make_link_mesh(around, along, 1.5 * k, v[k], t[k]);
  const TriangleMesh a = *TriangleMesh::build(v[0], t[0]), b = *TriangleMesh::build(v[1], t[1]);
  constexpr int kPairs = 20000, kBlock = 1000;
  witness::Random r(17);
  std::vector<Pose> X(kPairs);
  for (Pose& x : X) x = {to_matrix(r.rotation()), r.unit() * r.in(0.01, 0.28)};
  std::vector<double> ours, theirs, rss, apart, fcl_apart;
  int hits = 0, fcl_hits = 0, rss_hits = 0, none = 0;
#if GRADUS_HAVE_FCL
  const auto obb_a = peer_of<fcl::OBBd>(v[0], t[0]), obb_b = peer_of<fcl::OBBd>(v[1], t[1]);
  const auto rss_a = peer_of<fcl::OBBRSSd>(v[0], t[0]), rss_b = peer_of<fcl::OBBRSSd>(v[1], t[1]);
  std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>> F;
  for (const Pose& x : X) F.push_back(to_fcl(x));
  const Eigen::Isometry3d still = Eigen::Isometry3d::Identity();
  const auto ask_fcl = [&](const auto& p, const auto& q, int i) {
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    fcl::collide(p.get(), still, q.get(), F[static_cast<std::size_t>(i)], request, result);
    return result.isCollision();
  };
#endif
  for (int round = 0; round < rounds; ++round) {
    const int first = round * kBlock % kPairs;
    const auto at = [&](int i) -> const Pose& { return X[static_cast<std::size_t>(first + i)]; };
    ours.push_back(microseconds(kBlock, hits, [&](int i) { return shapes_overlap(mesh_shape(a), identity_pose(), mesh_shape(b), at(i)); }));
    apart.push_back(microseconds(kBlock / 5, none, [&](int i) {
      Apart out;
      return shapes_apart(mesh_shape(a), identity_pose(), mesh_shape(b), {at(i).R, at(i).p * 2.5}, 10, out) && out.distance == 0;
    }));
#if GRADUS_HAVE_FCL
    theirs.push_back(microseconds(kBlock, fcl_hits, [&](int i) { return ask_fcl(obb_a, obb_b, first + i); }));
    rss.push_back(microseconds(kBlock, rss_hits, [&](int i) { return ask_fcl(rss_a, rss_b, first + i); }));
    fcl_apart.push_back(microseconds(kBlock / 5, none, [&](int i) {
      fcl::DistanceRequestd request;
      fcl::DistanceResultd result;
      return fcl::distance(rss_a.get(), still, rss_b.get(), to_fcl({at(i).R, at(i).p * 2.5}), request, result) <= 0;
    }));
#endif
  }
  fmt::print("{} triangles, {:.0f} % hits: overlap {:.2f} us a pair", t[0].size(), 100.0 * hits / (rounds * kBlock), median(ours));
  if (!theirs.empty()) fmt::print(" (FCL OBB {:.2f}, OBBRSS {:.2f}; their hits {} {}, ours {})", median(theirs), median(rss), fcl_hits, rss_hits, hits);
  fmt::print("; distance {:.1f}", median(apart));
  if (!fcl_apart.empty()) fmt::print(" (FCL OBBRSS {:.1f})", median(fcl_apart));
  fmt::print("\n");
}

void robot(const std::string& name) {
  const auto spec = load_robot(find_shipped(name, "robots"), shipped_files());
  if (!spec) return;
  const auto kind = *compile(*spec, ContactSpec{});
  const auto check = std::move(*plan::SelfCollision::make(kind));
  witness::Random r(3);
  std::vector<std::vector<double>> q(2000);
  for (auto& x : q)
    for (const Joint& j : kind->joints) x.push_back(r.in(std::max(j.lower, -1.5), std::min(j.upper, 1.5)));
  int hits = 0, none = 0;
  std::vector<double> ask, apart;
  for (int round = 0; round < 7; ++round) {
    hits = 0;
    ask.push_back(microseconds(2000, hits, [&](int i) { return check->collides(q[static_cast<std::size_t>(i)]); }));
    apart.push_back(microseconds(2000, none, [&](int i) { return check->distance(q[static_cast<std::size_t>(i)]) == 0; }));
  }
  fmt::print("{}: {} pairs, {:.0f} % of random postures touch: collides {:.2f} us, distance {:.2f} us\n", name, check->pair_count(), hits / 20.0, median(ask), median(apart));
}

}  // namespace
}  // namespace gradus

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  gradus::meshes(16, 18, rounds);
  gradus::meshes(48, 50, rounds);
  for (const char* name : {"messor", "nao_h25_v6", "humanoid28"}) gradus::robot(name);
}
