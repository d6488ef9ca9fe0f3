// How many states and answers a second: the joints are held where they are.
//
//   c++ -O2 -std=c++17 exchanges.cpp -o exchanges
//   gradus run nao --tcp=4000,robot=v4,rate=1kHz --for 100s        and, in another terminal:
//   ./exchanges 4000
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "gradus_tcp.h"

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: exchanges PORT [ROBOT]\n"), 2;
  gradus_tcp::Robot robot("127.0.0.1", std::atoi(argv[1]), argc > 2 ? argv[2] : "");
  std::vector<double> target;
  long exchanges = 0;
  const auto start = std::chrono::steady_clock::now();
  while (robot.see()) {
    if (target.empty()) target.assign(robot.part("q"), robot.part("q") + robot.joints.size());
    robot.answer(target);
    ++exchanges;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %zu joints, %ld exchanges, %.0f a second\n", robot.name.c_str(), robot.joints.size(), exchanges,
              static_cast<double>(exchanges) / seconds);
}
