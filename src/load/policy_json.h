/// Learned policies as `python3 -m gradus.learn` exports them: a small network, and what a controller must do with it
/// [docs/learning.md].
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/spec.h"

namespace gradus {

struct PolicyFile {
  std::string file, task, robot;
  double rate = 50;                // calls a second                                       [Hz]
  double clock = 0;                // strides a second                                     [Hz]
  double action_scale = 0;         // of an action                                         [rad]
  std::vector<double> start;       // (actions) target of an action of 0, joint by joint
  std::vector<int> sizes;          // of the layers: observations, hidden …, actions
  std::vector<float> mean, scale;  // (observations) the network sees (x − mean) scale, within ±6
  std::vector<float> weights;      // layer after layer: inputs × outputs, then the offsets
};

Result<PolicyFile> load_policy(const std::string& path);
/// Does the robot have as many joints as the policy moves?
Diagnostics check_policy(const PolicyFile& policy, const RobotSpec& robot, const Place& mentioned);

}  // namespace gradus
