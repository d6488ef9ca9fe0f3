/// Figures of contacts between moving bodies that take too long for a test: docs/couple.md has the tables.
///   contact_figures stacks | ratio | robots | scene FILE | scrum SEEDS | linear | heap ROBOTS | energy SCENE STEP FIRST LAST
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "session/attach.h"
#include "load/scene_toml.h"
#include "support/contact_scenes.h"
#include "support/energy_books.h"

namespace gradus::test {
namespace {

constexpr double kSteps[] = {0.001, 0.002, 0.005};

/// Processor time: other jobs of the machine do not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void print_coupling(const World& w) {
  const CouplingReport& c = w.report().coupling;
  const double k = static_cast<double>(std::max<std::int64_t>(1, w.k()));
  std::printf(
      "contacts %d islands %d, a step: sweeps %.1f newtons %.2f; second passes %lld, unsettled %lld, dropped %lld of "
      "%lld steps\n",
      c.contacts, c.islands, double(c.sweeps) / k, double(c.newtons) / k, static_cast<long long>(c.passes),
      static_cast<long long>(c.unsettled), static_cast<long long>(c.dropped), static_cast<long long>(w.k()));
}

void stacks() {
  for (int n : {10, 20})
    for (double h : kSteps) {
      const auto w = make_world(stack_of(n, h));
      const double t0 = now();
      run(*w, 1);
      std::vector<Vec3> at;
      for (int i = 0; i < n; ++i) at.push_back(base_at(*w, i));
      run(*w, 58);
      double drift = 0, fast = 0;
      const int last = static_cast<int>(std::lround(1 / h));
      for (int k = 0; k < last; ++k) {
        w->step();
        for (int i = 0; i < n; ++i) fast = std::max(fast, norm(base_velocity_of(*w, i)));
      }
      for (int i = 0; i < n; ++i) drift = std::max(drift, norm(base_at(*w, i) - at[static_cast<std::size_t>(i)]));
      std::printf("stack of %d, %g ms, 60 s: drift %.2e m, speed %.1e m/s, %.0f us a step; ", n, h * 1e3, drift, fast,
                  (now() - t0) / (60 / h) * 1e6);
      print_coupling(*w);
    }
}

void ratio() {
  for (double h : kSteps) {
    const auto w = make_world(gram_under_ton(h));
    const Watched r = watch(*w, 10);
    std::printf(
        "1 g under 1000 kg, %g ms: deepest pair %.1e m (static 2.5e-5), last speed %.1e m/s, 1 g cube at z %.6f; ",
        h * 1e3, r.deepest, r.end, base_at(*w, 0).z);
    print_coupling(*w);
  }
}

void robots(const char* only) {
  for (const RobotScene& s : robot_scenes())
    for (double k : {2e4, 1e5, 1e6})
      for (double h : kSteps) {
        if (only && !std::strstr(s.name, only)) continue;
        const auto w = make_world(s.make(h, k));
        if (s.start) s.start(*w);
        const double t0 = now();
        const Watched r = watch(*w, s.seconds);
        std::printf(
            "%-24s k %.0e %g ms: %s deepest %5.2f mm, top %5.2f, end %.1e m/s, contacts %2d, base z %.4f, %.1f us a "
            "step; ",
            s.name, k, h * 1e3, r.finite ? "ok" : "EXPLODED", r.deepest * 1e3, r.top, r.end, r.contacts,
            base_at(*w, 0).z, (now() - t0) / (s.seconds / h) * 1e6);
        print_coupling(*w);
      }
}

std::unique_ptr<World> load(const std::string& file, std::uint64_t seed, double h) {
  auto scene = load_scene(file, {});
  if (!scene) {
    for (const Diagnostic& d : scene.notes()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
    std::exit(1);
  }
  if (seed) scene->seed = seed;
  if (h > 0) scene->step = h;
  auto world = make_world(*scene);
  const auto controllers = attach_controllers(*world);
  if (!controllers) std::exit(1);
  return world;
}

/// Books of a run [support/energy_books.h]: the largest of a step, and the largest rise over any stretch.
struct Peak {
  double sum = 0, least = 0, step = -1e9, rise = 0;
  void add(double d) {
    sum += d;
    step = std::max(step, d);
    rise = std::max(rise, sum - least);
    least = std::min(least, sum);
  }
  void take(const Peak& p) { sum += p.sum, step = std::max(step, p.step), rise = std::max(rise, p.rise); }
  void print(const char* name) const {
    std::printf("  %-44s step %9.2e, rise %9.2e, sum %10.3e J\n", name, step, rise, sum);
  }
};

struct Balance {
  Peak beyond_drives;  // energy of the bodies less the joints' work
  Peak with_springs;   // the same with what the contacts' springs store
  Peak made;           // the same, the joints' work taken over the way they went: what came from nowhere
  Peak contacts;       // work of contacts and what they store
  Peak gravity, inertia;
  double top = 0;
  int making = 0, making_unsettled = 0;  // steps that made more than 0.1 µJ; of these, unsettled ones
  void take(const Balance& b) {
    beyond_drives.take(b.beyond_drives), with_springs.take(b.with_springs), contacts.take(b.contacts),
        made.take(b.made), gravity.take(b.gravity), inertia.take(b.inertia);
    top = std::max(top, b.top);
    making += b.making, making_unsettled += b.making_unsettled;
  }
};

Balance balance(World& w, double seconds) {
  Balance out;
  const int steps = static_cast<int>(std::lround(seconds / w.model().step));
  for (int i = 0; i < steps; ++i) {
    const std::int64_t unsettled = w.report().coupling.unsettled;
    const EnergyBooks b = step_with_books(w);
    if (b.made() > 1e-7) ++out.making, out.making_unsettled += w.report().coupling.unsettled > unsettled;
    out.beyond_drives.add(b.bodies - b.joints);
    out.made.add(b.made());
    out.with_springs.add(b.bodies - b.joints + b.stored);
    out.contacts.add(b.contacts + b.stored);
    out.gravity.add(b.gravity), out.inertia.add(b.inertia);
    for (int r = 0; r < w.robot_count(); ++r) out.top = std::max(out.top, norm(base_velocity_of(w, r)));
  }
  return out;
}

void scrum(int seeds, double h) {
  Balance all;
  int bad = 0;
  std::int64_t unsettled = 0, dropped = 0, steps = 0, passes = 0;
  for (int s = 1; s <= seeds; ++s) {
    const auto w = load(GRADUS_SOURCE_DIR "/scenes/scrum.toml", static_cast<std::uint64_t>(s), h);
    const Balance b = balance(*w, 4);
    all.take(b);
    bad += w->report().not_finite >= 0 || !(b.top < 20);
    unsettled += w->report().coupling.unsettled, dropped += w->report().coupling.dropped,
        passes += w->report().coupling.passes;
    steps += w->k();
    if (seeds <= 5) print_coupling(*w);
  }
  std::printf(
      "scrum, %d seeds: exploded %d, fastest base %.2f m/s, second passes %lld unsettled %lld dropped %lld of %lld "
      "steps\n",
      seeds, bad, all.top, static_cast<long long>(passes), static_cast<long long>(unsettled),
      static_cast<long long>(dropped), static_cast<long long>(steps));
  all.beyond_drives.print("bodies, beyond the drives' work");
  all.with_springs.print("bodies and springs, beyond the drives' work");
  all.made.print("the same, work over the way that joints went");
  all.contacts.print("contacts: work and what they store");
  std::printf("  steps that made more than 1e-7 J: %d, of which %d did not settle\n", all.making, all.making_unsettled);
  all.gravity.print("integration: gravity");
  all.inertia.print("integration: inertia");
}

void one_scene(const std::string& file, double h) {
  const auto w = load(file, 0, h);
  const double t0 = now();
  int most = 0;
  double worst = 0;
  while (w->time() < w->model().duration - 1e-9) {
    const double t = now();
    if (std::getenv("TRACE") && w->k() % 100 == 0)
      for (int r = 0; r < std::min(3, w->robot_count()); ++r) {
        const Vec3 p = base_at(*w, r), e = to_roll_pitch_yaw(base_orientation(w->q(r).data()));
        std::printf("%.2f s robot %d: %.3f %.3f %.3f m, rpy %.2f %.2f %.2f rad\n", w->time(), r, p.x, p.y, p.z, e.x,
                    e.y, e.z);
        const RobotKind& kind = *w->model().robots[static_cast<std::size_t>(r)].kind;
        if (!kind.feet.empty()) {
          const Vec3 f = w->X_WL(r, kind.feet.back()).p;
          std::printf("   foot %.3f %.3f %.3f\n", f.x, f.y, f.z);
        }
      }
    w->step();
    worst = std::max(worst, now() - t);
    for (int r = 0; r < w->robot_count(); ++r)
      if (!(norm(base_velocity_of(*w, r)) < 30)) {
        std::printf("EXPLODED in step %lld: robot %d at %g m/s\n", static_cast<long long>(w->k()), r,
                    norm(base_velocity_of(*w, r)));
        for (const MovingContact& c : w->engine().moving_contacts().contacts())
          if (c.robot_a == r || c.robot_b == r)
            std::printf("  %d-%d gap %g n %g %g %g impulse %g %g %g moment %g %g %g\n", c.robot_a, c.robot_b, c.gap,
                        c.normal.x, c.normal.y, c.normal.z, c.impulse.x, c.impulse.y, c.impulse.z, c.moment.x,
                        c.moment.y, c.moment.z);
        return;
      }
    most = std::max(most, static_cast<int>(w->engine().moving_contacts().contacts().size()));
  }
  const double wall = now() - t0;
  double fast = 0, deepest = 0;
  for (int r = 0; r < w->robot_count(); ++r) fast = std::max(fast, norm(base_velocity_of(*w, r)));
  for (const MovingContact& c : w->engine().moving_contacts().contacts()) deepest = std::max(deepest, -c.gap);
  std::printf(
      "%s, %g ms: %.1f times real time, %.1f us a step (worst %.0f), most contacts %d, at the end: fastest %.1e m/s, "
      "deepest %.2f mm; ",
      file.c_str(), w->model().step * 1e3, w->time() / wall, wall / double(w->k()) * 1e6, worst * 1e6, most, fast,
      deepest * 1e3);
  print_coupling(*w);
}

/// n humanoids with self-contact dropped in rings of five into one heap; every seed is another one.
SceneSpec heap_scene(int n, double h = 0.001, int seed = 0) {
  SceneSpec s = scene(h);
  for (int i = 0; i < n; ++i) {
    const double turn = 2 * 3.141592653589793 * (i % 5 + 0.5 * (i / 5 % 2)) / 5 + 0.7 * seed;
    RobotInstanceSpec& r =
        add(s, humanoid28(), "articulated", {0.22 * std::cos(turn), 0.22 * std::sin(turn), 0.5 + 0.55 * (i / 5)},
            exponential(Vec3{0.3 * std::sin(3.0 * i + seed), 0.5 + 0.4 * std::cos(2.0 * i + 1.3 * seed), turn + 0.1 * i}));
    r.self_contact = true;
  }
  return s;
}

void heap(int n, double seconds) {
  const auto w = make_world(heap_scene(n));
  while (w->time() < seconds - 1e-9) {
    const double t0 = now(), from = w->time();
    const CouplingReport before = w->report().coupling;
    double deepest = 0;
    while (w->time() < std::min(from + 0.5, seconds) - 1e-9) w->step();
    const double us = (now() - t0) * 1e6 / std::max<double>(1, std::round((w->time() - from) * 1000));
    for (const MovingContact& c : w->engine().moving_contacts().contacts()) deepest = std::max(deepest, -c.gap);
    const CouplingReport& r = w->report().coupling;
    std::printf("heap of %d, %.1f s: %.0f us a step, contacts %d, deepest %.2f mm, Newton steps %lld, unsettled %lld\n", n,
                w->time(), us, r.contacts, deepest * 1e3, static_cast<long long>(r.newtons - before.newtons),
                static_cast<long long>(r.unsettled - before.unsettled));
  }
}

/// The quadruped of scenes/rough.toml on harder ground; every seed is other ground.
std::unique_ptr<World> rough(double h, int seed) {
  const std::string path = GRADUS_SOURCE_DIR "/scenes/rough.toml";
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto change = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) std::fprintf(stderr, "%s: no '%s'\n", path.c_str(), from.c_str()), std::exit(1);
    text.replace(at, from.size(), to);
  };
  change("difficulty = 0.3", "difficulty = 0.5");
  change("seed = 7", "seed = " + std::to_string(seed));
  auto scene = parse_scene(text, path);
  if (!scene) std::exit(1);
  scene->step = h;
  auto world = make_world(*scene);
  if (!attach_controllers(*world)) std::exit(1);
  return world;
}

/// The run's own books (docs/energy.md), step by step: the largest rise from any moment to a later one as a part of what was
/// dissipated, and how many seeds have islands that do not settle in the last tenth of a second.
void energy(const std::string& what, double h, int first, int last) {
  double worst = 0, most = 0, step = 0, least_lost = 1e300;
  int worst_seed = 0, unsettled_at_end = 0, gained = 0;
  std::int64_t unsettled = 0;
  for (int seed = first; seed <= last; ++seed) {
    const auto w = what == "rough"  ? rough(h, seed)
                   : what == "heap" ? make_world(heap_scene(10, h, seed))
                                    : load(GRADUS_SOURCE_DIR "/scenes/" + what + ".toml", static_cast<std::uint64_t>(seed), h);
    const double duration = what == "heap" ? 3 : what == "scrum" ? 4 : 5, start = w->energy_error();
    double low = start, before = start, rise = 0;
    std::int64_t quiet = 0;
    while (w->time() < duration - h / 2) {
      if (w->time() < duration - 0.1) quiet = w->report().coupling.unsettled;
      w->step();
      const double error = w->energy_error();
      step = std::max(step, error - before), before = error;
      low = std::min(low, error), rise = std::max(rise, error - low);
    }
    const double lost = start - before;
    if (rise / lost > worst) worst = rise / lost, worst_seed = seed;
    most = std::max(most, rise), gained += rise > 1e-4 * lost, least_lost = std::min(least_lost, lost);
    unsettled += w->report().coupling.unsettled, unsettled_at_end += w->report().coupling.unsettled > quiet;
  }
  std::printf(
      "%s, %g ms, seeds %d to %d: largest rise %.2e J (in a step %.2e), %.1e of the dissipated (seed %d; all lose at least "
      "%.1f J); above 1e-4: %d; unsettled islands %lld, at the end in %d\n",
      what.c_str(), h * 1e3, first, last, most, step, worst, worst_seed, least_lost, gained,
      static_cast<long long>(unsettled), unsettled_at_end);
}

