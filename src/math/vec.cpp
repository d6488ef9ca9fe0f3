#include "math/vec.h"
#include "math/angle.h"

namespace gradus {

Quat to_quaternion(const Mat3& R) {
  // Shepperd's choice of the largest component keeps the square root away from zero.
  const double xx = R.x.x, yy = R.y.y, zz = R.z.z, trace = xx + yy + zz;
  Quat q;
  if (trace > xx && trace > yy && trace > zz) {
    q = {1 + trace, R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x};
  } else if (xx > yy && xx > zz) {
    q = {R.y.z - R.z.y, 1 + xx - yy - zz, R.x.y + R.y.x, R.z.x + R.x.z};
  } else if (yy > zz) {
    q = {R.z.x - R.x.z, R.x.y + R.y.x, 1 + yy - xx - zz, R.y.z + R.z.y};
  } else {
    q = {R.x.y - R.y.x, R.z.x + R.x.z, R.y.z + R.z.y, 1 + zz - xx - yy};
  }
  return normalized(q);
}

Quat from_axis_angle(Vec3 axis, double angle) {
  double s, c;
  sine_cosine(0.5 * angle, s, c);
  const Vec3 u = axis * (s / norm(axis));
  return {c, u.x, u.y, u.z};
}

Quat from_roll_pitch_yaw(double roll, double pitch, double yaw) {
  return from_axis_angle({0, 0, 1}, yaw) * (from_axis_angle({0, 1, 0}, pitch) * from_axis_angle({1, 0, 0}, roll));
}

Vec3 to_roll_pitch_yaw(const Quat& q) {
  const Mat3 R = to_matrix(q);
  const double s = -R.x.z;
  return {arc_tangent(R.y.z, R.z.z), arc_sine(s), arc_tangent(R.x.y, R.x.x)};
}

Vec3 logarithm(const Quat& q) {
  const double sign = q.w < 0 ? -1 : 1;  // the shorter way round
  const Vec3 v = Vec3{q.x, q.y, q.z} * sign;
  const double s = norm(v), w = q.w * sign;
  const double k = s < 1e-9 ? 2.0 : 2 * arc_tangent(s, w) / s;
  return v * k;
}

}  // namespace gradus
