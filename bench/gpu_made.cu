// Images of made-up scenes on a GPU and on the CPU of the same machine, compared byte by byte; images a second of 4096
// cameras. Needs no file and no loader, unlike gpu_images.cu [docs/cameras.md].
//   g++ -std=c++20 -O3 -ffp-contract=off -fno-math-errno -Isrc -c
//   src/render/{place,lens_table,camera,kernels_portable}.cpp src/math/power.cpp nvcc -std=c++20 -O3 -fmad=false
//   -arch=sm_90 --expt-relaxed-constexpr -Isrc -I. src/render/gpu/images.cu bench/gpu_made.cu *.o -o gpu_made
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/rng.h"
#include "render/gpu/images.h"
#include "render/kernels.h"
#include "render/lens_table.h"
#include "render/place.h"

using namespace gradus;
using render::FlatKind;

namespace {

void must(int error, const char* what) {
  if (error != 0)
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(static_cast<cudaError_t>(error))), std::exit(1);
}
template <class T>
T* device(const T* from, std::size_t n) {
  void* p = nullptr;
  must(cudaMalloc(&p, n * sizeof(T) + 256), "memory");
  if (from != nullptr) must(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice), "copy");
  return static_cast<T*>(p);
}

struct Random {
  std::uint64_t seed, n = 0;
  double operator()(double lo, double hi) { return random_in({seed, 0, 0}, n++, 0, lo, hi); }
};

/// A tetrahedron as a tree of two leaves.
struct MadeTree {
  std::vector<render::TreeNode> nodes{{{-0.21f, -0.21f, -0.21f}, {0.21f, 0.21f, 0.21f}, 1, 0, 2},
                                      {{-0.21f, -0.21f, -0.21f}, {0.21f, 0.21f, 0.21f}, 0, 2, 0},
                                      {{-0.21f, -0.21f, -0.21f}, {0.21f, 0.21f, 0.21f}, 2, 2, 0}};
  std::vector<render::TreeTriangle> triangles;
  MadeTree() {
    const float p[4][3] = {{0.2f, 0.2f, 0.2f}, {-0.2f, -0.2f, 0.2f}, {-0.2f, 0.2f, -0.2f}, {0.2f, -0.2f, -0.2f}};
    const int t[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    for (const auto& c : t) {
      render::TreeTriangle g;
      for (int k = 0; k < 3; ++k)
        g.a[k] = p[c[0]][k], g.ab[k] = p[c[1]][k] - p[c[0]][k], g.ac[k] = p[c[2]][k] - p[c[0]][k];
      triangles.push_back(g);
    }
  }
};

DrawnScene made(int shapes, std::uint64_t seed, const MadeTree& tree) {
  DrawnScene s;
  Random x{seed};
  s.link_first = {0};
  s.ground = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, 0, true};
  s.ground_albedo = {0.02, 0.2, 0.03}, s.ground_grain = 0.35;
  s.trees.push_back({tree.nodes.data(), tree.triangles.data(), 3, 4, 1});
  for (int i = 0; i < 24; ++i) {
    double sine, cosine;
    sine_cosine(x(0, 6), sine, cosine);
    s.paint.push_back({float(x(-4, 4)),
                       float(x(-3, 3)),
                       float(cosine),
                       float(sine),
                       float(x(0.1, 2)),
                       0.025f,
                       {0.9f, 0.9f, 0.9f},
                       i % 6 == 0,
                       1});
  }
  for (int i = 0; i < shapes; ++i) {
    DrawnShape d;
    d.kind = static_cast<FlatKind>(i % 4 +
                                   (i % 20 == 19 ? 2 : 0));  // spheres, capsules, boxes, cylinders; every 20th a mesh
    d.segment = i + 3, d.tree = 0,
    d.pattern = d.kind == FlatKind::box && i % 8 == 2 ? 100 + i % 90 : d.kind == FlatKind::sphere && i % 16 == 0;
    d.X_LS = {to_matrix(from_roll_pitch_yaw(x(-3, 3), x(-3, 3), x(-3, 3))), {x(-4, 4), x(-3, 3), x(0.05, 0.6)}};
    d.radius = x(0.02, 0.08), d.half = {x(0.02, 0.1), x(0.02, 0.1), x(0.02, 0.3)};
    d.middle = d.X_LS.p, d.bound = d.kind == FlatKind::mesh ? 0.35 : norm(d.half) + d.radius;
    d.albedo = {x(0, 1), x(0, 1), x(0, 1)};
    s.shapes.push_back(d);
  }
  return s;
}

