#include "link/dynamixel/dynamixel_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "link/items.h"
#include "link/program/lines.h"

namespace gradus::dynamixel {
namespace {

struct Options {
  const Model* model = find_model("xm430");
  std::map<std::string, const Model*> of_joint;
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

Diagnostics read_options(const ControllerSpec& c, Options& out) {
  return each_item("dynamixel", c.options, c.place,
                   [&](const std::string& key, const std::string& value) -> std::string {
                     if (key == "lockstep" && value.empty()) return out.lockstep = true, "";
                     if (key == "patience") return read_time(value, out.patience);
                     if (key == "wait") return read_time(value, out.wait);
                     if (key == "baud") return read_baud(value, out.baud);
                     if (key == "model") return read_model(value, out.model);
                     if (key.starts_with("model.")) return read_model(value, out.of_joint[key.substr(6)]);
                     return "known: model=, model.JOINT=, baud=, lockstep, patience=, wait=";
                   });
}

Diagnostics error(const Place& place, const std::string& text, const std::string& suggestion = "") {
  return {{place, Severity::error, text, suggestion}};
}

/// A pseudo-terminal that passes bytes as they are; "" or what went wrong.
std::string open_terminal(Descriptor& master, Descriptor& slave, std::string& name) {
  master = Descriptor(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  char path[128];
  if (!master || grantpt(master.get()) != 0 || unlockpt(master.get()) != 0 ||
      ptsname_r(master.get(), path, sizeof path) != 0)
    return std::strerror(errno);
  name = path;
  slave = Descriptor(::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  termios raw;
  if (!slave || tcgetattr(slave.get(), &raw) != 0) return std::strerror(errno);
  cfmakeraw(&raw);
  return tcsetattr(slave.get(), TCSANOW, &raw) == 0 ? "" : std::strerror(errno);
}

/// A symbolic link to it. A link whose terminal is gone is replaced, anything else is left alone.
std::string link_terminal(const std::string& terminal, const std::string& path) {
  struct stat there;
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISLNK(there.st_mode) || access(path.c_str(), F_OK) == 0) return "'" + path + "' is there already";
    unlink(path.c_str());
  }
  return symlink(terminal.c_str(), path.c_str()) == 0 ? "" : "cannot make '" + path + "': " + std::strerror(errno);
}

}  // namespace

/// Hands what the servos want to the joints, at every step.
class DynamixelLink::Driver : public Controller {
 public:
  explicit Driver(Line& line, double h) : line_(line), h_(h) {}
  void control(const RobotOutput& see, RobotCommand& c) override {
    for (std::size_t j = 0; j < line_.bus.servos().size(); ++j) {
      const Servo& s = line_.bus.servos()[j];
      if (line_.chain[j])
        drive_chain(s, j, see, c);
      else
        drive_plain(s, j, c);
    }
  }

 private:
  void drive_chain(const Servo& s, std::size_t j, const RobotOutput& see, RobotCommand& c) {
    const bool wheel = s.is_on() && s.mode() == kVelocityMode;
    if (!wheel) line_.wheel[j] = see.q[j];
    if (wheel) line_.wheel[j] += s.wanted_velocity() * h_;
    c.stiffness[j] = s.is_on() ? 1 : 0;
    c.target[j] = wheel ? line_.wheel[j] : s.target();
  }
  void drive_plain(const Servo& s, std::size_t j, RobotCommand& c) const {
    const std::int32_t mode = s.mode();
    const bool position = mode != kVelocityMode && mode != kCurrentMode && mode != kPwmMode;
    c.target[j] = s.target();
    c.kp[j] = s.is_on() && position ? s.gain() * line_.kp_servo[j] : 0;
    c.kd[j] = s.is_on() && (position || mode == kVelocityMode) ? line_.kd_servo[j] : 0;
    c.velocity[j] = s.is_on() && mode == kVelocityMode ? s.wanted_velocity() : 0;
    const Model& m = s.model();
    c.torque[j] = !s.is_on()             ? 0
                  : mode == kCurrentMode ? s.wanted_current() * m.stall / m.stall_current
                  : mode == kPwmMode     ? s.wanted_pwm() * m.stall
                                         : 0;
  }
  Line& line_;
  double h_;
};

DynamixelLink::~DynamixelLink() {
  for (const auto& line : lines_)
    if (!line->link.empty()) unlink(line->link.c_str());
}

Diagnostics DynamixelLink::add_line(World& world, int r, DynamixelLink& out) {
  const RobotModel& model = world.model().robots[static_cast<std::size_t>(r)];
  const ControllerSpec& c = model.controller;
  const RobotKind& kind = *model.kind;
  Options options;
  Diagnostics faults = read_options(c, options);
  if (has_errors(faults)) return faults;
  out.lockstep_ = options.lockstep, out.patience_ = options.patience, out.wait_ = options.wait;
  const std::vector<std::string> joints = joint_names(kind);
  const Protocol protocol = options.model->protocol;
  const std::int32_t baud = value_of_baud(protocol, options.baud);
  if (baud < 0)
    return error(c.place, fmt::format("dynamixel: {} has no baud rate {:g}", options.model->about, options.baud));
  if (joints.size() > 252) return error(c.place, "dynamixel: a bus has room for 252 servos");
  auto line = std::make_unique<Line>();
  line->robot = r, line->name = model.name, line->since = wall_time();
  line->bus = Bus(protocol, baud_of(protocol, baud));
  const RobotCommand command = world.command(r);
  for (const auto& [joint, m] : options.of_joint)
    if (std::find(joints.begin(), joints.end(), joint) == joints.end())
      append(faults, error(c.place, "dynamixel: there is no joint '" + joint + "'", did_you_mean(joint, joints)));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto it = options.of_joint.find(joints[j]);
    const Model& m = it == options.of_joint.end() ? *options.model : *it->second;
    if (m.protocol != protocol)
      append(faults, error(c.place, "dynamixel: one bus, one protocol; " + joints[j] + " speaks another"));
    const bool chain = kind.joints[j].drive >= 0 && !command.stiffness.empty();
    line->bus.servos().emplace_back(m, static_cast<std::uint8_t>(j + 1), baud, chain);
    line->chain.push_back(chain);
    line->wheel.push_back(0);
    line->gain.push_back(1);
    line->kp_servo.push_back(command.kp.empty() ? 0 : command.kp[j]);
    line->kd_servo.push_back(command.kd.empty() ? 0 : command.kd[j]);
    const auto kp = find_property(world, model.name + "." + joints[j] + ".controller.kp");
    line->kp.push_back(chain && kp ? kp->get(world) : 0);
  }
  if (std::string fault = open_terminal(line->master, line->slave, line->terminal); !fault.empty())
    append(faults, error(c.place, "cannot open a pseudo-terminal: " + fault));
  if (faults.empty() && c.file != "auto") {
    if (std::string fault = link_terminal(line->terminal, c.file); !fault.empty())
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
  for (std::size_t j = 0; j < servos.size(); ++j) {
    JointSight sight{o.q[j], o.v[j], o.tau[j], o.current[j], o.voltage[j]};
    if (temperature && temperature->values.size() == servos.size()) sight.temperature = temperature->values[j];
    if (battery && !battery->values.empty()) sight.supply = battery->values[0];
    servos[j].see(sight, world.time(), h);
  }
}

void DynamixelLink::hear(const World& world, Line& line) {
  std::byte bytes[4096];
  while (line.bus.has_room()) {
    const ssize_t n = ::read(line.master.get(), bytes, sizeof bytes);
    if (n <= 0) return;
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
    const ssize_t n = ::write(line.master.get(), r.bytes.data(), r.bytes.size());
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
    const int fd = line.master.get();
    const Woken woken = wait_readable(std::span(&fd, 1), left);
    if (woken == Woken::signal) return;
    if (woken == Woken::readable) line.since = wall_time();
  }
}

/// P gains that were written become parameters of the joints' chains.
void DynamixelLink::update_gains(Line& line, const World& world) {
  const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(line.robot)].kind;
  for (std::size_t j = 0; j < line.gain.size(); ++j) {
    const double gain = line.bus.servos()[j].gain();
    if (gain == line.gain[j]) continue;
    line.gain[j] = gain;
    if (line.kp[j] <= 0) continue;
    Command c;
    c.kind = Command::Kind::set;
    c.name = line.name + "." + kind.objects[static_cast<std::size_t>(kind.joints[j].object)].name + ".controller.kp";
    c.value = gain * line.kp[j];
    commands_.push_back(std::move(c));
  }
}

std::span<const Command> DynamixelLink::receive(const World& world) {
  commands_.clear();
  for (auto& line : lines_) {
    if (lockstep_)
      serve_in_step(world, *line);
    else
      serve(world, *line);
    update_gains(*line, world);
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
                              l->link.empty() ? l->terminal : l->link, l->link.empty() ? "" : " (" + l->terminal + ")",
                              l->bus.servos().size(), l->name,
                              static_cast<int>(l->bus.servos().front().model().protocol)));
  return out;
}

ProtocolLink::Figures DynamixelLink::figures() const {
  BusCounters sum;
  std::int64_t noise = 0;
  for (const auto& l : lines_) {
    const BusCounters& c = l->bus.counters();
    sum.instructions += c.instructions, sum.statuses += c.statuses, sum.damaged += c.damaged;
    sum.refused += c.refused, sum.unheard += c.unheard, noise += l->bus.noise();
  }
  return {{"instructions", sum.instructions}, {"statuses", sum.statuses},  {"damaged", sum.damaged},
          {"refused", sum.refused},           {"for_nobody", sum.unheard}, {"noise_bytes", noise},
          {"lost_bytes", lost_bytes_},        {"impatient", impatient_}};
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
