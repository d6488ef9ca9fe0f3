/// What runs the worlds of a batch [gradus/batch.h]: the contract of worlds and lanes. Numbers of all worlds come and
/// go packed, [world][column], in float or double.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "batch/columns.h"

namespace gradus {

/// Packed numbers of either type; data may be null: none.
struct Packed {
  void* data = nullptr;
  bool single = true;
  int columns = 0;
  template <class T>
  T* row(int world) const {
    return static_cast<T*>(data) + static_cast<std::ptrdiff_t>(world) * columns;
  }
  double get(int world, int column) const {
    return single ? static_cast<double>(row<float>(world)[column]) : row<double>(world)[column];
  }
  void set(int world, int column, double x) const {
    if (single)
      row<float>(world)[column] = static_cast<float>(x);
    else
      row<double>(world)[column] = x;
  }
};

/// One act: every world takes its actions after delay[w] steps (null: at once), steps, is observed.
struct ActOrder {
  Packed actions, observations;
  const int* delay = nullptr;
  int steps = 1;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual int count() const = 0;
  virtual void act(const ActOrder& order) = 0;
  virtual void observe(const Packed& out, std::span<const std::uint8_t> mask) = 0;
  virtual bool finite(int world) const = 0;  // after the last act
  virtual void reset(int world) = 0;
  /// Coordinates of all robots, one after the other, and velocities likewise.
  virtual void read_state(int world, double* q, double* v) const = 0;
  /// False: a number is not finite, and the world may be half changed.
  virtual bool write_state(int world, const double* q, const double* v) = 0;
  /// "" or why not.
  virtual std::string push(int world, int robot, int link, Vec3 force, Vec3 p_L) = 0;
  virtual std::string set_parameters(int world, std::vector<Setting> settings) = 0;
  virtual std::uint64_t hash(int world) const = 0;
  virtual std::vector<double> save(int world) const = 0;
  virtual bool restore(int world, std::span<const double> numbers) = 0;
  virtual std::int64_t predictions() const = 0;
};

}  // namespace gradus
