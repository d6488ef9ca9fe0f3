/// Changes a loaded scene by path, for `--set PATH=VALUE`:
///
///   world.step=2 ms                     world.seed  world.duration  world.log  world.contact.law  world.volumes
///   blue1.motion=articulated            blue1.pose.x  y  z  roll  pitch  yaw
///   blue1.base=fixed                    bolted to the world, or free
///   blue1.controller.rate=50 Hz         blue1.controller.start
///   messor.gait.period=0.8 s            numbers of its gait [gait_toml.h]
///   blue1.left_knee.q=30 deg            start posture
///   ground.terrain.difficulty=0.7       of generated terrain; .seed, .start, .cell, .size (both sides)
///   world.gravity  blue1.kp_factor  blue1.left_knee.kp  …       the parameters [model/parameters.h]
#pragma once
#include <string>

#include "base/result.h"
#include "model/spec.h"

namespace gradus {

/// Whether it was done; if not, the scene is unchanged and `out` says why.
bool apply_set(SceneSpec& scene, const std::string& assignment, Diagnostics& out);

}  // namespace gradus
