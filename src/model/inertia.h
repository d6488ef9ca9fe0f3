/// Inertias of rigid bodies: which are possible, the nearest possible one, and the body that objects make which cannot
/// move against each other. For set-up; the step knows links only.
#pragma once
#include <optional>
#include <vector>

#include "math/vec.h"
#include "model/spec.h"

namespace gradus {

/// All leading minors positive [Sylvester], measured against the trace so that a flea and a ship are judged alike.
bool positive_definite(const Sym3& s, double slack = 0);

/// Principal moments obey A + B ≥ C for every mass distribution. Without eigenvalues: the second moments
/// Σ = ½ tr(I) 1 − I must not be negative [Wensing, Kim, Slotine 2018, eq. 13]. 1e-6 forgives rounded numbers in files.
bool triangle_holds(const Sym3& I);

/// The possible inertia nearest to I in the second moments Σ: their negative principal values become a small part of
/// the largest. Nothing if none is positive.
std::optional<Sym3> nearest_possible_inertia(const Sym3& I);

/// S = R diag(values) Rᵀ.
struct PrincipalAxes {
  Vec3 values;
  Mat3 R;
};
PrincipalAxes principal_axes(const Sym3& S);

/// Mass, centre of mass and inertia about it; of one object or of several that move together.
struct RigidBody {
  double mass = 0;                 // [kg]
  Vec3 com{0, 0, 0};               // [m]
  Sym3 inertia{0, 0, 0, 0, 0, 0};  // about com                                         [kg m²]
  void add(double m, Vec3 c, const Sym3& inertia_about_c);
};

/// What a translation or rotation does to the frame; joints are at 0.
Pose own_transform(const ObjectSpec& o);

/// The objects of a robot by the rigid bodies that they make: a joint begins a new one.
struct RigidBodies {
  std::vector<int> of_object;     // (objects) index of its rigid body
  std::vector<int> first;         // (bodies) object that begins it: the base or a joint
  std::vector<Pose> X_RO;         // (objects) frame in that of the object that begins its body
  std::vector<RigidBody> bodies;  // in the frame of the object that begins it
};
/// The tree of objects must be sound (parents before children).
RigidBodies rigid_bodies(const RobotSpec& robot);

}  // namespace gradus
