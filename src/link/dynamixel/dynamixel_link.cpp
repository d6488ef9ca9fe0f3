#include "link/dynamixel/dynamixel_link.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "link/items.h"
#include "link/program/lines.h"

namespace gradus::dynamixel {
namespace {

struct Options {
  const Model* model = find_model("xm430");
  std::map<std::string, const Model*> of_joint;
  std::map<std::string, std::uint8_t> ids;
  std::map<std::string, std::pair<Alarm, double>> failures;  // and when  [s]
  const Model* board = nullptr;
  double baud = 1e6;
  bool lockstep = false;
  double patience = 1, wait = 60;
};

/// "1M", "57600", "1 MBd".
std::string read_baud(std::string text, double& out) {
  if (text.ends_with("Bd")) text.resize(text.size() - 2);
  char* end = nullptr;
  out = std::strtod(text.c_str(), &end);
  std::string unit(end);
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  if (unit == "M") out *= 1e6;
  if (unit == "k") out *= 1e3;
  return (unit.empty() || unit == "M" || unit == "k") && out >= 1200 && out <= 1e7
             ? ""
             : "a baud rate as in 1M or 57600 is due";
}

std::string read_model(const std::string& text, const Model*& out) {
  if (const Model* found = find_model(text)) return out = found, "";
  std::string known;
  for (const Model& m : all_models()) known += (known.empty() ? "" : ", ") + std::string(m.name);
  return "known: " + known;
}

std::string read_id(const std::string& text, std::uint8_t& out) {
  char* end = nullptr;
  const long id = std::strtol(text.c_str(), &end, 10);
  out = static_cast<std::uint8_t>(id);
  return !text.empty() && *end == '\0' && id >= 0 && id <= 252 ? "" : "an id is a number from 0 to 252";
}

/// "encoder@2s", "shock@0.5s"
std::string read_failure(const std::string& text, std::pair<Alarm, double>& out) {
  const std::size_t at = text.find('@');
  const std::string what = text.substr(0, at);
  if ((what != "encoder" && what != "shock") || at == std::string::npos)
    return "encoder@TIME or shock@TIME is due, as in encoder@2s";
  out.first = what == "encoder" ? kEncoderAlarm : kShockAlarm;
  return read_time(text.substr(at + 1), out.second);
}

std::string read_board(const std::string& text, const Model*& out) {
  out = find_board(text);
  return out ? "" : "known: cm730";
}

Diagnostics read_options(const ControllerSpec& c, Options& out) {
  return each_item("dynamixel", c.options, c.place,
                   [&](const std::string& key, const std::string& value) -> std::string {
                     if (key == "lockstep" && value.empty()) return out.lockstep = true, "";
                     if (key == "patience") return read_time(value, out.patience);
                     if (key == "wait") return read_time(value, out.wait);
                     if (key == "baud") return read_baud(value, out.baud);
                     if (key == "model") return read_model(value, out.model);
                     if (key.starts_with("model.")) return read_model(value, out.of_joint[key.substr(6)]);
                     if (key.starts_with("id.")) return read_id(value, out.ids[key.substr(3)]);
                     if (key.starts_with("fail.")) return read_failure(value, out.failures[key.substr(5)]);
                     if (key == "board") return read_board(value, out.board);
                     return "known: model=, model.JOINT=, id.JOINT=, fail.JOINT=, board=, baud=, lockstep, patience=, wait=";
                   });
}

Diagnostics error(const Place& place, const std::string& text, const std::string& suggestion = "") {
  return {{place, Severity::error, text, suggestion}};
}

}  // namespace

/// Hands what the servos want to the joints, at every step.
class DynamixelLink::Driver : public Controller {
 public:
  explicit Driver(Line& line, double h) : line_(line), h_(h) {}
  void control(const RobotOutput& see, RobotCommand& c) override {
    const bool powered = line_.bus.is_powered();
    for (std::size_t j = 0; j < line_.joints.size(); ++j) {
      const Servo& s = line_.bus.servos()[j];
      JointDrive& drive = line_.joints[j];
      if (drive.chain)
        drive_chain(s, drive, powered, j, see, c);
      else
        drive_plain(s, drive, powered, j, see, c);
    }
  }

 private:
  /// Position and speed are targets of the chain. Current and PWM are commands beyond reach, so that its output is at
  /// its limit, of which the stiffness then takes the share that is wanted: U = S · limit.
  void drive_chain(const Servo& s, JointDrive& drive, bool powered, std::size_t j, const RobotOutput& see,
                   RobotCommand& c) const {
    const bool on = powered && s.is_on();
    const std::int32_t mode = s.mode();
    const bool wheel = on && mode == kVelocityMode, by_output = on && (mode == kPwmMode || mode == kCurrentMode);
    drive.wheel = wheel ? drive.wheel + s.wanted_velocity() * h_ : see.q[j];
    // Speed at the end of the step, as the last acceleration has it.
    const double speed = 2 * see.v[j] - std::exchange(drive.speed, see.v[j]);
    if (by_output) {
      const double volts =
          std::clamp(mode == kPwmMode ? s.wanted_pwm() * drive.strongest
                                      : s.wanted_current() * drive.volts_per_ampere + drive.constant * speed,
                     -drive.limit, drive.limit);
      c.stiffness[j] = std::fabs(volts) / drive.limit;
      c.target[j] = see.q[j] + std::copysign(kBeyondReach, volts);
      drive.far_until = see.time + drive.delay + h_;
      return;
    }
    c.target[j] = wheel ? drive.wheel : s.target();
    const double most = s.most_current() * drive.volts_per_ampere;
    const double used = std::exchange(c.stiffness[j], on && see.time >= drive.far_until ? 1 : 0);
    if (c.stiffness[j] > 0 && std::isfinite(most))
      limit_current(s, drive, most, drive.constant * speed, used, h_, j, see, c);
  }
  /// |U − K ω| ≤ R i_max: where the controller's output P is beyond that, only a share of it is used, or, where the motor
  /// must be driven on so as not to be braked too hard, the command is beyond reach.
  /// most: R i_max; back: K ω; used: stiffness of the last step.
  static void limit_current(const Servo& s, const JointDrive& drive, double most, double back, double used, double h,
                            std::size_t j, const RobotOutput& see, RobotCommand& c) {
    // By this step's error, or, where commands are late, as in the last step.
    const double now = s.gain() * drive.kp * (c.target[j] - see.q[j] - h * see.v[j]) - drive.kd * see.v[j],
                 P = std::clamp(drive.delay > 0 && used > kLittle ? see.voltage[j] / used : now, -drive.limit, drive.limit),
                 U = std::clamp(std::clamp(P, back - most, back + most), -drive.limit, drive.limit);
    if (U == P) return;
    if (U * P > 0 && std::fabs(U) < std::fabs(P)) {
      c.stiffness[j] = U / P;
    } else {
      c.stiffness[j] = std::fabs(U) / drive.limit;
      c.target[j] = see.q[j] + std::copysign(kBeyondReach, U);
    }
  }
  void drive_plain(const Servo& s, const JointDrive& drive, bool powered, std::size_t j, const RobotOutput& see,
                   RobotCommand& c) const {
    const std::int32_t mode = s.mode();
    const bool on = powered && s.is_on();
    const bool position = on && mode != kVelocityMode && mode != kCurrentMode && mode != kPwmMode;
    const bool wheel = on && mode == kVelocityMode;
    const double damping = s.damping() * drive.kp;  // of the D gain, which acts on the error's rate
    c.target[j] = s.target();
    c.kp[j] = position ? s.gain() * drive.kp : 0;
    c.kd[j] = position ? drive.kd + damping : wheel ? drive.kd * s.velocity_gain() : 0;
    c.velocity[j] = wheel ? s.wanted_velocity() : 0;
    c.torque[j] = position                     ? damping * s.target_speed()
                  : on && mode == kCurrentMode ? s.wanted_current() * drive.torque_per_ampere
                  : on && mode == kPwmMode     ? s.wanted_pwm() * drive.strongest
                                               : 0;
    // Where the current limit rules, the torque is told instead. The servo's own bound is before its damping [servo.h].
    const double most = s.most_current() * drive.torque_per_ampere,
                 bound = drive.unlimited ? std::numeric_limits<double>::infinity() : drive.limit;
    const double wish = c.kp[j] * (c.target[j] - see.q[j] - h_ * see.v[j]) + c.kd[j] * c.velocity[j] + c.torque[j];
    const double wanted = std::clamp(wish, -bound, bound) - c.kd[j] * see.v[j];
    if (on && std::fabs(wanted) > most) c.kp[j] = c.kd[j] = 0, c.torque[j] = std::copysign(most, wanted);
  }
  static constexpr double kBeyondReach = 1000;  // [rad]
  static constexpr double kLittle = 1e-3;       // stiffness at which the voltage tells little of what was wanted
  Line& line_;
  double h_;
};

DynamixelLink::~DynamixelLink() {
  for (const auto& line : lines_)
    if (!line->link.empty()) unlink(line->link.c_str());
}

DynamixelLink::JointDrive DynamixelLink::drive_of(World& world, int r, std::size_t j, const std::string& name,
                                                  const Model& servo) {
  const RobotModel& model = world.model().robots[static_cast<std::size_t>(r)];
  const Joint& joint = model.kind->joints[j];
  const RobotCommand command = world.command(r);
  JointDrive d;
  d.chain = joint.drive >= 0 && !command.stiffness.empty();
  d.torque_per_ampere = servo.stall / servo.stall_current;
  const auto parameter = [&](const char* what) {
    const auto p = find_property(world, model.name + "." + name + "." + what);
    return p ? p->get(world) : 0;
  };
  if (d.chain) {
    const DriveSpec& spec = model.kind->drives[static_cast<std::size_t>(joint.drive)].spec;
    d.kp = parameter("controller.kp"), d.kd = parameter("controller.kd"), d.strongest = parameter("controller.limit");
    d.delay = spec.delay;
    // A file's amperes need not be the maker's: what both know is the torque at the joint.
    if (spec.electrical()) {
      d.torque_of_ampere = spec.gear.ratio * spec.motor.torque_constant;
      d.constant = spec.gear.ratio * spec.motor.back_emf;
      d.volts_per_ampere = spec.motor.resistance / d.torque_of_ampere * d.torque_per_ampere;
    } else {
      d.volts_per_ampere = d.torque_per_ampere;  // the output is the torque itself
    }
  } else {
    d.kp = command.kp.empty() ? 0 : command.kp[j];
    d.kd = command.kd.empty() ? 0 : command.kd[j];
    d.strongest = joint.servo.torque, d.fastest = joint.servo.speed;
  }
  // A joint without a limit has that of the servo that it plays once limits are set.
  d.unlimited = !std::isfinite(d.strongest) || d.strongest <= 0;
  if (d.unlimited) d.strongest = d.chain ? servo.stall_current * d.volts_per_ampere : servo.stall;
  d.limit = d.strongest;
  return d;
}

/// Torque, or volts of a chain, that the limits in the table leave.
double DynamixelLink::limit_of(const JointDrive& d, const Servo& s) {
  return std::max(d.strongest * s.most_output(), 1e-6);
}

Diagnostics DynamixelLink::add_line(World& world, int r, DynamixelLink& out) {
  const RobotModel& model = world.model().robots[static_cast<std::size_t>(r)];
  const ControllerSpec& c = model.controller;
  Options options;
  Diagnostics faults = read_options(c, options);
  if (has_errors(faults)) return faults;
  out.lockstep_ = options.lockstep, out.patience_ = options.patience, out.wait_ = options.wait;
  const std::vector<std::string> joints = joint_names(*model.kind);
  const Protocol protocol = options.model->protocol;
  const std::int32_t baud = value_of_baud(protocol, options.baud);
  if (baud < 0)
    return error(c.place, fmt::format("dynamixel: {} has no baud rate {:g}", options.model->about, options.baud));
  if (joints.size() > 199) return error(c.place, "dynamixel: a bus has room for 199 servos");
  auto line = std::make_unique<Line>();
  line->robot = r, line->name = model.name, line->since = wall_time();
  line->bus = Bus(protocol, baud_of(protocol, baud));
  const auto demand_joint = [&](const std::string& joint) {
    if (std::find(joints.begin(), joints.end(), joint) == joints.end())
      append(faults, error(c.place, "dynamixel: there is no joint '" + joint + "'", did_you_mean(joint, joints)));
  };
  for (const auto& [joint, m] : options.of_joint) demand_joint(joint);
  for (const auto& [joint, id] : options.ids) demand_joint(joint);
  for (const auto& [joint, failure] : options.failures) demand_joint(joint);
  const auto add_servo = [&](const Model& m, std::uint8_t id, const std::string& what) {
    if (m.protocol != protocol)
      append(faults, error(c.place, "dynamixel: one bus, one protocol; " + what + " speaks another"));
    for (const Servo& other : line->bus.servos())
      if (other.id() == id) append(faults, error(c.place, fmt::format("dynamixel: id {} is there twice", id)));
    line->bus.servos().emplace_back(m, id, baud);
  };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto it = options.of_joint.find(joints[j]);
    const auto id = options.ids.find(joints[j]);
    const Model& servo = it == options.of_joint.end() ? *options.model : *it->second;
    line->joints.push_back(drive_of(world, r, j, joints[j], servo));
    add_servo(servo, id == options.ids.end() ? static_cast<std::uint8_t>(j + 1) : id->second, joints[j]);
    if (const auto f = options.failures.find(joints[j]); f != options.failures.end())
      line->bus.servos().back().fail(f->second.first, f->second.second);
  }
  if (options.board != nullptr) {
    line->board = static_cast<int>(joints.size());
    add_servo(*options.board, kBoardId, std::string(options.board->about));
  }
  if (std::string fault = open_terminal(line->bus.speed(), line->terminal); !fault.empty())
    append(faults, error(c.place, "cannot open a pseudo-terminal: " + fault));
  if (faults.empty() && c.file != "auto") {
    if (std::string fault = link_terminal(line->terminal.name, c.file); !fault.empty())
      append(faults, error(c.place, fault));
    else
      line->link = c.file;
  }
  if (has_errors(faults)) return faults;
  world.add_controller(r, std::make_unique<Driver>(*line, world.model().step), world.model().step, 0);
  out.see(world, *line, 0);
  out.lines_.push_back(std::move(line));
  return faults;
}

Result<std::unique_ptr<DynamixelLink>> DynamixelLink::open(World& world) {
  std::unique_ptr<DynamixelLink> link(new DynamixelLink);
  Diagnostics notes;
  for (int r = 0; r < world.robot_count(); ++r)
    if (world.model().robots[static_cast<std::size_t>(r)].controller.kind == "dynamixel")
      append(notes, add_line(world, r, *link));
  if (has_errors(notes)) return notes;
  return {std::move(link), std::move(notes)};
}

/// What each servo's sensors show of State[k].
void DynamixelLink::see(const World& world, Line& line, double h) {
  const RobotOutput o = world.output(line.robot, line.room);
  std::vector<Servo>& servos = line.bus.servos();
  const SensorReading *temperature = nullptr, *battery = nullptr;
  for (const SensorReading& s : o.sensors) {
    if (s.kind == "temperature") temperature = &s;
    if (s.kind == "battery") battery = &s;
  }
  const double supply = battery && !battery->values.empty() ? battery->values[0] : 0;
  for (std::size_t j = 0; j < line.joints.size(); ++j) {
    const JointDrive& drive = line.joints[j];
    // Amperes are the maker's: what both know is the torque at the joint.
    const bool motor = drive.torque_of_ampere > 0;
    const double share = (motor ? o.voltage[j] : o.tau[j]) / drive.strongest,
                 torque = motor ? o.current[j] * drive.torque_of_ampere : o.tau[j];
    JointSight sight{o.q[j], o.v[j], o.tau[j]};
    sight.current = torque / drive.torque_per_ampere;
    sight.voltage = share * (supply > 0 ? supply : servos[j].model().supply);
    if (temperature && temperature->values.size() == line.joints.size()) sight.temperature = temperature->values[j];
    sight.supply = supply;
    if (!drive.unlimited) sight.effort = std::min(1.0, std::fabs(share));
    servos[j].see(sight, world.time(), h);
  }
  if (line.board >= 0) see_board(o, line, supply);
  light(line, *o.kind);
  line.lights.tell(line.name, o.time, notices_);
}

/// Its own gyroscope and accelerometer, where the robot has some, else those of the base.
void DynamixelLink::see_board(const RobotOutput& o, Line& line, double supply) {
  BoardSight sight{{o.gyro.x, o.gyro.y, o.gyro.z}, {o.accelerometer.x, o.accelerometer.y, o.accelerometer.z}, supply};
  for (const SensorReading& s : o.sensors) {
    if (s.values.size() != 3) continue;
    if (s.kind == "gyroscope") std::copy_n(s.values.begin(), 3, sight.gyro.begin());
    if (s.kind == "accelerometer") std::copy_n(s.values.begin(), 3, sight.acceleration.begin());
  }
  Servo& board = line.bus.servos()[static_cast<std::size_t>(line.board)];
  board.see(sight);
  const auto colour = [&](std::string_view place, Register what) {  // 5 bits each, red lowest
    const std::int32_t x = board.get(what);
    line.lights.set(place, (x & 31) / 31.0, (x >> 5 & 31) / 31.0, (x >> 10 & 31) / 31.0);
  };
  colour("head", Register::head_light);
  colour("left_eye", Register::eye_light);
  colour("right_eye", Register::eye_light);
  const std::int32_t panel = board.get(Register::panel_lights);
  line.lights.set("chest", panel & 1, panel >> 1 & 1, panel >> 2 & 1);
}

/// A program that sets its line to a speed that no servo has is not understood.
void DynamixelLink::look_at_speed(Line& line) {
  const double speed = speed_of(line.terminal);
  if (speed <= 0 || speed == line.bus.speed()) return;
  line.bus.set_speed(speed);
  const bool deaf = !line.bus.anybody_hears();
  if (deaf && !line.is_deaf)
    notices_.push_back({line.name, "link",
                        fmt::format("its program speaks at {:g} Bd, which no servo of the bus understands", speed)});
  line.is_deaf = deaf;
}

void DynamixelLink::hear(const World& world, Line& line) {
  std::byte bytes[4096];
  while (line.bus.has_room()) {
    const ssize_t n = ::read(line.terminal.master.get(), bytes, sizeof bytes);
    if (n <= 0) return;
    look_at_speed(line);
    line.bus.receive(ByteView(bytes, static_cast<std::size_t>(n)), world.time());
    if (!line.heard || !line.waited_for)
      notices_.push_back(
          {line.name, "link", line.heard ? "its program speaks again" : "its program speaks on the bus"});
    line.heard = line.waited_for = true;
  }
}

/// Statuses whose last byte is due.
void DynamixelLink::send(Line& line, double until) {
  std::size_t sent = 0;
  for (const Reply& r : line.replies) {
    if (r.due > until) break;
    ++sent;
    const ssize_t n = ::write(line.terminal.master.get(), r.bytes.data(), r.bytes.size());
    if (n != static_cast<ssize_t>(r.bytes.size()))
      lost_bytes_ += static_cast<std::int64_t>(r.bytes.size()) - std::max<ssize_t>(n, 0);
  }
  line.replies.erase(line.replies.begin(), line.replies.begin() + static_cast<std::ptrdiff_t>(sent));
}

/// Free: whatever has come is carried out now, one instruction after the other.
void DynamixelLink::serve(const World& world, Line& line) {
  constexpr int kMost = 256;  // instructions a step
  hear(world, line);
  for (int i = 0; i < kMost && line.bus.serve(world.time(), line.replies); ++i) {
  }
  send(line, world.time() + world.model().step);
}

/// Lock-step: instructions follow each other until the bus is busy to the end of the step.
void DynamixelLink::serve_in_step(const World& world, Line& line) {
  const double end = world.time() + world.model().step;
  line.since = wall_time();
  for (;;) {
    send(line, end);
    if (!line.replies.empty() || line.bus.busy_until() >= end) return;  // more of this exchange in the next step
    hear(world, line);
    if (line.bus.serve(world.time(), line.replies)) continue;
    if (!line.waited_for) return;
    const double limit = line.heard ? patience_ : wait_, left = line.since + limit - wall_time();
    if (left <= 0) {
      line.waited_for = false;
      ++impatient_;
      notices_.push_back(
          {line.name, "link", fmt::format("its program was silent for {:g} s; the run goes on without it", limit)});
      return;
    }
    const int fd = line.terminal.master.get();
    const Woken woken = wait_readable(std::span(&fd, 1), left);
    if (woken == Woken::signal) return;
    if (woken == Woken::readable) line.since = wall_time();
  }
}

