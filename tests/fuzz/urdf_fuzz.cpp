/// Any bytes as URDF: a robot that passes check(), or errors, and never too many.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "load/urdf.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // Meshes are named relative to a folder that is not there: the fuzzer must not open files of its own invention.
  if (text.find("file:") != std::string::npos || text.find("\"/") != std::string::npos) return 0;
  const auto robot = gradus::parse_urdf("/no/such/folder/for/fuzzing/robot.urdf", text);
  demand(static_cast<bool>(robot) != gradus::has_errors(robot.notes()));
  demand(robot.notes().size() <= 102);
  for (const gradus::Diagnostic& d : robot.notes()) demand(!to_string(d).empty() && !d.place.file.empty());
  if (robot) demand(gradus::check(*robot).empty());
  return 0;
}
