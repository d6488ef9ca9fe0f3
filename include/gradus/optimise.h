/// Studies [docs/optimise.md] for C++ programs: ask for candidates, evaluate them wherever you like, tell how good they were.
///
///   auto study = gradus::Study::load("studies/arm.toml", "out/arm");
///   while (!study.done()) {
///     std::vector<gradus::Study::Outcome> outcomes;
///     for (const auto& x : study.ask()) outcomes.push_back(study.evaluate(x));   // or on another machine
///     study.tell(outcomes);
///   }
///
/// The result does not depend on who evaluates what, nor on the order in which answers come, as long as they are told in
/// the order of the candidates. Errors of files are thrown as gradus::Error.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gradus/gradus.h"

namespace gradus {

class Study {
 public:
  struct Options {
    bool resume = false;             // go on with what is in the folder
    std::int64_t evaluations = 0;    // instead of the file's; 0: the file's
    std::int64_t seed = -1;          // instead of the file's; −1: the file's
  };
  /// What a candidate gave, and the number by which candidates are ranked: smaller is better.
  struct Outcome {
    double objective = 0, violation = 0, rank = 0;
    int failed = 0;  // runs
    std::string why;
  };
  struct Parameter {
    std::string path, unit;
    double low, high;
  };

  /// folder: for checkpoint, log and result; "": nothing is kept.
  static Study load(const std::string& file, const std::string& folder, const Options& options);
  static Study load(const std::string& file, const std::string& folder = "") { return load(file, folder, Options{}); }
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;
  ~Study();

  std::vector<Parameter> parameters() const;
  /// Candidates of this generation, as points of the unit cube.
  std::vector<std::vector<double>> ask();
  /// All runs of one candidate. Any number of threads may call it at once.
  Outcome evaluate(const std::vector<double>& candidate) const;
  /// One outcome for each candidate, in their order. Writes checkpoint, log and result.
  void tell(const std::vector<Outcome>& outcomes);
  bool done(double elapsed = 0) const;  // the budget is spent; elapsed: of the wall clock in this process [s]

  std::int64_t evaluations() const;
  std::int64_t generation() const;
  std::int64_t budget() const;
  bool has_best() const;
  Outcome best_outcome() const;
  std::vector<double> best() const;                                        // values of the parameters, SI
  std::vector<double> values(const std::vector<double>& candidate) const;  // the same of a candidate
  /// Of formulas, resolved scenes and the version of gradus: machines with equal ones compute the same.
  std::string fingerprint() const;

 private:
  struct Inside;
  explicit Study(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace gradus
