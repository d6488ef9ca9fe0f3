// Options of the link [match.h].
#include <algorithm>
#include <sstream>

#include "link/firasim/match.h"
#include "load/units.h"

namespace gradus::firasim {
namespace {

const char* const kTeams[] = {"blue", "yellow", "both", "none"};

class Items {
 public:
  Items(GroupSpec& group, bool& waits) : g_(group), waits_(waits) {}

  Diagnostics apply(const std::string& text) {
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, ',');) one(item);
    const bool scene_has = g_.blue == "firasim" || g_.yellow == "firasim";
    if (!team_given_ && !scene_has) g_.blue = g_.yellow = "firasim";
    return faults_;
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
          "known: group=, blue, yellow, both, none, sync, vision=, commands=, referee=, placement=, interface=, watchdog=");
    }
  }
  std::string* address_of(const std::string& key) {
    FirasimSpec& f = g_.firasim;
    return key == "commands" ? &f.commands : key == "referee" ? &f.referee : key == "placement" ? &f.placement
         : key == "interface" ? &f.interface : nullptr;
  }
  void complain(const std::string& item, const std::string& text) {
    faults_.push_back({{}, Severity::error, "--firasim: '" + item + "': " + text, ""});
  }

  GroupSpec& g_;
  bool& waits_;
  Diagnostics faults_;
  bool team_given_ = false, vision_given_ = false;
};

}  // namespace

Diagnostics apply_options(const std::string& items, SceneSpec& scene, bool& waits_for_clients) {
  if (scene.groups.empty())
    return {{{}, Severity::error, "this scene has no group that clients could play in", "try mirosot_5v5"}};
  constexpr std::string_view kKey = "group=";  // which group the other items are about
  std::string others, name;
  std::istringstream in(items);
  for (std::string item; std::getline(in, item, ',');)
    if (item.starts_with(kKey))
      name = item.substr(kKey.size());
    else
      others += (others.empty() ? "" : ",") + item;
  for (GroupSpec& g : scene.groups)
    if (name.empty() || g.name == name) return Items(g, waits_for_clients).apply(others);
  if (scene.groups[0].name.empty()) return Items(scene.groups[0], waits_for_clients).apply(others);  // see open_link
  return {{{}, Severity::error, "--firasim: there is no group '" + name + "'", "the first is '" + scene.groups[0].name + "'"}};
}

}  // namespace gradus::firasim
