#include "link/naoqi/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gradus::naoqi {
namespace {

/// Metres or radians of a walk.
double way(const json& j) {
  const double x = number(j);
  if (!(std::fabs(x) <= 1000)) throw CallFault{"nobody walks so far: " + j.dump()};
  return x;
}

/// One number for each of n joints: a list of n, or one for all.
std::vector<double> spread(const json& j, std::size_t n) {
  if (!j.is_array()) return std::vector<double>(n, number(j));
  if (j.size() == 1 && n > 1) return std::vector<double>(n, number(j[0]));
  if (j.size() != n) throw CallFault{fmt::format("{} numbers for {} joints", j.size(), n)};
  std::vector<double> out;
  for (const json& x : j) out.push_back(number(x));
  return out;
}

/// The list that belongs to joint i of n: lists of lists have one each, a flat list is one joint's, or one number each.
std::vector<double> list_of(const json& j, std::size_t i, std::size_t n) {
  if (!j.is_array()) return {number(j)};
  if (!j.empty() && j[0].is_array()) {
    if (j.size() != n) throw CallFault{fmt::format("{} lists for {} joints", j.size(), n)};
    std::vector<double> out;
    for (const json& x : j[i]) out.push_back(number(x));
    return out;
  }
  if (n == 1) {
    std::vector<double> out;
    for (const json& x : j) out.push_back(number(x));
    return out;
  }
  return {spread(j, n)[i]};
}

constexpr double kMost = 1e6;  // seconds

/// Times from above 0 on, each later than the one before.
bool growing(const std::vector<double>& t) {
  double before = 0;
  for (const double now : t)
    if (!(now > std::exchange(before, now) && now < kMost)) return false;
  return !t.empty();
}

}  // namespace

double Calls::share(const json& a, std::size_t i) {
  const double x = number(argument(a, i));
  if (!(x > 0 && x <= 1)) throw CallFault{"fractionMaxSpeed must be within 0 and 1"};
  return x;
}

const std::vector<std::string>& Calls::modules() {
  static const std::vector<std::string> all{"ALMotion",    "ALMemory",  "ALTextToSpeech", "ALLeds",   "ALRobotPosture",
                                            "ALRobotPose", "ALSensors", "ALSentinel",     "ALSystem", "ALVideoDevice"};
  return all;
}

std::vector<int> Calls::joints(const json& names) const {
  std::vector<int> out;
  const auto add = [&](const std::string& name) {
    const std::vector<int> some = motion_.joints_of(name);
    if (some.empty()) throw CallFault{"there is no joint or chain '" + name + "'"};
    out.insert(out.end(), some.begin(), some.end());
  };
  if (names.is_string()) return add(text(names)), out;
  if (!names.is_array() || names.empty()) throw CallFault{"names of joints are due"};
  for (const json& n : names) add(text(n));
  return out;
}

/// Through the given angles at the given times, from where each joint is now.
std::vector<Curve> Calls::curves(const std::vector<int>& which, const json& angles, const json& times,
                                 bool absolute) const {
  std::vector<Curve> out;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const double from = motion_.commanded(which[i]);
    std::vector<double> x = list_of(angles, i, which.size()), t = list_of(times, i, which.size());
    if (t.size() == 1 && x.size() > 1) throw CallFault{"as many times as angles are due"};
    if (x.size() != t.size()) throw CallFault{fmt::format("{} angles and {} times", x.size(), t.size())};
    if (!growing(t)) throw CallFault{"times must grow from above 0"};
    if (!absolute)
      for (double& angle : x) angle += from;
    t.insert(t.begin(), 0), x.insert(x.begin(), from);
    out.emplace_back(std::move(t), std::move(x));
  }
  return out;
}

