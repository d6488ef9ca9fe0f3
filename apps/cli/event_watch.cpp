#include "cli/event_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "wheels/group.h"

namespace gradus::cli {
namespace {

constexpr std::string_view kLeft = "_left_post", kRight = "_right_post";
constexpr double kTouchEnds = 0.3;  // [s] without a push

const FieldObjectSpec* find_object(const Model& model, const std::string& name) {
  const auto it =
      std::find_if(model.field.begin(), model.field.end(), [&](const FieldObjectSpec& f) { return f.name == name; });
  return it == model.field.end() ? nullptr : &*it;
}

}  // namespace

EventWatch::EventWatch(const World& world) {
  find_goals(world.model());
  for (const RobotModel& r : world.model().robots) {
    ball_radius_.push_back(r.kind->ball_radius());
    is_player_.push_back(r.kind->njoint() > 0);
  }
  reset(world);
}

void EventWatch::find_goals(const Model& model) {
  for (const FieldObjectSpec& f : model.field) {
    if (!f.name.ends_with(kLeft)) continue;
    const std::string name = f.name.substr(0, f.name.size() - kLeft.size());
    const FieldObjectSpec* other = find_object(model, name + std::string(kRight));
    if (!other) continue;
    const Vec3 a = f.X_WO.p, b = other->X_WO.p, line = b - a;
    Vec3 out{line.y, -line.x, 0};
    const double size = norm(out);
    if (size < 1e-9) continue;
    out = out * (1 / size);
    const Vec3 middle = (a + b) * 0.5;
    goals_.push_back({name, a, b, dot(out, middle) < 0 ? out * -1.0 : out});
  }
}

/// Behind the line by its whole radius, between the posts and not over them.
bool EventWatch::is_in(const Goal& g, Vec3 p, double radius) const {
  const Vec3 line = g.right - g.left, from_left = p - g.left;
  const double along = (from_left.x * line.x + from_left.y * line.y) / (line.x * line.x + line.y * line.y);
  return dot(from_left, g.out) > radius && along > 0 && along < 1 && p.z < 2 * std::max(g.left.z, radius);
}

std::string EventWatch::touching(const World& world, int r) const {
  const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(r)].kind;
  if (kind.feet.empty()) return "";
  const auto memory = world.contact_memory(r);
  for (std::size_t i = 0; i < kind.points.size(); ++i) {
    const ContactPoint& p = kind.points[i];
    const bool is_foot = std::find(kind.feet.begin(), kind.feet.end(), p.link) != kind.feet.end();
    if (memory[i].fn > 0 && !is_foot) return kind.objects[static_cast<std::size_t>(p.object)].name;
  }
  return "";
}

EventWatch::Seen EventWatch::see(const World& world, int r) const {
  Seen s;
  s.fallen = world.fallen(r);
  s.touching = touching(world, r);
  const double radius = ball_radius_[static_cast<std::size_t>(r)];
  for (const Goal& g : goals_) s.in_goal.push_back(radius > 0 && is_in(g, base_position(world.q(r).data()), radius));
  return s;
}

void EventWatch::reset(const World& world) {
  seen_.clear();
  for (int r = 0; r < world.robot_count(); ++r) seen_.push_back(see(world, r));
  touch_.clear();
  for (const MovingContact& c : world.contacts())
    if (is_worth_telling(c)) touch_[std::minmax(c.robot_a, c.robot_b)] = world.time();
  told_.clear();
  for (int g = 0; g < world.groups().count(); ++g)
    told_.push_back(wheels::match_of(world.section(g))[wheels::kEventCount]);
}

void EventWatch::look(const World& world, std::vector<Event>& events) {
  for (int r = 0; r < world.robot_count(); ++r) {
    const std::string& name = world.model().robots[static_cast<std::size_t>(r)].name;
    Seen now = see(world, r);
    Seen& before = seen_[static_cast<std::size_t>(r)];
    const auto tell = [&](const char* kind, const std::string& what) {
      events.push_back({world.time(), kind, what, name});
    };
    if (now.fallen != before.fallen) tell(now.fallen ? "fall" : "rise", now.fallen ? "falls" : "is upright again");
    for (std::size_t g = 0; g < goals_.size(); ++g)
      if (now.in_goal[g] && !before.in_goal[g]) tell("goal", "is in the " + goals_[g].name + " goal");
    if (before.touching.empty() && !now.touching.empty())
      tell("contact", "touches the ground with its " + now.touching);
    before = std::move(now);
  }
}

/// Of two different robots that push each other; balls and boxes among themselves would fill the list.
bool EventWatch::is_worth_telling(const MovingContact& c) const {
  if (c.robot_b < 0 || c.robot_a == c.robot_b || !(c.force > 0)) return false;
  return is_player_[static_cast<std::size_t>(c.robot_a)] || is_player_[static_cast<std::size_t>(c.robot_b)];
}

void EventWatch::look_at_touches(const World& world, std::vector<Event>& events) {
  const auto tell = [&](double time, const char* kind, const char* what, std::pair<int, int> pair) {
    const bool second = !is_player_[static_cast<std::size_t>(pair.first)];  // the robot is named first, then the ball
    const std::vector<RobotModel>& robots = world.model().robots;
    const std::string &one = robots[static_cast<std::size_t>(second ? pair.second : pair.first)].name,
                      &other = robots[static_cast<std::size_t>(second ? pair.first : pair.second)].name;
    events.push_back({time, kind, what + other, one});
  };
  for (const MovingContact& c : world.contacts()) {
    if (!is_worth_telling(c)) continue;
    const std::pair<int, int> pair = std::minmax(c.robot_a, c.robot_b);
    if (touch_.insert_or_assign(pair, world.time()).second) tell(world.time(), "touch", "touches ", pair);
  }
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

}  // namespace gradus::cli
