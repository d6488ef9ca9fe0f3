#include "link/usarsim/usarsim_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/jpeg.h"
#include "link/items.h"
#include "load/sensor_toml.h"
#include "wheels/from_scene.h"

namespace gradus::usarsim {
namespace {

constexpr double kStatus = 0.01, kTruth = 0.1, kSonar = 0.2, kAcceleration = 0.1;  // periods of lines  [s]
constexpr std::size_t kMostConnections = 64, kLongestLine = 16384;
constexpr double kFarthest = 1000;  // that a robot may be put  [m]
constexpr int kMostLines = 256;     // of one connection, taken at once
constexpr std::uint32_t kCameraWidth = 640, kCameraHeight = 480;
constexpr const char *kCameras[] = {"camera_top", "camera_bottom"}, *kCameraNames[] = {"CameraTop", "CameraBottom"};
constexpr int kQualities[] = {95, 85, 70, 50, 25};  // of the types 1 to 5

/// Chains of the Nao, joint by joint as they are numbered from 1 on.
struct Chain {
  const char* name;
  std::vector<std::string_view> joints;
};
const std::vector<Chain>& chains() {
  static const std::vector<Chain> all{
      {"Head", {"HeadYaw", "HeadPitch"}},
      {"LArm", {"LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll", "LWristYaw"}},
      {"RArm", {"RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll", "RWristYaw"}},
      {"LLeg", {"LHipYawPitch", "LHipRoll", "LHipPitch", "LKneePitch", "LAnklePitch", "LAnkleRoll"}},
      {"RLeg", {"RHipYawPitch", "RHipRoll", "RHipPitch", "RKneePitch", "RAnklePitch", "RAnkleRoll"}}};
  return all;
}

Diagnostics read_options(const std::string& text, Options& out) {
  return each_item("--usarsim", text, {}, [&](const std::string& key, const std::string& value) -> std::string {
    if (value.empty() && is_port(key)) return out.address = key, "";
    if (out.robots.take(key, value)) return "";
    if (key == "truth" && !value.empty()) return out.truth = value, "";
    if (key == "images") return out.images = value.empty() ? "5003" : value, "";
    if (key == "jpeg") {
      const bool known = value.empty() || (value.size() == 1 && value[0] >= '1' && value[0] <= '5');
      out.jpeg = value.empty() ? 2 : value[0] - '0';
      return known ? "" : "jpeg=1 is the best, jpeg=5 the worst";
    }
    return "known: a port, truth=, images, jpeg=, robot=";
  });
}

/// The first whole line of what came, ended by CR or LF, and its bytes; nothing if there is none.
std::string_view first_line(ByteView received, std::size_t& bytes) {
  const std::string_view text = as_text(received);
  const std::size_t end = text.find_first_of("\r\n");
  bytes = end == text.npos ? 0 : end + 1;
  return end == text.npos ? std::string_view() : text.substr(0, end);
}

/// Does nobody else drive the robot? Members of groups are driven with their team.
bool waits_for_a_program(const World& world, int robot) {
  const RobotModel& model = world.model().robots[static_cast<std::size_t>(robot)];
  if (model.group < 0) return model.controller.kind == "none";
  const GroupModel& group = world.groups().model(model.group);
  const auto member = std::find(group.members.begin(), group.members.end(), robot) - group.members.begin();
  return (member < group.blue ? group.spec.blue : group.spec.yellow) == "none";
}

std::string located(const Pose& x) { return written(mirrored(x.p)); }
std::string turned(const Mat3& R) {
  const Vec3 rpy = to_roll_pitch_yaw(to_quaternion(R));
  return written(mirrored(rpy));
}

}  // namespace

/// Hands the standing orders to the robot.
class UsarsimLink::Driver : public Controller {
 public:
  explicit Driver(const Robot& robot) : robot_(robot) {}
  void control(const RobotOutput&, RobotCommand& command) override {
    if (robot_.spoke) robot_.orders.write(command);
  }

