#include "link/process/process_controller.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

extern char** environ;

namespace gradus {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLineMax = 1 << 20;  // bytes of an answer

Diagnostics error(const Place& place, std::string text, std::string suggestion) {
  return {{place, Severity::error, std::move(text), std::move(suggestion)}};
}

/// What is executed: the file itself, or python3 with it.
std::vector<std::string> words_of(const std::string& path, const std::string& options) {
  const std::string absolute = std::filesystem::absolute(path).string();
  std::vector<std::string> words;
  if (access(absolute.c_str(), X_OK) != 0 && std::filesystem::path(path).extension() == ".py")
    words = {"python3", "-u"};
  words.push_back(absolute);
  std::istringstream in(options);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Starts the program with `io` as its standard input and output; 0 or an errno. It has a process group of its own, so
/// that Ctrl-C ends the run and the run then ends the program.
int spawn(const std::vector<std::string>& words, int io, pid_t& child) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, io, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, io, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int result = posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return result;
}

std::string first_line(const std::string& robot, const RobotKind& kind, double period) {
  json j{{"robot", robot}, {"kind", kind.name}, {"period", period}, {"feet", kind.feet.size()}};
  for (const char* list : {"joints", "lower", "upper", "motors"}) j[list] = json::array();
  for (const Joint& joint : kind.joints) {
    j["joints"].push_back(kind.objects[static_cast<std::size_t>(joint.object)].name);
    j["lower"].push_back(joint.lower);  // null: none
    j["upper"].push_back(joint.upper);
    j["motors"].push_back(joint.drive >= 0);
  }
  return j.dump() + "\n";
}

json of(std::span<const double> x) { return json(std::vector<double>(x.begin(), x.end())); }
json of(const Vec3& v) { return {v.x, v.y, v.z}; }

std::string line_of(const RobotOutput& o) {
  json j{{"k", o.k},
               {"time", o.time},
               {"q", of(o.q)},
               {"v", of(o.v)},
               {"tau", of(o.tau)},
               {"q_motor", of(o.q_motor)},
               {"current", of(o.current)},
               {"voltage", of(o.voltage)},
               {"position", of(o.p_WB)},
               {"orientation", {o.q_WB.w, o.q_WB.x, o.q_WB.y, o.q_WB.z}},
               {"velocity", of(o.v_WB)},
               {"gyro", of(o.gyro)},
               {"accelerometer", of(o.accelerometer)},
               {"foot_force", of(o.foot_force)}};
  if (!o.sensors.empty()) j["sensors"] = json::object();
  for (const SensorReading& s : o.sensors)
    j["sensors"][std::string(s.name)] = {{"kind", s.kind},
                                            {"channels", std::vector<std::string>(s.channels.begin(), s.channels.end())},
                                            {"time", s.time},
                                            {"sample", s.sample},
                                            {"values", of(s.values)},
                                            {"truth", of(s.truth)}};
  return j.dump() + "\n";
}

/// One number for each joint, or some by name. "" or what is wrong; `out` changes only if all is well.
std::string take_numbers(const json& j, const char* key, const std::vector<std::string>& joints,
                         std::span<double> out) {
  std::vector<double> values(out.begin(), out.end());
  const std::string name(key);
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
  std::copy(values.begin(), values.end(), out.begin());
  return "";
}

std::string shortened(const std::string& text) { return text.size() > 60 ? text.substr(0, 60) + "…" : text; }

}  // namespace

Result<std::unique_ptr<ProcessController>> ProcessController::start(const std::string& path,
                                                                    const std::string& robot_name,
                                                                    const RobotKind& kind, double period,
                                                                    const std::string& options, const Place& place) {
  std::unique_ptr<ProcessController> c(new ProcessController);
  c->path_ = path;
  c->robot_ = robot_name;
  for (const Joint& joint : kind.joints)
    c->joints_.push_back(kind.objects[static_cast<std::size_t>(joint.object)].name);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return error(place, std::string("cannot speak with a program: ") + std::strerror(errno), "");
  c->socket_ = ends[0];
  const int fault = spawn(words_of(path, options), ends[1], c->child_);
  close(ends[1]);
  if (fault != 0) {
    c->child_ = -1;
    return error(
        place, "cannot start '" + path + "': " + std::strerror(fault),
        fault == EACCES ? "make it executable: chmod +x" : "a program needs a first line as in #!/usr/bin/env python3");
  }
  if (!c->send(first_line(robot_name, kind, period))) return error(place, c->failure_, "");
  return c;
}

