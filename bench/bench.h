/// The speed comparison: gradus at every level and in lanes against MuJoCo, on the same robots in the same scenes,
/// interleaved in one process. Processor time of the thread, blocks of some milliseconds, medians; ratios are medians
/// of the rounds' ratios, so a machine that slows down for a while slows everyone down.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace gradus::bench {

struct BenchRow {
  std::string scenario, engine, variant;
  double ns_per_robot_step = 0;  // median; 0: not measured, see note
  double times_mujoco = 0;       // how many times faster than MuJoCo in the same rounds; 0: no MuJoCo
  int robots = 1, threads = 1;
  int contacts = 0;        // of one robot when the clock started
  std::string methods;     // motion, law, drive, scalar
  std::uint64_t hash = 0;  // state after the warm-up; 0: the engine has none
  std::string note;
  std::string commit, compiler, flags, cpu;
};

struct BenchOptions {
  std::string data_dir;  // folder that holds robots/
  int rounds = 21;
  double block_seconds = 0.006;  // processor time of one engine in one round
  std::function<void(double fraction, const std::string& what)> progress;
};

/// stand, air: humanoid28 articulated, with MuJoCo and lanes; crowd: 1, 10, 100 robots; levels: every motion of kidsize
/// and humanoid28; nao: a standing Nao with actuator chains.
std::vector<std::string> benchmark_names();
/// Rows of the named benchmarks (all if none is named), or what went wrong.
Result<std::vector<BenchRow>> run_benchmarks(std::span<const std::string> names, const BenchOptions& options);

}  // namespace gradus::bench