 private:
  const Robot& robot_;
};

void UsarsimLink::add_robot(World& world, int number) {
  const RobotModel& model = world.model().robots[static_cast<std::size_t>(number)];
  auto robot = std::make_unique<Robot>();
  robot->number = number, robot->name = model.name, robot->kind = model.kind->name;
  robot->orders = Orders::of(world.command(number));
  if (auto body = nao::Body::of(*model.kind, model.name)) {
    robot->body = *body, robot->kind = "Nao";
    for (const Chain& chain : chains()) {
      robot->packages.push_back({chain.name, {}});
      for (const std::string_view joint : chain.joints)
        if (const int j = model.kind->find_joint(std::string(joint)); j >= 0)
          robot->packages.back().joints.push_back(static_cast<std::size_t>(j));
    }
  } else if (model.group >= 0 && model.kind->njoint() >= 2) {
    const wheels::WheelJoints w = wheels::wheel_joints(*model.kind);
    robot->left = w.left, robot->right = w.right, robot->left_sense = w.left_sense, robot->right_sense = w.right_sense;
    if (w.left < 0 || w.right < 0) return;
    robot->fastest = model.kind->joints[static_cast<std::size_t>(w.left)].servo.speed;
  } else if (model.group < 0 && model.kind->njoint() > 0) {
    robot->packages.push_back({"Arm", {}});
    for (int j = 0; j < model.kind->njoint(); ++j) robot->packages[0].joints.push_back(static_cast<std::size_t>(j));
  } else {
    return;
  }
  world.output(number, robot->room);
  world.add_controller(number, std::make_unique<Driver>(*robot), kStatus, 0);
  robots_.push_back(std::move(robot));
}

Result<std::unique_ptr<UsarsimLink>> UsarsimLink::open(World& world, const Options& options) {
  std::unique_ptr<UsarsimLink> link(new UsarsimLink);
  Diagnostics notes;
  const auto listen = [&](const std::string& address, Listener& into) {
    auto l = Listener::tcp(address);
    append(notes, l.notes());
    if (l) into = std::move(*l);
  };
  listen(options.address, link->robots_in_);
  listen(options.truth, link->truth_in_);
  if (!options.images.empty()) listen(options.images, link->images_in_.emplace());
  if (has_errors(notes)) return notes;
  link->jpeg_ = options.jpeg;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotModel& model = world.model().robots[static_cast<std::size_t>(r)];
    if (options.robots.means(model.name) && waits_for_a_program(world, r)) link->add_robot(world, r);
  }
  if (link->robots_.empty())
    return Diagnostics{
        {{}, Severity::error, "--usarsim: this scene has no robot with joints or wheels that waits for a program", ""}};
  return {std::move(link), std::move(notes)};
}

void UsarsimLink::accept(const World& world) {
  while (connections_.size() < kMostConnections) {  // who finds no room waits at the door
    Wire wire = robots_in_.accept();
    if (!wire.open()) break;
    const double h = world.model().step;
    connections_.push_back(
        std::make_unique<Connection>(Connection{std::move(wire), nullptr, Rate(kStatus, 0, h), Rate(kTruth, 0, h),
                                                Rate(kSonar, 0, h), Rate(kAcceleration, 0, h), false, false}));
    connections_.back()->wire.send(std::string_view("NFO {Gametype BotDeathMatch} {Level gradus} {TimeLimit 0}\r\n"));
  }
}

void UsarsimLink::hear(const World& world, Connection& c) {
  c.wire.flush();
  const bool there = c.wire.fill();
  for (int i = 0; i < kMostLines; ++i) {
    std::size_t bytes = 0;
    const std::string line(first_line(c.wire.received(), bytes));
    if (bytes == 0) break;
    c.wire.take(bytes);
    if (line.empty()) continue;
    ++lines_;
    obey(world, c, parse_line(line));
  }
  if (there && c.wire.received().size() < kLongestLine) return;
  if (c.robot != nullptr) {
    c.robot->taken = false;
    if (c.robot->limit.allows())
      notices_.push_back({c.robot->name, "link",
                          there ? "its program sent what is no line; it keeps its last targets"
                                : "its program has gone; it keeps its last targets"});
  }
  c.wire.close();
}

/// Unknown words are left out silently, as USARSim does; they are counted.
void UsarsimLink::obey(const World& world, Connection& c, const Line& line) {
  if (line.word == "INIT") return init(world, c, line);
  if (line.word == "GETSTARTPOSES" || line.word == "GETCONF" || line.word == "GETGEO") return describe(world, c, line);
  if (c.robot == nullptr) return refuse();
  Robot& robot = *c.robot;
  if (line.word == "DRIVE" && robot.left >= 0) return drive(robot, line);
  if (line.word == "ACT" || line.word == "MISPKG") {
    (line.word == "ACT" ? c.acts : c.sends_packages) = true;
    return act(robot, line);
  }
  if (line.word == "MULTIDRIVE" && robot.body)
    for (const auto& [joint, value] : line.segments) set_one(robot, joint, value, false);
  else if (line.word == "SET" && robot.body)
    set_joint(robot, line);
  else
    refuse();
}

void UsarsimLink::init(const World& world, Connection& c, const Line& line) {
  if (c.robot != nullptr) return refuse();
  const std::string *name = line.find("Name"), *kind = line.find("ClassName");
  const std::string wanted = kind == nullptr ? "" : kind->substr(kind->rfind('.') + 1);
  const auto fits = [&](const Robot& r) {
    if (r.taken) return false;
    return wanted.empty() || wanted == r.kind || (wanted != "Nao" && r.left >= 0);
  };
  for (const bool by_name : {true, false})
    for (auto& r : robots_)
      if (c.robot == nullptr && fits(*r) && (!by_name || (name != nullptr && *name == r->name))) c.robot = r.get();
  if (c.robot == nullptr) return refuse();
  c.robot->taken = true;
  if (c.robot->limit.allows()) notices_.push_back({c.robot->name, "link", "its program has come"});
  move(world, *c.robot, line);
}

/// {Location x,y,z} {Rotation r,p,y}: the robot is put there, upright, on the height that it stands at.
void UsarsimLink::move(const World&, const Robot& robot, const Line& line) {
  Vec3 location, rotation{0, 0, 0};
  const std::string *at = line.find("Location"), *turn = line.find("Rotation");
  if (at == nullptr || !read_vector(*at, location)) return;
  if (turn != nullptr && !read_vector(*turn, rotation)) return;
  if (!(std::fabs(location.x) < kFarthest && std::fabs(location.y) < kFarthest && is_within_reason(rotation.z)))
    return refuse();
  const auto set = [&](const char* property, double value) {
    Command command;
    command.kind = Command::Kind::set;
    command.name = robot.name + "." + property;
    command.value = value;
    commands_.push_back(std::move(command));
  };
  set("x", location.x), set("y", -location.y), set("yaw", -rotation.z);
}

void UsarsimLink::set_one(Robot& robot, std::string_view joint, std::string_view value, bool stiffness) {
  double x = 0;
  if (joint == "RHipYawPitch" && !stiffness) return;  // one motor, and the left command counts
  const int number = nao::joint_number(joint);
  if (number < 0 || !read_number(value, x) || !(stiffness ? x >= 0 && x <= 1 : is_within_reason(x))) return refuse();
  robot.body->write(static_cast<std::size_t>(number), x, stiffness ? robot.orders.stiffness : robot.orders.target);
  robot.spoke = true;
}

/// SET {Type Joint} {Name LKneePitch} {Opcode Angle} {Params 0.5}
void UsarsimLink::set_joint(Robot& robot, const Line& line) {
  const std::string *type = line.find("Type"), *name = line.find("Name"), *opcode = line.find("Opcode"),
                    *value = line.find("Params");
  if (type == nullptr || *type != "Joint" || name == nullptr || opcode == nullptr || value == nullptr) return refuse();
  const bool stiffness = *opcode == "Stiffness";
  if (!stiffness && *opcode != "Angle" && *opcode != "Target") return refuse();
  if (*name != "AllJoints") return set_one(robot, *name, *value, stiffness);
  for (const std::string_view joint : nao::kJointNames) set_one(robot, joint, *value, stiffness);
}

/// DRIVE {Left 1.0} {Right 1.0} {Normalized false}: wheels' speeds [rad/s], or shares of the largest.
void UsarsimLink::drive(Robot& robot, const Line& line) {
  const std::string *left = line.find("Left"), *right = line.find("Right"), *normal = line.find("Normalized");
  double l = 0, r = 0;
  if (left == nullptr || right == nullptr || !read_number(*left, l) || !read_number(*right, r) ||
      !is_within_reason(l) || !is_within_reason(r))
    return refuse();
  const bool shares = normal != nullptr && (*normal == "true" || *normal == "True");
  const double unit = shares && std::isfinite(robot.fastest) ? robot.fastest : 1;
  robot.orders.target[static_cast<std::size_t>(robot.left)] = robot.left_sense * unit * l;
  robot.orders.target[static_cast<std::size_t>(robot.right)] = robot.right_sense * unit * r;
  robot.spoke = true;
}

