/// A made-up world for developing and testing the viewer without the engine: stick humanoids that wave and squat, sway
/// like damped pendulums when pushed, and a ball on a circle. Deterministic, with snapshots, like the real thing.
#pragma once
#include <vector>

#include "server/live_run.h"

namespace gradus::view {

class DemoWorld : public Simulation {
 public:
  explicit DemoWorld(int robot_count);

  std::shared_ptr<const SceneDescription> describe() override { return scene_; }
  std::uint64_t k() const override { return state_.k; }
  void step() override;
  std::string apply(const Action& action) override;
  void fill(Frame& frame, const Wanted& wanted) override;
  void save(std::vector<std::byte>& snapshot) const override;
  void restore(std::span<const std::byte> snapshot) override;
  void take_events(std::vector<Event>& events) override;
  std::unique_ptr<Simulation> twin() const override { return std::make_unique<DemoWorld>(robot_count_); }

 private:
  static constexpr int kRobotsMax = 32;
  struct RobotState {
    double x = 0, y = 0, vx = 0, vy = 0;  // sway of the centre of mass from upright   [m], [m/s]
    double phase = 0;                     // of the waving                              [rad]
    double amplitude = 1, rate = 1;       // of the waving, can be set                  [-], [1/s]
    int level = 0;
    bool has_leant = false;  // leans far: told as an event once
  };
  struct State {
    std::uint64_t k = 0;
    RobotState robots[kRobotsMax];
    Push push;
    bool is_pushed = false;
  };

  double time() const;
  Vec3 push_force_W() const;
  void place_robot(int robot, std::vector<BodyPose>& bodies) const;
  double signal(int property) const;
  void describe_scene();
  void describe_robot(int r);
  void fill_robot(int r, Frame& frame) const;

  int robot_count_;
  State state_;
  std::shared_ptr<SceneDescription> scene_ = std::make_shared<SceneDescription>();
  std::vector<BodyPose> bodies_;  // of the present state, for picking the pushed point
  std::vector<Event> events_;
};

}  // namespace gradus::view
