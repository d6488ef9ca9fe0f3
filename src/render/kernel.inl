/// Rays against shapes, colours, bands of an image: templates over T = float (one ray, also a CUDA thread) or a pack of
/// 4, 8, 16 rays. Only + − × ÷ √, comparisons and whole numbers in float32, no contraction: the same bits for every T,
/// compiler and machine.
///
/// Why lanes cannot see each other: a shape is left out for a pack only if no lane can hit it, and a lane's hit counts
/// only if t ≥ `near` of its shape (and its leaf's box is met), so a lane that would have been left out alone changes
/// nothing when a neighbour keeps the shape in.
#pragma once
#include "render/flat.h"
#include "render/lanes.h"

namespace gradus::render {
namespace {

/// The nearest thing on a ray. what: 0 sky, 1 ground, 2 + k shape k of Placed.
template <class T>
struct Hit {
  T t, what, part;  // part: triangle of a mesh
};
template <class T>
struct Direction {
  T x, y, z;
};

template <class T>
GRADUS_INLINE T dot3(const Direction<T>& d, const float* a) {
  return d.x * a[0] + d.y * a[1] + d.z * a[2];
}
/// 1/x, with a tiny number in place of zero: guards every division.
template <class T>
GRADUS_INLINE T inverse_of(T x) {
  return 1.0f / select(magnitude_of(x) < 1e-12f, T(1e-12f), x);
}

template <class T>
GRADUS_INLINE void take(MaskOf<T> m, T t, int shape, Hit<T>& h) {
  h.t = select(m, t, h.t);
  h.what = select(m, T(static_cast<float>(shape + 2)), h.what);
}

template <class T>
GRADUS_INLINE void meet_sphere(const FlatShape& f, int k, const Direction<T>& d, Hit<T>& h) {
  const T b = dot3(d, f.p), q = b * b - f.c;
  if (!some(q > 0.0f)) return;
  const T t = b - root(most(q, T(0.0f)));
  take((q > 0.0f) & (t >= f.near) & (t < h.t), t, k, h);
}

/// Body between the ends a and b = a + w, then the balls at the ends [Quilez, capsule intersection; own constants].
template <class T>
GRADUS_INLINE void meet_capsule(const FlatShape& f, int k, const Direction<T>& d, Hit<T>& h) {
  using M = MaskOf<T>;
  const T dw = dot3(d, f.w), da = -dot3(d, f.a);
  const T a = f.ww - dw * dw, b = f.ww * da - f.wo * dw, q = b * b - a * f.q;
  M m = q > 0.0f;
  if (!some(m)) return;
  const T side = (-b - root(most(q, T(0.0f)))) / most(a, T(1e-12f)), along = f.wo + side * dw;
  const M low = along <= 0.0f, cap = low | (along >= f.ww);
  T t = side;
  if (some(m & cap)) {
    const T e = select(low, da, -dot3(d, f.b)), c = select(low, T(f.ca), T(f.cb)), root2 = e * e - c;
    m = m & (mask_not(cap) | (root2 > 0.0f));
    t = select(cap, -e - root(most(root2, T(0.0f))), side);
  }
  take(m & (t >= f.near) & (t < h.t), t, k, h);
}

template <class T>
GRADUS_INLINE void meet_box(const FlatShape& f, int k, const Direction<T>& d, Hit<T>& h) {
  const T iu = inverse_of(dot3(d, f.u)), iv = inverse_of(dot3(d, f.v)), iw = inverse_of(dot3(d, f.w));
  const T ku = magnitude_of(iu) * f.h[0], kv = magnitude_of(iv) * f.h[1], kw = magnitude_of(iw) * f.h[2];
  const T mu = -(iu * f.o[0]), mv = -(iv * f.o[1]), mw = -(iw * f.o[2]);
  const T in = most(most(mu - ku, mv - kv), mw - kw), out = least(least(mu + ku, mv + kv), mw + kw);
  take((in < out) & (in >= f.near) & (in < h.t), in, k, h);
}

template <class T>
GRADUS_INLINE void meet_cylinder(const FlatShape& f, int k, const Direction<T>& d, Hit<T>& h) {
  using M = MaskOf<T>;
  const T dw = dot3(d, f.w), a = 1.0f - dw * dw, b = dot3(d, f.p) + dw * f.o[2], q = b * b - a * f.c;
  const M mantle = q > 0.0f;
  if (!some(mantle)) return;  // a ray along the axis has q = −a c: above zero inside the mantle
  const T r = root(most(q, T(0.0f))), ia = 1.0f / most(a, T(1e-12f)), in = (b - r) * ia, out = (b + r) * ia;
  const T iw = inverse_of(dw), kw = magnitude_of(iw) * f.h[2], mw = -(iw * f.o[2]);
  const T t = most(in, mw - kw);
  take(mantle & (t < least(out, mw + kw)) & (t >= f.near) & (t < h.t), t, k, h);
}

template <class T>
GRADUS_INLINE void meet_plane(const FlatShape& f, int k, const Direction<T>& d, Hit<T>& h) {
  const T down = -dot3(d, f.w), t = -f.h[2] / most(down, T(1e-6f));  // h[2] = n · p is below zero in front of the plane
  take((down > 1e-6f) & (t >= f.near) & (t < h.t), t, k, h);
}

/// A ray in the axes of a mesh.
template <class T>
struct MeshRay {
  T ox, oy, oz, dx, dy, dz, ix, iy, iz;
};

template <class T>
GRADUS_INLINE MaskOf<T> meets_node(const TreeNode& n, const MeshRay<T>& r, T least_t, T most_t) {
  const T ax = (n.lo[0] - r.ox) * r.ix, bx = (n.hi[0] - r.ox) * r.ix;
  const T ay = (n.lo[1] - r.oy) * r.iy, by = (n.hi[1] - r.oy) * r.iy;
  const T az = (n.lo[2] - r.oz) * r.iz, bz = (n.hi[2] - r.oz) * r.iz;
  const T in = most(most(least(ax, bx), least(ay, by)), most(least(az, bz), least_t));
  const T out = least(least(most(ax, bx), most(ay, by)), least(most(az, bz), most_t));
  return in <= out;
}

/// Ray against triangle [Möller, Trumbore 1997]; everything times the determinant, so that only hits need a division.
/// solid: closed surfaces are met from outside alone, as all solids are.
template <class T>
GRADUS_INLINE MaskOf<T> meets_triangle(const TreeTriangle& g, const MeshRay<T>& r, bool solid, T& t) {
  const T hx = r.dy * g.ac[2] - r.dz * g.ac[1], hy = r.dz * g.ac[0] - r.dx * g.ac[2],
          hz = r.dx * g.ac[1] - r.dy * g.ac[0];
  const T det = hx * g.ab[0] + hy * g.ab[1] + hz * g.ab[2];  // above zero: from outside
  const T size = solid ? det : magnitude_of(det);
  const T sx = r.ox - g.a[0], sy = r.oy - g.a[1], sz = r.oz - g.a[2];
  const T qx = sy * g.ab[2] - sz * g.ab[1], qy = sz * g.ab[0] - sx * g.ab[2], qz = sx * g.ab[1] - sy * g.ab[0];
  T u = sx * hx + sy * hy + sz * hz, v = r.dx * qx + r.dy * qy + r.dz * qz;
  if (!solid) u = select(det < 0.0f, -u, u), v = select(det < 0.0f, -v, v);
  const T eps = size * -1e-5f;  // neighbours share an edge: let no ray slip through between them
  const MaskOf<T> m = (size >= 1e-20f) & (u >= eps) & (v >= eps) & (u + v <= size - eps);
  if (!some(m)) return m;
  t = (qx * g.ac[0] + qy * g.ac[1] + qz * g.ac[2]) / select(m, det, T(1.0f));
  return m;
}

/// Rays down a tree, the nearer child first (by the direction of the first lane's tile, the same for all lane counts).
/// `order`: bit k set, children along axis k are met from the far end. Any: stop at the first hit.
template <bool any_hit, class T>
GRADUS_INLINE MaskOf<T> walk_tree(const Tree& tree, const MeshRay<T>& r, int order, T least_t, T& t, T& part) {
  using M = MaskOf<T>;
  std::int32_t stack[64];
  int top = 0;
  stack[top++] = 0;
  M found = t < least_t;  // none: t is far away
  found = found & mask_not(found);
  while (top > 0) {
    const TreeNode& n = tree.nodes[stack[--top]];
    const M inside = meets_node(n, r, least_t, t);
    if (!some(inside)) continue;
    if (n.count == 0) {
      const int swap = order >> n.axis & 1;
      stack[top++] = n.first + (swap ? 0 : 1), stack[top++] = n.first + (swap ? 1 : 0);
      continue;
    }
    for (int k = 0; k < n.count; ++k) {
      T s = t;
      M m = meets_triangle(tree.triangles[n.first + k], r, tree.solid != 0 && !any_hit, s);
      if (!some(m)) continue;
      m = m & inside & (s >= least_t) & (s < t);
      if (!some(m)) continue;
      t = select(m, s, t), part = select(m, T(static_cast<float>(n.first + k)), part);
      found = found | m;
      if (any_hit && !some(mask_not(found))) return found;
    }
  }
  return found;
}

template <class T>
GRADUS_INLINE MeshRay<T> in_axes_of(const FlatShape& f, const Direction<T>& d, T ox, T oy, T oz) {
  const T dx = dot3(d, f.u), dy = dot3(d, f.v), dz = dot3(d, f.w);
  return {ox, oy, oz, dx, dy, dz, inverse_of(dx), inverse_of(dy), inverse_of(dz)};
}
GRADUS_INLINE int order_of(const FlatShape& f, const float* axis) {
  const auto behind = [&](const float* e) { return axis[0] * e[0] + axis[1] * e[1] + axis[2] * e[2] < 0; };
  return (behind(f.u) ? 1 : 0) | (behind(f.v) ? 2 : 0) | (behind(f.w) ? 4 : 0);
}

template <class T>
GRADUS_INLINE void meet_mesh(const Placed& s, const FlatShape& f, int k, const Direction<T>& d, const float* axis,
                             Hit<T>& h) {
  const T along = d.x * s.cx[k] + d.y * s.cy[k] + d.z * s.cz[k];
  const MaskOf<T> close = s.c2[k] - along * along <= s.cr[k] * s.cr[k];  // to the bounding sphere
  if (!some(close)) return;
  const MeshRay<T> r = in_axes_of(f, d, T(f.o[0]), T(f.o[1]), T(f.o[2]));
  T t = select(close, h.t, T(0.0f)), part = h.part;
  const MaskOf<T> m = close & walk_tree<false>(s.trees[f.tree], r, order_of(f, axis), T(f.near), t, part);
  if (!some(m)) return;
  take(m, t, k, h);
  h.part = select(m, part, h.part);
}

/// The nearest of the listed shapes; `axis`: any direction near all the rays, the same for every lane count.
template <class T>
GRADUS_INLINE void trace(const Placed& s, const std::int32_t* list, int n, const float* axis, const Direction<T>& d,
                         Hit<T>& h) {
  for (int i = 0; i < n; ++i) {
    const int k = list[i];
    const FlatShape& f = s.shapes[k];
    if (!some(h.t > f.near)) break;  // all that follow are farther
    switch (f.kind) {
      case FlatKind::sphere:
        meet_sphere(f, k, d, h);
        break;
      case FlatKind::capsule:
        meet_capsule(f, k, d, h);
        break;
      case FlatKind::box:
        meet_box(f, k, d, h);
        break;
      case FlatKind::cylinder:
        meet_cylinder(f, k, d, h);
        break;
      case FlatKind::plane:
        meet_plane(f, k, d, h);
        break;
      case FlatKind::mesh:
        meet_mesh(s, f, k, d, axis, h);
        break;
    }
  }
}

/// The ground, or nothing.
template <class T>
GRADUS_INLINE Hit<T> begin(const Placed& s, const Direction<T>& d) {
  Hit<T> h{T(kFar), T(0.0f), T(0.0f)};
  if (!s.ground.present) return h;
  const T down = -dot3(d, s.ground.up);
  const MaskOf<T> m = down > 1e-4f;
  h.t = select(m, s.ground.height / most(down, T(1e-4f)), h.t);
  h.what = select(m, T(1.0f), h.what);
  return h;
}

template <class T>
GRADUS_INLINE MaskOf<T> is(const Hit<T>& h, int shape) {
  return h.what == static_cast<float>(shape + 2);
}

// ---- is something between a point and the light? ----

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
GRADUS_INLINE MaskOf<T> mesh_blocks(const Placed& s, const FlatShape& f, const Point<T>& p, const float* l) {
  const int k = static_cast<int>(&f - s.shapes);
  const Point<T> c{s.cx[k] - p.x, s.cy[k] - p.y, s.cz[k] - p.z};
  const T along = dot3(c, l);
  const MaskOf<T> close =
      c.x * c.x + c.y * c.y + c.z * c.z - along * along <= s.cr[k] * s.cr[k];  // to the bounding sphere
  if (!some(close)) return close;
  const Point<T> o{p.x - f.p[0], p.y - f.p[1], p.z - f.p[2]};
  const MeshRay<T> r = in_axes_of(f, Direction<T>{T(l[0]), T(l[1]), T(l[2])}, dot3(o, f.u), dot3(o, f.v), dot3(o, f.w));
  T t = select(close, T(kFar), T(0.0f)), part(0.0f);
  return close & walk_tree<true>(s.trees[f.tree], r, order_of(f, l), T(1e-3f), t, part);
}

template <class T>
GRADUS_INLINE MaskOf<T> blocks(const Placed& s, const FlatShape& f, const Point<T>& p) {
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
      return mesh_blocks(s, f, p, s.light);
    case FlatKind::plane:
      break;
  }
  return p.x != p.x;  // nothing
}

// ---- colours ----

template <class T>
struct Colour {
  T r, g, b;
};
inline constexpr float kAmbient = 0.35f, kDirect = 0.65f;

/// Outward normal of shape f where the ray meets it.
template <class T>
GRADUS_INLINE Direction<T> normal_of(const Placed& s, const FlatShape& f, const Direction<T>& d, const Hit<T>& h,
                                     MaskOf<T> mine) {
  const Point<T> o{d.x * h.t - f.p[0], d.y * h.t - f.p[1], d.z * h.t - f.p[2]};
  switch (f.kind) {
    case FlatKind::sphere: {
      const float i = 1.0f / f.r;
      return {o.x * i, o.y * i, o.z * i};
    }
    case FlatKind::capsule: {
      const float i = 1.0f / f.r;
      const T k = between_0_and_1((f.wo + h.t * dot3(d, f.w)) * (1.0f / f.ww));
      return {(d.x * h.t - f.a[0] - k * f.w[0]) * i, (d.y * h.t - f.a[1] - k * f.w[1]) * i,
              (d.z * h.t - f.a[2] - k * f.w[2]) * i};
    }
    case FlatKind::box: {  // the face that the point is nearest to, from outside
      const T pu = dot3(o, f.u), pv = dot3(o, f.v), pw = dot3(o, f.w);
      const T eu = magnitude_of(pu) - f.h[0], ev = magnitude_of(pv) - f.h[1], ew = magnitude_of(pw) - f.h[2];
      const auto mu = (eu >= ev) & (eu >= ew), mv = mask_not(mu) & (ev >= ew);
      const T sign = select(select(mu, pu, select(mv, pv, pw)) > 0.0f, T(1.0f), T(-1.0f));
      const auto of = [&](int i) { return sign * select(mu, T(f.u[i]), select(mv, T(f.v[i]), T(f.w[i]))); };
      return {of(0), of(1), of(2)};
    }
    case FlatKind::cylinder: {
      const T along = dot3(o, f.w),
              side = most(root(most(o.x * o.x + o.y * o.y + o.z * o.z - along * along, T(0.0f))), T(1e-9f));
      const auto cap = magnitude_of(along) - f.h[2] >= side - f.r;
      const T sign = select(along > 0.0f, T(1.0f), T(-1.0f)), i = 1.0f / side;
      const auto of = [&](T x, int k) { return select(cap, sign * f.w[k], (x - along * f.w[k]) * i); };
      return {of(o.x, 0), of(o.y, 1), of(o.z, 2)};
    }
    case FlatKind::plane:
      return {T(f.w[0]), T(f.w[1]), T(f.w[2])};
    case FlatKind::mesh:
      break;
  }
  Direction<T> n{T(0.0f), T(0.0f), T(0.0f)};
  constexpr int lanes = ScalarTraits<T>::lanes;
  for (int i = 0; i < lanes; ++i) {  // lanes may be on different triangles
    if (!at_mask(mine, i)) continue;
    const TreeTriangle& g = s.trees[f.tree].triangles[static_cast<int>(at(h.part, i))];
    const float a = g.ab[1] * g.ac[2] - g.ab[2] * g.ac[1], b = g.ab[2] * g.ac[0] - g.ab[0] * g.ac[2],
                c = g.ab[0] * g.ac[1] - g.ab[1] * g.ac[0];
    const float nx = a * f.u[0] + b * f.v[0] + c * f.w[0], ny = a * f.u[1] + b * f.v[1] + c * f.w[1],
                nz = a * f.u[2] + b * f.v[2] + c * f.w[2];
    const float towards = at(d.x, i) * nx + at(d.y, i) * ny + at(d.z, i) * nz;
    const float k = (towards > 0 ? -1.0f : 1.0f) / most(root(nx * nx + ny * ny + nz * nz), 1e-30f);
    put(n.x, i, nx * k), put(n.y, i, ny * k), put(n.z, i, nz * k);
  }
  return n;
}

/// Dark patches of a football: where the outward direction is within 21° of one of the 12 corners of an icosahedron,
/// (0, ±1, ±φ) and its cyclic shifts, of length 1.
template <class T>
GRADUS_INLINE T football(const FlatShape& f, const Direction<T>& n) {
  const T x = magnitude_of(n.x * f.u[0] + n.y * f.u[1] + n.z * f.u[2]),
          y = magnitude_of(n.x * f.v[0] + n.y * f.v[1] + n.z * f.v[2]),
          z = magnitude_of(n.x * f.w[0] + n.y * f.w[1] + n.z * f.w[2]);
  constexpr float a = 0.5257311f, b = 0.8506508f;
  const T c = most(most(y * a + z * b, z * a + x * b), x * a + y * b);
  return select(c > 0.9336f, T(0.04f), T(1.0f));
}

/// Digits 0 … 9, five columns and seven rows each, the top row in the highest bits, the left column first.
GRADUS_INLINE bool digit_dot(int digit, int column, int row) {
  constexpr std::uint64_t kDigits[10] = {0x3a33ae62eull, 0x11842108eull, 0x3a213221full, 0x3a213062eull,
                                         0x08ca97c42ull, 0x7e1e0862eull, 0x1910f462eull, 0x7c2222108ull,
                                         0x3a317462eull, 0x3a317844cull};
  return (kDigits[digit] >> (34 - 5 * row - column) & 1) != 0;
}

/// The number on front and back of a box, white on dark and black on light: 1, or the factor for its dots. Two fifths
/// of the face are for the digits' height.
GRADUS_INLINE float number_on_box(const FlatShape& f, int number, float u, float v, float w) {
  if (magnitude_of(u) < 0.99f * f.h[0]) return 1.0f;  // the sides
  const float dot_size = f.h[2] * (0.8f / 7), left = (u > 0 ? -v : v) / dot_size, up = (w - 0.1f * f.h[2]) / dot_size;
  const int digits = number > 9 ? 2 : 1;
  const float x = 0.5f * static_cast<float>(6 * digits - 1) - left, y = 3.5f - up;
  if (x < 0 || y < 0 || x >= static_cast<float>(6 * digits - 1) || y >= 7) return 1.0f;
  const int column = static_cast<int>(x), which = column / 6;
  if (column % 6 == 5) return 1.0f;
  const int digit = digits == 2 && which == 0 ? number / 10 : number % 10;
  const float own = f.rgb[0] * 0.3f + f.rgb[1] * 0.59f + f.rgb[2] * 0.11f;
  return digit_dot(digit, column % 6, static_cast<int>(y)) ? (own < 0.3f ? -1.0f : 0.0f) : 1.0f;
}

/// Where a box carries a number: 1 on the plain face, 0 on black dots, −1 on white ones.
template <class T>
GRADUS_INLINE T number_of(const FlatShape& f, const Direction<T>& d, const Hit<T>& h, MaskOf<T> mine) {
  const Point<T> o{d.x * h.t - f.p[0], d.y * h.t - f.p[1], d.z * h.t - f.p[2]};
  const T u = dot3(o, f.u), v = dot3(o, f.v), w = dot3(o, f.w);
  T out(1.0f);
  for (int i = 0; i < ScalarTraits<T>::lanes; ++i)
    if (at_mask(mine, i)) put(out, i, number_on_box(f, f.pattern - kNumberPattern, at(u, i), at(v, i), at(w, i)));
  return out;
}

template <class T>
GRADUS_INLINE void colour_shape(const Placed& s, int k, const BandCall& call, const Direction<T>& d, const Hit<T>& h,
                                MaskOf<T> mine, Colour<T>& out) {
  const FlatShape& f = s.shapes[k];
  const Direction<T> n = normal_of(s, f, d, h, mine);
  T direct = most(dot3(n, s.light), T(0.0f));
  if (call.body_shadows && some(mine & (direct > 0.0f))) {
    const float off = 1e-3f;  // away from the surface, so that it does not shade itself by rounding
    const Point<T> p{d.x * h.t + n.x * off, d.y * h.t + n.y * off, d.z * h.t + n.z * off};
    for (int i = s.blocker_first[f.drawn]; i < s.blocker_first[f.drawn + 1]; ++i)
      direct = select(blocks(s, s.shapes[s.place_of[s.blockers[i]]], p), T(0.0f), direct);
  }
  T lit = direct * kDirect + kAmbient;
  Colour<T> c{lit * f.rgb[0], lit * f.rgb[1], lit * f.rgb[2]};
  if (f.pattern == kFootballPattern) {
    const T dark = football(f, n);
    c = {c.r * dark, c.g * dark, c.b * dark};
  } else if (f.pattern >= kNumberPattern) {
    const T dots = number_of(f, d, h, mine), white = lit * 0.85f;
    const auto plain = dots > 0.5f, pale = dots < -0.5f;
    const auto of = [&](T own) { return select(plain, own, select(pale, white, lit * 0.03f)); };
    c = {of(c.r), of(c.g), of(c.b)};
  }
  out.r = select(mine, c.r, out.r), out.g = select(mine, c.g, out.g), out.b = select(mine, c.b, out.b);
}

/// How much of a pixel's footprint of width f (given as 1/f) a stripe covers, |d| from its middle.
template <class T>
GRADUS_INLINE T coverage(T d, float half, T inverse_f) {
  return least(between_0_and_1((half - magnitude_of(d)) * inverse_f + 0.5f), least(2.0f * half * inverse_f, T(1.0f)));
}

/// Footprint of a pixel on the ground along e: f = t a (|e·v|/|v_z| + |e × v|)/h  [facts, sensors 4].
template <class T>
struct Footprint {
  T vx, vy;     // view ray along the ground's axes
  T width;      // t a: across
  T far, side;  // 1/(v_z h), 1/h
  GRADUS_INLINE T inverse(T ex, T ey) const {
    return 1.0f /
           most(width * (magnitude_of(vx * ex + vy * ey) * far + magnitude_of(vy * ex - vx * ey) * side), T(1e-4f));
  }
};

template <class T>
GRADUS_INLINE T cover_of(const Paint& q, T x, T y, const Footprint<T>& f) {
  const T px = x - q.x, py = y - q.y;
  if (q.disc) {
    const T r = root(px * px + py * py), i = 1.0f / most(r, T(1e-3f));
    return between_0_and_1((q.hx - r) * f.inverse(px * i, py * i) + 0.5f);
  }
  const T u = px * q.c + py * q.s, v = py * q.c - px * q.s;
  return coverage(u, q.hx, f.inverse(T(q.c), T(q.s))) * coverage(v, q.hy, f.inverse(T(-q.s), T(q.c)));
}

/// Blades of grass: a hash of the cell of 1 cm, fading where a pixel is larger than that, gone where it is much larger.
inline constexpr float kGrainless = 0.1f;  // [m]
template <class T>
GRADUS_INLINE T grain_of(T x, T y, T footprint, float contrast) {
  const T far = T(1e6f);
  const auto cx = whole(floor_of(least(most(x * 100.0f, -far), far)));
  const auto cy = whole(floor_of(least(most(y * 100.0f, -far), far)));
  auto q = cx * 0x1f123bb5u ^ cy * 0x5f356495u;
  q = (q ^ (q >> 15)) * 0x2c1b3c6du;
  q = q ^ (q >> 12);
  const T fade = between_0_and_1(0.0111f / most(footprint, T(1e-4f)) - 0.111f);  // 1 at 1 cm, 0 at 10 cm
  return (real(q & 1023u, x) * (1.0f / 1023) - 0.5f) * contrast * fade + 1.0f;
}

/// What a tile's pixels share.
struct TileLists {
  const std::int32_t *shapes, *shade, *paint;
  int shape_count, shade_count, paint_count;
};

template <class T>
GRADUS_INLINE void colour_ground(const Placed& s, const BandCall& call, const TileLists& l, const Direction<T>& d,
                                 MaskOf<T> mine, T distance, Colour<T>& out, T& painted) {
  const GroundFlat& g = s.ground;
  const T vx = dot3(d, g.e1), vy = dot3(d, g.e2), vz = most(-dot3(d, g.up), T(1e-4f));
  const T t = select(mine, distance, T(1.0f)), x = g.x + t * vx, y = g.y + t * vy;
  const T across = most(root(vx * vx + vy * vy), T(1e-4f)), side = 1.0f / across;
  const T steep = 1.0f / vz;
  const Footprint<T> f{vx, vy, t * call.rays.pixel, steep * side, side};
  Colour<T> c{T(g.rgb[0]), T(g.rgb[1]), T(g.rgb[2])};
  painted = T(0.0f);
  for (int i = 0; i < l.paint_count; ++i) {
    const Paint& q = s.paint[l.paint[i]];
    const T cover = cover_of(q, x, y, f);
    c = {c.r + (q.rgb[0] - c.r) * cover, c.g + (q.rgb[1] - c.g) * cover, c.b + (q.rgb[2] - c.b) * cover};
    painted = painted + (q.mark - painted) * cover;
  }
  const T foot = f.width * steep;
  if (g.grain > 0 && some(mine & (foot < kGrainless))) {
    const T k = grain_of(x, y, foot, g.grain);
    c = {c.r * k, c.g * k, c.b * k};
  }
  T direct = T(g.lit);
  if (l.shade_count > 0) {
    const Point<T> p{d.x * t, d.y * t, d.z * t};
    for (int i = 0; i < l.shade_count; ++i) direct = select(blocks(s, s.shapes[l.shade[i]], p), T(0.0f), direct);
  }
  const T lit = direct * kDirect + kAmbient;
  out.r = select(mine, c.r * lit, out.r), out.g = select(mine, c.g * lit, out.g),
  out.b = select(mine, c.b * lit, out.b);
}

template <class T>
GRADUS_INLINE Colour<T> sky(const Placed& s, const Direction<T>& d) {
  const T k = between_0_and_1(dot3(d, s.sky_up));
  const auto of = [&](int i) { return s.sky_low[i] + (s.sky_high[i] - s.sky_low[i]) * k; };
  return {of(0), of(1), of(2)};
}

/// One sample of each lane's pixel. painted: how much of it is paint.
template <class T>
GRADUS_INLINE Colour<T> sample_of(const Placed& s, const BandCall& call, const TileLists& l, const float* axis,
                                  const Direction<T>& d, Hit<T>& h, T& painted) {
  h = begin(s, d);
  trace(s, l.shapes, l.shape_count, axis, d, h);
  Colour<T> c = sky(s, d);
  painted = T(0.0f);
  const MaskOf<T> ground = h.what == 1.0f;
  if (some(ground)) colour_ground(s, call, l, d, ground, h.t, c, painted);
  if (!some(h.what > 1.5f)) return c;
  for (int i = 0; i < l.shape_count; ++i) {
    const MaskOf<T> mine = is(h, l.shapes[i]);
    if (some(mine)) colour_shape(s, l.shapes[i], call, d, h, mine, c);
  }
  return c;
}
template <class T>
GRADUS_INLINE Colour<T> sample(const BandCall& call, const TileLists& l, const float* axis, const Direction<T>& d,
                               Hit<T>& h, T& painted) {
  return sample_of(*call.placed, call, l, axis, d, h, painted);
}

// ---- lists of a tile ----

/// Does the cone meet one of a long shape's beads?
GRADUS_INLINE bool meets_bead(const FlatShape& f, const float* axis, float cosine, float sine) {
  for (int i = 0; i < kBeads; ++i) {
    const float k = static_cast<float>(i) - 0.5f * (kBeads - 1);
    const float x = f.p[0] + k * f.string[0], y = f.p[1] + k * f.string[1], z = f.p[2] + k * f.string[2];
    const float along = x * axis[0] + y * axis[1] + z * axis[2];
    const float across = root(most(x * x + y * y + z * z - along * along, 0.0f));
    if (across * cosine - along * sine <= f.bead) return true;
  }
  return false;
}

/// A cone, turned wider by a band's own turn.
struct WideCone {
  const float* axis;
  float cosine, sine;
};
GRADUS_INLINE WideCone widened(const TileCone& c, float slack_cos, float slack_sin) {
  return {c.axis, c.cosine * slack_cos - c.sine * slack_sin, c.sine * slack_cos + c.cosine * slack_sin};
}

/// Do the bounding spheres of shapes i, i + 1, … meet the cone?
template <class T>
GRADUS_INLINE MaskOf<T> spheres_meet(const Placed& s, int i, const WideCone& c) {
  const T x = load(s.cx + i, T()), y = load(s.cy + i, T()), z = load(s.cz + i, T());
  const T along = x * c.axis[0] + y * c.axis[1] + z * c.axis[2];
  const T across = root(most(load(s.c2 + i, T()) - along * along, T(0.0f)));
  return across * c.cosine - along * c.sine <= load(s.cr + i, T());
}
GRADUS_INLINE bool is_near(const FlatShape& f, const WideCone& c) {
  return f.bead == 0 || meets_bead(f, c.axis, c.cosine, c.sine);
}

/// Shapes that may meet the cone, nearest first.
template <class T>
GRADUS_INLINE int shapes_in(const Placed& s, const WideCone& cone, std::int32_t* list) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  int n = 0;
  for (int i = 0; i < s.count; i += lanes) {
    const auto m = spheres_meet<T>(s, i, cone);
    if (!some(m)) continue;
    for (int k = 0; k < lanes && i + k < s.count; ++k)
      if (at_mask(m, k) && is_near(s.shapes[i + k], cone)) list[n++] = i + k;
  }
  return n;
}

