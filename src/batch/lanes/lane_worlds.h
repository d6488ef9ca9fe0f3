/// Lanes as the back end of a batch [batch/backend.h]: columns packed from and into tiles, delays, parameters of each world.
#pragma once
#include "batch/backend.h"
#include "batch/lanes/lanes.h"
#include "batch/row_columns.h"

namespace gradus {

class LaneWorlds : public Backend {
 public:
  struct Options {
    bool single = true;
    int threads = 1;
    int predictions = kPredictions;
    BatchColumns columns;
  };
  /// What is asked for and lanes cannot do; empty: nothing.
  static std::vector<std::string> lacks(const Model& model, const BatchColumns& columns);
  static Result<std::unique_ptr<LaneWorlds>> make(const Model& model, int worlds, Options options);

  int count() const override { return lanes_->worlds(); }
  void act(const ActOrder& order) override;
  void observe(const Packed& out, std::span<const std::uint8_t> mask) override;
  bool finite(int world) const override { return finite_[static_cast<std::size_t>(world)] != 0; }
  void reset(int world) override;
  void read_state(int world, double* q, double* v) const override;
  bool write_state(int world, const double* q, const double* v) override;
  std::string push(int world, int robot, int link, Vec3 force, Vec3 p_L) override;
  std::string set_parameters(int world, std::vector<Setting> settings) override;
  std::uint64_t hash(int world) const override { return lanes_->hash(world); }
  std::vector<double> save(int world) const override;
  bool restore(int world, std::span<const double> numbers) override;
  std::int64_t predictions() const override { return lanes_->predictions() * tile_size(); }  // of worlds

 private:
  using Source = RowSource;
  int tile_size() const { return lanes_->type().lanes; }
  LaneWorlds(std::unique_ptr<World> workshop, std::unique_ptr<Lanes> lanes, Options options);
  template <class T>
  void act_tile(const ActOrder& order, int tile, int part);
  template <class T, class O>
  void take_actions(const ActOrder& order, int tile, int step);
  template <class T>
  void remember(int tile);
  template <class T, class O>
  void pack(int tile, const Packed& out, std::span<const std::uint8_t> mask);
  template <class T>
  void check(int tile);
  template <class T>
  void forces_of(int tile, int link, T* sum);  // normal forces on a link, of each lane
  template <class T, class O>
  void pack_base(int tile, int lane, O* row) const;

  Options options_;
  std::unique_ptr<World> workshop_;  // compiles parameters
  std::unique_ptr<Lanes> lanes_;
  std::vector<Source> sources_;  // (observed columns)
  std::vector<int> kept_links_;  // (kept columns)
  std::vector<ObservedColumn::Kind> kept_kinds_;
  std::vector<double> kept_;          // [kept column][world of whole tiles]
  std::vector<std::int64_t> ages_;    // (worlds of whole tiles) steps since the reset
  std::vector<std::uint8_t> finite_;  // the same
};

}  // namespace gradus
