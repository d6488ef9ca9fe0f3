// gpu_check FILE stand|fall: 256 perturbed worlds on the GPU against the same source on this machine's CPU, in float
// and in double, over 1000 steps; then robot-steps a second for several numbers of worlds. FILE: from gpu_dump.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "batch/cast.h"
#include "batch/gpu/gpu_worlds.h"
#include "bench/gpu_file.h"

namespace gradus::bench {
namespace {

/// One world on the CPU: the same step_world.
template <class T>
class HostWorld {
 public:
  HostWorld(const BatchConstantsT<T>& c, const float* row)
      : c_(c),
        at_(make_row_layout(c.kind.njoint(), c.kind.npoint())),
        numbers_(row, row + at_.size),
        frames_(n()),
        sine_(n()),
        cosine_(n()),
        contacts_(static_cast<std::size_t>(c.kind.npoint())),
        begin_(n() + 1),
        drive_(n()),
        acc_(n()),
        a_(n()),
        factors_(n()),
        branch_I_(n()),
        branch_b_(n()),
        frames_next_(n()),
        sine_next_(n()),
        cosine_next_(n()),
        q_next_(n() + 6),
        v_next_(n() + 5),
        change_(n()),
        impulse_(n()),
        inertia_(n()),
        dv_(n()) {}
  void step(int steps) {
    const StepRoomT<T> room{
        frames_.data(),   sine_.data(),  cosine_.data(),
        contacts_.data(), begin_.data(), drive_.data(),
        acc_.data(),      a_.data(),     {&root_, factors_.data(), branch_I_.data(), branch_b_.data()},
        frames_next_.data(), sine_next_.data(), cosine_next_.data(), q_next_.data(), v_next_.data(),
        {change_.data(), impulse_.data(), inertia_.data(), dv_.data()}};
    const RowT<T> row = row_at(numbers_.data(), at_);
    for (int k = 0; k < steps; ++k) step_world<T, RecomputeFrames, T>(c_, row, room);
  }
  T number(int i) const { return numbers_[static_cast<std::size_t>(i)]; }