/// Where a tile's cone meets the ground, as a rectangle; false: nowhere.
struct GroundBox {
  float x0, x1, y0, y1;
};
GRADUS_INLINE bool ground_box(const Placed& s, const TileCone& cone, float slack_sin, GroundBox& box) {
  const GroundFlat& g = s.ground;
  if (!g.present) return false;
  if (cone.cosine < 0.5f) return box = {-1e30f, 1e30f, -1e30f, 1e30f}, true;
  const float ax = dot3(cone.axis, g.e1), ay = dot3(cone.axis, g.e2), down = -dot3(cone.axis, g.up);
  const float sine = (cone.sine + slack_sin) * 1.03f + 0.002f;  // a chord of the cone's edge is longer than its sine
  if (down + sine <= 0) return false;
  const float steepest = least(down + sine, 1.0f), flattest = most(down - sine, 1e-3f);
  const float near = g.height / steepest, far = g.height / flattest;
  const auto reach = [&](float t) {
    const float x = g.x + t * ax, y = g.y + t * ay, r = t * sine;
    box = {least(box.x0, x - r), most(box.x1, x + r), least(box.y0, y - r), most(box.y1, y + r)};
  };
  box = {1e30f, -1e30f, 1e30f, -1e30f};
  reach(near), reach(far);
  return true;
}

