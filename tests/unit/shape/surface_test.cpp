/// Planes, meshes, height fields, hulls and rays against brute force, convex twins and sampling.
#include <gtest/gtest.h>

#include <algorithm>

#include <cstdlib>
#include <ctime>
#include <limits>

#include "shape/narrow/collide.h"
#include "shape/narrow/primitive.h"
#include "shape/narrow/ray.h"
#include "shape/library.h"
#include "terrain.h"
#include "witness.h"

namespace gradus {
namespace {

using witness::Random;

int share(int usual) {  // GRADUS_PAIRS scales the random tests up
  const char* n = std::getenv("GRADUS_PAIRS");
  return n ? std::atoi(n) : usual;
}

std::vector<Vec3> cloud(Random& r, int n, double reach) {
  std::vector<Vec3> p;
  for (int k = 0; k < n; ++k) p.push_back(r.vector(reach));
  return p;
}

/// The surface of a hull as triangles.
std::vector<std::array<int, 3>> triangles_of(const Hull& h) {
  std::vector<std::array<int, 3>> t;
  for (int f = 0; f < h.face_count(); ++f)
    for (std::size_t i = 2; i < h.face(f).size(); ++i) t.push_back({h.face(f)[0], h.face(f)[i - 1], h.face(f)[i]});
  return t;
}

/// A ring, 24 by 12 quads: closed and not convex.
void make_torus(std::vector<Vec3>& v, std::vector<std::array<int, 3>>& t) {
  const int m = 24, n = 12;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const double a = i * 2 * M_PI / m, b = j * 2 * M_PI / n, ring = 0.3 + 0.1 * std::cos(b);
      v.push_back({ring * std::cos(a), ring * std::sin(a), 0.1 * std::sin(b)});
    }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * n + j, b = (i + 1) % m * n + j, c = (i + 1) % m * n + (j + 1) % n, d = i * n + (j + 1) % n;
      t.push_back({a, b, c});
      t.push_back({a, c, d});
    }
}

double deepest_gap(const Contact* c, int n) {
  double g = 1e300;
  for (int i = 0; i < n; ++i) g = std::min(g, c[i].gap);
  return g;
}

Shape convex_shape(int k, Random& r, const Hull& hull) {
  switch (k) {
    case 0:
      return sphere_shape(r.in(0.03, 0.2));
    case 1:
      return box_shape({r.in(0.03, 0.2), r.in(0.03, 0.2), r.in(0.03, 0.2)});
    case 2:
      return capsule_shape(r.in(0.03, 0.1), r.in(0.05, 0.2));
    case 3:
      return cylinder_shape(r.in(0.03, 0.2), r.in(0.03, 0.2));
    default:
      return hull_shape(hull);
  }
}

TEST(Hull, OfACubeHasSixFacesAndItsVolume) {
  std::vector<Vec3> p;
  for (int k = 0; k < 8; ++k) p.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 2.0 : -2.0, k & 4 ? 3.0 : -3.0});
  p.push_back({0, 0, 0});  // inside: must vanish
  const Result<Hull> h = build_hull(p);
  ASSERT_TRUE(h);
  EXPECT_EQ(h->vertices.size(), 8u);
  EXPECT_EQ(h->face_count(), 6);
  EXPECT_NEAR(volume(*h), 48, 1e-12);  // a face that runs the wrong way round would subtract
  for (int v = 0; v < 8; ++v) EXPECT_EQ(h->neighbours(v).size(), 3u);
}

TEST(Hull, RefusesFlatAndBadPoints) {
  EXPECT_FALSE(build_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_FALSE(build_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.2, 0}}));
  EXPECT_FALSE(build_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}));
}

TEST(Hull, ClimbingFindsTheFarthestVertexFromAnyStart) {
  Random r(2);
  const Hull h = *build_hull([&] {
    std::vector<Vec3> p;
    for (int k = 0; k < 300; ++k) p.push_back(r.unit());
    return p;
  }());
  for (int i = 0; i < 2000; ++i) {
    const Vec3 d = r.unit();
    const int v = farthest_vertex(h, d, r.below(static_cast<int>(h.vertices.size())));
    EXPECT_DOUBLE_EQ(dot(h.vertices[v], d), witness::extent(hull_shape(h), d));
  }
}

TEST(Plane, MeetsEveryShapeAtItsLowestPoint) {
  Random r(3);
  ShapeLibrary lib;
  const Hull hull = *build_hull(cloud(r, 20, 0.2));
  for (int i = 0; i < share(2000); ++i) {
    const Shape s = convex_shape(i % 5, r, hull);
    const Pose X_WP{to_matrix(r.rotation()), r.vector(1)};
    Pose X_WS{to_matrix(r.rotation()), X_WP.p + r.vector(0.3)};
    const Vec3 up = X_WP.R.z;
    const double gap = dot(up, X_WS.p - X_WP.p) - witness::extent(s, transpose_times(X_WS.R, -up));
    Contact c[kContactMax];
    const int n = collide(s, X_WS, plane_shape(), X_WP, 0.01, c);
    ASSERT_EQ(n > 0, gap <= 0.01) << i;
    if (n == 0) continue;
    EXPECT_NEAR(deepest_gap(c, n), gap, 1e-12);
    for (int k = 0; k < n; ++k) {
      EXPECT_NEAR(norm(c[k].normal - up), 0, 1e-12);  // from the plane to the shape
      EXPECT_NEAR(dot(up, c[k].point - X_WP.p), 0.5 * c[k].gap, 1e-12);
    }
  }
}

TEST(Plane, ABoxThatStandsHasFourCornersAndACanFourRimPoints) {
  Contact c[kContactMax];
  const Pose up{identity3<double>(), {0, 0, 0.199}};
  ASSERT_EQ(collide(box_shape({0.1, 0.1, 0.2}), up, plane_shape(), identity_pose(), 0.01, c), 4);
  double spread = 0;
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(c[i].gap, -0.001, 1e-12);
    spread += norm(c[i].point - c[0].point);
  }
  EXPECT_NEAR(spread, 0.2 + 0.2 + 0.2 * std::sqrt(2.0), 1e-9);
  EXPECT_EQ(collide(cylinder_shape(0.1, 0.2), up, plane_shape(), identity_pose(), 0.01, c), 4);
}

/// Surface of a convex solid as a mesh: same verdict and same distance as the solid itself.
TEST(Mesh, OfAHullTouchesWhatTheHullTouches) {
  Random r(4);
  ShapeLibrary lib;
  int touching = 0, n_all = share(1500);
  for (int i = 0; i < n_all; ++i) {
    const Hull hull = *build_hull(cloud(r, 12, 0.3)), other = *build_hull(cloud(r, 10, 0.15));
    const TriangleMesh mesh = *TriangleMesh::build(hull.vertices, triangles_of(hull));
    ASSERT_TRUE(mesh.closed());
    const Shape s = convex_shape(i % 5, r, other);
    const Pose X_WM{to_matrix(r.rotation()), r.vector(1)},
        X_WS{to_matrix(r.rotation()), X_WM.p + r.unit() * r.in(0, 0.6)};
    Contact a[kContactMax], b[kContactMax];
    const int na = collide(mesh_shape(mesh), X_WM, s, X_WS, 0.02, a),
              nb = collide(hull_shape(hull), X_WM, s, X_WS, 0.02, b);
    ASSERT_EQ(na > 0, nb > 0) << i << " " << to_string(s.kind) << " hull gap " << (nb ? deepest_gap(b, nb) : 1);
    if (na == 0) continue;
    ++touching;
    const double ga = deepest_gap(a, na), gb = deepest_gap(b, nb);
    EXPECT_EQ(ga < 0, gb < 0) << i;
    if (gb > 0) {
      EXPECT_NEAR(ga, gb, 1e-9) << i << to_string(s.kind);
    }
    if (s.kind == SolidKind::sphere) {  // signed distance: equal at any depth
      EXPECT_NEAR(ga, gb, 1e-9) << i;
    }
  }
  EXPECT_GT(touching, n_all / 4);
}

TEST(Mesh, SphereInATorusMatchesBruteForce) {
  std::vector<Vec3> v;
  std::vector<std::array<int, 3>> t;
  make_torus(v, t);
  const TriangleMesh mesh = *TriangleMesh::build(v, t);
  ASSERT_TRUE(mesh.closed());
  Random r(5);
  for (int i = 0; i < share(3000); ++i) {
    const Vec3 c{r.in(-0.5, 0.5), r.in(-0.5, 0.5), r.in(-0.2, 0.2)};
    double nearest = 1e300, angle = 0;
    for (const auto& k : t) {
      TrianglePart part;
      nearest = std::min(nearest, norm(c - closest_on_triangle(c, v[k[0]], v[k[1]], v[k[2]], part)));
      // winding number: solid angles sum to 4π inside and 0 outside [van Oosterom, Strackee 1983]
      const Vec3 x = v[k[0]] - c, y = v[k[1]] - c, z = v[k[2]] - c;
      const double lx = norm(x), ly = norm(y), lz = norm(z);
      angle += 2 * std::atan2(dot(x, cross(y, z)), lx * ly * lz + dot(x, y) * lz + dot(y, z) * lx + dot(z, x) * ly);
    }
    const bool inside = std::fabs(angle) > 2 * M_PI;
    Contact k[kContactMax];
    const int n = collide(sphere_shape(0.05), {identity3<double>(), c}, mesh_shape(mesh), identity_pose(), 0.01, k);
    const double gap = (inside ? -nearest : nearest) - 0.05;
    ASSERT_EQ(n > 0, gap <= 0.01);
    if (n > 0) {
      EXPECT_NEAR(deepest_gap(k, n), gap, 1e-9);
    }
  }
}

