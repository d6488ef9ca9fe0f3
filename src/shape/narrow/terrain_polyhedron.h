/// A box or hull on terrain, by looking up what lies under it instead of meeting triangle after triangle.
///
/// Terrain is solid below its surface z = f(x, y), so a polyhedron touches it exactly if some point of its lower faces
/// lies below f. Over each face the depth D = f − z is linear between the corners of the overlay of grid and face, so
/// it is largest at one of
///   the nodes of the grid under the shape,
///   the corners of its lower faces,
///   the points where edges of its lower faces cross lines of the grid or diagonals of its cells;                 (1)
/// the verdict of these finitely many points is exact. Contacts there have the normals of vertex against face, face
/// against vertex, and edge against edge, and gap = −D n_z along them; where another face of the shape, or another
/// place of the terrain, is nearer (steps, walls), the shorter way counts. Each point looks for its own shortest way: a
/// box deep in a step may have contacts that push it up beside those that push it back.
///
/// D is largest at a node or a crossing only where the surface is convex (HeightField::Crest), so others are not looked
/// at. The way out of deep corners is sought only for those that remain of the contacts, which are four.
#pragma once
#include "shape/narrow/manifold.h"
#include "shape/height_field.h"

namespace gradus {

/// Contacts of a box or hull in the frame of the field, normals from the shape to the field. False: no polyhedron, one
/// of more than 64 corners, or an overlap that gave no contact: ask the triangles.
bool field_against_polyhedron(const HeightField& field, const Shape& shape, const Pose& X_AS, double margin,
                              Candidates& out);

}  // namespace gradus
