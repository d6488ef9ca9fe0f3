/// How high the static world is at a place: the ground plane, height maps, and the tops of boxes, balls, capsules,
/// cylinders and meshes of the field, triangle by triangle. Hulls are left out.
#pragma once
#include "model/model.h"

namespace gradus::sense {

/// The highest point of the static world at (x, y) that is not above `below`; `none` if there is nothing.
double ground_height(const Model& model, double x, double y, double below, double none);

}  // namespace gradus::sense
