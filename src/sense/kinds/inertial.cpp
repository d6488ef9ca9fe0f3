#include "sense/kinds/inertial.h"

namespace gradus::sense {
namespace {

void three(Binding& b, const char* unit) {
  for (const char* axis : {"x", "y", "z"}) b.channel(axis, unit);
}

}  // namespace

void Gyroscope::bind(Binding& b) { three(b, "rad/s"); }

void Gyroscope::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const Frame& f = w.frame(s.link);
  store(transpose_times(s.X_LS.R, transpose_times(f.R, f.V.a)), x);
}

void Accelerometer::bind(Binding& b) {
  three(b, "m/s^2");
  b.remember(4);  // velocity of its place in the step before; 1 once there was one
  b.every_step();
}

void Accelerometer::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  const Frame& f = w.frame(s.link);
  const Vec3 u = base_velocity(w.v()) + velocity_at(f.V, f.p + f.R * s.X_LS.p);
  const Vec3 before = own[3] != 0 ? Vec3{own[0], own[1], own[2]} : u;
  const Vec3 a = (u - before) * (1 / w.h) - w.robot->gravity;
  store(transpose_times(s.X_LS.R, transpose_times(f.R, a)), x);
  store(u, own);
  own[3] = 1;
}

void Orientation::bind(Binding& b) {
  for (const char* angle : {"roll", "pitch", "yaw"}) b.channel(angle, "rad");
}

void Orientation::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  store(to_roll_pitch_yaw(to_quaternion(w.frame(s.link).R * s.X_LS.R)), x);
}

}  // namespace gradus::sense
