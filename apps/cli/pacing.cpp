#include "cli/pacing.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/commands.h"

namespace gradus::cli {

Pacing::Pacing(double factor, double sim_time) : factor_(factor), sim_start_(sim_time), wall_start_(now()) {}

void Pacing::wait(double sim_time) {
  if (factor_ <= 0) return;
  const double due = wall_start_ + (sim_time - sim_start_) / factor_, ahead = due - now();
  if (ahead > 0.001)
    std::this_thread::sleep_for(std::chrono::duration<double>(ahead));
  else
    worst_ = std::max(worst_, -ahead);
}

}  // namespace gradus::cli