TEST(Mesh, AgainstItselfAgreesWithTheHulls) {
  Random r(6);
  for (int i = 0; i < share(300); ++i) {
    const Hull ha = *build_hull(cloud(r, 10, 0.2)), hb = *build_hull(cloud(r, 10, 0.2));
    const TriangleMesh ma = *TriangleMesh::build(ha.vertices, triangles_of(ha));
    const TriangleMesh mb = *TriangleMesh::build(hb.vertices, triangles_of(hb));
    const Pose X_WA{to_matrix(r.rotation()), {0, 0, 0}}, X_WB{to_matrix(r.rotation()), r.unit() * r.in(0, 0.5)};
    Contact a[kContactMax], b[kContactMax];
    const int na = collide(mesh_shape(ma), X_WA, mesh_shape(mb), X_WB, 0.02, a);
    const int nb = collide(hull_shape(ha), X_WA, hull_shape(hb), X_WB, 0.02, b);
    ASSERT_EQ(na > 0, nb > 0) << i << " " << (nb ? deepest_gap(b, nb) : 1);
    if (na > 0) {
      EXPECT_EQ(deepest_gap(a, na) < 0, deepest_gap(b, nb) < 0) << i;
      if (deepest_gap(b, nb) > 0) {
        EXPECT_NEAR(deepest_gap(a, na), deepest_gap(b, nb), 1e-9);
      }
    }
  }
}

/// Brute force: every triangle within reach, and below or above by interpolation.
double brute_gap(const HeightField& f, Vec3 c, double radius) {
  double nearest = 1e300, z;
  const HeightGrid& g = f.grid();
  for (int j = 0; j < f.cells_y(); ++j) {
    if (std::fabs(g.y0 + (j + 0.5) * g.dy - c.y) > 0.25) continue;
    for (int i = 0; i < f.cells_x(); ++i) {
      if (std::fabs(g.x0 + (i + 0.5) * g.dx - c.x) > 0.25) continue;
      for (int t = 2 * (j * f.cells_x() + i), e = t + 2; t < e; ++t) {
        const std::array<Vec3, 3> k = f.corners(t);
        TrianglePart part;
        nearest = std::min(nearest, norm(c - closest_on_triangle(c, k[0], k[1], k[2], part)));
      }
    }
  }
  return (f.height(c.x, c.y, z) && c.z < z ? -nearest : nearest) - radius;
}

TEST(Field, TwentyThousandFeetOnTheRoughMapMatchBruteForce) {
  const HeightField f = *HeightField::build(test::rough_map(600));
  Random r(7);
  const char* full = std::getenv("GRADUS_PAIRS");
  const int n_all = full ? 20000 : 1500;
  int hits = 0;
  for (int i = 0; i < n_all; ++i) {
    Vec3 c{r.in(-2.8, 2.8), r.in(-2.8, 2.8), 0};
    c.z = test::rough_height(c.x, c.y) + r.in(-0.02, 0.05);
    Contact k[kContactMax];
    const int n = collide(sphere_shape(0.02), {identity3<double>(), c}, field_shape(f), identity_pose(), 0, k);
    const double gap = brute_gap(f, c, 0.02);
    ASSERT_EQ(n > 0, gap <= 0) << i;
    if (n == 0) continue;
    ++hits;
    EXPECT_NEAR(deepest_gap(k, n), gap, 1e-12);
    for (int m = 0; m < n; ++m) EXPECT_GT(k[m].normal.z, 0);  // never pushed down
  }
  EXPECT_NEAR(100.0 * hits / n_all, 64.6, 4.0);  // [legged.md 4.1]
}

TEST(Field, FlatTerrainIsAPlaneForEveryShape) {
  HeightGrid g{41, 41, 0.05, 0.05, -1, -1, std::vector<double>(41 * 41, 0.0)};
  const HeightField f = *HeightField::build(g);
  Random r(8);
  const Hull hull = *build_hull(cloud(r, 20, 0.15));
  for (int i = 0; i < share(1500); ++i) {
    const Shape s = convex_shape(i % 5, r, hull);
    const Pose X_WS{to_matrix(r.rotation()), {r.in(-0.5, 0.5), r.in(-0.5, 0.5), r.in(-0.4, 0.4)}};
    Contact a[kContactMax], b[kContactMax];
    const int na = collide(s, X_WS, field_shape(f), identity_pose(), 0.01, a);
    const int nb = collide(s, X_WS, plane_shape(), identity_pose(), 0.01, b);
    ASSERT_EQ(na > 0, nb > 0) << i << to_string(s.kind);
    if (na == 0) continue;
    EXPECT_NEAR(deepest_gap(a, na), deepest_gap(b, nb), 1e-9) << i << to_string(s.kind) << X_WS.p.z;
    for (int m = 0; m < na; ++m) EXPECT_NEAR(a[m].normal.z, 1, 1e-9) << i << to_string(s.kind);  // no ghost edges
  }
}

