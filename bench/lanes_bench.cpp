// gradus_bench [name...]: prints the rows of bench.h as a table. `gradus bench` offers the same and JSON.
#include <fmt/format.h>

#include <cstdio>

#include "bench/bench.h"

int main(int argc, char** argv) {
  using namespace gradus;
  const std::vector<std::string> names(argv + 1, argv + argc);
  bench::BenchOptions options;
  options.data_dir = GRADUS_SOURCE_DIR;
  auto rows = bench::run_benchmarks(names, options);
  for (const Diagnostic& d : rows.notes()) fmt::print(stderr, "{}\n", to_string(d));
  if (!rows) return 1;
  fmt::print("{:18} {:13} {:38} {:>7} {:>9} {:>9} {:>8}  {}\n", "scenario", "engine", "variant", "robots", "ns/step",
             "x MuJoCo", "contacts", "hash");
  for (const bench::BenchRow& r : *rows)
    fmt::print("{:18} {:13} {:38} {:>7} {:>9.1f} {:>9.2f} {:>8}  {:016x} {}\n", r.scenario, r.engine, r.variant,
               r.robots, r.ns_per_robot_step, r.times_mujoco, r.contacts, r.hash, r.note);
  if (!rows->empty()) fmt::print("commit {}, {}, {}\n", (*rows)[0].commit, (*rows)[0].compiler, (*rows)[0].cpu);
  return 0;
}
