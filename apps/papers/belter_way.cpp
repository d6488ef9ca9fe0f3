#include "papers/belter_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "common/files.h"
#include "load/gait_toml.h"
#include "papers/paper_world.h"

namespace gradus::cli {

std::optional<WayResult> walk_way(const WayTrial& trial) {
  auto scene = load_scene_or_robot(find_shipped(trial.scene, "scenes"));
  if (!scene) return print(scene.notes()), std::nullopt;
  if (scene->field.empty() || scene->field[0].shape.map < 0 || scene->robots.empty() || scene->robots[0].controller.kind != "plan")
    return print({{{scene->file, 0, 0}, Severity::error, "its first object must be a map or terrain, its first robot must have a plan",
                   "see scenes/messor_plan.toml"}}),
           std::nullopt;
  scene->maps[static_cast<std::size_t>(scene->field[0].shape.map)].grid = trial.map ? *trial.map : make_terrain(trial.terrain);
  scene->field[0].surface.friction = trial.friction;
  RobotInstanceSpec& robot = scene->robots[0];
  const auto gait = load_gait(robot.controller.file);
  if (!gait) return print(gait.notes()), std::nullopt;
  robot.controller = {};
  robot.p_WB = {trial.start.x, trial.start.y, 0}, robot.on_ground = true;
  robot.q_WB = from_roll_pitch_yaw(0, 0, trial.start_yaw);
  WayResult out;
  out.map = scene->maps[static_cast<std::size_t>(scene->field[0].shape.map)].grid;
  const auto world = make_world(*scene);
  if (!world) return std::nullopt;
  World& w = *world;
  plan::WaySettings settings = trial.settings;
  settings.walker.gait = *gait;
  constexpr double kPeriod = 0.01;
  auto made = plan::WayController::make(w.model(), w.model().robots[0].kind, settings, 0, kPeriod, {});
  if (!made) return print(made.notes()), std::nullopt;
  plan::WayController& way = **made;
  if (trial.keep_samples) way.keep_samples();
  w.add_controller(0, std::move(*made), kPeriod, 0);
  const auto steps = std::lround(trial.time / w.model().step);
  using State = plan::WayReport::State;
  for (long k = 0; k < steps && way.report().state != State::arrived && way.report().state != State::stuck && !w.fallen(0); ++k) {
    const std::int64_t plans = way.report().plans;
    const double before = now();
    w.step();
    if (way.report().plans > plans) out.planning = std::max(out.planning, now() - before);
    if (plans == 0 && way.report().plans > 0) out.plan = way.plan(), out.found = way.plan().found;
    if (k % 50 == 0) out.path.push_back(base_position(w.q(0).data()));
  }
  const Vec3 left = settings.goal - base_position(w.q(0).data());
  out.off = std::sqrt(left.x * left.x + left.y * left.y);
  out.arrived = way.report().state == State::arrived, out.fell = w.fallen(0);
  out.time = w.time(), out.report = way.report(), out.samples = way.samples();
  return out;
}

HeightGrid slippery_map(std::uint64_t seed, int n) {
  HeightGrid g{301, 201, 0.02, 0.02, -3, -2, {}};
  const RandomKey key{seed + static_cast<std::uint64_t>(n), 0, 41};
  struct Wave {
    double x, y, phase;
  };
  std::vector<Wave> waves;
  for (std::uint64_t k = 0; k < 48; ++k) {
    const double turn = random_in(key, k, 0, -3.14159265, 3.14159265), number = 6.28318531 / random_in(key, k, 1, 0.15, 0.6);
    waves.push_back({number * std::cos(turn), number * std::sin(turn), random_in(key, k, 2, -3.14159265, 3.14159265)});
  }
  constexpr double kTile = 0.16, kStart = 0.35;
  for (int j = 0; j < g.ny; ++j)
    for (int i = 0; i < g.nx; ++i) {
      const double x = g.x0 + i * g.dx, y = g.y0 + j * g.dy;
      double z = 0;
      if (n % 2 == 0) {  // tiles, each tilted its own way
        const double u = std::floor(x / kTile), v = std::floor(y / kTile);
        const auto tile = static_cast<std::uint64_t>((v + 1000) * 4096 + u + 1000);
        const double steep = random_in(key, tile, 3, 0, 0.7), turn = random_in(key, tile, 4, -3.14159265, 3.14159265);
        z = random_in(key, tile, 5, -0.01, 0.01) + steep * (std::cos(turn) * (x - (u + 0.5) * kTile) + std::sin(turn) * (y - (v + 0.5) * kTile));
      } else {  // bumps, 1.2 cm rms
        for (const Wave& w : waves) z += 0.012 * std::sqrt(2.0 / 48) * std::cos(w.x * x + w.y * y + w.phase);
      }
      const double rim = std::clamp((std::sqrt(x * x + y * y) - kStart) / 0.1, 0.0, 1.0);
      g.z.push_back(z * rim);
    }
  return g;
}

std::optional<Learned> learn_footholds(const LearnSettings& settings, const std::function<bool(int)>& progress) {
  std::vector<plan::SlipSample> all;
  for (int n = 0; n < settings.maps; ++n) {
    WayTrial t;
    t.scene = settings.scene;
    t.map = slippery_map(settings.seed, n);
    t.settings.walker.search = settings.search;
    t.friction = settings.friction;
    const double side = (n % 4 < 2 ? 1 : -1) * 0.3 * (1 + n % 3);
    t.settings.goal = {n % 8 < 4 ? 2.0 : -2.0, side, 0};
    t.settings.cost = plan::FootholdCost::none();
    t.settings.plan.seed = settings.seed + static_cast<std::uint64_t>(n);
    t.keep_samples = true;
    const auto r = walk_way(t);
    if (!r) return std::nullopt;
    all.insert(all.end(), r->samples.begin(), r->samples.end());
    if (!progress(n + 1)) return std::nullopt;
  }
  Learned out;
  out.samples = all.size();
  std::vector<plan::SlipSample> three, fourth;
  double mean = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    (i % 4 == 0 ? fourth : three).push_back(all[i]);
    out.slipped += all[i].slip > 0.02;
    if (i % 4 == 0) mean += all[i].slip;
  }
  if (fourth.empty() || three.size() < static_cast<std::size_t>(settings.centres)) {
    print({{{}, Severity::error, fmt::format("{} footholds are too few to learn {} centres from", all.size(), settings.centres), "try more maps"}});
    return std::nullopt;
  }
  mean /= static_cast<double>(fourth.size());
  const plan::FootholdCost trial = plan::FootholdCost::learn(three, settings.centres);
  for (const plan::SlipSample& s : fourth) {
    const double off = trial(s.place) / 100 - s.slip;
    out.error += off * off / static_cast<double>(fourth.size()), out.spread += (s.slip - mean) * (s.slip - mean) / static_cast<double>(fourth.size());
  }
  out.error = std::sqrt(out.error), out.spread = std::sqrt(out.spread);
  out.cost = plan::FootholdCost::learn(all, settings.centres);
  return out;
}

