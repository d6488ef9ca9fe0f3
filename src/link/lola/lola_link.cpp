#include "link/lola/lola_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "link/items.h"
#include "load/sensor_toml.h"

namespace gradus::lola {
namespace {

constexpr double kCycle = 0.012;            // [s]
constexpr double kGravity = 9.81;           // foot pads show kilograms
constexpr double kBatteryBits = -32708;     // 0x803C: reads as "not charging" in all clients known
constexpr double kBatteryTemperature = 25;  // [°C] not simulated
constexpr std::uint16_t kImagePort = 10001;
constexpr const char* kCameras[] = {"camera_top", "camera_bottom"};

struct Options {
  SeatOptions seats{true, 1, 60};
  bool images = false;
  int image_port = kImagePort;
  std::string body, head;
};

std::string read_id(const std::string& text, std::string& out) {
  return text.size() == 20 ? (out = text, "") : "an id has 20 characters";
}

std::string take_item(const std::string& key, const std::string& value, Options& out) {
  bool known = false;
  const std::string fault = out.seats.take(key, value, known);
  if (known) return fault;
  if (key == "body") return read_id(value, out.body);
  if (key == "head") return read_id(value, out.head);
  if (key != "images") return "known: free, patience=, wait=, images, body=, head=";
  out.images = true;
  std::string host;
  std::uint16_t port = kImagePort;
  const std::string wrong = value.empty() ? "" : split_address(value, host, port);
  out.image_port = port;
  return wrong;
}

Diagnostics read_options(const ControllerSpec& c, Options& out) {
  return each_item("lola", c.options, c.place,
                   [&](const std::string& key, const std::string& value) { return take_item(key, value, out); });
}

/// 0 regular … 3 critical, by the housing's temperature [memory: the robot's own limits were not found].
int status_of(double celsius) { return celsius < 70 ? 0 : celsius < 80 ? 1 : celsius < 90 ? 2 : 3; }

/// The cameras' header: "wbimage\0", tick, camera, bytes per pixel, width, height, little-endian.
void append_header(Bytes& out, std::uint16_t tick, int camera, const SensorImage& image) {
  append_bytes(out, as_byte_view(std::string_view("wbimage\0", 8)));
  append_le(out, tick);
  append_le(out, static_cast<std::uint8_t>(camera));
  append_le(out, std::uint8_t{2});
  append_le(out, static_cast<std::uint16_t>(image.width));
  append_le(out, static_cast<std::uint16_t>(image.height));
}

}  // namespace

Result<std::unique_ptr<LolaLink>> LolaLink::open(World& world) {
  std::unique_ptr<LolaLink> link;
  Diagnostics notes;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotModel& model = world.model().robots[static_cast<std::size_t>(r)];
    const ControllerSpec& c = model.controller;
    if (c.kind != "lola") continue;
    Options options;
    append(notes, read_options(c, options));
    if (!link) link.reset(new LolaLink(options.seats));
    auto body = nao::Body::of(*model.kind, model.name);
    append(notes, body.notes());
    auto listener = Listener::local(c.file);
    append(notes, listener.notes());
    if (!body || !listener || has_errors(notes)) return notes;
    link->add_listener(std::move(*listener));
    link->add_seat(world, r, kCycle, 0);
    Robot robot{*body, {}, {}, {}, 0, {}, {}};
    const auto number = static_cast<int>(link->robots_.size());
    robot.told.body_id = options.body.empty() ? fmt::format("P0000000GRADUSB{:05}", number) : options.body;
    robot.told.head_id = options.head.empty() ? fmt::format("P0000000GRADUSH{:05}", number) : options.head;
    robot.told.sonar = {0.8, 0.8};
    for (int camera = 0; camera < 2 && options.images; ++camera) {
      const int port = options.image_port == 0 ? 0 : options.image_port + 2 * number + camera;
      auto images = Listener::tcp(std::to_string(port));
      append(notes, images.notes());
      if (!images) return notes;
      robot.cameras.push_back({std::move(*images), Wire(), kCameras[camera], -1});
    }
    link->robots_.push_back(std::move(robot));
  }
  link->publish(world);
  return {std::move(link), std::move(notes)};
}

int LolaLink::seat_of(Guest& guest, std::string&) { return static_cast<int>(guest.listener); }

bool LolaLink::tell(const World& world, Seat& s) {
  Robot& robot = robots_[s.number];
  fill(world.output(s.robot, s.room), s.orders, robot);
  packet_.clear();
  encode(robot.told, packet_);
  ++robot.cycle;
  return s.wire.send(packet_);
}

void LolaLink::fill(const RobotOutput& output, const Orders& orders, Robot& robot) const {
  nao::Readings seen;
  robot.body.read(output, seen);
  Sensors& t = robot.told;
  t.position = seen.position, t.temperature = seen.temperature, t.current = seen.current;
  t.gyroscope = seen.gyroscope, t.angles = {seen.roll, seen.pitch};
  for (std::size_t i = 0; i < 3; ++i) t.accelerometer[i] = -seen.accelerometer[i];
  for (std::size_t i = 0; i < t.fsr.size(); ++i) t.fsr[i] = seen.fsr[i] / kGravity;
  for (std::size_t i = 0; i < 2; ++i)
    if (robot.asked.sonar[i] && seen.sonar[i] > 0) t.sonar[i] = seen.sonar[i];
  t.touch = seen.touch;
  t.battery = {seen.charge, kBatteryBits, -seen.battery_current, kBatteryTemperature};
  for (std::size_t i = 0; i < kJoints; ++i) {
    const int joint = robot.body.joint(i);
    t.status[i] = status_of(t.temperature[i]);
    if (joint < 0) t.position[i] = robot.asked.position[i];  // hands: as asked, they are not simulated
    t.stiffness[i] = joint >= 0 && !orders.stiffness.empty() ? orders.stiffness[static_cast<std::size_t>(joint)]
                                                             : robot.asked.stiffness[i];
  }
}

SeatLink::Heard LolaLink::hear(const World&, Seat& s, std::string& fault) {
  Robot& robot = robots_[s.number];
  if (s.wire.received().empty()) return Heard::nothing;
  Actuators asked = robot.asked;
  std::size_t used = 0;
  const PackReader::Outcome outcome = decode(s.wire.received(), asked, used, fault);
  if (outcome == PackReader::Outcome::malformed) return Heard::fault;
  if (outcome == PackReader::Outcome::incomplete) return Heard::nothing;
  s.wire.take(used);
  obey(asked, robot, s.orders);
  return Heard::answer;
}

/// Targets are taken as they are, the servos stop at the joints' limits. Stiffness below 0 means off, as on the robot.
void LolaLink::obey(const Actuators& asked, Robot& robot, Orders& orders) {
  robot.asked = asked;
  for (std::size_t i = 0; i < kJoints; ++i) {
    if (asked.has_position && is_within_reason(asked.position[i]))
      robot.body.write(i, asked.position[i], orders.target);
    else if (asked.has_position)
      ++out_of_range_;
    if (!asked.has_stiffness) continue;
    const double within = std::clamp(asked.stiffness[i], 0.0, 1.0);
    if (asked.stiffness[i] < -1 || asked.stiffness[i] > 1) ++out_of_range_;
    robot.asked.stiffness[i] = within;
    robot.body.write(i, within, orders.stiffness);
  }
}

/// Rings of lights: 8 in an eye (reds, greens, blues in a row), 10 blue ones in an ear, 12 on the skull. One that has one
/// colour is one light for people, "left_eye"; else they are "left_eye_1" and so on.
void LolaLink::show_lights(const World& world, Seat& s, Robot& robot) {
  const Leds& a = robot.asked.leds;
  if (a == robot.shown) return robot.lights.tell(s.name, world.time(), notices());
  robot.shown = a;
  using Colour = std::array<double, 3>;
  const auto ring = [&](std::string_view place, std::size_t count, const auto& colour) {
    bool plain = true;
    for (std::size_t i = 1; i < count; ++i) plain = plain && colour(i) == colour(0);
    const auto show = [&](std::string_view name, const Colour& c) { robot.lights.set(name, c[0], c[1], c[2]); };
    show(place, plain ? colour(0) : Colour{});
    for (std::size_t i = 0; i < count; ++i) {
      char name[32];
      const auto end = fmt::format_to_n(name, sizeof name, "{}_{}", place, i + 1);
      show({name, end.size}, plain ? Colour{} : colour(i));
    }
  };
  const auto eye = [&](std::string_view place, const std::array<double, 24>& x) {
    ring(place, 8, [&](std::size_t i) { return Colour{x[i], x[8 + i], x[16 + i]}; });
  };
  const auto blue = [&](std::string_view place, const auto& x) {
    ring(place, x.size(), [&](std::size_t i) { return Colour{0, 0, x[i]}; });
  };
  const auto one = [&](std::string_view place, const Colour& x) { robot.lights.set(place, x[0], x[1], x[2]); };
  one("chest", a.chest), one("left_foot", a.left_foot), one("right_foot", a.right_foot);
  eye("left_eye", a.left_eye), eye("right_eye", a.right_eye);
  blue("left_ear", a.left_ear), blue("right_ear", a.right_ear), blue("skull", a.skull);
  robot.lights.tell(s.name, world.time(), notices());
}

void LolaLink::publish(const World& world) {
  SeatLink::publish(world);
  for (auto& s : seats())
    if (s->rate.due(world.k())) show_lights(world, *s, robots_[s->number]);
  for (auto& s : seats())
    if (!robots_[s->number].cameras.empty() && s->rate.due(world.k())) send_images(world, *s, robots_[s->number]);
}

void LolaLink::send_images(const World& world, Seat& s, Robot& robot) {
  const RobotOutput output = world.output(s.robot, s.room);
  for (std::size_t c = 0; c < robot.cameras.size(); ++c) {
    Camera& camera = robot.cameras[c];
    if (Wire wire = camera.listener.accept(); wire.open() && !camera.wire.open()) camera.wire = std::move(wire);
    if (!camera.wire.open()) continue;
    if (!camera.wire.fill()) camera.wire.close();  // it says nothing; its end is noticed
    camera.wire.take(camera.wire.received().size());
    camera.wire.flush();
    for (const SensorReading& reading : output.sensors)
      if (reading.name == camera.sensor) send_image(reading, camera, static_cast<int>(c), robot.cycle);
  }
}

void LolaLink::send_image(const SensorReading& reading, Camera& camera, int number, std::uint16_t cycle) {
  if (reading.sample < 0 || reading.sample == camera.last) return;
  camera.last = reading.sample;
  for (const SensorImage& image : reading.image()) {
    if (std::string_view(image.format) != "yuyv") continue;
    image_.clear();
    append_header(image_, cycle, number, image);
    append_bytes(image_, std::as_bytes(image.bytes));
    // Lock-step waits for a program that reads, and no longer than this once for one that does not.
    if (options().lockstep && camera.is_read) camera.is_read = camera.wire.drain(options().patience);
    camera.is_read |= !camera.wire.unsent();
    ++(camera.wire.send(image_) ? images_ : images_missed_);
  }
}

std::vector<std::string> LolaLink::addresses() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < listeners().size(); ++i) {
    std::string line = "programs connect to " + listeners()[i].address();
    for (const Camera& c : robots_[i].cameras) line += fmt::format(", {} is on {}", c.sensor, c.listener.address());
    out.push_back(line);
  }
  return out;
}

ProtocolLink::Figures LolaLink::figures() const {
  Figures out = SeatLink::figures();
  out.insert(out.end(), {{"images", images_}, {"images_missed", images_missed_}, {"out_of_range", out_of_range_}});
  return out;
}

bool asked_for(const SceneSpec& scene) { return has_controller(scene, "lola"); }

/// Every Nao V6 (or the robots that are named) waits for its program, with the sensors of the real one if it has none.
Diagnostics prepare(const std::string& text, SceneSpec& scene) {
  RobotChoice choice;
  ControllerSpec c;
  c.kind = "lola", c.period = kCycle;
  c.file = "/tmp/robocup";
  Diagnostics faults = sort_items("--lola", text, is_path, choice, c);
  Options options;
  append(faults, read_options(c, options));
  const auto robots = nao::chosen_naos(choice, scene, "lola", "--lola", true, faults);
  for (std::size_t i = 0; i < robots.size(); ++i) {
    robots[i]->controller = c;
    if (i > 0) robots[i]->controller.file += "." + robots[i]->name;
    if (options.images) append(faults, add_sensor_set("nao_cameras", robots[i]->robot.sensors));
  }
  return faults;
}

Result<std::unique_ptr<ProtocolLink>> open_link(const std::string&, World& world) {
  return as_link(LolaLink::open(world));
}

}  // namespace gradus::lola
