/// Rays against shapes: what is nearest? Part of the kernel [render/kernel.inl].
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

/// Rays in the axes of a mesh. O, D: what differs from lane to lane is a T, what is common to all lanes a plain float: the
/// eye of a camera's rays, the direction of those towards the light. The same numbers, at the cost of one.
template <class O, class D>
struct MeshRay {
  O ox, oy, oz;
  D dx, dy, dz, ix, iy, iz;
};

/// Which end of a box rays meet first, for each axis: 0 the lower, 1 the upper; of some rays this, of some that: mixed.
struct Sides {
  bool x, y, z, mixed;
};
template <class O, class D>
GRADUS_INLINE Sides sides_of(const MeshRay<O, D>& r) {
  const bool x = some(r.ix < 0.0f), y = some(r.iy < 0.0f), z = some(r.iz < 0.0f);
  const bool mixed = (x && some(r.ix > 0.0f)) || (y && some(r.iy > 0.0f)) || (z && some(r.iz > 0.0f));
  return {x, y, z, mixed};
}

template <class T, class O, class D>
GRADUS_INLINE MaskOf<T> meets_node(const TreeNode& n, const MeshRay<O, D>& r, const Sides& side, T least_t, T most_t) {
  const auto x0 = ((side.x ? n.hi[0] : n.lo[0]) - r.ox) * r.ix, x1 = ((side.x ? n.lo[0] : n.hi[0]) - r.ox) * r.ix;
  const auto y0 = ((side.y ? n.hi[1] : n.lo[1]) - r.oy) * r.iy, y1 = ((side.y ? n.lo[1] : n.hi[1]) - r.oy) * r.iy;
  const auto z0 = ((side.z ? n.hi[2] : n.lo[2]) - r.oz) * r.iz, z1 = ((side.z ? n.lo[2] : n.hi[2]) - r.oz) * r.iz;
  if (side.mixed) {
    const T in = most(most(least(x0, x1), least(y0, y1)), most(least(z0, z1), least_t));
    const T out = least(least(most(x0, x1), most(y0, y1)), least(most(z0, z1), most_t));
    return in <= out;
  }
  return most(most(x0, y0), most(z0, least_t)) <= least(least(x1, y1), least(z1, most_t));
}

/// Ray against triangle [Möller, Trumbore 1997]; everything times the determinant, so that only hits need a division.
/// solid: closed surfaces are met from outside alone, as all solids are.
template <class T, class O, class D>
GRADUS_INLINE MaskOf<T> meets_triangle(const TreeTriangle& g, const MeshRay<O, D>& r, bool solid, T& t) {
  const D hx = r.dy * g.ac[2] - r.dz * g.ac[1], hy = r.dz * g.ac[0] - r.dx * g.ac[2],
          hz = r.dx * g.ac[1] - r.dy * g.ac[0];
  const T det(hx * g.ab[0] + hy * g.ab[1] + hz * g.ab[2]);  // above zero: from outside
  if (solid && !some(det >= 1e-20f)) return det >= 1e-20f;  // half of a closed surface looks away
  const T size = solid ? det : magnitude_of(det);
  const O sx = r.ox - g.a[0], sy = r.oy - g.a[1], sz = r.oz - g.a[2];
  const O qx = sy * g.ab[2] - sz * g.ab[1], qy = sz * g.ab[0] - sx * g.ab[2], qz = sx * g.ab[1] - sy * g.ab[0];
  T u = sx * hx + sy * hy + sz * hz, v = r.dx * qx + r.dy * qy + r.dz * qz;
  if (!solid) u = select(det < 0.0f, -u, u), v = select(det < 0.0f, -v, v);
  const T eps = size * -1e-5f;  // neighbours share an edge: let no ray slip through between them
  const MaskOf<T> m = (size >= 1e-20f) & (u >= eps) & (v >= eps) & (u + v <= size - eps);
  if (!some(m)) return m;
  t = T(qx * g.ac[0] + qy * g.ac[1] + qz * g.ac[2]) / select(m, det, T(1.0f));
  return m;
}

/// Rays down a tree, the nearer child first (by the direction of the first lane's tile, the same for all lane counts).
/// `order`: bit k set, children along axis k are met from the far end. Any: stop at the first hit.
template <bool any_hit, class T, class O, class D>
GRADUS_INLINE MaskOf<T> walk_tree(const Tree& tree, const MeshRay<O, D>& r, int order, T least_t, T& t, T& part) {
  using M = MaskOf<T>;
  const Sides side = sides_of(r);
  std::int32_t stack[64];
  int top = 0, at = 0;
  M found = t < least_t;  // none: t is far away
  found = found & mask_not(found);
  M inside = meets_node(tree.nodes[0], r, side, least_t, t);
  if (!some(inside)) return found;
  for (;;) {
    const TreeNode& n = tree.nodes[at];
    if (n.count == 0) {  // both children at once: neither test waits for the other
      const int near = n.first + (order >> n.axis & 1), far = 2 * n.first + 1 - near;
      const M in_near = meets_node(tree.nodes[near], r, side, least_t, t);
      const M in_far = meets_node(tree.nodes[far], r, side, least_t, t);
      const bool goes_near = some(in_near), goes_far = some(in_far);
      if (goes_near && goes_far) stack[top++] = far;
      if (goes_near || goes_far) {
        at = goes_near ? near : far;
        inside = goes_near ? in_near : in_far;
        continue;
      }
    }
    for (int k = 0; k < n.count; ++k) {
      T s = t;
      M m = meets_triangle(tree.triangles[n.first + k], r, tree.solid != 0 && !any_hit, s);
      if (!some(m)) continue;
      m = m & inside & (s >= least_t) & (s < t);
      if (!some(m)) continue;
      found = found | m;
      if (any_hit) {
        t = select(m, T(-1.0f), t);  // it has its answer: no box is in its way any more
        if (!some(t > 0.0f)) return found;
        continue;
      }
      t = select(m, s, t), part = select(m, T(static_cast<float>(n.first + k)), part);
    }
    do {  // what waits may lie behind what was found since
      if (top == 0) return found;
      at = stack[--top];
      inside = meets_node(tree.nodes[at], r, side, least_t, t);
    } while (!some(inside));
  }
}

template <class O, class D>
GRADUS_INLINE MeshRay<O, D> in_axes_of(const FlatShape& f, const Direction<D>& d, O ox, O oy, O oz) {
  const D dx = dot3(d, f.u), dy = dot3(d, f.v), dz = dot3(d, f.w);
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
  const MeshRay<float, T> r = in_axes_of(f, d, f.o[0], f.o[1], f.o[2]);
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

}  // namespace
}  // namespace gradus::render
