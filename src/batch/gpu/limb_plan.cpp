#include "batch/gpu/limb_plan.h"

#include <algorithm>
#include <vector>

namespace gradus {
namespace {

constexpr double kPointCost = 0.1;  // of a point that may touch, in links: most do not

/// A subtree of the root: links first … last.
struct Limb {
  int first, last, points;
  double cost() const { return last - first + 1 + kPointCost * points; }
};

template <class F>
std::vector<Limb> limbs_of(const KindArraysT<F>& kind) {
  std::vector<Limb> limbs;
  for (int i = 1; i < kind.nlink; ++i) {
    if (kind.links[i].parent == 0) limbs.push_back({i, i, 0});
    limbs.back().last = i;  // depth first: whatever follows belongs to it
    limbs.back().points += kind.point_begin[i + 1] - kind.point_begin[i];
  }
  return limbs;
}

/// Warp of each limb.
std::vector<int> deal(const std::vector<Limb>& limbs, int root_points, LimbPlan& plan) {
  std::vector<std::size_t> order(limbs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return limbs[a].cost() > limbs[b].cost(); });
  double load[kMostLimbWarps] = {};
  const auto least = [&] { return static_cast<int>(std::min_element(load, load + plan.warps) - load); };
  std::vector<int> warp(limbs.size());
  int points[kMostLimbWarps] = {};
  for (const std::size_t i : order) {
    int w = least();
    for (int k = 0; k < plan.warps && points[w] + limbs[i].points > kMostWarpPoints; ++k) w = (w + 1) % plan.warps;
    warp[i] = w;
    load[w] += limbs[i].cost();
    points[w] += limbs[i].points;
  }
  plan.root_warp = least();
  for (int k = 0; k < plan.warps && points[plan.root_warp] + root_points > kMostWarpPoints; ++k)
    plan.root_warp = (plan.root_warp + 1) % plan.warps;
  return warp;
}

/// Runs of one limb, behind those the warp has. False: too many.
template <class F>
bool add_runs(const KindArraysT<F>& kind, const Limb& limb, int warp, LimbPlan& plan) {
  for (int i = limb.first; i <= limb.last;) {
    int last = i;
    while (last < limb.last && kind.links[last + 1].parent == last) ++last;
    if (plan.run_count[warp] == kMostRuns) return false;
    LimbRun& r = plan.runs[warp][plan.run_count[warp]++];
    const int carrier = kind.links[i].parent;
    r = {i, last, carrier == 0 ? -1 : kind.links[carrier].branch, 0};
    for (int k = i; k <= last; ++k)
      if (kind.links[k].branch >= 0) r.how |= LimbRun::kLeads;
    i = last + 1;
  }
  return true;
}

void mark_openers(LimbPlan& plan) {
  for (int w = 0; w < plan.warps; ++w)
    for (int r = 0; r < plan.run_count[w]; ++r) {
      bool opens = true;
      for (int later = r + 1; later < plan.run_count[w]; ++later) opens = opens && plan.runs[w][later].slot != plan.runs[w][r].slot;
      if (opens || plan.runs[w][r].last == 0) plan.runs[w][r].how |= LimbRun::kOpens;  // the root: after it took what lay there
    }
}

/// Bits of joints and points in the words of their warps. False: too many.
template <class F>
bool number_bits(const KindArraysT<F>& kind, LimbPlan& plan) {
  for (int w = 0; w < plan.warps; ++w) {
    int joints = 0, points = 0;
    const auto take_points = [&](int link) {
      plan.point_bit[link] = static_cast<std::uint8_t>(points);
      points += kind.point_begin[link + 1] - kind.point_begin[link];
    };
    for (int r = 0; r < plan.run_count[w]; ++r)
      for (int i = plan.runs[w][r].first; i <= plan.runs[w][r].last; ++i) {
        if (i > 0) plan.joint_bit[i] = static_cast<std::uint8_t>(joints++);
        take_points(i);
      }
    plan.bits = std::max({plan.bits, joints, points});
  }
  return plan.bits <= kMostWarpPoints;
}

template <class F>
bool plan_for(const KindArraysT<F>& kind, int warps, LimbPlan& plan, std::string& error) {
  const std::vector<Limb> limbs = limbs_of(kind);
  plan = {};
  plan.warps = warps;
  const std::vector<int> warp = deal(limbs, kind.point_begin[1], plan);
  plan.runs[plan.root_warp][plan.run_count[plan.root_warp]++] = {0, 0, -1, 0};
  for (std::size_t i = 0; i < limbs.size(); ++i)
    if (!add_runs(kind, limbs[i], warp[i], plan)) return error = "a limb that branches too often", false;
  mark_openers(plan);
  for (int r = 0; r < plan.run_count[plan.root_warp]; ++r) {
    const LimbRun& u = plan.runs[plan.root_warp][r];
    plan.root_takes = plan.root_takes || (u.slot < 0 && u.first > 1);
  }
  if (!number_bits(kind, plan)) return error = "more than 64 contact points in what one warp walks", false;
  return true;
}

}  // namespace

template <class F>
bool make_limb_plan(const KindArraysT<F>& kind, int warps, LimbPlan& plan, std::string& error) {
  error.clear();
  if (kind.nlink > kMostLimbLinks) error = "more than " + std::to_string(kMostLimbLinks) + " links";
  if (kind.npoint() > kMostLimbPoints) error = "more than " + std::to_string(kMostLimbPoints) + " contact points";
  int limbs = 0;
  for (int i = 1; i < kind.nlink; ++i) {
    limbs += kind.links[i].parent == 0;
    if (kind.links[i].hold >= 0) error = "one motor on two joints";
  }
  if (!error.empty()) return false;
  if (warps == 0 && limbs < 3 && plan_for(kind, 1, plan, error)) return true;
  return plan_for(kind, warps == 0 ? kMostLimbWarps : warps, plan, error);
}

template bool make_limb_plan<float>(const KindArraysT<float>&, int, LimbPlan&, std::string&);
template bool make_limb_plan<double>(const KindArraysT<double>&, int, LimbPlan&, std::string&);

}  // namespace gradus
