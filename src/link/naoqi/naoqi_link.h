/// A Nao for programs written for NaoQi [docs/links.md]: calls of ALMotion, ALMemory and others over TCP, in simulated
/// time. python/naoqi is the other end; the wire is our own, one JSON object a line:
///
///   program → gradus   {"id": 1, "call": "ALMotion.walkTo", "args": [0.2, 0, 0], "post": false}
///   gradus → program   {"id": 1, "result": null} when the call is over, or {"id": 1, "error": "…"}
///   gradus → program   {"event": "LeftBumperPressed", "value": 1, "module": "…", "method": "…", "number": 7}
///   program → gradus   {"done": 7} when the method has returned
///
/// Free (default): the run keeps time with the wall clock. Lock-step: simulated time runs only while some call waits
/// for something (or sleeps), and stands while the programs think, also while a method that an event called runs.
///
/// Options, items between commas: a port or address (default 9559; further robots get the next ones), robot=NAME,
/// lockstep, images, patience=TIME, wait=TIME.
#pragma once
#include "link/naoqi/calls.h"
#include "link/stream/stream.h"

namespace gradus::naoqi {

class NaoqiLink : public ProtocolLink {
 public:
  static Result<std::unique_ptr<NaoqiLink>> open(World& world);
  std::string_view name() const override { return "naoqi"; }
  std::span<const Command> receive(const World& world) override;
  void publish(const World& world) override;
  bool wants_real_time() const override { return !lockstep_; }
  bool keeps_programs() const override { return true; }
  std::vector<LinkNotice> take_notices() override;
  std::vector<std::string> addresses() const override;
  Figures figures() const override;
  std::vector<std::string> summary() const override;
  std::uint16_t port(std::size_t robot) const { return robots_[robot]->listener.port(); }

 private:
  struct Waiting {
    std::int64_t id;
    Outcome outcome;
  };
  struct Connection {
    Wire wire;
    std::vector<Waiting> waiting;  // calls that are not over
    std::string unsent;
    int number = 0;                       // for subscriptions
    std::vector<std::int64_t> callbacks;  // that run in the program
  };
  struct Robot {
    int number = 0;
    std::string name;
    Listener listener;
    std::unique_ptr<Motion> motion;
    std::unique_ptr<Calls> calls;
    std::vector<std::unique_ptr<Connection>> connections;
    Orders orders;
    bool called = false;  // by a program, ever
    NoticeLimit limit;
  };
  class Driver;
  NaoqiLink() = default;
  static Diagnostics add_robot(World& world, int robot, NaoqiLink& out);
  bool serve(const World& world, Robot& robot);  // was there anything?
  bool hear(const World& world, Robot& robot, Connection& c);
  void answer(const World& world, Robot& robot, Connection& c, std::string_view line);
  void say(Connection& c, const json& message);
  void finish(const World& world, Robot& robot);
  void call_back(Robot& robot);
  bool time_may_run() const;
  void wait_for_calls(const World& world);

  std::vector<std::unique_ptr<Robot>> robots_;
  std::vector<LinkNotice> notices_;
  bool lockstep_ = false, waited_for_ = true, came_ = false;
  double patience_ = 10, wait_ = 60;
  int last_connection_ = 0;
  std::int64_t calls_ = 0, callbacks_ = 0, faults_ = 0, connections_ = 0, lost_ = 0, impatient_ = 0;
};

bool asked_for(const SceneSpec& scene);
Diagnostics prepare(const std::string& options, SceneSpec& scene);
Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& options, World& world);
inline constexpr LinkTable kLink{"naoqi",
                                 "programs written for NaoQi drive a Nao (python/naoqi)",
                                 "PORT (default 9559), robot=NAME, lockstep, images, …",
                                 asked_for,
                                 prepare,
                                 open_link};

}  // namespace gradus::naoqi
