#include "session/timed_command.h"

#include <cmath>

#include "load/units.h"

namespace gradus {
namespace {

std::string trimmed(const std::string& s) {
  const std::size_t a = s.find_first_not_of(" \t\""), b = s.find_last_not_of(" \t\"");
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

Dimension dimension_of(const char* unit) {
  Quantity one;
  if (*unit) (void)parse_unit(unit, one);
  return one.dimension;
}

}  // namespace

std::optional<TimedCommand> read_timed_command(const std::string& text, const World& world, Diagnostics& faults) {
  const auto fault = [&](const std::string& what, const std::string& suggestion) {
    faults.push_back({{"--at " + text, 0, 0}, Severity::error, what, suggestion});
    return std::nullopt;
  };
  const std::size_t colon = text.find(':'), equals = text.find('=');
  if (colon == std::string::npos || equals == std::string::npos || equals < colon)
    return fault("a time and an assignment are due",
                 "write TIME: PATH=VALUE, as in '2 s: level3.left_knee.kp=20 N m/rad'");
  double time = 0;
  TimedCommand out;
  out.command.kind = Command::Kind::set;
  out.command.name = trimmed(text.substr(colon + 1, equals - colon - 1));
  if (const auto wrong = parse_quantity(trimmed(text.substr(0, colon)), dimension::kTime, time))
    return fault(wrong->text, wrong->suggestion);
  const auto view = find_property(world, out.command.name);
  if (!view) return fault(view.notes().front().text, view.notes().front().suggestion);
  double& value = out.command.value;
  const std::string said = trimmed(text.substr(equals + 1));
  if (const int level = sensing_level(said); level >= 0 && out.command.name.ends_with(".sensing"))
    value = level;
  else if (const auto wrong = parse_quantity(said, dimension_of(view->unit), value))
    return fault(wrong->text, wrong->suggestion);
  if (const std::string wrong = view->fault(value); !wrong.empty()) return fault("it " + wrong, "");
  out.k = std::llround(time / world.model().step);
  return out;
}

}  // namespace gradus
