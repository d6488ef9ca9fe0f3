#include "contact/compliant.h"

namespace gradus {
namespace {

constexpr double kStale = 0.05;     // relative change of the normal force that makes a sliding bound stale
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

/// (1) with (2) or (3), for the contact's present opinion; s: deflection of the sticking spring, size: of the trial (4).
void evaluate(const Law& law, Vec3 s, double size, StaticContact& c) {
  const Vec3& n = law.ground.n;
  const double fn = -(law.p.k * c.gap + law.c() * dot(n, c.u)), wn = law.h * law.c();
  if (!c.sliding) {
    c.f = n * fn - s * law.p.kt - tangential(law.ground, c.u) * law.ct();
    c.W = axial(n, wn, law.h * law.ct());
    return;
  }
  const double bound = law.p.friction * c.fn;
  const double across = law.h * law.ct() * (bound < size ? bound / size : 1);
  c.f = n * fn - c.d * bound;
  c.W = axial(n, wn, across);
  c.W.xx -= across * c.d.x * c.d.x; c.W.xy -= across * c.d.x * c.d.y; c.W.xz -= across * c.d.x * c.d.z;
  c.W.yy -= across * c.d.y * c.d.y; c.W.yz -= across * c.d.y * c.d.z; c.W.zz -= across * c.d.z * c.d.z;
}

/// (4) for the velocity u.
Vec3 trial(const Law& law, Vec3 s, Vec3 u) { return s * law.p.kt + tangential(law.ground, u) * law.ct(); }

Vec3 deflection(const Plane& g, const ContactMemory& m) { return g.t1 * m.s1 + g.t2 * m.s2; }

/// Not longer than a sticking spring may be under the normal force fn.
Vec3 bounded(Vec3 s, const ContactPoint& p, double fn) {
  const double limit = p.friction * fn / p.kt, length = norm(s);
  return length > limit ? s * (limit / length) : s;
}

/// (5) If the spring of a point that stops were slack, a box on a slope would slip a little whenever a corner slid.
Vec3 dragged(const Law& law, Vec3 u, Vec3 d, double fn) {
  return d * (maximum(law.p.friction * fn - law.p.dt * norm(tangential(law.ground, u)), 0.0) / law.p.kt);
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
  const Vec3 s = deflection(law.ground, m), t = trial(law, s, c.u + a * law.h);
  const double size = norm(t), bound = law.p.friction * fn;
  if (!c.sliding) {
    if (size <= bound * (1 + 1e-9) || size == 0) return false;
    c.sliding = true;
    c.d = t * (1 / size);
    c.fn = fn;
  } else if (size < bound || dot(t, c.d) < 0) {  // friction that turns a point round is too much
    c.sliding = false;
  } else if (fn > c.fn * (1 + kStale) || fn < c.fn * (1 - kStale)) {
    c.fn = fn;
  } else {
    return false;
  }
  evaluate(law, s, size, c);
  return true;
}

void keep(const Law& law, const ContactMemory& m, Vec3 a, const StaticContact& c, ContactMemory& out) {
  const double fn = dot(law.ground.n, c.f - c.W * a);
  const Vec3 u = c.u + a * law.h;
  out.fn = fn > 0 ? fn : 0;
  out.sliding = c.sliding ? 1 : 0;
  const Vec3 s = c.sliding ? dragged(law, u, c.d, out.fn)
                           : bounded(deflection(law.ground, m) + tangential(law.ground, u) * law.h, law.p, out.fn);
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
    // A point that slides, or lands sliding, does so from the start: trying to stop it would tip the body, and the normal
    // forces found then would be those of another motion.
    const Vec3 s = deflection(ground, m), t = trial(law, s, c.u);
    const double size = norm(t);
    c.sliding = size > law.p.friction * c.fn;
    if (c.sliding) c.d = t * (1 / size);
    evaluate(law, s, size, c);
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
