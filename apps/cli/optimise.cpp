#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "common/plot.h"
#include "io/progress.h"
#include "optimise/search.h"

namespace gradus::cli {
namespace {

struct OptimiseOptions {
  std::string file, out, engine = "threads";
  std::optional<std::int64_t> evaluations, seed;
  int threads = 0;
  bool resume = false, json = false, quiet = false;
};

std::atomic<bool> stop_asked{false};

void on_signal(int signal) {
  if (stop_asked) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  stop_asked = true;
}

/// The best so far over evaluations, and that of each generation.
void write_curve(const optimise::Search& search, const std::string& folder) {
  std::string aim = search.study().objective();
  if (aim.size() > 44) aim = aim.substr(0, 41) + "...";  // beside the axis
  Plot plot{std::filesystem::path(search.study().file()).stem().string(), "evaluations", aim, {}};
  Series best{"best so far", {}, {}}, each{"best of the generation", {}, {}, true};
  for (const auto& h : search.history()) {
    const double x = static_cast<double>(h.evaluations);
    if (h.feasible) best.x.push_back(x), best.y.push_back(h.best);
    if (std::isfinite(h.of_generation)) each.x.push_back(x), each.y.push_back(h.of_generation);
  }
  if (best.x.empty()) return;
  plot.series = {each, best};
  const std::string file = folder + "/curve.svg";
  if (std::FILE* f = std::fopen(file.c_str(), "w")) {
    const std::string text = to_svg({plot});
    std::fwrite(text.data(), 1, text.size(), f);
    std::fclose(f);
  }
}

std::string verdict_of(const optimise::Search& search) {
  if (!search.has_best()) return "nothing was evaluated";
  const optimise::Outcome& o = search.best_outcome();
  if (o.failed > 0) return "every candidate failed: " + search.last_failure();
  if (o.violation > 0) return fmt::format("no candidate keeps all constraints; the nearest misses them by {:.4g}", o.violation);
  return "";
}

void print_result(const optimise::Search& search, const OptimiseOptions& o, double seconds, bool stopped) {
  const optimise::Study& study = search.study();
  if (o.json) {
    nlohmann::ordered_json j;
    j["study"] = study.file();
    j["method"] = study.method();
    j["evaluations"] = search.evaluations();
    j["generations"] = search.generation();
    j["failures"] = search.failures();
    j["seconds"] = search.elapsed_before() + seconds;
    j["finished"] = !stopped;
    j["problem"] = verdict_of(search);
    if (search.has_best()) {
      j["objective"] = search.best_outcome().objective;
      const std::vector<double> x = study.values(search.best());
      for (std::size_t i = 0; i < x.size(); ++i) j["best"][study.axes()[i].name] = x[i];
    }
    j["folder"] = o.out;
    std::printf("%s\n", j.dump(1).c_str());
    return;
  }
  std::printf("%s, %lld evaluations of %d run%s, %s\n", study.file().c_str(), static_cast<long long>(search.evaluations()),
              study.run_count(), study.run_count() == 1 ? "" : "s", format_duration(search.elapsed_before() + seconds).c_str());
  if (search.failures() > 0)
    std::printf("  %lld candidates failed, the last: %s\n", static_cast<long long>(search.failures()), search.last_failure().c_str());
  if (const std::string wrong = verdict_of(search); !wrong.empty()) std::printf("  %s\n", wrong.c_str());
  if (!search.has_best()) return;
  std::printf("  %s %s = %.6g\n", study.maximises() ? "largest" : "smallest", study.objective().c_str(), search.best_outcome().objective);
  const std::vector<double> x = study.values(search.best());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const optimise::Axis& a = study.axes()[i];
    const double u = optimise::coordinate_of(a, x[i]);
    std::printf("  %-40s %.6g %s%s\n", a.name.c_str(), x[i], a.unit.c_str(), u < 0.01 ? "  (at its lower bound)" : u > 0.99 ? "  (at its upper bound)" : "");
  }
  std::printf("%s/best.toml: run a scene with --settings %s/best.toml, or write settings = [\"best.toml\"] in its [world]\n", o.out.c_str(), o.out.c_str());
  if (stopped) std::printf("stopped; --resume goes on\n");
}

/// Other machines are reached from Python, whose ecosystem has the engines for it [docs/cluster.md].
int hand_over_to_python(const OptimiseOptions& o) {
  std::vector<std::string> words{"python3", "-m", "gradus.optimise", o.file, "--out", o.out, "--engine", o.engine};
  if (o.resume) words.push_back("--resume");
  if (o.evaluations) words.insert(words.end(), {"--evaluations", std::to_string(*o.evaluations)});
  if (o.seed) words.insert(words.end(), {"--seed", std::to_string(*o.seed)});
  if (o.quiet) words.push_back("--quiet");
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  ::execvp("python3", argv.data());
  return std::fprintf(stderr, "error: python3 cannot be started, which engine '%s' needs\n", o.engine.c_str()), 1;
}

int optimise_study(OptimiseOptions o) {
  if (o.out.empty()) o.out = "out/" + std::filesystem::path(o.file).stem().string();
  if (o.engine != "threads") return hand_over_to_python(o);
  auto study = optimise::Study::load(o.file = find_shipped(o.file, "studies"));
  print(study.notes());
  if (!study) return 1;
  if (o.evaluations) study->budget.evaluations = *o.evaluations;
  if (o.seed) study->setup.seed = *o.seed;
  auto opened = optimise::Search::open(std::move(*study), o.out, o.resume);
  print(opened.notes());
  if (!opened) return 1;
  optimise::Search& search = **opened;
  const int threads = o.threads > 0 ? o.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  stop_asked = false;
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) std::signal(s, on_signal);
  const double start = now();
  double drawn = -1;
  const bool bar = progress_style(stderr) == ProgressStyle::bar;
  while (!search.budget_is_spent(now() - start)) {
    std::atomic<std::int64_t> done{0};
    const auto outcomes = optimise::evaluate_all(search.study(), search.ask(), threads, stop_asked, done);
    if (stop_asked) break;
    search.note_elapsed(now() - start);
    if (const std::string wrong = search.tell(outcomes); !wrong.empty())
      return std::fprintf(stderr, "error: %s; the search ends here\n", wrong.c_str()), 1;
    if (o.quiet || now() - drawn < (bar ? 0.2 : 1.0)) continue;
    drawn = now();
    write_curve(search, o.out);
    std::fprintf(stderr, "%s%lld of %lld evaluations, generation %lld, best %.6g, this one %.6g, %s%s", bar ? "\r\033[K" : "",
                 static_cast<long long>(search.evaluations()), static_cast<long long>(search.study().budget.evaluations),
                 static_cast<long long>(search.generation()), search.history().back().best, search.history().back().of_generation,
                 format_duration(search.elapsed_before() + now() - start).c_str(), bar ? "" : "\n");
  }
  if (bar && drawn >= 0) std::fprintf(stderr, "\n");
  write_curve(search, o.out);
  print_result(search, o, now() - start, stop_asked);
  return search.has_best() && verdict_of(search).empty() ? 0 : 1;
}

}  // namespace

