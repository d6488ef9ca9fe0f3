/// Scenes as people name them: a file, one that comes with gradus, a log, a robot alone.
#pragma once
#include <string>

#include "base/result.h"
#include "model/spec.h"

namespace gradus {

/// The scene file itself, or a scene of that name that comes with gradus ("levels").
std::string find_scene(const std::string& name);
/// What a file is, told by its name (.urdf, .mcap) or its tables: scenes have [world] or [robot.NAME], motions
/// [motion], walks [walk], robots [robot] or [[object]].
enum class FileKind { scene, robot, motion, walk, servo, log };
FileKind kind_of(const std::string& path);
/// A scene by file or name, or that of a log; a robot file becomes a scene: the robot alone on a plane.
Result<SceneSpec> load_scene_or_robot(const std::string& name);
}  // namespace gradus