template <class T>
GRADUS_INLINE MaskOf<T> paint_meets(const Placed& s, int i, const GroundBox& b) {
  return (load(s.paint_x1 + i, T()) >= b.x0) & (load(s.paint_x0 + i, T()) <= b.x1) &
         (load(s.paint_y1 + i, T()) >= b.y0) & (load(s.paint_y0 + i, T()) <= b.y1);
}
template <class T>
GRADUS_INLINE int paint_in(const Placed& s, const GroundBox& b, std::int32_t* list) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  int n = 0;
  for (int i = 0; i < s.paint_count; i += lanes) {
    const auto m = paint_meets<T>(s, i, b);
    if (!some(m)) continue;
    for (int k = 0; k < lanes && i + k < s.paint_count; ++k)
      if (at_mask(m, k)) list[n++] = i + k;
  }
  return n;
}

template <class T>
GRADUS_INLINE MaskOf<T> shade_meets(const Placed& s, int i, const GroundBox& b) {
  const T x = load(s.shade_x + i, T()), y = load(s.shade_y + i, T()), r = load(s.shade_r + i, T());
  return (x + r >= T(b.x0)) & (x - r <= T(b.x1)) & (y + r >= T(b.y0)) & (y - r <= T(b.y1));
}
/// Shapes whose shadow may fall into the rectangle, as places in Placed::shapes.
template <class T>
GRADUS_INLINE int shade_in(const Placed& s, const GroundBox& b, std::int32_t* list) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  int n = 0;
  for (int c = 0; c * kChunk < s.drawn_count; ++c) {
    if (s.chunk_x1[c] < b.x0 || s.chunk_x0[c] > b.x1 || s.chunk_y1[c] < b.y0 || s.chunk_y0[c] > b.y1) continue;
    for (int i = c * kChunk; i < c * kChunk + kChunk && i < s.drawn_count; i += lanes) {
      const auto m = shade_meets<T>(s, i, b);
      if (!some(m)) continue;
      for (int k = 0; k < lanes && i + k < s.drawn_count; ++k)
        if (at_mask(m, k)) list[n++] = s.place_of[i + k];
    }
  }
  return n;
}

