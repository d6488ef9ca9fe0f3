/// Overlap and distance of two shapes against FCL, closed forms and each other; GRADUS_PAIRS sets the number of mesh pairs.
#include <fcl/fcl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "link_mesh.h"
#include "shape/library.h"
#include "shape/narrow/apart.h"
#include "shape/narrow/mesh_pair.h"
#include "witness.h"

namespace gradus {
namespace {

using witness::Random;

struct Link {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  TriangleMesh mesh;
  std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> peer = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
};

Link make_link(int around, int along, double phase) {
  std::vector<Vec3> v;
  std::vector<std::array<int, 3>> t;
  test::make_link_mesh(around, along, phase, v, t);
  Link out{v, t, *TriangleMesh::build(v, t)};
  std::vector<Eigen::Vector3d> points;
  std::vector<fcl::Triangle> faces;
  for (const Vec3& p : v) points.push_back({p.x, p.y, p.z});
  for (const auto& f : t) faces.emplace_back(static_cast<std::size_t>(f[0]), static_cast<std::size_t>(f[1]), static_cast<std::size_t>(f[2]));
  out.peer->beginModel();
  out.peer->addSubModel(points, faces);
  out.peer->endModel();
  return out;
}

Eigen::Isometry3d to_fcl(const Pose& X) {
  Eigen::Isometry3d m = Eigen::Isometry3d::Identity();
  m.linear() << X.R.x.x, X.R.y.x, X.R.z.x, X.R.x.y, X.R.y.y, X.R.z.y, X.R.x.z, X.R.y.z, X.R.z.z;
  m.translation() << X.p.x, X.p.y, X.p.z;
  return m;
}

Pose random_pose(Random& r, double least, double most) { return {to_matrix(r.rotation()), r.unit() * r.in(least, most)}; }

TEST(Apart, MeshesOf4704TrianglesOverlapWhereFclSaysSo) {
  const Link a = make_link(48, 50, 0), b = make_link(48, 50, 1.5);
  ASSERT_EQ(a.mesh.triangle_count(), 4704);
  ASSERT_TRUE(a.mesh.closed());
  const char* n = std::getenv("GRADUS_PAIRS");
  const int pairs = n ? std::atoi(n) : 20000;
  Random r(17);
  int hits = 0, swallowed = 0;
  for (int i = 0; i < pairs; ++i) {
    const Pose X_WA = random_pose(r, 0, 1);
    Pose X_WB = random_pose(r, 0.01, 0.28);
    X_WB.p = X_WB.p + X_WA.p;
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    fcl::collide(a.peer.get(), to_fcl(X_WA), b.peer.get(), to_fcl(X_WB), request, result);
    const Pose X_AB = inverse(X_WA) * X_WB;
    ASSERT_EQ(meshes_cross(a.mesh, b.mesh, X_AB), result.isCollision()) << "pair " << i;
    const bool overlap = shapes_overlap(mesh_shape(a.mesh), X_WA, mesh_shape(b.mesh), X_WB);
    hits += result.isCollision();
    if (overlap != result.isCollision()) {  // FCL's meshes are skins: what is inside does not touch them
      ASSERT_TRUE(overlap);
      ASSERT_TRUE(a.mesh.contains(X_AB * b.vertices[0]) || b.mesh.contains(inverse(X_AB) * a.vertices[0]));
      ++swallowed;
    }
  }
  EXPECT_GT(hits, pairs / 3);
  EXPECT_LT(hits, pairs * 3 / 4);
  EXPECT_LT(swallowed, pairs / 100);
}

TEST(Apart, DistancesOfMeshesAreThoseOfFcl) {
  const Link a = make_link(16, 18, 0), b = make_link(16, 18, 1.5);
  Random r(18);
  for (int i = 0; i < 400; ++i) {
    const Pose X_WA = random_pose(r, 0, 1);
    Pose X_WB = random_pose(r, 0.1, 0.6);
    X_WB.p = X_WB.p + X_WA.p;
    Apart out;
    ASSERT_TRUE(shapes_apart(mesh_shape(a.mesh), X_WA, mesh_shape(b.mesh), X_WB, 1e9, out));
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    const double theirs = fcl::distance(a.peer.get(), to_fcl(X_WA), b.peer.get(), to_fcl(X_WB), request, result);
    ASSERT_NEAR(out.distance, std::max(0.0, theirs), 1e-9) << i;
    if (out.distance == 0) continue;
    EXPECT_NEAR(norm(out.p_a - out.p_b), out.distance, 1e-12);
    // the points are on the surfaces, and a limit just below the distance finds nothing
    SurfacePoint on;
    EXPECT_TRUE(a.mesh.closest(inverse(X_WA) * out.p_a, 1e-9, on));
    EXPECT_TRUE(b.mesh.closest(inverse(X_WB) * out.p_b, 1e-9, on));
    EXPECT_FALSE(shapes_apart(mesh_shape(a.mesh), X_WA, mesh_shape(b.mesh), X_WB, out.distance * (1 - 1e-9), out));
    EXPECT_TRUE(shapes_apart(mesh_shape(a.mesh), X_WA, mesh_shape(b.mesh), X_WB, out.distance * (1 + 1e-9), out));
  }
}

TriangleMesh box_mesh(Vec3 half) {
  std::vector<Vec3> v;
  for (int k = 0; k < 8; ++k) v.push_back({k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
  const std::vector<std::array<int, 3>> t{{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return *TriangleMesh::build(v, t);
}

Pose at(Vec3 p) { return {identity3<double>(), p}; }

TEST(Apart, ClosedForms) {
  const Shape ball = sphere_shape(0.1), box = box_shape({0.1, 0.2, 0.3}), rod = capsule_shape(0.05, 0.2);
  const TriangleMesh mesh = box_mesh({0.1, 0.2, 0.3});
  ASSERT_TRUE(mesh.closed());
  const auto distance = [](const Shape& a, const Shape& b, Vec3 p) {
    Apart out{-1, {}, {}};
    EXPECT_TRUE(shapes_apart(a, identity_pose(), b, at(p), 100, out));
    if (out.distance > 0) {
      EXPECT_NEAR(norm(out.p_a - out.p_b), out.distance, 1e-12);
    }
    EXPECT_EQ(shapes_overlap(a, identity_pose(), b, at(p)), out.distance == 0);
    return out.distance;
  };
  EXPECT_NEAR(distance(ball, ball, {0.3, 0.4, 0}), 0.5 - 0.2, 1e-14);
  EXPECT_EQ(distance(ball, ball, {0.1, 0.1, 0}), 0);
  EXPECT_NEAR(distance(ball, rod, {0, 0.3, 0.1}), 0.3 - 0.15, 1e-14);                // beside the rod
  EXPECT_NEAR(distance(rod, ball, {0, 0.3, 0.6}), 0.5 - 0.15, 1e-14);                // beyond its end: 3-4-5
  EXPECT_NEAR(distance(box, box, {0.5, 0.6, 0}), std::sqrt(0.3 * 0.3 + 0.2 * 0.2), 1e-12);  // edge to edge
  for (const Shape& solid : {box, mesh_shape(mesh)}) {
    EXPECT_NEAR(distance(solid, ball, {0.5, 0, 0}), 0.3, 1e-12);                      // face
    EXPECT_NEAR(distance(solid, ball, {0.4, 0.6, 0.1}), 0.5 - 0.1, 1e-12);            // edge
    EXPECT_NEAR(distance(solid, ball, {0.3, 0.3, 0.5}), 0.3 - 0.1, 1e-12);            // corner: 2-1-2 is 3
    EXPECT_NEAR(distance(ball, solid, {0.3, 0.3, 0.5}), 0.3 - 0.1, 1e-12);
    EXPECT_EQ(distance(solid, sphere_shape(0.01), {0.02, 0.03, 0.1}), 0);             // wholly inside
    EXPECT_NEAR(distance(solid, mesh_shape(mesh), {0.6, 0.8, 1.2}), std::sqrt(0.16 + 0.16 + 0.36), 1e-12);  // corner to corner
    EXPECT_EQ(distance(solid, mesh_shape(mesh), {0.15, 0.3, 0.5}), 0);
  }
  const TriangleMesh small = box_mesh({0.01, 0.01, 0.01});
  EXPECT_EQ(distance(mesh_shape(mesh), mesh_shape(small), {0.02, 0.1, 0.1}), 0);      // inside, though no triangles cross
  EXPECT_EQ(distance(mesh_shape(small), mesh_shape(mesh), {0.02, 0.1, 0.1}), 0);
  Apart out;
  EXPECT_FALSE(shapes_apart(ball, identity_pose(), ball, at({1, 0, 0}), 0.79, out));
  EXPECT_TRUE(shapes_apart(ball, identity_pose(), ball, at({1, 0, 0}), 0.81, out));
}

/// Boxes as meshes and as boxes: triangles against GJK.
TEST(Apart, AMeshOfABoxIsTheBox) {
  Random r(19);
  int apart = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 ha{r.in(0.05, 0.3), r.in(0.05, 0.3), r.in(0.05, 0.3)}, hb{r.in(0.05, 0.3), r.in(0.05, 0.3), r.in(0.05, 0.3)};
    const TriangleMesh a = box_mesh(ha), b = box_mesh(hb);
    const Pose X_WA = random_pose(r, 0, 1), X_WB{to_matrix(r.rotation()), X_WA.p + r.unit() * r.in(0, 1)};
    Apart solid, mesh, mixed;
    ASSERT_TRUE(shapes_apart(box_shape(ha), X_WA, box_shape(hb), X_WB, 10, solid));
    ASSERT_TRUE(shapes_apart(mesh_shape(a), X_WA, mesh_shape(b), X_WB, 10, mesh));
    ASSERT_TRUE(shapes_apart(box_shape(ha), X_WA, mesh_shape(b), X_WB, 10, mixed));
    EXPECT_NEAR(mesh.distance, solid.distance, 1e-9) << i;
    EXPECT_NEAR(mixed.distance, solid.distance, 1e-9) << i;
    apart += solid.distance > 0;
    EXPECT_EQ(shapes_overlap(mesh_shape(a), X_WA, mesh_shape(b), X_WB), mesh.distance == 0);
    EXPECT_EQ(shapes_overlap(mesh_shape(a), X_WA, box_shape(hb), X_WB), mixed.distance == 0);
  }
  EXPECT_GT(apart, 500);
  EXPECT_LT(apart, 1800);
}

TEST(Apart, TrianglesInOnePlane) {
  const std::array<Vec3, 3> a{Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}};
  const auto moved = [&](Vec3 d) { return std::array<Vec3, 3>{a[0] + d, a[1] + d, a[2] + d}; };
  EXPECT_TRUE(triangles_cross(a, moved({0.3, 0.3, 0})));
  EXPECT_FALSE(triangles_cross(a, moved({0.8, 0.8, 0})));
  EXPECT_FALSE(triangles_cross(a, moved({0.3, 0.3, 1e-9})));
  EXPECT_TRUE(triangles_cross(a, moved({1, 0, 0})));  // a corner on a corner
  Vec3 p, q;
  EXPECT_NEAR(triangle_distance2(a, moved({0.8, 0.8, 0}), p, q), 0.6 * 0.6 / 2, 1e-14);
  EXPECT_NEAR(triangle_distance2(a, moved({0.3, 0.3, 0.2}), p, q), 0.04, 1e-14);
  EXPECT_EQ(triangle_distance2(a, moved({0.3, 0.3, 0}), p, q), 0);
}

}  // namespace
}  // namespace gradus