/// Control points [angle, [type, dTime, dAngle], [type, dTime, dAngle]]: the handles give the slope at each point.
std::vector<Curve> Calls::bezier(const std::vector<int>& which, const json& times, const json& points) const {
  std::vector<Curve> out;
  if (!points.is_array() || points.size() != which.size()) throw CallFault{"control points for every joint are due"};
  for (std::size_t i = 0; i < which.size(); ++i) {
    std::vector<double> t = list_of(times, i, which.size()), x{motion_.commanded(which[i])}, slope{0};
    if (points[i].size() != t.size()) throw CallFault{"as many control points as times are due"};
    for (const json& p : points[i]) {
      x.push_back(number(p.is_array() ? argument(p, 0) : p));
      const bool handle = p.is_array() && p.size() > 2 && p[2].is_array() && p[2].size() == 3 && number(p[2][1]) != 0;
      slope.push_back(handle ? number(p[2][2]) / number(p[2][1]) : 0);
    }
    if (!growing(t)) throw CallFault{"times must grow from above 0"};
    t.insert(t.begin(), 0);
    out.emplace_back(std::move(t), std::move(x), std::move(slope));
  }
  return out;
}

const nao::Readings& Calls::readings(const World& world) {
  body_.read(world.output(robot_, room_), readings_);
  return readings_;
}

/// x, y and heading of the base.
json Calls::pose_of(const World& world) const {
  const Vec3 p = base_position(world.q(robot_).data()),
             rpy = to_roll_pitch_yaw(base_orientation(world.q(robot_).data()));
  return {p.x, p.y, rpy.z};
}

Outcome Calls::walk_call(const World& world, const std::string& m, const json& a, bool& known) {
  known = true;
  if (m == "walkTo" || m == "moveTo")
    return {nullptr, motion_.walk_to(way(argument(a, 0)), way(argument(a, 1)), way(argument(a, 2)))};
  if (m == "setWalkTargetVelocity" || m == "moveToward") {
    std::array<double, 3> part{}, full = full_speed(a);
    for (std::size_t i = 0; i < 3; ++i) part[i] = std::clamp(number(argument(a, i)), -1.0, 1.0) * full[i];
    motion_.walk(part[0], part[1], part[2]);
    return {};
  }
  if (m == "move") return motion_.walk(way(argument(a, 0)), way(argument(a, 1)), way(argument(a, 2))), Outcome{};
  if (m == "walkInit" || m == "moveInit") return {nullptr, motion_.init_walk()};
  if (m == "stopWalk" || m == "stopMove" || m == "killWalk" || m == "killMove") return {nullptr, motion_.stop_walk()};
  if (m == "waitUntilWalkIsFinished" || m == "waitUntilMoveIsFinished")
    return motion_.is_walking() ? Outcome{nullptr, motion_.wait_for_walk()} : Outcome{};
  if (m == "walkIsActive" || m == "moveIsActive") return {motion_.is_walking()};
  if (m == "getRobotPosition" || m == "getNextRobotPosition") return {pose_of(world)};
  if (m == "getRobotVelocity") {
    const RobotOutput o = world.output(robot_, room_);
    const Mat3 R = to_matrix(o.q_WB);
    const Vec3 v = transpose_times(R, o.v_WB), w = transpose_times(R, o.w_WB);
    return {json{v.x, v.y, w.z}};
  }
  known = false;
  return {};
}