// ---- a band ----

template <class T>
GRADUS_INLINE void store_light(T c, std::uint16_t* out, bool add) {
  T level = between_0_and_1(c) * 4095.0f + 0.5f;
  if (add) level = real(whole(level), level) + load_16(out, level);
  store_16(level, out);
}

/// Ray of a pixel, turned with the camera since the band's middle.
template <class T>
GRADUS_INLINE Direction<T> turned(const BandCall& call, int row, T x, T y, T z) {
  if (!call.rolling) return {x, y, z};
  const float k = static_cast<float>(row) + 0.5f - 0.5f * kTileHeight;
  const float wx = call.turn[0] * k, wy = call.turn[1] * k, wz = call.turn[2] * k;
  return {x + (z * wy - y * wz), y + (x * wz - z * wx), z + (y * wx - x * wy)};
}

/// Numbers of the segmentation image: 0 sky, 1 ground, 2 paint, then those of the shapes.
template <class T>
GRADUS_INLINE void store_segments(const Placed& s, const Hit<T>& h, T painted, std::uint16_t* out) {
  const T ground = select(painted > 0.5f, T(2.0f), T(1.0f));
  store_16(select(h.what == 1.0f, ground, T(0.0f)), out);
  if (!some(h.what > 1.5f)) return;
  for (int k = 0; k < ScalarTraits<T>::lanes; ++k)
    if (const int what = static_cast<int>(at(h.what, k)); what > 1)
      out[k] = static_cast<std::uint16_t>(s.shapes[what - 2].segment);
}

