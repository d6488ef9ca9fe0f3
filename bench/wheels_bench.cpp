/// Throughput and soak of wheeled soccer: simulated seconds per CPU second, with the counters that say whether the run
/// was healthy. Every frame (16 ms) a vision packet is encoded, as in a match.
///   wheels_bench                                     the table: random and chase, friction 0 and 0.3, 5v5 and 11v11
///   wheels_bench soak HOURS_5V5 HOURS_11V11 SEEDS    the acceptance runs; exit status 1 if a limit is broken
///   wheels_bench one TEAM random|chase MU SECONDS SEED
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "link/firasim/messages.h"
#include "support/wheels_load.h"

namespace {

using namespace gradus::wheels;

struct Case {
  int team;
  Load load;
  double friction;
  double offset = 0;  // mass centre ahead of the axle [m]
};

struct Outcome {
  double speed = 0;       // simulated seconds per CPU second
  double least_gap = 1;   // at restarts and frame ends [m]
  long most_impacts = 0;  // in any second
  double top_speed = 0;
  std::uint64_t hash = 0;
  Report report;
};

WheelsModel model_of(const Case& c) {
  WheelsParameters p = league_parameters(c.team == 11  ? League::eleven_a_side
                                         : c.team == 5 ? League::five_a_side
                                                       : League::three_a_side);
  for (Surface* s : {&p.surfaces.ball_robot, &p.surfaces.robot_robot, &p.surfaces.robot_wall, &p.surfaces.ball_wall})
    s->friction = c.friction;
  for (RobotParameters& r : p.robots) r.centre_offset = c.offset;
  auto model = compile(p);
  if (!model) fmt::print(stderr, "{}\n", gradus::to_string(model.notes()[0])), std::exit(2);
  return *model;
}

/// The vision packet of the present state.
void encode_vision(const WheelsModel& model, std::span<const double> state, long frame,
                   gradus::firasim::Environment& out, std::vector<std::uint8_t>& bytes) {
  const int team = model.robot_count() / 2;
  out.step = static_cast<std::uint32_t>(16 * frame);
  out.blue.resize(team), out.yellow.resize(team);
  for (int i = 0; i < 2 * team; ++i) {
    const auto b = body_of(state, i);
    const Vec2 v = rotation(b[kTheta]) * Vec2{b[kV], b[kU]};
    const int id = i % team;
    (i < team ? out.blue : out.yellow)[id] = {static_cast<std::uint32_t>(id), b[kX], b[kY], b[kTheta], v.x, v.y, b[kW]};
  }
  const auto b = body_of(state, model.robot_count());
  out.ball = {b[kX], b[kY], model.par.ball.radius, b[kBallVx], b[kBallVy], 0};
  encode(out, bytes);
}

/// Processor time of this thread.
double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Outcome run(const Case& c, double seconds, std::uint64_t seed, bool check) {
  const WheelsModel model = model_of(c);
  LoadedMatch match(model, c.load, seed);
  const long frames = std::lround(seconds / 0.016);
  Outcome o;
  long last = 0;
  gradus::firasim::Environment vision;
  std::vector<std::uint8_t> bytes;
  const double start = thread_seconds();
  for (long f = 1; f <= frames; ++f) {
    match.frame();
    encode_vision(model, match.state(), f, vision, bytes);
    if (check) {
      o.least_gap = std::min(o.least_gap, smallest_gap(model, match.state()));
      for (int i = 0; i < model.body_count(); ++i)
        o.top_speed = std::max(o.top_speed, std::hypot(body_of(match.state(), i)[kV], body_of(match.state(), i)[kU]));
    }
    if (f % 62 == 0)
      o.most_impacts = std::max(o.most_impacts, match.report.impacts - last), last = match.report.impacts;
  }
  o.speed = seconds / (thread_seconds() - start);
  o.report = match.report;
  o.least_gap = std::min(o.least_gap, match.report.least_gap);
  o.hash = match.hash();
  return o;
}

void print(const Case& c, double seconds, std::uint64_t seed, const Outcome& o) {
  const Report& r = o.report;
  auto per_second = [&](std::int64_t n) { return static_cast<double>(n) / seconds; };
  fmt::print(
      "{:2}v{:<2} {:6} mu {:.1f} seed {:2}: {:7.1f} sim-s/cpu-s | impacts/s {:.1f} (most {}) restarts/s {:.0f} "
      "pieces/s {:.0f} slices/s {:.0f} bodies/slice {:.2f} factor/slice {:.2f} factor/impact {:.2f} certs/s {:.0f} | "
      "overlap {:.2f} um gain "
      "{:.1e} J slice gain {:.1e} J/s (most {:.1e}) | island {} rows {} | cut {} unsettled {} capped {} forced {} "
      "stalled {} full {} nan {} | top {:.2f} m/s | hash {:016x}\n",
      c.team, c.team, c.load == Load::random ? "random" : "chase", c.friction, seed, o.speed, per_second(r.impacts),
      o.most_impacts, per_second(r.restarts), per_second(r.pieces), per_second(r.slices),
      static_cast<double>(r.slice_bodies) / static_cast<double>(std::max<std::int64_t>(r.slices, 1)),
      static_cast<double>(r.factorisations) / static_cast<double>(std::max<std::int64_t>(r.slices, 1)),
      static_cast<double>(r.impact_factorisations) / static_cast<double>(std::max<std::int64_t>(r.impacts, 1)),
      per_second(r.certificates), std::max(0.0, -o.least_gap) * 1e6, r.impact_gain, r.slice_gain / seconds,
      r.slice_gain_max, r.largest_island, r.most_rows, r.cut_restitutions, r.unsettled, r.capped, r.forced, r.stalled,
      r.full, r.not_finite, o.top_speed, o.hash);
  std::fflush(stdout);
}

bool healthy(const Case& c, double seconds, const Outcome& o) {
  const double limit = c.team == 11 && c.load == Load::chase ? 5e-4 : 1e-4;
  return o.least_gap > -limit && o.report.not_finite == 0 && o.report.stalled == 0 && o.report.forced == 0 &&
         o.report.impact_gain <= 1e-9 && static_cast<double>(o.report.impacts) <= 60 * seconds && o.most_impacts <= 500;
}

struct SoakRun {
  Case what;
  double seconds;
  std::uint64_t seed;
  Outcome outcome;
};

std::vector<SoakRun> soak_runs(double hours5, double hours11, int seeds) {
  std::vector<SoakRun> runs;
  for (const int team : {5, 11})
    for (const Load load : {Load::random, Load::chase})
      for (int seed = 1; seed <= seeds; ++seed)
        runs.push_back({{team, load, 0.3, seed % 2 ? 0 : 0.008},
                        3600 * (team == 5 ? hours5 : hours11) / seeds,
                        static_cast<std::uint64_t>(seed),
                        {}});
  return runs;
}

/// The hours are shared by the seeds; runs go to as many threads as there are cores.
int soak(double hours5, double hours11, int seeds) {
  std::vector<SoakRun> runs = soak_runs(hours5, hours11, seeds);
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back([&] {
        for (std::size_t k; (k = next++) < runs.size();)
          runs[k].outcome = run(runs[k].what, runs[k].seconds, runs[k].seed, true);
      });
  }
  bool ok = true;
  for (const SoakRun& r : runs) {
    print(r.what, r.seconds, r.seed, r.outcome);
    if (!healthy(r.what, r.seconds, r.outcome)) ok = false, fmt::print("   LIMIT BROKEN\n");
  }
  fmt::print("{}\n", ok ? "all limits kept" : "LIMITS BROKEN");
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "soak" && argc > 4) return soak(std::atof(argv[2]), std::atof(argv[3]), std::max(1, std::atoi(argv[4])));
  if (mode == "one" && argc > 6) {
    const Case c{std::atoi(argv[2]), std::string(argv[3]) == "random" ? Load::random : Load::chase, std::atof(argv[4])};
    const auto seed = static_cast<std::uint64_t>(std::atoll(argv[6]));
    print(c, std::atof(argv[5]), seed, run(c, std::atof(argv[5]), seed, argc > 7));
    return 0;
  }
  for (const int team : {5, 11})
    for (const Load load : {Load::random, Load::chase})
      for (const double friction : {0.0, 0.3})
        for (const std::uint64_t seed : {1, 2, 3}) {
          const Case c{team, load, friction};
          const double seconds = team == 5 ? 60 : 30;
          print(c, seconds, seed, run(c, seconds, seed, false));
        }
}
