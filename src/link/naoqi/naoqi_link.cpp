#include "link/naoqi/naoqi_link.h"

#include <fmt/format.h>

#include <algorithm>

#include "link/items.h"
#include "load/sensor_toml.h"
#include "load/shipped.h"

namespace gradus::naoqi {
namespace {

constexpr double kPeriod = 0.01;  // of targets: the robot's own bus   [s]
constexpr std::size_t kMostConnections = 64, kMostUnsent = 1 << 20;
constexpr int kMostCalls = 256;  // of one connection, taken at once

struct Options {
  bool lockstep = false;
  double patience = 10, wait = 60;
  bool images = false;
};

Diagnostics read_options(const ControllerSpec& c, Options& out) {
  return each_item("naoqi", c.options, c.place, [&](const std::string& key, const std::string& value) -> std::string {
    if (key == "lockstep" && value.empty()) return out.lockstep = true, "";
    if (key == "patience") return read_time(value, out.patience);
    if (key == "wait") return read_time(value, out.wait);
    if (key == "images" && value.empty()) return out.images = true, "";
    return "known: lockstep, images, patience=, wait=";
  });
}

}  // namespace

/// Moves ALMotion on and hands its orders to the robot.
class NaoqiLink::Driver : public Controller {
 public:
  explicit Driver(Robot& robot) : robot_(robot) {}
  void control(const RobotOutput& output, RobotCommand& command) override {
    robot_.motion->advance(output.time);
    if (!robot_.called) return;
    robot_.motion->write(robot_.orders);
    robot_.orders.write(command);
  }

