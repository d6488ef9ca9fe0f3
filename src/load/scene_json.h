/// A resolved scene as one JSON text: every default, every robot, all meshes. It is stored in logs, so that a log can
/// be replayed without the files it was made from, and printed by `gradus show --json`. Doubles round-trip exactly.
#pragma once
#include <string>

#include "base/result.h"
#include "model/spec.h"

namespace gradus {

std::string to_json(const SceneSpec& scene, int indent = -1);
/// Refuses anything that to_json did not write, and scenes that check() refuses.
Result<SceneSpec> scene_from_json(const std::string& text, const std::string& file);

}  // namespace gradus