std::string way_svg(const WayResult& r, const std::string& title) {
  constexpr double kScale = 200;  // pixels a metre
  double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9, low = 1e9, high = -1e9;
  for (const Vec3& p : r.path) x0 = std::min(x0, p.x - 0.6), x1 = std::max(x1, p.x + 0.6), y0 = std::min(y0, p.y - 0.6), y1 = std::max(y1, p.y + 0.6);
  constexpr double kCell = 0.03;
  const auto columns = static_cast<int>((x1 - x0) / kCell), rows = static_cast<int>((y1 - y0) / kCell);
  const auto height_of = [&](int i, int j) { return height_at(r.map, x0 + (i + 0.5) * kCell, y0 + (j + 0.5) * kCell); };
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      if (const double z = height_of(i, j); !std::isnan(z)) low = std::min(low, z), high = std::max(high, z);
  const double width = (x1 - x0) * kScale, height = (y1 - y0) * kScale + 24;
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif">)", width, height);
  out += fmt::format(R"(<rect width="100%" height="100%" fill="#fff"/><text x="6" y="16" font-size="13">{}; ground {:.2f} to {:.2f} m</text>)", title, low, high);
  const auto px = [&](double x) { return (x - x0) * kScale; };
  const auto py = [&](double y) { return 24 + (y1 - y) * kScale; };
  constexpr double kPixels = kCell * kScale;
  const auto grey_of = [&](int i, int j) {  // in steps, so that cells of one grey are one strip; −1: a hole
    const double z = i < columns ? height_of(i, j) : std::nan("");
    return std::isnan(z) ? -1 : 70 + 17 * static_cast<int>(10 * (z - low) / std::max(0.02, high - low));
  };
  for (int j = 0; j < rows; ++j)
    for (int i = 0, first = 0; i < columns; ++i) {
      if (grey_of(i + 1, j) == grey_of(i, j)) continue;
      if (const int grey = grey_of(i, j); grey >= 0)
        out += fmt::format(R"(<path fill="#{0:02x}{0:02x}{0:02x}" d="M{1:.0f} {2:.0f}h{3:.0f}v{4:.1f}H{1:.0f}z"/>)", grey, px(x0 + first * kCell),
                           py(y0 + (j + 1) * kCell), (i + 1 - first) * kPixels, kPixels + 0.5);
      first = i + 1;
    }
  const auto line = [&](const std::vector<Vec3>& points, const char* colour) {
    out += fmt::format("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"{}\" points=\"", colour);
    for (const Vec3& p : points) out += fmt::format("{:.1f},{:.1f} ", px(p.x), py(p.y));
    out += "\"/>";
  };
  std::vector<Vec3> base;
  for (const plan::Stance& s : r.plan.way) {
    base.push_back(s.X_WB.p);
    for (const Vec3& f : s.feet) out += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.4" fill="#1f77b4"/>)", px(f.x), py(f.y));
  }
  line(base, "#1f77b4");
  line(r.path, "#d62728");
  return out + "</svg>\n";
}

bool write_text(const std::string& text, const std::string& dir, const std::string& file) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  std::ofstream out(dir + "/" + file);
  out << text;
  out.close();
  if (!out) std::fprintf(stderr, "error: %s/%s cannot be written\n", dir.c_str(), file.c_str());
  return static_cast<bool>(out);
}

}  // namespace gradus::cli
