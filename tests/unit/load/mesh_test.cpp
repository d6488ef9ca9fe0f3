/// Meshes: the formats' forms, the refusals, and volume, centre and inertia against closed forms.
#include "load/mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/load/scratch_folder.h"

namespace gradus {
namespace {

const Vec3 kUnscaled{1, 1, 1};

/// A box from lo to hi as OBJ quads, counter-clockwise seen from outside.
std::string box_obj(Vec3 lo, Vec3 hi) {
  std::string s;
  for (int i = 0; i < 8; ++i) {
    s += "v " + std::to_string(i & 1 ? hi.x : lo.x) + " " + std::to_string(i & 2 ? hi.y : lo.y) + " " +
         std::to_string(i & 4 ? hi.z : lo.z) + "\n";
  }
  return s + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

struct Facet {
  float corners[9];
};

std::string binary_stl(const std::vector<Facet>& facets, std::uint32_t count, const std::string& header = "made here") {
  std::string s = header;
  s.resize(80, '\0');
  s.append(reinterpret_cast<const char*>(&count), 4);
  for (const Facet& f : facets) {
    s.append(12, '\0');
    s.append(reinterpret_cast<const char*>(f.corners), 36);
    s.append(2, '\0');
  }
  return s;
}

const Facet kFacet{{0, 0, 0, 1, 0, 0, 0, 1, 0}};
const Facet kOther{{1, 0, 0, 1, 1, 0, 0, 1, 0}};  // shares two corners with kFacet

class Mesh : public testing::Test {
 protected:
  Result<MeshSpec> load(const std::string& name, const std::string& bytes, Vec3 scale = kUnscaled) {
    return load_mesh(folder_.write(name, bytes), scale);
  }
  std::string said(const Result<MeshSpec>& r) { return folder_.without_folder(messages(r.notes())); }
  ScratchFolder folder_;
};

TEST_F(Mesh, BinaryStlKeepsCornerOrderAndMergesSharedCorners) {
  const auto mesh = load("a.stl", binary_stl({kFacet, kOther}, 2));
  ASSERT_TRUE(mesh) << said(mesh);
  EXPECT_TRUE(mesh.notes().empty());
  ASSERT_EQ(mesh->vertices.size(), 4u);
  ASSERT_EQ(mesh->triangles.size(), 2u);
  EXPECT_EQ(mesh->triangles[0], (std::array<int, 3>{0, 1, 2}));
  EXPECT_EQ(mesh->triangles[1], (std::array<int, 3>{1, 3, 2}));
  EXPECT_EQ(mesh->vertices[3].x, 1);
  EXPECT_EQ(mesh->vertices[3].y, 1);
}

TEST_F(Mesh, BinaryStlWhoseHeaderBeginsWithSolidIsStillBinary) {
  const auto mesh = load("a.stl", binary_stl({kFacet}, 1, "solid by a famous program"));
  ASSERT_TRUE(mesh) << said(mesh);
  EXPECT_EQ(mesh->triangles.size(), 1u);
}

TEST_F(Mesh, AsciiStlGivesTheSameAsBinary) {
  const auto a = load("a.stl",
                      "solid two words\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex +1 0 0\n"
                      "   vertex 0 1e0 0\n  endloop\n endfacet\n FACET NORMAL nan nan nan OUTER LOOP VERTEX 1 0 0 "
                      "VERTEX 1 1 0 VERTEX 0 1 -0 ENDLOOP ENDFACET\nendsolid two words\n");
  const auto b = load("b.stl", binary_stl({kFacet, kOther}, 2));
  ASSERT_TRUE(a) << said(a);
  ASSERT_TRUE(b);
  EXPECT_EQ(a->triangles, b->triangles);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(norm(a->vertices[i] - b->vertices[i]), 0);
}

TEST_F(Mesh, ObjReadsAllIndexFormsAndCutsPolygonsIntoFans) {
  const auto mesh = load("a.obj",
                         "# comment\nmtllib x.mtl\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\n"
                         "v 0 1 0\ng group\nf 1/1/1 2//1 3/1 \\\n 4\nf -4 -2 -1\r\nv 0 0 1\nf 1 2 5 # up\n");
  ASSERT_TRUE(mesh) << said(mesh);
  ASSERT_EQ(mesh->triangles.size(), 4u);
  EXPECT_EQ(mesh->triangles[0], (std::array<int, 3>{0, 1, 2}));
  EXPECT_EQ(mesh->triangles[1], (std::array<int, 3>{0, 2, 3}));
  EXPECT_EQ(mesh->triangles[2], (std::array<int, 3>{0, 2, 3}));  // negative ones count back from vertex 4, not 5
  EXPECT_EQ(mesh->triangles[3], (std::array<int, 3>{0, 1, 4}));
  EXPECT_EQ(mesh->vertices[4].z, 1);
}

TEST_F(Mesh, ObjThatBeginsWithEmptyLinesEnds) {
  EXPECT_TRUE(load("a.obj", "\n\n\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3"));
}

TEST_F(Mesh, MirroringScaleKeepsTheOutsideOutside) {
  for (const Vec3 scale : {Vec3{1, 1, 1}, Vec3{-2, 1, 1}, Vec3{1, -3, 0.5}, Vec3{-1, -1, -1}, Vec3{-1, -1, 4}}) {
    const auto mesh = load("a.obj", box_obj({0, 0, 0}, {1, 2, 3}), scale);
    ASSERT_TRUE(mesh);
    EXPECT_TRUE(mesh.notes().empty()) << said(mesh);
    EXPECT_NEAR(solid_properties(*mesh).volume, 6 * std::fabs(scale.x * scale.y * scale.z), 1e-12);
    EXPECT_NEAR(solid_properties(*mesh).centre.y, scale.y, 1e-12);
  }
}

TEST_F(Mesh, TrianglesWithoutAreaAreDroppedWithAWarning) {
  const auto mesh = load("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 4\nf 1 2 3\nf 2 5 4\nf 1 1 4\n");
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->triangles.size(), 1u);
  EXPECT_EQ(said(mesh), "a.obj: warning: 3 triangles without area left out\n");
}

TEST_F(Mesh, InsideOutSurfaceIsReportedOnlyIfClosed) {
  std::string obj = box_obj({0, 0, 0}, {1, 1, 1});
  obj.replace(obj.find("f 1 3"), std::string::npos, "f 2 4 3 1\nf 7 8 6 5\nf 5 6 2 1\nf 4 8 7 3\nf 3 7 5 1\n");
  const auto open = load("open.obj", obj);
  ASSERT_TRUE(open);
  EXPECT_TRUE(open.notes().empty()) << said(open);
  const auto closed = load("closed.obj", obj + "f 6 8 4 2\n");
  ASSERT_TRUE(closed);
  EXPECT_EQ(said(closed),
            "closed.obj: warning: the surface is inside out: corners run clockwise seen from outside; flip the normals "
            "in the modelling program and export it again\n");
}

TEST_F(Mesh, BoxHasTheVolumeCentreAndInertiaOfABox) {
  const auto mesh = load("a.obj", box_obj({1, -2, 5}, {1.5, 0, 8}));
  ASSERT_TRUE(mesh);
  EXPECT_TRUE(is_closed(*mesh));
  const SolidProperties s = solid_properties(*mesh);
  const double a = 0.5, b = 2, c = 3, V = a * b * c;
  EXPECT_NEAR(s.volume, V, 1e-12);
  EXPECT_NEAR(norm(s.centre - Vec3{1.25, -1, 6.5}), 0, 1e-12);
  EXPECT_NEAR(s.inertia.xx, V / 12 * (b * b + c * c), 1e-11);
  EXPECT_NEAR(s.inertia.yy, V / 12 * (a * a + c * c), 1e-11);
  EXPECT_NEAR(s.inertia.zz, V / 12 * (a * a + b * b), 1e-11);
  EXPECT_NEAR(s.inertia.xy, 0, 1e-11);
  EXPECT_NEAR(s.inertia.xz, 0, 1e-11);
  EXPECT_NEAR(s.inertia.yz, 0, 1e-11);
}

/// Products of inertia have the sign of −∫ x y: for the tetrahedron (0, ex, ey, ez), V = 1/6, ∫ x y = 1/120, centre
/// 1/4, so I_xy about the centre is −(1/120 − 1/96) = 1/480.
TEST_F(Mesh, TetrahedronHasProductsOfInertiaWithTheRightSign) {
  const auto mesh = load("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  ASSERT_TRUE(mesh);
  const SolidProperties s = solid_properties(*mesh);
  EXPECT_NEAR(s.volume, 1.0 / 6, 1e-15);
  EXPECT_NEAR(s.centre.x, 0.25, 1e-15);
  EXPECT_NEAR(s.inertia.xy, 1.0 / 480, 1e-15);
  EXPECT_NEAR(s.inertia.yz, 1.0 / 480, 1e-15);
  EXPECT_NEAR(s.inertia.xx, 2 * (1.0 / 60 - 1.0 / 96), 1e-15);
}

/// Latitudes and longitudes; the inscribed polyhedron's error falls with the square of the edge length.
std::string sphere_obj(double r, int n) {
  std::string s = "v 0 0 " + std::to_string(r) + "\nv 0 0 " + std::to_string(-r) + "\n";
  char line[100];
  const auto at = [n](int i, int j) { return std::to_string(3 + (i - 1) * 2 * n + (j % (2 * n))); };
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const double t = M_PI * i / n, f = M_PI * j / n;
      std::snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", r * std::sin(t) * std::cos(f),
                    r * std::sin(t) * std::sin(f), r * std::cos(t));
      s += line;
    }
  }
  for (int j = 0; j < 2 * n; ++j) {
    s += "f 1 " + at(1, j) + " " + at(1, j + 1) + "\nf 2 " + at(n - 1, j + 1) + " " + at(n - 1, j) + "\n";
    for (int i = 1; i < n - 1; ++i) {
      s += "f " + at(i, j) + " " + at(i + 1, j) + " " + at(i + 1, j + 1) + " " + at(i, j + 1) + "\n";
    }
  }
  return s;
}

