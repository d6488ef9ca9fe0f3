#include <cmath>
#include <numbers>

#include "common/files.h"
#include "papers/walk_sweep.h"
#include "control/keyframes.h"
#include "world/world.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// What is seen of a dance: how near the centre of mass comes to the edge of what carries, how well RAnkleRoll follows.
struct Dance {
  double margin = 1e9;           // least distance of the centre of mass from the edge of the loaded soles     [m]
  double one_leg[2] = {0, 0};    // time on the left, on the right foot alone                                    [s]
  std::vector<double> t, ankle;  // RAnkleRoll                                                                  [s, rad]
};

/// Distance inside the sole of one foot, negative outside; the sole is a rectangle in the ankle's frame.
double inside_sole(const World& w, int link, Vec3 com) {
  const RobotKind& kind = *w.model().robots[0].kind;
  double lo[2] = {1, 1}, hi[2] = {-1, -1};
  for (const ContactPoint& p : kind.points) {
    if (p.link != link) continue;
    lo[0] = std::min(lo[0], p.p_BC.x), hi[0] = std::max(hi[0], p.p_BC.x);
    lo[1] = std::min(lo[1], p.p_BC.y), hi[1] = std::max(hi[1], p.p_BC.y);
  }
  const Pose X = w.X_WL(0, link);
  const Vec3 c = transpose_times(X.R, com - X.p);
  return std::min({c.x - lo[0], hi[0] - c.x, c.y - lo[1], hi[1] - c.y});
}

void look(const World& w, Dance& d) {
  const RobotKind& kind = *w.model().robots[0].kind;
  const int left = kind.find_joint("LAnkleRoll") + 1, right = kind.find_joint("RAnkleRoll") + 1;
  const bool on_left = w.contact_force(0, left) > 1, on_right = w.contact_force(0, right) > 1;
  d.t.push_back(w.time());
  d.ankle.push_back(w.q(0)[7 + static_cast<std::size_t>(right - 1)]);
  if (on_left == on_right) return;
  d.one_leg[on_left ? 0 : 1] += 0.01;
  d.margin = std::min(d.margin, inside_sole(w, on_left ? left : right, w.centre_of_mass(0)));
}

std::optional<NaoRun> dance(const std::string& level, NaoDrive drive, Dance& d) {
  Diagnostics notes;
  const auto motion = load_motion(find_file("motions/nao_tai_chi.toml", "", "motions", shipped_files(), {}, notes));
  print(notes), print(motion.notes());
  if (!motion) return std::nullopt;
  NaoTrial t;
  t.motion = level;
  t.drive = drive;
  t.duration = motion->frames.back().t + 2;
  t.controller = [&motion](const RobotKind& kind, double) {
    return std::make_unique<Keyframes>(*motion, kind, false, 0);
  };
  return run_trial(t, [&d](World& w) { look(w, d); });
}

struct Variant {
  const char* level;
  NaoDrive drive;
  std::string name;
};
const Variant kVariants[] = {{"single_body", NaoDrive::nao, "single_body"},
                             {"prescribed_joints", NaoDrive::nao, "prescribed_joints"},
                             {"articulated", NaoDrive::nao, "articulated, nao"},
                             {"articulated", NaoDrive::play, "articulated, play"}};

struct Figures {
  Json outcome, left, right, margin, error;
  Plot plot{"RAnkleRoll in the dance", "time [s]", "RAnkleRoll [deg]", {}};
  std::vector<double> plan;  // RAnkleRoll as commanded: of the level whose joints follow exactly    [rad]
  int fallen = 0;
};

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  const std::size_t n = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(n));
}

bool run_variant(const Variant& v, Figures& out) {
  Dance d;
  const auto run = dance(v.level, v.drive, d);
  if (!run) return false;
  out.fallen += run->fell;
  out.outcome[v.name] = run->fell ? "falls" : "keeps its balance";
  out.left[v.name] = d.one_leg[0];
  out.right[v.name] = d.one_leg[1];
  out.margin[v.name] = 1000 * d.margin;
  if (v.name == "prescribed_joints") out.plan = d.ankle;
  if (v.level == std::string("articulated")) out.error[v.name] = rms_difference(d.ankle, out.plan) / kDegree;
  out.plot.series.push_back({v.name, d.t, {}});
  for (const double a : d.ankle) out.plot.series.back().y.push_back(a / kDegree);
  return true;
}

}  // namespace

/// USARSim 2012, section 4.2.1: a slow dance on one leg, then on the other. The original animation is not published; this
/// one holds each leg for 30 s (motions/nao_tai_chi.toml).
std::optional<Json> usarsim_taichi(const PaperOptions& options) {
  Figures f;
  for (const Variant& v : kVariants)
    if (!run_variant(v, f)) return std::nullopt;
  if (!options.out.empty() && !write_plot(f.plot, options.out, "usarsim-taichi")) return std::nullopt;
  const Json rows = {row("outcome", "", "keeps its balance", "keeps its balance", f.outcome),
                     row("time on the left leg alone", "s", nullptr, nullptr, f.left),
                     row("time on the right leg alone", "s", nullptr, nullptr, f.right),
                     row("centre of mass, least distance from the sole's edge", "mm", nullptr, nullptr, f.margin),
                     row("RAnkleRoll, rms from the command", "deg", nullptr, nullptr, f.error)};
  const std::string verdict =
      f.fallen ? std::to_string(f.fallen) + " of 4 variants fall"
               : "balance is kept on each leg at every level, also with worn gears, as by the paper's robots";
  return Json{{"name", "usarsim-taichi"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli
