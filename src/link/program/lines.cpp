#include "link/program/lines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number_text.h"

namespace gradus {
namespace {

using nlohmann::json;

/// The lists that an answer may hold, in the order of the bits of a frame's mask.
struct AnswerList {
  const char* name;
  std::vector<double> Orders::*list;
  const char* missing;  // what to say where a robot has none
};
constexpr AnswerList kAnswer[] = {
    {"target", &Orders::target, ""},
    {"stiffness", &Orders::stiffness, "no joint of this robot has an actuator chain"},
    {"velocity", &Orders::velocity, "the scene does not say commands = \"impedance\" of this robot"},
    {"torque", &Orders::torque, "the scene does not say commands = \"impedance\" of this robot"},
    {"kp", &Orders::kp, "the scene does not say commands = \"impedance\" of this robot"},
    {"kd", &Orders::kd, "the scene does not say commands = \"impedance\" of this robot"},
};

/// Everything of a state but its sensors, by name; f(name, numbers).
template <class F>
void each_part(const RobotOutput& o, F&& f) {
  const double k = static_cast<double>(o.k);
  f("k", std::span(&k, 1));
  f("time", std::span(&o.time, 1));
  f("q", o.q);
  f("v", o.v);
  f("tau", o.tau);
  f("q_motor", o.q_motor);
  f("current", o.current);
  f("voltage", o.voltage);
  const auto vector = [&](const char* name, const Vec3& x) {
    const double numbers[] = {x.x, x.y, x.z};
    f(name, std::span<const double>(numbers));
  };
  vector("position", o.p_WB);
  const double orientation[] = {o.q_WB.w, o.q_WB.x, o.q_WB.y, o.q_WB.z};
  f("orientation", std::span<const double>(orientation));
  vector("velocity", o.v_WB);
  vector("gyro", o.gyro);
  vector("accelerometer", o.accelerometer);
  f("foot_force", o.foot_force);
}

json about(const std::string& robot, const RobotKind& kind, double period) {
  json j{{"robot", robot}, {"kind", kind.name}, {"period", period}, {"feet", kind.feet.size()}};
  for (const char* list : {"joints", "lower", "upper", "motors"}) j[list] = json::array();
  for (const Joint& joint : kind.joints) {
    j["joints"].push_back(kind.objects[static_cast<std::size_t>(joint.object)].name);
    j["lower"].push_back(joint.lower);  // null: none
    j["upper"].push_back(joint.upper);
    j["motors"].push_back(joint.drive >= 0);
  }
  return j;
}

void append_list(std::string& out, std::span<const double> numbers) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    append_json_number(out, numbers[i]);
  }
  out += ']';
}

void append_text(std::string& out, std::string_view text) { out += json(std::string(text)).dump(); }

void append_sensor(std::string& out, const SensorReading& s, ImageShare* images) {
  append_text(out, s.name);
  out += ":{\"kind\":";
  append_text(out, s.kind);
  out += ",\"channels\":[";
  for (std::size_t i = 0; i < s.channels.size(); ++i) {
    if (i > 0) out += ',';
    append_text(out, s.channels[i]);
  }
  out += "],\"time\":";
  append_json_number(out, s.time);
  out += ",\"sample\":";
  append_integer(out, s.sample);
  out += ",\"values\":";
  append_list(out, s.values);
  out += ",\"truth\":";
  append_list(out, s.truth);
  if (images) images->append(s, out);
  out += '}';
}

void append_doubles(Bytes& out, std::span<const double> numbers) {
  if constexpr (std::endian::native == std::endian::little)
    append_bytes(out, std::as_bytes(numbers));
  else
    for (const double x : numbers) append_le(out, std::bit_cast<std::uint64_t>(x));
}

/// One number for each joint, or some by name. "" or what is wrong.
std::string take_numbers(const json& j, const std::string& name, const std::vector<std::string>& joints,
                         std::vector<double>& values) {
  if (j.is_array()) {
    if (j.size() != joints.size())
      return name + " has " + std::to_string(j.size()) + " numbers, the robot " + std::to_string(joints.size()) +
             " joints";
    for (std::size_t i = 0; i < j.size(); ++i) {
      if (!j[i].is_number()) return name + " holds something that is not a number";
      values[i] = j[i].get<double>();
    }
  } else if (j.is_object()) {
    for (const auto& [joint, value] : j.items()) {
      const auto it = std::find(joints.begin(), joints.end(), joint);
      const std::string near = it == joints.end() ? nearest(joint, joints) : "";
      if (it == joints.end())
        return "there is no joint '" + joint + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?");
      if (!value.is_number()) return name + " of '" + joint + "' is not a number";
      values[static_cast<std::size_t>(it - joints.begin())] = value.get<double>();
    }
  } else {
    return name + " is neither a list of numbers nor an object by joint";
  }
  for (const double x : values)
    if (!std::isfinite(x)) return name + " is not finite";
  return "";
}

std::string shortened(std::string_view text) {
  return text.size() > 60 ? std::string(text.substr(0, 60)) + "…" : std::string(text);
}

