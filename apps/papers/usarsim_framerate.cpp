#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "papers/walk_sweep.h"
#include "world/world.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kSwing = 60 * kDegree, kTime = 2;  // HeadYaw goes there and back in two times two seconds

/// 0 → 60° → 0, smooth.
double wish(double t) {
  const double s = std::clamp(t / kTime, 0.0, 2.0), u = s < 1 ? s : 2 - s;
  return kSwing * u * u * (3 - 2 * u);
}

class NodNo : public Controller {
 public:
  explicit NodNo(int joint) : joint_(static_cast<std::size_t>(joint)) {}
  void control(const RobotOutput& output, RobotCommand& command) override {
    command.target[joint_] = wish(output.time);
  }

 private:
  std::size_t joint_;
};

struct Traced {
  std::vector<double> t, q;  // [s], [rad]
  double rms, delay, jag;    // from the wish [rad]; time by which the wish must be shifted to fit best [s]; rms of the
                             // speed's error [rad/s]
};

double rms_at(const Traced& a, double delay) {
  double sum = 0;
  for (std::size_t i = 0; i < a.t.size(); ++i) sum += std::pow(a.q[i] - wish(a.t[i] - delay), 2);
  return std::sqrt(sum / static_cast<double>(a.t.size()));
}

std::optional<Traced> swing(const std::string& level, double fps) {
  NaoTrial t;
  t.motion = level;
  t.control_period = 1 / fps;
  t.duration = 5;
  int head = -1;
  t.controller = [&head](const RobotKind& kind, double) {
    head = kind.find_joint("HeadYaw");
    return std::make_unique<NodNo>(head);
  };
  const auto run = run_trial(t);
  if (!run) return std::nullopt;
  Traced out;
  for (std::size_t i = 0; i < run->joints.size(); ++i) {
    out.t.push_back(0.01 * static_cast<double>(i + 1));
    out.q.push_back(run->joints[i][static_cast<std::size_t>(head)]);
  }
  out.rms = rms_at(out, 0);
  out.delay = 0;
  for (double d = 0; d < 0.6; d += 0.001)
    if (rms_at(out, d) < rms_at(out, out.delay)) out.delay = d;
  double sum = 0;
  for (std::size_t i = 1; i < out.q.size(); ++i)
    sum += std::pow(
        (out.q[i] - out.q[i - 1]) / 0.01 - (wish(out.t[i] - out.delay) - wish(out.t[i - 1] - out.delay)) / 0.01, 2);
  out.jag = std::sqrt(sum / static_cast<double>(out.q.size()));
  return out;
}

/// Figures by level and rate, and the traces of level articulated.
struct Figures {
  Json rms, delay, jag;  // [deg], [ms], [deg/s]
  Plot plot{"HeadYaw by commands at 50, 25, 5 and 2 Hz (articulated)", "time [s]", "HeadYaw [deg]", {}};
};

bool measure(const std::string& level, double fps, Figures& f) {
  const auto s = swing(level, fps);
  if (!s) return false;
  const std::string name = fmt::format("{}, {:g} Hz", level, fps);
  f.rms[name] = s->rms / kDegree;
  f.delay[name] = 1000 * s->delay;
  f.jag[name] = s->jag / kDegree;
  if (level != "articulated") return true;
  f.plot.series.push_back({name, s->t, {}});
  for (const double q : s->q) f.plot.series.back().y.push_back(q / kDegree);
  return true;
}

}  // namespace

/// USARSim 2012, section 4.1.3: HeadYaw follows a trajectory whose commands come at 50, 25, 5 and 2 Hz. There physics and
/// sensors stop between frames, too; in gradus only the commands are rare.
std::optional<Json> usarsim_framerate(const PaperOptions& options) {
  Figures f;
  for (const char* level : {"articulated", "prescribed_joints"})
    for (const double fps : {50.0, 25.0, 5.0, 2.0})
      if (!measure(level, fps, f)) return std::nullopt;
  if (!options.out.empty() && !write_plot(f.plot, options.out, "usarsim-framerate")) return std::nullopt;
  const Json paper{{"articulated, 50 Hz", "smooth"},
                   {"articulated, 25 Hz", "almost smooth"},
                   {"articulated, 5 Hz", "jagged, late"},
                   {"articulated, 2 Hz", "jagged, late"}};
  Json rows = Json::array();
  rows.push_back(row("delay behind the wish", "ms", paper, nullptr, f.delay));
  rows.push_back(row("distance from the wish, rms", "deg", nullptr, nullptr, f.rms));
  rows.push_back(row("jaggedness: rms error of the speed", "deg/s", nullptr, nullptr, f.jag));
  Json out{{"name", "usarsim-framerate"}, {"rows", rows}};
  const double j50 = f.jag["articulated, 50 Hz"], j2 = f.jag["articulated, 2 Hz"];
  out["verdict"] = j2 > 5 * j50 ? fmt::format(
                                      "as in the paper: smooth at 50 and 25 Hz, jagged and late at 5 and 2 Hz "
                                      "(speed error {:.1f} and {:.1f} deg/s at 50 and 2 Hz)",
                                      j50, j2)
                                : "rare commands do not show";
  return out;
}

}  // namespace gradus::cli
