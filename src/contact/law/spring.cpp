#include "contact/law/spring.h"

#include <algorithm>

namespace gradus {
namespace {

/// Force and share of one contact; (4) looks at the depth, so a gap that closes in this step waits for the next.
void evaluate(const OwnLaw& law, const SpringLawSpec& s, StaticContact& c) {
  const double h = law.h(), un = law.ground.along(c.u);
  c.active = c.gap < 0;
  c.sliding = false;
  c.fn = 0;
  c.f = {0, 0, 0};
  c.W = {0, 0, 0, 0, 0, 0};
  if (!c.active) return;
  const double k = (un < 0 ? 1 : s.s_b) * s.s_c;
  c.fn = -k * c.gap;
  const double drag = s.s_mu * c.fn;
  c.f =
      law.ground.normal(-k * (c.gap + h * un)) - law.ground.tangential(c.u) * drag;  // (4) at the end of the step, (5)
  c.W = law.ground.axial(h * h * k, h * drag);
}

/// The moment of (5) per rate of turning, of all contacts of a link together; sign −1: of one that was counted too
/// much.
void add_spin(std::span<double> spin, const SpringLawSpec& s, const StaticContact& c, double sign) {
  if (!spin.empty()) spin[static_cast<std::size_t>(c.link)] += sign * s.s_nu * c.fn;
}

}  // namespace

void Spring::begin(LawView view, double h) {
  const SpringLawSpec& s = view.contact_numbers().spring;
  std::fill(view.spin_out().begin(), view.spin_out().end(), 0.0);
  each_contact(view, h, [&](const OwnLaw& law, double, const ContactMemory&, StaticContact& c) {
    evaluate(law, s, c);
    add_spin(view.spin_out(), s, c, 1);
  });
}

/// A contact that would pull at the end of the step has opened: there is no force.
bool Spring::review(LawView view, double h) {
  bool changed = false;
  each_contact(view, h, [&](const OwnLaw& law, double, const ContactMemory&, StaticContact& c) {
    if (!c.active || law.ground.along(c.f - c.W * acceleration(view, c)) >= -1e-9) return;
    add_spin(view.spin_out(), view.contact_numbers().spring, c, -1);
    c.active = false;
    c.fn = 0;
    c.f = {0, 0, 0};
    c.W = {0, 0, 0, 0, 0, 0};
    changed = true;
  });
  return changed;
}

void Spring::remember(LawView view, double h) {
  remember_each(view, h, [](const OwnLaw& law, Vec3 a, const ContactMemory&, const StaticContact& c) {
    return ContactMemory{0, 0, maximum(law.ground.along(c.f - c.W * a), 0.0), 0};
  });
}

}  // namespace gradus
