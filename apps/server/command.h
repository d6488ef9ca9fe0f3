/// What a viewer asks for. Commands arrive as JSON text, are checked against the scene description (names, ranges,
/// finiteness) and reach the simulation as values of one variant: it never sees a name that names nothing.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/scene_description.h"

namespace gradus::view {

// Of the viewer that holds the control lease:
struct Pause {};
struct Resume {};
struct Step {
  int count = 1;  // 1 … 100000; pauses first
};
struct Speed {
  double factor = 1;  // simulated over wall time; infinity = as fast as possible
};
/// Indices are those of the scene description that the command was checked against. By the time it is carried out the
/// simulation may have another one (a level changed, a scene was saved), so what is meant is the name.
struct SetMotion {
  int robot = 0;  // index into robots
  int level = 0;  // index into its levels
  std::string robot_name = {}, level_name = {};
};
struct SetProperty {
  int property = 0;  // index into properties, a settable one
  double value = 0;  // within its bounds
  std::string path = {};
};
/// A spring from the point of the body that the mouse took hold of to where the mouse is:
///   f = stiffness (target − point), |f| ≤ max_force, plus whatever damping the simulation adds.
struct Push {
  int body = 0;
  Vec3 point_B{0, 0, 0};   // [m]
  Vec3 target_W{0, 0, 0};  // [m]
  double stiffness = 0;    // [N/m]
  double max_force = 0;    // [N]
};
struct ReleasePush {};  // also sent when the viewer that pushes goes away
struct Reset {};        // back to the start
struct Seek {
  double time = 0;  // show this moment of the past; never un-pauses  [s]
};
struct Branch {};  // run on from the moment shown, keep the old course as ghost
// Of every viewer; these never reach the simulation:
struct Subscribe {
  std::vector<std::uint16_t> properties;  // replaces the former set; ascending
  bool volumes = false;                   // boxes of the collision trees too
  std::vector<std::uint16_t> cameras{};   // numbers of sensors: of one viewer one, or none
};
struct TakeControl {};
struct GiveControl {};

using Action = std::variant<Pause, Resume, Step, Speed, SetMotion, SetProperty, Push, ReleasePush, Reset, Seek, Branch,
                            Subscribe, TakeControl, GiveControl>;

struct Command {
  std::uint64_t viewer = 0;  // who asked; for ViewServer::reply
  std::uint32_t id = 0;      // the viewer's number of the command
  Action action;
  std::uint32_t scene_revision = 0;  // of the description it was checked against
};

/// Does it change the simulation (and so need the lease)?
bool needs_control(const Action& action);

struct ParsedCommand {
  std::uint32_t id = 0;  // 0 when not even that could be read
  Action action;
  std::string error;  // "" when the action is good
};

/// One JSON object: {"id": 7, "do": "set_motion", "robot": "red1", "level": "single_body"}. See docs/viewer.md.
ParsedCommand parse_command(std::string_view text, const SceneDescription& scene);

inline constexpr std::size_t kCommandSizeMax = 4096;  // bytes of one command
inline constexpr std::size_t kSubscriptionMax = 512;  // properties of one viewer

}  // namespace gradus::view