/// A polygon in the plane of the paper with heights: x, y where it is, z how deep it lies under a triangle's plane.
using Flat = std::vector<Vec3>;

/// The part left of the line from a to b, seen from above.
Flat left_of(const Flat& in, Vec3 a, Vec3 b) {
  Flat out;
  const auto side = [&](Vec3 p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Vec3 p = in[i], q = in[(i + 1) % in.size()];
    const double sp = side(p), sq = side(q);
    if (sp >= 0) out.push_back(p);
    if ((sp > 0 && sq < 0) || (sp < 0 && sq > 0)) out.push_back(p + (q - p) * (sp / (sp - sq)));
  }
  return out;
}

/// Largest depth straight up of a polyhedron under the surface, exact by brute force: each of its faces is clipped by
/// each triangle of the terrain, seen from above; between the corners of what is left the depth is linear.
double clipped_depth(const HeightField& f, const std::vector<Flat>& faces) {
  double deepest = -1e300;
  for (const Flat& face : faces) {
    Box3 box = empty_box();
    for (const Vec3& p : face) include(box, p);
    box.lo.z = -1e9, box.hi.z = 1e9;
    f.each(box, [&](int, const std::array<Vec3, 3>& k) {
      Flat part = face;
      for (int e = 0; e < 3 && !part.empty(); ++e) part = left_of(part, k[e], k[(e + 1) % 3]);
      const Vec3 n = cross(k[1] - k[0], k[2] - k[0]);
      for (const Vec3& p : part) deepest = std::max(deepest, dot(n, k[0] - p) / n.z);
    });
  }
  return deepest;
}

std::vector<Flat> faces_of(const Shape& s, const Pose& X) {
  std::vector<Flat> faces;
  if (s.kind == SolidKind::hull) {
    for (int f = 0; f < s.hull->face_count(); ++f) {
      faces.emplace_back();
      for (int v : s.hull->face(f)) faces.back().push_back(X * s.hull->vertices[v]);
    }
    return faces;
  }
  for (int a = 0; a < 3; ++a)
    for (double sign : {-1.0, 1.0}) {
      faces.emplace_back();
      for (auto [u, v] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
        const Vec3 e = a == 0 ? Vec3{sign, u, v} : a == 1 ? Vec3{u, sign, v} : Vec3{u, v, sign};
        faces.back().push_back(X * Vec3{e.x * s.half.x, e.y * s.half.y, e.z * s.half.z});
      }
    }
  return faces;
}

/// Box and hull feet of 12 × 7.5 × 2 cm on the rough map of 1 cm cells, level and tilted. The verdict is exact; no
/// contact is deeper than straight up. Where they are only 0.1 mm deep, the deepest contact shows just that depth along
/// its normal (seldom a side of the shape is nearer than its sole), and lifted by it they part.
TEST(Field, BoxAndHullFeetOnTheRoughMapMatchClipping) {
  const HeightField f = *HeightField::build(test::rough_map(600));
  Random r(17);
  const Vec3 half{0.06, 0.0375, 0.01};
  std::vector<Vec3> rim;
  for (int k = 0; k < 12; ++k)
    for (double z : {-half.z, half.z})
      rim.push_back({(half.x - (z > 0 ? 0.01 : 0)) * std::cos(k * M_PI / 6), half.y * std::sin(k * M_PI / 6), z});
  const Hull hull = *build_hull(rim);
  const Shape shapes[] = {box_shape(half), hull_shape(hull)};
  const int n_all = std::getenv("GRADUS_PAIRS") ? 20000 : 600;
  int hits = 0, exact = 0;
  const auto deep = [&](const Shape& s, const Pose& X) { return clipped_depth(f, faces_of(s, X)); };
  for (int i = 0; i < n_all; ++i) {
    const Shape& s = shapes[i % 2];
    const Vec3 tilt = r.vector(i % 4 < 2 ? 0.3 : 0.05);
    Pose X{to_matrix(exponential(Vec3{0, 0, r.in(-3, 3)}) * exponential(tilt)), {r.in(-2.8, 2.8), r.in(-2.8, 2.8), 0}};
    X.p.z = test::rough_height(X.p.x, X.p.y) + r.in(-0.005, 0.05);
    Contact k[kContactMax];
    const double up = deep(s, X);
    int n = collide(s, X, field_shape(f), identity_pose(), 0, k);
    ASSERT_EQ(n > 0, up >= 0) << i << " " << up;
    hits += n > 0;
    for (int m = 0; m < n; ++m) {
      EXPECT_LE(-k[m].gap, up + 1e-9) << i;
      EXPECT_GT(k[m].normal.z, -1e-9) << i;  // never pushed down
    }
    constexpr double shallow = 1e-4;
    X.p.z += up - shallow;
    n = collide(s, X, field_shape(f), identity_pose(), 0, k);
    double lift = 0;
    for (int m = 0; m < n; ++m) lift = std::max(lift, -k[m].gap / k[m].normal.z);
    EXPECT_GT(lift, 0.5 * shallow) << i;
    exact += std::fabs(lift - shallow) < 1e-9;
    X.p.z += shallow + 1e-9;
    EXPECT_EQ(collide(s, X, field_shape(f), identity_pose(), 0, k), 0) << i;
  }
  EXPECT_GT(hits, n_all / 4);
  EXPECT_GT(exact, 0.98 * n_all);
}