/// Pixels whose neighbour in the tile shows another shape, in order; at most kTilePixels.
#if defined(__CUDACC__)  // a thread asks for its own pixel
GRADUS_INLINE bool is_edge(const std::uint16_t* ids, int i) {
  const int x = i % kTileWidth, y = i / kTileWidth, own = ids[i];
  const auto differs = [&](int other) { return own != other && (own > 1 || other > 1); };
  return (x > 0 && differs(ids[i - 1])) || (x + 1 < kTileWidth && differs(ids[i + 1])) ||
         (y > 0 && differs(ids[i - kTileWidth])) || (y + 1 < kTileHeight && differs(ids[i + kTileWidth]));
}
#else
GRADUS_INLINE int edges_of(const std::uint16_t* ids, std::int32_t* edge) {  // a row at a time
  typedef std::uint16_t Row __attribute__((vector_size(2 * kTileWidth)));
  const auto row = [&](const std::uint16_t* p) {
    Row r;
    std::memcpy(&r, p, sizeof r);
    return r;
  };
  const auto differ = [](Row a, Row b) { return (Row)((a != b) & ((a > 1) | (b > 1))); };
  Row found[kTileHeight] = {};
  for (int y = 0; y < kTileHeight; ++y) {
    const Row own = row(ids + y * kTileWidth);
    std::uint16_t shifted[2 * kTileWidth];  // its first pixel, the row, its last pixel
    std::memcpy(shifted + 1, &own, sizeof own);
    shifted[0] = own[0], shifted[kTileWidth + 1] = own[kTileWidth - 1];
    found[y] = found[y] | differ(own, row(shifted)) | differ(own, row(shifted + 2));
    if (y + 1 == kTileHeight) break;
    const Row across = differ(own, row(ids + (y + 1) * kTileWidth));
    found[y] = found[y] | across, found[y + 1] = across;
  }
  int n = 0;
  for (int y = 0; y < kTileHeight; ++y) {
    std::uint64_t four[sizeof(Row) / 8];  // pixels at a time
    std::memcpy(four, &found[y], sizeof four);
    for (int k = 0; k < static_cast<int>(sizeof(Row) / 8); ++k)
      if (four[k] != 0)
        for (int x = 4 * k; x < 4 * k + 4; ++x)
          if (found[y][x] != 0) edge[n++] = y * kTileWidth + x;
  }
  return n;
}
#endif

