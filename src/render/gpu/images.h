/// Images on a GPU: the templates of kernel.inl with a CUDA thread as lane, one block a tile, all cameras in one
/// launch. nvcc with -fmad=false and without fast math, so that every operation rounds as on the CPU: the same bits.
#pragma once
#include "render/flat.h"

namespace gradus::render {

/// One camera's image; all pointers are of the device. The call's `band` and `lists` are not used.
struct GpuImage {
  BandCall call;
  Placed placed;
  std::uint8_t* rgb;  // 3 bytes a pixel of padded rows, after gamma; null: not wanted
};

/// tiles: of one image (all have the same size); most_shapes, most_paint: of any camera, for the lists in shared
/// memory. gamma: 4096 bytes on the device. Returns the CUDA error, 0 if none. Asynchronous.
int launch_images(const GpuImage* images, int count, int tiles, int most_shapes, int most_paint,
                  const std::uint8_t* gamma);

}  // namespace gradus::render