ProcessController::~ProcessController() {
  if (socket_ >= 0) close(socket_);
  if (child_ < 0) return;
  const auto gone = [&] { return waitpid(child_, nullptr, WNOHANG) != 0; };
  for (const int signal : {0, SIGTERM, SIGKILL}) {  // its input has ended; then it is told; then it is not asked
    if (signal != 0) kill(child_, signal);
    for (int i = 0; i < 100; ++i) {
      if (gone()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

void ProcessController::fail(const std::string& why) {
  failure_ = "control program '" + path_ + "' (robot '" + robot_ + "'): " + why;
}

/// It closed its output: because it ended, which may take a moment to be seen.
std::string ProcessController::how_it_ended() {
  int status = 0;
  for (int i = 0; i < 50 && waitpid(child_, &status, WNOHANG) == 0; ++i) {
    if (i == 49) return "closed its output";
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  child_ = -1;
  if (WIFSIGNALED(status)) return std::string("ended by a signal: ") + strsignal(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  return code == 0 ? "ended"
                   : "ended with exit status " + std::to_string(code) +
                         (code == 127 ? "; is python3 installed?" : "; what it printed is above");
}

bool ProcessController::send(const std::string& line) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(how_it_ended()), false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool ProcessController::receive(std::string& line) {
  const auto end = Clock::now() + std::chrono::duration<double>(kPatience);
  for (;;) {
    if (const std::size_t newline = received_.find('\n'); newline != std::string::npos) {
      line = received_.substr(0, newline);
      received_.erase(0, newline + 1);
      return true;
    }
    if (received_.size() > kLineMax) return fail("answered a line of more than a megabyte"), false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return fail("gave no answer for 10 s; does it flush its output after every line?"), false;
    pollfd wait{socket_, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
    char bytes[65536];
    const ssize_t n = recv(socket_, bytes, sizeof bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(how_it_ended()), false;
    received_.append(bytes, static_cast<std::size_t>(n));
  }
}

/// The numbers that a key of an answer is about; null: another key.
static const std::span<double>* impedance_of(const std::string& key, const RobotCommand& command) {
  return key == "velocity" ? &command.velocity
         : key == "torque" ? &command.torque
         : key == "kp"     ? &command.kp
         : key == "kd"     ? &command.kd
                           : nullptr;
}

void ProcessController::take(const std::string& line, RobotCommand& command) {
  const json j = json::parse(line, nullptr, false);
  if (!j.is_object())
    return fail("answered '" + shortened(line) +
                "' instead of a JSON object; its standard output belongs to gradus, print to standard error");
  for (const auto& [key, value] : j.items()) {
    std::string problem;
    if (key == "target") {
      problem = take_numbers(value, "target", joints_, command.target);
    } else if (key == "stiffness") {
      if (command.stiffness.empty())
        problem = "asked for a stiffness, and no joint of this robot has an actuator chain";
      else
        problem = take_numbers(value, "stiffness", joints_, command.stiffness);
    } else if (const std::span<double>* numbers = impedance_of(key, command)) {
      if (numbers->empty())
        problem = "asked for a " + key + ", and the scene does not say commands = \"impedance\" of this robot";
      else
        problem = take_numbers(value, key.c_str(), joints_, *numbers);
    } else if (key == "end") {
      problem = "ended the run: " + (value.is_string() ? value.get<std::string>() : value.dump());
    } else {
      problem = "answered with '" + shortened(key) + "'; known: target, stiffness, velocity, torque, kp, kd, end";
    }
    if (!problem.empty()) return fail(problem);
  }
  for (const std::span<double> gains : {command.kp, command.kd})
    for (const double x : gains)
      if (!(x >= 0)) return fail("asked for a negative gain");
  for (const double s : command.stiffness)
    if (!(s >= 0 && s <= 1)) return fail("asked for a stiffness outside 0 ... 1");
}

void ProcessController::control(const RobotOutput& output, RobotCommand& command) {
  std::string line;
  if (failure_.empty() && !received_.empty())
    fail("answered more than one line to a call");  // all later ones would be late
  if (failure_.empty() && send(line_of(output)) && receive(line)) take(line, command);
}

}  // namespace gradus