TEST_F(Mesh, SphereApproximationsConvergeWithTheSquareOfTheEdge) {
  const double r = 0.5, V = 4.0 / 3 * M_PI * r * r * r, I = 0.4 * V * r * r;
  double volume_error[2], inertia_error[2];
  for (int k = 0; k < 2; ++k) {
    const auto mesh = load("s.obj", sphere_obj(r, k == 0 ? 16 : 32));
    ASSERT_TRUE(mesh) << said(mesh);
    EXPECT_TRUE(is_closed(*mesh));
    const SolidProperties s = solid_properties(*mesh);
    volume_error[k] = V - s.volume;
    inertia_error[k] = I - s.inertia.yy;
    EXPECT_NEAR(norm(s.centre), 0, 1e-12);
  }
  EXPECT_NEAR(volume_error[0] / volume_error[1], 4, 0.1);
  EXPECT_NEAR(inertia_error[0] / inertia_error[1], 4, 0.1);
  EXPECT_LT(volume_error[1] / V, 0.01);
}

TEST_F(Mesh, TriangleCountsThatTheFileCannotHoldAreRefusedBeforeAllocating) {
  const auto mesh = load("a.stl", binary_stl({kFacet}, 0xffffffff));
  EXPECT_FALSE(mesh);
  EXPECT_EQ(said(mesh),
            "a.stl: error: the header says 4294967295 triangles, but the file ends after 1; the file is cut off or not "
            "STL: export the mesh again\n");
}