/// Robots in a grid in pairs that touch: cost per robot and step.
void linear() {
  for (int n : {10, 20, 50, 100, 200}) {
    SceneSpec s = contact_scene(0.001, 1e6, 0.001);
    for (int i = 0; i < n / 2; ++i) {
      const double x = 1.2 * (i % 10), y = 1.0 * (i / 10);
      add(s, humanoid28(), "articulated", {x, y, kHumanoid28Height});
      add(s, humanoid28(), "articulated", {x + 0.05, y + 0.02, 0.62 + kHumanoid28Height},
          exponential(Vec3{0, 1.2, 0.3}));
    }
    const auto w = make_world(s);
    run(*w, 0.2);
    const double t0 = now();
    run(*w, 1);
    const double us = (now() - t0) / 1000 * 1e6;
    std::printf("%d robots in falling pairs: %.0f us a step, %.2f us a robot, contacts %d islands %d\n", n, us, us / n,
                w->report().coupling.contacts, w->report().coupling.islands);
  }
}

}  // namespace
}  // namespace gradus::test

int main(int argc, char** argv) {
  using namespace gradus::test;
  const std::string what = argc > 1 ? argv[1] : "";
  const double h = argc > 3 ? std::atof(argv[3]) : 0;
  if (what == "stacks")
    stacks();
  else if (what == "ratio")
    ratio();
  else if (what == "robots")
    robots(argc > 2 ? argv[2] : nullptr);
  else if (what == "scrum")
    scrum(argc > 2 ? std::atoi(argv[2]) : 3, h);
  else if (what == "scene" && argc > 2)
    one_scene(argv[2], h);
  else if (what == "linear")
    linear();
  else if (what == "energy" && argc > 5)
    energy(argv[2], h, std::atoi(argv[4]), std::atoi(argv[5]));
  else if (what == "heap")
    heap(argc > 2 ? std::atoi(argv[2]) : 10, argc > 3 ? h : 1.5);
  else
    return std::fprintf(
               stderr,
               "contact_figures stacks | ratio | robots [NAME] | scrum SEEDS [STEP] | scene FILE [STEP] | linear | heap ROBOTS [SECONDS]"
               " | energy scrum|heap|pile|rough STEP FIRST_SEED LAST_SEED\n"),
           1;
  return 0;
}
