#include "load/gait_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "load/source_text.h"
#include "load/toml_file.h"

namespace gradus {

using namespace dimension;

std::span<const GaitNumber> gait_numbers() {
  static const GaitNumber all[] = {
      {"period", kTime, 0.1, 20, &GaitFile::period},  {"duty", kNumber, 0.3, 0.98, &GaitFile::duty},
      {"lift", kLength, 0, 1, &GaitFile::lift},       {"height", kLength, 0, 5, &GaitFile::height},
      {"spread", kLength, -1, 1, &GaitFile::spread},  {"level", kNumber, 0, 1, &GaitFile::level},
  };
  return all;
}

Result<GaitFile> load_gait(const std::string& path) {
  Diagnostics log;
  GaitFile g;
  if (const auto file = read_toml(path, log)) {
    TableReader top(*file, log);
    if (const toml::table* table = top.table("gait")) {
      TableReader t(*table, log);
      const std::vector<std::string> orders{"tripod", "trot", "wave", "walk", "ripple"};
      if (std::string order; t.text("order", order)) {
        if (std::find(orders.begin(), orders.end(), order) == orders.end())
          t.fault(t.place("order"), "there is no order of legs " + in_quotes(order), did_you_mean(order, orders));
        g.order = order;
      }
      for (const GaitNumber& n : gait_numbers()) {
        double x = g.*n.at;
        if (!(n.unit == kNumber ? t.number(n.name, x) : t.quantity(n.name, n.unit, x))) continue;
        if (!(x >= n.low && x <= n.high))
          t.fault(t.place(n.name), fmt::format("{} must be within {} … {} {}", n.name, n.low, n.high, unit_of(n.unit)), "");
        g.*n.at = x;
      }
      t.boolean("feel", g.feel);
      t.finish("[gait]");
    } else if (!top.has("gait")) {
      top.fault({path, 1, 1}, "there is no table [gait]", "write [gait] and order = \"tripod\"");
    }
    top.finish("a gait");
  }
  Diagnostics notes = tidy(std::move(log), path);
  if (has_errors(notes)) return notes;
  return {std::move(g), std::move(notes)};
}

std::string apply_gait_settings(GaitFile& gait, const std::string& settings) {
  std::stringstream all(settings);
  for (std::string one; std::getline(all, one, ',');) {
    const std::size_t eq = one.find('=');
    const std::string name = one.substr(0, eq);
    double x = 0;
    const char* end = one.data() + one.size();
    if (eq == one.npos || std::from_chars(one.data() + eq + 1, end, x).ptr != end) return in_quotes(one) + " is no setting of a gait";
    bool known = false;
    for (const GaitNumber& n : gait_numbers())
      if (name == n.name) {
        known = true;
        if (!(x >= n.low && x <= n.high)) return fmt::format("gait.{} must be within {} … {}, not {}", name, n.low, n.high, x);
        gait.*n.at = x;
      }
    if (!known) return "a gait has no number " + in_quotes(name);
  }
  return "";
}

}  // namespace gradus
