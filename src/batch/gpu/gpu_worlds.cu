// The slab, what goes in and comes out of it, and the library's one entry point.
#include "batch/gpu/gpu_worlds.h"

#include <cstdio>
#include <new>

#include "batch/gpu/gpu_stepper.h"

namespace gradus {
namespace {

constexpr int kBlock = 256;

__device__ __forceinline__ float* row_of(float* tiles, int row, int world) {
  return tiles + static_cast<std::size_t>(world / kGpuTile) * row * kGpuTile + world % kGpuTile;
}
__device__ __forceinline__ int this_world() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void reset_kernel(float* tiles, int row, int worlds, const std::uint8_t* mask, const float* starts, int rows) {
  const int world = this_world();
  if (world >= worlds || (mask && !mask[world])) return;
  float* to = row_of(tiles, row, world);
  const float* from = starts + static_cast<std::size_t>(world % rows) * row;
  for (int i = 0; i < row; ++i) to[i * kGpuTile] = from[i];
}

__global__ void put_kernel(float* tiles, int row, int worlds, const float* numbers, const std::int32_t* slots, int columns,
                           const std::int32_t* delays, int step) {
  const int world = this_world();
  if (world >= worlds || (delays && delays[world] != step)) return;
  float* to = row_of(tiles, row, world);
  const float* from = numbers + static_cast<std::size_t>(world) * columns;
  for (int i = 0; i < columns; ++i) to[slots[i] * kGpuTile] = from[i];
}

/// Rows of some worlds and their kept numbers, in or out.
template <bool in>
__global__ void rows_kernel(float* tiles, int row, const std::int32_t* worlds, int count, float* rows, float* kept, int kept_columns,
                            int padded) {
  const int i = this_world();
  if (i >= count) return;
  float *at = row_of(tiles, row, worlds[i]), *x = rows + static_cast<std::size_t>(i) * (row + kept_columns);
  for (int k = 0; k < row; ++k) in ? at[k * kGpuTile] = x[k] : x[k] = at[k * kGpuTile];
  for (int k = 0; k < kept_columns; ++k) {
    float& y = kept[static_cast<std::size_t>(k) * padded + worlds[i]];
    in ? y = x[row + k] : x[row + k] = y;
  }
}

/// Normal force on points first … first + count.
__device__ __forceinline__ float force_on(const float* x, const RowLayout& at, const GpuColumn& c) {
  float sum = 0;
  for (int k = c.first; k < c.first + c.count; ++k) sum += x[(at.memory + 4 * k + 2) * kGpuTile];
  return sum;
}

/// Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll), as to_roll_pitch_yaw [math/vec.h].
__device__ __forceinline__ float angle_of(const QuatT<float>& q, int axis) {
  const Mat3T<float> R = to_matrix(q);
  if (axis == 0) return atan2f(R.y.z, R.z.z);
  if (axis == 1) return asinf(fminf(1.0f, fmaxf(-1.0f, -R.x.z)));
  return atan2f(R.x.y, R.x.x);
}

__global__ void observe_kernel(float* tiles, RowLayout at, int worlds, Vec3T<float> down, const GpuColumn* columns, int count,
                               const float* kept, int padded, float* out) {
  const int world = this_world();
  if (world >= worlds) return;
  using Kind = GpuColumn::Kind;
  const float* x = row_of(tiles, at.size, world);
  const auto slot = [x](int i) { return x[i * kGpuTile]; };
  const QuatT<float> q{slot(at.q + 3), slot(at.q + 4), slot(at.q + 5), slot(at.q + 6)};
  const Mat3T<float> R = to_matrix(q);
  const auto in_base = [&](Vec3T<float> v, int axis) { return dot(axis == 0 ? R.x : axis == 1 ? R.y : R.z, v); };
  for (int i = 0; i < count; ++i) {
    const GpuColumn c = columns[i];
    float y = 0;
    switch (c.kind) {
      case Kind::slot: y = slot(c.first); break;
      case Kind::gravity: y = in_base(down, c.first); break;
      case Kind::velocity: y = in_base({slot(at.v + 3), slot(at.v + 4), slot(at.v + 5)}, c.first); break;
      case Kind::spin: y = in_base({slot(at.v), slot(at.v + 1), slot(at.v + 2)}, c.first); break;
      case Kind::roll_pitch_yaw: y = angle_of(q, c.first); break;
      case Kind::force: y = force_on(x, at, c); break;
      case Kind::most:
      case Kind::air: y = kept[static_cast<std::size_t>(c.kept) * padded + world]; break;
    }
    out[static_cast<std::size_t>(world) * count + i] = y;
  }
}

__global__ void keep_kernel(float* tiles, RowLayout at, int worlds, float h, const GpuColumn* columns, int count, bool first,
                            float* kept, int padded) {
  const int world = this_world();
  if (world >= worlds) return;
  const float* x = row_of(tiles, at.size, world);
  for (int i = 0; i < count; ++i) {
    const GpuColumn c = columns[i];
    if (c.kind != GpuColumn::Kind::most && c.kind != GpuColumn::Kind::air) continue;
    float& y = kept[static_cast<std::size_t>(c.kept) * padded + world];
    const float f = force_on(x, at, c);
    if (c.kind == GpuColumn::Kind::most)
      y = first ? f : fmaxf(y, f);
    else
      y = f > 0 ? 0 : y + h;
  }
}

__global__ void finite_kernel(float* tiles, RowLayout at, int worlds, std::uint8_t* out) {
  const int world = this_world();
  if (world >= worlds) return;
  const float* x = row_of(tiles, at.size, world);
  bool finite = true;
  for (int i = 0; i < at.target; ++i) finite = finite && (__float_as_uint(x[i * kGpuTile]) & 0x7f800000u) != 0x7f800000u;
  out[world] = finite;
}

class Worlds : public GpuWorlds {
 public:
  Worlds(const BatchConstantsT<float>& c, int worlds) : at_(make_row_layout(c.kind.njoint(), c.kind.npoint())), h_(c.h), worlds_(worlds) {
    const float size = std::sqrt(dot(c.gravity, c.gravity));
    if (size > 0) down_ = c.gravity * (1 / size);
    tiles_ = memory_.room<float>(static_cast<std::size_t>(tile_count()) * kGpuTile * static_cast<std::size_t>(at_.size));
    predictions_ = memory_.room<unsigned long long>(1);
    if (memory_.status == cudaSuccess) memory_.status = cudaMemset(predictions_, 0, sizeof *predictions_);
    std::string why_not, why;
    stepper_ = make_limb_stepper(c, at_, worlds, memory_, predictions_, method_, why_not);
    if (!stepper_) {
      method_ = "one thread a world: " + why_not;
      stepper_ = make_thread_stepper(c, at_, worlds, memory_, predictions_, why);
    }
    if (!stepper_) error_ = "this robot has " + why;
    note(memory_.status);
  }
  GpuSlab slab() const override { return {tiles_, tile_count(), at_.size, worlds_}; }
  const RowLayout& at() const override { return at_; }
  const char* method() const override { return method_.c_str(); }
  const char* error() const override { return error_.c_str(); }

