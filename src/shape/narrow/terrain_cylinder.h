/// A cylinder on terrain, by looking up what lies near it instead of meeting triangle after triangle.
///
/// With its axis a turned upwards, the lower side of a cylinder is its lower end and half of its mantle, and
/// D = f − z (terrain_parts.h) is largest over it at one of
///   nodes of the grid under the end or the mantle,
///   ridges under the mantle (terrain_mantle.h),
///   points of a rim: where it crosses ridges, and where it is lowest over the slope n of the triangle there,
///     s = c − r n_⊥/|n_⊥|,   n_⊥ = n − a (a·n),   c and r the rim's centre and radius. (1)
/// A rim c + r (U cos φ + V sin φ) crosses lines w = k of the grid, w = g·x, where
///   cos φ = (k − g·c)/(r |g_⊥|)   with U along g_⊥ = g − a (a·g), and V = a × U.                                   (2)
/// Four points fixed on the lower rim are added, so that a cylinder stands on flat ground as on a plane.
#pragma once
#include "shape/narrow/manifold.h"
#include "shape/height_field.h"

namespace gradus {

/// Contacts in the frame of the field, normals from the cylinder to the field. False: they overlap in a way that gave
/// no contact, ask the triangles.
bool field_against_cylinder(const HeightField& field, const Shape& cylinder, const Pose& X_AB, double margin,
                            Candidates& out);

}  // namespace gradus
