#include <cmath>
#include <cstdio>

#include "common/files.h"
#include "papers/nao_trial.h"
#include "papers/paper_world.h"
#include "papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kDistances[] = {0.3, 0.5, 0.8, 1.2, 1.6, 2.0, 2.4};  // from the sonars to the wall, along its normal  [m]
constexpr double kSonarX = 0.0055825;  // of the sonars in the torso  [m]
constexpr double kDegree = 3.14159265358979323846 / 180;

/// A Nao V4 before a wall that is turned by an angle, at a distance from its sonars.
std::optional<SceneSpec> before_wall(double distance, double angle) {
  auto scene = load_scene_with("sonar_wall", {}, {});
  if (!scene) return std::nullopt;
  scene->robots.resize(1);
  std::erase_if(scene->field, [](const FieldObjectSpec& f) { return f.name == "slant"; });
  for (SensorSpec& s : scene->robots[0].robot.sensors)
    if (s.kind == "sonar") s.settings.push_back({"range", {0.25, 2.55}, {}, {}, {}});  // of the V4
  for (FieldObjectSpec& f : scene->field) {
    if (f.name != "straight") continue;
    f.shape.size = {0.1, 8, 2};
    const Vec3 n{std::cos(angle), std::sin(angle), 0};
    f.X_WO = {to_matrix(from_roll_pitch_yaw(0, 0, angle)), n * (distance + 0.05 + kSonarX) + Vec3{0, 0, 1}};
  }
  return *scene;
}

struct Heard {
  double mean = 0, deviation = 0;  // of the left sonar   [m]
};

std::optional<Heard> hear(double distance, double angle, int samples) {
  const auto scene = before_wall(distance, angle);
  const std::unique_ptr<World> w = scene ? make_world(*scene) : nullptr;
  if (!w) return std::nullopt;
  int sonar = -1;
  for (std::size_t i = 0; i < w->sensors(0).size(); ++i)
    if (w->sensors(0)[i].table->name == "sonar" && sonar < 0) sonar = static_cast<int>(i);
  double sum = 0, squares = 0;
  int n = 0;
  for (std::int64_t last = 2; n < samples && w->k() < 60000;) {
    w->step();
    const sense::Reading r = w->read(0, sonar);
    if (r.sample <= last) continue;
    last = r.sample;
    sum += r.values[0], squares += r.values[0] * r.values[0], ++n;
  }
  if (n == 0) return std::nullopt;
  const double mean = sum / n;
  return Heard{mean, std::sqrt(std::max(0.0, squares / n - mean * mean))};
}

}  // namespace

/// The sonars of USARSim 2012's Nao before a wall: what they say against what a ruler would, and how far the wall may be turned.
std::optional<Json> usarsim_sonar(const PaperOptions& options) {
  const int samples = options.quick ? 5 : 40;
  Json mean, deviation;
  double worst = 0;
  for (const double d : kDistances) {
    const auto h = hear(d, 0, samples);
    if (!h) return std::nullopt;
    char key[16];
    std::snprintf(key, sizeof key, "%.1f m", d);
    mean[key] = h->mean - d, deviation[key] = h->deviation;
    worst = std::max(worst, std::fabs(h->mean - d));
  }
  double heard = -1;
  for (int angle = 0; angle <= 130; angle += options.quick ? 15 : 5) {
    const auto h = hear(0.8, angle * kDegree, 3);
    if (!h) return std::nullopt;
    if (h->mean > 2.4) break;
    heard = angle;
  }
  const Json rows = {row("left sonar, mean reading less distance to the wall", "m", nullptr, nullptr, mean),
                     row("left sonar, standard deviation", "m", nullptr, nullptr, deviation),
                     row("wall turned to the left, largest angle that is heard", "deg", nullptr, nullptr, heard)};
  char verdict[200];
  std::snprintf(verdict, sizeof verdict,
                "from 0.3 to 2.4 m the mean is within %.1f cm of the wall; a wall turned by more than %.0f degrees does not answer",
                100 * worst, heard);
  return Json{{"name", "usarsim-sonar"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli
