/// ALMemory's events: who wants to be called when a key changes or an event is raised.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "link/naoqi/arguments.h"

namespace gradus::naoqi {

/// A call back into a program: method(event, value, module).
struct Callback {
  int client;  // connection of the program
  std::string event, module, method;
  json value;
};

class Subscriptions {
 public:
  void add(int client, const std::string& event, const std::string& module, const std::string& method);
  void remove(const std::string& event, const std::string& module);
  void forget(int client);
  /// Everybody who subscribed gets a call.
  void raise(const std::string& event, const json& value);
  /// Events that somebody waits for.
  std::vector<std::string> events() const;
  /// A key of the robot's own has this value now; a change is an event. The first look tells nothing.
  void look(const std::string& event, const json& value);
  bool pop(Callback& out);

 private:
  struct Subscriber {
    int client;
    std::string module, method;
  };
  std::map<std::string, std::vector<Subscriber>> subscribers_;  // by event
  std::map<std::string, json> seen_;
  std::deque<Callback> calls_;
};

}  // namespace gradus::naoqi
