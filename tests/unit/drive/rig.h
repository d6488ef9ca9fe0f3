/// A test bench: one actuator chain on one flywheel, coupled as World couples chain and robot, without the robot.
#pragma once
#include <vector>

#include "drive/chain.inl"

namespace gradus::test {

class Rig {
 public:
  Rig(const DriveSpec& drive, double inertia, double h)
      : chain(make_chain({0, drive}, h, 0)),
        stiffness(drive.controller.stiffness),
        h_(h),
        inertia_(inertia + (drive.has_rotor() ? 0 : drive.rotor_inertia())),
        ring_(static_cast<std::size_t>(chain.ring), 0.0) {}

  /// One step with torque `load` on the flywheel, and a brake of `damping` on it.
  void step(double command, double load = 0, double damping = 0) {
    const double goal = delayed_goal(chain, ring_.data(), k_, command);
    begin_chain(chain, state, q, v, goal, stiffness, step_);
    double V = 0;
    for (int pass = 0; pass < 4; ++pass) {
      V = (inertia_ / h_ * v + step_.line.t0 + load) / (inertia_ / h_ - step_.line.t1 + damping);
      torque = step_.line.t0 + step_.line.t1 * V;
      if (pass == 3) ++unsettled;
      if (pass == 3 || !off_piece(chain, state, step_, V)) break;
      change_piece(chain, state, step_, V, inertia_);
    }
    before = state;
    end_chain(chain, before, step_, v, V, q + h_ * V, inertia_, state);
    v = V;
    q += h_ * V;
    if (chain.ring > 0) ring_[static_cast<std::size_t>(k_ % chain.ring)] = command;
    ++k_;
  }
  double time() const { return static_cast<double>(k_) * h_; }
  double rotor_speed() const { return chain.gear == GearModel::elastic ? state.omega : v; }
  double rotor_angle() const { return chain.gear == GearModel::elastic ? state.theta : q; }
  const ChainStep& last() const { return step_; }

  Chain chain;
  ChainState state{}, before{};
  double stiffness;
  double q = 0, v = 0;  // of the flywheel
  double torque = 0;    // on it, last step
  long unsettled = 0;   // steps whose last prediction still met a limit

 private:
  double h_, inertia_;
  std::vector<double> ring_;
  std::int64_t k_ = 0;
  ChainStep step_{};
};

/// Knee of a Nao V6 [servos/nao_v6_leg_131.toml].
inline DriveSpec knee() {
  DriveSpec d;
  d.controller.kp = 319.5;
  d.controller.limit = 21.6;
  d.motor = {6.44, 0.309e-3, 0.01938, 0.01938, 4.2e-7};
  d.friction.viscous = 0.223;
  d.gear.ratio = 130.85;
  return d;
}
inline DriveSpec with_play(DriveSpec d, double degrees, double stiffness = 1500, double damping = 2) {
  d.gear.model = GearModel::elastic;
  d.gear.play = degrees * 0.017453292519943295;
  d.gear.stiffness = stiffness;
  d.gear.damping = damping;
  return d;
}

}  // namespace gradus::test
