/// FIRASim's messages and the referee's, as plain structs. Field numbers: facts of the protocol (docs/firasim.md).
/// Axes: x along the length, y along the width, origin at the centre; m, m/s, rad, rad/s; step in ms of simulated time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/protobuf.h"

namespace gradus::firasim {

using Bytes = protobuf::Data;

struct Ball {
  double x = 0, y = 0, z = 0, vx = 0, vy = 0, vz = 0;
};
struct Robot {
  std::uint32_t id = 0;
  double x = 0, y = 0, orientation = 0, vx = 0, vy = 0, vorientation = 0;
};
struct Field {
  double width = 0, length = 0, goal_width = 0, goal_depth = 0;
  double center_radius = 0, penalty_width = 0, penalty_depth = 0, penalty_point = 0;
};
struct Environment {
  std::uint32_t step = 0;  // [ms]
  Ball ball;
  std::vector<Robot> yellow, blue;
  Field field;
  std::uint32_t goals_blue = 0, goals_yellow = 0;
};

struct Command {
  std::uint32_t id = 0;
  bool yellow = false;
  double wheel_left = 0, wheel_right = 0;  // [rad/s]
};
struct BallReplacement {
  double x = 0, y = 0, vx = 0, vy = 0;
};
struct RobotReplacement {
  Robot position;  // orientation in degrees on the wire
  bool yellow = false, turn_on = false;
};
struct Packet {
  std::vector<Command> commands;
  bool has_ball = false;
  BallReplacement ball;
  std::vector<RobotReplacement> robots;
};

enum class Foul { free_kick, penalty_kick, goal_kick, free_ball, kick_off, stop, game_on, halt };
enum class Color { blue, yellow, none };
struct RefereeCommand {  // VSSRef_Command
  Foul foul = Foul::free_kick;
  Color team = Color::blue;
  std::uint32_t quadrant = 0;  // 0 none, 1..4, 1 = top right, counter-clockwise
  double timestamp = 0;
  std::uint32_t half = 0;  // 0 none, 1 first, 2 second, 3, 4 overtime, 5 penalties
};
struct RefereePlacement {  // VSSRef_Placement
  Color team = Color::blue;
  std::vector<Robot> robots;  // id, x, y, orientation
};

/// More commands or replacements than this in one packet and it is refused: nobody has so many robots.
inline constexpr std::size_t kMostEntries = 128;

/// Append a message to `out` (which is cleared first).
void encode(const Environment& m, std::vector<std::uint8_t>& out);
void encode(const Packet& m, std::vector<std::uint8_t>& out);
void encode(const RefereeCommand& m, std::vector<std::uint8_t>& out);
void encode(const RefereePlacement& m, std::vector<std::uint8_t>& out);

/// False for anything that is not a well-formed message; `out` is then unspecified.
[[nodiscard]] bool decode(Bytes data, Environment& out);
[[nodiscard]] bool decode(Bytes data, Packet& out);
[[nodiscard]] bool decode(Bytes data, RefereeCommand& out);
[[nodiscard]] bool decode(Bytes data, RefereePlacement& out);

}  // namespace gradus::firasim
