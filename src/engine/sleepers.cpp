#include "engine/sleepers.h"

#include <algorithm>
#include <numeric>

#include "base/hash.h"

namespace gradus {

void Sleepers::build(std::vector<std::uint8_t> may) {
  may_ = std::move(may);
  const bool any = std::find(may_.begin(), may_.end(), 1) != may_.end();
  size_ = any ? 1 + static_cast<int>(may_.size()) : 0;
  asleep_.assign(may_.size(), 0);
  list();
}

void Sleepers::lay_out(Layout& layout, int memory, int memory_size) {
  memory_ = memory, memory_size_ = memory_size;
  for (const RobotLayout& r : layout.robots) begin_.push_back(r.q), v_.push_back(r.v), r_.push_back(r.r);
  begin_.push_back(layout.coupling);
  first_ = layout.state_size;
  layout.state_size += size_;
}

void Sleepers::list() {
  awake_.clear();
  for (std::size_t r = 0; r < asleep_.size(); ++r)
    if (!asleep_[r]) awake_.push_back(static_cast<int>(r));
  ++version_;
}

/// A snapshot may hold anything: who may not sleep is awake.
void Sleepers::take(const State& state) {
  if (size_ == 0) return;
  bool changed = false;
  for (std::size_t r = 0; r < may_.size(); ++r) {
    const std::uint8_t asleep = may_[r] && at(state, static_cast<int>(r)) < 0;
    changed |= asleep != asleep_[r];
    asleep_[r] = asleep;
  }
  if (changed) list();
}

void Sleepers::wake(std::span<const int> robots, const State& state) {
  for (const int r : robots)
    for (std::size_t i = 0; i < asleep_.size(); ++i)
      if (at(state, static_cast<int>(i)) == at(state, r)) asleep_[i] = 0;
  list();
}

void Sleepers::wake_in(State& state, int robot) const {
  if (size_ == 0 || (robot >= 0 && !(at(state, robot) < 0))) return;
  const double together = robot < 0 ? 0 : at(state, robot);
  for (int r = 0; r < static_cast<int>(may_.size()); ++r)
    if (at(state, r) < 0 && (robot < 0 || at(state, r) == together)) at(state, r) = 0;
  state.slab[static_cast<std::size_t>(first_)] = -1 - stamp(state);
}

double Sleepers::stamp(const State& s) const {
  std::uint64_t hash = 0;
  bool any = false;
  for (int r = 0; r < static_cast<int>(may_.size()); ++r) {
    if (!(at(s, r) < 0)) continue;
    any = true;
    hash = hash_doubles({&s.slab[static_cast<std::size_t>(first_ + 1 + r)], 1}, hash);
    hash = hash_doubles({begin_of(s, r), count_of(r)}, hash);
  }
  const double count = memory_size_ > 0 ? s.slab[static_cast<std::size_t>(memory_)] : 0;
  if (count > 0 && count * kContactRecord < memory_size_)
    hash = hash_doubles({s.slab.data() + memory_, static_cast<std::size_t>(section_size(static_cast<int>(count)))}, hash);
  return any ? 1.0 + static_cast<double>(hash >> 11) : 0;  // a whole number, so that nobody meets a NaN
}

void Sleepers::carry(const State& now, State& next) const {
  const auto first = static_cast<std::size_t>(first_);
  if (size_ == 0 || now.slab[first] == next.slab[first]) return;
  for (int r = 0; r < static_cast<int>(may_.size()); ++r) {
    if (!asleep_[static_cast<std::size_t>(r)]) continue;
    std::copy_n(begin_of(now, r), count_of(r), next.slab.data() + begin_[static_cast<std::size_t>(r)]);
    at(next, r) = at(now, r);
  }
  std::copy_n(now.slab.begin() + memory_, memory_size_, next.slab.begin() + memory_);
}

int Sleepers::quiet(const State& now, int robot) const {
  const double n = at(now, robot);
  return n > 0 && n < 1e9 ? static_cast<int>(n) : 0;
}

void Sleepers::fall_asleep(State& next, std::span<const int> robots) const {
  for (const int r : robots) {
    at(next, r) = -1.0 - robots[0];
    const auto u = static_cast<std::size_t>(r);
    std::fill_n(next.slab.begin() + v_[u], 6, 0.0);
    std::fill_n(next.slab.begin() + r_[u], 6, 0.0);
  }
}

bool Sleepers::finish(const State& now, State& next) {
  if (size_ == 0) return false;
  const auto first = static_cast<std::size_t>(first_);
  bool changed = now.slab[first] < 0;
  for (const int r : awake_) changed |= (at(next, r) < 0) || (at(now, r) < 0);
  if (changed)
    take(next);
  else
    next.slab[first] = now.slab[first];
  return changed;
}

}  // namespace gradus