 private:
  Robot& robot_;
};

Diagnostics NaoqiLink::add_robot(World& world, int r, NaoqiLink& out) {
  const RobotModel& model = world.model().robots[static_cast<std::size_t>(r)];
  const ControllerSpec& c = model.controller;
  Options options;
  Diagnostics notes = read_options(c, options);
  out.lockstep_ = options.lockstep, out.patience_ = options.patience, out.wait_ = options.wait;
  auto robot = std::make_unique<Robot>();
  robot->number = r, robot->name = model.name;
  robot->orders = Orders::of(world.command(r));
  const auto body = nao::Body::of(*model.kind, model.name);
  append(notes, body.notes());
  const auto walk = load_walk(find_shipped("motions/nao_walk.toml", "motions"));
  append(notes, walk.notes());
  auto listener = Listener::tcp(c.file);
  append(notes, listener.notes());
  if (has_errors(notes)) return notes;
  auto motion = Motion::make(*body, model.kind, *walk, norm(world.model().gravity), robot->orders);
  append(notes, motion.notes());
  if (!motion) return notes;
  robot->listener = std::move(*listener);
  robot->motion = std::move(*motion);
  robot->calls = std::make_unique<Calls>(*body, *robot->motion, r, model.name);
  world.add_controller(r, std::make_unique<Driver>(*robot), kPeriod, 0);
  out.robots_.push_back(std::move(robot));
  return notes;
}

Result<std::unique_ptr<NaoqiLink>> NaoqiLink::open(World& world) {
  std::unique_ptr<NaoqiLink> link(new NaoqiLink);
  Diagnostics notes;
  for (int r = 0; r < world.robot_count(); ++r)
    if (world.model().robots[static_cast<std::size_t>(r)].controller.kind == "naoqi")
      append(notes, add_robot(world, r, *link));
  if (has_errors(notes)) return notes;
  return {std::move(link), std::move(notes)};
}

void NaoqiLink::say(Connection& c, const json& message) {
  c.unsent += message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (c.wire.send(c.unsent)) c.unsent.clear();
  if (c.unsent.size() > kMostUnsent) c.wire.close(), ++lost_;  // it does not read
}

void NaoqiLink::answer(const World& world, Robot& robot, Connection& c, std::string_view line) {
  const json j = json::parse(line, nullptr, false);
  if (j.is_object() && j.contains("done") && j["done"].is_number_integer()) {
    std::erase(c.callbacks, j["done"].get<std::int64_t>());
    return;
  }
  ++calls_;
  const bool sound =
      j.is_object() && j.contains("id") && j["id"].is_number_integer() && j.contains("call") && j["call"].is_string();
  if (!sound)
    return ++faults_, say(c, {{"id", nullptr},
                              {"error", "a call is {\"id\": 1, \"call\": \"ALMotion.getAngles\", \"args\": […]}"}});
  const auto id = j["id"].get<std::int64_t>();
  const std::string name = j["call"].get<std::string>();
  const std::size_t dot = std::min(name.find('.'), name.size());
  try {
    Outcome o = robot.calls->call(world, name.substr(0, dot), dot < name.size() ? name.substr(dot + 1) : "",
                                  j.value("args", json::array()), c.number);
    robot.called = true;
    if (j.value("post", false)) return say(c, {{"id", id}, {"result", o.task}});
    if (o.task == 0 || robot.motion->is_over(o.task)) return say(c, {{"id", id}, {"result", o.result}});
    c.waiting.push_back({id, std::move(o)});
  } catch (const CallFault& fault) {
    ++faults_;
    say(c, {{"id", id}, {"error", fault.text}});
  } catch (const json::exception& fault) {
    ++faults_;
    say(c, {{"id", id}, {"error", std::string("not understood: ") + fault.what()}});
  }
}

bool NaoqiLink::hear(const World& world, Robot& robot, Connection& c) {
  if (!c.wire.open()) return false;
  c.wire.flush();
  const bool there = c.wire.fill();
  bool any = false;
  for (int i = 0; i < kMostCalls && c.wire.open(); ++i) {
    const std::string_view text = as_text(c.wire.received());
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    any = true;
    const std::string line(text.substr(0, end));
    c.wire.take(end + 1);
    answer(world, robot, c, line);
  }
  if (c.wire.open() && (c.wire.full() || !there)) c.wire.close();
  return any;
}

bool NaoqiLink::serve(const World& world, Robot& robot) {
  while (robot.connections.size() < kMostConnections) {  // who finds no room waits at the door
    Wire wire = robot.listener.accept();
    if (!wire.open()) break;
    ++connections_;
    if (robot.connections.empty() && robot.limit.allows())
      notices_.push_back({robot.name, "link", came_ ? "a program is back" : "a program has come"});
    came_ = true;
    robot.connections.push_back(std::make_unique<Connection>());
    robot.connections.back()->wire = std::move(wire);
    robot.connections.back()->number = ++last_connection_;
    say(*robot.connections.back(), {{"robot", robot.name}, {"lockstep", lockstep_}, {"modules", Calls::modules()}});
  }
  bool any = false;
  for (auto& c : robot.connections) any |= hear(world, robot, *c);
  const bool some = !robot.connections.empty();
  for (const auto& c : robot.connections)
    if (!c->wire.open()) robot.calls->subscriptions().forget(c->number);
  std::erase_if(robot.connections, [](const auto& c) { return !c->wire.open(); });
  call_back(robot);
  if (some && robot.connections.empty()) {
    ++lost_;
    robot.motion->walk(0, 0, 0);
    if (robot.limit.allows())
      notices_.push_back({robot.name, "link", "its last program has gone; it stops walking and keeps its posture"});
  }
  return any;
}

/// Answers calls whose tasks are over.
void NaoqiLink::finish(const World&, Robot& robot) {
  for (auto& c : robot.connections) {
    for (const Waiting& w : c->waiting)
      if (robot.motion->is_over(w.outcome.task) || robot.motion->time() >= w.outcome.timeout)
        say(*c,
            {{"id", w.id},
             {"result", w.outcome.timeout < 1e17 ? json(!robot.motion->is_over(w.outcome.task)) : w.outcome.result}});
    std::erase_if(c->waiting, [&](const Waiting& w) {
      return robot.motion->is_over(w.outcome.task) || robot.motion->time() >= w.outcome.timeout;
    });
  }
}

/// Methods of programs that events call.
void NaoqiLink::call_back(Robot& robot) {
  Callback call;
  while (robot.calls->subscriptions().pop(call))
    for (auto& c : robot.connections) {
      if (c->number != call.client || !c->wire.open()) continue;
      c->callbacks.push_back(++callbacks_);
      say(*c, {{"event", call.event},
               {"value", call.value},
               {"module", call.module},
               {"method", call.method},
               {"number", callbacks_}});
    }
}

/// Somebody waits for something; a program in which a called method runs waits twice, or it thinks.
bool NaoqiLink::time_may_run() const {
  bool any = false;
  for (const auto& r : robots_)
    for (const auto& c : r->connections) {
      any |= !c->waiting.empty();
      if (!c->callbacks.empty() && c->waiting.size() < 2) return false;
    }
  return any;
}

/// Lock-step: until a call is under way that takes simulated time.
void NaoqiLink::wait_for_calls(const World& world) {
  const double begin = wall_time();
  double since = begin;
  while (!time_may_run()) {
    bool any = false;
    for (auto& r : robots_) any |= serve(world, *r);
    if (any) {
      waited_for_ = true, since = wall_time();
      continue;
    }
    if (!waited_for_ || time_may_run()) return;
    const double limit = came_ ? patience_ : wait_, left = since + limit - wall_time();
    if (left <= 0) {
      waited_for_ = false;
      ++impatient_;
      for (auto& r : robots_)
        for (auto& c : r->connections) c->callbacks.clear();  // methods that do not return are not waited for again
      notices_.push_back({robots_.front()->name, "link",
                          fmt::format("no program called for {:g} s; the run goes on without them", limit)});
      return;
    }
    std::vector<int> fds;
    for (const auto& r : robots_) {
      fds.push_back(r->listener.fd());
      for (const auto& c : r->connections) fds.push_back(c->wire.fd());
    }
    if (wait_readable(fds, left) == Woken::signal) return;
  }
}

std::span<const Command> NaoqiLink::receive(const World& world) {
  for (auto& r : robots_) serve(world, *r);
  if (lockstep_) wait_for_calls(world);
  return {};
}

void NaoqiLink::publish(const World& world) {
  for (auto& r : robots_) {
    r->calls->look(world);
    call_back(*r);
    finish(world, *r);
  }
}

std::vector<LinkNotice> NaoqiLink::take_notices() {
  for (auto& r : robots_)
    for (LinkNotice& n : r->calls->take_notices()) notices_.push_back(std::move(n));
  return std::exchange(notices_, {});
}

std::vector<std::string> NaoqiLink::addresses() const {
  std::vector<std::string> out;
  for (const auto& r : robots_)
    out.push_back(fmt::format("programs connect to {}: ALProxy(\"ALMotion\", \"{}\", {}) is robot '{}'",
                              r->listener.address(), r->listener.address().substr(0, r->listener.address().rfind(':')),
                              r->listener.port(), r->name));
  return out;
}

ProtocolLink::Figures NaoqiLink::figures() const {
  return {{"connections", connections_}, {"calls", calls_}, {"callbacks", callbacks_},
          {"faults", faults_},           {"lost", lost_},   {"impatient", impatient_}};
}

std::vector<std::string> NaoqiLink::summary() const {
  return {fmt::format("naoqi: {} connections, {} calls, {} with errors", connections_, calls_, faults_)};
}

bool asked_for(const SceneSpec& scene) { return has_controller(scene, "naoqi"); }

Diagnostics prepare(const std::string& text, SceneSpec& scene) {
  RobotChoice choice;
  ControllerSpec c;
  c.kind = "naoqi", c.period = kPeriod;
  c.file = "9559";
  Diagnostics faults = sort_items("--naoqi", text, is_port, choice, c);
  Options options;
  append(faults, read_options(c, options));
  std::string host;
  std::uint16_t port = 0;
  if (const std::string fault = split_address(c.file, host, port); !fault.empty())
    faults.push_back({{}, Severity::error, "--naoqi: " + fault, ""});
  const auto robots = nao::chosen_naos(choice, scene, "naoqi", "--naoqi", false, faults);
  for (std::size_t i = 0; i < robots.size(); ++i) {
    robots[i]->controller = c;
    if (options.images) append(faults, add_sensor_set("nao_cameras", robots[i]->robot.sensors));
    robots[i]->controller.file = host + ":" + std::to_string(port == 0 ? 0 : port + static_cast<int>(i));
  }
  return faults;
}

Result<std::unique_ptr<ProtocolLink>> open_link(const std::string&, World& world) {
  return as_link(NaoqiLink::open(world));
}

}  // namespace gradus::naoqi
