#include "cli/replay_log.h"

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "io/progress.h"

namespace gradus::cli {

Result<Replay> replay_with_bar(const std::string& log, const ReplayOptions& options, bool silent,
                               const std::function<void(const World&)>& observe) {
  ProgressSetup setup;
  setup.style = silent ? ProgressStyle::silent : progress_style(stderr);
  setup.labels = {"steps", " steps/s"};
  setup.now = now;
  std::unique_ptr<Progress> bar;
  const auto show = [&](double done, double total) {
    setup.total = total;
    if (!bar) bar = std::make_unique<Progress>(setup);
    bar->update(done);
  };
  return replay(log, options, show, observe);
}

bool look_through(const std::string& log, const std::function<void(const World&)>& observe) {
  const auto result = replay_with_bar(log, {}, false, observe);
  print(result ? result->notes : result.notes());
  if (!result) return false;
  if (result->first_difference >= 0)
    std::fprintf(
        stderr, "warning: from step %lld on this program computes other states than the log holds; shown up to there\n",
        static_cast<long long>(result->first_difference));
  return true;
}

}  // namespace gradus::cli
