/// Runs a policy that was learned by the walking tasks of gradus.tasks, without Python: the same observation, network
/// and targets, in float, as in learning.
///
///   observation = gravity, velocity, spin in the base's axes (9), q − start, v/10, last action, speed, sin and cos of
///   the clock target = start + action_scale · action, within the joint's limits
#pragma once
#include "learn/ppo.h"
#include "load/policy_json.h"
#include "state/controller.h"

namespace gradus {

class Policy : public Controller {
 public:
  /// program: speeds, each for so many steps (half a stride); then it is told to stand. start: time of the first call.
  Policy(const PolicyFile& file, const RobotKind& kind, std::vector<WalkCommand> program, double start);
  double period() const { return 1 / file_.rate; }
  void control(const RobotOutput& output, RobotCommand& command) override;

 private:
  float speed_at(double time) const;  // that is commanded  [m/s]
  void observe(const RobotOutput& output, float* x) const;

  PolicyFile file_;
  std::vector<WalkCommand> program_;
  double start_;
  learn::Net net_;
  learn::Net::Trace trace_;
  std::vector<float> last_;            // (actions)
  std::vector<double> lower_, upper_;  // (joints)
};

}  // namespace gradus
