/// Rays against shapes, colours, bands of an image: templates over T = float (one ray, also a CUDA thread) or a pack of
/// 4, 8, 16 rays. Only + − × ÷ √, comparisons and whole numbers in float32, no contraction: the same bits for every T,
/// compiler and machine.
///
/// Why lanes cannot see each other: a shape is left out for a pack only if no lane can hit it, and a lane's hit counts
/// only if t ≥ `near` of its shape (and its leaf's box is met), so a lane that would have been left out alone changes
/// nothing when a neighbour keeps the shape in.
///
/// kernel/ holds the parts in the order of use: meet, shadow, colour, lists. Here: bands of an image, casts, noise.
#pragma once
#include "render/kernel/lists.inl"

namespace gradus::render {
namespace {

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
