/// Do two bounded shapes overlap, and how far are they apart? Without contacts: for planners and controllers that ask about postures, not for the step.
///
/// Meshes are exact, triangle by triangle: their trees of boxes, each along the axes of its own mesh, are descended together, the larger box first.
/// Two boxes are compared along the 15 axes that can part them [Gottschalk, Lin, Manocha 1996]; since all boxes of a mesh share its axes, one
/// relative rotation serves the whole descent. Two triangles cross if none of 17 axes parts them: both normals, nine crossed edges, six edges within
/// the planes. Closed meshes are solid: what lies wholly inside overlaps.
///
/// Distances descend the nearer pair of boxes first and leave what cannot be nearer than the best so far. Touching is overlapping. No allocation; the
/// same answer every time. Planes and height fields are not bounded: not for them.
#pragma once
#include "shape/shape.h"

namespace gradus {

/// Nearest points of two shapes that do not overlap.
struct Apart {
  double distance = 0;              // 0: they overlap, the points then say nothing              [m]
  Vec3 p_a{0, 0, 0}, p_b{0, 0, 0};  // on a and on b, in W                                         [m]
};

bool shapes_overlap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);
/// False if they are farther apart than limit; then out is as it was.
bool shapes_apart(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double limit, Apart& out);

}  // namespace gradus
