/// Any text as a formula of `gradus optimise`, and as lines of `--set`: understood, or refused with nothing changed.
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "load/scene_json.h"
#include "load/scene_toml.h"
#include "load/set.h"
#include "optimise/expression.h"

namespace {

const gradus::SceneSpec& scene() {
  static const auto s = gradus::parse_scene(
      "[world]\nabout = \"for formulas\"\nstep = \"1 ms\"\ninclude = [\"fields/plane.toml\"]\n[robot.nao]\nmodel = \"robots/humanoid28.toml\"\n",
      std::string(GRADUS_SOURCE_DIR) + "/scenes/fuzz.toml");
  if (!s) std::abort();
  return *s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto formula = gradus::optimise::Expression::parse(text, {"fuzz.toml", 1, 1});
  if (static_cast<bool>(formula) == gradus::has_errors(formula.notes())) std::abort();
  static const std::string before = gradus::to_json(scene());
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line) && count < 4; ++count) {
    gradus::SceneSpec changed = scene();
    gradus::Diagnostics notes;
    const bool done = gradus::apply_set(changed, line, notes);
    if (done == gradus::has_errors(notes)) std::abort();
    if (!done && gradus::to_json(changed) != before) std::abort();
  }
  return 0;
}
