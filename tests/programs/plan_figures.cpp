/// plan_figures SCENE GOAL_X GOAL_Y GAIT SEED [SECONDS]
#include <fmt/format.h>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include "control/gait/gait.h"
#include "plan/way_controller.h"
#include "load/robot_toml.h"
#include "load/shipped.h"
#include "load/scene_toml.h"
#include "session/scene_file.h"
#include "world/world.h"
using namespace gradus;
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
int main(int argc, char** argv) {
  auto scene = load_scene_or_robot(argv[1]);
  for (auto& d : scene.notes()) fmt::print("{}\n", to_string(d));
  if (!scene || argc < 6) return 1;
  scene->robots[0].controller = {};
  auto model = compile(*scene);
  auto world = World::make(std::move(*model), {});
  for (auto& d : world.notes()) fmt::print("{}\n", to_string(d));
  World& w = **world;
  plan::WaySettings s;
  s.walker.gait = *load_gait(argv[4]);
  s.goal = {std::atof(argv[2]), std::atof(argv[3]), 0};
  s.plan.seed = static_cast<std::uint64_t>(std::atoi(argv[5]));
  if (const char* e = std::getenv("STRIDE")) s.plan.stride = std::atof(e);
  if (const char* e = std::getenv("MOST")) s.plan.most_steps = std::atoi(e);
  if (const char* e = std::getenv("COST")) s.cost = e[0] == '0' ? plan::FootholdCost::none() : e[0]=='h' ? plan::FootholdCost::by_hand() : *plan::FootholdCost::load(e);
  auto made = plan::WayController::make(w.model(), w.model().robots[0].kind, s, 0, 0.01, {});
  for (auto& d : made.notes()) fmt::print("{}\n", to_string(d));
  plan::WayController* c = made->get();
  w.add_controller(0, std::move(*made), 0.01, 0);
  const double seconds = argc > 6 ? std::atof(argv[6]) : 60;
  std::int64_t plans = 0;
  double t0 = now(), most = 0;
  for (long k = 0; k < std::lround(seconds * 1000); ++k) {
    const double before = now();
    w.step();
    if (c->report().plans != plans) {
      plans = c->report().plans;
      most = std::max(most, now() - before);
      const auto& r = c->walker().refusals();
      fmt::print("t {:.2f}: plan {} {}: {} stances, tried {}, way {}, {:.2f} s; refused foothold {} reach {} stability {} self {} world {}\n", w.time(), plans, c->plan().found, c->plan().stances, c->plan().tried, c->plan().way.size(), now() - before, r.foothold, r.reach, r.stability, r.self, r.world);
    }
    const Vec3 p = base_position(w.q(0).data());
    if (k % 2000 == 0) fmt::print("  t {:.1f} at {:.3f} {:.3f} {:.3f} slips {} misses {} footholds {} state {} fallen {}\n", w.time(), p.x, p.y, p.z, c->report().slips, c->report().misses, c->report().footholds, static_cast<int>(c->report().state), w.fallen(0));
    if (c->report().state == plan::WayReport::State::arrived || c->report().state == plan::WayReport::State::stuck) break;
  }
  const Vec3 p = base_position(w.q(0).data());
  fmt::print("END {} {}: t {:.1f} at {:.3f} {:.3f} {:.3f} plans {} slips {} misses {} footholds {} slid {:.3f} longest plan {:.2f} s, wall {:.1f} s fallen {}\n", argv[1], argv[5], w.time(), p.x, p.y, p.z, plans, c->report().slips, c->report().misses, c->report().footholds, c->report().slid, most, now() - t0, w.fallen(0));
}