std::string take_key(const std::string& key, const json& value, const std::vector<std::string>& joints, Orders& orders,
                     std::string& end) {
  if (key == "end") {
    end = value.is_string() ? value.get<std::string>() : value.dump();
    return "";
  }
  if (key == "images") {
    if (!value.is_array() || value.size() > 64 || std::any_of(value.begin(), value.end(), [](const json& x) { return !x.is_string(); }))
      return "answered images that are no list of names of cameras";
    orders.images = value.get<std::vector<std::string>>();
    return "";
  }
  if (key == "saves") {
    if (!value.is_boolean()) return "answered saves that is neither true nor false";
    orders.saves = value.get<bool>();
    return "";
  }
  for (const AnswerList& a : kAnswer) {
    if (key != a.name) continue;
    std::vector<double>& list = orders.*a.list;
    if (list.empty() && !joints.empty()) return "asked for a " + key + ", and " + a.missing;
    return take_numbers(value, key, joints, list);
  }
  return "answered with '" + shortened(key) + "'; known: target, stiffness, velocity, torque, kp, kd, images, saves, end";
}

}  // namespace

std::vector<std::string> joint_names(const RobotKind& kind) {
  std::vector<std::string> names;
  for (const Joint& joint : kind.joints) names.push_back(kind.objects[static_cast<std::size_t>(joint.object)].name);
  return names;
}

std::string robot_line(const std::string& robot, const RobotKind& kind, double period) {
  return about(robot, kind, period).dump() + "\n";
}

std::string schema_line(const std::string& robot, const RobotKind& kind, double period, const RobotOutput& state,
                        const Orders& orders) {
  json j = about(robot, kind, period);
  j["form"] = "binary";
  json parts = json::array();
  each_part(state, [&](const char* name, std::span<const double> x) { parts.push_back({name, x.size()}); });
  for (const SensorReading& s : state.sensors) {
    j["sensors"][std::string(s.name)] = {{"kind", s.kind},
                                         {"channels", std::vector<std::string>(s.channels.begin(), s.channels.end())}};
    parts.push_back({"sensors." + std::string(s.name), 2 + s.values.size()});  // time, sample, values
  }
  j["state"] = parts;
  j["answer"] = json::array();
  for (const AnswerList& a : kAnswer) j["answer"].push_back({a.name, (orders.*a.list).size()});
  return j.dump() + "\n";
}

void append_state_line(const RobotOutput& o, std::string& out, ImageShare* images) {
  char next = '{';
  each_part(o, [&](const char* name, std::span<const double> x) {
    out += next, next = ',';
    out += '"', out += name, out += "\":";
    if (x.data() == &o.time || std::string_view(name) == "k")
      append_json_number(out, x[0]);
    else
      append_list(out, x);
  });
  next = '{';
  if (!o.sensors.empty()) out += ",\"sensors\":";
  for (const SensorReading& s : o.sensors) out += next, next = ',', append_sensor(out, s, images);
  if (!o.sensors.empty()) out += '}';
  out += "}\n";
}

void append_state_frame(const RobotOutput& o, Bytes& out, ImageFrames* images) {
  const std::size_t start = out.size();
  append_le(out, std::uint32_t{0});
  each_part(o, [&](const char*, std::span<const double> x) { append_doubles(out, x); });
  for (const SensorReading& s : o.sensors) {
    const double head[] = {s.time, static_cast<double>(s.sample)};
    append_doubles(out, head);
    append_doubles(out, s.values);
  }
  if (images) images->append(o.sensors, out);
  put_le(out, start, static_cast<std::uint32_t>(out.size() - start - sizeof(std::uint32_t)));
}

std::string take_line(std::string_view line, const std::vector<std::string>& joints, Orders& orders, std::string& end) {
  const json j = json::parse(line, nullptr, false);
  if (!j.is_object()) return "answered '" + shortened(line) + "' instead of a JSON object";
  Orders wanted = orders;
  std::string wish;
  for (const auto& [key, value] : j.items())
    if (const std::string fault = take_key(key, value, joints, wanted, wish); !fault.empty()) return fault;
  if (const std::string fault = wanted.fault(); !fault.empty()) return fault;
  orders = std::move(wanted);
  end = std::move(wish);
  return "";
}

std::string restore_line(std::string_view state) { return "{\"restore\":" + std::string(state) + "}\n"; }

std::string take_state(std::string_view line, std::string& state) {
  const json j = json::parse(line, nullptr, false);
  if (!j.is_object() || !j.contains("state")) return "answered '" + shortened(line) + "' to {\"save\": true} instead of {\"state\": …}";
  state = j["state"].dump();
  return "";
}

std::size_t longest_answer(const Orders& orders) {
  std::size_t bytes = sizeof(std::uint32_t);
  for (const AnswerList& a : kAnswer) bytes += (orders.*a.list).size() * sizeof(double);
  return bytes;
}

std::string take_frame(ByteView payload, Orders& orders) {
  ByteReader r(payload);
  const auto mask = r.le<std::uint32_t>();
  if (mask >> std::size(kAnswer)) return "answered with a mask of unknown bits";
  Orders wanted = orders;
  for (std::size_t bit = 0; bit < std::size(kAnswer); ++bit) {
    if (!(mask >> bit & 1)) continue;
    std::vector<double>& list = wanted.*kAnswer[bit].list;
    if (list.empty()) return std::string("asked for a ") + kAnswer[bit].name + ", and " + kAnswer[bit].missing;
    for (double& x : list) x = std::bit_cast<double>(r.le<std::uint64_t>());
  }
  if (!r.ok() || !r.at_end()) return "answered a frame whose length does not fit its mask";
  if (const std::string fault = wanted.fault(); !fault.empty()) return fault;
  orders = std::move(wanted);
  return "";
}

}  // namespace gradus
