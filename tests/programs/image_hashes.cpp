// Hashes of images, for other compilers and machines: image_hashes [LANES [THREADS]] prints "scene hash" for every
// scene; LANES 0: the fastest here. tests/golden/image_hashes.txt is what it must print [docs/cameras.md].
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "support/image_inputs.h"

int main(int argc, char** argv) {
  using namespace gradus;
  const int lanes = argc > 1 ? std::atoi(argv[1]) : 0, threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const render::RenderKernel* kernel = lanes == 0 ? &render::best_kernel() : nullptr;
  for (const render::RenderKernel& k : render::kernels())
    if (k.lanes == lanes) kernel = &k;
  if (kernel == nullptr) return std::fprintf(stderr, "this machine or compiler has no kernel of %d lanes\n", lanes), 77;
  for (const std::string& s : test::image_scenes())
    std::printf("%s %016" PRIx64 "\n", s.c_str(), test::image_hash(s, *kernel, threads));
}