/// Full speeds forward, sideways and of turning. A fourth argument is the frequency of steps, 0 … 1, or a list of
/// settings [name, value]: a slower frequency and shorter longest steps slow the walk down. The gait's own steps keep
/// their time: they become shorter. Steps take 0.42 s at frequency 1 and 0.6 s at 0 [memory].
std::array<double, 3> Calls::full_speed(const json& a) const {
  std::array<double, 3> full{kFullForward, kFullSide, kFullTurn};
  constexpr double kQuick = 0.42, kSlow = 0.6;
  const auto slow_down = [&](double frequency) {
    const double f = std::clamp(frequency, 0.0, 1.0);
    for (double& x : full) x *= kQuick / (kSlow + f * (kQuick - kSlow));
  };
  if (a.size() < 4) return full;
  if (!a[3].is_array()) return slow_down(number(a[3])), full;
  for (const json& pair : a[3]) {
    const std::string name = text(argument(pair, 0));
    const double value = number(argument(pair, 1));
    if (name == "Frequency") slow_down(value);
    if (name == "MaxStepX") full[0] *= std::clamp(value / 0.04, 0.0, 1.0);
    if (name == "MaxStepY") full[1] *= std::clamp(value / 0.14, 0.0, 1.0);
    if (name == "MaxStepTheta") full[2] *= std::clamp(value / 0.349, 0.0, 1.0);
  }
  return full;
}

/// All joints arrive together, the slowest at its share of its largest speed.
int Calls::interpolate_with_speed(const json& a) {
  const std::vector<int> which = joints(argument(a, 0));
  const std::vector<double> x = spread(argument(a, 1), which.size());
  const double speed = share(a, 2);
  double longest = 0.02;
  for (std::size_t i = 0; i < which.size(); ++i)  // a smooth way is 1.5 times as fast in its middle
    longest =
        std::max(longest, 1.5 * std::fabs(x[i] - motion_.commanded(which[i])) / (speed * motion_.fastest(which[i])));
  return motion_.interpolate(which, curves(which, json(x), json(longest), true));
}

Outcome Calls::angle_call(const World& world, const std::string& m, const json& a, bool& known) {
  known = true;
  const auto names = [&] { return joints(argument(a, 0)); };
  if (m == "setAngles" || m == "changeAngles") {
    const std::vector<int> which = names();
    const std::vector<double> x = spread(argument(a, 1), which.size());
    const double speed = share(a, 2);
    for (std::size_t i = 0; i < which.size(); ++i)
      motion_.set_goal(which[i], x[i] + (m == "changeAngles" ? motion_.commanded(which[i]) : 0), speed);
    return {};
  }
  if (m == "angleInterpolation") {
    const std::vector<int> which = names();
    return {nullptr, motion_.interpolate(which, curves(which, argument(a, 1), argument(a, 2), number(a, 3, 1) != 0))};
  }
  if (m == "angleInterpolationBezier") {
    const std::vector<int> which = names();
    return {nullptr, motion_.interpolate(which, bezier(which, argument(a, 1), argument(a, 2)))};
  }
  if (m == "angleInterpolationWithSpeed") return {nullptr, interpolate_with_speed(a)};
  json out = json::array();
  if (m == "getAngles") {
    const nao::Readings& r = readings(world);
    const bool sensors = number(a, 1, 0) != 0;
    for (const int j : names()) {
      const auto i = static_cast<std::size_t>(j);
      out.push_back(sensors && body_.joint(i) >= 0 ? r.position[i] : motion_.commanded(j));
    }
    return {out};
  }
  if (m == "getJointNames" || m == "getBodyNames") {
    for (const int j : names()) out.push_back(std::string(nao::kJointNames[static_cast<std::size_t>(j)]));
    return {out};
  }
  if (m == "getLimits") {
    for (const int j : names()) out.push_back({motion_.lower(j), motion_.upper(j), motion_.fastest(j), 0.0});
    return {out};
  }
  known = false;
  return {};
}

