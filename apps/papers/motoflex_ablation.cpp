#include <cmath>
#include <cstdio>
#include <numbers>

#include "papers/motoflex.h"
#include "papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kSlippery = 0.08;  // friction at which compliant drives lose as much speed as the original's at 0.25

/// One row of facts/nao.md 4.6: the original program's model with a part left out.
struct Variant {
  const char* name;
  MotoflexModel model;
  double floor;             // stiffness per corner   [N/m]
  const char* level;        // "articulated", or "prescribed_joints" for joints that follow exactly
  const char *slow, *fast;  // what the original program did, rerun: 50 mm/s at friction 1, 200 mm/s at 0.25
};

const Variant kVariants[] = {
    {"full model", {true, true}, 2e4, "articulated", "falls, 3.12 s", "150 mm/s"},
    {"without gear stage", {false, true}, 2e4, "articulated", "falls, 3.13 s", "199 mm/s"},
    {"legs 100 times stiffer", {true, true, 2006.519e2}, 2e4, "articulated", "–", "198 mm/s"},
    {"without flexible legs", {true, false}, 2e4, "articulated", "–", "–"},
    {"hard floor", {true, true}, 5e5, "articulated", "–", "150 mm/s"},
    {"joints follow exactly", {false, false}, 2e4, "prescribed_joints", "falls, 4.2 s", "199.6 mm/s"},
    {"joints follow exactly, hard floor", {false, false}, 5e5, "prescribed_joints", "stands", "–"},
};

std::string outcome(const NaoRun& r) {
  char text[32];
  if (!r.fell) return "stands";
  std::snprintf(text, sizeof text, "falls, %.2f s", r.fall_time - kFileShift);
  return text;
}

/// The figures of all variants, by their names.
struct Figures {
  Json at50, at200, speed, slippery, pitch, before50, before200;
  Json uneven;                 // robots that are not symmetric: figures as text
  int same = 0, compared = 0;  // at 50 mm/s, with the original program
};

/// The variant's robot and floor, replaying one of the target files.
std::optional<NaoTrial> trial_of(const Variant& v, const MotoflexTargets& targets, double friction, bool quick) {
  NaoTrial t = replay(targets);
  t.motion = v.level;
  t.stiffness = v.floor;
  t.friction = friction;
  if (quick) t.duration = std::min(t.duration, 6.0);
  if (t.motion == "articulated" && !use_motoflex(t, v.model)) return std::nullopt;
  return t;
}

bool run_slow(const Variant& v, const MotoflexTargets& targets, bool quick, Figures& out) {
  const auto t = trial_of(v, targets, 1, quick);
  const auto r = t ? run_trial(*t) : std::nullopt;
  if (!r) return false;
  out.at50[v.name] = outcome(*r);
  out.before50[v.name] = v.slow;
  if (v.slow == std::string("–")) return true;
  ++out.compared;
  out.same += r->fell == (v.slow[0] == 'f');
  return true;
}

/// On the original's floor and on one so slippery that compliant drives slide.
bool run_fast(const Variant& v, const MotoflexTargets& targets, bool quick, Figures& out) {
  for (const double friction : {0.25, kSlippery}) {
    const auto t = trial_of(v, targets, friction, quick);
    const auto r = t ? run_trial(*t) : std::nullopt;
    if (!r) return false;
    const double from = t->measure_from + 2;
    if (!r->fell)
      (friction == kSlippery ? out.slippery : out.speed)[v.name] = 1000 * chord_speed(*r, from, t->duration);
    if (friction == kSlippery) continue;
    out.at200[v.name] = outcome(*r);
    out.before200[v.name] = v.fast;
    if (!r->fell) out.pitch[v.name] = pitch_line(*r, from, t->duration, 1, 2) / kDegree;
  }
  return true;
}

/// The full model with joints wrong by up to half a degree: on this floor such robots turn, and the chord of an arc is
/// shorter than the arc.
bool run_uneven(const MotoflexTargets& targets, bool quick, Figures& out) {
  auto t = trial_of(kVariants[0], targets, 0.25, quick);
  if (!t) return false;
  t->calibration = 0.5 * kDegree;
  double least = 1e9, most = 0, turned = 0, one_hertz = 0;
  for (int n = 1; n <= (quick ? 2 : 10); ++n) {
    t->seed = static_cast<std::uint64_t>(n);
    const auto r = run_trial(*t);
    if (!r) return false;
    if (r->fell) continue;
    const double from = t->measure_from + 2, speed = 1000 * chord_speed(*r, from, t->duration);
    least = std::min(least, speed), most = std::max(most, speed);
    turned = std::max(turned, std::fabs(r->yaw) / kDegree);
    one_hertz = std::max(one_hertz, pitch_line(*r, from, t->duration, 1, 1) / kDegree);
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.0f … %.0f", least, most);
  out.uneven = {{"chord speed, mm/s", text}, {"turned, at most, deg", turned}, {"1 Hz line, at most, deg", one_hertz}};
  return true;
}

Json rows_of(const Figures& f) {
  Json slow = row("50 mm/s, friction 1", "", nullptr, nullptr, f.at50),
       fast = row("200 mm/s, friction 0.25", "", nullptr, nullptr, f.at200);
  slow["peers"] = {{"original rerun", f.before50}};
  fast["peers"] = {{"original rerun", f.before200}};
  return {slow,
          fast,
          row("speed at 200 mm/s", "mm/s", nullptr, nullptr, f.speed),
          row("speed at 200 mm/s, friction 0.08", "mm/s", nullptr, nullptr, f.slippery),
          row("full model at 200 mm/s, ten robots with joints wrong by up to 0.5 deg", "", nullptr, nullptr, f.uneven),
          row("pitch line at 2 Hz at 200 mm/s", "deg", nullptr, nullptr, f.pitch)};
}

}  // namespace

/// MoToFlex 2011: what each part of the model does. The original's drives and legs on gradus' Nao, parts left out one by
/// one.
std::optional<Json> motoflex_ablation(const PaperOptions& options) {
  const auto slow = read_targets(options, "UncompensatedTarget.csv"),
             fast = read_targets(options, "UncompensatedTarget200.csv");
  if (!slow || !fast) return std::nullopt;
  Figures f;
  for (const Variant& v : kVariants)
    if (!run_slow(v, *slow, options.quick, f) || !run_fast(v, *fast, options.quick, f)) return std::nullopt;
  if (!run_uneven(*fast, options.quick, f)) return std::nullopt;
  char verdict[360];
  std::snprintf(
      verdict, sizeof verdict,
      "at 50 mm/s %d of %d variants fall or stand as in the original program; the gear stage decides nothing "
      "there, compliance of drives and floor does; the original's 150 mm/s at friction 0.25 is not reproduced: "
      "%.0f here, %s along the chord for uneven robots, which turn",
      f.same, f.compared, f.speed.value("full model", 0.0), f.uneven["chord speed, mm/s"].get<std::string>().c_str());
  return Json{{"name", "motoflex-ablation"}, {"rows", rows_of(f)}, {"verdict", verdict}};
}

}  // namespace gradus::cli
