/// A capsule on terrain, by looking up what lies near it instead of meeting triangle after triangle.
///
/// The distance of its segment from the surface is smallest between
///   an end of the segment and the nearest point of the surface,
///   the segment and a node of the grid,
///   the segment and an edge of the grid that is no hollow;                                                     (1)
/// where the segment itself is below the surface, its depth is largest at an end, or where it crosses under an edge, and
/// is measured along the common normal of the two.                                                               (2)
/// Each place counts only if the surface ends there towards the segment, so that contacts have the surface's own normals.
#pragma once
#include "collision/narrow/manifold.h"
#include "collision/shape/height_field.h"

namespace gradus {

/// Contacts in the frame of the field, normals from the capsule to the field.
void field_against_capsule(const HeightField& field, const Shape& capsule, const Pose& X_AB, double margin,
                           Candidates& out);

}  // namespace gradus
