/// LoLA's two messages as plain structs [facts/nao.md 2; docs/links.md]. Sensors go out as a MessagePack map of exactly
/// 896 bytes; actuators come back as a map with any of its keys, in any order.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "link/lola/msgpack.h"

namespace gradus::lola {

inline constexpr std::size_t kJoints = 25, kPacketBytes = 896;  // joints: nao::kJointNames

struct Sensors {
  std::array<double, kJoints> stiffness{}, position{}, temperature{}, current{};
  std::array<int, kJoints> status{};  // 0 regular … 3 critical
  std::array<double, 4> battery{};  // charge 0 … 1, status bits, current (negative: discharging) [A], temperature [°C]
  std::array<double, 3> accelerometer{}, gyroscope{};  // (0, 0, −9.81) upright [m/s²]; [rad/s]
  std::array<double, 2> angles{}, sonar{};             // roll, pitch of the torso [rad]; left, right [m]
  std::array<double, 8> fsr{};                         // left FL FR RL RR, right the same  [kg]
  std::array<double, 14> touch{};
  std::string body_id, head_id;  // 20 characters
};

/// Brightness of the LEDs, 0 … 1.
struct Leds {
  std::array<double, 3> chest{}, left_foot{}, right_foot{};
  std::array<double, 24> left_eye{}, right_eye{};  // 8 reds, 8 greens, 8 blues
  std::array<double, 10> left_ear{}, right_ear{};
  std::array<double, 12> skull{};
  bool operator==(const Leds&) const = default;
};

struct Actuators {
  std::array<double, kJoints> position{}, stiffness{};
  bool has_position = false, has_stiffness = false;
  std::array<bool, 2> sonar{true, true};
  Leds leds;
};

/// Appends the 896 bytes.
void encode(const Sensors& s, Bytes& out);

/// Takes one message; keys that are not there keep their value in `out`. `used`: its bytes. Malformed: `out` is
/// unspecified, and `fault` says what is wrong.
PackReader::Outcome decode(ByteView received, Actuators& out, std::size_t& used, std::string& fault);

}  // namespace gradus::lola
