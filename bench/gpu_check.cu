// gpu_check FILE [speed]: worlds of gpu_dump on the GPU against the same source on this machine's CPU, float and double, over
// 1000 steps; then robot-steps a second for several numbers of worlds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "batch/gpu/gpu_worlds.h"
#include "bench/gpu_file.h"

namespace gradus::bench {
namespace {

/// One world on the CPU: the same step_world.
template <class T>
class HostWorld {
 public:
  HostWorld(const BatchConstantsT<T>& c, const float* row)
      : c_(c), at_(make_row_layout(c.kind.njoint(), c.kind.npoint())), numbers_(row, row + at_.size), frames_(n()), sine_(n()),
        cosine_(n()), contacts_(static_cast<std::size_t>(c.kind.npoint())), begin_(n() + 1), drive_(n()), acc_(n()), a_(n()),
        factors_(n()), branch_I_(n()), branch_b_(n()) {}
  void step(int steps) {
    const StepRoomT<T> room{frames_.data(), sine_.data(), cosine_.data(), contacts_.data(), begin_.data(), drive_.data(),
                            acc_.data(), a_.data(), {&root_, factors_.data(), branch_I_.data(), branch_b_.data()}};
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
    for (const auto& l : f.links)
      links.push_back({cast<double>(l.p_PB), cast<double>(l.axis), cast<double>(l.com), cast<double>(l.J), l.mass, l.rotor, l.parent,
                       l.branch, l.axis_kind, l.prismatic, l.follows, l.tip, l.on_branch_path, l.same_origin, l.diagonal});
    for (const auto& p : f.points)
      points.push_back({cast<double>(p.p_BC), p.radius, p.friction, p.k, p.d, p.kt, p.dt, p.link, p.object});
    for (const auto& j : f.joints)
      joints.push_back({j.lower, j.upper, j.stop_k, j.stop_d, j.damping, j.friction, {j.servo.kp, j.servo.kd, j.servo.torque, j.servo.speed},
                        j.mimic_of, j.mimic_multiplier, j.mimic_offset});
    for (const auto& c : f.bound_centre) bound_centre.push_back(cast<double>(c));
    for (float r : f.bound_radius) bound_radius.push_back(r);
    return {{f.nlink, f.branch_count, static_cast<RootKind>(f.root), links.data(), points.data(), f.point_begin.data(),
             bound_centre.data(), bound_radius.data()},
            joints.data(),
            {cast<double>(f.ground.n), cast<double>(f.ground.t1), cast<double>(f.ground.t2), f.ground.offset, f.ground.present},
            cast<double>(f.gravity), f.h};
  }
};

struct Spread {
  std::vector<double> x;
  void print(const char* name) {
    std::sort(x.begin(), x.end());
    const std::size_t n = x.size();
    std::printf("  %-34s median %.2e  p99 %.2e  max %.2e\n", name, x[n / 2], x[n * 99 / 100], x[n - 1]);
  }
};

std::vector<float> slab_of(const GpuFile& f, const GpuWorlds& g, int worlds) {
  std::vector<float> slab(g.slab_size());
  for (std::size_t w = 0; w < slab.size() / static_cast<std::size_t>(f.row_size); ++w)
    for (int i = 0; i < f.row_size; ++i)
      slab[(w / kGpuTile * static_cast<std::size_t>(f.row_size) + static_cast<std::size_t>(i)) * kGpuTile + w % kGpuTile] =
          f.rows[(w % static_cast<std::size_t>(std::min(f.worlds, worlds))) * static_cast<std::size_t>(f.row_size) + static_cast<std::size_t>(i)];
  return slab;
}

int compare(const GpuFile& f) {
  const BatchConstantsT<float> c = f.view();
  std::string error;
  auto gpu = GpuWorlds::make(c, f.worlds, error);
  if (!gpu) return std::printf("GPU: %s\n", error.c_str()), 1;
  std::vector<float> slab = slab_of(f, *gpu, f.worlds);
  if (!gpu->upload(slab)) return std::printf("GPU: upload failed\n"), 1;
  for (int k = 0; k < 10; ++k)
    if (!gpu->step(100)) return std::printf("GPU: %s\n", gpu->error().c_str()), 1;
  if (!gpu->download(slab)) return std::printf("GPU: download failed\n"), 1;
  Wide wide;
  const BatchConstantsT<double> cd = wide.view(f);
  Spread gpu_z, gpu_q, cpu_z, cpu_q;
  for (int w = 0; w < f.worlds; ++w) {
    const float* row = f.rows.data() + static_cast<std::size_t>(w) * static_cast<std::size_t>(f.row_size);
    HostWorld<float> single(c, row);
    HostWorld<double> exact(cd, row);
    single.step(1000);
    exact.step(1000);
    auto on_gpu = [&](int i) {
      return static_cast<double>(slab[(static_cast<std::size_t>(w) / kGpuTile * f.row_size + static_cast<std::size_t>(i)) * kGpuTile + w % kGpuTile]);
    };
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
  std::printf("%d worlds, 1000 steps, against double on the CPU:\n", f.worlds);
  cpu_z.print("height, CPU float [m]");
  gpu_z.print("height, GPU float [m]");
  cpu_q.print("worst joint, CPU float [rad]");
  gpu_q.print("worst joint, GPU float [rad]");
  // As good as the CPU's float: medians within a factor 3, extremes within 10.
  auto at = [](const Spread& s, double share) { return s.x[static_cast<std::size_t>(share * static_cast<double>(s.x.size() - 1))]; };
  const bool ok = at(gpu_q, 0.5) < 3 * at(cpu_q, 0.5) + 1e-6 && at(gpu_z, 0.5) < 3 * at(cpu_z, 0.5) + 1e-7 &&
                  at(gpu_q, 1) < 10 * at(cpu_q, 1) + 1e-5;
  std::printf("%s\n", ok ? "equal to rounding" : "NOT equal");
  return ok ? 0 : 1;
}

void speed(const GpuFile& f) {
  for (int worlds : {8192, 32768, 131072, 524288}) {
    std::string error;
    auto gpu = GpuWorlds::make(f.view(), worlds, error);
    if (!gpu || !gpu->upload(slab_of(f, *gpu, worlds)) || !gpu->step(200)) return void(std::printf("GPU: %s\n", error.c_str()));
    std::vector<double> rates;
    for (int k = 0; k < 5; ++k) {
      const auto t0 = std::chrono::steady_clock::now();
      gpu->step(200);
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
  if (argc < 2 || !f.load(argv[1])) return std::fprintf(stderr, "usage: gpu_check FILE [speed]\n"), 2;
  const int status = gradus::bench::compare(f);
  if (argc > 2) gradus::bench::speed(f);
  return status;
}
