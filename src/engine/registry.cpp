#include "engine/registry.h"

#include "motion/articulated/articulated.h"
#include "motion/free_body/free_body.h"
#include "motion/kinematic_walk/kinematic_walk.h"
#include "wheels/group.h"
#include "motion/prescribed_joints/prescribed_joints.h"
#include "motion/single_body/single_body.h"

namespace gradus {
namespace {

constexpr MotionTable kMotions[] = {
    motion_table<KinematicWalk>(), motion_table<SingleBody>(), motion_table<PrescribedJoints>(),
    motion_table<Articulated>(),   motion_table<FreeBody>(),   motion_table<wheels::Member>(),
};
constexpr GroupMotionTable kGroupMotions[] = {{wheels::Member::name, &wheels::make_group}};

}  // namespace

std::span<const MotionTable> all_motions() { return kMotions; }

const MotionTable* find_motion(std::string_view name) {
  for (const MotionTable& m : kMotions)
    if (m.name == name) return &m;
  return nullptr;
}

const GroupMotionTable* find_group_motion(std::string_view name) {
  for (const GroupMotionTable& m : kGroupMotions)
    if (m.name == name) return &m;
  return nullptr;
}

}  // namespace gradus
