/// What people did to a run, seen from the world alone: pushes and changed levels. For recordings, where nobody tells.
#pragma once
#include <string>
#include <vector>

#include "server/view_server.h"
#include "world/world.h"

namespace gradus::cli {

class HandWatch {
 public:
  explicit HandWatch(const World& world);
  /// To be called after every step. A push is told when it has ended, at the time when it began, with its greatest
  /// force.
  void look(const World& world, std::vector<view::Event>& events);
  /// Tells the pushes that are still held.
  void finish(std::vector<view::Event>& events);

 private:
  struct Seen {
    std::string name, motion;
    bool pushed = false;
    std::int64_t k = 0;    // step at which the push began …
    double time = 0;       // … and its time  [s]
    double strongest = 0;  // [N]
  };
  void look_at_push(const World& world, int robot, std::vector<view::Event>& events);
  static view::Event told(const Seen& seen, int robot);

  std::vector<Seen> seen_;  // (robots)
};

}  // namespace gradus::cli
