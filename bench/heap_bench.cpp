/// Heaps of humanoids with self-contact, dropped in rings of five, gradus and MuJoCo in turns on one thread.
///   heap_bench [ROBOTS...]         5 10 20 30 unless given; 1.5 s each
///   heap_bench alone [ROBOTS...]   gradus only
///   heap_bench mjcf ROBOTS         the scene as MuJoCo reads it [heap_pypi.py]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "bench/mjcf.h"
#include "bench/mujoco.h"
#include "load/robot_toml.h"
#include "world/world.h"

namespace gradus::bench {
namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<Pose> starts_of(int robots) {
  std::vector<Pose> out;
  for (int i = 0; i < robots; ++i) {
    const double turn = 2 * 3.141592653589793 * (i % 5 + 0.5 * (i / 5 % 2)) / 5;
    const Vec3 tilt{0.3 * std::sin(3.0 * i), 0.5 + 0.4 * std::cos(2.0 * i), turn + 0.1 * i};
    out.push_back({to_matrix(exponential(tilt)), {0.22 * std::cos(turn), 0.22 * std::sin(turn), 0.5 + 0.55 * (i / 5)}});
  }
  return out;
}

SceneSpec scene_of(const RobotSpec& robot, std::span<const Pose> starts) {
  SceneSpec s;
  s.name = "heap";
  s.step = 0.001;
  FieldObjectSpec ground;
  ground.name = "ground";
  ground.shape.kind = ShapeKind::plane;
  s.field.push_back(ground);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    RobotInstanceSpec r;
    r.name = "r" + std::to_string(i);
    r.robot = robot;
    r.motion = "articulated";
    r.p_WB = starts[i].p;
    r.q_WB = to_quaternion(starts[i].R);
    r.self_contact = true;
    r.on_ground = false;
    s.robots.push_back(r);
  }
  return s;
}

int run(const RobotSpec& robot, int robots, const std::string& how) {
  const std::vector<Pose> starts = starts_of(robots);
  auto model = compile(scene_of(robot, starts));
  if (!model) return std::fprintf(stderr, "%s\n", model.notes()[0].text.c_str()), 1;
  const auto kind = model->robots[0].kind;
  const ContactSpec contact = model->contact;
  if (how == "mjcf") return std::printf("%s\n", to_mjcf(*kind, contact, starts).c_str()), 0;
  auto world = World::make(std::move(*model));
  if (!world) return std::fprintf(stderr, "%s\n", world.notes()[0].text.c_str()), 1;
  World& w = **world;
  auto peer =
      how == "alone" ? Result<std::unique_ptr<Mujoco>>(Diagnostics{}) : Mujoco::make(to_mjcf(*kind, contact, starts));
  if (!peer && how != "alone") std::fprintf(stderr, "%s\n", peer.notes()[0].text.c_str());
  if (peer) {
    for (int r = 0; r < robots; ++r)
      for (int j = 0; j < kind->njoint(); ++j) {
        const double q = kind->joints[static_cast<std::size_t>(j)].initial;
        (*peer)->q()[static_cast<std::size_t>(r * kind->nq() + 7 + j)] = q;
        (*peer)->ctrl()[static_cast<std::size_t>(r * kind->njoint() + j)] = q;
      }
  }
  double ours = 0, theirs = 0, contacts = 0, their_contacts = 0;
  constexpr int kRounds = 30, kSteps = 50;
  for (int round = 0; round < kRounds; ++round) {
    double t = now();
    for (int k = 0; k < kSteps; ++k) w.step();
    ours += now() - t;
    contacts += static_cast<double>(w.engine().moving_contacts().contacts().size());
    for (int r = 0; r < robots; ++r)
      for (const StaticContact& c : std::span(w.scratch(r).contacts.data(), static_cast<std::size_t>(w.scratch(r).contact_count)))
        contacts += c.gap < 0;
    if (!peer) continue;
    t = now();
    (*peer)->step(kSteps);
    theirs += now() - t;
    their_contacts += (*peer)->contact_count();
  }
  const double steps = kRounds * kSteps;
  std::printf("%4d robots: gradus %8.0f us a step, %5.0f contacts, unsettled %lld", robots, ours / steps * 1e6,
              contacts / kRounds, static_cast<long long>(w.report().coupling.unsettled));
  const CouplingReport& c = w.report().coupling;
  std::printf("; sweeps %.1f, Newton steps %.1f, second passes %.2f", static_cast<double>(c.sweeps) / steps,
              static_cast<double>(c.newtons) / steps, static_cast<double>(c.passes) / steps);
  if (peer)
    std::printf(";  MuJoCo %s %8.0f us, %5.0f contacts;  %.2f times", Mujoco::version().c_str(), theirs / steps * 1e6,
                their_contacts / kRounds, theirs / ours);
  std::printf("\n");
  std::fflush(stdout);
  return 0;
}

}  // namespace
}  // namespace gradus::bench

int main(int argc, char** argv) {
  auto robot = gradus::load_robot_toml(GRADUS_SOURCE_DIR "/robots/humanoid28.toml", {});
  if (!robot) return std::fprintf(stderr, "%s\n", robot.notes()[0].text.c_str()), 1;
  std::vector<int> sizes{5, 10, 20, 30};
  const std::string first = argc > 1 ? argv[1] : "", how = first == "alone" || first == "mjcf" ? first : "";
  const int begin = how.empty() ? 1 : 2;
  if (argc > begin) sizes.clear();
  for (int i = begin; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  for (int n : sizes)
    if (gradus::bench::run(*robot, n, how) != 0) return 1;
  return 0;
}
