/// What can touch: flat descriptions in the shape's own frame S, with the support functions that collision needs.
///
///   plane         the half space z ≤ 0 (z is outward)
///   sphere        radius about So
///   box           half extents along x, y, z
///   capsule       radius about the segment from (0, 0, −half.z) to (0, 0, half.z)
///   cylinder      radius about z, from −half.z to half.z
///   hull          convex polyhedron (hull.h)
///   mesh          closed or open triangle surface (mesh.h); a closed one is solid inside
///   height_field  solid below a grid of heights (height_field.h)
///   triangle      one triangle of a mesh or height field; exists inside narrow/ only
///
/// A Shape owns nothing: the big parts live in a ShapeLibrary (library.h), shared by all worlds.
#pragma once
#include <cstdint>

#include "shape/geometry.h"

namespace gradus {

struct Hull;
class TriangleMesh;
class HeightField;

enum class SolidKind : std::uint8_t { plane, sphere, box, capsule, cylinder, hull, mesh, height_field, triangle };
inline constexpr int kSolidKinds = 8;  // those a scene may hold: all but triangle
const char* to_string(SolidKind kind);

struct Shape {
  SolidKind kind = SolidKind::sphere;
  double radius = 0;                   // sphere, capsule, cylinder                                         [m]
  Vec3 half{0, 0, 0};                  // box: half extents; capsule, cylinder: half.z = half the length    [m]
  const Hull* hull = nullptr;          // kind hull
  const TriangleMesh* mesh = nullptr;  // kind mesh
  const HeightField* field = nullptr;  // kind height_field
  const Vec3* corners = nullptr;       // kind triangle: three points, counter-clockwise seen from outside  [m]
};

Shape plane_shape();
Shape sphere_shape(double radius);
Shape box_shape(Vec3 half);
Shape capsule_shape(double radius, double half_length);
Shape cylinder_shape(double radius, double half_length);
Shape hull_shape(const Hull& hull);
Shape mesh_shape(const TriangleMesh& mesh);
Shape field_shape(const HeightField& field);

/// Convex and bounded: has a support function.
bool is_convex(const Shape& s);
/// Smallest box around the shape in S; planes and height fields reach to −∞.
Box3 bounds(const Shape& s);
/// A sphere around the shape in S: centre and radius (∞ for plane; a height field is bounded by its surface).
void bounding_sphere(const Shape& s, Vec3& centre, double& radius);

/// A convex shape is its core swept by a ball: cores of spheres are points and of capsules segments, other cores the
/// shapes themselves. Distances between cores stay regular where shapes touch, so GJK works on cores.
double core_radius(const Shape& s);

struct SupportPoint {
  Vec3 p;  // in S, on the core
  int id;  // vertex number where the core is a polyhedron
};
/// Point of the core farthest along d (any length but zero). `hint` is a vertex to start climbing from.
SupportPoint support(const Shape& s, Vec3 d, int hint = 0);

/// The part of the surface that faces d (unit vector): one point, a line, or a flat polygon.
inline constexpr int kFeatureMax = 64;
struct SurfaceFeature {
  int count = 0;         // 1 point, 2 line, ≥ 3 polygon, counter-clockwise seen from outside
  Vec3 normal{0, 0, 0};  // outward, of a polygon
  Vec3 p[kFeatureMax];   // in S, on the surface (ball included)
  int id[kFeatureMax];   // of the vertex, the same from step to step
};
void facing_feature(const Shape& s, Vec3 d, SurfaceFeature& out);

}  // namespace gradus