struct Made {
  MadeTree tree;
  DrawnScene scene;
  CameraSpec spec;
  LensTable lens;
  PlacedRoom room;
  Blockers blockers;
  Poses poses;
  render::Placed placed;
  Made(int shapes, std::uint64_t seed, int width, int height)
      : scene(made(shapes, seed, tree)),
        spec(camera(width, height)),
        lens(spec),
        room(scene),
        blockers(scene),
        placed() {
    const render::TileCone& w = lens.whole();
    room.place(scene, poses, {look_at({-5, 0.3, 1.2}, {0, 0, 0.2}), {0, 0, 0}, {0, 0, 0}}, 0, {},
               {{w.axis[0], w.axis[1], w.axis[2]}, w.cosine, w.sine});
    blockers.find(scene, poses, 0);
    placed = room.placed();
    placed.blocker_first = blockers.first(), placed.blockers = blockers.list();
  }
  static CameraSpec camera(int w, int h) {
    CameraSpec c;
    c.width = w, c.height = h, c.view = 1.1, c.lens = {-0.28, 0.09, -0.012, 0.0008, -0.0005, 0};
    return c;
  }
};

render::GpuImage upload(const Made& m, std::size_t pixels) {
  render::GpuImage g{};
  const std::size_t n = m.scene.shapes.size(), padded = n / 16 * 16 + 16, paint = m.scene.paint.size() / 16 * 16 + 16;
  render::Placed& p = g.placed = m.placed;
  p.shapes = device(p.shapes, n);
  for (const float** a : {&p.cx, &p.cy, &p.cz, &p.cr, &p.c2, &p.shade_x, &p.shade_y, &p.shade_r})
    *a = device(*a, padded);
  for (const float** a : {&p.chunk_x0, &p.chunk_x1, &p.chunk_y0, &p.chunk_y1}) *a = device(*a, n / 16 + 1);
  for (const float** a : {&p.paint_x0, &p.paint_x1, &p.paint_y0, &p.paint_y1}) *a = device(*a, paint);
  p.paint = device(p.paint, m.scene.paint.size()), p.place_of = device(p.place_of, n);
  p.blockers = device(p.blockers, static_cast<std::size_t>(p.blocker_first[n])),
  p.blocker_first = device(p.blocker_first, n + 1);
  render::Tree tree = m.scene.trees[0];
  tree.nodes = device(tree.nodes, 3), tree.triangles = device(tree.triangles, 4);
  p.trees = device(&tree, 1);
  g.call.rays = m.lens.rays();
  g.call.rays.directions = device(g.call.rays.directions, 3 * pixels);
  g.call.rays.cones = device(g.call.rays.cones, pixels / render::kTilePixels);
  g.call.smooth = g.call.ground_shadows = g.call.body_shadows = 1, g.call.slack_cos = 1,
  g.call.stride = m.lens.stride();
  return g;
}

