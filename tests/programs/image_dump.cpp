// What a GPU needs to make the same images, and the images: image_dump FILE [WIDTHxHEIGHT] [SCENE...]. Read by
// bench/gpu_images.cu on a machine without loaders [docs/cameras.md]. All rows at once, no blur, no noise: what rays
// do.
#include <cstdio>

#include "support/image_inputs.h"

int main(int argc, char** argv) {
  using namespace gradus;
  if (argc < 2) return std::fprintf(stderr, "image_dump FILE [WIDTHxHEIGHT] [SCENE...]\n"), 2;
  std::FILE* out = std::fopen(argv[1], "wb");
  if (out == nullptr) return std::perror(argv[1]), 1;
  int width = 165, height = 124;
  if (argc > 2) std::sscanf(argv[2], "%dx%d", &width, &height);
  std::vector<std::string> scenes(argv + std::min(argc, 3), argv + argc);
  if (scenes.empty()) scenes = test::image_scenes();
  for (const std::string& s : scenes) test::dump_image(s, width, height, out);
  return std::fclose(out) == 0 ? 0 : 1;
}
