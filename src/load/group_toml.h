/// [group.NAME] tables of scenes.
#pragma once
#include "load/field_toml.h"

namespace gradus {

void read_groups(const toml::table& groups, SceneSpec& scene, ScenePlaces& places, Diagnostics& log);

}  // namespace gradus