TEST_F(Mesh, ZeroScaleIsRefused) {
  EXPECT_FALSE(load("a.obj", box_obj({0, 0, 0}, {1, 1, 1}), {1, 0, 1}));
  EXPECT_FALSE(load("a.obj", box_obj({0, 0, 0}, {1, 1, 1}), {1, NAN, 1}));
}

TEST_F(Mesh, CoordinatesThatScaleToInfinityAreRefused) {
  EXPECT_FALSE(load("a.obj", "v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n", {1e200, 1, 1}));
}

TEST_F(Mesh, MoreThanFiveMillionTrianglesAreRefused) {
  // one polygon of 10⁷ corners is a file of 20 MB
  std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf";
  for (int i = 0; i < 10'000'000; ++i) obj += " 1";
  const auto mesh = load("a.obj", obj);
  EXPECT_FALSE(mesh);
  EXPECT_EQ(said(mesh), "a.obj: error: the mesh has more than 5000000 triangles; simplify it\n");
}

TEST_F(Mesh, FolderAndMissingFileAreRefused) {
  EXPECT_EQ(said(load_mesh(folder_.path() + "/none.stl", kUnscaled)),
            "none.stl: error: there is no such file; check the path\n");
  folder_.make_folder("d.stl");
  EXPECT_EQ(said(load_mesh(folder_.path() + "/d.stl", kUnscaled)),
            "d.stl: error: this is not a file; give the path of a file\n");
}

}  // namespace
}  // namespace gradus
