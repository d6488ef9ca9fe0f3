/// Frames of all objects from the definition in spec.h and nothing else: the witness for loaders. Rotations by
/// Rodrigues' formula and the standard library, not by the product's quaternions.
#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/spec.h"

namespace gradus {

/// R = 1 + sin(a) [u]× + (1 − cos(a)) [u]×², u of length one.
inline Mat3 rodrigues(Vec3 u, double angle) {
  const auto turned = [&](Vec3 p) {
    return p + cross(u, p) * std::sin(angle) + cross(u, cross(u, p)) * (1 - std::cos(angle));
  };
  return {turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})};
}

/// X_BO of every object; joints that `q` does not name are at 0.
inline std::vector<Pose> forward_kinematics(const RobotSpec& robot, const std::map<std::string, double>& q) {
  std::vector<Pose> X_BO;
  for (const ObjectSpec& o : robot.objects) {
    const auto it = q.find(o.name);
    const double x = it == q.end() ? 0 : it->second;
    const Vec3 u = o.axis * (1 / norm(o.axis));
    Pose X_PO = identity_pose();
    if (o.kind == ObjectKind::translation) X_PO.p = o.offset;
    if (o.kind == ObjectKind::rotation) X_PO.R = rodrigues(u, o.angle);
    if (o.kind == ObjectKind::revolute) X_PO.R = rodrigues(u, x);
    if (o.kind == ObjectKind::prismatic) X_PO.p = u * x;
    X_BO.push_back(o.parent ? X_BO[static_cast<std::size_t>(o.parent.value)] * X_PO : X_PO);
  }
  return X_BO;
}

}  // namespace gradus
