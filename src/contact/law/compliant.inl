/// Body of compliant.h for any scalar: one contact at a time, every lane with its own opinion.
#pragma once
#include <cstring>

#include "contact/law/compliant.h"
#include "contact/find/plane.h"

namespace gradus {
namespace compliant {

constexpr double kStale = 0.05;  // relative change of the normal force that makes a sliding bound stale
constexpr double kPull = 1e-9;   // [N] a pull below this is rounding
constexpr double kOver = 1e-9;   // a bound exceeded by this share is rounding

/// (3): friction of a sliding point; size: of the trial (4).
template <class T, class Axes, class F>
GRADUS_INLINE void slide(const LawT<T, Axes, F>& law, T fn, T wn, T size, const StaticContactT<T>& c, Vec3T<T>& f,
                         Sym3T<T>& W) {
  const T bound = T(law.p.friction) * c.fn;
  const auto less = bound < size;
  const T across = law.h() * law.ct() * select(less, bound / select(less, size, T(1.0)), T(1.0));
  f = law.ground.normal(fn) - c.d * bound;
  W = law.ground.axial(wn, across);
  W.xx -= across * c.d.x * c.d.x;
  W.xy -= across * c.d.x * c.d.y;
  W.xz -= across * c.d.x * c.d.z;
  W.yy -= across * c.d.y * c.d.y;
  W.yz -= across * c.d.y * c.d.z;
  W.zz -= across * c.d.z * c.d.z;
}

/// (4) for the velocity u; s: deflection of the sticking spring.
template <class T, class Axes, class F>
GRADUS_INLINE Vec3T<T> trial(const LawT<T, Axes, F>& law, Vec3T<T> s, Vec3T<T> u) {
  return s * T(law.p.kt) + law.ground.tangential(u) * law.ct();
}

/// (1) with (2) or (3) for the contact's present opinion, in the lanes `where`.
template <class T, class Axes, class F>
GRADUS_INLINE void evaluate(const LawT<T, Axes, F>& law, Vec3T<T> s, T size, MaskOf<T> where, StaticContactT<T>& c) {
  const T cn = law.c(), fn = -(T(law.p.k) * c.gap + cn * law.ground.along(c.u)), wn = law.h() * cn;
  Vec3T<T> f;
  Sym3T<T> W;
  if (!all(c.sliding)) {
    f = law.ground.normal(fn) - trial(law, s, c.u);
    W = law.ground.axial(wn, law.h() * law.ct());
  }
  if (any(c.sliding)) {
    Vec3T<T> f_slide;
    Sym3T<T> W_slide;
    slide(law, fn, wn, size, c, f_slide, W_slide);
    f = select(c.sliding, f_slide, f);
    W = select(c.sliding, W_slide, W);
  }
  c.f = select(where, f, c.f);
  c.W = select(where, W, c.W);
}

/// Outside `c.active` there is no force.
template <class T>
GRADUS_INLINE void clear_inactive(StaticContactT<T>& c) {
  const T o = T(0.0);
  c.f = select(c.active, c.f, zero3<T>());
  c.W = select(c.active, c.W, Sym3T<T>{o, o, o, o, o, o});
}

template <class T, class Axes, class F>
GRADUS_INLINE Vec3T<T> deflection(const LawT<T, Axes, F>& law, const ContactMemoryT<T>& m) {
  return law.ground.tangent(m.s1, m.s2);
}

/// Not longer than a sticking spring may be under the normal force fn.
template <class T, class Axes, class F>
GRADUS_INLINE Vec3T<T> bounded(const LawT<T, Axes, F>& law, Vec3T<T> s, T fn) {
  const T limit = T(law.p.friction) * fn, kt = T(law.p.kt);
  const auto over = dot(s, s) * (kt * kt) > limit * limit;
  if (!any(over)) return s;
  return select(over, s * (limit / (kt * select(over, norm(s), T(1.0)))), s);
}

/// (5) If the spring of a point that stops were slack, a box on a slope would slip a little whenever a corner slid.
template <class T, class Axes, class F>
GRADUS_INLINE Vec3T<T> dragged(const LawT<T, Axes, F>& law, Vec3T<T> u, Vec3T<T> d, T fn) {
  return d * (maximum(T(law.p.friction) * fn - T(law.p.dt) * norm(law.ground.tangential(u)), T(0.0)) / T(law.p.kt));
}

}  // namespace compliant

template <class T, class Axes, class F>
GRADUS_INLINE void begin_contact(const LawT<T, Axes, F>& law, T fall, const ContactMemoryT<T>& m, StaticContactT<T>& c) {
  using namespace compliant;
  const T free = -(T(law.p.k) * c.gap + law.c() * (law.ground.along(c.u) + fall));
  c.active = mask_and(c.active, free > T(0.0));
  if (any(c.active)) {
    c.fn = select(c.fn <= T(0.0), free, c.fn);
    // A point that slides, or lands sliding, does so from the start: trying to stop it would tip the body, and the
    // normal forces found then would be those of another motion.
    const Vec3T<T> s = deflection(law, m), t = trial(law, s, c.u);
    const T bound = T(law.p.friction) * c.fn;
    c.sliding = dot(t, t) > bound * bound;  // squares: most points stick, and a root costs as much as the rest
    T size = T(0.0);
    if (any(c.sliding)) {
      size = norm(t);
      c.d = t * (T(1.0) / select(c.sliding, size, T(1.0)));
    }
    evaluate(law, s, size, c.active, c);
  }
  if (!all(c.active)) clear_inactive(c);
}

template <class T, class Axes, class F>
GRADUS_INLINE MaskOf<T> review_contact(const LawT<T, Axes, F>& law, const ContactMemoryT<T>& m, Vec3T<T> a,
                                       StaticContactT<T>& c) {
  using namespace compliant;
  const Vec3T<T> f = c.f - c.W * a, u = c.u + a * law.h();
  // A point that is off may have to come back: what took it off may have been another point's wrong opinion.
  const auto off = mask_and(c.near, mask_not(c.active));
  auto returns = off;
  T fn = law.ground.along(f);
  if (any(off)) {
    fn = select(off, -(T(law.p.k) * c.gap + law.c() * law.ground.along(u)), fn);
    returns = mask_and(off, fn > T(kPull));
  }
  const auto pulls = mask_and(c.active, fn < T(-kPull));
  const auto pushes = mask_and(c.active, mask_not(pulls));
  const Vec3T<T> s = deflection(law, m), t = trial(law, s, u);
  const T size2 = dot(t, t), bound = T(law.p.friction) * fn, over = bound * T(1 + kOver);
  const auto slips = mask_and(mask_and(pushes, mask_not(c.sliding)), size2 > over * over);
  auto stops = mask_and(pushes, c.sliding), stale = stops;
  if (any(stops)) {  // so far: slides
    // Friction that turns a point round is too much.
    stops = mask_and(stops, mask_or(size2 < bound * bound, dot(t, c.d) < T(0.0)));
    stale = mask_and(mask_and(stale, mask_not(stops)), mask_or(fn > c.fn * T(1 + kStale), fn < c.fn * T(1 - kStale)));
  }
  const auto anew = mask_or(mask_or(slips, returns), mask_or(stops, stale)), changed = mask_or(pulls, anew);
  if (!any(changed)) return changed;
  const T size = square_root(size2);
  const auto lands = mask_and(returns, size2 > over * over), slides = mask_or(slips, lands);
  c.active = mask_or(pushes, returns);
  c.sliding = mask_or(mask_and(mask_or(c.sliding, slides), mask_not(mask_or(stops, returns))), lands);
  c.fn = select(mask_or(mask_or(slips, returns), stale), fn, c.fn);
  if (any(slides)) c.d = select(slides, t * (T(1.0) / select(slides, size, T(1.0))), c.d);
  if (any(anew)) evaluate(law, s, size, anew, c);
  if (any(pulls)) clear_inactive(c);
  return changed;
}

template <class T, class Axes, class F>
GRADUS_INLINE ContactMemoryT<T> remember_contact(const LawT<T, Axes, F>& law, const ContactMemoryT<T>& m, Vec3T<T> a,
                                                 const StaticContactT<T>& c) {
  using namespace compliant;
  const T o = T(0.0);
  const Vec3T<T> u = c.u + a * law.h();
  ContactMemoryT<T> out{o, o, o, o};
  out.fn = select(c.active, maximum(law.ground.along(c.f - c.W * a), o), o);
  if (!any(c.active)) return out;
  out.sliding = select(mask_and(c.active, c.sliding), T(1.0), o);
  Vec3T<T> s = zero3<T>();
  if (!all(c.sliding)) s = bounded(law, deflection(law, m) + law.ground.tangential(u) * law.h(), out.fn);
  if (any(c.sliding)) s = select(c.sliding, dragged(law, u, c.d, out.fn), s);
  out.s1 = select(c.active, law.ground.first(s), o);
  out.s2 = select(c.active, law.ground.second(s), o);
  return out;
}

namespace compliant {

template <class T, class F, class Axes>
GRADUS_INLINE void begin_all(const Axes& axes, const KindArraysT<F>& kind, T fall, F h, const ContactMemoryT<T>* memory,
                             int count, StaticContactT<T>* contacts) {
  for (int i = 0; i < count; ++i) {
    StaticContactT<T>& c = contacts[i];
    begin_contact(LawT<T, Axes, F>{axes, h, kind.points[c.point]}, fall, memory[c.point], c);
  }
}

template <class T, class F, class Axes>
GRADUS_INLINE MaskOf<T> review_all(const Axes& axes, const KindArraysT<F>& kind, Vec3T<T> g, F h,
                                   const ContactMemoryT<T>* memory, const Vec6T<T>* acc, int count,
                                   StaticContactT<T>* contacts) {
  MaskOf<T> changed{};
  for (int i = 0; i < count; ++i) {
    StaticContactT<T>& c = contacts[i];
    const Vec3T<T> a = velocity_at(acc[c.link], c.r) + g;
    changed = mask_or(changed, review_contact(LawT<T, Axes, F>{axes, h, kind.points[c.point]}, memory[c.point], a, c));
  }
  return changed;
}

template <class T, class F, class Axes>
GRADUS_INLINE void remember_all(const Axes& axes, const KindArraysT<F>& kind, Vec3T<T> g, F h,
                                const ContactMemoryT<T>* memory, const Vec6T<T>* acc, int count,
                                const StaticContactT<T>* contacts, ContactMemoryT<T>* next) {
  const T o = T(0.0);
  int k = 0;
  if (next != memory) {  // two states: clear all at once
    k = kind.npoint();
    std::memset(static_cast<void*>(next), 0, static_cast<std::size_t>(k) * sizeof *next);
  }
  for (int i = 0; i < count; ++i) {
    const StaticContactT<T>& c = contacts[i];
    if (!any(c.active)) continue;
    for (; k < c.point; ++k) next[k] = {o, o, o, o};
    const Vec3T<T> a = velocity_at(acc[c.link], c.r) + g;
    next[c.point] = remember_contact(LawT<T, Axes, F>{axes, h, kind.points[c.point]}, memory[c.point], a, c);
    if (k == c.point) ++k;
  }
  for (; k < kind.npoint(); ++k) next[k] = {o, o, o, o};
}

}  // namespace compliant

template <class T, class F>
GRADUS_INLINE void begin_contacts(const KindArraysT<F>& kind, const PlaneT<F>& ground, Vec3T<F> gravity, F h,
                                  const ContactMemoryT<T>* memory, int count, StaticContactT<T>* contacts) {
  const T fall = T(h * dot(gravity, ground.n));
  if (is_level(ground))
    compliant::begin_all(LevelT<T>{}, kind, fall, h, memory, count, contacts);
  else
    compliant::begin_all(tilted<T>(ground), kind, fall, h, memory, count, contacts);
}

template <class T, class F>
GRADUS_INLINE MaskOf<T> review_contacts(const KindArraysT<F>& kind, const PlaneT<F>& ground, Vec3T<F> gravity, F h,
                                        const ContactMemoryT<T>* memory, const Vec6T<T>* acc, int count,
                                        StaticContactT<T>* contacts) {
  const Vec3T<T> g = cast<T>(gravity);
  if (is_level(ground)) return compliant::review_all(LevelT<T>{}, kind, g, h, memory, acc, count, contacts);
  return compliant::review_all(tilted<T>(ground), kind, g, h, memory, acc, count, contacts);
}

template <class T, class F>
GRADUS_INLINE void remember_contacts(const KindArraysT<F>& kind, const PlaneT<F>& ground, Vec3T<F> gravity, F h,
                                     const ContactMemoryT<T>* memory, const Vec6T<T>* acc, int count,
                                     const StaticContactT<T>* contacts, ContactMemoryT<T>* next) {
  const Vec3T<T> g = cast<T>(gravity);
  if (is_level(ground))
    compliant::remember_all(LevelT<T>{}, kind, g, h, memory, acc, count, contacts, next);
  else
    compliant::remember_all(tilted<T>(ground), kind, g, h, memory, acc, count, contacts, next);
}

}  // namespace gradus
