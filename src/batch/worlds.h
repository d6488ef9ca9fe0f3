/// Many worlds of any scene: N states of one model that a few Worlds, one a thread, take in turn. No physics of its
/// own: each has the bits that World would give it, whatever its neighbours do and however many threads there are.
///
/// A World's engine has no memory [engine/engine.h], so it takes a state, makes as many steps as were asked while its
/// numbers are warm, and hands it back. Worlds with parameters of their own have a World each.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "batch/backend.h"

namespace gradus {

class Worlds : public Backend {
 public:
  struct Options {
    int threads = 1;
    bool own_parameters = false;  // a World for each
    BatchColumns columns;
  };
  static Result<std::unique_ptr<Worlds>> make(Model model, int worlds, Options options);

  void step(int steps = 1) { act({{}, {}, nullptr, steps}); }
  int count() const override { return static_cast<int>(states_.size()); }
  const State& state(int world) const { return states_[static_cast<std::size_t>(world)]; }
  std::span<const double> input(int world) const { return inputs_[static_cast<std::size_t>(world)].slab; }
  /// False, and nothing changed, if the length is wrong.
  bool set_input(int world, std::span<const double> numbers);
  /// False if there is no such world or link, or 64 are waiting already.
  bool add_impulse(int world, const Impulse& impulse);

  void act(const ActOrder& order) override;
  void observe(const Packed& out, std::span<const std::uint8_t> mask) override;
  bool finite(int world) const override { return finite_[static_cast<std::size_t>(world)] != 0; }
  void reset(int world) override;
  void read_state(int world, double* q, double* v) const override;
  bool write_state(int world, const double* q, const double* v) override;
  std::string push(int world, int robot, int link, Vec3 force, Vec3 p_L) override;
  std::string set_parameters(int world, std::vector<Setting> settings) override;
  std::uint64_t hash(int world) const override;  // that World::hash gives
  std::vector<double> save(int world) const override;
  bool restore(int world, std::span<const double> numbers) override;
  std::int64_t predictions() const override;

 private:
  Worlds(int worlds, Options options) : options_(std::move(options)), worlds_(worlds), team_(options_.threads) {}
  Diagnostics build(Model model);
  World& seat(int world, int part) { return *seats_[static_cast<std::size_t>(options_.own_parameters ? world : part)]; }
  const World& any_seat() const { return *seats_[0]; }
  void act_one(const ActOrder& order, int world, World& seat);
  void remember(int world, const World& seat);
  void observe_one(int world, const World& seat, const Packed& out) const;
  double* kept(int world) { return kept_.data() + static_cast<std::size_t>(world) * kept_columns_.size(); }
  const double* kept(int world) const { return kept_.data() + static_cast<std::size_t>(world) * kept_columns_.size(); }

  Options options_;
  int worlds_;
  Team team_;
  std::vector<std::unique_ptr<World>> seats_;  // (threads), or (worlds) if they have parameters of their own
  std::vector<State> states_;                  // (worlds)
  std::vector<Input> inputs_;                  // (worlds)
  std::vector<std::uint8_t> finite_;           // (worlds)
  std::vector<int> kept_columns_;              // observed columns with a memory
  std::vector<double> kept_;                   // (worlds × those)
  State start_;
  Input start_input_;
};

}  // namespace gradus