/// Of a pixel at an edge: extra ray number q (rotated grid), and the mean of its level with their sum.
inline constexpr int kExtra = 3;
GRADUS_INLINE Direction<float> extra_ray(const BandCall& call, const float* rays, int pixel, int q) {
  const float right = q == 0 ? 0.375f : q == 1 ? -0.125f : -0.375f;
  const float below = q == 0 ? 0.125f : q == 1 ? 0.375f : -0.125f;
  const int x = pixel % kTileWidth, y = pixel / kTileWidth;
  const int nx = x + 1 < kTileWidth ? x + 1 : x - 1, ny = y + 1 < kTileHeight ? y + 1 : y - 1;
  const float sx = nx > x ? right : -right, sy = ny > y ? below : -below;
  float e[3];
  for (int c = 0; c < 3; ++c) {
    const float here = rays[(y * 3 + c) * kTileWidth + x];
    e[c] = here + sx * (rays[(y * 3 + c) * kTileWidth + nx] - here) + sy * (rays[(ny * 3 + c) * kTileWidth + x] - here);
  }
  return turned(call, y, e[0], e[1], e[2]);
}
GRADUS_INLINE int mean_level(int first, float sum) {
  return static_cast<int>((static_cast<float>(first) + sum * 4095.0f) * 0.25f + 0.5f);
}

