/// The last prediction of a step whose opinions did not settle: sliding points rub like dampers, so that whatever the
/// other opinions are worth no point can gain energy.
///
///   f_t⁺ = −γ (k_t s + c_t u_t⁺),  γ = min(1, μ f_n/|t|)      W_t = h c_t γ in both tangential directions
///
/// Where opinions are right this is (3) of compliant.h; where they are wrong it is the secant through the origin.
#pragma once
#include "contact/law/compliant.inl"
#include "contact/law/each_contact.h"

namespace gradus {

/// a: acceleration of the point as last predicted; where: lanes that did not settle.
template <class T, class Axes, class F>
GRADUS_INLINE void calm_contact(const LawT<T, Axes, F>& law, const ContactMemoryT<T>& m, Vec3T<T> a, MaskOf<T> where,
                                StaticContactT<T>& c) {
  using namespace compliant;
  const auto which = mask_and(where, mask_and(c.active, c.sliding));
  if (!any(which)) return;
  const Vec3T<T> s = deflection(law, m), t1 = trial(law, s, c.u + a * law.h());
  const T bound = T(law.p.friction) * c.fn, size = norm(t1);
  const auto over = size > bound;
  const T share = select(over, bound / select(over, size, T(1.0)), T(1.0));
  const T cn = law.c(), fn = -(T(law.p.k) * c.gap + cn * law.ground.along(c.u));
  c.f = select(which, law.ground.normal(fn) - trial(law, s, c.u) * share, c.f);
  c.W = select(which, law.ground.axial(law.h() * cn, law.h() * law.ct() * share), c.W);
}

template <class T, class F>
GRADUS_INLINE void calm_contacts(const KindArraysT<F>& kind, const PlaneT<F>& ground, Vec3T<F> gravity, F h,
                                 const ContactMemoryT<T>* memory, const Vec6T<T>* acc, MaskOf<T> where, int count,
                                 StaticContactT<T>* contacts) {
  const TiltedT<T> axes = tilted<T>(ground);
  for (int i = 0; i < count; ++i) {
    StaticContactT<T>& c = contacts[i];
    const Vec3T<T> a = velocity_at(acc[c.link], c.r) + cast<T>(gravity);
    calm_contact(LawT<T, TiltedT<T>, F>{axes, h, kind.points[c.point]}, memory[c.point], a, where, c);
  }
}

}  // namespace gradus