  bool launch(int steps, void* stream) override { return note(stepper_->launch(tiles_, steps, of(stream))); }
  bool reset(const std::uint8_t* mask, const float* starts, int rows, void* stream) override {
    reset_kernel<<<blocks(), kBlock, 0, of(stream)>>>(tiles_, at_.size, mask ? worlds_ : tile_count() * kGpuTile, mask, starts, rows);
    return note(cudaGetLastError());
  }
  bool put(const float* numbers, const std::int32_t* slots, int columns, const std::int32_t* delays, int step,
           void* stream) override {
    put_kernel<<<blocks(), kBlock, 0, of(stream)>>>(tiles_, at_.size, worlds_, numbers, slots, columns, delays, step);
    return note(cudaGetLastError());
  }
  bool write_rows(const std::int32_t* worlds, const float* rows, int count, float* kept, int kept_columns, void* stream) override {
    rows_kernel<true><<<(count + kBlock - 1) / kBlock, kBlock, 0, of(stream)>>>(tiles_, at_.size, worlds, count,
                                                                                const_cast<float*>(rows), kept, kept_columns, padded());
    return note(cudaGetLastError());
  }
  bool read_rows(const std::int32_t* worlds, float* rows, int count, const float* kept, int kept_columns, void* stream) override {
    rows_kernel<false><<<(count + kBlock - 1) / kBlock, kBlock, 0, of(stream)>>>(tiles_, at_.size, worlds, count, rows,
                                                                                 const_cast<float*>(kept), kept_columns, padded());
    return note(cudaGetLastError());
  }
  unsigned long long predictions() override {
    unsigned long long n = 0;
    note(cudaMemcpy(&n, predictions_, sizeof n, cudaMemcpyDeviceToHost));
    return n;
  }
  bool observe(const GpuColumn* columns, int count, const float* kept, float* out, void* stream) override {
    observe_kernel<<<blocks(), kBlock, 0, of(stream)>>>(tiles_, at_, worlds_, down_, columns, count, kept, padded(), out);
    return note(cudaGetLastError());
  }
  bool keep(const GpuColumn* columns, int count, bool first, float* kept, void* stream) override {
    keep_kernel<<<blocks(), kBlock, 0, of(stream)>>>(tiles_, at_, worlds_, h_, columns, count, first, kept, padded());
    return note(cudaGetLastError());
  }
  bool finite(std::uint8_t* out, void* stream) override {
    finite_kernel<<<blocks(), kBlock, 0, of(stream)>>>(tiles_, at_, worlds_, out);
    return note(cudaGetLastError());
  }
  void* allocate(std::size_t bytes) override {
    void* p = memory_.room<unsigned char>(bytes);
    note(memory_.status);
    return p;
  }
  bool to_gpu(void* to, const void* from, std::size_t bytes, void* stream) override {
    return note(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, of(stream)));
  }
  bool from_gpu(void* to, const void* from, std::size_t bytes, void* stream) override {
    return note(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, of(stream)));
  }
  bool wait(void* stream) override { return note(cudaStreamSynchronize(of(stream))); }

