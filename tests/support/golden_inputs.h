/// The inputs of the determinism tests: robots × motions × postures × pushes × steps.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "support/robots.h"

namespace gradus::test {

struct GoldenInput {
  std::string name;
  SceneSpec scene;
  Vec3 push;     // impulse on link 0 of every robot at step 100      [N s]
  double swing;  // amplitude of a motion of all targets              [rad]
};
std::vector<GoldenInput> golden_inputs();
/// The world after `steps` steps of this input, begun anew or (k > 0) going on.
void run_golden(const GoldenInput& input, World& world, int steps);

}  // namespace gradus::test
