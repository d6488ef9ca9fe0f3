#include "cli/samples.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/replay_log.h"
#include "world/properties.h"

namespace gradus::cli {
namespace {

bool fits(const std::string& pattern, const std::string& path) {
  return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
}

/// Columns of one run, sampled while it is run again.
class Sampler {
 public:
  Sampler(const std::vector<std::string>& patterns, double rate) : patterns_(patterns), rate_(rate) {}

  void look(const World& world) {
    if (failed_) return;
    if (samples_.columns.empty() && !begin(world)) return;
    if ((world.k() - first_) % interval_ != 0) return;
    samples_.values[0].push_back(world.time());
    for (std::size_t i = 0; i < views_.size(); ++i) samples_.values[i + 1].push_back(views_[i].get(world));
  }
  std::optional<Samples> result() { return failed_ ? std::nullopt : std::optional(std::move(samples_)); }

 private:
  bool begin(const World& world) {
    failed_ = true;  // until all is found
    const auto paths = chosen_properties(world, patterns_.empty() ? default_properties(world) : patterns_);
    if (!paths) return print(paths.notes()), false;
    samples_.columns.push_back({"time", "s"});
    for (const std::string& path : *paths) {
      const auto view = find_property(world, path);
      if (!view) return print(view.notes()), false;
      views_.push_back(*view);
      samples_.columns.push_back({path, view->unit});
    }
    samples_.values.resize(samples_.columns.size());
    const Model& m = world.model();
    first_ = world.k();
    interval_ = std::max<std::int64_t>(1, std::llround((rate_ > 0 ? 1 / rate_ : m.log_period) / m.step));
    failed_ = false;
    return true;
  }

  const std::vector<std::string>& patterns_;
  double rate_;
  std::vector<PropertyView> views_;
  Samples samples_;
  std::int64_t first_ = 0, interval_ = 1;
  bool failed_ = false;
};

std::optional<Samples> run_again(const std::string& log, const std::vector<std::string>& patterns, double rate) {
  Sampler sampler(patterns, rate);
  if (!look_through(log, [&](const World& world) { sampler.look(world); })) return std::nullopt;
  auto samples = sampler.result();
  if (samples && samples->columns.empty())
    return std::fprintf(stderr, "error: %s holds no states\n", log.c_str()), std::nullopt;
  return samples;
}

/// "level3.x [m]" is column level3.x with unit m.
CsvColumn column_of(const std::string& header) {
  const std::size_t space = header.rfind(" [");
  if (space == header.npos || header.back() != ']') return {header, ""};
  return {header.substr(0, space), header.substr(space + 2, header.size() - space - 3)};
}

std::optional<Samples> read_table(const std::string& file, const std::vector<std::string>& patterns) {
  const auto table = read_csv(file);
  print(table.notes());
  if (!table) return std::nullopt;
  std::vector<CsvColumn> all;
  std::vector<std::string> names;
  for (const std::string& header : table->columns) names.push_back(all.emplace_back(column_of(header)).name);
  if (all.empty()) return std::fprintf(stderr, "error: %s has no columns\n", file.c_str()), std::nullopt;
  std::vector<std::size_t> wanted{0};
  for (const std::string& pattern : patterns.empty() ? std::vector<std::string>{"*"} : patterns) {
    const std::size_t before = wanted.size();
    for (std::size_t i = 1; i < all.size(); ++i)
      if (fits(pattern, all[i].name)) wanted.push_back(i);
    if (wanted.size() > before || patterns.empty()) continue;
    const std::string near = nearest(pattern, names);
    std::fprintf(stderr, "error: %s has no column '%s'%s\n", file.c_str(), pattern.c_str(),
                 near.empty() ? "" : ("; did you mean '" + near + "'?").c_str());
    return std::nullopt;
  }
  Samples out;
  for (const std::size_t i : wanted) {
    out.columns.push_back(all[i]);
    std::vector<double>& values = out.values.emplace_back();
    for (const auto& row : table->rows) values.push_back(row[i]);
  }
  return out;
}

}  // namespace

std::optional<Samples> read_samples(const std::string& log, const std::vector<std::string>& patterns, double rate) {
  return std::filesystem::path(log).extension() == ".csv" ? read_table(log, patterns) : run_again(log, patterns, rate);
}

}  // namespace gradus::cli
