#include <cmath>
#include <cstdio>
#include <numbers>

#include "papers/paper_world.h"
#include "papers/walk_sweep.h"
#include "world/world.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr int kBlocks = 6;                  // like the links of a leg
constexpr double kSide = 0.1, kMass = 0.3;  // of a block                              [m, kg]
constexpr double kTarget = 45 * kDegree;
constexpr double kStiffness = 200;  // of the one movable joint                [N m/rad]

/// A chain of blocks on a fixed one. Only the first joint is meant to move; the others are rigid, or, as constraints of
/// a game engine are, springs that hold them (servos of 1000 N m/rad).
RobotSpec chain(bool rigid) {
  RobotBuilder b("chain");
  b.base("foot")
      .fixed()
      .revolute("joint", {0, 1, 0})
      .servo({kStiffness, 2, 100, 20, 0.005})
      .translation("block0", {0, 0, kSide / 2});
  b.solid_box(kMass, {kSide, kSide, kSide}, {0, 0, 0});
  for (int i = 1; i < kBlocks; ++i) {
    const std::string n = std::to_string(i);
    b.translation("to" + n, {0, 0, kSide / 2});
    if (!rigid) b.revolute("weld" + n, {0, 1, 0}).servo({1000, 5, 1000, 100, 0.001});
    b.translation("block" + n, {0, 0, kSide / 2}).solid_box(kMass, {kSide, kSide, kSide}, {0, 0, 0});
  }
  return b.spec();
}

/// Angle of the first joint after 4 s, its target at 45°.
std::optional<double> settled_angle(bool rigid, double step) {
  SceneSpec scene;
  scene.step = step;
  scene.robots.emplace_back();
  scene.robots[0].name = "chain";
  scene.robots[0].robot = chain(rigid);
  const std::unique_ptr<World> w = make_world(scene);
  if (!w) return std::nullopt;
  w->targets(0)[0] = kTarget;
  while (w->time() < 4 - step / 2) w->step();
  return w->q(0)[7];
}

/// The sag that statics gives: k (q − target) = m g r sin q of the rigid chain.
double static_angle() {
  const double weight = kBlocks * kMass * 9.81, arm = kBlocks * kSide / 2;
  double q = kTarget;
  for (int i = 0; i < 200; ++i) q = kTarget + weight * arm * std::sin(q) / kStiffness;
  return q;
}

/// One kind of chain at every step.
struct Errors {
  Json total, added;  // by step: angle against its target, and what the step adds to it       [deg]
  double most = 0;    // of what steps add       [deg]
  Series line;
};

std::optional<Errors> errors_of(bool rigid, double reference) {
  Errors out;
  out.line.name = rigid ? "rigid" : "spring joints";
  for (const double ms : {1.0, 2.0, 5.0, 10.0, 20.0}) {
    const auto q = settled_angle(rigid, ms / 1000);
    if (!q) return std::nullopt;
    char step[16];
    std::snprintf(step, sizeof step, "%g ms", ms);
    const double total = (*q - kTarget) / kDegree, added = std::fabs(*q - reference) / kDegree;
    out.total[step] = total;
    out.added[step] = added;
    out.most = std::max(out.most, added);
    out.line.x.push_back(ms);
    out.line.y.push_back(total);
  }
  return out;
}

}  // namespace

/// USARSim 2012, section 4.1.2: a chain of blocks of which one joint moves; the error of its angle against the time step.
/// In gradus a rigid connection has no error and the servo's sag under gravity is what statics gives; what a step adds
/// is shown apart.
std::optional<Json> usarsim_timestep(const PaperOptions& options) {
  const auto fine = settled_angle(false, 0.0005);
  const auto rigid = errors_of(true, static_angle());
  const auto springs = fine ? errors_of(false, *fine) : std::nullopt;
  if (!rigid || !springs) return std::nullopt;
  const Plot plot{"Error of a loaded joint", "step [ms]", "error [deg]", {rigid->line, springs->line}};
  if (!options.out.empty() && !write_plot(plot, options.out, "usarsim-timestep")) return std::nullopt;
  const Json paper{{"20 ms", "2 … 3"}};
  const Json rows = {
      row("error of the angle, rigid chain: the servo's sag", "deg", paper, nullptr, rigid->total),
      row("of it due to the step (statics gives the rest)", "deg", nullptr, nullptr, rigid->added),
      row("error of the angle, five further joints held by springs", "deg", paper, nullptr, springs->total),
      row("of it due to the step (against 0.5 ms)", "deg", nullptr, nullptr, springs->added)};
  char verdict[200];
  std::snprintf(verdict, sizeof verdict,
                "the paper's error of 2 to 3 deg at 1/50 s comes from its solver; in gradus steps of 1 to 20 ms change "
                "the angle by at most %.1e deg",
                std::max(rigid->most, springs->most));
  return Json{{"name", "usarsim-timestep"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli
