#include "load/plan_options.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "load/units.h"

namespace gradus {

std::string to_text(const PlanOptions& o) {
  std::string out = fmt::format("goal.x={},goal.y={}", o.x, o.y);
  if (o.yaw) out += fmt::format(",goal.yaw={}", *o.yaw);
  out += fmt::format(",stride={}", o.stride);
  if (!o.footholds.empty()) out += ",footholds=" + o.footholds;
  if (!o.gait.empty()) out += "," + o.gait;
  return out;
}

Result<PlanOptions> read_plan_options(const std::string& text) {
  PlanOptions out;
  std::stringstream all(text);
  for (std::string one; std::getline(all, one, ',');) {
    const std::size_t eq = one.find('=');
    const std::string name = one.substr(0, eq), value = eq == one.npos ? "" : one.substr(eq + 1);
    if (name == "footholds") {
      out.footholds = value;
      continue;
    }
    double x = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), x).ptr != value.data() + value.size() || value.empty())
      return Diagnostics{{{}, Severity::error, "'" + one + "' is no setting of a plan", ""}};
    if (name == "goal.x")
      out.x = x;
    else if (name == "goal.y")
      out.y = x;
    else if (name == "goal.yaw")
      out.yaw = x;
    else if (name == "stride")
      out.stride = x;
    else
      out.gait += (out.gait.empty() ? "" : ",") + one;
  }
  return out;
}

}  // namespace gradus
