// How hard a shove does a standing humanoid survive, and does the level of detail matter? Many worlds, a few threads.
//   many_worlds [WORLDS]
#include <gradus/gradus.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

// Speed of the shove in world w of n: 0 … 1 m/s forward.
double shove(int w, int n) { return static_cast<double>(w) / n; }

int main(int argc, char** argv) {
  const int worlds = argc > 1 ? std::atoi(argv[1]) : 200;
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const std::string level : {"single_body", "articulated"}) {
    std::vector<char> fell(
        static_cast<std::size_t>(std::max(0, worlds)));  // char: neighbours are written by different threads
    std::vector<std::thread> crew;
    for (int t = 0; t < threads; ++t)
      crew.emplace_back([&, t] {
        auto sim = gradus::Simulation::load("bench_standing");  // a scene that comes with gradus; or your own file
        sim.set_motion("humanoid", level);
        const auto start = sim.save();
        for (int w = t; w < worlds; w += threads) {  // the same worlds for any number of threads, the same result
          sim.restore(start);
          sim.set("humanoid.vx", shove(w, worlds));
          sim.step(2000);
          fell[static_cast<std::size_t>(w)] = sim.get("humanoid.fallen") > 0;
        }
      });
    for (std::thread& t : crew) t.join();
    const auto first = std::find(fell.begin(), fell.end(), 1);
    std::printf("%-12s %ld of %d worlds end in a fall; the gentlest shove that does: %s\n", level.c_str(),
                static_cast<long>(std::count(fell.begin(), fell.end(), 1)), worlds,
                first == fell.end()
                    ? "none"
                    : (std::to_string(shove(static_cast<int>(first - fell.begin()), worlds)) + " m/s").c_str());
  }
}
