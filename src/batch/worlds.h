/// Many worlds of any scene: N states of one model, stepped by T engines. No physics of its own: each world has the
/// bits that World would give it, whatever its neighbours do and however many threads there are.
///
/// An engine has no memory [engine/engine.h], so one thread's engine takes its worlds in turn, each for as many steps
/// as were asked, while its numbers are warm.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace gradus {

class Worlds {
 public:
  static Result<std::unique_ptr<Worlds>> make(Model model, int worlds, int threads = 1);

  void step(int steps = 1);
  int count() const { return static_cast<int>(states_.size()); }
  const Model& model() const { return model_; }
  const Layout& layout() const { return engines_[0]->layout(); }

  const State& state(int world) const { return states_[static_cast<std::size_t>(world)]; }
  std::span<const double> q(int world, int robot) const;
  std::span<const double> v(int world, int robot) const;
  std::span<double> targets(int world, int robot);
  std::span<const double> input(int world) const { return inputs_[static_cast<std::size_t>(world)].slab; }
  /// Whole states and inputs; false, and nothing changed, if the length is wrong.
  bool set_state(int world, std::span<const double> numbers, std::int64_t k);
  bool set_input(int world, std::span<const double> numbers);
  /// False if there is no such world or link, or 64 are waiting already.
  bool add_impulse(int world, const Impulse& impulse);
  /// Worlds with mask[w] != 0 go back to the start; the others are untouched. False if the length is wrong.
  bool reset(std::span<const std::uint8_t> mask);
  bool finite(int world) const { return finite_[static_cast<std::size_t>(world)] != 0; }  // after the last step
  std::uint64_t hash(int world) const;  // that World::hash gives for the same state, input and no settings

 private:
  Worlds(Model model, int worlds, int threads) : model_(std::move(model)), worlds_(worlds), team_(threads) {}
  Diagnostics build();

  Model model_;
  StaticWorld statics_;
  int worlds_;
  Team team_;
  std::vector<std::unique_ptr<Engine>> engines_;  // (threads)
  std::vector<State> next_;                       // (threads) changes places with the state that was stepped
  std::vector<State> states_;                     // (worlds)
  std::vector<Input> inputs_;                     // (worlds)
  std::vector<std::uint8_t> finite_;              // (worlds)
  State start_;
  Input start_input_;
};

}  // namespace gradus
