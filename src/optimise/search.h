/// A study at work, with what must survive: a folder that holds, after every generation,
///
///   checkpoint.json   all that the search knows; written beside, synced and renamed, so that it is whole at any moment
///   log.jsonl         one line for each candidate: generation, index, values of parameters, objective, violation
///   best.toml         the best so far, as settings for scenes
///
/// Killed at any moment and opened again, it goes on with the generation that was not finished and ends with the same
/// bits. Whoever evaluates candidates (threads here, other machines from Python) only calls ask and tell; all random
/// numbers are drawn here, so that it does not matter who computes what, nor in which order answers come.
#pragma once
#include <atomic>
#include <optional>

#include "optimise/study.h"

namespace gradus::optimise {

/// How good the best was after so many evaluations.
struct HistoryEntry {
  std::int64_t evaluations;
  double best;          // objective
  bool feasible;
  double of_generation;  // the best of the generation alone
};

class Search {
 public:
  /// folder: made if it is not there; "": nothing is kept. resume: goes on with what is in it, an error if that is of
  /// another study; else what is there is replaced.
  static Result<std::unique_ptr<Search>> open(Study study, const std::string& folder, bool resume);
  ~Search();

  const Study& study() const { return study_; }
  std::span<const Point> ask() { return optimiser_->ask(); }
  /// "" or why the files could not be written; the search itself goes on.
  std::string tell(std::span<const Outcome> outcomes);

  std::int64_t evaluations() const { return optimiser_->evaluations(); }
  std::int64_t generation() const { return optimiser_->generation(); }
  bool budget_is_spent(double elapsed) const;  // elapsed: of the wall clock in this process [s]
  double elapsed_before() const { return elapsed_before_; }
  void note_elapsed(double seconds) { elapsed_ = seconds; }  // in this process, for the next checkpoint

  bool has_best() const { return has_best_; }
  const Point& best() const { return best_; }
  const Outcome& best_outcome() const { return best_outcome_; }
  const std::vector<HistoryEntry>& history() const { return history_; }
  std::int64_t failures() const { return failures_; }  // candidates with a run that failed
  const std::string& last_failure() const { return last_failure_; }

 private:
  explicit Search(Study study) : study_(std::move(study)) {}
  Diagnostics read_checkpoint();
  std::string write_files(std::span<const Point> points, std::span<const Outcome> outcomes);
  std::string checkpoint_text();
  std::string path(const char* name) const { return folder_ + "/" + name; }

  Study study_;
  std::string folder_;
  std::unique_ptr<Optimiser> optimiser_;
  bool has_best_ = false;
  Point best_;
  Outcome best_outcome_;
  std::vector<HistoryEntry> history_;
  std::int64_t failures_ = 0, log_bytes_ = 0;
  std::string last_failure_;
  double elapsed_before_ = 0, elapsed_ = 0;
};

/// All runs of all candidates on some threads; outcomes in the candidates' order, the same for any number of threads.
/// Empty if stop was raised on the way. done: counts runs, for a progress line.
std::vector<Outcome> evaluate_all(const Study& study, std::span<const Point> points, int threads,
                                  const std::atomic<bool>& stop, std::atomic<std::int64_t>& done);

}  // namespace gradus::optimise
