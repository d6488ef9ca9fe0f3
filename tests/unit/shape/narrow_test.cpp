/// Every convex pair against separating axes, direction sweeps and FCL; GRADUS_PAIRS sets the number of random pairs
/// (default 600).
#include <fcl/fcl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "shape/narrow/collide.h"
#include "witness.h"

namespace gradus {
namespace {

using witness::Pair;
using witness::Random;

constexpr SolidKind kConvex[] = {SolidKind::sphere, SolidKind::box, SolidKind::capsule, SolidKind::cylinder,
                                 SolidKind::hull};
constexpr double kMargin = 0.05;

int pair_count() {
  const char* n = std::getenv("GRADUS_PAIRS");
  return n ? std::atoi(n) : 600;
}

const std::vector<Hull>& hulls() {
  static const std::vector<Hull> all = [] {
    std::vector<Hull> h;
    Random r(5);
    for (int i = 0; i < 12; ++i) {
      std::vector<Vec3> p;
      const int n = 5 + 2 * i;
      for (int k = 0; k < n; ++k) p.push_back(r.vector(0.2));
      h.push_back(*build_hull(p));
    }
    std::vector<Vec3> cube;
    for (int k = 0; k < 8; ++k) cube.push_back({k & 1 ? 0.1 : -0.1, k & 2 ? 0.15 : -0.15, k & 4 ? 0.2 : -0.2});
    h.push_back(*build_hull(cube));
    return h;
  }();
  return all;
}

Shape random_shape(SolidKind kind, Random& r) {
  switch (kind) {
    case SolidKind::sphere:
      return sphere_shape(r.in(0.05, 0.3));
    case SolidKind::box:
      return box_shape({r.in(0.03, 0.3), r.in(0.03, 0.3), r.in(0.03, 0.3)});
    case SolidKind::capsule:
      return capsule_shape(r.in(0.03, 0.2), r.in(0.05, 0.3));
    case SolidKind::cylinder:
      return cylinder_shape(r.in(0.03, 0.3), r.in(0.03, 0.3));
    default:
      return hull_shape(hulls()[r.below(static_cast<int>(hulls().size()))]);
  }
}

/// One in four is turned by right angles only, so that parallel faces and edges come up too.
Pose random_pose(Random& r, bool square, double reach) {
  Mat3 R = to_matrix(r.rotation());
  if (square) {
    const Mat3 turns[] = {identity3<double>(),
                          {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
                          {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                          {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}};
    R = turns[r.below(4)];
  }
  return {R, r.vector(reach)};
}

Pair random_pair(SolidKind a, SolidKind b, Random& r) {
  Pair p{random_shape(a, r), random_shape(b, r), {}, {}};
  const bool square = r.below(4) == 0;
  p.X_WA = random_pose(r, square, 1);
  p.X_WB = random_pose(r, square, 1);
  Vec3 c;
  double ra, rb;
  bounding_sphere(p.a, c, ra);
  bounding_sphere(p.b, c, rb);
  p.X_WB.p = p.X_WA.p + r.unit() * (r.in(0, 1.05) * (ra + rb));
  return p;
}

std::shared_ptr<fcl::CollisionGeometryd> to_fcl(const Shape& s) {
  switch (s.kind) {
    case SolidKind::sphere:
      return std::make_shared<fcl::Sphered>(s.radius);
    case SolidKind::box:
      return std::make_shared<fcl::Boxd>(2 * s.half.x, 2 * s.half.y, 2 * s.half.z);
    case SolidKind::capsule:
      return std::make_shared<fcl::Capsuled>(s.radius, 2 * s.half.z);
    case SolidKind::cylinder:
      return std::make_shared<fcl::Cylinderd>(s.radius, 2 * s.half.z);
    default: {
      auto v = std::make_shared<std::vector<Eigen::Vector3d>>();
      for (const Vec3& p : s.hull->vertices) v->push_back({p.x, p.y, p.z});
      auto f = std::make_shared<std::vector<int>>();
      for (int i = 0; i < s.hull->face_count(); ++i) {
        f->push_back(static_cast<int>(s.hull->face(i).size()));
        for (int k : s.hull->face(i)) f->push_back(k);
      }
      return std::make_shared<fcl::Convexd>(v, s.hull->face_count(), f);
    }
  }
}

Eigen::Isometry3d to_fcl(const Pose& X) {
  Eigen::Isometry3d m = Eigen::Isometry3d::Identity();
  m.linear() << X.R.x.x, X.R.y.x, X.R.z.x, X.R.x.y, X.R.y.y, X.R.z.y, X.R.x.z, X.R.y.z, X.R.z.z;
  m.translation() << X.p.x, X.p.y, X.p.z;
  return m;
}

bool fcl_overlap(const Pair& p) {
  fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  const auto a = to_fcl(p.a), b = to_fcl(p.b);
  return fcl::collide(a.get(), to_fcl(p.X_WA), b.get(), to_fcl(p.X_WB), request, result) > 0;
}

const Contact& deepest(const Contact* c, int n) {
  int best = 0;
  for (int i = 1; i < n; ++i)
    if (c[i].gap < c[best].gap) best = i;
  return c[best];
}

struct Tally {
  long pairs = 0, touching = 0, overlapping = 0, normals = 0, fcl_differs = 0;
  double depth_error = 0, normal_error = 0, proof_error = 0, point_error = 0;
};

/// The claims that any contact makes can be checked one by one, without a second solver.
void check_claims(const Pair& p, const Contact& c, Tally& t) {
  // its normal separates by exactly its gap, so that the true gap is at least that
  t.proof_error = std::max(t.proof_error, std::fabs(witness::separation(p, c.normal) - c.gap));
  ASSERT_NEAR(norm(c.normal), 1, 1e-12);
  if (c.gap > 0) {  // and its two points belong to the shapes, so that it is at most that
    t.point_error = std::max(t.point_error, witness::outside(p.a, p.X_WA, c.point + c.normal * (0.5 * c.gap)));
    t.point_error = std::max(t.point_error, witness::outside(p.b, p.X_WB, c.point - c.normal * (0.5 * c.gap)));
  }
}

/// Nothing found: then a search without limit must prove a separation beyond the margin.
void check_apart(const Pair& p, Tally& t) {
  Contact c[kContactMax];
  const int n = collide(p.a, p.X_WA, p.b, p.X_WB, 100, c);
  ASSERT_GT(n, 0);
  const Contact& d = deepest(c, n);
  check_claims(p, d, t);
  EXPECT_GT(d.gap, kMargin);
}

void check_pair(const Pair& p, Tally& t) {
  Contact c[kContactMax];
  const int n = collide(p.a, p.X_WA, p.b, p.X_WB, kMargin, c);
  ++t.pairs;
  if (n == 0) return check_apart(p, t);
  const bool cores_overlap = core_radius(p.a) + core_radius(p.b) < -deepest(c, n).gap;
  const witness::Answer w = witness::is_polyhedral(p.a) && witness::is_polyhedral(p.b) && cores_overlap
                                ? witness::separating_axes(p)
                                : witness::sweep(p);
  ++t.touching;
  const Contact& d = deepest(c, n);
  check_claims(p, d, t);
  t.depth_error = std::max(t.depth_error, w.gap - d.gap);  // the witness is a lower bound of the true gap
  t.overlapping += d.gap < 0;
  // Every pair: no direction near ours may separate measurably better (1e-12 m) and lie elsewhere. Together with the
  // depth, which no far direction beats, this is the normal's error wherever the normal is defined at all.
  const Vec3 better = witness::climb(p, d.normal, 1e-4, 600);
  ++t.normals;
  if (witness::separation(p, better) > witness::separation(p, d.normal) + 1e-12)
    t.normal_error = std::max(t.normal_error, norm(cross(better, d.normal)));
  if (std::fabs(d.gap) > 1e-5 && fcl_overlap(p) != (d.gap < 0)) ++t.fcl_differs;
  // every point lies on both shapes; only mantles at a small angle to each other are not met exactly along their normal
  const double slack = p.a.radius > 0 && p.b.radius > 0 ? 0.1 * std::max(p.a.radius, p.b.radius) : 1e-5;
  for (int i = 0; i < n; ++i) {
    EXPECT_LE(c[i].gap, kMargin);
    EXPECT_GT(dot(c[i].normal, d.normal), 0);
    EXPECT_LT(witness::outside(p.a, p.X_WA, c[i].point + c[i].normal * (0.5 * c[i].gap)), slack);
    EXPECT_LT(witness::outside(p.b, p.X_WB, c[i].point - c[i].normal * (0.5 * c[i].gap)), slack);
  }
}

class ConvexPairs : public testing::TestWithParam<std::pair<SolidKind, SolidKind>> {};

TEST_P(ConvexPairs, AgreeWithSeparatingAxesSweepsAndFcl) {
  const auto [a, b] = GetParam();
  Random r(1000 * static_cast<unsigned>(a) + static_cast<unsigned>(b));
  Tally t;
  for (int i = 0; i < pair_count() && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    check_pair(random_pair(a, b, r), t);
  }
  EXPECT_LT(t.depth_error, 1e-6);
  EXPECT_LT(t.proof_error, 1e-8);
  EXPECT_LT(t.point_error, 1e-4);
  EXPECT_LT(t.normal_error, 1e-4);
  EXPECT_GT(t.overlapping, t.pairs / 10);
  EXPECT_EQ(t.normals, t.touching);
  EXPECT_EQ(t.fcl_differs, 0);
  std::printf(
      "%-8s %-8s pairs %ld touching %ld overlapping %ld depth error %.1e proof %.1e normal %.1e (%ld) FCL differs "
      "%ld\n",
      to_string(a), to_string(b), t.pairs, t.touching, t.overlapping, t.depth_error, t.proof_error, t.normal_error,
      t.normals, t.fcl_differs);
}

std::vector<std::pair<SolidKind, SolidKind>> all_pairs() {
  std::vector<std::pair<SolidKind, SolidKind>> v;
  for (SolidKind a : kConvex)
    for (SolidKind b : kConvex)
      if (a <= b) v.push_back({a, b});
  return v;
}
std::string pair_name(const testing::TestParamInfo<std::pair<SolidKind, SolidKind>>& i) {
  return std::string(to_string(i.param.first)) + "_" + to_string(i.param.second);
}
INSTANTIATE_TEST_SUITE_P(Narrow, ConvexPairs, testing::ValuesIn(all_pairs()), pair_name);

/// Pairs of the long run whose polytope did not converge: their deepest points lay on its chords, up to 35 µm off.
TEST(Narrow, DeepestPointsLieOnBothShapesWhereThePolytopeDegenerates) {
  Random r(1000 * static_cast<unsigned>(SolidKind::cylinder) + static_cast<unsigned>(SolidKind::hull));
  for (int i = 0; i <= 74556; ++i) {
    const Pair p = random_pair(SolidKind::cylinder, SolidKind::hull, r);
    if (i != 16414 && i != 44700 && i != 74556) continue;
    Contact c[kContactMax];
    const int n = collide(p.a, p.X_WA, p.b, p.X_WB, kMargin, c);
    ASSERT_GT(n, 0);
    for (int k = 0; k < n; ++k) {
      EXPECT_LT(witness::outside(p.a, p.X_WA, c[k].point + c[k].normal * (0.5 * c[k].gap)), 1e-8) << i;
      EXPECT_LT(witness::outside(p.b, p.X_WB, c[k].point - c[k].normal * (0.5 * c[k].gap)), 1e-8) << i;
    }
  }
}

/// The check of normals has teeth: a normal tilted by 3e-4 rad is found out, whatever the tilt's direction.
TEST(NormalCheck, NoticesATiltedNormal) {
  Random r(77);
  int pairs = 0, noticed = 0;
  for (int i = 0; i < 400; ++i) {
    const Pair p = random_pair(SolidKind::box, SolidKind::cylinder, r);
    Contact c[kContactMax];
    const int n = collide(p.a, p.X_WA, p.b, p.X_WB, kMargin, c);
    if (n == 0) continue;
    const Vec3 d = deepest(c, n).normal, across = direction(cross(d, r.unit()), perpendicular(d));
    const Vec3 tilted = direction(d + across * 3e-4, d), better = witness::climb(p, tilted, 1e-4, 600);
    ++pairs;
    noticed +=
        witness::separation(p, better) > witness::separation(p, tilted) + 1e-12 && norm(cross(better, tilted)) > 1e-4;
  }
  EXPECT_GT(pairs, 200);
  EXPECT_GT(noticed, 0.95 * pairs);
  std::printf("noticed %d of %d\n", noticed, pairs);
}

}  // namespace
}  // namespace gradus
