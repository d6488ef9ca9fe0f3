/// gradus_demo_feed [--robots N] [--port P] [--token T] [--paused]: serves the made-up world; prints both addresses,
/// then runs until standard input ends or a signal stops it. --export FILE writes ten seconds of it as one HTML file
/// instead; --replay serves such a file without a run.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>

#include "server/recording.h"
#include "support/viewer/demo_world.h"

using namespace gradus::view;

namespace {

bool input_has_ended() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  char c;
  return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, &c, 1) <= 0;
}

/// Ten simulated seconds at 30 pictures a second, with every property.
std::string make_html(DemoWorld& world) {
  const auto scene = world.describe();
  std::vector<std::uint16_t> all(scene->properties.size());
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  Recording recording(scene);
  Frame frame;
  std::vector<Event> events;
  for (int k = 0; k <= 10000; ++k, world.step()) {
    if (k % 33 != 0) continue;
    world.fill(frame, {all, true});
    frame.k = world.k();
    frame.time = static_cast<double>(k) * scene->step;
    recording.add(frame);
  }
  world.take_events(events);
  for (const Event& e : events) recording.add(e);
  return recording.to_html();
}

int write_file(const char* file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  return out.flush() ? 0 : (std::fprintf(stderr, "cannot write %s\n", file), 1);
}

struct Options {
  int robots = 4;
  const char* html = nullptr;  // write the page here and end
  bool is_replay = false;
  ServerOptions server;
  LiveRunOptions run;
};

/// False and a line on standard error if a word is not known.
bool read_options(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--robots") && i + 1 < argc)
      o.robots = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--port") && i + 1 < argc)
      o.server.port = static_cast<std::uint16_t>(std::atoi(argv[++i]));
    else if (!std::strcmp(argv[i], "--token") && i + 1 < argc)
      o.server.control_token = argv[++i];
    else if (!std::strcmp(argv[i], "--export") && i + 1 < argc)
      o.html = argv[++i];
    else if (!std::strcmp(argv[i], "--replay"))
      o.is_replay = true;
    else if (!std::strcmp(argv[i], "--paused"))
      o.run.start_paused = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  if (!read_options(argc, argv, o)) return 2;
  DemoWorld world(o.robots);
  if (o.html) return write_file(o.html, make_html(world));
  if (o.is_replay) o.server.page = make_html(world);
  auto server = ViewServer::start(o.server);
  if (!server) return std::fprintf(stderr, "%s\n", gradus::to_string(server.notes().front()).c_str()), 1;
  LiveRun run(world, **server, o.run);
  std::printf("control %s\nview    %s\n", (*server)->control_url().c_str(), (*server)->view_url().c_str());
  std::fflush(stdout);
  while (!input_has_ended()) std::this_thread::sleep_for(run.turn());
}
