#include "link/lola/packet.h"

#include <cmath>

namespace gradus::lola {
namespace {

constexpr std::string_view kVersion = "6.0.0";
constexpr std::size_t kMostKeys = 64;  // of one message

/// A list of numbers of fixed length; finite ones only.
template <std::size_t N, class T>
bool read_list(PackReader& r, std::array<T, N>& out, std::string& fault, std::string_view key) {
  if (!r.next_is_array()) return fault = std::string(key) + " is no list", false;
  const std::size_t n = r.array();
  if (r.fine() && n != N) return fault = std::string(key) + " has " + std::to_string(n) + " values", false;
  for (std::size_t i = 0; i < N && r.fine(); ++i) {
    const double x = r.number();
    if (!std::isfinite(x)) return fault = std::string(key) + " holds a number that is not finite", false;
    out[i] = static_cast<T>(x);
  }
  return true;
}

bool read_key(PackReader& r, std::string_view key, Actuators& a, std::string& fault) {
  if (key == "Position") return a.has_position = read_list(r, a.position, fault, key);
  if (key == "Stiffness") return a.has_stiffness = read_list(r, a.stiffness, fault, key);
  if (key == "Sonar") return read_list(r, a.sonar, fault, key);
  if (key == "Chest") return read_list(r, a.leds.chest, fault, key);
  if (key == "LFoot") return read_list(r, a.leds.left_foot, fault, key);
  if (key == "RFoot") return read_list(r, a.leds.right_foot, fault, key);
  if (key == "LEye") return read_list(r, a.leds.left_eye, fault, key);
  if (key == "REye") return read_list(r, a.leds.right_eye, fault, key);
  if (key == "LEar") return read_list(r, a.leds.left_ear, fault, key);
  if (key == "REar") return read_list(r, a.leds.right_ear, fault, key);
  if (key == "Skull") return read_list(r, a.leds.skull, fault, key);
  r.skip();
  return true;
}

}  // namespace

void encode(const Sensors& s, Bytes& out) {
  PackWriter w(out);
  w.map(13);
  w.numbers("Stiffness", s.stiffness);
  w.numbers("Position", s.position);
  w.numbers("Temperature", s.temperature);
  w.numbers("Current", s.current);
  w.text("Status");
  w.array(s.status.size());
  for (const int x : s.status) w.small_integer(x);
  w.numbers("Battery", s.battery);
  w.numbers("Accelerometer", s.accelerometer);
  w.numbers("Gyroscope", s.gyroscope);
  w.numbers("Angles", s.angles);
  w.numbers("Sonar", s.sonar);
  w.numbers("FSR", s.fsr);
  w.numbers("Touch", s.touch);
  w.text("RobotConfig");
  w.array(4);
  for (const std::string_view word : {std::string_view(s.body_id), kVersion, std::string_view(s.head_id), kVersion})
    w.text(word);
}

PackReader::Outcome decode(ByteView received, Actuators& out, std::size_t& used, std::string& fault) {
  PackReader r(received);
  out.has_position = out.has_stiffness = false;
  const std::size_t keys = r.map();
  if (r.fine() && keys > kMostKeys) return fault = "sent a map of too many keys", PackReader::Outcome::malformed;
  for (std::size_t i = 0; i < keys && r.fine(); ++i) {
    const std::string_view key = r.text();
    if (!r.fine()) break;
    if (!read_key(r, key, out, fault) && r.outcome() != PackReader::Outcome::incomplete)
      return fault = "sent nonsense: " + fault, PackReader::Outcome::malformed;
  }
  used = r.used();
  if (r.outcome() == PackReader::Outcome::malformed) fault = "sent what is no MessagePack map";
  return r.outcome();
}

}  // namespace gradus::lola
