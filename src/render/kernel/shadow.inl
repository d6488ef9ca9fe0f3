/// Is something between a point and the light? Part of the kernel [render/kernel.inl].
#pragma once
#include "render/kernel/meet.inl"

namespace gradus::render {
namespace {

template <class T>
struct Point {
  T x, y, z;
};
template <class T>
GRADUS_INLINE T dot3(const Point<T>& p, const float* a) {
  return p.x * a[0] + p.y * a[1] + p.z * a[2];
}
GRADUS_INLINE float dot3(const float* a, const float* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

template <class T>
GRADUS_INLINE MaskOf<T> ball_blocks(const Point<T>& q, const float* centre, float r, const float* l) {
  const Point<T> o{q.x - centre[0], q.y - centre[1], q.z - centre[2]};
  const T b = dot3(o, l), c = o.x * o.x + o.y * o.y + o.z * o.z - T(r * r);
  return (b * b - c > 0.0f) & (b < 0.0f);
}

template <class T>
GRADUS_INLINE MaskOf<T> capsule_blocks(const FlatShape& f, const Point<T>& p, const float* l) {
  using M = MaskOf<T>;
  const Point<T> o{p.x - f.a[0], p.y - f.a[1], p.z - f.a[2]};
  const float lw = dot3(l, f.w), a = f.ww - lw * lw;
  const T ol = dot3(o, l), ow = dot3(o, f.w), oo = o.x * o.x + o.y * o.y + o.z * o.z;
  const T b = f.ww * ol - ow * lw, c = f.ww * oo - ow * ow - T(f.r * f.r * f.ww), q = b * b - a * c;
  const M m = q > 0.0f;
  if (!some(m)) return m;
  const T t = (-b - root(most(q, T(0.0f)))) / T(a > 1e-12f ? a : 1e-12f), along = ow + t * lw;
  const M low = along <= 0.0f, high = along >= f.ww;
  M body = m & mask_not(low | high) & (t > 0.0f);
  if (some(m & (low | high)))
    body = body | (m & low & ball_blocks(p, f.a, f.r, l)) | (m & high & ball_blocks(p, f.b, f.r, l));
  return body;
}

template <class T>
GRADUS_INLINE MaskOf<T> box_blocks(const FlatShape& f, const Point<T>& p, const float* l) {
  const Point<T> o{p.x - f.p[0], p.y - f.p[1], p.z - f.p[2]};
  const float iu = inverse_of(dot3(l, f.u)), iv = inverse_of(dot3(l, f.v)), iw = inverse_of(dot3(l, f.w));
  const float ku = magnitude_of(iu) * f.h[0], kv = magnitude_of(iv) * f.h[1], kw = magnitude_of(iw) * f.h[2];
  const T mu = -(dot3(o, f.u) * iu), mv = -(dot3(o, f.v) * iv), mw = -(dot3(o, f.w) * iw);
  const T in = most(most(mu - ku, mv - kv), mw - kw), out = least(least(mu + ku, mv + kv), mw + kw);
  return (in < out) & (out > 0.0f);
}

template <class T>
GRADUS_INLINE MaskOf<T> cylinder_blocks(const FlatShape& f, const Point<T>& p, const float* l) {
  const Point<T> o{p.x - f.p[0], p.y - f.p[1], p.z - f.p[2]};
  const float lw = dot3(l, f.w), a = 1.0f - lw * lw;
  const T ow = dot3(o, f.w), b = dot3(o, l) - ow * lw, c = o.x * o.x + o.y * o.y + o.z * o.z - ow * ow - T(f.r * f.r);
  const T q = b * b - a * c;
  const float ia = 1.0f / (a > 1e-12f ? a : 1e-12f), iw = inverse_of(lw), kw = magnitude_of(iw) * f.h[2];
  const T r = root(most(q, T(0.0f))), mw = -(ow * iw);
  const T in = most((-b - r) * ia, mw - kw), out = least((r - b) * ia, mw + kw);
  return (q > 0.0f) & (in < out) & (out > 0.0f);
}

template <class T>
GRADUS_INLINE MaskOf<T> mesh_blocks(const Placed& s, const FlatShape& f, const Point<T>& p, const float* l, MaskOf<T> open) {
  const int k = static_cast<int>(&f - s.shapes);
  const Point<T> c{s.cx[k] - p.x, s.cy[k] - p.y, s.cz[k] - p.z};
  const T along = dot3(c, l);
  const MaskOf<T> close =
      open & (c.x * c.x + c.y * c.y + c.z * c.z - along * along <= s.cr[k] * s.cr[k]);  // to the bounding sphere
  if (!some(close)) return close;
  const Point<T> o{p.x - f.p[0], p.y - f.p[1], p.z - f.p[2]};
  const MeshRay<T, float> r =
      in_axes_of(f, Direction<float>{l[0], l[1], l[2]}, dot3(o, f.u), dot3(o, f.v), dot3(o, f.w));
  T t = select(close, T(kFar), T(0.0f)), part(0.0f);
  return close & walk_tree<true>(s.trees[f.tree], r, order_of(f, l), T(1e-3f), t, part);
}

/// open: for whom it is asked; of others nothing is said.
template <class T>
GRADUS_INLINE MaskOf<T> blocks(const Placed& s, const FlatShape& f, const Point<T>& p, MaskOf<T> open) {
  switch (f.kind) {
    case FlatKind::sphere:
      return ball_blocks(p, f.p, f.r, s.light);
    case FlatKind::capsule:
      return capsule_blocks(f, p, s.light);
    case FlatKind::box:
      return box_blocks(f, p, s.light);
    case FlatKind::cylinder:
      return cylinder_blocks(f, p, s.light);
    case FlatKind::mesh:
      return mesh_blocks(s, f, p, s.light, open);
    case FlatKind::plane:
      break;
  }
  return p.x != p.x;  // nothing
}

}  // namespace
}  // namespace gradus::render
