#include "session/events.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "contact/contact_set.h"
#include "wheels/group.h"

namespace gradus {
namespace {

constexpr double kTouchEnds = 0.3;      // [s] without a push
constexpr double kEnergyPeriod = 0.01;  // [s] between two looks at the books
constexpr double kEnergyShare = 0.01;   // of what was dissipated: more than this is told

}  // namespace

EventWatch::EventWatch(const World& world) {
  find_goals(world.model());
  for (const RobotModel& r : world.model().robots) {
    ball_radius_.push_back(r.kind->ball_radius());
    is_player_.push_back(r.kind->njoint() > 0);
    std::vector<bool>& foot = is_foot_.emplace_back(r.kind->links.size());
    for (const int link : r.kind->feet) foot[static_cast<std::size_t>(link)] = true;
  }
  for (int r = 0; r < world.robot_count(); ++r)
    for (const DriveModel& d : world.model().robots[static_cast<std::size_t>(r)].kind->drives)
      if (std::isfinite(d.spec.range.speed) || std::isfinite(d.spec.range.torque))
        watched_.push_back({r, d.joint, d.spec.range.speed, d.spec.range.torque, false});
  reset(world);
}

void EventWatch::find_goals(const Model& model) {
  for (std::size_t i = 0; i < model.field.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const FieldObjectSpec &one = model.field[j], &other = model.field[i];
      if (one.goal.empty() || one.goal != other.goal) continue;
      const Vec3 a = one.X_WO.p, b = other.X_WO.p, line = b - a;
      Vec3 out{line.y, -line.x, 0};
      const double size = norm(out);
      if (size < 1e-9) continue;
      out = out * (1 / size);
      const Vec3 middle = (a + b) * 0.5;
      goals_.push_back({one.goal, a, b, dot(out, middle) < 0 ? out * -1.0 : out});
    }
}

/// Behind the line by its whole radius, between the posts and not over them.
bool EventWatch::is_in(const Goal& g, Vec3 p, double radius) const {
  const Vec3 line = g.right - g.left, from_left = p - g.left;
  const double along = (from_left.x * line.x + from_left.y * line.y) / (line.x * line.x + line.y * line.y);
  return dot(from_left, g.out) > radius && along > 0 && along < 1 && p.z < 2 * std::max(g.left.z, radius);
}

int EventWatch::touching(const World& world, int r) const {
  const std::vector<bool>& foot = is_foot_[static_cast<std::size_t>(r)];
  int object = -1;  // the first one
  if (world.model().robots[static_cast<std::size_t>(r)].kind->feet.empty()) return object;
  world.contacts().on(r, [&](const Touch& t) {
    if (object < 0 && t.other_robot < 0 && t.normal_force > 0 && !foot[static_cast<std::size_t>(t.link)]) object = t.object;
  });
  return object;
}

EventWatch::Seen EventWatch::see(const World& world, int r) const {
  Seen s;
  s.fallen = world.fallen(r);
  s.touching = touching(world, r);
  const double radius = ball_radius_[static_cast<std::size_t>(r)];
  for (std::size_t g = 0; radius > 0 && g < goals_.size(); ++g)
    if (is_in(goals_[g], base_position(world.q(r).data()), radius)) s.in_goal = static_cast<int>(g);
  return s;
}

void EventWatch::reset(const World& world) {
  seen_.clear();
  for (int r = 0; r < world.robot_count(); ++r) seen_.push_back(see(world, r));
  touch_.clear();
  world.contacts().between([&](const Touch& t) {
    if (is_worth_telling(t)) touch_[std::minmax(t.robot, t.other_robot)] = world.time();
  });
  first_error_ = least_error_ = world.energy_error();
  energy_told_ = false;
  for (Watched& w : watched_) w.told = false;
  lifts_ = 0;
  for (const RobotModel& r : world.model().robots) lifts_ += r.kind->mass * 9.81 * 1e-4;
  told_.clear();
  for (int g = 0; g < world.groups().count(); ++g)
    told_.push_back(wheels::match_of(world.section(g))[wheels::kEventCount]);
}

void EventWatch::look(const World& world, std::vector<Event>& events) {
  look_at_robots(world, events);
  look_at_touches(world, events);
  look_at_matches(world, events);
  look_at_energy(world, events);
  look_at_ranges(world, events);
}

void EventWatch::look_at_ranges(const World& world, std::vector<Event>& events) {
  constexpr double kBeyond = 1.05;  // recordings do not tell it more exactly
  for (Watched& w : watched_) {
    if (w.told) continue;
    const double speed = std::fabs(world.v(w.robot)[6 + static_cast<std::size_t>(w.joint)]);
    const double torque = std::fabs(world.tau(w.robot)[static_cast<std::size_t>(w.joint)]);
    if (!(speed > kBeyond * w.speed) && !(torque > kBeyond * w.torque)) continue;
    w.told = true;
    const RobotModel& robot = world.model().robots[static_cast<std::size_t>(w.robot)];
    const std::string& joint = robot.kind->objects[static_cast<std::size_t>(robot.kind->joints[static_cast<std::size_t>(w.joint)].object)].name;
    const bool fast = speed > kBeyond * w.speed;
    char text[160];
    std::snprintf(text, sizeof text, "%s leaves the range of its servo's passport: %.3g %s, fitted up to %.3g", joint.c_str(),
                  fast ? speed : torque, fast ? "rad/s" : "N m", fast ? w.speed : w.torque);
    events.push_back({world.time(), "range", text, robot.name});
  }
}

/// Every 10 ms: the books are kept at every step, but to close them takes a tenth of one.
void EventWatch::look_at_energy(const World& world, std::vector<Event>& events) {
  const auto every = std::max<std::int64_t>(1, std::llround(kEnergyPeriod / world.model().step));
  if (energy_told_ || world.k() % every != 0 || !world.keeps_books()) return;
  const double error = world.energy_error();
  least_error_ = std::min(least_error_, error);
  const double gain = error - least_error_;
  if (!(gain > kEnergyShare * (first_error_ - least_error_) + lifts_)) return;
  energy_told_ = true;
  char text[80];
  std::snprintf(text, sizeof text, "the run gains energy that nothing explains: %.3g J so far", gain);
  events.push_back({world.time(), "energy", text, ""});
}

void EventWatch::look_at_robots(const World& world, std::vector<Event>& events) {
  for (const int r : world.engine().awake()) {
    const RobotModel& robot = world.model().robots[static_cast<std::size_t>(r)];
    const Seen now = see(world, r);
    Seen& before = seen_[static_cast<std::size_t>(r)];
    const auto tell = [&](const char* kind, const std::string& what) {
      events.push_back({world.time(), kind, what, robot.name});
    };
    if (now.fallen != before.fallen) tell(now.fallen ? "fall" : "rise", now.fallen ? "falls" : "is upright again");
    if (now.in_goal >= 0 && before.in_goal < 0)
      tell("goal", "is in the " + goals_[static_cast<std::size_t>(now.in_goal)].name + " goal");
    if (before.touching < 0 && now.touching >= 0)
      tell("contact",
           "touches the ground with its " + robot.kind->objects[static_cast<std::size_t>(now.touching)].name);
    before = now;
  }
}

/// Of two different robots that push each other; balls and boxes among themselves would fill the list.
bool EventWatch::is_worth_telling(const Touch& t) const {
  if (t.robot == t.other_robot || !(t.normal_force > 0)) return false;
  return is_player_[static_cast<std::size_t>(t.robot)] || is_player_[static_cast<std::size_t>(t.other_robot)];
}

void EventWatch::look_at_touches(const World& world, std::vector<Event>& events) {
  const auto tell = [&](double time, const char* kind, const char* what, std::pair<int, int> pair) {
    const bool second = !is_player_[static_cast<std::size_t>(pair.first)];  // the robot is named first, then the ball
    const std::vector<RobotModel>& robots = world.model().robots;
    const std::string &one = robots[static_cast<std::size_t>(second ? pair.second : pair.first)].name,
                      &other = robots[static_cast<std::size_t>(second ? pair.first : pair.second)].name;
    events.push_back({time, kind, what + other, one});
  };
  world.contacts().between([&](const Touch& t) {
    if (!is_worth_telling(t)) return;
    const std::pair<int, int> pair = std::minmax(t.robot, t.other_robot);
    if (touch_.insert_or_assign(pair, world.time()).second) tell(world.time(), "touch", "touches ", pair);
  });
  std::erase_if(touch_, [&](const auto& t) {
    if (world.time() - t.second < kTouchEnds) return false;
    tell(t.second, "apart", "has let go of ", t.first);
    return true;
  });
}

void EventWatch::look_at_matches(const World& world, std::vector<Event>& events) {
  for (int g = 0; g < world.groups().count(); ++g) {
    const auto match = wheels::match_of(world.section(g));
    double& told = told_[static_cast<std::size_t>(g)];
    if (match[wheels::kEventCount] == told) continue;
    told = match[wheels::kEventCount];
    const auto event = static_cast<wheels::MatchEvent>(static_cast<int>(match[wheels::kLastEvent]));
    const bool blue = event == wheels::MatchEvent::goal_blue;
    if (!blue && event != wheels::MatchEvent::goal_yellow) continue;
    char text[80];
    std::snprintf(text, sizeof text, "goal for %s, %g : %g", blue ? "blue" : "yellow", match[wheels::kGoalsBlue],
                  match[wheels::kGoalsYellow]);
    events.push_back({world.time(), "goal", text, world.groups().model(g).spec.name});
  }
}

}  // namespace gradus