Outcome Calls::stiffness_call(const std::string& m, const json& a, bool& known) {
  known = true;
  const auto names = [&] { return joints(argument(a, 0)); };
  const auto way = [&](int joint, std::vector<double> t, std::vector<double> x) {
    t.insert(t.begin(), 0), x.insert(x.begin(), motion_.stiffness(joint));
    return Curve(std::move(t), std::move(x));
  };
  std::vector<Curve> out;
  if (m == "stiffnessInterpolation") {
    const std::vector<int> which = names();
    for (std::size_t i = 0; i < which.size(); ++i) {
      const std::vector<double> x = list_of(argument(a, 1), i, which.size()),
                                t = list_of(argument(a, 2), i, which.size());
      if (x.size() != t.size() || !growing(t)) throw CallFault{"as many times as stiffnesses are due, from above 0"};
      out.push_back(way(which[i], t, x));
    }
    return {nullptr, motion_.interpolate_stiffness(which, std::move(out))};
  }
  if (m == "wakeUp" || m == "rest") {
    const std::vector<int> all = motion_.joints_of("Body");
    for (const int j : all) out.push_back(way(j, {0.5}, {m == "wakeUp" ? 1.0 : 0.0}));
    return {nullptr, motion_.interpolate_stiffness(all, std::move(out))};
  }
  if (m == "setStiffnesses") {
    const std::vector<int> which = names();
    const std::vector<double> x = spread(argument(a, 1), which.size());
    for (const double s : x)
      if (!(s >= 0 && s <= 1)) throw CallFault{"a stiffness lies within 0 and 1"};
    for (std::size_t i = 0; i < which.size(); ++i) motion_.set_stiffness(which[i], x[i]);
    return {};
  }
  if (m == "getStiffnesses") {
    json list = json::array();
    for (const int j : names()) list.push_back(motion_.stiffness(j));
    return {list};
  }
  known = false;
  return {};
}

Outcome Calls::task_call(const std::string& m, const json& a, bool& known) {
  known = true;
  const auto task = [&] { return whole(argument(a, 0)); };
  if (m == "killAll") return motion_.kill_all(), Outcome{};
  if (m == "killTask" || m == "stop") return motion_.kill(task()), Outcome{true};
  if (m == "killTasksUsingResources") return motion_.kill_joints(joints(argument(a, 0))), Outcome{};
  if (m == "isRunning") return {!motion_.is_over(task())};
  if (m == "wait") {
    const double ms = number(a, 1, 0);
    return {nullptr, task(), ms > 0 ? motion_.time() + ms / 1000 : 1e18};
  }
  known = false;
  return {};
}

/// Hands, which are not simulated but have their angle, and arms that swing with the walk.
Outcome Calls::hand_call(const std::string& m, const json& a, bool& known) {
  known = true;
  if (m == "openHand" || m == "closeHand") {
    const std::string hand = text(argument(a, 0));
    if (hand != "LHand" && hand != "RHand") throw CallFault{"hands are LHand and RHand"};
    const std::vector<int> which = joints(argument(a, 0));
    return {nullptr, motion_.interpolate(which, curves(which, json(m == "openHand" ? 1.0 : 0.0), json(1.0), true))};
  }
  if (m == "setWalkArmsEnable" || m == "setWalkArmsEnabled" || m == "setMoveArmsEnabled")
    return motion_.let_arms_swing(number(argument(a, 0)) != 0, number(argument(a, 1)) != 0), Outcome{};
  known = false;
  return {};
}

Outcome Calls::motion_call(const World& world, const std::string& m, const json& a) {
  bool known = false;
  if (Outcome o = walk_call(world, m, a, known); known) return o;
  if (Outcome o = angle_call(world, m, a, known); known) return o;
  if (Outcome o = stiffness_call(m, a, known); known) return o;
  if (Outcome o = cartesian_call(world, m, a, known); known) return o;
  if (Outcome o = hand_call(m, a, known); known) return o;
  if (Outcome o = task_call(m, a, known); known) return o;
  if (m == "getSummary") return {"gradus: " + name_};
  if (m == "setFallManagerEnabled" || m == "setFootContactProtectionEnabled") return set(m, number(argument(a, 0)) != 0);
  if (m == "getFallManagerEnabled") return {minds_falls_};
  if (m == "setMotionConfig") {
    for (const json& pair : argument(a, 0))
      if (text(argument(pair, 0)) == "ENABLE_FOOT_CONTACT_PROTECTION")
        set("setFootContactProtectionEnabled", number(argument(pair, 1)) != 0);
    return {};
  }
  // Settings of the maker's controllers that are not simulated [docs/links.md says why].
  for (const char* setting : {"setCollisionProtectionEnabled", "setExternalCollisionProtectionEnabled",
                              "setSmartStiffnessEnabled", "setBreathEnabled", "setIdlePostureEnabled"})
    if (m == setting) return {};
  if (m == "getFootGaitConfig" || m == "getMoveConfig")
    return {json::array({json{"MaxStepX", 0.04}, json{"MaxStepTheta", 0.307}, json{"MaxStepFrequency", 1.0}})};
  throw CallFault{"ALMotion has no '" + m + "' here"};
}

