#include <cmath>
#include <cstdio>

#include "common/files.h"
#include "load/scene_toml.h"
#include "load/shipped.h"
#include "papers/walk_sweep.h"
#include "world/world.h"

namespace gradus::cli {
namespace {

/// Six Naos around a ball, each with one camera of 320 × 240.
SceneSpec six(double rate, bool& sound) {
  std::string text = "[world]\nstep = \"1 ms\"\ninclude = [\"fields/spl.toml\"]\n";
  for (int i = 0; i < 6; ++i) {
    char robot[400];
    const double turn = 1.0471975511965976 * i;
    std::snprintf(robot, sizeof robot,
                  "[robot.r%d]\nmodel = \"robots/nao_h25_v6.toml\"\npose = { x = \"%.3f m\", y = \"%.3f m\", yaw = \"%.1f deg\" }\n"
                  "sensors = \"nao_cameras\"\nsensor.camera_top = { size = [320, 240], rate = \"%g Hz\" }\n",
                  i + 1, 1.6 * std::cos(turn), 1.6 * std::sin(turn), 60.0 * i + 180, rate);
    text += robot;
  }
  text += "[robot.ball]\nmodel = \"robots/orange_ball.toml\"\nmotion = \"free_body\"\npose = { z = \"42.5 mm\" }\n";
  auto scene = parse_scene(text, "six.toml", shipped_files());
  sound = static_cast<bool>(scene);
  return sound ? *scene : SceneSpec{};
}

/// Looks for the ball in every image of its top camera.
class Finder : public Controller {
 public:
  explicit Finder(int& found, int& looked, std::int64_t& last) : found_(found), looked_(looked), last_(last) {}
  void control(const RobotOutput& output, RobotCommand&) override {
    const auto images = output.sensors[0].image();
    if (images.empty() || images[0].frame == last_) return;
    last_ = images[0].frame;
    ++looked_;
    int orange = 0;
    for (std::size_t i = 0; i + 3 < images[0].bytes.size(); i += 4) orange += images[0].bytes[i + 3] - images[0].bytes[i + 1] > 60;
    found_ += orange > 8;
  }

 private:
  int &found_, &looked_;
  std::int64_t& last_;
};

struct Outcome {
  double factor = 0;  // simulated over wall time
  int looked = 0, found = 0;
  std::uint64_t hash = 0;
};

std::optional<Outcome> run(double rate, int threads, double seconds) {
  bool sound = false;
  const SceneSpec scene = six(rate, sound);
  if (!sound) return std::nullopt;
  auto model = compile(scene);
  if (!model) return std::nullopt;
  World::Options options;
  options.render_threads = threads;
  auto world = World::make(std::move(*model), options);
  if (!world) return std::nullopt;
  World& w = **world;
  Outcome out;
  std::int64_t last[6] = {-1, -1, -1, -1, -1, -1};
  for (int r = 0; r < 6; ++r) w.add_controller(r, std::make_unique<Finder>(out.found, out.looked, last[r]), 0.01, 0);
  const double start = now();
  while (w.time() < seconds) w.step();
  out.factor = w.time() / (now() - start);
  out.hash = w.hash();
  return out;
}

}  // namespace

/// MuRoSimF 2009, section 7: six humanoids with one camera each in real time; there the images came from a graphics chip.
std::optional<Json> murosimf_cameras(const PaperOptions& options) {
  const double seconds = options.quick ? 0.3 : 5;
  Json factor[2];
  int looked = 0, found = 0;
  bool same = true;
  double least = 1e9;
  const double rates[] = {20, 30};
  for (int i : {0, 1}) {
    std::optional<Outcome> before;
    for (const int threads : {0, 1}) {
      const auto o = run(rates[i], threads, seconds);
      if (!o) return std::nullopt;
      factor[i][threads ? "one thread for images" : "no thread for images"] = o->factor;
      looked += o->looked, found += o->found;
      if (before) same = same && before->hash == o->hash && before->looked == o->looked && before->found == o->found;
      if (threads) least = std::min(least, o->factor);
      before = o;
    }
  }
  const Json rows = {row("six robots, one camera each, 20 Hz: simulated over wall time", "", "1 (real time)", nullptr, factor[0]),
                     row("the same at 30 Hz, 320 x 240, 1 ms", "", nullptr, nullptr, factor[1]),
                     row("images in which the ball was found", "", nullptr, nullptr,
                         looked > 0 ? static_cast<double>(found) / looked : 0)};
  char verdict[200];
  std::snprintf(verdict, sizeof verdict,
                "six humanoids that look for a ball in their images run at %.1f times real time in software; %s results with and "
                "without the thread",
                least, same ? "the same" : "DIFFERENT");
  return Json{{"name", "murosimf-cameras"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli
