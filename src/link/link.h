/// The one contract of everything that lets programs outside take part in a run over a protocol of theirs: for one
/// robot, a team or all of them, over sockets, pipes or serial lines. A link translates; it knows no physics.
///
///   each step:  for (Command c : link.receive(world)) apply(c);   world.step();   link.publish(world);
///
/// What a program asks of joints becomes targets (a link adds a Controller or GroupController to the world for that),
/// everything else becomes Commands. Both are recorded, so the log of a run replays without any program. A program may
/// come, go and come back at any time; until it is heard the robots keep their last targets. A link never waits longer
/// than it says.
///
/// A new link is a folder and a line in registry.cpp; docs/extending.md walks through one.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "world/command.h"

namespace gradus {

/// Something that happened at a link and that people should be told: a program came, went, said something.
struct LinkNotice {
  std::string robot, kind, what;  // kind: of the Event that it becomes
};

class ProtocolLink {
 public:
  virtual ~ProtocolLink() = default;
  virtual std::string_view name() const = 0;  // as in the registry
  /// What came from outside and is to be done before the next step. In lock-step it waits here for the programs'
  /// answers.
  virtual std::span<const Command> receive(const World& world) = 0;
  /// What the programs get to see of the new state, if something is due.
  virtual void publish(const World& world) = 0;
  /// Do the programs keep time with the wall clock? False in lock-step.
  virtual bool wants_real_time() const = 0;
  /// Do they keep a state of their own, so that the run cannot go back in time?
  virtual bool keeps_programs() const { return false; }
  /// What happened since the last call.
  virtual std::vector<LinkNotice> take_notices() { return {}; }
  /// Why the run cannot go on without the program; "": it can.
  virtual std::string failure() const { return ""; }
  /// Where programs find it, one line each, as people want to read it.
  virtual std::vector<std::string> addresses() const = 0;
  /// What was sent, taken and refused so far: for summaries and --json.
  using Figures = std::vector<std::pair<std::string, std::int64_t>>;
  virtual Figures figures() const = 0;
  /// The same in words, one line each.
  virtual std::vector<std::string> summary() const = 0;
};

/// One kind of link.
struct LinkTable {
  std::string_view name, about;
  std::string_view usage;  // the options, as people are shown them
  /// Does the scene itself ask for it?
  bool (*asked_for)(const SceneSpec& scene);
  /// Changes the scene as the options say, before it is compiled (options: what follows --NAME=). Errors are about the
  /// options.
  Diagnostics (*prepare)(const std::string& options, SceneSpec& scene);
  /// Opens it on a compiled world.
  Result<std::unique_ptr<ProtocolLink>> (*open)(const std::string& options, World& world);
};

std::span<const LinkTable> all_links();
const LinkTable* find_link(std::string_view name);  // null: unknown

}  // namespace gradus
