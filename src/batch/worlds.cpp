#include "batch/worlds.h"

#include <algorithm>

#include "base/hash.h"

namespace gradus {
Result<std::unique_ptr<Worlds>> Worlds::make(Model model, int worlds, int threads) {
  constexpr int kMost = 1 << 24;
  if (worlds < 1 || worlds > kMost)
    return Diagnostics{{{model.file, 0, 0},
                        Severity::error,
                        "batch: cannot make " + std::to_string(worlds) + " worlds",
                        "ask for 1 to " + std::to_string(kMost)}};
  std::unique_ptr<Worlds> w(new Worlds(std::move(model), worlds, std::clamp(threads, 1, worlds)));
  Diagnostics notes = w->build();
  if (has_errors(notes)) return notes;
  return {std::move(w), std::move(notes)};
}

Diagnostics Worlds::build() {
  Diagnostics notes = statics_.build(model_);
  for (int t = 0; t < team_.size(); ++t) {
    auto engine = Engine::make(model_, statics_, {});
    if (t == 0) append(notes, engine.notes());
    if (!engine || has_errors(notes)) return notes;
    engines_.push_back(std::move(*engine));
  }
  engines_[0]->start(start_, start_input_);
  start_input_.impulses.reserve(kMaxImpulses);
  next_.assign(engines_.size(), start_);
  for (State& s : next_) std::fill(s.slab.begin(), s.slab.end(), 0.0);
  states_.assign(static_cast<std::size_t>(worlds_), start_);
  inputs_.assign(static_cast<std::size_t>(worlds_), start_input_);
  for (Input& i : inputs_) i.impulses.reserve(kMaxImpulses);
  finite_.assign(static_cast<std::size_t>(worlds_), 1);
  return notes;
}

void Worlds::step(int steps) {
  const int parts = team_.size();
  team_.run([&](int p) {
    Engine& engine = *engines_[static_cast<std::size_t>(p)];
    State& next = next_[static_cast<std::size_t>(p)];
    for (int w = worlds_ * p / parts; w < worlds_ * (p + 1) / parts; ++w) {
      State& now = states_[static_cast<std::size_t>(w)];
      Input& input = inputs_[static_cast<std::size_t>(w)];
      engine.look(now);
      for (int i = 0; i < steps; ++i) {
        engine.step_and_look(now, input, next);
        std::swap(now, next);
        input.impulses.clear();
      }
      finite_[static_cast<std::size_t>(w)] = engine.figures().not_finite < 0;
    }
  });
}

std::span<const double> Worlds::q(int world, int robot) const {
  const std::vector<double>& slab = state(world).slab;
  return {slab.data() + layout().robots[static_cast<std::size_t>(robot)].q,
          static_cast<std::size_t>(engines_[0]->kind(robot).nq())};
}

std::span<const double> Worlds::v(int world, int robot) const {
  const std::vector<double>& slab = state(world).slab;
  return {slab.data() + layout().robots[static_cast<std::size_t>(robot)].v,
          static_cast<std::size_t>(engines_[0]->kind(robot).nv())};
}

std::span<double> Worlds::targets(int world, int robot) {
  std::vector<double>& slab = inputs_[static_cast<std::size_t>(world)].slab;
  return {slab.data() + layout().robots[static_cast<std::size_t>(robot)].target,
          static_cast<std::size_t>(engines_[0]->kind(robot).njoint())};
}

bool Worlds::set_state(int world, std::span<const double> numbers, std::int64_t k) {
  State& s = states_[static_cast<std::size_t>(world)];
  if (numbers.size() != s.slab.size()) return false;
  std::copy(numbers.begin(), numbers.end(), s.slab.begin());
  s.k = k;
  return true;
}

bool Worlds::set_input(int world, std::span<const double> numbers) {
  Input& i = inputs_[static_cast<std::size_t>(world)];
  if (numbers.size() != i.slab.size()) return false;
  std::copy(numbers.begin(), numbers.end(), i.slab.begin());
  for (int r = 0; r < engines_[0]->robot_count(); ++r)
    if (i.slab[static_cast<std::size_t>(engines_[0]->at(r).target + engines_[0]->kind(r).njoint() + kPushLink)] >= 0)
      engines_[0]->wake(r, states_[static_cast<std::size_t>(world)]);
  return true;
}

bool Worlds::add_impulse(int world, const Impulse& impulse) {
  if (world < 0 || world >= worlds_) return false;
  std::vector<Impulse>& waiting = inputs_[static_cast<std::size_t>(world)].impulses;
  const bool exists = impulse.robot >= 0 && impulse.robot < engines_[0]->robot_count() && impulse.link >= 0 &&
                      impulse.link < engines_[0]->kind(impulse.robot).nlink();
  if (!exists || waiting.size() == kMaxImpulses) return false;
  waiting.push_back(impulse);
  engines_[0]->wake(impulse.robot, states_[static_cast<std::size_t>(world)]);
  return true;
}

bool Worlds::reset(std::span<const std::uint8_t> mask) {
  if (mask.size() != states_.size()) return false;
  for (std::size_t w = 0; w < mask.size(); ++w) {
    if (mask[w] == 0) continue;
    states_[w].k = 0;
    std::copy(start_.slab.begin(), start_.slab.end(), states_[w].slab.begin());
    std::copy(start_input_.slab.begin(), start_input_.slab.end(), inputs_[w].slab.begin());
    inputs_[w].impulses.clear();
    finite_[w] = 1;
  }
  return true;
}

std::uint64_t Worlds::hash(int world) const {
  const State& s = state(world);
  return hash_doubles(input(world), hash_doubles(s.slab, static_cast<std::uint64_t>(s.k)));
}

}  // namespace gradus
