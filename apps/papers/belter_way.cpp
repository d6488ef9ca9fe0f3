#include "papers/belter_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "load/gait_toml.h"
#include "papers/paper_world.h"

namespace gradus::cli {

std::optional<WayResult> walk_way(const WayTrial& trial) {
  auto scene = load_scene_or_robot(find_shipped("messor_plan", "scenes"));
  if (!scene) return print(scene.notes()), std::nullopt;
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

std::string way_svg(const WayResult& r, const std::string& title) {
  constexpr double kScale = 200;  // pixels a metre
  double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9, low = 1e9, high = -1e9;
  for (const Vec3& p : r.path) x0 = std::min(x0, p.x - 0.6), x1 = std::max(x1, p.x + 0.6), y0 = std::min(y0, p.y - 0.6), y1 = std::max(y1, p.y + 0.6);
  constexpr double kCell = 0.03;
  const auto each = [&](auto&& visit) {
    for (double y = y0; y < y1; y += kCell)
      for (double x = x0; x < x1; x += kCell)
        if (const double z = height_at(r.map, x + 0.5 * kCell, y + 0.5 * kCell); !std::isnan(z)) visit(x, y, z);
  };
  each([&](double, double, double z) { low = std::min(low, z), high = std::max(high, z); });
  const double width = (x1 - x0) * kScale, height = (y1 - y0) * kScale + 24;
  std::string out = fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif">)", width, height);
  out += fmt::format(R"(<rect width="100%" height="100%" fill="#fff"/><text x="6" y="16" font-size="13">{}; ground {:.2f} to {:.2f} m</text>)", title, low, high);
  const auto px = [&](double x) { return (x - x0) * kScale; };
  const auto py = [&](double y) { return 24 + (y1 - y) * kScale; };
  each([&](double x, double y, double z) {
    const int grey = 70 + static_cast<int>(170 * (z - low) / std::max(0.02, high - low));
    out += fmt::format(R"(<path fill="#{0:02x}{0:02x}{0:02x}" d="M{1:.0f} {2:.0f}h6.5v6.5h-6.5z"/>)", grey, px(x), py(y + kCell));
  });
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
