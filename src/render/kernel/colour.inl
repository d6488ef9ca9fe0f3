/// Colours of shapes, ground and sky where rays meet them. Part of the kernel [render/kernel.inl].
#pragma once
#include "render/kernel/shadow.inl"

namespace gradus::render {
namespace {

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
    for (int i = s.blocker_first[f.drawn]; i < s.blocker_first[f.drawn + 1]; ++i) {
      const MaskOf<T> open = mine & (direct > 0.0f);
      if (!some(open)) break;
      direct = select(blocks(s, s.shapes[s.place_of[s.blockers[i]]], p, open), T(0.0f), direct);
    }
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
    for (int i = 0; i < l.shade_count; ++i) {
      const MaskOf<T> open = mine & (direct > 0.0f);  // where it still matters
      if (!some(open)) break;
      direct = select(blocks(s, s.shapes[l.shade[i]], p, open), T(0.0f), direct);
    }
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

}  // namespace
}  // namespace gradus::render
