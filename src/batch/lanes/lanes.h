/// Many worlds of one robot on its ground, side by side: world w is lane w mod L of tile w / L, numbers lie as
/// [tile][number][lane]. Adds layout and launch to the kernels of a single robot, no physics [batch/world_step.h].
///
/// Worlds do not see each other: what a world does depends on its own numbers alone, so one world gives the same bits
/// alone and among a thousand. In double with the portable kernels it gives the bits of World.
#pragma once
#include <memory>
#include <vector>

#include "batch/constants.h"
#include "batch/lanes/kernel.h"
#include "batch/own_constants.h"
#include "base/threads.h"

namespace gradus {

class Lanes {
 public:
  struct Options {
    LaneType type{true, 16};
    std::span<const LaneKernel> kernels = portable_kernels();
    int threads = 1;
    int predictions = kPredictions;  // at most so many, and one more, in a step
  };
  /// What of the scene lanes do not know; empty: nothing.
  static std::vector<std::string> lacks(const Model& model, int robot);
  /// Worlds with a copy of the model's robot each, at its start. What lanes cannot do is refused, all of it at once.
  static Result<std::unique_ptr<Lanes>> make(const Model& model, int robot, int worlds, const Options& options);
  ~Lanes();

  void step(int steps = 1);
  /// Calls work(tile, part) for every tile, dealt to the threads; it may step that tile.
  template <class Work>
  void each_tile(const Work& work) {
    const int parts = team_.size(), tiles = tile_count();
    team_.run([&](int p) {
      for (int t = tiles * p / parts; t < tiles * (p + 1) / parts; ++t) work(t, p);
    });
  }
  void step_tile(int tile, int steps, int part);
  int worlds() const { return worlds_; }
  int tile_count() const { return (worlds_ + kernel_.type.lanes - 1) / kernel_.type.lanes; }
  const RobotKind& kind() const { return *kind_; }
  const LaneType& type() const { return kernel_.type; }
  std::int64_t predictions() const;  // of tiles; more than steps × tiles: limits were met
  /// Masses, gains, servos, frictions and gravity of one world, from a model of the same robot with other parameters. "" or
  /// why not; nothing has changed then.
  std::string set_constants(int world, const Model& model, int robot);

  /// Numbers of one world as doubles; lengths as in World. Nothing happens if the length is wrong: false.
  bool read_q(int world, std::span<double> q) const { return read(world, at_.q, kind_->nq(), q); }
  bool read_v(int world, std::span<double> v) const { return read(world, at_.v, kind_->nv(), v); }
  bool read_tau(int world, std::span<double> tau) const { return read(world, at_.r, kind_->njoint(), tau); }
  bool write_q(int world, std::span<const double> q) { return write(world, at_.q, kind_->nq(), q); }
  bool write_v(int world, std::span<const double> v) { return write(world, at_.v, kind_->nv(), v); }
  bool write_targets(int world, std::span<const double> target) {
    return write(world, at_.target, kind_->njoint(), target);
  }
  double normal_force(int world, int point) const { return number(world, at_.memory + 4 * point + 2); }
  /// Worlds with mask[w] != 0 go back to the start; the others are untouched. mask: one entry per world.
  bool reset(std::span<const std::uint8_t> mask);
  void reset(int world);
  bool finite(int world) const;
  std::uint64_t hash() const;  // of all worlds' numbers, world after world: the same for every number of lanes
  std::uint64_t hash(int world, std::uint64_t before = 0) const;
  /// All numbers of one world, in the order of at().
  std::span<const double> start() const { return start_; }
  bool read_row(int world, std::span<double> row) const;
  bool write_row(int world, std::span<const double> row);
  /// q and v together; rotors of chains go with their joints.
  bool write_pose(int world, std::span<const double> q, std::span<const double> v);
  /// A number of all lanes of a tile. T: as type() says.
  template <class T>
  T* lanes_of(int tile, int slot) {
    return reinterpret_cast<T*>(tiles_) + (static_cast<std::ptrdiff_t>(tile) * at_.size + slot) * kernel_.type.lanes;
  }

  /// The slab itself, for training loops: float or double [tile][at().size][lanes].
  std::span<std::byte> slab() { return {tiles_, slab_bytes_}; }
  const RowLayout& at() const { return at_; }

 private:
  /// Constants of the robot in the scalar of the lanes.
  struct Constants {
    Constants(const Model& model, int robot, int predictions);
    KindConstants<float> f;
    KindConstants<double> d;
    BatchConstantsT<float> view_f;
    BatchConstantsT<double> view_d;
  };
  Lanes(const Model& model, int robot, int worlds, const LaneKernel& kernel, const Options& options);
  void turn_rings(int world, int direction, std::span<double> row) const;
  std::ptrdiff_t offset(int world, int slot) const;  // in scalars
  double number(int world, int slot) const;
  void set_number(int world, int slot, double x);
  bool read(int world, int slot, int count, std::span<double> out) const;
  bool write(int world, int slot, int count, std::span<const double> in);

  std::shared_ptr<const Model> model_;  // as the worlds begin
  int robot_;
  std::shared_ptr<const RobotKind> kind_;
  LaneKernel kernel_;
  int worlds_;
  std::unique_ptr<Constants> constants_;  // of all tiles
  RowLayout at_;
  std::vector<double> start_;             // (at_.size) one world at its start
  std::vector<std::int64_t> steps_;       // (tiles) done so far
  std::vector<std::unique_ptr<OwnConstants>> own_;  // (tiles) of one whose worlds have their own, else null
  std::byte* tiles_ = nullptr;     // slab_bytes_, 64-byte aligned
  std::vector<std::byte*> rooms_;  // scratch of each thread
  std::size_t slab_bytes_ = 0;
  Team team_;
  int most_predictions_;
  std::vector<std::int64_t> predictions_;  // (threads)
};

}  // namespace gradus
