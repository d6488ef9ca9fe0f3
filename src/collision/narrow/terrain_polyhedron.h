/// A box or hull on terrain, by looking up what lies under it instead of meeting triangle after triangle.
///
/// Terrain is solid below its surface z = f(x, y), so a polyhedron touches it exactly if some point of its lower faces
/// lies below f. Over each face the depth D = f − z is linear between the corners of the overlay of grid and face, so it
/// is largest at one of
///   the nodes of the grid under the shape,
///   the corners of its lower faces,
///   the points where edges of its lower faces cross lines of the grid or diagonals of its cells;                 (1)
/// the verdict of these finitely many points is exact. Contacts there have the normals of vertex against face, face
/// against vertex, and edge against edge, and gap = −D n_z along them; where another face of the shape, or another place
/// of the terrain, is nearer (steps, walls), the shorter way counts. Each point looks for its own shortest way: a box
/// deep in a step may have contacts that push it up beside those that push it back.
#pragma once
#include "collision/narrow/manifold.h"
#include "collision/shape/height_field.h"

namespace gradus {

/// A convex polyhedron in the frame of a field.
struct FieldPolyhedron {
  static constexpr int kVertexMax = 64, kFaceMax = 2 * kVertexMax, kEdgeMax = 3 * kVertexMax;
  struct Face {
    Vec3 n;         // outward, unit
    double offset;  // n · x on the face                      [m]
  };
  struct Edge {
    int from, to;        // vertices
    int face, other;     // the two that meet there
  };
  int vertex_count = 0, face_count = 0, edge_count = 0;
  Vec3 vertex[kVertexMax];  // [m]
  Face face[kFaceMax];
  Edge edge[kEdgeMax];
};

/// False: more corners than fit, or no polyhedron; ask the triangles.
bool to_field_polyhedron(const Shape& s, const Pose& X_AS, FieldPolyhedron& out);

/// Contacts in the frame of the field, normals from the shape to the field. False: they overlap in a way that gave no
/// contact, ask the triangles.
bool field_against_polyhedron(const HeightField& field, const FieldPolyhedron& shape, double margin, Candidates& out);

}  // namespace gradus