 private:
  std::size_t n() const { return static_cast<std::size_t>(c_.kind.nlink); }
  BatchConstantsT<T> c_;
  RowLayout at_;
  std::vector<T> numbers_;
  std::vector<FrameT<T>> frames_;
  std::vector<T> sine_, cosine_;
  std::vector<StaticContactT<T>> contacts_;
  std::vector<int> begin_;
  std::vector<DriveForceT<T>> drive_;
  std::vector<Vec6T<T>> acc_;
  std::vector<T> a_;
  std::vector<JointFactorT<T>> factors_;
  std::vector<Mat6T<T>> branch_I_;
  std::vector<Vec6T<T>> branch_b_;
  std::vector<FrameT<T>> frames_next_;
  std::vector<T> sine_next_, cosine_next_, q_next_, v_next_;
  std::vector<Vec6T<T>> change_, impulse_;
  std::vector<RigidInertiaT<T>> inertia_;
  std::vector<T> dv_;
  Factor6T<T> root_;
};

/// The float constants, exactly, in double.
struct Wide {
  std::vector<LinkT<double>> links;
  std::vector<ContactPointT<double>> points;
  std::vector<Vec3T<double>> bound_centre;
  std::vector<double> bound_radius;
  std::vector<DriveConstantsT<double>> joints;
  BatchConstantsT<double> view(const GpuFile& f) {
    for (const auto& l : f.links) links.push_back(cast<double>(l));
    for (const auto& p : f.points) points.push_back(cast<double>(p));
    for (const auto& j : f.joints) joints.push_back(cast<double>(j));
    for (const auto& c : f.bound_centre) bound_centre.push_back(cast<double>(c));
    for (float r : f.bound_radius) bound_radius.push_back(r);
    return {{f.nlink, f.branch_count, static_cast<RootKind>(f.root), links.data(), points.data(), f.point_begin.data(),
             bound_centre.data(), bound_radius.data()},
            joints.data(),
            cast<double>(f.ground),
            cast<double>(f.gravity),
            f.h};
  }
};

struct Numbers {  // reproducible, in [−1, 1]
  std::uint32_t s;
  double next() { return ((s = s * 1664525u + 1013904223u) >> 8) * (1.0 / 8388608.0) - 1; }
};

/// World w near the file's start: tumble 0 stands with small errors, 1 falls in some direction from some height.
std::vector<float> row_of(const GpuFile& f, int w, double tumble) {
  const RowLayout at = make_row_layout(f.nlink - 1, f.npoint);
  std::vector<float> x = f.start;
  Numbers n{2654435761u * static_cast<std::uint32_t>(w + 1)};
  for (int i = 0; i < 4; ++i) n.next();
  auto add = [&](int i, double y) { x[static_cast<std::size_t>(i)] += static_cast<float>(y); };
  add(at.q, 0.1 * n.next());
  add(at.q + 1, 0.1 * n.next());
  add(at.q + 2, 0.0002 * n.next() + tumble * (0.15 + 0.1 * n.next()));
  const Quat q = normalized(exponential(Vec3{n.next(), n.next(), n.next()} * (0.9 * tumble)));
  const double turned[4] = {q.w, q.x, q.y, q.z};
  for (int i = 0; i < 4; ++i) x[static_cast<std::size_t>(at.q + 3 + i)] = static_cast<float>(turned[i]);
  for (int i = 0; i < 6; ++i) add(at.v + i, tumble * n.next());
  const double small = 0.005 + 0.1 * tumble;
  for (int j = 0; j < f.nlink - 1; ++j) {
    add(at.q + 7 + j, small * n.next());
    add(at.v + 6 + j, 2 * small * n.next());
    add(at.target + j, small * n.next());
  }
  return x;
}

struct Spread {
  std::vector<double> x;
  void print(const char* name) {
    std::sort(x.begin(), x.end());
    const std::size_t n = x.size();
    std::printf("  %-34s median %.2e  p99 %.2e  max %.2e\n", name, x[n / 2], x[n * 99 / 100], x[n - 1]);
  }
};

std::size_t place(int world, int number, int row_size) {
  return (static_cast<std::size_t>(world / kGpuTile) * static_cast<std::size_t>(row_size) +
          static_cast<std::size_t>(number)) *
             kGpuTile +
         static_cast<std::size_t>(world % kGpuTile);
}

std::unique_ptr<GpuWorlds> gpu_worlds(const GpuFile& f, int worlds) {
  char error[200] = "";
  const BatchConstantsT<float> c = f.view();
  std::unique_ptr<GpuWorlds> g(gradus_make_gpu_worlds(kGpuVersion, sizeof c, &c, worlds, error, sizeof error));
  if (!g) std::printf("GPU: %s\n", error);
  return g;
}

/// All worlds at starts of their own, as many different ones as a pool has.
bool put_starts(const GpuFile& f, GpuWorlds& g, double tumble) {
  const int rows = std::min(8192, g.slab().tiles * kGpuTile);
  std::vector<float> pool;
  for (int w = 0; w < rows; ++w) {
    const std::vector<float> row = row_of(f, w, tumble);
    pool.insert(pool.end(), row.begin(), row.end());
  }
  auto* starts = static_cast<float*>(g.allocate(pool.size() * sizeof(float)));
  return starts && g.to_gpu(starts, pool.data(), pool.size() * sizeof(float), nullptr) && g.reset(nullptr, starts, rows, nullptr) &&
         g.wait(nullptr);
}

/// Errors of one world after 1000 steps: GPU and CPU float against CPU double.
struct Errors {
  Spread gpu_z, gpu_q, cpu_z, cpu_q;
  void add(const GpuFile& f, const std::vector<float>& slab, int w, const HostWorld<float>& single,
           const HostWorld<double>& exact) {
    const int size = static_cast<int>(f.start.size());
    auto on_gpu = [&](int i) { return static_cast<double>(slab[place(w, i, size)]); };
    double worst_gpu = 0, worst_cpu = 0;
    for (int i = 7; i < 7 + f.nlink - 1; ++i) {
      worst_gpu = std::max(worst_gpu, std::isfinite(on_gpu(i)) ? std::fabs(on_gpu(i) - exact.number(i)) : 1e9);
      worst_cpu = std::max(worst_cpu, std::fabs(static_cast<double>(single.number(i)) - exact.number(i)));
    }
    gpu_z.x.push_back(std::fabs(on_gpu(2) - exact.number(2)));
    cpu_z.x.push_back(std::fabs(static_cast<double>(single.number(2)) - exact.number(2)));
    gpu_q.x.push_back(worst_gpu);
    cpu_q.x.push_back(worst_cpu);
  }
  bool report() {
    cpu_z.print("height, CPU float [m]");
    gpu_z.print("height, GPU float [m]");
    cpu_q.print("worst joint, CPU float [rad]");
    gpu_q.print("worst joint, GPU float [rad]");
    // As good as the CPU's float: medians within a factor 3, the 99th of 100 within 10 (falls amplify rounding).
    auto at = [](const Spread& s, double share) {
      return s.x[static_cast<std::size_t>(share * static_cast<double>(s.x.size() - 1))];
    };
    return at(gpu_q, 0.5) < 3 * at(cpu_q, 0.5) + 1e-6 && at(gpu_z, 0.5) < 3 * at(cpu_z, 0.5) + 1e-7 &&
           at(gpu_q, 0.99) < 10 * at(cpu_q, 0.99) + 1e-5;
  }
};

int compare(const GpuFile& f, double tumble) {
  constexpr int worlds = 256;
  auto gpu = gpu_worlds(f, worlds);
  if (!gpu || !put_starts(f, *gpu, tumble)) return 1;
  std::printf("%s\n", gpu->method());
  for (int k = 0; k < 10; ++k) gpu->launch(100, nullptr);
  const GpuSlab on_gpu = gpu->slab();
  std::vector<float> slab(static_cast<std::size_t>(on_gpu.tiles) * static_cast<std::size_t>(on_gpu.row) * kGpuTile);
  if (!gpu->from_gpu(slab.data(), on_gpu.data, slab.size() * sizeof(float), nullptr) || !gpu->wait(nullptr))
    return std::printf("GPU: %s\n", gpu->error()), 1;
  const BatchConstantsT<float> c = f.view();
  Wide wide;
  const BatchConstantsT<double> cd = wide.view(f);
  Errors errors;
  for (int w = 0; w < worlds; ++w) {
    const std::vector<float> row = row_of(f, w, tumble);
    HostWorld<float> single(c, row.data());
    HostWorld<double> exact(cd, row.data());
    single.step(1000);
    exact.step(1000);
    errors.add(f, slab, w, single, exact);
  }
  std::printf("%d worlds, 1000 steps, against double on the CPU:\n", worlds);
  const bool ok = errors.report();
  std::printf("%s\n", ok ? "equal to rounding" : "NOT equal");
  return ok ? 0 : 1;
}

void speed(const GpuFile& f, double tumble, const std::vector<int>& sizes) {
  for (const int worlds : sizes) {
    if (worlds < 1) continue;
    auto gpu = gpu_worlds(f, worlds);
    if (!gpu || !put_starts(f, *gpu, tumble) || !gpu->launch(200, nullptr) || !gpu->wait(nullptr)) {
      std::printf("GPU: %s\n", gpu ? gpu->error() : "none");
      return;
    }
    std::vector<double> rates;
    for (int k = 0; k < 5; ++k) {
      const auto t0 = std::chrono::steady_clock::now();
      gpu->launch(200, nullptr);
      if (!gpu->wait(nullptr)) return (void)std::printf("GPU: %s\n", gpu->error());
      rates.push_back(200.0 * worlds / std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
    }
    std::sort(rates.begin(), rates.end());
    std::printf("  %7d worlds: %.1f million robot-steps a second\n", worlds, rates[2] * 1e-6);
  }
}

}  // namespace
}  // namespace gradus::bench

int main(int argc, char** argv) {
  gradus::bench::GpuFile f;
  if (argc < 3 || !f.load(argv[1])) return std::fprintf(stderr, "usage: gpu_check FILE stand|fall [WORLDS...]; 0 first: no comparison\n"), 2;
  const double tumble = std::strcmp(argv[2], "fall") == 0 ? 1 : 0;
  std::vector<int> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {256, 2048, 8192, 32768, 131072, 524288};
  const int status = sizes[0] > 0 ? gradus::bench::compare(f, tumble) : 0;
  gradus::bench::speed(f, tumble, sizes);
  return status;
}
