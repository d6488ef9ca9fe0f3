#include "sense/kinds/forces.h"

#include <algorithm>

#include "tree/kernels.h"

namespace gradus::sense {
namespace {

/// The sensor's axes in the world.
Pose X_WS(const Surroundings& w, const Sensor& s) {
  const Frame& f = w.frame(s.link);
  return Pose{f.R, base_position(w.q()) + f.p} * s.X_LS;
}

/// Links from the sensor's on that hang on it: they are numbered depth first.
int end_of_branch(const RobotKind& kind, int link) {
  int end = link + 1;
  while (end < kind.nlink() && kind.links[static_cast<std::size_t>(end)].parent >= link) ++end;
  return end;
}

void bind_through(Binding& b, const char* unit) {
  for (const char* axis : {"x", "y", "z"}) b.channel(axis, unit);
  b.remember(7);  // momentum in the step before, about the world's origin; 1 once there was one
  b.every_step();
  b.wants_touches();
  if (b.link() == 0) b.fault("", "it is on the base, which nothing holds", "put it on an object behind a joint");
}

/// Force and torque about the sensor's place, world axes: ṗ − m g − Σ f,  L̇ − Σ r × (m g) − Σ r × f.
Vec6 wrench_through(const Surroundings& w, const Sensor& s, double* own, const Pose& X) {
  const RobotKind& kind = *w.robot->kind;
  const int first = s.link, last = end_of_branch(kind, first);
  const Vec3 root = base_position(w.q()), v0 = base_velocity(w.v()), g = w.robot->gravity;
  Vec3 p{0, 0, 0}, L{0, 0, 0}, force{0, 0, 0}, torque{0, 0, 0};  // momentum about the world's origin; what else acts
  for (int i = first; i < last; ++i) {
    const Link& l = kind.links[static_cast<std::size_t>(i)];
    const Frame& f = w.frame(i);
    const Vec3 c = f.p + f.R * l.com, at = root + c, u = v0 + velocity_at(f.V, c);
    p = p + u * l.mass;
    L = L + f.R * (l.J * transpose_times(f.R, f.V.a)) + cross(at, u) * l.mass;
    force = force + g * l.mass;
    torque = torque + cross(at - X.p, g * l.mass);
  }
  for (const gradus::Touch& t : w.touches) {
    if (t.link < first || t.link >= last) continue;
    force = force + t.force;
    torque = torque + cross(t.point - X.p, t.force);
  }
  const bool known = own[6] != 0;
  const Vec3 p0 = known ? Vec3{own[0], own[1], own[2]} : p, L0 = known ? Vec3{own[3], own[4], own[5]} : L;
  const double n = 1 / w.h;
  const Vec3 dp = (p - p0) * n, dL = (L - L0) * n - cross(X.p, dp);
  own[0] = p.x, own[1] = p.y, own[2] = p.z, own[3] = L.x, own[4] = L.y, own[5] = L.z, own[6] = 1;
  return {dL - torque, dp - force};
}

}  // namespace

void Pads::bind(Binding& b) {
  for (const char* pad : {"front_left", "front_right", "rear_left", "rear_right"}) b.channel(pad, "N");
  b.wants_touches();
  const std::vector<double> p = b.numbers("pads");
  if (p.size() != 8) return b.fault("pads", "the places of four pads are due", "pads = [[x, y], [x, y], [x, y], [x, y]]");
  if (!(p[0] + p[2] > p[4] + p[6])) b.fault("pads", "the front pads are not in front of the rear ones");
  if (!(p[1] > p[3] && p[5] > p[7])) b.fault("pads", "the left pads are not left of the right ones");
  for (const double x : p) b.keep(x);
}

void Pads::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const std::vector<double>& p = s.numbers;
  const double front = 0.5 * (p[0] + p[2]), rear = 0.5 * (p[4] + p[6]);
  const Pose X_SW = inverse(X_WS(w, s));
  std::fill_n(x, 4, 0.0);
  for (const gradus::Touch& t : w.touches) {
    if (t.link != s.link || t.loop) continue;
    const Vec3 at = X_SW * t.point;
    const double load = maximum((X_SW.R * t.force).z, 0.0);
    const double u = std::clamp((at.x - rear) / (front - rear), 0.0, 1.0);
    const double left_front = std::clamp((at.y - p[3]) / (p[1] - p[3]), 0.0, 1.0);
    const double left_rear = std::clamp((at.y - p[7]) / (p[5] - p[7]), 0.0, 1.0);
    x[0] += load * u * left_front;
    x[1] += load * u * (1 - left_front);
    x[2] += load * (1 - u) * left_rear;
    x[3] += load * (1 - u) * (1 - left_rear);
  }
}

void Touch::bind(Binding& b) {
  b.channel("pressed", "");
  b.wants_touches();
  b.keep(b.number("threshold", 1)), b.keep(b.number("hold", 0.002)), b.keep(b.number("radius", 0));
  b.remember(1);  // for how long it has been pressed [s]
  b.every_step();
}

void Touch::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  const double threshold = s.numbers[0], hold = s.numbers[1], radius = s.numbers[2];
  const Vec3 at = X_WS(w, s).p;
  double force = 0;
  for (const gradus::Touch& t : w.touches)
    if (!t.loop && t.link == s.link && (radius == 0 || norm(t.point - at) <= radius)) force += norm(t.force);
  own[0] = force > threshold ? own[0] + w.h : 0;
  x[0] = own[0] > hold - 0.5 * w.h && own[0] > 0;
}

void ForceThrough::bind(Binding& b) { bind_through(b, "N"); }
void ForceThrough::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  const Pose X = X_WS(w, s);
  store(transpose_times(X.R, wrench_through(w, s, own, X).l), x);
}

void TorqueThrough::bind(Binding& b) { bind_through(b, "N m"); }
void TorqueThrough::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  const Pose X = X_WS(w, s);
  store(transpose_times(X.R, wrench_through(w, s, own, X).a), x);
}

}  // namespace gradus::sense