/// ACT {Name LArm} {Link 1} {Value 0.3} {Link 2} {Value -0.2}, MISPKG the same with {Order 0}: angles [rad].
void UsarsimLink::act(Robot& robot, const Line& line) {
  const std::string* name = line.find("Name");
  const auto package = std::find_if(robot.packages.begin(), robot.packages.end(),
                                    [&](const Package& p) { return name != nullptr && p.name == *name; });
  if (package == robot.packages.end()) return refuse();
  double link = 0, value = 0;
  const std::string* order = line.find("Order");
  if (order != nullptr && *order != "0") return refuse();  // speeds and torques are not taken
  for (const auto& [key, text] : line.segments) {
    if (key == "Link" && !read_number(text, link)) return refuse();
    if (key != "Value") continue;
    const bool there = link >= 1 && link <= static_cast<double>(package->joints.size());
    if (!there || !read_number(text, value) || !is_within_reason(value)) return refuse();
    const std::size_t joint = package->joints[static_cast<std::size_t>(link) - 1];
    robot.spoke = true;
    if (robot.body && robot.body->right_hip_yaw_pitch() == static_cast<int>(joint)) continue;  // the left one counts
    robot.orders.target[joint] = value;
    constexpr std::size_t kLeftHip = 7;
    if (robot.body && robot.body->joint(kLeftHip) == static_cast<int>(joint))
      robot.body->write(kLeftHip, value, robot.orders.target);
  }
}

/// Where the joints of all packages are: ASTA for those who use ACT, MISSTA for those who use MISPKG.
std::string UsarsimLink::package_lines(const World& world, const Connection& c) const {
  std::string out;
  for (const char* word : {"ASTA", "MISSTA"}) {
    if (!(word[0] == 'A' ? c.acts : c.sends_packages)) continue;
    for (const Package& p : c.robot->packages) {
      out += fmt::format("{} {{Time {:.4f}}} {{Name {}}}", word, world.time(), p.name);
      for (std::size_t i = 0; i < p.joints.size(); ++i)
        out += fmt::format(" {{Link {}}} {{Value {:.4f}}} {{Torque {:.4f}}}", i + 1,
                           world.q(c.robot->number)[7 + p.joints[i]], world.tau(c.robot->number)[p.joints[i]]);
      out += "\r\n";
    }
  }
  return out;
}

void UsarsimLink::describe(const World& world, Connection& c, const Line& line) {
  std::string answer;
  const std::string* type = line.find("Type");
  if (line.word == "GETSTARTPOSES") {
    answer = fmt::format("NFO {{StartPoses {}}} {{", robots_.size());
    for (const auto& r : robots_) {
      const Pose x = world.X_WL(r->number, 0);
      answer += fmt::format("{}{} {} {}", r == robots_.front() ? "" : " ", r->name, located(x), turned(x.R));
    }
    answer += "}\r\n";
  } else if (c.robot == nullptr || type == nullptr) {
    return refuse();
  } else if (line.word == "GETCONF") {
    answer = *type == "Robot"    ? fmt::format("CONF {{Name {}}}\r\n", c.robot->kind)
             : *type == "Camera" ? camera_lines(*c.robot, line)
                                 : fmt::format("CONF {{Type {}}}\r\n", *type);
  } else {
    for (const sense::Sensor& s : world.sensors(c.robot->number)) {
      if (*type != "Sonar" || s.table->name != "sonar") continue;
      answer += fmt::format("GEO {{Type Sonar}} {{Name {}}} {{Location {}}} {{Orientation {}}} {{Mount {}}}\r\n",
                            s.name == "sonar_left" ? "LeftSonar" : "RightSonar", located(s.X_LS), turned(s.X_LS.R),
                            c.robot->kind);
    }
  }
  if (!answer.empty() && !c.wire.send(answer)) ++missed_;
}

/// Where each camera is in the window that all share.
std::string UsarsimLink::camera_lines(const Robot& robot, const Line& line) const {
  std::string out;
  const std::string* name = line.find("Name");
  std::uint32_t row = 0;
  for (const auto& r : robots_) {
    if (r.get() == &robot) break;
    row += r->body.has_value();
  }
  for (std::uint32_t i = 0; i < 2 && robot.body; ++i)
    if (name == nullptr || *name == kCameraNames[i])
      out += fmt::format(
          "CONF {{Type Camera}} {{Name {}}} {{CameraFov 0.9826}} {{TextureOffsetX {}}} {{TextureOffsetY {}}} "
          "{{TextureResolutionX {}}} {{TextureResolutionY {}}}\r\n",
          kCameraNames[i], i * kCameraWidth, row * kCameraHeight, kCameraWidth, kCameraHeight);
  return out;
}

/// Status and sensors, each at its period.
void UsarsimLink::tell(const World& world, Connection& c) {
  const std::int64_t k = world.k();
  if (c.robot == nullptr) return;
  Robot& robot = *c.robot;
  text_.clear();
  const double t = world.time();
  if (robot.body) {
    nao::Readings seen;
    robot.body->read(world.output(robot.number, robot.room), seen);
    if (c.status.due(k)) {
      text_ += fmt::format("STA {{Time {:.4f}}} {{Battery {:.0f}}} {{Type LeggedVehicle}}", t, 1200 * seen.charge);
      for (std::size_t i = 0; i < nao::kJointNames.size(); ++i)
        if (robot.body->joint(i) >= 0) text_ += fmt::format(" {{{} {:.4f}}}", nao::kJointNames[i], seen.position[i]);
      text_ += "\r\n";
    }
    for (std::size_t i = 0; i < 2 && c.sonar.due(k); ++i)
      text_ += fmt::format("SEN {{Time {:.4f}}} {{Type Sonar}} {{Name {}}} {{Range {:.4f}}}\r\n", t,
                           i == 0 ? "LeftSonar" : "RightSonar", seen.sonar[i]);
    if (c.acceleration.due(k))
      text_ +=
          fmt::format("SEN {{Time {:.4f}}} {{Type AcceleroMeter}} {{Name Accelerometer}} {{ProperAcceleration {}}}\r\n",
                      t, written(mirrored({seen.accelerometer[0], seen.accelerometer[1], seen.accelerometer[2]})));
  } else if (c.truth.due(k)) {  // 0.1 s for robots other than the Nao
    text_ += fmt::format("STA {{Time {:.4f}}} {{Battery 1200}} {{Type {}}}\r\n", t,
                         robot.left >= 0 ? "GroundVehicle" : "Manipulator");
  }
  if (c.truth.due(k)) {
    text_ += package_lines(world, c);
    const Pose x = world.X_WL(robot.number, 0);
    text_ +=
        fmt::format("SEN {{Time {:.4f}}} {{Type GroundTruth}} {{Name GndTruth}} {{Location {}}} {{Orientation {}}}\r\n",
                    t, located(x), turned(x.R));
  }
  if (text_.empty()) return;
  ++(c.wire.send(text_) ? told_ : missed_);
}

/// {class Nao} {name v6}: those that fit, then {End}.
void UsarsimLink::serve_truth(const World& world) {
  for (Wire wire; truth_.size() < kMostConnections && (wire = truth_in_.accept()).open();)
    truth_.push_back(std::move(wire));
  for (Wire& wire : truth_) {
    const bool there = wire.fill();
    std::size_t bytes = 0;
    for (int i = 0; i < kMostLines; ++i) {
      const std::string text(first_line(wire.received(), bytes));
      if (bytes == 0) break;
      wire.take(bytes);
      if (text.empty()) continue;
      Line query = parse_line("QUERY " + text);
      for (auto& segment : query.segments)
        std::transform(segment.first.begin(), segment.first.end(), segment.first.begin(),
                       [](unsigned char ch) { return static_cast<char>(std::tolower(ch)); });
      const std::string *name = query.find("name"), *kind = query.find("class");
      std::string answer;
      for (const auto& r : robots_) {
        if ((name != nullptr && !name->empty() && *name != r->name) ||
            (kind != nullptr && !kind->empty() && *kind != r->kind))
          continue;
        const Pose x = world.X_WL(r->number, 0);
        answer += fmt::format("{{Name {}}} {{Class {}}} {{Time {:.4f}}} {{Location {}}} {{Rotation {}}}\r\n", r->name,
                              r->kind, world.time(), located(x), turned(x.R));
      }
      if (!wire.send(answer + "{End}\r\n")) ++missed_;
    }
    if (!there || wire.received().size() >= kLongestLine) wire.close();
  }
  std::erase_if(truth_, [](const Wire& w) { return !w.open(); });
}