#if !defined(__CUDACC__)
/// Pixels at edges get three more rays. own: this instant's light where it differs from `out` (blur).
template <class T>
GRADUS_INLINE void smooth_tile(const BandCall& call, const TileLists& l, const float* axis, const float* rays,
                               const std::uint16_t* ids, const std::uint16_t (*own)[kTilePixels],
                               std::uint16_t* const* out) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  std::int32_t edge[kTilePixels + 16];
  const int n = edges_of(ids, edge);
  if (n == 0) return;
  for (int i = n; i < n + lanes; ++i) edge[i] = edge[n - 1];
  for (int i = 0; i < n; i += lanes) {
    Colour<T> sum{T(0.0f), T(0.0f), T(0.0f)};
    for (int q = 0; q < kExtra; ++q) {
      Direction<T> d;
      for (int k = 0; k < lanes; ++k) {
        const Direction<float> e = extra_ray(call, rays, edge[i + k], q);
        put(d.x, k, e.x), put(d.y, k, e.y), put(d.z, k, e.z);
      }
      Hit<T> h;
      T painted;
      const Colour<T> c = sample(call, l, axis, d, h, painted);
      sum = {sum.r + between_0_and_1(c.r), sum.g + between_0_and_1(c.g), sum.b + between_0_and_1(c.b)};
    }
    for (int k = 0; k < lanes && i + k < n; ++k) {
      const int pixel = edge[i + k];
      const float parts[3] = {at(sum.r, k), at(sum.g, k), at(sum.b, k)};
      for (int c = 0; c < 3; ++c) {
        std::uint16_t& o = out[c][pixel / kTileWidth * call.stride + pixel % kTileWidth];
        const int first = call.add ? own[c][pixel] : o;
        o = static_cast<std::uint16_t>(o - first + mean_level(first, parts[c]));  // the other instants stay
      }
    }
  }
}

