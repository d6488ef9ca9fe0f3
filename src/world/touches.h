/// All contacts of a world in one list, whoever found and solved them: where bodies touch the ground, the field and
/// each other, with the forces of the last step.
#pragma once
#include <vector>

#include "world/world.h"

namespace gradus {

inline constexpr int kGroundPlane = -1;  // Touch::other_object

struct Touch {
  int robot, link, object;  // object: a body on the link; −1: the link has none
  int other_robot;          // −1: the static world
  int other_link;           // of the other robot
  int other_object;   // of the field, if the other is static: its number, or kGroundPlane; else a body of the other
                      // robot
  Vec3 point, force;  // W; on the robot                     [m], [N]
};

/// Number of the first body on a link; −1: it has none.
int first_body_on(const RobotKind& kind, int link);

/// Replaces the list. Contacts without force are left out.
void find_touches(const World& world, std::vector<Touch>& out);

}  // namespace gradus
