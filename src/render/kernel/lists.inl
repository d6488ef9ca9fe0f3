/// Which shapes, paint and shadows a tile need look at. Part of the kernel [render/kernel.inl].
#pragma once
#include "render/kernel/colour.inl"

namespace gradus::render {
namespace {

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

}  // namespace
}  // namespace gradus::render
