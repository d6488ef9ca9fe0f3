/// A capsule on terrain: its mantle (terrain_mantle.h), and the balls at its ends, each against the nearest point of
/// the surface.
#pragma once
#include "shape/narrow/manifold.h"
#include "shape/height_field.h"

namespace gradus {

/// Contacts in the frame of the field, normals from the capsule to the field.
void field_against_capsule(const HeightField& field, const Shape& capsule, const Pose& X_AB, double margin,
                           Candidates& out);

}  // namespace gradus
