// Load, step, read; then a level change, a snapshot and the error of a wrong path.
#include <gradus/gradus.h>

#include <cmath>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto sim = gradus::Simulation::load(argv[1]);
  const double start = sim.get("level3.x");
  sim.step(3000);
  if (!(sim.get("level3.x") > start + 0.05)) return std::puts("the robot did not walk"), 1;
  sim.set_motion("level3", "prescribed_joints");
  const auto saved = sim.save();
  sim.step(100);
  const auto hash = sim.hash();
  sim.restore(saved);
  sim.step(100);
  if (sim.hash() != hash) return std::puts("restore did not give the same state"), 1;
  try {
    sim.get("level3.nose");
    return std::puts("a wrong path was taken"), 1;
  } catch (const gradus::Error& e) {
    std::printf("ok: %s\n", e.what());
  }
}
