#include "link/nao/body.h"

#include <algorithm>

#include "load/sensor_toml.h"
#include "math/vec.h"

namespace gradus::nao {
namespace {

constexpr double kAmbient = 25;  // [°C]

/// Which of the robot's sensors is which touch of the interfaces.
struct TouchSensor {
  std::string_view sensor;
  std::size_t touch;
};
constexpr TouchSensor kTouch[] = {{"head_front", 1},         {"head_middle", 2},       {"head_rear", 3},
                                  {"left_bumper_left", 4},   {"left_bumper_right", 5}, {"right_bumper_left", 9},
                                  {"right_bumper_right", 10}};

void read_temperatures(const SensorReading& s, Readings& out) {
  for (std::size_t c = 0; c < s.channels.size() && c < s.values.size(); ++c)
    for (std::size_t i = 0; i < kJointNames.size(); ++i)
      if (s.channels[c] == kJointNames[i]) out.temperature[i] = s.values[c];
}

void read_sensor(const SensorReading& s, Readings& out) {
  const auto& x = s.values;
  if (s.name == "angles" && x.size() >= 2) out.roll = x[0], out.pitch = x[1];
  if (s.name == "left_fsr" && x.size() == 4) std::copy_n(x.begin(), 4, out.fsr.begin());
  if (s.name == "right_fsr" && x.size() == 4) std::copy_n(x.begin(), 4, out.fsr.begin() + 4);
  if (s.name == "sonar_left" && !x.empty()) out.sonar[0] = x[0];
  if (s.name == "sonar_right" && !x.empty()) out.sonar[1] = x[0];
  if (s.name == "battery" && x.size() == 3) out.battery_current = x[1], out.charge = x[2];
  if (s.kind == "temperature") read_temperatures(s, out);
  if (s.kind != "touch" || x.empty()) return;
  for (const TouchSensor& t : kTouch)
    if (s.name == t.sensor) out.touch[t.touch] = x[0] != 0;
}

}  // namespace

std::vector<RobotInstanceSpec*> chosen_naos(const RobotChoice& choice, SceneSpec& scene, const std::string& kind,
                                            const std::string& who, bool only_v6, Diagnostics& faults) {
  std::vector<RobotInstanceSpec*> robots = choice.of(scene, kind, who, faults);
  const auto is_nao = [](const RobotInstanceSpec* r) { return static_cast<bool>(r->robot.find_joint("HeadYaw")); };
  const auto is_meant = [&](const RobotInstanceSpec* r) {
    return is_nao(r) && (!only_v6 || r->robot.name.ends_with("v6"));
  };
  if (choice.empty()) std::erase_if(robots, [&](const RobotInstanceSpec* r) { return !is_meant(r); });
  if (robots.empty() && faults.empty())
    faults.push_back({{},
                      Severity::error,
                      who + ": no Nao" + (only_v6 ? " V6" : "") + " of this scene waits for a program",
                      "name one: robot=NAME"});
  for (RobotInstanceSpec* r : robots) {
    if (!is_nao(r))
      faults.push_back({{}, Severity::error, who + ": robot '" + r->name + "' is no Nao: it has no HeadYaw", ""});
    else if (r->robot.sensors.empty())
      for (const char* set : {"nao_v6", "nao_motors"}) append(faults, add_sensor_set(set, r->robot.sensors));
  }
  return robots;
}

int joint_number(std::string_view name) {
  if (name == "RHipYawPitch") name = "LHipYawPitch";
  const auto it = std::find(kJointNames.begin(), kJointNames.end(), name);
  return it == kJointNames.end() ? -1 : static_cast<int>(it - kJointNames.begin());
}

Result<Body> Body::of(const RobotKind& kind, const std::string& robot) {
  Body b;
  std::string missing;
  for (std::size_t i = 0; i < kJointNames.size(); ++i) {
    const std::string_view name = kJointNames[i];
    b.joints_[i] = kind.find_joint(std::string(name));
    const bool spare = name.ends_with("WristYaw") || name.ends_with("Hand");
    if (b.joints_[i] < 0 && !spare) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  b.right_hip_yaw_pitch_ = kind.find_joint("RHipYawPitch");
  if (missing.empty()) return b;
  return Diagnostics{{{}, Severity::error, "robot '" + robot + "' is no Nao: it has no " + missing, ""}};
}

void Body::write(std::size_t i, double value, std::vector<double>& list) const {
  if (joints_[i] < 0 || list.empty()) return;
  list[static_cast<std::size_t>(joints_[i])] = value;
  if (kJointNames[i] == "LHipYawPitch" && right_hip_yaw_pitch_ >= 0)
    list[static_cast<std::size_t>(right_hip_yaw_pitch_)] = value;
}

void Body::read(const RobotOutput& o, Readings& out) const {
  out = Readings{};
  out.temperature.fill(kAmbient);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (joints_[i] < 0) continue;
    const auto j = static_cast<std::size_t>(joints_[i]);
    out.position[i] = o.q[j];
    out.current[i] = o.current[j];
  }
  out.accelerometer = {o.accelerometer.x, o.accelerometer.y, o.accelerometer.z};
  out.gyroscope = {o.gyro.x, o.gyro.y, o.gyro.z};
  const Vec3 rpy = to_roll_pitch_yaw(o.q_WB);
  out.roll = rpy.x, out.pitch = rpy.y;
  for (std::size_t foot = 0; foot < 2 && foot < o.foot_force.size(); ++foot)
    for (std::size_t pad = 0; pad < 4; ++pad) out.fsr[4 * foot + pad] = o.foot_force[foot] / 4;
  for (const SensorReading& s : o.sensors) read_sensor(s, out);
}

}  // namespace gradus::nao
