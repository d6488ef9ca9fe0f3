#include "plan/planner.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "math/angle.h"

namespace gradus::plan {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kTriedToLeave = 600;  // steps, most of them from the goal
constexpr double kAround = 1.0;  // [m] that a way may go around

double turned(double from, double to) {
  const double d = to - from;
  return d - 2 * kPi * std::floor(d / (2 * kPi) + 0.5);
}

/// Part of the way from a to b, no longer than a step.
Place2 towards(const Place2& a, const Place2& b, const PlanSettings& s) {
  const double dx = b.x - a.x, dy = b.y - a.y, dyaw = turned(a.yaw, b.yaw), length = square_root(dx * dx + dy * dy);
  const double share = std::max(length / s.stride, std::fabs(dyaw) / s.turn);
  if (share <= 1) return b;
  return {a.x + dx / share, a.y + dy / share, a.yaw + dyaw / share};
}

struct Tree {
  bool forward;  // steps lead away from its root
  std::vector<Stance> stances;
  std::vector<int> parent;
  int nearest(const Place2& p) const {
    int best = 0;
    for (std::size_t i = 1; i < stances.size(); ++i)
      if (distance_of(stances[i].place, p) < distance_of(stances[static_cast<std::size_t>(best)].place, p)) best = static_cast<int>(i);
    return best;
  }
  void add(Stance s, int from) { stances.push_back(std::move(s)), parent.push_back(from); }
  std::vector<Stance> way(int leaf) const {  // from the leaf to the root
    std::vector<Stance> out;
    for (int i = leaf; i >= 0; i = parent[static_cast<std::size_t>(i)]) out.push_back(stances[static_cast<std::size_t>(i)]);
    return out;
  }
};

class Search {
 public:
  Search(Walker& walker, const PlanSettings& settings) : walker_(walker), s_(settings), key_{settings.seed, 0, 17} {}
  Plan plan;

  bool exhausted() const { return plan.tried >= s_.most_steps; }
  /// There is no way out of the start.
  bool is_caught(const Tree& from_start) const { return from_start.stances.size() == 1 && plan.tried > kTriedToLeave; }
  double draw(double lo, double hi) { return random_in(key_, static_cast<std::uint64_t>(draws_++), 0, lo, hi); }

  /// A new stance of the tree one step towards p; −1: it was stopped.
  int extend(Tree& tree, const Place2& p) {
    const int from = tree.nearest(p);
    return extend_from(tree, from, p);
  }
  int extend_from(Tree& tree, int from, const Place2& p) {
    Stance next;
    ++plan.tried;
    if (!walker_.stand(towards(tree.stances[static_cast<std::size_t>(from)].place, p, s_), next)) return -1;
    const Stance& old = tree.stances[static_cast<std::size_t>(from)];
    if (!(tree.forward ? walker_.step(old, next) : walker_.step(next, old))) return -1;
    tree.add(std::move(next), from);
    return static_cast<int>(tree.stances.size()) - 1;
  }
  /// Towards the stance of another tree, until the last step between them is taken; the stance that it was taken from, or −1.
  int connect(Tree& tree, const Stance& to) {
    int at = tree.nearest(to.place);
    while (!exhausted()) {
      const Place2 next = towards(tree.stances[static_cast<std::size_t>(at)].place, to.place, s_);
      if (distance_of(next, to.place) == 0) {
        ++plan.tried;
        const Stance& last = tree.stances[static_cast<std::size_t>(at)];
        return (tree.forward ? walker_.step(last, to) : walker_.step(to, last)) ? at : -1;
      }
      at = extend_from(tree, at, to.place);
      if (at < 0) return -1;
    }
    return -1;
  }

  double cost(const Stance& s) const { return 1 + s_.weight * s.cost; }

  /// Straight steps from a to b, both included; empty: there is no way.
  std::vector<Stance> straight(const Stance& a, const Stance& b) {
    std::vector<Stance> out{a};
    while (true) {
      ++plan.tried;
      const Place2 next = towards(out.back().place, b.place, s_);
      if (distance_of(next, b.place) == 0) {
        if (!walker_.step(out.back(), b)) return {};
        out.push_back(b);
        return out;
      }
      Stance s;
      if (!walker_.stand(next, s) || !walker_.step(out.back(), s)) return {};
      out.push_back(std::move(s));
    }
  }

  void shorten() {
    std::vector<Stance>& way = plan.way;
    for (int k = 0; k < s_.shortcuts && way.size() > 2; ++k) {
      auto i = static_cast<std::size_t>(draw(0, static_cast<double>(way.size()))), j = static_cast<std::size_t>(draw(0, static_cast<double>(way.size())));
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
  Walker& walker_;
  const PlanSettings& s_;
  RandomKey key_;
  std::int64_t draws_ = 0;
};

}  // namespace

double distance_of(const Place2& a, const Place2& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, dyaw = kTurnLength * turned(a.yaw, b.yaw);
  return square_root(dx * dx + dy * dy + dyaw * dyaw);
}

MapArea area_between(Vec3 a, Vec3 b) {
  return {std::min(a.x, b.x) - kAround, std::max(a.x, b.x) + kAround, std::min(a.y, b.y) - kAround, std::max(a.y, b.y) + kAround};
}

Plan make_plan(Walker& walker, const Stance& start, Vec3 goal, std::optional<double> yaw, const PlanSettings& settings) {
  Search search(walker, settings);
  Plan& plan = search.plan;
  const MapArea& area = walker.map().area();
  Tree trees[2] = {{true, {}, {}}, {false, {}, {}}};
  trees[0].add(start, -1);
  // stances at the goal: the yaw asked for, or several, beginning with that of the way
  const double ahead = arc_tangent(goal.y - start.place.y, goal.x - start.place.x);
  for (int k = 0; k < (yaw ? 1 : 8); ++k) {
    Stance s;
    if (walker.stand({goal.x, goal.y, yaw ? *yaw : (k == 0 ? start.place.yaw : ahead + (k - 1) * kPi / 4)}, s)) trees[1].add(std::move(s), -1);
  }
  if (trees[1].stances.empty()) return plan;
  int met[2] = {-1, -1};  // a stance of each tree, one step apart
  for (std::size_t k = 0; k < trees[1].stances.size() && met[0] < 0; ++k)
    if ((met[0] = search.connect(trees[0], trees[1].stances[k])) >= 0) met[1] = static_cast<int>(k);
  for (int turn = 0; met[0] < 0 && !search.exhausted() && !search.is_caught(trees[0]); turn = 1 - turn) {
    Tree &one = trees[turn], &other = trees[1 - turn];
    const Place2 random{search.draw(area.x_low, area.x_high), search.draw(area.y_low, area.y_high), search.draw(-kPi, kPi)};
    Place2 aim = random;
    if (search.draw(0, 1) < 0.7) aim.yaw = one.stances[static_cast<std::size_t>(one.nearest(random))].place.yaw + 0.3 * random.yaw / kPi;  // mostly as it stands
    const int grown = search.extend(one, aim);
    if (grown < 0) continue;
    const int from = search.connect(other, one.stances[static_cast<std::size_t>(grown)]);
    if (from >= 0) met[turn] = grown, met[1 - turn] = from;
  }
  plan.stances = static_cast<int>(trees[0].stances.size() + trees[1].stances.size());
  if (met[0] < 0) return plan;
  plan.way = trees[0].way(met[0]);
  std::reverse(plan.way.begin(), plan.way.end());
  const std::vector<Stance> rest = trees[1].way(met[1]);
  plan.way.insert(plan.way.end(), rest.begin(), rest.end());
  plan.found = true;
  search.shorten();
  return plan;
}

}  // namespace gradus::plan
