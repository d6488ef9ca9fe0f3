#include "sense/kinds/drives.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gradus::sense {
namespace {

/// Some joint must be driven by an actuator chain.
void need_motors(Binding& b) {
  b.wants_motors();
  if (b.kind().drives.empty()) b.fault("", "no joint of the robot has a motor", "it needs actuator chains: servo = { file = \"…\" }");
}

}  // namespace

void Encoder::bind(Binding& b) {
  b.joint_channels("rad", "m");
  const std::string side = b.word("side", "joint");
  if (side != "joint" && side != "motor") b.fault("side", "this is neither joint nor motor");
  b.keep(side == "motor");
  if (side == "motor") b.wants_motors(), b.of_motors();
}

void Encoder::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const double* q = s.numbers[0] != 0 ? w.motor.data() : w.q() + 7;
  for (const int joint : s.ids) *x++ = q[joint];
}

void WheelEncoder::bind(Binding& b) {
  b.joint_channels("", "");
  b.keep(b.number("marks", 512) * b.number("gear", 1) / (2 * std::numbers::pi));
  b.remember(2 * b.kind().njoint());  // of each joint: angle at the start, 1 once it is known
}

void WheelEncoder::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  for (const int joint : s.ids) {
    const double angle = w.q()[7 + joint];
    if (own[1] == 0) own[0] = angle, own[1] = 1;
    *x++ = std::floor((angle - own[0]) * s.numbers[0]);
    own += 2;
  }
}

void JointTorque::bind(Binding& b) { b.joint_channels("N m", "N"); }

void JointTorque::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  for (const int joint : s.ids) *x++ = (w.robot->now + w.robot->at.r)[joint];
}

void Current::bind(Binding& b) {
  b.joint_channels("A", "A");
  need_motors(b);
}

void Current::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  for (const int joint : s.ids) *x++ = w.current[static_cast<std::size_t>(joint)];
}

void Temperature::bind(Binding& b) {
  b.joint_channels("degC", "degC");
  need_motors(b);
  const double ambient = b.number("ambient", 25), R_wh = b.number("to_housing", 5), R_ha = b.number("to_air", 18);
  b.keep(ambient), b.keep(R_wh), b.keep(R_ha);
  b.keep(b.number("winding_time", 8) / R_wh);    // C_w
  b.keep(b.number("housing_time", 600) / R_ha);  // C_h
  b.keep(b.number("winding_resistance", 0));
  b.remember(2 * b.kind().njoint());  // T_w − ambient, T_h − ambient
  b.every_step();
}

void Temperature::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  const double ambient = s.numbers[0], g_wh = 1 / s.numbers[1], g_ha = 1 / s.numbers[2], C_w = s.numbers[3] / w.h,
               C_h = s.numbers[4] / w.h;
  const RobotKind& kind = *w.robot->kind;
  for (const int joint : s.ids) {
    const int drive = kind.joints[static_cast<std::size_t>(joint)].drive;
    double R = s.numbers[5];
    if (R == 0 && drive >= 0) R = kind.drives[static_cast<std::size_t>(drive)].spec.motor.resistance;
    const double i = w.current[static_cast<std::size_t>(joint)];
    // (C_w + g_wh) T_w − g_wh T_h = C_w T_w + R i²;   −g_wh T_w + (C_h + g_wh + g_ha) T_h = C_h T_h
    const double a = C_w + g_wh, d = C_h + g_wh + g_ha, p = C_w * own[0] + R * i * i, r = C_h * own[1];
    const double det = a * d - g_wh * g_wh;
    own[0] = (d * p + g_wh * r) / det;
    own[1] = (a * r + g_wh * p) / det;
    *x++ = ambient + own[1];
    own += 2;
  }
}

void Battery::bind(Binding& b) {
  b.channel("voltage", "V");
  b.channel("current", "A");
  b.channel("charge", "");
  b.wants_motors();
  b.remember(3);  // charge that was drawn [A s]; 1 once there was a step; share of the nominal voltage
  b.every_step();
  b.keep(b.number("capacity", 10440)), b.keep(b.number("full", 25.2)), b.keep(b.number("empty", 18));
  b.keep(b.number("resistance", 0.15)), b.keep(b.number("electronics", 1)), b.keep(b.number("charge", 1));
  const std::string feeds = b.word("feeds", "");
  if (feeds != "" && feeds != "motors") b.fault("feeds", "a battery feeds motors or nothing");
  if (feeds == "motors") need_motors(b);
  b.keep(feeds == "motors"), b.keep(b.number("nominal", 21.6)), b.keep(b.number("cutoff", 0));
}

void Battery::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  const double capacity = s.numbers[0], full = s.numbers[1], empty = s.numbers[2], R = s.numbers[3],
               electronics = s.numbers[4], start = s.numbers[5];
  double power = 0;  // [W]
  for (std::size_t j = 0; j < w.current.size(); ++j) power += w.current[j] * w.voltage[j];
  const double charge = std::clamp(start - own[0] / capacity, 0.0, 1.0), open = empty + (full - empty) * charge;
  // U = open − R (electronics + P/U): the upper root, or half of the open voltage where more is asked than it can give
  const double half = 0.5 * (open - R * electronics), root = half * half - R * power;
  const double U = root > 0 ? half + std::sqrt(root) : half;
  const double i = U > 0 ? electronics + power / U : electronics;
  const bool is_cut = own[1] != 0 && own[2] == 0;  // it stays so
  if (own[1] != 0) own[0] += i * w.h;
  own[1] = 1;
  own[2] = is_cut || U < s.numbers[8] ? 0 : U / s.numbers[7];
  x[0] = U, x[1] = i, x[2] = charge;
}

double supply(const Senses& senses, const double* memory) {
  for (const Sensor& s : senses.sensors()) {
    if (s.table->truth != &Battery::truth || s.numbers[6] == 0) continue;
    const double* own = memory + s.at + 1;
    return own[1] != 0 ? own[2] : 1;
  }
  return 1;
}

}  // namespace gradus::sense
