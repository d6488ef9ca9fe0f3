/// Any bytes as a scene kept in a log: refused, or one that passes the checks and is the same when it is written and
/// read once more.
#include <cstdint>
#include <cstdlib>

#include "load/scene_json.h"
#include "model/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto scene = gradus::scene_from_json(text, "fuzz.json");
  if (static_cast<bool>(scene) == gradus::has_errors(scene.notes())) std::abort();
  if (!scene) return 0;
  if (gradus::has_errors(gradus::check(*scene))) std::abort();
  const std::string once = gradus::to_json(*scene);
  const auto again = gradus::scene_from_json(once, "again.json");
  if (!again || gradus::to_json(*again) != once) std::abort();
  return 0;
}