/// Limits, and P and D gains of chains, that were written become parameters of the joints.
void DynamixelLink::update_numbers(Line& line, const World& world) {
  const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(line.robot)].kind;
  for (std::size_t j = 0; j < line.joints.size(); ++j) {
    JointDrive& drive = line.joints[j];
    const Servo& servo = line.bus.servos()[j];
    const auto set = [&](const char* what, double value) {
      Command c;
      c.kind = Command::Kind::set;
      c.name = line.name + "." + kind.objects[static_cast<std::size_t>(kind.joints[j].object)].name + what;
      c.value = value;
      commands_.push_back(std::move(c));
    };
    if (const double limit = limit_of(drive, servo); limit != std::exchange(drive.limit, limit)) {
      set(drive.chain ? ".controller.limit" : ".torque", limit);
      // Less voltage: less torque at rest, and a lower speed without load.
      if (!drive.chain && std::isfinite(drive.fastest)) set(".speed", drive.fastest * limit / drive.strongest);
    }
    if (!drive.chain || drive.kp <= 0) continue;
    if (const double gain = servo.gain(); gain != std::exchange(drive.gain, gain))
      set(".controller.kp", gain * drive.kp);
    if (const double damping = servo.damping(); damping != std::exchange(drive.damping, damping))
      set(".controller.kd", drive.kd + damping * drive.kp);
  }
}

/// LEDs of servos are lights that have the joints' names.
void DynamixelLink::light(Line& line, const RobotKind& kind) {
  for (std::size_t j = 0; j < line.joints.size(); ++j) {
    const int led = line.bus.servos()[j].get(Register::led);
    if (led != std::exchange(line.joints[j].led, led))
      line.lights.set(kind.objects[static_cast<std::size_t>(kind.joints[j].object)].name, led, 0, 0);
  }
}

std::span<const Command> DynamixelLink::receive(const World& world) {
  commands_.clear();
  for (auto& line : lines_) {
    if (lockstep_)
      serve_in_step(world, *line);
    else
      serve(world, *line);
    update_numbers(*line, world);
  }
  return commands_;
}

void DynamixelLink::publish(const World& world) {
  for (auto& line : lines_) see(world, *line, world.model().step);
}

std::vector<std::string> DynamixelLink::addresses() const {
  std::vector<std::string> out;
  for (const auto& l : lines_)
    out.push_back(fmt::format("programs connect to {}{}: {} servos of robot '{}', protocol {}.0",
                              l->link.empty() ? l->terminal.name : l->link,
                              l->link.empty() ? "" : " (" + l->terminal.name + ")", l->joints.size(), l->name,
                              static_cast<int>(l->bus.servos().front().model().protocol)));
  return out;
}

ProtocolLink::Figures DynamixelLink::figures() const {
  BusCounters sum;
  std::int64_t noise = 0, wrong_speed = 0;
  for (const auto& l : lines_) {
    const BusCounters& c = l->bus.counters();
    sum.instructions += c.instructions, sum.statuses += c.statuses, sum.damaged += c.damaged;
    sum.refused += c.refused, sum.unheard += c.unheard, noise += l->bus.noise();
    wrong_speed += c.wrong_speed;
  }
  return {{"instructions", sum.instructions}, {"statuses", sum.statuses},  {"damaged", sum.damaged},
          {"refused", sum.refused},           {"for_nobody", sum.unheard}, {"noise_bytes", noise},
          {"lost_bytes", lost_bytes_},        {"impatient", impatient_},   {"wrong_speed_bytes", wrong_speed}};
}

std::vector<std::string> DynamixelLink::summary() const {
  std::string line = "dynamixel:";
  for (const auto& [name, value] : figures()) line += fmt::format(" {} {},", value, name);
  line.pop_back();
  return {line};
}

bool asked_for(const SceneSpec& scene) { return has_controller(scene, "dynamixel"); }

Diagnostics prepare(const std::string& text, SceneSpec& scene) {
  RobotChoice choice;
  ControllerSpec c;
  c.kind = "dynamixel", c.file = "auto", c.period = scene.step;
  Diagnostics faults = sort_items(
      "--dynamixel", text, [](const std::string& item) { return item == "auto" || is_path(item); }, choice, c);
  Options unused;
  append(faults, read_options(c, unused));
  std::vector<RobotInstanceSpec*> robots = choice.of(scene, "dynamixel", "--dynamixel", faults);
  for (std::size_t i = 0; i < robots.size(); ++i) {
    robots[i]->controller = c;
    if (i > 0 && c.file != "auto") robots[i]->controller.file += "." + robots[i]->name;
    robots[i]->commands = "impedance";  // speed, torque and gains of joints that have plain servos
  }
  return faults;
}

Result<std::unique_ptr<ProtocolLink>> open_link(const std::string&, World& world) {
  return as_link(DynamixelLink::open(world));
}

}  // namespace gradus::dynamixel