void append_picture(std::span<const std::uint8_t> rgb, std::uint32_t w, std::uint32_t h, int type, Bytes& out) {
  const auto big = [&](std::size_t x, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<std::byte>(x >> (8 * i)));
  };
  if (type > 0) {
    std::vector<std::uint8_t> packed;
    encode_jpeg(static_cast<int>(w), static_cast<int>(h), rgb, kQualities[std::clamp(type, 1, 5) - 1], packed);
    big(static_cast<std::size_t>(type), 1), big(packed.size(), 4);
    append_bytes(out, std::as_bytes(std::span(packed)));
    return;
  }
  const std::size_t padding = (4 - 3 * w % 4) % 4;
  big(0, 1), big(4 + h * (3 * w + padding), 4), big(w, 2), big(h, 2);
  for (std::size_t y = 0; y < h; ++y) {
    for (std::size_t x = 0; x < w; ++x)
      for (std::size_t c = 3; c-- > 0;) out.push_back(static_cast<std::byte>(rgb[3 * (y * w + x) + c]));
    for (std::size_t i = 0; i < padding; ++i) out.push_back(std::byte{0});
  }
}

void copy_image(const SensorImage& image, std::uint32_t x0, std::uint32_t y0, std::uint32_t part_x,
                std::uint32_t part_y, std::uint32_t part_width, std::uint32_t part_height,
                std::span<std::uint8_t> rgb) {
  const auto within = [](int x) { return static_cast<std::uint8_t>(std::clamp(x, 0, 255)); };
  for (std::uint32_t y = 0; y < part_height; ++y)
    for (std::uint32_t x = 0; x < part_width; ++x) {
      const std::int64_t in_x = std::int64_t{part_x} + x - x0, in_y = std::int64_t{part_y} + y - y0;
      if (in_x < 0 || in_y < 0 || in_x >= image.width || in_y >= image.height) continue;
      const std::uint8_t* row = image.bytes.data() + static_cast<std::size_t>(in_y) * image.row_bytes;
      // ITU-R BT.601, full range, as cameras send it
      const int Y = row[2 * in_x], U = row[4 * (in_x / 2) + 1] - 128, V = row[4 * (in_x / 2) + 3] - 128;
      std::uint8_t* to = rgb.data() + 3 * (std::size_t{y} * part_width + x);
      to[0] = within(Y + (359 * V >> 8)), to[1] = within(Y - ((88 * U + 183 * V) >> 8)),
      to[2] = within(Y + (454 * U >> 8));
    }
}

/// Each Nao has a row: its upper camera, then its lower one.
UsarsimLink::Window UsarsimLink::window() const {
  std::uint32_t rows = 0;
  for (const auto& r : robots_) rows += r->body.has_value();
  return {2 * kCameraWidth, rows * kCameraHeight};
}

/// "OK": the whole window; "U" and four big-endian numbers: x, y, width and height of a part. False: nonsense.
bool UsarsimLink::take_request(Wire& wire, Rectangle& part, bool& is_asked) const {
  const std::string_view text = as_text(wire.received());
  const Window all = window();
  is_asked = false;
  if (const std::size_t blank = std::min(text.find_first_not_of(" \r\n"), text.size()); blank > 0) {
    wire.take(blank);
    return take_request(wire, part, is_asked);
  }
  if (text.empty()) return true;
  if (text[0] == 'U') {
    if (text.size() < 17) return true;  // the rest is on its way
    std::uint32_t number[4];
    for (std::size_t i = 0; i < 4; ++i) {
      number[i] = 0;
      for (std::size_t b = 0; b < 4; ++b) number[i] = number[i] << 8 | static_cast<unsigned char>(text[1 + 4 * i + b]);
    }
    part = {number[0], number[1], number[2], number[3]};
    wire.take(17);
    is_asked = part.width > 0 && part.height > 0 && part.x < all.width && part.y < all.height &&
               part.width <= all.width - part.x && part.height <= all.height - part.y;
    return is_asked;
  }
  if (text[0] == 'O') {
    if (text.size() < 2) return true;
    if (text[1] != 'K') return false;
    part = {0, 0, all.width, all.height};
    wire.take(2);
    return is_asked = true;
  }
  return false;
}

