#include "optimise/search.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace gradus::optimise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;  // of the checkpoint

/// The bits of numbers, infinities too, as text.
std::string to_hex(const std::vector<double>& x) {
  std::string out;
  for (const double v : x) out += fmt::format("{:016x}", std::bit_cast<std::uint64_t>(v));
  return out;
}
std::optional<std::vector<double>> from_hex(const std::string& text) {
  if (text.size() % 16 != 0) return std::nullopt;
  std::vector<double> out;
  for (std::size_t i = 0; i < text.size(); i += 16) {
    const std::string digits = text.substr(i, 16);
    if (digits.find_first_not_of("0123456789abcdef") != digits.npos) return std::nullopt;
    out.push_back(std::bit_cast<double>(std::strtoull(digits.c_str(), nullptr, 16)));
  }
  return out;
}

/// All of it or nothing: written beside, synced, renamed.
std::string replace_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return beside + ": " + std::strerror(errno);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  const bool whole = written == text.size() && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (!whole) return beside + ": " + std::strerror(error);
  if (std::rename(beside.c_str(), path.c_str()) != 0) return path + ": " + std::strerror(errno);
  return "";
}

/// JSON has no infinity.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace

Search::~Search() = default;

Result<std::unique_ptr<Search>> Search::open(Study study, const std::string& folder, bool resume) {
  std::unique_ptr<Search> s(new Search(std::move(study)));
  s->folder_ = folder;
  s->optimiser_ = s->study_.make_search();
  if (folder.empty()) return s;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return file_error(folder, "the folder cannot be made: " + error.message());
  if (resume) {
    Diagnostics notes = s->read_checkpoint();
    if (has_errors(notes)) return notes;
    if (::truncate(s->path("log.jsonl").c_str(), static_cast<off_t>(s->log_bytes_)) != 0 && s->log_bytes_ > 0)
      return file_error(s->path("log.jsonl"), std::string("cannot go on with it: ") + std::strerror(errno));
    return s;
  }
  for (const char* old : {"checkpoint.json", "log.jsonl", "best.toml"}) fs::remove(s->path(old), error);
  std::ofstream log(s->path("log.jsonl"));
  if (!log) return file_error(s->path("log.jsonl"), "cannot be written");
  return s;
}

Diagnostics Search::read_checkpoint() {
  const std::string file = path("checkpoint.json");
  std::ifstream in(file);
  if (!in) return file_error(file, "there is nothing to go on with", "leave out --resume to begin");
  const auto damaged = [&] { return file_error(file, "this is no whole checkpoint", "leave out --resume to begin again"); };
  const Json j = Json::parse(in, nullptr, false);
  try {
    if (j.is_discarded() || j.at("version").get<int>() != kVersion) return damaged();
    if (j.at("study").get<std::string>() != fmt::format("{:016x}", study_.fingerprint()))
      return file_error(file, "it is of another study, or its scenes, robots or formulas have changed since",
                        "leave out --resume to begin again");
    if (j.at("method").get<std::string>() != study_.method()) return damaged();
    const auto search = from_hex(j.at("search").get<std::string>()), best = from_hex(j.at("best").get<std::string>()),
               history = from_hex(j.at("history").get<std::string>());
    if (!search || !best || !history || !optimiser_->restore(*search) || history->size() % 4 != 0) return damaged();
    const std::size_t n = study_.axes().size();
    if (best->size() != n + 4 && !best->empty()) return damaged();
    if ((has_best_ = !best->empty())) {
      best_.assign(best->begin(), best->begin() + static_cast<std::ptrdiff_t>(n));
      best_outcome_ = {(*best)[n], (*best)[n + 1], static_cast<int>((*best)[n + 2]), "", (*best)[n + 3]};
    }
    for (std::size_t i = 0; i < history->size(); i += 4)
      history_.push_back({static_cast<std::int64_t>((*history)[i]), (*history)[i + 1], (*history)[i + 2] != 0, (*history)[i + 3]});
    failures_ = j.at("failures").get<std::int64_t>();
    log_bytes_ = j.at("log_bytes").get<std::int64_t>();
    elapsed_before_ = j.at("elapsed").get<double>();
    std::error_code error;
    if (log_bytes_ < 0 || static_cast<std::uintmax_t>(log_bytes_) > fs::file_size(path("log.jsonl"), error)) return damaged();
  } catch (const Json::exception&) {
    return damaged();
  }
  return {};
}

std::string Search::checkpoint_text() {
  std::vector<double> best, history;
  if (has_best_) {
    best = best_;
    best.insert(best.end(), {best_outcome_.objective, best_outcome_.violation, static_cast<double>(best_outcome_.failed), best_outcome_.rank});
  }
  for (const HistoryEntry& h : history_)
    history.insert(history.end(), {static_cast<double>(h.evaluations), h.best, h.feasible ? 1.0 : 0.0, h.of_generation});
  Json j;
  j["version"] = kVersion;
  j["study"] = fmt::format("{:016x}", study_.fingerprint());
  j["method"] = study_.method();
  j["generation"] = generation();
  j["evaluations"] = evaluations();
  j["failures"] = failures_;
  j["elapsed"] = elapsed_before_ + elapsed_;
  j["log_bytes"] = log_bytes_;
  j["best"] = to_hex(best);
  j["history"] = to_hex(history);
  j["search"] = to_hex(optimiser_->save());
  return j.dump(1) + "\n";
}

std::string Search::tell(std::span<const Outcome> outcomes) {
  const std::span<const Point> asked = optimiser_->ask();
  const std::vector<Point> points(asked.begin(), asked.end());
  std::vector<double> ranks;
  const Outcome* first = nullptr;
  for (std::size_t i = 0; i < outcomes.size() && i < points.size(); ++i) {
    const Outcome& o = outcomes[i];
    ranks.push_back(o.rank);
    if (o.failed > 0) ++failures_, last_failure_ = o.why;
    if (!first || o.rank < first->rank) first = &o;
    if (!has_best_ || o.rank < best_outcome_.rank) has_best_ = true, best_ = points[i], best_outcome_ = o;
  }
  optimiser_->tell(ranks);
  if (first && has_best_)
    history_.push_back({evaluations(), best_outcome_.objective, best_outcome_.failed == 0 && best_outcome_.violation == 0,
                        first->failed > 0 ? NAN : first->objective});
  return folder_.empty() ? "" : write_files(points, outcomes);
}

std::string Search::write_files(std::span<const Point> points, std::span<const Outcome> outcomes) {
  std::string lines;
  for (std::size_t i = 0; i < points.size() && i < outcomes.size(); ++i) {
    const Outcome& o = outcomes[i];
    Json j;
    j["generation"] = generation() - 1;
    j["index"] = i;
    j["objective"] = o.failed > 0 ? Json(nullptr) : number(o.objective);
    if (o.violation > 0) j["violation"] = o.violation;
    if (o.failed > 0) j["failed"] = o.why;
    const std::vector<double> x = study_.values(points[i]);
    for (std::size_t k = 0; k < x.size(); ++k) j["values"][study_.axes()[k].name] = x[k];
    lines += j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  const int fd = ::open(path("log.jsonl").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return path("log.jsonl") + ": " + std::strerror(errno);
  const bool whole = ::write(fd, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
  struct stat s{};
  if (whole && ::fstat(fd, &s) == 0) log_bytes_ = s.st_size;
  const int error = errno;
  ::close(fd);
  if (!whole) return path("log.jsonl") + ": " + std::strerror(error);
  std::string wrong;
  if (has_best_) {
    const Outcome& o = best_outcome_;
    const std::string verdict = o.failed > 0 ? "every run failed so far" : o.violation > 0 ? "no candidate keeps all constraints yet" : "all constraints kept";
    wrong = replace_file(path("best.toml"),
                         study_.settings_file(best_, fmt::format("gradus optimise {}: {} {} = {} after {} evaluations, {}",
                                                                 fs::path(study_.file()).filename().string(),
                                                                 study_.maximises() ? "maximise" : "minimise", study_.objective(),
                                                                 o.objective, evaluations(), verdict)));
  }
  if (wrong.empty()) wrong = replace_file(path("checkpoint.json"), checkpoint_text());
  return wrong;
}

bool Search::budget_is_spent(double elapsed) const {
  return evaluations() >= study_.budget.evaluations ||
         (study_.budget.time > 0 && elapsed_before_ + elapsed >= study_.budget.time);
}

std::vector<Outcome> evaluate_all(const Study& study, std::span<const Point> points, int threads,
                                  const std::atomic<bool>& stop, std::atomic<std::int64_t>& done) {
  const std::size_t each = static_cast<std::size_t>(study.run_count()), all = points.size() * each;
  std::vector<RunOutcome> runs(all);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < all && !stop; i = next++) {
      runs[i] = study.run(static_cast<int>(i % each), points[i / each]);
      ++done;
    }
  };
  std::vector<std::thread> team;
  for (int t = 1; t < threads; ++t) team.emplace_back(work);
  work();
  for (std::thread& t : team) t.join();
  if (stop) return {};
  std::vector<Outcome> out;
  for (std::size_t i = 0; i < points.size(); ++i) out.push_back(study.judge(std::span(runs).subspan(i * each, each)));
  return out;
}

}  // namespace gradus::optimise
