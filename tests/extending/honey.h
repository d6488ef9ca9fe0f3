/// A contact law in one file, as docs/extending.md walks through it: the ground is a spring with a damper, and drags
/// like honey, with a force that grows with the speed and has no bound.
///
///   f_n = −(k φ + c u_n),  c = d + h k,  if it pushes      f_t = −d_t u_t
#pragma once
#include "contact/law/each_contact.h"

namespace gradus {

struct Honey {
  static constexpr std::string_view name = "honey";
  static constexpr bool kSprings = true;

  /// Force at the start of the step and its share: f⁺ = f − W a with W = h times the slope.
  static void begin(LawView view, double h) {
    each_contact(view, h, [](const OwnLaw& law, double, const ContactMemory&, StaticContact& c) {
      const double push = -(law.p.k * c.gap + law.c() * law.ground.along(c.u));
      c.fn = push;
      c.f = law.ground.normal(push) - law.ground.tangential(c.u) * law.p.dt;
      c.W = law.ground.axial(law.h() * law.c(), law.h() * law.p.dt);
      c.sliding = false;
    });
  }
  /// A contact that would pull at the end of the step is taken off.
  static bool review(LawView view, double h) {
    bool changed = false;
    each_contact(view, h, [&](const OwnLaw& law, double, const ContactMemory&, StaticContact& c) {
      if (!c.active || law.ground.along(c.f - c.W * acceleration(view, c)) >= 0) return;
      c.active = false;
      c.f = {0, 0, 0}, c.W = {0, 0, 0, 0, 0, 0};
      changed = true;
    });
    return changed;
  }
  /// Nothing sticks, so the normal force is all that is kept: sensors read it.
  static void remember(LawView view, double h) {
    remember_each(view, h, [](const OwnLaw& law, Vec3 a, const ContactMemory&, const StaticContact& c) {
      return ContactMemory{0, 0, maximum(law.ground.along(c.f - c.W * a), 0.0), 0};
    });
  }
};
static_assert(ContactLawAlgorithm<Honey>);

}  // namespace gradus
