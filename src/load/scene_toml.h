/// Scenes: what world, which field, which robots. docs/scene_files.md describes the form.
///
///   [world]        name, about, step, seed, gravity, duration, log, include = [field files], contact = { … },
///                  settings = [files that optimise wrote]
///   [field.NAME]   shape, pose, colour, surface                         (static; also in field files)
///   [robot.NAME]   model, like, pose, velocity, motion, joints, controller, servo, copies
///
/// `like = "other"` copies an earlier robot; own keys replace its keys, joints and servo are added to those copied.
/// `copies = { count = 10, per_row = 5, dx = "60 cm", dy = "60 cm" }` makes NAME1 … NAME10 from NAME's pose on.
/// Without z in its pose, a robot with a free base is put on the ground (the first plane of the field).
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "load/find_file.h"
#include "model/spec.h"

namespace gradus {

inline constexpr std::size_t kMaxRobots = 10'000;

/// Every problem of the scene, its fields, robots, meshes and motions. A scene that comes back has passed check().
Result<SceneSpec> load_scene(const std::string& path, const LoadOptions& options = {});
Result<SceneSpec> parse_scene(std::string_view text, const std::string& path, const LoadOptions& options = {});

}  // namespace gradus
