/// What happens in a world and is worth telling: falls, goals, parts that touch the ground and should not.
/// Matches of groups count their goals themselves; these are told as they count.
///
/// A *goal* is a pair of field objects that carry the same mark (goal = "blue"), its posts: it is scored when a ball (a
/// robot with one body, a sphere) has crossed the line between the posts' centres completely, outwards as seen from the
/// field's origin. A *contact* is told for robots with feet, when the first part that is not a foot touches the ground.
/// A *touch* begins when two robots, or a robot and a ball, push each other, and ends (*apart*) when they have not for
/// 0.3 s: robots that wrestle or dribble touch once, not at every step. *Energy* is told once, when a run has gained
/// energy that nothing explains (World::energy_error): more than a hundredth of what was dissipated before, and more
/// than lifts all bodies by a tenth of a millimetre. *Range* is told once a joint, when it turns faster or its servo works
/// harder than in the recordings that the servo was fitted to (the passport of its file).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "world/world.h"

namespace gradus {

/// Something worth telling, when it happened.
struct Event {
  double time;
  std::string kind;   // fall | rise | goal | contact | touch | apart | energy | range | link | light | say
  std::string what;   // after the robot's name: "falls"
  std::string robot;  // or the group that it happened in
};

class EventWatch {
 public:
  explicit EventWatch(const World& world);
  /// Appends what happened since the last look. To be called after every step: a kick is over in a few, and after a
  /// goal the ball may be put elsewhere at once.
  void look(const World& world, std::vector<Event>& events);
  /// Takes the world as it is, without telling: after going back in time.
  void reset(const World& world);

 private:
  void look_at_robots(const World& world, std::vector<Event>& events);
  void look_at_touches(const World& world, std::vector<Event>& events);
  void look_at_matches(const World& world, std::vector<Event>& events);
  void look_at_energy(const World& world, std::vector<Event>& events);
  void look_at_ranges(const World& world, std::vector<Event>& events);
  struct Goal {
    std::string name;
    Vec3 left, right;  // the posts' centres  [m]
    Vec3 out;          // horizontal, away from the field
  };
  void find_goals(const Model& model);
  bool is_in(const Goal& goal, Vec3 p, double radius) const;
  int touching(const World& world, int robot) const;
  bool is_worth_telling(const Touch& touch) const;

  struct Seen {
    bool fallen = false;
    int in_goal = -1;   // number of the goal that a ball is in; −1: none
    int touching = -1;  // an object on the ground, or on the field, that is no foot; −1: none
  };
  Seen see(const World& world, int robot) const;

  std::vector<Goal> goals_;
  std::vector<double> ball_radius_;              // (robots) 0: not a ball
  std::vector<std::vector<bool>> is_foot_;       // (robots, links)
  std::vector<bool> is_player_;                  // (robots) has joints: neither ball nor box
  std::vector<Seen> seen_;                       // (robots)
  struct Watched {
    int robot, joint;
    double speed, torque;  // largest that its servo was fitted to
    bool told;
  };
  std::vector<Watched> watched_;                 // joints whose servos have a passport
  std::vector<double> told_;                     // (groups) events of its match told so far
  double lifts_ = 0;                             // energy that lifts all bodies by a tenth of a millimetre    [J]
  double first_error_ = 0, least_error_ = 0;     // World::energy_error when the watch began, and the least since [J]
  bool energy_told_ = false;
  std::map<std::pair<int, int>, double> touch_;  // pairs of robots that touch, by number: when they last did   [s]
};

}  // namespace gradus
