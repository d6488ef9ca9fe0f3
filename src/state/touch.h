/// A contact as all look at it who neither find nor solve it: sensors, energy books, events, logs, viewers, people.
#pragma once
#include "math/vec.h"

namespace gradus {

inline constexpr int kGroundPlane = -1;  // Touch::other_object

/// A contact of State[k] with what the last step did there. Whoever walks through contacts [contact/contact_set.h] sees each
/// from one side: that of `robot`.
struct Touch {
  int robot, link, object;  // object: of the robot's description, which has the shape
  int other_robot;          // −1: the static world
  int other_link;           // of the other robot
  int other_object;         // of the other robot; of the static world: number in the field, or kGroundPlane
  Vec3 point, normal;       // W; towards the robot                                                 [m], [-]
  double normal_force;      // in the last step; 0: it is near, but nothing pressed                 [N]
  Vec3 force;               // on the robot, all of it, W                                           [N]
  double spring;            // energy that its springs hold now                                     [J]
  bool loop;                // no contact: a loop of the robot's own holds its link here
};

}  // namespace gradus
