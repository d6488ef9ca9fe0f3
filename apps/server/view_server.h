/// Serves the viewer page and one WebSocket per viewer, on its own thread. The simulation talks to it from one thread:
///
///   auto server = ViewServer::start({});            print(server->control_url())
///   server->set_scene(description);
///   loop: server->poll_commands(commands);  apply them, reply;  step;  if (server->frame_due())
///   server->publish(frame);
///
/// Nothing here waits: frames go through a triple buffer (newest wins, thinned to 60 a second by the server), commands
/// and events through bounded queues. A viewer that is slow, dead or hostile costs the server's thread, never a step.
///
/// Access: loopback only unless told otherwise; Host and Origin must be the server's own; two random tokens, one to
/// view and one to control; among viewers that may control, one holds the lease. Limits are in docs/viewer.md.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/command.h"
#include "server/frame.h"
#include "server/scene_description.h"

namespace gradus::view {

struct ServerOptions {
  std::string address = "127.0.0.1";  // to listen on; anything else than loopback is the user's explicit wish
  std::uint16_t port = 0;             // 0 = any free one
  std::string control_token;          // "" = random
  std::string view_token;             // "" = random
  std::string page;  // "" = the live viewer; else this, e.g. Recording::to_html(): replay without a run
  int viewers_max = 72;
  int half_open_max = 16;      // connections that have not finished their request
  double request_timeout = 5;  // a request must be complete by then                       [s]
  double idle_timeout = 20;    // a viewer that answers no ping for so long is dropped     [s]
  double write_timeout = 10;   // a viewer that takes no data for so long is dropped       [s]
};

/// Something worth a mark on the time line.
struct Event {
  std::uint64_t k = 0;
  double time = 0;   // [s]
  std::string kind;  // "fall", "goal", "contact", "late", "level", "reset", "push", "note"
  std::string text;  // for people
  int robot = -1;    // whom it concerns, or -1
};

struct ServerStatistics {
  int viewers = 0;
  std::uint64_t connections = 0, refused = 0;  // refused: token, host, origin, size, time or number
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_replaced = 0;  // a newer one came before a viewer could take it
  std::uint64_t commands = 0, commands_rejected = 0;
};

class ViewServer {
 public:
  static Result<std::unique_ptr<ViewServer>> start(ServerOptions options);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  std::uint16_t port() const;
  std::string control_url() const;  // http://127.0.0.1:PORT/?token=…
  std::string view_url() const;

  // From the simulation's thread; none of these waits.
  void set_scene(std::shared_ptr<const SceneDescription> scene);
  /// Told after the scene, to those who come later too.
  void set_plans(std::shared_ptr<const PlannedWays> plans);
  bool frame_due();  // somebody looks and the last frame is 1/60 s old
  void publish(const Frame& frame);
  void publish_image(const Picture& picture);  // from any thread
  void poll_commands(std::vector<Command>& commands);  // replaces the content, in order of arrival
  Wanted wanted();                                     // what any viewer wants to see; valid until the next call
  void reply(const Command& command, bool ok, std::string text);
  void announce(Event event);

  ServerStatistics statistics() const;  // from any thread

 private:
  class Hub;
  explicit ViewServer(std::unique_ptr<Hub> hub);
  std::unique_ptr<Hub> hub_;
};

}  // namespace gradus::view