/// Capsules of 2 cm radius on the rough map, their segments level or tilted. Brute force: the nearest of all triangles
/// around to the segment, by the search for convex pairs. A segment that crosses the surface, or is below it, is at
/// least a radius deep, and no deeper than straight up.
TEST(Field, CapsuleFeetOnTheRoughMapMatchBruteForce) {
  const HeightField f = *HeightField::build(test::rough_map(600));
  Random r(18);
  const Shape capsule = capsule_shape(0.02, 0.03);
  const int n_all = std::getenv("GRADUS_PAIRS") ? 20000 : 1500;
  int hits = 0, crossing = 0;
  for (int i = 0; i < n_all; ++i) {
    const Mat3 lying{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
    Pose X{to_matrix(exponential(Vec3{0, 0, r.in(-3, 3)}) * exponential(r.vector(i % 2 ? 1.5 : 0.3))) * lying,
           {r.in(-2.8, 2.8), r.in(-2.8, 2.8), 0}};
    X.p.z = test::rough_height(X.p.x, X.p.y) + r.in(-0.01, 0.06);
    double nearest = 1e9, up = -1e9;
    bool crosses = false;
    f.each(grown(moved(X, bounds(capsule)), 0.05), [&](int, const std::array<Vec3, 3>& k) {
      Shape tri;
      tri.kind = SolidKind::triangle, tri.corners = k.data();
      Deepest d;
      Simplex simplex;
      if (core_distance({tri, capsule, X}, 1, d, simplex) == GjkAnswer::apart)
        nearest = std::min(nearest, d.gap);
      else
        crosses = true;
    });
    for (int k = 0; k <= 600; ++k) {
      const Vec3 c = X * Vec3{0, 0, -0.03 + 0.0001 * k};
      double z;
      if (f.height(c.x, c.y, z)) up = std::max(up, z - c.z);
    }
    Contact c[kContactMax];
    const int n = collide(capsule, X, field_shape(f), identity_pose(), 0, c);
    if (!crosses && !f.contains(X.p)) {
      const double gap = nearest - capsule.radius;
      ASSERT_EQ(n > 0, gap <= 0) << i << " " << gap;
      if (n > 0) {
        EXPECT_NEAR(deepest_gap(c, n), gap, 1e-9) << i;
      }
    } else {
      ++crossing;
      ASSERT_GT(n, 0) << i;
      EXPECT_LE(deepest_gap(c, n), -capsule.radius + 1e-9) << i;
      EXPECT_GE(deepest_gap(c, n), -capsule.radius - up - 1e-4) << i;  // between samples 0.1 mm apart
    }
    hits += n > 0;
    for (int m = 0; m < n; ++m) EXPECT_GT(c[m].normal.z, -1e-9) << i;  // never pushed down
  }
  EXPECT_GT(hits, n_all / 3);
  EXPECT_GT(crossing, n_all / 20);
}

/// Does a convex shape touch the terrain? Brute force: any triangle near it, by the search for convex pairs, or its
/// middle is below the surface.
bool meets_terrain(const HeightField& f, const Shape& s, const Pose& X) {
  bool meets = f.contains(X.p);
  f.each(moved(X, bounds(s)), [&](int, const std::array<Vec3, 3>& k) {
    Shape tri;
    tri.kind = SolidKind::triangle, tri.corners = k.data();
    Deepest d;
    Simplex simplex;
    meets = meets || core_distance({tri, s, X}, 0.1, d, simplex) == GjkAnswer::overlap;
  });
  return meets;
}

/// How far a shape that meets the terrain must be lifted until it does not: by bisection, unless brute force confirms
/// the first guess.
double lift_of(const HeightField& f, const Shape& s, Pose X, double guess) {
  const double z = X.p.z;
  const auto meets = [&](double lift) {
    X.p.z = z + lift;
    return meets_terrain(f, s, X);
  };
  double lo = guess - 1e-10, hi = guess + 1e-10;
  if (!meets(lo) || meets(hi)) lo = 0, hi = 0.3;
  while (hi - lo > 1e-9) {
    const double middle = 0.5 * (lo + hi);
    (meets(middle) ? lo : hi) = middle;
  }
  return 0.5 * (lo + hi);
}
/// A guess at it from the contacts: up, never too far, until none is left.
double lift_by_contacts(const HeightField& f, const Shape& s, Pose X) {
  const double z = X.p.z;
  Contact k[kContactMax];
  for (int round = 0; round < 100; ++round) {
    double lift = 0;
    for (int m = collide(s, X, field_shape(f), identity_pose(), 0, k) - 1; m >= 0; --m)
      lift = std::max(lift, -k[m].gap * k[m].normal.z);
    if (lift < 1e-12) break;
    X.p.z += lift;
  }
  return X.p.z - z;
}

/// Cylinders of 6 cm, 2 cm high, on the rough map of 1 cm cells: standing, leaning, and any way round. The verdict is
/// that of brute force, no contact is deeper than straight up; where they are only 0.1 mm deep the deepest contact
/// shows that depth along its normal, and lifted by it they part.
TEST(Field, CylinderFeetOnTheRoughMapMatchBruteForce) {
  const HeightField f = *HeightField::build(test::rough_map(600));
  Random r(19);
  const Shape cylinder = cylinder_shape(0.03, 0.01);
  const int n_all = std::getenv("GRADUS_PAIRS") ? 20000 : 240;
  int hits = 0, exact = 0;
  for (int i = 0; i < n_all; ++i) {
    const Quat turn = i % 3 == 0 ? exponential(r.vector(0.05)) : i % 3 == 1 ? exponential(r.vector(0.3)) : r.rotation();
    Pose X{to_matrix(turn), {r.in(-2.8, 2.8), r.in(-2.8, 2.8), 0}};
    X.p.z = test::rough_height(X.p.x, X.p.y) + r.in(-0.01, 0.05);
    Contact k[kContactMax];
    int n = collide(cylinder, X, field_shape(f), identity_pose(), 0, k);
    const bool meets = meets_terrain(f, cylinder, X);
    ASSERT_EQ(n > 0, meets) << i;
    hits += n > 0;
    if (!meets) X.p.z -= 0.1;
    const double up = lift_of(f, cylinder, X, lift_by_contacts(f, cylinder, X));
    for (int m = 0; m < n; ++m) {
      EXPECT_LE(-k[m].gap, up + 1e-9) << i;
      EXPECT_GT(k[m].normal.z, -1e-9) << i;  // never pushed down
    }
    constexpr double shallow = 1e-4;
    X.p.z += up - shallow;
    n = collide(cylinder, X, field_shape(f), identity_pose(), 0, k);
    double lift = 0;
    for (int m = 0; m < n; ++m) lift = std::max(lift, -k[m].gap / k[m].normal.z);
    EXPECT_GT(lift, 0.9 * shallow) << i;
    exact += std::fabs(lift - shallow) < 1e-6;  // a node under the round side is measured square to it
    X.p.z += shallow + 1e-9;
    EXPECT_EQ(collide(cylinder, X, field_shape(f), identity_pose(), 0, k), 0) << i;
  }
  EXPECT_GT(hits, n_all / 4);
  EXPECT_GT(exact, 0.98 * n_all);
}

/// Maps with holes or at their borders take a slower path that must give the same.
TEST(Field, AHoleElsewhereChangesNothing) {
  HeightGrid g = test::rough_map(200);
  const HeightField whole = *HeightField::build(g);
  g.z[5] = NAN;
  const HeightField holed = *HeightField::build(g);
  Random r(20);
  const Hull hull = *build_hull(cloud(r, 20, 0.15));
  int hits = 0;
  for (int i = 0; i < share(3000); ++i) {
    const Shape s = convex_shape(i % 5, r, hull);
    Pose X{to_matrix(r.rotation()), {r.in(-2.5, 2.5), r.in(-2.5, 2.5), 0}};
    X.p.z = test::rough_height(X.p.x, X.p.y) + r.in(-0.05, 0.2);
    Contact a[kContactMax], b[kContactMax];
    const int n = collide(s, X, field_shape(whole), identity_pose(), 0.002, a);
    ASSERT_EQ(collide(s, X, field_shape(holed), identity_pose(), 0.002, b), n) << i << to_string(s.kind);
    hits += n > 0;
    for (int k = 0; k < n; ++k) {
      EXPECT_NEAR(a[k].gap, b[k].gap, 1e-12) << i << to_string(s.kind);
      EXPECT_LT(norm(a[k].point - b[k].point) + norm(a[k].normal - b[k].normal), 1e-9) << i << to_string(s.kind);
    }
  }
  EXPECT_GT(hits, share(3000) / 4);
}

/// A foot over the edge of a step is pushed up by the tread and away by the riser, whichever is nearer.
TEST(Field, ABoxAtAStepLeavesByTheNearestFace) {
  HeightGrid g{41, 41, 0.02, 0.02, -0.4, -0.4, {}};
  for (int j = 0; j < 41; ++j)
    for (int i = 0; i < 41; ++i) g.z.push_back(i > 20 ? 0.03 : 0.0);  // riser between x = 0 and x = 0.02
  const HeightField f = *HeightField::build(g);
  Contact k[kContactMax];
  const Vec3 half{0.05, 0.03, 0.02};
  const auto meets = [&](double x, double z) {
    return collide(box_shape(half), {identity3<double>(), {x, 0.001, z}}, field_shape(f), identity_pose(), 0, k);
  };
  int n = meets(0.03, 0.03 + 0.02 - 0.001);  // on the tread, one millimetre deep
  ASSERT_GE(n, 3);
  for (int m = 0; m < n; ++m) {
    EXPECT_NEAR(k[m].normal.z, 1, 1e-9);
    EXPECT_NEAR(k[m].gap, -0.001, 1e-9);
  }
  n = meets(-0.049, 0.02 - 0.0005);  // stands on the low ground, its toe a millimetre in the riser
  ASSERT_GE(n, 3);
  for (int m = 0; m < n; ++m) EXPECT_GT(k[m].gap, -0.0015);
  n = meets(-0.029, 0.025);  // the toe is 21 mm past the riser's foot: 14.7 mm back along its normal, or 25 mm up
  const auto back = [](const Contact& c) { return c.normal.x < -0.8 && c.gap > -0.0148 && c.gap < -0.0146; };
  EXPECT_TRUE(std::any_of(k, k + n, back));
}

/// Robots that fly apart come by at any place with any reach. Before, an integer overflowed and the walk along an edge
/// took hours. Processor time, since the machine may be busy.
TEST(Field, ShapesFarAwayAndHugeMarginsAreAnsweredQuickly) {
  const Result<HeightField> field = HeightField::build(test::rough_map(100));
  ASSERT_TRUE(field);
  const Shape ground = field_shape(*field);
  Random r(3);
  const Result<Hull> hull = build_hull(cloud(r, 20, 0.1));
  ASSERT_TRUE(hull);
  Contact out[kContactMax];
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::clock_t start = std::clock();
  for (int kind = 0; kind < 5; ++kind)
    for (const double away : {0.0, 1e4, 1e10, 1e15, 1e300, nan})
      for (const double margin : {0.01, 1e4, 1e10, 1e300})
        for (const Vec3 way : {Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{1, 1, -1}}) {
          const Shape s = convex_shape(kind, r, *hull);
          const Pose X{to_matrix(normalized(Quat{1, 0.3, 0.2, 0.1})), way * away};
          collide(ground, identity_pose(), s, X, margin, out);
        }
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20);
}

