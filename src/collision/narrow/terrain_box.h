/// A box on terrain, by looking up what lies under it instead of meeting triangle after triangle.
///
/// Terrain is solid below its surface z = f(x, y), so a box touches it exactly if some point of its lower faces lies
/// below f. Over each face the depth D = f − z is linear between the corners of the overlay of grid and face, so it is
/// largest at one of
///   the nodes of the grid under the box,
///   the corners of the box,
///   the points where edges of the box cross lines of the grid or diagonals of its cells;                         (1)
/// the verdict of these finitely many points is exact. Contacts there have the normals of vertex against face, face
/// against vertex, and edge against edge, and gap = −D n_z along them; where another face of the box, or another place
/// of the terrain, is nearer (steps, walls), the shorter way counts. Each point looks for its own shortest way: a box
/// deep in a step may have contacts that push it up beside those that push it back.
#pragma once
#include "collision/narrow/manifold.h"
#include "collision/shape/height_field.h"

namespace gradus {

/// Contacts in the frame of the field, normals from the box to the field. False: they overlap in a way that gave no
/// contact, ask the triangles.
bool field_against_box(const HeightField& field, Vec3 half, const Pose& X_AB, double margin, Candidates& out);

}  // namespace gradus
