/// One loop over all static contacts of a robot, whatever they touch.
#pragma once
#include "contact/law/compliant.h"
#include "contact/find/plane.h"

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

}  // namespace gradus
