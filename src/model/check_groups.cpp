// Checks of [pitch] and [group.NAME]: numbers, names, who belongs where.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/check.h"

namespace gradus {
namespace {

using Words = std::vector<std::string>;

class GroupCheck {
 public:
  GroupCheck(const SceneSpec& scene, const SceneFault& fault) : scene_(scene), fault_(fault) {}

  void run() {
    if (scene_.pitch) check_pitch(*scene_.pitch);
    std::set<std::string> names;
    for (const GroupSpec& g : scene_.groups) {
      if (!names.insert(g.name).second) say(g, "", "this name is used twice", "give every group its own name");
      check_group(g);
    }
    check_apart();
    for (const RobotInstanceSpec& r : scene_.robots) check_member(r);
  }

 private:
  void say(const GroupSpec& g, const std::string& key, const std::string& text, const std::string& suggestion) {
    fault_("group." + g.name + (key.empty() ? "" : "." + key), g.place, "group '" + g.name + "': " + text, suggestion);
  }

  /// Pitches lie side by side, with room for those who were taken from the field; teams over the network have addresses of
  /// their own.
  void check_apart() {
    if (!scene_.pitch) return;
    constexpr double kBeside = 0.4;  // [m]
    const PitchSpec& p = *scene_.pitch;
    const double along = p.length + 2 * p.goal_depth + kBeside, across = p.width + kBeside;
    const auto remote = [](const GroupSpec& g) { return g.blue == "firasim" || g.yellow == "firasim"; };
    for (std::size_t i = 0; i < scene_.groups.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const GroupSpec &a = scene_.groups[k], &b = scene_.groups[i];
        if (!(std::fabs(a.at.x - b.at.x) >= along) && !(std::fabs(a.at.y - b.at.y) >= across))
          say(b, "at", "its pitch lies on that of group '" + a.name + "'",
              fmt::format("keep them {:.2f} m apart in x or {:.2f} m in y, at = [\"0 m\", \"{:.2f} m\"]", along, across, a.at.y + across));
        if (remote(a) && remote(b) && a.firasim.commands == b.firasim.commands)
          say(b, "firasim.commands", "group '" + a.name + "' listens at " + a.firasim.commands + " already",
              "give every group's firasim addresses of its own");
      }
    for (const GroupSpec& g : scene_.groups)
      if (!std::isfinite(g.at.x + g.at.y)) say(g, "at", "its place is not finite", "");
  }

  void check_pitch(const PitchSpec& p) {
    const auto at_least = [&](const char* key, double x, double least) {
      if (std::isfinite(x) && x >= least && x <= 100) return;
      fault_(std::string("pitch.") + key, p.place, fmt::format("the pitch's {} is {} m", key, x),
             fmt::format("it must be from {} m to 100 m", least));
    };
    at_least("length", p.length, 0.2);
    at_least("width", p.width, 0.2);
    at_least("goal_width", p.goal_width, 0.05);
    at_least("goal_depth", p.goal_depth, 0.02);
    at_least("wall_height", p.wall_height, 0.001);
    for (const auto& [key, x] : {std::pair{"corner", p.corner},
                                 {"centre_radius", p.centre_radius},
                                 {"area_width", p.area_width},
                                 {"area_depth", p.area_depth},
                                 {"penalty_mark", p.penalty_mark}})
      at_least(key, x, 0);
    if (p.goal_width + 2 * p.corner > p.width)
      fault_("pitch.goal_width", p.place, "the goal and the corner blocks do not fit beside each other",
             "make the goal narrower");
  }

  void check_group(const GroupSpec& g) {
    word(g, "motion", g.motion, known_group_motions());
    word(g, "preset", g.preset, {"realistic", "firasim"});
    word(g, "tyres", g.tyres, {"slip", "rolling"});
    word(g, "impact", g.impact, {"slip", "rolling", "paper"});
    word(g, "blue", g.blue, {"strategy", "firasim", "none"});
    word(g, "yellow", g.yellow, {"strategy", "firasim", "none"});
    word(g, "sides", g.sides, {"blue_left", "blue_right"});
    if (g.friction) number(g, "friction", *g.friction, 0, 10);
    if (g.brake) number(g, "brake", *g.brake, 1e-9, 1e6);
    if (g.referee) {
      number(g, "referee.pause", g.referee->pause, 0, 1e6);
      number(g, "referee.still_speed", g.referee->still_speed, 0, 1e6);
      number(g, "referee.still_time", g.referee->still_time, 1e-3, 1e9);
      number(g, "referee.half", g.referee->half, 1, 1e9);
    }
    number(g, "firasim.rate", g.firasim.period, 1e-4, 10);
    number(g, "firasim.watchdog", g.firasim.watchdog, 0, 1e6);
    if (!scene_.pitch)
      say(g, "", g.motion + " needs a pitch", "include one, e.g. fields/mirosot_5v5.toml, or write [pitch]");
    const auto balls = std::count_if(scene_.robots.begin(), scene_.robots.end(),
                                     [&](const auto& r) { return r.group == g.name && r.team.empty(); });
    if (balls != 1)
      say(g, "", fmt::format("it has {} members without a team, and needs one: the ball", balls),
          balls == 0 ? "add a robot with group = \"" + g.name + "\" and no team" : "give the others a team");
  }

  void word(const GroupSpec& g, const char* key, const std::string& x, const Words& known) {
    if (std::find(known.begin(), known.end(), x) == known.end())
      say(g, key, fmt::format("there is no {} '{}'", key, x), did_you_mean(x, known));
  }
  void number(const GroupSpec& g, const char* key, double x, double least, double most) {
    if (!(x >= least && x <= most))
      say(g, key, fmt::format("{} is {}", key, x), fmt::format("it must be from {} to {}", least, most));
  }

  void check_member(const RobotInstanceSpec& r) {
    const std::string path = "robot." + r.name, who = "robot '" + r.name + "': ";
    if (r.group.empty()) {
      if (!r.team.empty()) fault_(path + ".team", r.place, who + "it has a team but no group", "add group = \"…\"");
      return;
    }
    Words names;
    for (const GroupSpec& g : scene_.groups) names.push_back(g.name);
    if (std::find(names.begin(), names.end(), r.group) == names.end())
      fault_(path + ".group", r.place, who + "there is no group '" + r.group + "'", did_you_mean(r.group, names));
    if (r.team != "" && r.team != "blue" && r.team != "yellow")
      fault_(path + ".team", r.place, who + "there is no team '" + r.team + "'",
             did_you_mean(r.team, {"blue", "yellow"}));
    if (r.controller.kind != "none")
      fault_(path + ".controller", r.place, who + "it is driven by its team",
             "say in the group who drives: blue = \"strategy\"");
  }

  const SceneSpec& scene_;
  const SceneFault& fault_;
};

}  // namespace

const std::vector<std::string>& known_group_motions() {
  static const Words names{"planar_wheels"};
  return names;
}

void check_groups(const SceneSpec& scene, const SceneFault& fault) { GroupCheck(scene, fault).run(); }

}  // namespace gradus
