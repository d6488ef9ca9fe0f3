/// What programs may call: modules and methods by the robot's names, with arguments and results as JSON.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "link/link.h"
#include "link/nao/body.h"
#include "link/naoqi/arguments.h"
#include "link/naoqi/cartesian.h"
#include "link/naoqi/leds.h"
#include "link/naoqi/motion.h"
#include "link/naoqi/subscriptions.h"
#include "link/naoqi/video.h"
#include "world/world.h"

namespace gradus::naoqi {

/// What a call gives: at once, or when its task is over.
struct Outcome {
  json result = nullptr;
  int task = 0;           // 0: at once
  double timeout = 1e18;  // of ALMotion.wait: simulated time at which it gives up  [s]
};

/// One robot as its programs see it.
class Calls {
 public:
  Calls(const nao::Body& body, Motion& motion, int robot, std::string name)
      : body_(body), motion_(motion), cartesian_(body, motion.shared_kind()), robot_(robot), name_(std::move(name)) {}
  /// `client`: the program that calls, for events that it subscribes to. Throws CallFault.
  Outcome call(const World& world, const std::string& module, const std::string& method, const json& arguments,
               int client = 0);
  /// After a step: events of the robot's own, fades of lights.
  void look(const World& world);
  Subscriptions& subscriptions() { return subscriptions_; }
  std::vector<LinkNotice> take_notices() { return std::exchange(notices_, {}); }
  static const std::vector<std::string>& modules();

 private:
  Outcome motion_call(const World& world, const std::string& method, const json& a);
  /// The groups of ALMotion's calls; known: false if it is none of this group.
  Outcome walk_call(const World& world, const std::string& method, const json& a, bool& known);
  Outcome angle_call(const World& world, const std::string& method, const json& a, bool& known);
  Outcome stiffness_call(const std::string& method, const json& a, bool& known);
  Outcome task_call(const std::string& method, const json& a, bool& known);
  Outcome cartesian_call(const World& world, const std::string& method, const json& a, bool& known);
  Outcome set_foot_steps(const std::string& method, const json& a);
  Outcome hand_call(const std::string& method, const json& a, bool& known);
  Pose frame_of(const World& world, int space);
  /// What a Cartesian call moves: an effector by its chain, or the torso by both legs, whose feet stay where they are.
  struct Moved {
    int object = 0;           // 0: the torso
    std::vector<int> joints;  // that may move
    Pose X_TO;                // where it is, seen from the torso as it is now
    std::vector<Cartesian::Goal> feet;  // of the torso: where they are
  };
  Moved moved(const std::string& effector);
  void bring(const Moved& what, const Pose& X_TO, int mask, std::vector<double>& angles);
  void mind_feet(const World& world);
  Outcome set(const std::string& setting, bool on);
  void plan(const World& world, const std::string& name, int space, const json& path, int mask,
            const std::vector<double>& times, bool absolute, std::vector<int>& joints, std::vector<Curve>& curves);
  static double share(const json& a, std::size_t i);
  std::array<double, 3> full_speed(const json& a) const;
  int interpolate_with_speed(const json& a);
  Outcome memory_call(const World& world, const std::string& method, const json& a, int client);
  Outcome speech_call(const std::string& method, const json& a);
  Outcome other_call(const World& world, const std::string& module, const std::string& method, const json& a);
  void remember(const std::string& key, const json& value);
  json event_value(const World& world, const std::string& key, const nao::Readings& readings) const;
  json memory_value(const World& world, const std::string& key);
  const nao::Readings& readings(const World& world);
  std::vector<int> joints(const json& names) const;
  std::vector<Curve> curves(const std::vector<int>& joints, const json& angles, const json& times, bool absolute) const;
  std::vector<Curve> bezier(const std::vector<int>& joints, const json& times, const json& points) const;
  json pose_of(const World& world) const;
  void tell(const std::string& kind, const std::string& what) { notices_.push_back({name_, kind, what}); }

  nao::Body body_;
  Motion& motion_;
  Cartesian cartesian_;
  int robot_;
  std::string name_;
  OutputRoom room_;
  nao::Readings readings_;
  std::map<std::string, json> memory_;
  Subscriptions subscriptions_;
  Video video_;
  Leds leds_;
  bool minds_falls_ = true, minds_feet_ = true;  // the robot's own care, as it is switched on there
  bool has_fallen_ = false, stood_ = false;
  double minded_ = -1;  // [s]
  double lifted_since_ = -1;  // both feet are in the air, while it walks  [s]; below 0: they are not
  double speech_end_ = -1;  // [s]; below 0: it is silent
  std::vector<LinkNotice> notices_;
};

}  // namespace gradus::naoqi
