#include "model/inertia.h"

#include <algorithm>
#include <cmath>

namespace gradus {

bool positive_definite(const Sym3& s, double slack) {
  const double t = std::fabs(s.xx) + std::fabs(s.yy) + std::fabs(s.zz);
  if (!(t > 0)) return false;
  const double a = s.xx / t + slack, b = s.xy / t, c = s.xz / t, d = s.yy / t + slack, e = s.yz / t,
               f = s.zz / t + slack;
  return a > 0 && a * d - b * b > 0 && a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d) > 0;
}

namespace {

Sym3 second_moments(const Sym3& I) {
  const double h = 0.5 * (I.xx + I.yy + I.zz);
  return {h - I.xx, -I.xy, -I.xz, h - I.yy, -I.yz, h - I.zz};
}

}  // namespace

bool triangle_holds(const Sym3& I) { return positive_definite(second_moments(I), 1e-6); }

/// Cyclic Jacobi rotations [Golub, Van Loan 2013, sec. 8.5]; a 3×3 matrix is diagonal to rounding after a few sweeps.
PrincipalAxes principal_axes(const Sym3& S) {
  double a[3][3] = {{S.xx, S.xy, S.xz}, {S.xy, S.yy, S.yz}, {S.xz, S.yz, S.zz}};
  double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
        }
        for (auto& row : r) {
          const double x = row[p], y = row[q];
          row[p] = c * x - s * y, row[q] = s * x + c * y;
        }
        a[p][q] = a[q][p] = 0;
      }
    }
  }
  return {{a[0][0], a[1][1], a[2][2]},
          {{r[0][0], r[1][0], r[2][0]}, {r[0][1], r[1][1], r[2][1]}, {r[0][2], r[1][2], r[2][2]}}};
}

std::optional<Sym3> nearest_possible_inertia(const Sym3& I) {
  constexpr double kThinnest = 1e-4;  // of the largest second moment: a sheet of a hundredth of its width
  PrincipalAxes axes = principal_axes(second_moments(I));
  const double largest = std::max({axes.values.x, axes.values.y, axes.values.z});
  if (!(largest > 0) || !std::isfinite(largest)) return std::nullopt;
  for (double Vec3::*part : {&Vec3::x, &Vec3::y, &Vec3::z})
    axes.values.*part = std::max(axes.values.*part, kThinnest * largest);
  const Sym3 moments = rotated_diagonal(axes.R, axes.values.x, axes.values.y, axes.values.z);
  const double trace = moments.xx + moments.yy + moments.zz;
  return Sym3{trace - moments.xx, -moments.xy, -moments.xz, trace - moments.yy, -moments.yz, trace - moments.zz};
}

void RigidBody::add(double m, Vec3 c, const Sym3& inertia_about_c) {
  const double total = mass + m;
  const Vec3 centre = (com * mass + c * m) * (1 / total);
  inertia += point_inertia(mass, com - centre);
  Sym3 added = inertia_about_c;
  added += point_inertia(m, c - centre);
  inertia += added;
  com = centre;
  mass = total;
}

Pose own_transform(const ObjectSpec& o) {
  Pose X = identity_pose();
  if (o.kind == ObjectKind::translation) X.p = o.offset;
  if (o.kind == ObjectKind::rotation) X.R = to_matrix(from_axis_angle(o.axis, o.angle));
  return X;
}

RigidBodies rigid_bodies(const RobotSpec& robot) {
  RigidBodies out;
  for (std::size_t i = 0; i < robot.objects.size(); ++i) {
    const ObjectSpec& o = robot.objects[i];
    const auto parent = static_cast<std::size_t>(o.parent ? o.parent.value : 0);
    if (!o.parent || o.is_joint()) {
      out.of_object.push_back(static_cast<int>(out.bodies.size()));
      out.first.push_back(static_cast<int>(i));
      out.X_RO.push_back(identity_pose());
      out.bodies.emplace_back();
    } else {
      out.of_object.push_back(out.of_object[parent]);
      out.X_RO.push_back(out.X_RO[parent] * own_transform(o));
    }
    const Pose& X = out.X_RO[i];
    if (o.mass > 0)
      out.bodies[static_cast<std::size_t>(out.of_object[i])].add(o.mass, X * o.com, rotated(X.R, o.inertia));
  }
  return out;
}

}  // namespace gradus
