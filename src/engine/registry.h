/// All motions. A new one is a folder and a line in registry.cpp.
#pragma once
#include <span>

#include "state/group.h"

namespace gradus {

std::span<const MotionTable> all_motions();
const MotionTable* find_motion(std::string_view name);             // null: unknown
const GroupMotionTable* find_group_motion(std::string_view name);  // null: unknown

}  // namespace gradus