Outcome Calls::set(const std::string& setting, bool on) {
  (setting == "setFallManagerEnabled" ? minds_falls_ : minds_feet_) = on;
  return {};
}

/// The robot's own care, unless a program has switched it off: one that has fallen goes limp, and a walk ends when both
/// feet have been in the air for half a second.
void Calls::mind_feet(const World& world) {
  constexpr double kLifted = 0.5;
  const bool fell = world.fallen(robot_) && !std::exchange(has_fallen_, world.fallen(robot_));
  if (fell && minds_falls_) {
    motion_.kill_all();
    for (const int j : motion_.joints_of("Body")) motion_.set_stiffness(j, 0);
    tell("link", "has fallen: its stiffness is 0 (setFallManagerEnabled)");
  }
  if (motion_.time() == std::exchange(minded_, motion_.time())) return;
  if (event_value(world, "footContact", readings(world)) == true) stood_ = true, lifted_since_ = -1;
  else if (!motion_.is_walking() || !stood_) lifted_since_ = -1;
  else if (lifted_since_ < 0) lifted_since_ = motion_.time();
  if (lifted_since_ < 0 || motion_.time() < lifted_since_ + kLifted || !minds_feet_) return;
  motion_.stop_walk();
  lifted_since_ = -1;
}

/// Keys whose changes are events; null: it is none of them.
json Calls::event_value(const World& world, const std::string& key, const nao::Readings& r) const {
  if (key == "LeftBumperPressed" || key == "RightBumperPressed") {
    const std::size_t first = key[0] == 'L' ? 4 : 9;
    return r.touch[first] + r.touch[first + 1] > 0 ? 1.0 : 0.0;
  }
  if (key == "ChestButtonPressed") return 0.0;
  if (key == "robotHasFallen") return world.fallen(robot_);
  if (key == "footContact") {
    double load = 0;
    for (const double pad : r.fsr) load += pad;
    return load > 2;
  }
  if (key == "FrontTactilTouched") return r.touch[1];
  if (key == "MiddleTactilTouched") return r.touch[2];
  if (key == "RearTactilTouched") return r.touch[3];
  if (key == "robotIsWalking" || key == "robotIsMoving") return motion_.is_walking();
  return nullptr;
}

json Calls::memory_value(const World& world, const std::string& key) {
  if (const auto it = memory_.find(key); it != memory_.end()) return it->second;
  constexpr std::string_view kRoot = "Device/SubDeviceList/";
  const nao::Readings& r = readings(world);
  if (json own = event_value(world, key, r); !own.is_null()) return own;
  if (!key.starts_with(kRoot)) throw CallFault{"ALMemory has no '" + key + "'"};
  std::vector<std::string> parts;
  for (std::size_t at = kRoot.size(); at <= key.size();) {
    const std::size_t slash = std::min(key.find('/', at), key.size());
    parts.push_back(key.substr(at, slash - at));
    at = slash + 1;
  }
  const auto tail = [&](std::size_t from) {
    std::string out;
    for (std::size_t i = from; i < parts.size(); ++i) out += (out.empty() ? "" : "/") + parts[i];
    return out;
  };
  if (const int j = nao::joint_number(parts[0]); j >= 0) {
    const auto i = static_cast<std::size_t>(j);
    const std::string what = tail(1);
    if (what == "Position/Sensor/Value") return body_.joint(i) >= 0 ? r.position[i] : motion_.commanded(j);
    if (what == "Position/Actuator/Value") return motion_.commanded(j);
    if (what == "Hardness/Actuator/Value") return motion_.stiffness(j);
    if (what == "ElectricCurrent/Sensor/Value") return r.current[i];
    if (what == "Temperature/Sensor/Value") return r.temperature[i];
  }
  const std::string whole = tail(0);
  const std::map<std::string, double> values{
      {"InertialSensor/AccX/Sensor/Value", r.accelerometer[0]},
      {"InertialSensor/AccY/Sensor/Value", r.accelerometer[1]},
      {"InertialSensor/AccZ/Sensor/Value", r.accelerometer[2]},
      {"InertialSensor/GyrX/Sensor/Value", r.gyroscope[0]},
      {"InertialSensor/GyrY/Sensor/Value", r.gyroscope[1]},
      {"InertialSensor/GyrZ/Sensor/Value", r.gyroscope[2]},
      {"InertialSensor/AngleX/Sensor/Value", r.roll},
      {"InertialSensor/AngleY/Sensor/Value", r.pitch},
      {"US/Left/Sensor/Value", r.sonar[0]},
      {"US/Right/Sensor/Value", r.sonar[1]},
      {"LFoot/Bumper/Left/Sensor/Value", r.touch[4]},
      {"LFoot/Bumper/Right/Sensor/Value", r.touch[5]},
      {"RFoot/Bumper/Left/Sensor/Value", r.touch[9]},
      {"RFoot/Bumper/Right/Sensor/Value", r.touch[10]},
      {"Battery/Charge/Sensor/Value", r.charge},
      {"Battery/Current/Sensor/Value", -r.battery_current},
  };
  if (const auto it = values.find(whole); it != values.end()) return it->second;
  constexpr const char* kPads[] = {"FrontLeft", "FrontRight", "RearLeft", "RearRight"};
  for (std::size_t i = 0; i < 8; ++i)
    if (whole == fmt::format("{}Foot/FSR/{}/Sensor/Value", i < 4 ? 'L' : 'R', kPads[i % 4])) return r.fsr[i] / 9.81;
  throw CallFault{"ALMemory has no '" + key + "'"};
}

void Calls::remember(const std::string& key, const json& value) {
  constexpr std::size_t kMostKeys = 1000, kLongest = 1 << 16;
  if (memory_.size() >= kMostKeys && !memory_.contains(key)) throw CallFault{"ALMemory is full"};
  if (value.dump().size() > kLongest) throw CallFault{"this is too much for one key"};
  memory_[key] = value;
}

Outcome Calls::memory_call(const World& world, const std::string& m, const json& a, int client) {
  if (m == "getData") return {memory_value(world, text(argument(a, 0)))};
  if (m == "getListData") {
    json out = json::array();
    for (const json& key : argument(a, 0)) out.push_back(memory_value(world, text(key)));
    return {out};
  }
  if (m == "insertData") return remember(text(argument(a, 0)), argument(a, 1)), Outcome{};
  if (m == "raiseEvent" || m == "raiseMicroEvent") {
    remember(text(argument(a, 0)), argument(a, 1));
    return subscriptions_.raise(text(a[0]), a[1]), Outcome{};
  }
  if (m == "subscribeToEvent" || m == "subscribeToMicroEvent") {  // the micro form has a message before the method
    const std::string event = text(argument(a, 0));
    return subscriptions_.add(client, event, text(argument(a, 1)), text(argument(a, a.size() - 1))), Outcome{};
  }
  if (m == "unsubscribeToEvent" || m == "unsubscribeToMicroEvent")
    return subscriptions_.remove(text(argument(a, 0)), text(argument(a, 1))), Outcome{};
  if (m == "declareEvent") return {};
  if (m == "insertListData") {
    for (const json& pair : argument(a, 0)) remember(text(argument(pair, 0)), argument(pair, 1));
    return {};
  }
  if (m == "removeData") return memory_.erase(text(argument(a, 0))), Outcome{};
  throw CallFault{"ALMemory has no '" + m + "' here"};
}