/// Numbers that differ between GPU and CPU.
int compare(const Made& m) {
  const std::size_t pixels = m.lens.padded_pixels();
  std::vector<std::uint16_t> light(3 * pixels), segment(pixels), light2(3 * pixels), segment2(pixels);
  std::vector<float> depth(pixels), depth2(pixels);
  std::vector<std::int32_t> lists(2 * m.scene.shapes.size() + m.scene.paint.size() + 16);
  for (int b = 0; b < m.lens.band_count(); ++b)
    render::kernels_portable()[1].band({m.lens.rays(),
                                        &m.placed,
                                        b,
                                        1,
                                        1,
                                        1,
                                        0,
                                        {0, 0, 0},
                                        1,
                                        0,
                                        0,
                                        light.data(),
                                        light.data() + pixels,
                                        light.data() + 2 * pixels,
                                        m.lens.stride(),
                                        depth.data(),
                                        segment.data(),
                                        lists.data()});
  render::GpuImage g = upload(m, pixels);
  std::uint16_t* planes = device<std::uint16_t>(nullptr, 3 * pixels);
  g.call.red = planes, g.call.green = planes + pixels, g.call.blue = planes + 2 * pixels;
  g.call.depth = device<float>(nullptr, pixels), g.call.segment = device<std::uint16_t>(nullptr, pixels);
  const render::GpuImage* image = device(&g, 1);
  must(render::launch_images(image, 1, static_cast<int>(pixels / render::kTilePixels),
                             static_cast<int>(m.scene.shapes.size()), 24, nullptr),
       "launch");
  must(cudaDeviceSynchronize(), "run");
  cudaMemcpy(light2.data(), planes, light2.size() * 2, cudaMemcpyDeviceToHost),
      cudaMemcpy(depth2.data(), g.call.depth, pixels * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(segment2.data(), g.call.segment, pixels * 2, cudaMemcpyDeviceToHost);
  int differ = 0, solid = 0;
  for (std::size_t i = 0; i < 3 * pixels; ++i) differ += light[i] != light2[i];
  for (std::size_t i = 0; i < pixels; ++i)
    differ += std::memcmp(&depth[i], &depth2[i], 4) != 0 || segment[i] != segment2[i], solid += segment[i] > 2;
  std::printf("%4zu shapes, %d x %d: %d of %zu numbers differ (%d pixels show a shape)\n", m.scene.shapes.size(),
              m.spec.width, m.spec.height, differ, 5 * pixels, solid);
  return differ;
}

void speed(int shapes, int width, int height, int cameras) {
  const Made m(shapes, 5, width, height);
  const std::size_t pixels = m.lens.padded_pixels();
  std::vector<std::uint8_t> gamma(4096, 128);
  std::vector<render::GpuImage> all(static_cast<std::size_t>(cameras), upload(m, pixels));
  std::uint8_t* rgb = device<std::uint8_t>(nullptr, 3 * pixels * cameras);
  for (int i = 0; i < cameras; ++i) all[static_cast<std::size_t>(i)].rgb = rgb + 3 * pixels * i;
  const render::GpuImage* images = device(all.data(), all.size());
  const std::uint8_t* table = device(gamma.data(), 4096);
  cudaEvent_t start, end;
  cudaEventCreate(&start), cudaEventCreate(&end);
  float best = 1e9f;
  for (int round = 0; round < 20; ++round) {
    cudaEventRecord(start);
    must(render::launch_images(images, cameras, static_cast<int>(pixels / render::kTilePixels), shapes, 24, table),
         "launch");
    cudaEventRecord(end);
    must(cudaEventSynchronize(end), "run");
    float ms;
    cudaEventElapsedTime(&ms, start, end);
    best = ms < best ? ms : best;
  }
  std::printf(
      "%d cameras of %d x %d, %d shapes: %.2f ms, %.0f images a second (rays and colours; placing and copies not "
      "counted)\n",
      cameras, width, height, shapes, best, cameras / best * 1e3);
}

}  // namespace

int main() {
  int wrong = 0;
  for (int k = 0; k < 20; ++k)
    wrong += compare(Made(20 + 30 * k, static_cast<std::uint64_t>(k + 1), 165 + 16 * k, 124 + 8 * k)) != 0;
  std::printf("%d of 20 scenes have the CPU's bits\n", 20 - wrong);
  for (const int shapes : {40, 347}) speed(shapes, 84, 84, 4096), speed(shapes, 160, 120, 4096);
  return wrong > 0;
}
