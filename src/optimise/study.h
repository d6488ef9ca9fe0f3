/// A study: which numbers may change, between which bounds, in which scenes, and what is to become small or large
/// [docs/optimise.md describes the file].
///
///   [study]        about, minimise or maximise = "formula", over = "mean" | "worst", until = "formula",
///                  method, evaluations, time, seed, population, spread, parents, life, mates
///   [[parameter]]  path, low, high, scale = "linear" | "log", start
///   [[scene]]      file, for, seeds = [1, 2], set = ["PATH=VALUE"], weight
///   [[constraint]] formula, at_most
///
/// A candidate is judged by every scene with every seed. One that breaks a constraint is worse than all that keep them,
/// the more so the more it breaks them; one whose run cannot be made or stops (a controller failed, a state that is not
/// finite) is worse than those. All methods look at the order of values only, so these ranks need no scales.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "optimise/expression.h"
#include "optimise/optimiser.h"
#include "optimise/space.h"

namespace gradus::optimise {

/// What one run of one candidate gave.
struct RunOutcome {
  double objective = 0;   // as the formula says
  double violation = 0;   // Σ over constraints of how far above their bounds
  bool failed = false;
  std::string why;        // it failed
};

/// All runs of a candidate together.
struct Outcome {
  double objective = 0, violation = 0;
  int failed = 0;         // runs
  std::string why;        // the first of them failed
  double rank = 0;        // what the search is told; smaller is better
};

struct Budget {
  std::int64_t evaluations = 2000;
  double time = 0;  // of the wall clock, checked between generations; 0: no bound  [s]
};

class Study {
 public:
  /// Every problem of the file, its scenes, paths and formulas; each scene is built once with the parameters at both
  /// ends.
  static Result<Study> load(const std::string& path);

  const std::string& about() const { return about_; }
  const std::string& file() const { return file_; }
  const std::vector<Axis>& axes() const { return axes_; }
  const std::string& method() const { return method_; }
  const std::string& objective() const { return objective_->text(); }
  bool maximises() const { return maximises_; }
  Budget budget;
  Setup setup;  // of the search; seed and population may be changed before make_search

  std::unique_ptr<Optimiser> make_search() const { return make_optimiser(method_, setup); }
  std::vector<double> values(const Point& u) const;  // of the parameters, SI
  /// Of the study's text, the resolved scenes and the version: two machines with equal ones compute the same.
  std::uint64_t fingerprint() const { return fingerprint_; }

  // Any number of threads may evaluate at once.
  int run_count() const { return static_cast<int>(runs_.size()); }
  RunOutcome run(int number, const Point& u) const;
  Outcome judge(std::span<const RunOutcome> runs) const;
  Outcome evaluate(const Point& u) const;
  /// PATH=VALUE of a candidate, one for each parameter.
  std::vector<std::string> assignments(const Point& u) const;
  /// The candidate as a file that scenes take by `settings` and commands by --settings [load/settings_toml.h].
  std::string settings_file(const Point& u, const std::string& remark) const;

 private:
  struct Run {
    std::string name;  // of the scene, with the seed
    SceneSpec scene;
    double duration = 0, weight = 1;
    Place place;
  };
  struct Constraint {
    Expression formula;
    double at_most = 0;
  };
  class Reader;
  Result<std::unique_ptr<Session>> start(const Run& run, const Point& u) const;
  Diagnostics try_out() const;

  std::string about_, file_, method_ = "cma", over_ = "mean";
  bool maximises_ = false;
  std::shared_ptr<const Expression> objective_, until_;  // until_: may be null
  std::vector<Constraint> constraints_;
  std::vector<Axis> axes_;
  std::vector<Run> runs_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace gradus::optimise
