#include <cmath>
#include <cstdio>
#include <numbers>

#include "cli/papers/motoflex.h"
#include "cli/papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

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

}  // namespace

/// Paper 002: what each part of the model does. The original's drives and legs on gradus' Nao, parts left out one by
/// one.
std::optional<Json> motoflex_ablation(const PaperOptions& options) {
  const auto slow = read_targets(options, "UncompensatedTarget.csv"),
             fast = read_targets(options, "UncompensatedTarget200.csv");
  if (!slow || !fast) return std::nullopt;
  Json at50, at200, speed, pitch, before50, before200;
  int same = 0, compared = 0;
  for (const Variant& v : kVariants) {
    NaoTrial a = replay(*slow), b = replay(*fast);
    for (NaoTrial* t : {&a, &b}) {
      t->motion = v.level;
      t->stiffness = v.floor;
      if (t->motion == std::string("articulated") && !use_motoflex(*t, v.model)) return std::nullopt;
      if (options.quick) t->duration = std::min(t->duration, 6.0);
    }
    a.friction = 1;
    b.friction = 0.25;
    const auto ra = run_trial(a), rb = run_trial(b);
    if (!ra || !rb) return std::nullopt;
    at50[v.name] = outcome(*ra);
    before50[v.name] = v.slow;
    at200[v.name] = outcome(*rb);
    before200[v.name] = v.fast;
    if (!rb->fell)
      speed[v.name] = 1000 * chord_speed(*rb, b.measure_from + 2, b.duration),
      pitch[v.name] = pitch_line(*rb, b.measure_from + 2, b.duration, 1, 2) / kDegree;
    if (std::string(v.slow) == "–") continue;
    ++compared;
    same += ra->fell == (v.slow[0] == 'f');
  }
  Json rows = Json::array();
  Json r50 = row("50 mm/s, friction 1", "", nullptr, nullptr, at50),
       r200 = row("200 mm/s, friction 0.25", "", nullptr, nullptr, at200);
  r50["peers"] = {{"original rerun", before50}};
  r200["peers"] = {{"original rerun", before200}};
  rows.push_back(r50);
  rows.push_back(r200);
  rows.push_back(row("speed at 200 mm/s", "mm/s", nullptr, nullptr, speed));
  rows.push_back(row("pitch line at 2 Hz at 200 mm/s", "deg", nullptr, nullptr, pitch));
  char verdict[200];
  std::snprintf(verdict, sizeof verdict,
                "at 50 mm/s %d of %d variants fall or stand as in the original program; the gear stage decides nothing "
                "there, compliance of drives and floor does",
                same, compared);
  return Json{{"name", "motoflex-ablation"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli
