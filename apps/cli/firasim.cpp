#include "cli/firasim.h"

#include <cinttypes>
#include <cstdio>
#include <sstream>

#include "load/units.h"
#include "wheels/group.h"

namespace gradus::cli {
namespace {

const char* const kTeams[] = {"blue", "yellow", "both", "none"};

class Items {
 public:
  Items(GroupSpec& group, bool& waits) : g_(group), waits_(waits) {}

  bool apply(const std::string& text) {
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, ',');) one(item);
    const bool scene_has = g_.blue == "firasim" || g_.yellow == "firasim";
    if (!team_given_ && !scene_has) g_.blue = g_.yellow = "firasim";
    return good_;
  }

 private:
  void one(const std::string& item) {
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals), value = equals == std::string::npos ? "" : item.substr(equals + 1);
    if (item.empty()) return;
    if (item == "sync") {
      waits_ = true;
    } else if (std::find(std::begin(kTeams), std::end(kTeams), item) != std::end(kTeams)) {
      team_given_ = true;
      if (item == "blue" || item == "both") g_.blue = "firasim";
      if (item == "yellow" || item == "both") g_.yellow = "firasim";
    } else if (key == "vision" && !value.empty()) {
      if (!vision_given_) g_.firasim.vision.clear();
      vision_given_ = true;
      g_.firasim.vision.push_back(value);
    } else if (key == "watchdog") {
      if (const auto fault = parse_quantity(value, dimension::kTime, g_.firasim.watchdog)) complain(item, fault->text);
    } else if (std::string* address = address_of(key); address && !value.empty()) {
      *address = value;
    } else {
      complain(
          item,
          "known: blue, yellow, both, none, sync, vision=, commands=, referee=, placement=, interface=, watchdog=");
    }
  }
  std::string* address_of(const std::string& key) {
    FirasimSpec& f = g_.firasim;
    return key == "commands" ? &f.commands : key == "referee" ? &f.referee : key == "placement" ? &f.placement
         : key == "interface" ? &f.interface : nullptr;
  }
  void complain(const std::string& item, const std::string& text) {
    std::fprintf(stderr, "error: --firasim: '%s': %s\n", item.c_str(), text.c_str());
    good_ = false;
  }

  GroupSpec& g_;
  bool& waits_;
  bool good_ = true, team_given_ = false, vision_given_ = false;
};

}  // namespace

bool apply_firasim(const std::string& items, SceneSpec& scene, bool& waits_for_clients) {
  if (scene.groups.empty()) {
    std::fprintf(stderr, "error: this scene has no group that clients could play in; try mirosot_5v5\n");
    return false;
  }
  return Items(scene.groups[0], waits_for_clients).apply(items);
}

void announce_firasim(const SceneSpec& scene, const control::FirasimMatch& m) {
  const GroupSpec& g = scene.groups[0];
  const bool blue = g.blue == "firasim", yellow = g.yellow == "firasim";
  std::string vision;
  for (const std::string& v : g.firasim.vision) vision += (vision.empty() ? "" : ", ") + v;
  const std::string host = g.firasim.commands.substr(0, g.firasim.commands.rfind(':'));
  std::fprintf(stderr, "firasim: pictures go to %s, commands of %s are taken on %s:%u\n", vision.c_str(),
               blue && yellow ? "both teams"
               : blue         ? "blue"
               : yellow       ? "yellow"
                              : "nobody",
               host.c_str(), m.command_port());
}

void print_firasim(const control::FirasimMatch& m) {
  const firasim::ServerCounters& c = m.counters();
  std::printf("  firasim: %" PRId64 " pictures sent, %" PRId64 " packets taken", c.frames, c.packets);
  std::printf("; dropped: %" PRId64 " malformed, %" PRId64 " oversized, %" PRId64 " flooded, %" PRId64
              " stale, %" PRId64 " entries refused\n",
              c.malformed, c.oversized, c.flooded, c.stale, c.refused);
  if (c.packets == 0 && m.awaits_clients())
    std::printf("           no client was heard: it has to send its commands to the address above\n");
  if (c.watchdog_stops || c.send_failures || m.impatient())
    std::printf("           %" PRId64 " teams stopped by the watchdog, %" PRId64 " pictures not sent, %" PRId64
                " steps without an answer\n",
                c.watchdog_stops, c.send_failures, m.impatient());
  const firasim::RefereeCounters& r = m.referee_counters();
  std::printf("  referee: %" PRId64 " messages sent, %" PRId64 " commands and %" PRId64 " placements taken, %" PRId64
              " malformed\n",
              r.sent, r.commands, r.placements, r.malformed);
}

nlohmann::ordered_json firasim_json(const control::FirasimMatch& m) {
  const firasim::ServerCounters& c = m.counters();
  const firasim::RefereeCounters& r = m.referee_counters();
  return {{"frames", c.frames},
          {"send_failures", c.send_failures},
          {"packets", c.packets},
          {"malformed", c.malformed},
          {"oversized", c.oversized},
          {"flooded", c.flooded},
          {"stale", c.stale},
          {"refused", c.refused},
          {"watchdog_stops", c.watchdog_stops},
          {"impatient", m.impatient()},
          {"referee_sent", r.sent},
          {"referee_commands", r.commands},
          {"placements", r.placements},
          {"referee_malformed", r.malformed}};
}

void print_matches(const World& world) {
  for (int g = 0; g < world.groups().count(); ++g) {
    const auto match = wheels::match_of(world.section(g));
    std::printf("  %s: blue %g : %g yellow after %.1f s\n", world.groups().model(g).spec.name.c_str(),
                match[wheels::kGoalsBlue], match[wheels::kGoalsYellow], match[wheels::kClock]);
  }
  const PlaceCounters& p = world.placements();
  if (p.moved + p.refused > 0)
    std::printf("  placements: %" PRId64 " moved to the nearest free place, %" PRId64 " refused\n", p.moved, p.refused);
}

nlohmann::ordered_json matches_json(const World& world) {
  nlohmann::ordered_json j;
  for (int g = 0; g < world.groups().count(); ++g) {
    const auto match = wheels::match_of(world.section(g));
    j[world.groups().model(g).spec.name] = {{"blue", match[wheels::kGoalsBlue]},
                                            {"yellow", match[wheels::kGoalsYellow]},
                                            {"clock", match[wheels::kClock]},
                                            {"placements_moved", world.placements().moved},
                                            {"placements_refused", world.placements().refused}};
  }
  return j;
}

}  // namespace gradus::cli