/// A word is over when it would be on the robot: about fifteen characters a second [memory].
Outcome Calls::speech_call(const std::string& m, const json& a) {
  if (m != "say" && m != "sayToFile") return {};
  const std::string words = text(argument(a, 0));
  tell("say", "says: " + words);
  subscriptions_.raise("ALTextToSpeech/CurrentSentence", words);
  const double seconds = std::min(60.0, 0.3 + static_cast<double>(words.size()) / 15);
  speech_end_ = motion_.time() + seconds;
  return {nullptr, motion_.wait_for(seconds)};
}

void Calls::look(const World& world) {
  for (const std::string& event : subscriptions_.events()) {
    if (event.starts_with("ALTextToSpeech/")) continue;
    try {
      if (!memory_.contains(event)) subscriptions_.look(event, memory_value(world, event));
    } catch (const CallFault&) {  // a name of the programs' own: raised by them
    }
  }
  if (speech_end_ >= 0 && motion_.time() >= speech_end_) {
    speech_end_ = -1;
    subscriptions_.raise("ALTextToSpeech/TextDone", 1);
  }
  mind_feet(world);
  leds_.update(motion_.time());
  leds_.lights().tell(name_, world.time(), notices_);
}

Outcome Calls::other_call(const World& world, const std::string& module, const std::string& m, const json& a) {
  if (module == "ALTextToSpeech") return speech_call(m, a);
  if (module == "ALVideoDevice") return {video_.call(world.output(robot_, room_), m, a)};
  if (module == "ALLeds") {
    const double seconds = leds_.call(m, a, motion_.time());
    return seconds > 0 ? Outcome{nullptr, motion_.wait_for(seconds)} : Outcome{};
  }
  if (module == "ALRobotPosture" && m == "goToPosture") {
    const std::string name = text(argument(a, 0));
    if (name == "StandInit" || name == "Stand") return {true, motion_.init_walk()};
    if (name != "StandZero") throw CallFault{"posture '" + name + "' is not known; known: Stand, StandInit, StandZero"};
    const std::vector<int> all = motion_.joints_of("Body");
    return {true, motion_.interpolate(all, curves(all, json(0.0), json(2.0), true))};
  }
  if (module == "ALRobotPose" && m == "getActualPoseAndTime")
    return {json{world.fallen(robot_) ? "Belly" : "Stand", motion_.time()}};
  if (module == "ALSystem" && m == "robotName") return {name_};
  if (module == "ALSensors" || module == "ALSentinel" || module == "ALSystem" || module == "ALRobotPosture") return {};
  throw CallFault{module + " has no '" + m + "' here"};
}

Outcome Calls::call(const World& world, const std::string& module, const std::string& method, const json& arguments,
                    int client) {
  if (!arguments.is_array()) throw CallFault{"arguments are a list"};
  if (module == "gradus" && method == "sleep") {
    const double seconds = number(argument(arguments, 0));
    return seconds > 0 ? Outcome{nullptr, motion_.wait_for(std::min(seconds, kMost))} : Outcome{};
  }
  if (module == "gradus" && method == "time") return {world.time()};
  if (module == "ALMotion") return motion_call(world, method, arguments);
  if (module == "ALMemory") return memory_call(world, method, arguments, client);
  if (std::find(modules().begin(), modules().end(), module) == modules().end())
    throw CallFault{"there is no module '" + module + "'"};
  return other_call(world, module, method, arguments);
}

}  // namespace gradus::naoqi