void add_optimise(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<OptimiseOptions>();
  auto* cmd = app.add_subcommand("optimise", "Search numbers of robots, world or controllers for an aim");
  cmd->add_option("STUDY", o->file, "study file: what may change, in which scenes, what to make small or large")->required();
  cmd->add_option("-o,--out", o->out, "folder for result, log, curve and checkpoint (default: out/NAME)");
  cmd->add_flag("--resume", o->resume, "go on where it was stopped or killed");
  cmd->add_option("--evaluations", o->evaluations, "instead of the study's")->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000000}));
  cmd->add_option("--seed", o->seed, "of the search, instead of the study's")->check(CLI::NonNegativeNumber);
  cmd->add_option("--threads", o->threads, "runs at once (default: all cores); the result does not depend on it")->check(CLI::Range(1, 256));
  cmd->add_option("--engine", o->engine, "threads (default), dask://HOST:PORT, tls://HOST:PORT or mpi: who evaluates")
      ->check(CLI::Validator(
          [](std::string& s) {
            return s == "threads" || s == "mpi" || s == "processes" || s.starts_with("dask://") || s.starts_with("tls://")
                       ? std::string()
                       : std::string("threads, processes, mpi, dask://HOST:PORT or tls://HOST:PORT is due");
          },
          "ENGINE"));
  cmd->add_flag("--json", o->json, "one JSON object on standard output and nothing else");
  cmd->add_flag("--quiet", o->quiet, "no progress");
  cmd->footer(
      "Examples:\n"
      "  gradus optimise studies/slide.toml\n"
      "  gradus optimise studies/slide.toml --evaluations 200 -o out/try\n"
      "  gradus optimise studies/slide.toml -o out/try --resume\n"
      "  gradus run kick --settings out/try/best.toml");
  cmd->callback([o, &outcome] { outcome.status = optimise_study(*o); });
}

}  // namespace gradus::cli
