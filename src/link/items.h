/// Options of links: items between commas, "free,patience=2s".
#pragma once
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/result.h"
#include "link/link.h"
#include "load/units.h"
#include "model/spec.h"

namespace gradus {

/// take(key, value): "" or what is wrong with it.
template <class Take>
Diagnostics each_item(const std::string& who, const std::string& text, const Place& place, Take&& take) {
  Diagnostics faults;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');) {
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    const std::string fault = take(item.substr(0, equals), value);
    if (!fault.empty()) faults.push_back({place, Severity::error, who + ": '" + item + "': " + fault, ""});
  }
  return faults;
}

/// A time above 0: "" or what is wrong.
inline std::string read_time(const std::string& text, double& out) {
  if (const auto fault = parse_quantity(text, dimension::kTime, out)) return fault->text + "; " + fault->suggestion;
  return out > 0 ? "" : "a time above 0 is due";
}

/// "100 Hz" or "10 ms", as a period: "" or what is wrong.
inline std::string read_rate(const std::string& text, double& period) {
  Quantity q;
  if (const auto fault = parse_quantity(text, q)) return fault->text + "; " + fault->suggestion;
  if (!(q.value > 0) || (q.dimension != dimension::kFrequency && q.dimension != dimension::kTime))
    return "a rate or a time above 0 is due";
  period = q.dimension == dimension::kFrequency ? 1 / q.value : q.value;
  return "";
}

/// The robots that an option of the command line is about: those named by robot=NAME items, or all that have joints
/// and nothing else that drives them.
class RobotChoice {
 public:
  bool take(const std::string& key, const std::string& value) {  // was it such an item?
    if (key == "robot") names_.push_back(value);
    return key == "robot";
  }
  bool empty() const { return names_.empty(); }
  bool means(const std::string& name) const {
    return empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  std::vector<RobotInstanceSpec*> of(SceneSpec& scene, const std::string& kind, const std::string& who,
                                     Diagnostics& faults) const;
  /// Makes `controller` theirs.
  Diagnostics give(SceneSpec& scene, const ControllerSpec& controller, const std::string& who) const {
    Diagnostics faults;
    for (RobotInstanceSpec* r : of(scene, controller.kind, who, faults)) r->controller = controller;
    return faults;
  }

 private:
  std::vector<std::string> names_;
};

/// What follows --NAME=: an address, the robots meant, and the rest, which becomes ControllerSpec::options.
/// is_address(item): is this item, without a value, one?
template <class IsAddress>
Diagnostics sort_items(const std::string& who, const std::string& text, IsAddress&& is_address, RobotChoice& robots,
                       ControllerSpec& out) {
  return each_item(who, text, {}, [&](const std::string& key, const std::string& value) -> std::string {
    if (value.empty() && is_address(key)) return out.file = key, "";
    if (!robots.take(key, value))
      out.options += (out.options.empty() ? "" : ",") + key + (value.empty() ? "" : "=" + value);
    return "";
  });
}
inline bool is_port(const std::string& item) { return item.find_first_not_of("0123456789.:") == item.npos; }
inline bool is_path(const std::string& item) { return item.find('/') != item.npos; }

/// Has some robot of the scene a controller of this kind?
bool has_controller(const SceneSpec& scene, std::string_view kind);

/// A link of some class as the registry hands it over.
template <class Link>
Result<std::unique_ptr<ProtocolLink>> as_link(Result<std::unique_ptr<Link>> made) {
  if (!made) return made.notes();
  return {std::unique_ptr<ProtocolLink>(std::move(*made)), made.notes()};
}

}  // namespace gradus