 private:
  static cudaStream_t of(void* stream) { return static_cast<cudaStream_t>(stream); }
  bool note(cudaError_t status) {
    if (status != cudaSuccess && error_.empty()) error_ = cudaGetErrorString(status);
    return status == cudaSuccess;
  }
  int tile_count() const { return (worlds_ + kGpuTile - 1) / kGpuTile; }
  int padded() const { return tile_count() * kGpuTile; }
  unsigned blocks() const { return static_cast<unsigned>((padded() + kBlock - 1) / kBlock); }

  GpuMemory memory_;
  RowLayout at_;
  float h_;
  int worlds_;
  Vec3T<float> down_{0, 0, 0};
  float* tiles_ = nullptr;
  unsigned long long* predictions_ = nullptr;
  std::unique_ptr<GpuStepper> stepper_;
  std::string method_, error_;
};

}  // namespace
}  // namespace gradus

[[gnu::visibility("default")]] gradus::GpuWorlds* gradus_make_gpu_worlds(int version, std::size_t constants_size,
                                          const gradus::BatchConstantsT<float>* constants, int worlds, char* error,
                                          std::size_t error_size) {
  const auto refuse = [&](const char* why) -> gradus::GpuWorlds* {
    std::snprintf(error, error_size, "%s", why);
    return nullptr;
  };
  if (version != gradus::kGpuVersion || constants_size != sizeof *constants)
    return refuse("libgradus_gpu is of another version of gradus: build both from the same source");
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0)
    return refuse(status == cudaSuccess ? "there is no CUDA device" : cudaGetErrorString(status));
  auto made = std::make_unique<gradus::Worlds>(*constants, worlds);
  if (*made->error()) return refuse(made->error());
  return made.release();
}
