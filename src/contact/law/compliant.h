/// B2: the default contact law with the static world. Normal spring and damper, circular Coulomb friction with
/// sticking; the force is handed over with its slope, so that hard ground is stable at any step [DESIGN.md 2;
/// facts/coupling.md].
///
/// With gap φ, velocity u of the point, h the step, c = d + h k, c_t = d_t + h k_t, s the sticking spring's deflection:
///
///   normal    f_n = −(k φ + c u_n)          W_n = h c                                                   (1)
///             acts if the point, falling freely, would be inside after the step and pushed outwards then
///   sticking  f_t = −(k_t s + c_t u_t)      W_t = h c_t                                                 (2)
///   sliding   f_t = −μ f_n d,  d = t/|t|    W_t = h c_t μ f_n/|t| across d, none along it               (3)
///             t = k_t s + c_t u_t, what sticking would need: fast points slide along u, slow ones along the spring (4)
///             k_t s⁺ = max(μ f_n − d_t |u|, 0) d, the anchor follows: spring and damper just reach the bound       (5)
///
/// (3) to (5) are the return mapping of plasticity [Simo, Hughes 1998, ch. 1]: force and slope are continuous between
/// sticking and sliding. The force's slope across d never exceeds c_t; were d taken from u alone, a slow point's would
/// be μ f_n/|u|, and corners of a creeping box would chatter sideways.
///
/// After the step has been predicted, each contact is reviewed with the acceleration a of its point, f⁺ = f − W a,
/// u⁺ = u + h a; if one was wrong, the prediction is made once more:
///   pulls (f_n⁺ < 0)            → off
///   is off, but −(k φ + c u_n⁺) > 0 → back: what took it off may have been another point's wrong opinion
///   sticks, but |t⁺| > μ f_n⁺   → slides along t⁺
///   slides, but |t⁺| < μ f_n⁺ or t⁺·d < 0   → sticks
///   slides with a stale bound   → slides with this step's normal force (|f_n⁺ − f_n| > 5 %)
/// Opinions that go round in circles (h c n > m: light bodies) and impacts with restitution are solved exactly instead
/// [contact/solve/own_points.h]; where that is not at hand the last prediction is calm [calm.h].
/// Limits: a penalty law, so a resting robot sinks by load / k. Contacts between moving bodies belong to `couple`.
#pragma once
#include "contact/law/law.h"
#include "model/kind_arrays.h"

namespace gradus {

/// What the law needs of the world and of one point, for any scalar. F: of the constants; Axes: of the ground
/// [contact/plane.h].
template <class T, class Axes, class F = RealOf<T>>
struct LawT {
  const Axes& ground;
  F step;
  const ContactPointT<F>& p;
  GRADUS_INLINE T h() const { return T(step); }
  GRADUS_INLINE T c() const { return T(p.d + step * p.k); }
  GRADUS_INLINE T ct() const { return T(p.dt + step * p.kt); }
};

// One contact, for any scalar [compliant.inl]. m: its memory; a: true acceleration of its point.
/// First opinion, force and slope; fall: speed along the normal gained by falling freely.
template <class T, class Axes, class F>
GRADUS_INLINE void begin_contact(const LawT<T, Axes, F>& law, T fall, const ContactMemoryT<T>& m, StaticContactT<T>& c);
/// Where the opinion changed (force and slope are then renewed).
template <class T, class Axes, class F>
GRADUS_INLINE MaskOf<T> review_contact(const LawT<T, Axes, F>& law, const ContactMemoryT<T>& m, Vec3T<T> a,
                                       StaticContactT<T>& c);
template <class T, class Axes, class F>
GRADUS_INLINE ContactMemoryT<T> remember_contact(const LawT<T, Axes, F>& law, const ContactMemoryT<T>& m, Vec3T<T> a,
                                                 const StaticContactT<T>& c);

// All contacts of a robot: the loops of the three. next may be memory itself if contacts are in the order of their
// points.
template <class T, class F>
GRADUS_INLINE void begin_contacts(const KindArraysT<F>& kind, const PlaneT<F>& ground, Vec3T<F> gravity, F h,
                                  const ContactMemoryT<T>* memory, int count, StaticContactT<T>* contacts);
template <class T, class F>
GRADUS_INLINE MaskOf<T> review_contacts(const KindArraysT<F>& kind, const PlaneT<F>& ground, Vec3T<F> gravity, F h,
                                        const ContactMemoryT<T>* memory, const Vec6T<T>* acc, int count,
                                        StaticContactT<T>* contacts);
template <class T, class F>
GRADUS_INLINE void remember_contacts(const KindArraysT<F>& kind, const PlaneT<F>& ground, Vec3T<F> gravity, F h,
                                     const ContactMemoryT<T>* memory, const Vec6T<T>* acc, int count,
                                     const StaticContactT<T>* contacts, ContactMemoryT<T>* next);

struct Compliant {
  static constexpr std::string_view name = "compliant";
  static constexpr bool kExact = true, kSprings = true;
  static void begin(LawView view, double h);
  static bool review(LawView view, double h);
  static void remember(LawView view, double h);
};

}  // namespace gradus