TEST(Field, HolesAndOutsideHoldNothing) {
  HeightGrid g{11, 11, 0.1, 0.1, 0, 0, std::vector<double>(121, 0.0)};
  g.z[5 * 11 + 5] = NAN;  // four cells around node (5, 5)
  const HeightField f = *HeightField::build(g);
  Contact k[kContactMax];
  auto touches = [&](double x, double y) {
    return collide(sphere_shape(0.02), {identity3<double>(), {x, y, 0.01}}, field_shape(f), identity_pose(), 0, k) > 0;
  };
  EXPECT_TRUE(touches(0.25, 0.25));
  EXPECT_FALSE(touches(0.5, 0.5));
  EXPECT_FALSE(touches(1.5, 0.5));
  EXPECT_FALSE(HeightField::build(g, UnknownHeights::refuse));
  EXPECT_TRUE(HeightField::build(g, UnknownHeights::lowest_neighbour)->contains({0.5, 0.5, -0.01}));
}

/// Containment by sampling: the first sample inside may not come before the hit, and the hit lies on the surface.
template <class Inside>
void check_ray(const Shape& s, const Pose& X, Vec3 p, Vec3 d, double t_max, Inside&& inside, int samples) {
  RayHit hit;
  const bool found = cast_ray(s, X, p, d, t_max, hit);
  for (int i = 0; i < samples; ++i) {
    const double t = t_max * i / samples;
    if (found && t >= hit.t - 1e-9) break;
    ASSERT_FALSE(inside(p + d * t)) << to_string(s.kind) << " at " << t << (found ? " before the hit" : " of a miss");
  }
  if (!found) return;
  EXPECT_TRUE(inside(p + d * (hit.t + 1e-7)) || hit.t + 1e-7 > t_max || !inside(p + d * (hit.t + 2e-7)));
  if (hit.t > 0) {
    EXPECT_FALSE(inside(p + d * (hit.t - 1e-7)));
    EXPECT_LE(dot(hit.normal, d), 1e-9);
    EXPECT_NEAR(norm(hit.normal), 1, 1e-9);
    EXPECT_FALSE(inside(p + d * hit.t + hit.normal * 1e-6)) << "the normal points inwards";
  }
}

