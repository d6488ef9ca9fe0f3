#include "bench/bench.h"
#include <CLI/CLI.hpp>

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "io/progress.h"

namespace gradus::cli {
namespace {

void print_table(const std::vector<bench::BenchRow>& rows) {
  std::printf("%-10s %-10s %-34s %7s %12s %10s\n", "scenario", "engine", "variant", "robots", "ns/step", "x MuJoCo");
  for (const bench::BenchRow& r : rows) {
    std::printf("%-10s %-10s %-34s %7d ", r.scenario.c_str(), r.engine.c_str(), r.variant.c_str(), r.robots);
    if (r.ns_per_robot_step > 0)
      std::printf("%12.1f ", r.ns_per_robot_step);
    else
      std::printf("%12s ", "-");
    if (r.times_mujoco > 0) std::printf("%10.2f", r.times_mujoco);
    std::printf("%s%s\n", r.note.empty() ? "" : "  ", r.note.c_str());
  }
  if (!rows.empty())
    std::printf(
        "\n%s, %s, commit %s\nns/step: processor time of one robot and one step, median; all engines interleaved in "
        "one run\n",
        rows[0].cpu.c_str(), rows[0].compiler.c_str(), rows[0].commit.c_str());
}

void print_json(const std::vector<bench::BenchRow>& rows) {
  nlohmann::ordered_json j;
  j["rows"] = nlohmann::json::array();
  for (const bench::BenchRow& r : rows) {
    char hash[24];
    std::snprintf(hash, sizeof hash, "%016" PRIx64, r.hash);
    j["rows"].push_back({{"scenario", r.scenario},
                         {"engine", r.engine},
                         {"variant", r.variant},
                         {"ns_per_robot_step", r.ns_per_robot_step},
                         {"times_mujoco", r.times_mujoco},
                         {"robots", r.robots},
                         {"threads", r.threads},
                         {"contacts", r.contacts},
                         {"methods", r.methods},
                         {"hash", hash},
                         {"note", r.note},
                         {"commit", r.commit},
                         {"compiler", r.compiler},
                         {"flags", r.flags},
                         {"cpu", r.cpu}});
  }
  std::printf("%s\n", j.dump(1).c_str());
}

}  // namespace

void add_bench(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("bench", "Benchmarks, with peer engines where installed, interleaved in one run");
  struct Options {
    std::vector<std::string> names;
    bool json = false;
    int rounds = 21;
  };
  auto o = std::make_shared<Options>();
  std::string all;
  for (const std::string& n : bench::benchmark_names()) all += (all.empty() ? "" : ", ") + n;
  cmd->add_option("NAME", o->names, "which ones (default: all): " + all)
      ->check(CLI::IsMember(bench::benchmark_names()));
  cmd->add_option("--rounds", o->rounds, "of all engines; medians are over them")->check(CLI::Range(1, 1000));
  cmd->add_flag("--json", o->json, "one JSON object on standard output");
  cmd->footer("Example: gradus bench stand");
  cmd->callback([o, &outcome] {
    bench::BenchOptions options;
    options.data_dir = shipped_files().search.empty() ? "." : shipped_files().search.front();
    options.rounds = o->rounds;
    ProgressSetup setup;
    setup.style = o->json ? ProgressStyle::silent : progress_style(stderr);
    setup.total = 1;
    setup.labels = {"", " of all a second"};
    setup.now = now;
    Progress bar(setup);
    options.progress = [&](double fraction, const std::string&) { bar.update(fraction); };
    auto rows = bench::run_benchmarks(o->names, options);
    bar.clear();
    outcome.status = rows ? 0 : 1;
    if (!rows) return print(rows.notes());
    o->json ? print_json(*rows) : print_table(*rows);
  });
}

}  // namespace gradus::cli
