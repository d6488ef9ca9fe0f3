/// Cost of collision queries: feet on the rough map, and the narrow phase pair by pair.
#include <benchmark/benchmark.h>

#include "shape/narrow/collide.h"
#include "shape/library.h"
#include "unit/shape/terrain.h"
#include "unit/shape/witness.h"

namespace gradus {
namespace {

/// 20,000 feet (spheres of 20 mm) on the map of facts/legged.md 4.1.
void BM_FootOnRoughMap(benchmark::State& state) {
  const HeightField f = *HeightField::build(test::rough_map(static_cast<int>(state.range(0))));
  witness::Random r(7);
  std::vector<Pose> feet;
  for (int i = 0; i < 20000; ++i) {
    Vec3 c{r.in(-2.8, 2.8), r.in(-2.8, 2.8), 0};
    c.z = test::rough_height(c.x, c.y) + r.in(-0.02, 0.05);
    feet.push_back({identity3<double>(), c});
  }
  const Shape foot = sphere_shape(0.02), ground = field_shape(f);
  std::int64_t hits = 0, asked = 0;
  for (auto _ : state) {
    Contact c[kContactMax];
    hits += collide(foot, feet[static_cast<std::size_t>(asked++ % 20000)], ground, identity_pose(), 0, c) > 0;
  }
  state.counters["hits_percent"] = 100.0 * static_cast<double>(hits) / static_cast<double>(asked);
}
BENCHMARK(BM_FootOnRoughMap)->Arg(300)->Arg(600);

/// Other feet on the same map, 2 cm thick or so, tilted by up to 0.3 rad about each axis: box and hull of 10 × 6 × 2
/// cm, a lying capsule of 10 × 4 cm, a cylinder of 6 cm that is 2 cm high, and the same lying.
void BM_FootShapeOnRoughMap(benchmark::State& state) {
  const HeightField f = *HeightField::build(test::rough_map(static_cast<int>(state.range(0))));
  std::vector<Vec3> rim;
  for (int k = 0; k < 16; ++k)
    for (double z : {-0.01, 0.01}) rim.push_back({0.05 * std::cos(k * M_PI / 8), 0.03 * std::sin(k * M_PI / 8), z});
  const Hull hull = *build_hull(rim);
  const Shape shapes[] = {box_shape({0.05, 0.03, 0.01}), hull_shape(hull), capsule_shape(0.02, 0.03),
                          cylinder_shape(0.03, 0.01), cylinder_shape(0.03, 0.01)};
  const char* names[] = {"box", "hull", "capsule", "cylinder", "lying cylinder"};
  const Shape &foot = shapes[state.range(1)], ground = field_shape(f);
  const bool lies = state.range(1) == 2 || state.range(1) == 4;
  const Mat3 turn = lies ? Mat3{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}} : identity3<double>();
  witness::Random r(8);
  std::vector<Pose> feet;
  for (int i = 0; i < 20000; ++i) {
    Vec3 c{r.in(-2.8, 2.8), r.in(-2.8, 2.8), 0};
    c.z = test::rough_height(c.x, c.y) + r.in(0, 0.05);
    feet.push_back({to_matrix(exponential(r.vector(0.3))) * turn, c});
  }
  std::int64_t hits = 0, asked = 0;
  for (auto _ : state) {
    Contact c[kContactMax];
    hits += collide(foot, feet[static_cast<std::size_t>(asked++ % 20000)], ground, identity_pose(), 0.002, c) > 0;
  }
  state.counters["hits_percent"] = 100.0 * static_cast<double>(hits) / static_cast<double>(asked);
  state.SetLabel(names[state.range(1)]);
}
BENCHMARK(BM_FootShapeOnRoughMap)->ArgsProduct({{300, 600}, {0, 1, 2, 3, 4}});

/// Random pairs, about half of them touching.
void BM_Pair(benchmark::State& state) {
  witness::Random r(9);
  std::vector<Vec3> cloud;
  for (int k = 0; k < 60; ++k) cloud.push_back(r.unit() * 0.2);
  const Hull hull = *build_hull(cloud);
  const Shape shapes[] = {plane_shape(),
                          sphere_shape(0.15),
                          box_shape({0.1, 0.2, 0.15}),
                          capsule_shape(0.08, 0.2),
                          cylinder_shape(0.15, 0.1),
                          hull_shape(hull)};
  const Shape &a = shapes[state.range(0)], &b = shapes[state.range(1)];
  std::vector<std::pair<Pose, Pose>> poses;
  for (int i = 0; i < 1000; ++i)
    poses.push_back({{to_matrix(r.rotation()), {0, 0, 0}}, {to_matrix(r.rotation()), r.unit() * r.in(0.1, 0.4)}});
  std::size_t asked = 0;
  for (auto _ : state) {
    Contact c[kContactMax];
    const auto& [X, Y] = poses[asked++ % 1000];
    benchmark::DoNotOptimize(collide(a, X, b, Y, 0.005, c));
  }
  state.SetLabel(std::string(to_string(a.kind)) + " " + to_string(b.kind));
}
BENCHMARK(BM_Pair)->Apply([](benchmark::internal::Benchmark* b) {
  for (int i = 0; i < 6; ++i)
    for (int j = std::max(i, 1); j < 6; ++j) b->Args({i, j});
});

}  // namespace
}  // namespace gradus

BENCHMARK_MAIN();
