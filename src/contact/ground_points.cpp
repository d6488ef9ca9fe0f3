#include "contact/ground_points.h"

namespace gradus {
namespace {

/// Faster points are found one step late, when they are already inside; nothing is missed.
constexpr double kFastest = 10;  // [m/s]
constexpr double kNear = 0.02;   // [m]

void start_contact(int k, int link, const ContactMemory& memory, Vec3 r, double gap, Vec3 u, StaticContact& c) {
  c.point = k;
  c.link = link;
  c.active = true;
  c.barred = false;
  c.sliding = memory.sliding != 0;
  c.r = r;
  c.gap = gap;
  c.u = u;
  c.fn = memory.fn;
}

}  // namespace

void GroundPoints::find(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const Plane& plane = view.ground();
  const Vec3 v_WB = base_velocity(view.v());
  const double fall = h * dot(view.gravity(), plane.n);
  const double reach = kNear + h * kFastest, root_height = dot(plane.n, base_position(view.q())) - plane.offset;
  StaticContact* out = view.contacts_out();
  int* begin = view.contact_begin_out();
  int count = 0;
  for (int i = 0; i < kind.nlink(); ++i) {
    const auto u = static_cast<std::size_t>(i);
    begin[i] = count;
    const Frame& f = view.frames()[i];
    if (kind.bound_radius[u] < 0) continue;
    const double height = root_height + dot(plane.n, f.p + f.R * kind.bound_centre[u]) - kind.bound_radius[u];
    if (height > reach) continue;
    for (int k = kind.point_begin[u]; k < kind.point_begin[u + 1]; ++k) {
      const ContactPoint& p = kind.points[static_cast<std::size_t>(k)];
      const Vec3 r = f.p + f.R * p.p_BC - plane.n * p.radius;
      const double gap = root_height + dot(plane.n, r);
      if (gap > reach) continue;
      const Vec3 vel = v_WB + velocity_at(f.V, r);
      if (gap + h * (dot(plane.n, vel) + fall) >= 0) continue;
      start_contact(k, i, view.memory()[k], r, gap, vel, out[count++]);
    }
  }
  begin[kind.nlink()] = count;
  view.contact_count() = count;
}

}  // namespace gradus