TEST(Ray, AgainstConvexShapesMatchesSampling) {
  Random r(9);
  const Hull hull = *build_hull(cloud(r, 20, 0.2));
  int hits = 0;
  const int n_all = share(4000);
  for (int i = 0; i < n_all; ++i) {
    const Shape s = convex_shape(i % 5, r, hull);
    const Pose X{to_matrix(r.rotation()), r.vector(0.2)};
    const Vec3 p = r.vector(0.6), d = i % 7 ? r.unit() : Vec3{0, 0, -1};
    check_ray(
        s, X, p, d, 1.5, [&](Vec3 q) { return witness::outside(s, X, q) <= 0; }, 200);
    RayHit h;
    hits += cast_ray(s, X, p, d, 1.5, h);
  }
  EXPECT_GT(hits, n_all / 40);
}

TEST(Ray, AgainstMeshesAndFieldsMatchesSampling) {
  std::vector<Vec3> v;
  std::vector<std::array<int, 3>> t;
  make_torus(v, t);
  const TriangleMesh torus = *TriangleMesh::build(v, t);
  const HeightField f = *HeightField::build(test::rough_map(300));
  Random r(10);
  for (int i = 0; i < 400; ++i) {
    const Pose X{to_matrix(r.rotation()), r.vector(0.2)};
    check_ray(
        mesh_shape(torus), X, r.vector(0.8), r.unit(), 2,
        [&](Vec3 q) { return torus.contains(transpose_times(X.R, q - X.p)); }, 100);
    const Vec3 p{r.in(-2.5, 2.5), r.in(-2.5, 2.5), r.in(-0.05, 0.3)};
    Vec3 d = r.unit();
    d.z *= 0.3;
    check_ray(
        field_shape(f), identity_pose(), p, direction(d, {1, 0, 0}), 3, [&](Vec3 q) { return f.contains(q); }, 1500);
  }
  RayHit h;
  EXPECT_TRUE(cast_ray(plane_shape(), identity_pose(), {0, 0, 2}, {0, 0, -1}, 5, h));
  EXPECT_DOUBLE_EQ(h.t, 2);
  EXPECT_FALSE(cast_ray(plane_shape(), identity_pose(), {0, 0, 2}, {0, 0, 1}, 5, h));
}

