/// What is behind the drafts of gradus/build.h.
#pragma once
#include "gradus/build.h"
#include "model/spec.h"

namespace gradus {

struct RobotDraft::Impl {
  RobotBuilder robot;
};
struct SceneDraft::Impl {
  SceneSpec scene;
};

}  // namespace gradus
