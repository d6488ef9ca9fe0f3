/// One loop over all static contacts of a robot, whatever they touch.
#pragma once
#include "contact/law/compliant.h"
#include "contact/find/plane.h"
#include "contact/records.h"

namespace gradus {

using OwnLaw = LawT<double, TiltedT<double>>;

/// Calls use(law, fall, memory, contact) for every contact with the axes and numbers of its own surface: the ground for
/// points, the static object for the others. Robots that touch the ground alone take the faster loops of compliant.inl.
template <class View, class Use>
void each_contact(const View& view, double h, const Use& use) {
  const RobotKind& kind = view.kind();
  const int npoint = static_cast<int>(kind.points.size());
  const TiltedT<double> ground = tilted<double>(view.ground());
  StaticContact* contacts = view.contacts_out();
  for (int i = 0; i < view.contact_count(); ++i) {
    StaticContact& c = contacts[i];
    if (c.point < npoint) {
      const ContactMemory& m = view.memory()[c.point];
      use(OwnLaw{ground, h, kind.points[static_cast<std::size_t>(c.point)]}, h * dot(view.gravity(), ground.n), m, c);
    } else {
      const FieldContact& f = view.field_contacts()[static_cast<std::size_t>(c.point - npoint)];
      const TiltedT<double> axes{f.n, f.t1, f.t2};
      use(OwnLaw{axes, h, f.law}, h * dot(view.gravity(), f.n), f.m, c);
    }
  }
}

template <class View>
Vec3 acceleration(const View& view, const StaticContact& c) {
  return velocity_at(view.acc()[c.link], c.r) + view.gravity();
}

/// (1) of held.h for a contact with an object of the field; kept: what it remembers.
inline double held_of(const OwnLaw& law, Vec3 a, const ContactMemory& m, const ContactMemory& kept, const StaticContact& c,
                      double unfelt) {
  const double h = law.h();
  const Vec3 u = c.u + a * h;
  const double work = c.active ? h * dot(c.f - c.W * a, u) : 0;
  const double sticking = 0.5 * law.p.kt * (kept.s1 * kept.s1 + kept.s2 * kept.s2 - m.s1 * m.s1 - m.s2 * m.s2);
  return held_after(h, law.p.k, c.gap, work, sticking, unfelt);
}

/// Fills the memory of State[k+1]: what keep(law, acceleration, memory, contact) says of every contact that acts.
template <class View, class Keep>
void remember_each(const View& view, double h, const Keep& keep) {
  const int npoint = static_cast<int>(view.kind().points.size());
  ContactMemory* next = view.memory_next();
  for (int k = 0; k < npoint; ++k) next[k] = {0, 0, 0, 0};
  ContactRecord* out = view.field_room() > 0 ? records_out(view.field_memory_next()) : nullptr;
  int count = 0;
  each_contact(view, h, [&](const OwnLaw& law, double, const ContactMemory& m, StaticContact& c) {
    const Vec3 a = acceleration(view, c);
    const ContactMemory kept = c.active ? keep(law, a, m, c) : ContactMemory{0, 0, 0, 0};
    if (c.point < npoint) {
      next[c.point] = kept;
      return;
    }
    const FieldContact& f = view.field_contacts()[static_cast<std::size_t>(c.point - npoint)];
    const double held = held_of(law, a, m, kept, c, f.unfelt);
    if (!c.active && !(held > 0)) return;
    out[count++] = {f.pair, 0, f.p_L, f.t1 * kept.s1 + f.t2 * kept.s2, {0, 0, 0}, kept.fn, kept.sliding, held, 0};
  });
  close_section(view.field_memory_next(), view.field_room(), count);
}

}  // namespace gradus
