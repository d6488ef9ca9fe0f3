/// Many worlds of one robot on an NVIDIA GPU: the kernels of tree/, contact/, drive/ and motion/ in float. A library of its
/// own (libgradus_gpu, built where CMake finds nvcc), which the back end `gpu` of a batch loads while it runs [gpu_library.h]:
/// nothing else of gradus knows CUDA. Two ways to take steps, chosen by the robot: by limbs, several warps a world
/// [limb_step.h], or one thread a world [thread_kernel.cu], six times slower, for those that limbs cannot do.
///
/// Numbers lie as [worlds/32][number][32], so that the 32 threads of a warp read neighbours [RowLayout].
///
/// All calls that take a stream put their work on it and return at once; a CUDA graph may capture them. stream: a
/// cudaStream_t, null: the default one. They return false where CUDA refused; error() says why.
#pragma once
#include <cstddef>
#include <cstdint>

#include "batch/world_step.h"

namespace gradus {

constexpr int kGpuTile = 32;  // worlds that share a tile: one warp

/// The slab in the GPU's memory: float [tiles][row][32]. The worlds of the last tile beyond `worlds` are padding.
struct GpuSlab {
  float* data;
  int tiles, row, worlds;
};

/// One number of an observation.
struct GpuColumn {
  enum class Kind : std::int32_t {
    slot,      // of the row
    gravity,   // axis 0 … 2, in the base's axes
    velocity,  // of the base, in its axes
    spin,
    roll_pitch_yaw,
    force,     // normal force on points first … first + count
    most,      // largest of these since begin_act
    air,       // time since one of these was not zero, kept in `extra`
  };
  Kind kind;
  std::int32_t first, count;
  std::int32_t kept;  // most, air: which number of `kept`
};

class GpuWorlds {
 public:
  virtual ~GpuWorlds() = default;
  virtual GpuSlab slab() const = 0;
  virtual const RowLayout& at() const = 0;
  /// "limbs, 4 warps a world", or "one thread a world: …" with what limbs could not do.
  virtual const char* method() const = 0;
  virtual const char* error() const = 0;

  /// `steps` steps of all worlds. Few launches of 5 to 200 steps are best.
  virtual bool launch(int steps, void* stream) = 0;
  /// Worlds with mask != 0 begin again: world w from row w mod rows of `starts` (rows of at().size numbers, not tiled).
  /// mask (worlds), starts: in the GPU's memory
  virtual bool reset(const std::uint8_t* mask, const float* starts, int rows, void* stream) = 0;
  /// Numbers (worlds × columns) into those slots of the rows; where delays are given, of worlds whose delay is `step` alone.
  virtual bool put(const float* numbers, const std::int32_t* slots, int columns, const std::int32_t* delays, int step,
                   void* stream) = 0;
  /// Rows of `count` worlds, each followed by its kept numbers (kept_columns of them).  worlds, rows: in the GPU's memory
  virtual bool write_rows(const std::int32_t* worlds, const float* rows, int count, float* kept, int kept_columns,
                          void* stream) = 0;
  virtual bool read_rows(const std::int32_t* worlds, float* rows, int count, const float* kept, int kept_columns,
                         void* stream) = 0;
  /// columns (count) and out (worlds × count) in the GPU's memory.  kept: (kept columns × padded worlds) or null
  virtual bool observe(const GpuColumn* columns, int count, const float* kept, float* out, void* stream) = 0;
  /// After a step: `most` and `air` of the kept columns; begins an act where `first` says so.
  virtual bool keep(const GpuColumn* columns, int count, bool first, float* kept, void* stream) = 0;
  /// out[w] = 1 where all coordinates, velocities and memories of world w are finite.
  virtual bool finite(std::uint8_t* out, void* stream) = 0;
  /// Predictions of all worlds since the start; waits.
  virtual unsigned long long predictions() = 0;

  // Memory of the GPU, and waiting.
  virtual void* allocate(std::size_t bytes) = 0;  // as long as this lives; null: none left
  virtual bool to_gpu(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual bool from_gpu(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual bool wait(void* stream) = 0;
};

/// What the library exports. `version` must be kGpuVersion of both sides, and so must the size of the constants.
constexpr int kGpuVersion = 1;
using MakeGpuWorlds = GpuWorlds*(int version, std::size_t constants_size, const BatchConstantsT<float>* constants, int worlds,
                                 char* error, std::size_t error_size);
constexpr const char* kMakeGpuWorlds = "gradus_make_gpu_worlds";

}  // namespace gradus

/// `constants` point to host memory; everything is copied. Null, and a reason: no GPU, no memory, a robot too large.
extern "C" gradus::GpuWorlds* gradus_make_gpu_worlds(int version, std::size_t constants_size,
                                                     const gradus::BatchConstantsT<float>* constants, int worlds, char* error,
                                                     std::size_t error_size);