/// Every combination that a scene may hold, moved as a whole.
TEST(Narrow, APairMovedRigidlyGivesTheMovedResult) {
  Random r(11);
  const Hull hull = *build_hull(cloud(r, 14, 0.2));
  const TriangleMesh mesh = *TriangleMesh::build(hull.vertices, triangles_of(hull));
  const HeightField field = *HeightField::build(test::rough_map(200));
  const Shape shapes[kSolidKinds] = {plane_shape(),
                                     sphere_shape(0.15),
                                     box_shape({0.1, 0.2, 0.15}),
                                     capsule_shape(0.08, 0.2),
                                     cylinder_shape(0.15, 0.1),
                                     hull_shape(hull),
                                     mesh_shape(mesh),
                                     field_shape(field)};
  int touching = 0, same = 0;
  for (int i = 0; i < share(3000); ++i) {
    SCOPED_TRACE(i);
    const Shape &a = shapes[r.below(kSolidKinds)], &b = shapes[r.below(kSolidKinds)];
    const Pose X_WA{to_matrix(r.rotation()), r.vector(0.2)}, X_WB{to_matrix(r.rotation()), r.vector(0.2)};
    const Pose M{to_matrix(r.rotation()), r.vector(3)};
    Contact c[kContactMax], m[kContactMax], s[kContactMax];
    const int n = collide(a, X_WA, b, X_WB, 0.02, c), nm = collide(a, M * X_WA, b, M * X_WB, 0.02, m);
    ASSERT_EQ(nm > 0, n > 0);
    if (n == 0) continue;
    ++touching;
    EXPECT_NEAR(deepest_gap(m, nm), deepest_gap(c, n), 1e-7) << to_string(a.kind) << " " << to_string(b.kind);
    bool equal = nm == n;
    for (int k = 0; k < n && equal; ++k)
      equal = std::fabs(m[k].gap - c[k].gap) < 1e-6 && norm(m[k].point - M * c[k].point) < 1e-5 &&
              norm(m[k].normal - M.R * c[k].normal) < 1e-4 && m[k].feature == c[k].feature;
    same += equal;
    if (a.kind == b.kind) continue;
    ASSERT_EQ(collide(b, X_WB, a, X_WA, 0.02, s), n);  // swapped: the same with the normals turned round
    for (int k = 0; k < n; ++k) EXPECT_LT(norm(s[k].normal + c[k].normal) + norm(s[k].point - c[k].point), 1e-12);
  }
  EXPECT_GT(touching, share(3000) / 2);
  // rounding may choose differently among further points that are equally good; the share shows that it seldom does
  EXPECT_GT(same, 0.95 * touching);
  std::printf("touching %d, moved manifold equal point by point in %d\n", touching, same);
}

}  // namespace
}  // namespace gradus
