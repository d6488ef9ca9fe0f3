#include "render/gpu/images.h"
#include "render/kernel.inl"

namespace gradus::render {
namespace {

/// Numbers i < count for which `keep` holds, in rising order, by all threads of the block. Returns how many.
template <class Keep, class Name>
__device__ int collect(int count, std::int32_t* list, unsigned* votes, const Keep& keep, const Name& name) {
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  int total = 0;
  for (int base = 0; base < count; base += kTilePixels) {
    const int i = base + thread;
    const bool mine = i < count && keep(i);
    const unsigned vote = __ballot_sync(~0u, mine);
    if (lane == 0) votes[warp] = vote;
    __syncthreads();
    int before = total + __popc(vote & ((1u << lane) - 1));
    for (int w = 0; w < kTilePixels / 32; ++w) {
      if (w < warp) before += __popc(votes[w]);
      total += __popc(votes[w]);
    }
    if (mine) list[before] = name(i);
    __syncthreads();
  }
  return total;
}

__global__ void __launch_bounds__(kTilePixels)
    render_tiles(const GpuImage* images, int most_shapes, const std::uint8_t* gamma) {
  extern __shared__ std::int32_t lists[];  // shapes, shadows, paint
  __shared__ unsigned votes[kTilePixels / 32];
  __shared__ std::uint16_t ids[kTilePixels];
  const GpuImage& image = images[blockIdx.y];
  const BandCall& call = image.call;
  const Placed& s = image.placed;
  const int tile = static_cast<int>(blockIdx.x), pixel = static_cast<int>(threadIdx.x);
  const TileCone& cone = call.rays.cones[tile];
  const float* rays = call.rays.directions + static_cast<std::int64_t>(tile) * 3 * kTilePixels;
  std::int32_t *shade = lists + most_shapes, *paint = shade + most_shapes;
  GroundBox box{};
  const bool ground = ground_box(s, cone, call.slack_sin, box);
  const WideCone wide = widened(cone, call.slack_cos, call.slack_sin);
  const auto same = [](int i) { return i; };
  TileLists l{lists, shade, paint, 0, 0, 0};
  l.shape_count = collect(
      s.count, lists, votes, [&](int i) { return spheres_meet<float>(s, i, wide) && is_near(s.shapes[i], wide); },
      same);
  if (ground && call.ground_shadows)
    l.shade_count = collect(
        s.drawn_count, shade, votes, [&](int i) { return shade_meets<float>(s, i, box); },
        [&](int i) { return s.place_of[i]; });
  if (ground)
    l.paint_count = collect(
        s.paint_count, paint, votes, [&](int i) { return paint_meets<float>(s, i, box); }, same);

  const int row = pixel / kTileWidth, x = pixel % kTileWidth;
  const float* r = rays + row * 3 * kTileWidth + x;
  const Direction<float> d = turned(call, row, r[0], r[kTileWidth], r[2 * kTileWidth]);
  Hit<float> h;
  float painted;
  const Colour<float> c = sample_of(s, call, l, cone.axis, d, h, painted);
  ids[pixel] = static_cast<std::uint16_t>(h.what);
  __syncthreads();
  const float parts[3] = {c.r, c.g, c.b};
  int level[3];
  for (int k = 0; k < 3; ++k) level[k] = static_cast<int>(between_0_and_1(parts[k]) * 4095.0f + 0.5f);
  if (call.smooth && l.shape_count > 0 && is_edge(ids, pixel)) {
    float sum[3] = {0, 0, 0};
    for (int q = 0; q < kExtra; ++q) {
      Hit<float> other;
      float p;
      const Colour<float> e = sample_of(s, call, l, cone.axis, extra_ray(call, rays, pixel, q), other, p);
      sum[0] += between_0_and_1(e.r), sum[1] += between_0_and_1(e.g), sum[2] += between_0_and_1(e.b);
    }
    for (int k = 0; k < 3; ++k) level[k] = mean_level(level[k], sum[k]);
  }
  const int tx = tile % call.rays.tiles_x, ty = tile / call.rays.tiles_x;
  const std::int64_t at = static_cast<std::int64_t>(ty * kTileHeight + row) * call.stride + tx * kTileWidth + x;
  if (call.red != nullptr)
    call.red[at] = static_cast<std::uint16_t>(level[0]), call.green[at] = static_cast<std::uint16_t>(level[1]),
    call.blue[at] = static_cast<std::uint16_t>(level[2]);
  if (image.rgb != nullptr)
    for (int k = 0; k < 3; ++k) image.rgb[3 * at + k] = gamma[level[k]];
  if (call.depth != nullptr) call.depth[at] = h.what == 0.0f ? 0.0f : h.t * d.z;
  if (call.segment != nullptr) store_segments(s, h, painted, call.segment + at);
}

}  // namespace

int launch_images(const GpuImage* images, int count, int tiles, int most_shapes, int most_paint,
                  const std::uint8_t* gamma) {
  const std::size_t shared = static_cast<std::size_t>(2 * most_shapes + most_paint + 1) * sizeof(std::int32_t);
  if (shared > 48 * 1024)
    cudaFuncSetAttribute(render_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  render_tiles<<<dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(count)), kTilePixels, shared>>>(
      images, most_shapes, gamma);
  return static_cast<int>(cudaGetLastError());
}

}  // namespace gradus::render
