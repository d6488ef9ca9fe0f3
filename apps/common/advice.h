/// What is allowed in a scene and yet is hardly ever meant: a world without ground, a robot whose joints hang loose.
/// Warnings for people who begin.
#pragma once
#include "base/result.h"
#include "model/spec.h"

namespace gradus::cli {

Diagnostics advice(const SceneSpec& scene);

}  // namespace gradus::cli
