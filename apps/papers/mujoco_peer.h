/// The tasks of contact on Debian's MuJoCo, in the same run, where it is installed; a peer, never part of the product.
/// Masses, sizes, friction and steps as in gradus' own runs; everything else is MuJoCo's default, but for the elliptic
/// cone.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "math/vec.h"

namespace gradus::cli::mujoco {

bool installed();
std::string name();  // "MuJoCo 2.2.2"

struct Body {
  bool is_box = false;
  double mass = 1, friction = 1;
  Vec3 half{0, 0, 0};  // of a box; half.x: radius of a sphere   [m]
  Vec3 at{0, 0, 0};
  double inertia = 0;  // about every axis; 0: of the solid       [kg m²]
};

struct Task {
  double step = 0.001;
  Vec3 gravity{0, 0, -9.81};
  double floor_friction = 1;
  std::vector<Body> bodies;
  Vec3 push{0, 0, 0};  // force on the first body, all the time  [N]
};

/// State of the bodies: 7 coordinates (position, quaternion) and 6 velocities (linear in the world, angular in the
/// body) each.
struct View {
  std::span<double> q, v;
};
/// Runs `steps` steps, calling `look` before each; begin sets the start. False if MuJoCo is not installed or refuses
/// the model.
bool run(const Task& task, int steps, const std::function<void(View)>& begin,
         const std::function<void(View, int)>& look);

}  // namespace gradus::cli::mujoco