/// Cameras that are not in the part are not asked.
void UsarsimLink::send_picture(const World& world, Wire& wire, const Rectangle& part) {
  pixels_.assign(std::size_t{3} * part.width * part.height, 0);
  std::uint32_t row = 0;
  for (const auto& r : robots_) {
    if (!r->body) continue;
    const std::uint32_t y0 = row++ * kCameraHeight;
    const RobotOutput o = world.output(r->number, r->room);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::uint32_t x0 = i * kCameraWidth;
      if (part.x >= x0 + kCameraWidth || part.x + part.width <= x0 || part.y >= y0 + kCameraHeight ||
          part.y + part.height <= y0)
        continue;
      for (const SensorReading& s : o.sensors) {
        if (s.name != kCameras[i] || s.sample < 0) continue;
        for (const SensorImage& image : s.image())
          if (std::string_view(image.format) == "yuyv")
            copy_image(image, x0, y0, part.x, part.y, part.width, part.height, pixels_);
      }
    }
  }
  Bytes picture;
  append_picture(pixels_, part.width, part.height, jpeg_, picture);
  ++(wire.send(picture) ? pictures_ : missed_);
}

void UsarsimLink::serve_images(const World& world) {
  if (!images_in_) return;
  for (Wire wire; images_.size() < kMostConnections && (wire = images_in_->accept()).open();)
    images_.push_back(std::move(wire));
  for (Wire& wire : images_) {
    wire.flush();
    const bool there = wire.fill();
    Rectangle part;
    bool is_asked = false, sound = true;
    if (!wire.unsent()) sound = take_request(wire, part, is_asked);  // one at a time: the last one must be gone
    if (is_asked) send_picture(world, wire, part);
    if (!sound) refuse();
    if (!there || !sound || wire.received().size() >= kLongestLine) wire.close();
  }
  std::erase_if(images_, [](const Wire& w) { return !w.open(); });
}

std::span<const Command> UsarsimLink::receive(const World& world) {
  commands_.clear();
  accept(world);
  for (auto& c : connections_) hear(world, *c);
  std::erase_if(connections_, [](const auto& c) { return !c->wire.open(); });
  serve_truth(world);
  serve_images(world);
  return commands_;
}

void UsarsimLink::publish(const World& world) {
  for (auto& c : connections_) tell(world, *c);
}

std::vector<std::string> UsarsimLink::addresses() const {
  std::string line =
      fmt::format("programs connect to {}, ground truth is on {}", robots_in_.address(), truth_in_.address());
  if (images_in_) line += ", images are on " + images_in_->address();
  return {line};
}

ProtocolLink::Figures UsarsimLink::figures() const {
  return {{"lines", lines_}, {"refused", refused_}, {"told", told_}, {"missed", missed_}, {"pictures", pictures_}};
}

std::vector<std::string> UsarsimLink::summary() const {
  return {fmt::format("usarsim: {} lines taken, {} not understood, {} sent, {} missed by slow programs, {} pictures",
                      lines_, refused_, told_, missed_, pictures_)};
}

bool asked_for(const SceneSpec&) { return false; }

Diagnostics prepare(const std::string& text, SceneSpec& scene) {
  Options options;
  Diagnostics faults = read_options(text, options);
  for (RobotInstanceSpec& r : scene.robots) {
    for (GroupSpec& g : scene.groups)  // a wheeled robot that is named takes its team over
      if (!options.robots.empty() && options.robots.means(r.name) && r.group == g.name)
        (r.team == "yellow" ? g.yellow : g.blue) = "none";
    if (!r.robot.find_joint("HeadYaw") || r.controller.kind != "none" || !options.robots.means(r.name)) continue;
    if (r.robot.sensors.empty())
      for (const char* set : {"nao_v6", "nao_motors"}) append(faults, add_sensor_set(set, r.robot.sensors));
    if (!options.images.empty()) append(faults, add_sensor_set("nao_cameras", r.robot.sensors));
  }
  return faults;
}

Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& text, World& world) {
  Options options;
  if (Diagnostics faults = read_options(text, options); has_errors(faults)) return faults;
  return as_link(UsarsimLink::open(world, options));
}

}  // namespace gradus::usarsim
