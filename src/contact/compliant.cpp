#include "contact/compliant.h"

namespace gradus {
namespace {

constexpr double kStale = 0.2;     // relative change of the normal force that makes a sliding bound stale
constexpr double kResting = 1e-9;  // [m/s] below this a sliding point has no direction
constexpr double kPull = 1e-9;     // [N] a pull below this is rounding

struct Law {
  const Plane& ground;
  double h;
  const ContactPoint& p;
  double c() const { return p.d + h * p.k; }
  double ct() const { return p.dt + h * p.kt; }
};

/// w (1 − n nᵀ) + wn n nᵀ
Sym3 axial(const Vec3& n, double wn, double w) {
  const double e = wn - w;
  return {w + e * n.x * n.x, e * n.x * n.y, e * n.x * n.z, w + e * n.y * n.y, e * n.y * n.z, w + e * n.z * n.z};
}

Vec3 tangential(const Plane& g, Vec3 a) { return a - g.n * dot(g.n, a); }

void switch_off(StaticContact& c) {
  c.active = false;
  c.f = {0, 0, 0};
  c.W = {0, 0, 0, 0, 0, 0};
}

/// (1) with (2) or (3), for the contact's present opinion; s: deflection of the sticking spring.
void evaluate(const Law& law, Vec3 s, StaticContact& c) {
  const Vec3& n = law.ground.n;
  const double fn = -(law.p.k * c.gap + law.c() * dot(n, c.u)), wn = law.h * law.c();
  const Vec3 u_t = tangential(law.ground, c.u);
  if (!c.sliding) {
    c.f = n * fn - s * law.p.kt - u_t * law.ct();
    c.W = axial(n, wn, law.h * law.ct());
    return;
  }
  const double bound = law.p.friction * c.fn, speed = norm(u_t);
  const double across = law.h * (bound < law.ct() * speed ? bound / speed : law.ct());
  c.f = n * fn - c.d * bound;
  c.W = axial(n, wn, across);
  c.W.xx -= across * c.d.x * c.d.x; c.W.xy -= across * c.d.x * c.d.y; c.W.xz -= across * c.d.x * c.d.z;
  c.W.yy -= across * c.d.y * c.d.y; c.W.yz -= across * c.d.y * c.d.z; c.W.zz -= across * c.d.z * c.d.z;
}

Vec3 deflection(const Plane& g, const ContactMemory& m) { return g.t1 * m.s1 + g.t2 * m.s2; }

/// Not longer than a sticking spring may be under the normal force fn.
Vec3 bounded(Vec3 s, const ContactPoint& p, double fn) {
  const double limit = p.friction * fn / p.kt, length = norm(s);
  return length > limit ? s * (limit / length) : s;
}

/// True acceleration of the contact's point.
Vec3 acceleration(const Vec6* acc, Vec3 g, const StaticContact& c) {
  return velocity_at(acc[c.link], c.r) + g;
}

bool reconsider(const Law& law, const ContactMemory& m, Vec3 a, StaticContact& c) {
  const Vec3 f = c.f - c.W * a;
  const double fn = dot(law.ground.n, f);
  if (fn < -kPull) {
    c.barred = true;
    switch_off(c);
    return true;
  }
  Vec3 s = deflection(law.ground, m);
  if (!c.sliding) {
    const Vec3 t = tangential(law.ground, f);
    const double size = norm(t);
    if (size <= law.p.friction * fn * (1 + 1e-9) || size == 0) return false;
    c.sliding = true;
    c.d = t * (-1 / size);
    c.fn = fn;
  } else if (dot(c.u + a * law.h, c.d) < 0) {
    c.sliding = false;
    s = bounded(s, law.p, fn);
  } else if (fn > c.fn * (1 + kStale) || fn < c.fn * (1 - kStale)) {
    c.fn = fn;
  } else {
    return false;
  }
  evaluate(law, s, c);
  return true;
}

void keep(const Law& law, const ContactMemory& m, Vec3 a, const StaticContact& c, ContactMemory& out) {
  const double fn = dot(law.ground.n, c.f - c.W * a);
  const Vec3 u = c.u + a * law.h;
  out.fn = fn > 0 ? fn : 0;
  const bool slides = c.sliding && dot(u, c.d) > 0;
  out.sliding = slides ? 1 : 0;
  if (c.sliding) return;  // a sliding point has no spring; s stays zero
  const Vec3 s = bounded(deflection(law.ground, m) + tangential(law.ground, u) * law.h, law.p, out.fn);
  out.s1 = dot(s, law.ground.t1);
  out.s2 = dot(s, law.ground.t2);
}

}  // namespace

void Compliant::begin(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const Plane& ground = view.ground();
  StaticContact* contacts = view.contacts_out();
  const double fall = h * dot(view.gravity(), ground.n);
  for (int i = 0; i < view.contact_count(); ++i) {
    StaticContact& c = contacts[i];
    const Law law{ground, h, kind.points[static_cast<std::size_t>(c.point)]};
    const ContactMemory& m = view.memory()[c.point];
    const double free = -(law.p.k * c.gap + law.c() * (dot(ground.n, c.u) + fall));
    if (free <= 0) {
      switch_off(c);
      continue;
    }
    if (c.fn <= 0) c.fn = free;
    if (c.sliding) {
      const Vec3 u_t = tangential(ground, c.u);
      const double speed = norm(u_t);
      c.sliding = speed > kResting;
      if (c.sliding) c.d = u_t * (1 / speed);
    }
    evaluate(law, deflection(ground, m), c);
  }
}

bool Compliant::review(View<access> view, double h) {
  bool changed = false;
  StaticContact* contacts = view.contacts_out();
  for (int i = 0; i < view.contact_count(); ++i) {
    StaticContact& c = contacts[i];
    if (!c.active) continue;
    const Law law{view.ground(), h, view.kind().points[static_cast<std::size_t>(c.point)]};
    const Vec3 a = acceleration(view.acc(), view.gravity(), c);
    if (reconsider(law, view.memory()[c.point], a, c)) changed = true;
  }
  return changed;
}

void Compliant::remember(View<access> view, double h) {
  ContactMemory* out = view.memory_next();
  for (std::size_t k = 0; k < view.kind().points.size(); ++k) out[k] = {0, 0, 0, 0};
  StaticContact* contacts = view.contacts_out();
  for (int i = 0; i < view.contact_count(); ++i) {
    const StaticContact& c = contacts[i];
    if (!c.active) continue;
    const Law law{view.ground(), h, view.kind().points[static_cast<std::size_t>(c.point)]};
    keep(law, view.memory()[c.point], acceleration(view.acc(), view.gravity(), c), c, out[c.point]);
  }
}

}  // namespace gradus