template <class T>
GRADUS_INLINE void render_tile(const BandCall& call, int column, std::int32_t* list, std::int32_t* shade,
                               std::int32_t* paint) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  const Placed& s = *call.placed;
  const std::int64_t number = static_cast<std::int64_t>(call.band) * call.rays.tiles_x + column;
  const TileCone& cone = call.rays.cones[number];
  const float* rays = call.rays.directions + number * 3 * kTilePixels;
  GroundBox box{};
  const bool ground = ground_box(s, cone, call.slack_sin, box);
  const TileLists l{list,
                    shade,
                    paint,
                    shapes_in<T>(s, widened(cone, call.slack_cos, call.slack_sin), list),
                    ground && call.ground_shadows ? shade_in<T>(s, box, shade) : 0,
                    ground ? paint_in<T>(s, box, paint) : 0};
  const std::int64_t corner = static_cast<std::int64_t>(call.band) * kTileHeight * call.stride + column * kTileWidth;
  std::uint16_t* const out[3] = {call.red + corner, call.green + corner, call.blue + corner};
  std::uint16_t ids[kTilePixels], light[3][kTilePixels];
  for (int row = 0; row < kTileHeight; ++row)
    for (int x = 0; x < kTileWidth; x += lanes) {
      const float* r = rays + row * 3 * kTileWidth + x;
      const Direction<T> d = turned(call, row, load(r, T()), load(r + kTileWidth, T()), load(r + 2 * kTileWidth, T()));
      Hit<T> h;
      T painted;
      const Colour<T> c = sample(call, l, cone.axis, d, h, painted);
      const std::int64_t to = static_cast<std::int64_t>(row) * call.stride + x;
      const int in_tile = row * kTileWidth + x;
      store_16(h.what, ids + in_tile);
      const T parts[3] = {c.r, c.g, c.b};
      for (int k = 0; k < 3; ++k) {
        if (call.add) store_light(parts[k], light[k] + in_tile, false);
        store_light(parts[k], out[k] + to, call.add != 0);
      }
      if (call.depth != nullptr) store(select(h.what == 0.0f, T(0.0f), h.t * d.z), call.depth + corner + to);
      if (call.segment != nullptr) store_segments(s, h, painted, call.segment + corner + to);
    }
  if (call.smooth && l.shape_count > 0) smooth_tile<T>(call, l, cone.axis, rays, ids, light, out);
}

template <class T>
void render_band(const BandCall& call) {
  std::int32_t* shade = call.lists + call.placed->count;
  std::int32_t* paint = shade + call.placed->drawn_count;
  for (int column = 0; column < call.rays.tiles_x; ++column) render_tile<T>(call, column, call.lists, shade, paint);
}

template <class T>
void cast_rays(const CastCall& call) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  const Placed& s = *call.placed;
  for (int group = 0; group < call.count; group += 16) {
    const TileCone& cone = call.cones[group / 16];
    const int n = shapes_in<T>(s, widened(cone, 1, 0), call.lists);
    for (int i = group; i < group + 16; i += lanes) {
      const Direction<T> d{load(call.x + i, T()), load(call.y + i, T()), load(call.z + i, T())};
      Hit<T> h = call.ground ? begin(s, d) : Hit<T>{T(kFar), T(0.0f), T(0.0f)};
      trace(s, call.lists, n, cone.axis, d, h);
      const MaskOf<T> near = h.t < T(call.range);
      store(select(near, h.t, T(call.range)), call.distance + i);
      for (int k = 0; k < lanes; ++k) {
        const int what = at_mask(near, k) ? static_cast<int>(at(h.what, k)) : 0;
        call.shape[i + k] = what == 0 ? -1 : what == 1 ? -2 : s.shapes[what - 2].drawn;
      }
      Direction<T> normal{T(s.ground.up[0]), T(s.ground.up[1]), T(s.ground.up[2])};
      for (int k = 0; k < n; ++k) {
        const MaskOf<T> mine = is(h, call.lists[k]);
        if (!some(mine)) continue;
        const Direction<T> e = normal_of(s, s.shapes[call.lists[k]], d, h, mine);
        normal = {select(mine, e.x, normal.x), select(mine, e.y, normal.y), select(mine, e.z, normal.z)};
      }
      store(normal.x, call.nx + i), store(normal.y, call.ny + i), store(normal.z, call.nz + i);
    }
  }
}

#endif

// ---- noise ----

/// [Wellons, lowbias32]
template <class U>
GRADUS_INLINE U mixed_32(U x) {
  x = x ^ (x >> 16);
  x = x * 0x7feb352du;
  x = x ^ (x >> 15);
  x = x * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// (4) of camera.h on a row. w: the sum of a hash's four bytes, nearly normal (deviation 147.8, at most 3.45 of them).
template <class T>
void add_noise(std::uint16_t* row, int count, float a, float b, std::uint32_t key, std::uint32_t first_pixel) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  using U = typename WholeOf<T>::U;
  const U lane = lane_numbers(T());
  for (int i = 0; i < count; i += lanes) {  // rows are padded
    const U h = mixed_32((lane + (first_pixel + static_cast<std::uint32_t>(i))) * 0x9e3779b9u + key);
    const T w = (real((h & 255u) + (h >> 8 & 255u) + (h >> 16 & 255u) + (h >> 24), T()) - 510.0f) * (1 / 147.7949f);
    const T p = load_16(row + i, T()), noisy = p + w * root(p * a + b);
    store_16(least(most(noisy, T(0.0f)), T(4095.0f)) + 0.5f, row + i);
  }
}

#if !defined(__CUDACC__)
template <class T>
constexpr RenderKernel render_kernel(const char* name) {
  return {name, ScalarTraits<T>::lanes, render_band<T>, cast_rays<T>, add_noise<T>};
}
#endif

}  // namespace
}  // namespace gradus::render
