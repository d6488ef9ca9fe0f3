// Images of tests/programs/image_dump on a GPU, compared with the CPU's byte by byte, and images a second of 4096
// cameras [docs/cameras.md].
//   nvcc -std=c++20 -O3 -fmad=false -arch=sm_90 --expt-relaxed-constexpr -Isrc -I. src/render/gpu/images.cu
//   bench/gpu_images.cu -o gpu_images gpu_images FILE [CAMERAS]         CAMERAS: how many copies of the last image are
//   made for the timing
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "render/gpu/images.h"

using namespace gradus::render;

namespace {

void must(int error, const char* what) {
  if (error != 0)
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(static_cast<cudaError_t>(error))), std::exit(1);
}

struct Reader {
  std::FILE* in;
  bool next(std::vector<char>& out) {
    std::uint64_t n;
    if (std::fread(&n, sizeof n, 1, in) != 1) return false;
    out.resize(n);
    return std::fread(out.data(), 1, n, in) == n;
  }
  template <class T>
  T* device() {
    std::vector<char> bytes;
    if (!next(bytes)) std::exit(1);
    void* p = nullptr;
    must(cudaMalloc(&p, bytes.size() + 64), "memory");
    must(cudaMemcpy(p, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "copy");
    return static_cast<T*>(p);
  }
  template <class T>
  std::vector<T> host() {
    std::vector<char> bytes;
    if (!next(bytes)) std::exit(1);
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
    return out;
  }
};

template <class T>
T* room(std::size_t n) {
  void* p = nullptr;
  must(cudaMalloc(&p, n * sizeof(T) + 64), "memory");
  return static_cast<T*>(p);
}

template <class T>
std::vector<T> back(const T* p, std::size_t n) {
  std::vector<T> out(n);
  must(cudaMemcpy(out.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost), "copy");
  return out;
}

/// How many of a plane's numbers differ from the CPU's, in bytes.
template <class T>
int differ(const std::vector<T>& gpu, const std::vector<T>& cpu, int width, int height, int stride, int parts) {
  int n = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width * parts; ++x)
      n += std::memcmp(&gpu[static_cast<std::size_t>(y) * stride * parts + x],
                       &cpu[static_cast<std::size_t>(y) * width * parts + x], sizeof(T)) != 0;
  return n;
}

void time_copies(const GpuImage& one, int cameras, int tiles, int shapes, int paint, const std::uint8_t* gamma,
                 int width, int height) {
  std::vector<GpuImage> all(static_cast<std::size_t>(cameras), one);
  const std::size_t bytes = static_cast<std::size_t>(tiles) * kTilePixels * 3;
  std::uint8_t* rgb = room<std::uint8_t>(bytes * cameras);
  for (int i = 0; i < cameras; ++i) {
    GpuImage& g = all[static_cast<std::size_t>(i)];
    g.call.red = g.call.green = g.call.blue = nullptr, g.call.depth = nullptr, g.call.segment = nullptr;
    g.rgb = rgb + bytes * i;
  }
  GpuImage* images = room<GpuImage>(all.size());
  must(cudaMemcpy(images, all.data(), all.size() * sizeof(GpuImage), cudaMemcpyHostToDevice), "copy");
  cudaEvent_t start, end;
  cudaEventCreate(&start), cudaEventCreate(&end);
  float best = 1e9f;
  for (int round = 0; round < 20; ++round) {
    cudaEventRecord(start);
    must(launch_images(images, cameras, tiles, shapes, paint, gamma), "launch");
    cudaEventRecord(end);
    must(cudaEventSynchronize(end), "run");
    float ms;
    cudaEventElapsedTime(&ms, start, end);
    best = ms < best ? ms : best;
  }
  std::printf(
      "%d cameras of %d x %d: %.3f ms, %.0f images a second (rays and colours; placing and copies not counted)\n",
      cameras, width, height, best, cameras / best * 1e3);
  cudaFree(rgb), cudaFree(images);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "gpu_images FILE [CAMERAS]\n"), 2;
  Reader in{std::fopen(argv[1], "rb")};
  if (in.in == nullptr) return std::perror(argv[1]), 1;
  const int cameras = argc > 2 ? std::atoi(argv[2]) : 0;
  std::vector<char> name;
  int wrong = 0, scenes = 0;
  while (in.next(name)) {
    GpuImage g{};
    Placed& p = g.placed;
    p = in.host<Placed>().at(0);
    g.call.rays = in.host<ViewRays>().at(0);
    g.call.rays.directions = in.device<float>(), g.call.rays.cones = in.device<TileCone>();
    p.shapes = in.device<FlatShape>();
    for (const float** a : {&p.cx, &p.cy, &p.cz, &p.cr, &p.c2, &p.shade_x, &p.shade_y, &p.shade_r, &p.chunk_x0,
                            &p.chunk_x1, &p.chunk_y0, &p.chunk_y1})
      *a = in.device<float>();
    p.paint = in.device<Paint>();
    for (const float** a : {&p.paint_x0, &p.paint_x1, &p.paint_y0, &p.paint_y1}) *a = in.device<float>();
    p.place_of = in.device<std::int32_t>(), p.blocker_first = in.device<std::int32_t>(),
    p.blockers = in.device<std::int32_t>();
    std::vector<Tree> trees = in.host<Tree>();
    for (Tree& t : trees) t.nodes = in.device<TreeNode>(), t.triangles = in.device<TreeTriangle>();
    Tree* tree_room = room<Tree>(trees.size() + 1);
    must(cudaMemcpy(tree_room, trees.data(), trees.size() * sizeof(Tree), cudaMemcpyHostToDevice), "copy");
    p.trees = tree_room;
    const std::vector<std::int32_t> size = in.host<std::int32_t>();
    const std::uint8_t* gamma = in.device<std::uint8_t>();
    const auto rgb = in.host<std::uint8_t>();
    const auto depth = in.host<float>();
    const auto segment = in.host<std::uint16_t>();

    const int width = size[0], height = size[1], tiles = g.call.rays.tiles_x * g.call.rays.tiles_y,
              stride = g.call.rays.tiles_x * kTileWidth;
    const std::size_t pixels = static_cast<std::size_t>(tiles) * kTilePixels;
    g.call.smooth = g.call.ground_shadows = g.call.body_shadows = 1;
    g.call.slack_cos = 1, g.call.stride = stride;
    g.call.depth = room<float>(pixels), g.call.segment = room<std::uint16_t>(pixels),
    g.rgb = room<std::uint8_t>(3 * pixels);
    GpuImage* image = room<GpuImage>(1);
    must(cudaMemcpy(image, &g, sizeof g, cudaMemcpyHostToDevice), "copy");
    must(launch_images(image, 1, tiles, p.drawn_count, p.paint_count, gamma), "launch");
    must(cudaDeviceSynchronize(), "run");
    const int a = differ(back(g.rgb, 3 * pixels), rgb, width, height, stride, 3),
              b = differ(back(g.call.depth, pixels), depth, width, height, stride, 1),
              c = differ(back(g.call.segment, pixels), segment, width, height, stride, 1);
    std::printf("%-24s %4d shapes: %d bytes of rgb, %d depths, %d segments differ of %d pixels\n",
                std::string(name.begin(), name.end()).c_str(), p.drawn_count, a, b, c, width * height);
    wrong += a + b + c > 0, ++scenes;
    if (cameras > 0) time_copies(g, cameras, tiles, p.drawn_count, p.paint_count, gamma, width, height);
  }
  std::printf("%d of %d scenes have the CPU's bits\n", scenes - wrong, scenes);
  return wrong > 0;
}
