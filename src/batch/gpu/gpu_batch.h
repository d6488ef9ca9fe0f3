/// A GPU as the back end of a batch [batch/backend.h]. Rows stay in the GPU's memory; what Batch hands over goes there with the
/// next act, and rows come back only where somebody reads a whole state.
#pragma once
#include "batch/backend.h"
#include "batch/constants.h"
#include "batch/gpu/gpu_worlds.h"
#include "batch/row_columns.h"

namespace gradus {

class GpuBatch : public Backend {
 public:
  struct Options {
    int predictions = kPredictions;
    BatchColumns columns;
  };
  /// What is asked for and a GPU cannot do; empty: nothing. It is not asked whether there is one.
  static std::vector<std::string> lacks(const Model& model, const BatchColumns& columns, bool single, bool parameters);
  /// Null, and why: no library, no device.
  static std::unique_ptr<GpuBatch> make(const Model& model, int worlds, Options options, std::string& why);

  int count() const override { return worlds_; }
  void act(const ActOrder& order) override;
  void observe(const Packed& out, std::span<const std::uint8_t> mask) override;
  bool finite(int world) const override { return finite_[static_cast<std::size_t>(world)] != 0; }
  void reset(int world) override;
  void read_state(int world, double* q, double* v) const override;
  bool write_state(int world, const double* q, const double* v) override;
  std::string push(int world, int robot, int link, Vec3 force, Vec3 p_L) override;
  std::string set_parameters(int world, std::vector<Setting> settings) override;
  std::uint64_t hash(int world) const override;
  std::vector<double> save(int world) const override;
  bool restore(int world, std::span<const double> numbers) override;
  std::int64_t predictions() const override { return static_cast<std::int64_t>(gpu_->predictions()); }

  const char* method() const { return gpu_->method(); }
  /// Numbers in the GPU's memory: the slab, actions (worlds × columns), observations (worlds × columns).
  GpuSlab slab() const { return gpu_->slab(); }
  float* actions() const { return actions_; }
  float* observed() const { return observed_; }
  /// As act with actions(), into observed(), without waiting and without the host: a CUDA graph may capture it. "" or why not.
  std::string launch(int steps, void* stream);
  /// To the start, of worlds with mask != 0, in the GPU's memory; likewise.
  std::string begin(const std::uint8_t* mask, void* stream);

 private:
  GpuBatch(const Model& model, int worlds, Options options);
  bool prepare();  // rooms in the GPU's memory, the start in all worlds
  std::size_t width() const { return static_cast<std::size_t>(gpu_->at().size) + static_cast<std::size_t>(kept_count_); }
  const float* row(int world) const;  // with its kept numbers, as it is now
  float* changed_row(int world);      // of one that goes to the GPU with the next act
  void flush();
  void steps_of(int steps, const std::int32_t* delays, bool put, void* stream);
  void fetch(const Packed& out, std::span<const std::uint8_t> mask);
  void require(bool good) const;  // throws what CUDA says

  Options options_;
  std::shared_ptr<const RobotKind> kind_;
  std::string robot_name_;
  double step_;
  int worlds_;
  KindConstants<float> constants_;
  std::unique_ptr<GpuWorlds> gpu_;
  std::vector<float> start_;         // a row and its kept numbers
  std::vector<GpuColumn> columns_;   // (observed columns)
  std::vector<std::int32_t> slots_;  // (action columns)
  std::vector<std::size_t> times_;   // columns that are the time
  int kept_count_ = 0;
  std::vector<std::int64_t> ages_;   // (worlds) steps since the reset
  std::vector<std::uint8_t> finite_;
  std::vector<float> staged_;        // (worlds × columns) of one type and one order
  // Changed rows that the GPU does not know yet, and rows it was asked for since its last step.
  std::vector<int> changed_;                  // (worlds) number in changed_worlds_, −1
  std::vector<std::int32_t> changed_worlds_;
  std::vector<float> changed_rows_;
  mutable std::vector<float> read_rows_;      // (worlds × width), or empty
  // In the GPU's memory.
  float *actions_ = nullptr, *observed_ = nullptr, *kept_ = nullptr, *rows_ = nullptr, *start_row_ = nullptr;
  GpuColumn* columns_there_ = nullptr;
  std::int32_t *slots_there_ = nullptr, *worlds_there_ = nullptr, *delays_there_ = nullptr;
  std::uint8_t* finite_there_ = nullptr;
};

}  // namespace gradus
