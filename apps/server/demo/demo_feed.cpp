/// gradus_demo_feed [--robots N] [--port P] [--paused]: serves the made-up world; prints both addresses, then runs until
/// standard input ends or a signal stops it.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "server/demo/demo_world.h"

namespace {

bool input_has_ended() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  char c;
  return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, &c, 1) <= 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gradus::view;
  int robots = 4;
  ServerOptions server_options;
  LiveRunOptions run_options;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--robots") && i + 1 < argc) robots = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--port") && i + 1 < argc) server_options.port = static_cast<std::uint16_t>(std::atoi(argv[++i]));
    else if (!std::strcmp(argv[i], "--token") && i + 1 < argc) server_options.control_token = argv[++i];
    else if (!std::strcmp(argv[i], "--paused")) run_options.start_paused = true;
    else return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  auto server = ViewServer::start(server_options);
  if (!server) return std::fprintf(stderr, "%s\n", gradus::to_string(server.notes().front()).c_str()), 1;
  DemoWorld world(robots);
  LiveRun run(world, **server, run_options);
  std::printf("control %s\nview    %s\n", (*server)->control_url().c_str(), (*server)->view_url().c_str());
  std::fflush(stdout);
  while (!input_has_ended()) std::this_thread::sleep_for(run.turn());
}
