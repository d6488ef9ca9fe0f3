#include "gradus/optimise.h"

#include <fmt/format.h>

#include "api/fail.h"
#include "optimise/search.h"

namespace gradus {

struct Study::Inside {
  std::unique_ptr<optimise::Search> search;
};

namespace {

Study::Outcome outside(const optimise::Outcome& o) { return {o.objective, o.violation, o.rank, o.failed, o.why}; }

}  // namespace

Study::Study(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;
Study::~Study() = default;

Study Study::load(const std::string& file, const std::string& folder, const Options& options) {
  auto study = optimise::Study::load(file);
  if (!study) fail(study.notes());
  if (options.evaluations > 0) study->budget.evaluations = options.evaluations;
  if (options.seed >= 0) study->setup.seed = options.seed;
  auto search = optimise::Search::open(std::move(*study), folder, options.resume);
  if (!search) fail(search.notes());
  auto inside = std::make_unique<Inside>();
  inside->search = std::move(*search);
  return Study(std::move(inside));
}

std::vector<Study::Parameter> Study::parameters() const {
  std::vector<Parameter> out;
  for (const optimise::Axis& a : inside_->search->study().axes()) out.push_back({a.name, a.unit, a.low, a.high});
  return out;
}

std::vector<std::vector<double>> Study::ask() {
  const auto points = inside_->search->ask();
  return {points.begin(), points.end()};
}

Study::Outcome Study::evaluate(const std::vector<double>& candidate) const {
  const optimise::Study& s = inside_->search->study();
  if (candidate.size() != s.axes().size())
    throw Error(fmt::format("study: a candidate has {} coordinates, not {}", s.axes().size(), candidate.size()));
  return outside(s.evaluate(candidate));
}

void Study::tell(const std::vector<Outcome>& outcomes) {
  if (outcomes.size() != inside_->search->ask().size())
    throw Error(fmt::format("study: {} outcomes are due, not {}", inside_->search->ask().size(), outcomes.size()));
  std::vector<optimise::Outcome> in;
  for (const Outcome& o : outcomes) in.push_back({o.objective, o.violation, o.failed, o.why, o.rank});
  if (const std::string wrong = inside_->search->tell(in); !wrong.empty()) throw Error("study: " + wrong);
}

bool Study::done(double elapsed) const {
  inside_->search->note_elapsed(elapsed);
  return inside_->search->budget_is_spent(elapsed);
}

std::int64_t Study::evaluations() const { return inside_->search->evaluations(); }
std::int64_t Study::generation() const { return inside_->search->generation(); }
std::int64_t Study::budget() const { return inside_->search->study().budget.evaluations; }
bool Study::has_best() const { return inside_->search->has_best(); }
Study::Outcome Study::best_outcome() const { return outside(inside_->search->best_outcome()); }
std::vector<double> Study::best() const {
  if (!has_best()) throw Error("study: nothing was evaluated yet");
  return values(inside_->search->best());
}
std::vector<double> Study::values(const std::vector<double>& candidate) const {
  const optimise::Study& s = inside_->search->study();
  if (candidate.size() != s.axes().size())
    throw Error(fmt::format("study: a candidate has {} coordinates, not {}", s.axes().size(), candidate.size()));
  return s.values(candidate);
}
std::string Study::fingerprint() const { return fmt::format("{:016x}", inside_->search->study().fingerprint()); }

}  // namespace gradus
