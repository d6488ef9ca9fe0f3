/// Images with every option on, of every shipped scene: one camera behind the first robot that moves and turns with it.
/// No step is taken, so the hashes depend on nothing but the files and the renderer.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "render/image.h"

namespace gradus::test {

std::vector<std::string> image_scenes();
/// Hash over rgb, grey, yuyv, depth and segmentation of two frames. Bands are shared by `threads` threads.
std::uint64_t image_hash(const std::string& scene, const render::RenderKernel& kernel, int threads);

/// All that a GPU needs for one image with shadows and smooth edges, and the image [bench/gpu_images.cu].
void dump_image(const std::string& scene, int width, int height, std::FILE* out);

}  // namespace gradus::test
