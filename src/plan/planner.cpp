#include "plan/planner.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "math/angle.h"
#include "plan/pose_search.h"

namespace gradus::plan {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kAround = 1.0;  // [m] that a way may go around

class Shortener {
 public:
  Shortener(Walker& walker, const PlanSettings& settings, Plan& plan) : walker_(walker), s_(settings), plan_(plan), key_{settings.seed, 0, 18} {}

  void run() {
    std::vector<Stance>& way = plan_.way;
    for (int k = 0; k < s_.shortcuts && way.size() > 2; ++k) {
      auto i = static_cast<std::size_t>(draw(static_cast<double>(way.size()))), j = static_cast<std::size_t>(draw(static_cast<double>(way.size())));
      if (k == 0) i = 0, j = way.size() - 1;
      if (i > j) std::swap(i, j);
      if (j < i + 2) continue;
      const std::vector<Stance> other = straight(way[i], way[j]);
      if (other.empty()) continue;
      double before = 0, after = 0;
      for (std::size_t n = i + 1; n <= j; ++n) before += cost(way[n]);
      for (std::size_t n = 1; n < other.size(); ++n) after += cost(other[n]);
      if (after >= before - 1e-9) continue;
      way.erase(way.begin() + static_cast<std::ptrdiff_t>(i), way.begin() + static_cast<std::ptrdiff_t>(j) + 1);
      way.insert(way.begin() + static_cast<std::ptrdiff_t>(i), other.begin(), other.end());
    }
  }

 private:
  double draw(double below) { return random_in(key_, static_cast<std::uint64_t>(draws_++), 0, 0, below); }
  double cost(const Stance& s) const { return 1 + s_.weight * s.cost; }

  /// Straight steps from a to b, both included; empty: there is no way.
  std::vector<Stance> straight(const Stance& a, const Stance& b) {
    std::vector<Stance> out{a};
    while (true) {
      ++plan_.tried;
      const double far = steps_between(out.back().place, b.place, s_);
      if (far <= 1) {
        if (!walker_.step(out.back(), b)) return {};
        out.push_back(b);
        return out;
      }
      Stance s;
      if (!walker_.stand(part_of_way(out.back().place, b.place, 1 / far), s) || !walker_.step(out.back(), s)) return {};
      out.push_back(std::move(s));
    }
  }

  Walker& walker_;
  const PlanSettings& s_;
  Plan& plan_;
  RandomKey key_;
  std::int64_t draws_ = 0;
};

}  // namespace

MapArea area_between(Vec3 a, Vec3 b) {
  return {std::min(a.x, b.x) - kAround, std::max(a.x, b.x) + kAround, std::min(a.y, b.y) - kAround, std::max(a.y, b.y) + kAround};
}

Plan make_plan(Walker& walker, const Stance& start, Vec3 goal, std::optional<double> yaw, const PlanSettings& settings) {
  Plan plan;
  // stances at the goal: the yaw asked for, or several, beginning with that of the start
  std::vector<Stance> goals;
  const double ahead = arc_tangent(goal.y - start.place.y, goal.x - start.place.x);
  for (int k = 0; k < (yaw ? 1 : 8); ++k) {
    Stance s;
    if (walker.stand({goal.x, goal.y, yaw ? *yaw : (k == 0 ? start.place.yaw : ahead + (k - 1) * kPi / 4)}, s)) goals.push_back(std::move(s));
  }
  if (goals.empty()) return plan;
  search_poses(walker, start, goals, settings, plan);
  if (plan.found) Shortener(walker, settings, plan).run();
  return plan;
}

}  // namespace gradus::plan
