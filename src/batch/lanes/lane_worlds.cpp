#include "batch/lanes/lane_worlds.h"

#include <algorithm>
#include <cmath>

#include "shape/geometry.h"

namespace gradus {
namespace {

constexpr int kMostLanes = 16;

}  // namespace

std::vector<std::string> LaneWorlds::lacks(const Model& model, const BatchColumns& columns) {
  if (model.robots.empty()) return {"a scene without a robot"};
  std::vector<std::string> out = Lanes::lacks(model, 0);
  const RobotModel& robot = model.robots[0];
  if (robot.impedance) out.push_back("commands = \"impedance\"");
  if (robot.kind->bounces) out.push_back("restitution");
  const RowLayout at = make_row_layout(robot.kind->njoint(), static_cast<int>(robot.kind->points.size()), 1);
  for (const ObservedColumn& c : columns.observed)
    if (!row_source_of(c, robot, at)) out.push_back("observing '" + c.path + "'");
  for (const ActionColumn& a : columns.actions)
    if (a.kind != ActionColumn::Kind::target && a.kind != ActionColumn::Kind::stiffness) out.push_back("commanding '" + a.path + "'");
  return out;
}

Result<std::unique_ptr<LaneWorlds>> LaneWorlds::make(const Model& model, int worlds, Options options) {
  auto workshop = World::make(model);
  if (!workshop) return workshop.notes();
  const LaneKernel& kernel = widest_kernel(options.single);
  auto lanes = Lanes::make(model, 0, worlds, {kernel.type, {&kernel, 1}, options.threads, options.predictions});
  if (!lanes) return lanes.notes();
  return {std::unique_ptr<LaneWorlds>(new LaneWorlds(std::move(*workshop), std::move(*lanes), std::move(options))),
          workshop.notes()};
}

LaneWorlds::LaneWorlds(std::unique_ptr<World> workshop, std::unique_ptr<Lanes> lanes, Options options)
    : options_(std::move(options)), workshop_(std::move(workshop)), lanes_(std::move(lanes)) {
  for (const ObservedColumn& c : options_.columns.observed) {
    sources_.push_back(*row_source_of(c, workshop_->model().robots[0], lanes_->at()));
    if (!c.kept()) continue;
    sources_.back().index = static_cast<int>(kept_links_.size());
    kept_links_.push_back(c.index);
    kept_kinds_.push_back(c.kind);
  }
  const auto all = static_cast<std::size_t>(lanes_->tile_count() * tile_size());
  kept_.assign(all * kept_links_.size(), 0.0);
  ages_.assign(all, 0);
  finite_.assign(all, 1);
}

void LaneWorlds::act(const ActOrder& order) {
  lanes_->each_tile([&](int tile, int part) {
    if (options_.single)
      act_tile<float>(order, tile, part);
    else
      act_tile<double>(order, tile, part);
  });
}

/// Whole runs of steps, but where lanes take their actions at different times or something must be looked at after
/// each.
template <class T>
void LaneWorlds::act_tile(const ActOrder& order, int tile, int part) {
  const int lanes = tile_size(), first = tile * lanes;
  const auto all = ages_.size();
  for (std::size_t k = 0; k < kept_kinds_.size(); ++k)
    if (kept_kinds_[k] == ObservedColumn::Kind::most)
      std::fill_n(kept_.begin() + static_cast<std::ptrdiff_t>(k * all) + first, lanes, 0.0);
  const auto take = [&](int step) {
    if (!order.actions.data) return;
    if (order.actions.single)
      take_actions<T, float>(order, tile, step);
    else
      take_actions<T, double>(order, tile, step);
  };
  if (!order.delay && kept_kinds_.empty()) {
    take(0);
    lanes_->step_tile(tile, order.steps, part);
  } else {
    for (int k = 0; k < order.steps; ++k) {
      take(k);
      lanes_->step_tile(tile, 1, part);
      remember<T>(tile);
    }
  }
  for (int l = 0; l < lanes; ++l) ages_[static_cast<std::size_t>(first + l)] += order.steps;
  check<T>(tile);
  if (!order.observations.data) return;
  if (order.observations.single)
    pack<T, float>(tile, order.observations, {});
  else
    pack<T, double>(tile, order.observations, {});
}

template <class T, class O>
void LaneWorlds::take_actions(const ActOrder& order, int tile, int step) {
  const int lanes = tile_size(), first = tile * lanes, n = std::min(lanes, count() - first);
  const RowLayout& at = lanes_->at();
  if (!order.delay && step > 0) return;
  for (int l = 0; l < n; ++l) {
    if (order.delay && order.delay[first + l] != step) continue;
    const O* a = order.actions.row<const O>(first + l);
    for (const ActionColumn& c : options_.columns.actions)
      lanes_->lanes_of<T>(tile, (c.kind == ActionColumn::Kind::target ? at.target : at.stiffness) + c.joint)[l] = static_cast<T>(*a++);
  }
}

template <class T>
void LaneWorlds::forces_of(int tile, int link, T* sum) {
  const int lanes = tile_size();
  std::fill_n(sum, lanes, T(0));
  const std::vector<int>& begin = lanes_->kind().point_begin;
  for (int p = begin[static_cast<std::size_t>(link)]; p < begin[static_cast<std::size_t>(link) + 1]; ++p) {
    const T* fn = lanes_->lanes_of<T>(tile, lanes_->at().memory + 4 * p + 2);
    for (int l = 0; l < lanes; ++l) sum[l] += fn[l];
  }
}

template <class T>
void LaneWorlds::remember(int tile) {
  const int lanes = tile_size();
  const double h = workshop_->model().step;
  T force[kMostLanes];
  for (std::size_t k = 0; k < kept_links_.size(); ++k) {
    forces_of(tile, kept_links_[k], force);
    double* x = kept_.data() + k * ages_.size() + static_cast<std::size_t>(tile * lanes);
    for (int l = 0; l < lanes; ++l)
      x[l] = kept_kinds_[k] == ObservedColumn::Kind::most ? maximum(x[l], double(force[l]))
             : force[l] > 0                               ? 0
                                                          : x[l] + h;
  }
}

/// Columns of the base's axes and its angles of one lane.
template <class T, class O>
void LaneWorlds::pack_base(int tile, int lane, O* row) const {
  Lanes& lanes = *lanes_;
  double q[7], v[6];
  for (int i = 0; i < 7; ++i) q[i] = static_cast<double>(lanes.lanes_of<T>(tile, lanes.at().q + i)[lane]);
  for (int i = 0; i < 6; ++i) v[i] = static_cast<double>(lanes.lanes_of<T>(tile, lanes.at().v + i)[lane]);
  const Vec3 gravity = workshop_->model().gravity;
  const double size = norm(gravity);
  const Mat3 R = to_matrix(base_orientation(q));
  const Vec3 columns[] = {transpose_times(R, size > 0 ? gravity * (1 / size) : gravity),
                          transpose_times(R, base_velocity(v)), transpose_times(R, base_angular_velocity(v))};
  for (std::size_t c = 0; c < sources_.size(); ++c) {
    const Source& s = sources_[c];
    if (s.kind == Source::Kind::base)
      row[c] = static_cast<O>(
          component(columns[static_cast<int>(s.what) - static_cast<int>(ObservedColumn::Kind::gravity)], s.index));
    else if (s.kind == Source::Kind::angle)
      row[c] = static_cast<O>(component(to_roll_pitch_yaw(base_orientation(q)), s.index));
  }
}

template <class T, class O>
void LaneWorlds::pack(int tile, const Packed& out, std::span<const std::uint8_t> mask) {
  const int lanes = tile_size(), first = tile * lanes, n = std::min(lanes, count() - first);
  bool base = false;
  T force[kMostLanes];
  O* const rows = out.row<O>(first);
  const std::ptrdiff_t width = out.columns;
  const auto each = [&](std::size_t column, const auto& number) {
    O* x = rows + column;
    for (int l = 0; l < n; ++l, x += width)
      if (mask.empty() || mask[static_cast<std::size_t>(first + l)]) *x = static_cast<O>(number(l));
  };
  for (std::size_t c = 0; c < sources_.size(); ++c) {
    const Source& s = sources_[c];
    switch (s.kind) {
      case Source::Kind::slot: {
        const T* x = lanes_->lanes_of<T>(tile, s.index);
        each(c, [x](int l) { return x[l]; });
        break;
      }
      case Source::Kind::link:
        forces_of(tile, s.index, force);
        each(c, [&](int l) { return force[l]; });
        break;
      case Source::Kind::kept: {
        const double* x =
            kept_.data() + static_cast<std::size_t>(s.index) * ages_.size() + static_cast<std::size_t>(first);
        each(c, [x](int l) { return x[l]; });
        break;
      }
      case Source::Kind::time:
        each(c, [&](int l) {
          return static_cast<double>(ages_[static_cast<std::size_t>(first + l)]) * workshop_->model().step;
        });
        break;
      case Source::Kind::base:
      case Source::Kind::angle:
        base = true;
        break;
    }
  }
  for (int l = 0; base && l < n; ++l)
    if (mask.empty() || mask[static_cast<std::size_t>(first + l)]) pack_base<T>(tile, l, out.row<O>(first + l));
}

/// Which lanes are still finite: x − x is 0 of finite numbers alone.
template <class T>
void LaneWorlds::check(int tile) {
  const int lanes = tile_size();
  T sum[kMostLanes] = {};
  const T* x = lanes_->lanes_of<T>(tile, 0);
  for (int i = 0; i < lanes_->at().memory; ++i)
    for (int l = 0; l < lanes; ++l) sum[l] += x[i * lanes + l] - x[i * lanes + l];
  for (int l = 0; l < lanes; ++l) finite_[static_cast<std::size_t>(tile * lanes + l)] = sum[l] == T(0);
}

void LaneWorlds::observe(const Packed& out, std::span<const std::uint8_t> mask) {
  const int lanes = tile_size();
  for (int t = 0; t < lanes_->tile_count(); ++t) {
    const auto first = static_cast<std::size_t>(t * lanes),
               last = std::min(first + static_cast<std::size_t>(lanes), mask.size());
    if (!mask.empty() &&
        std::none_of(mask.begin() + static_cast<std::ptrdiff_t>(first),
                     mask.begin() + static_cast<std::ptrdiff_t>(last), [](std::uint8_t m) { return m != 0; }))
      continue;
    if (options_.single)
      out.single ? pack<float, float>(t, out, mask) : pack<float, double>(t, out, mask);
    else
      out.single ? pack<double, float>(t, out, mask) : pack<double, double>(t, out, mask);
  }
}

void LaneWorlds::reset(int world) {
  lanes_->reset(world);
  const auto w = static_cast<std::size_t>(world);
  ages_[w] = 0;
  finite_[w] = 1;
  for (std::size_t k = 0; k < kept_links_.size(); ++k) kept_[k * ages_.size() + w] = 0;
}

void LaneWorlds::read_state(int world, double* q, double* v) const {
  lanes_->read_q(world, {q, static_cast<std::size_t>(lanes_->kind().nq())});
  lanes_->read_v(world, {v, static_cast<std::size_t>(lanes_->kind().nv())});
}

bool LaneWorlds::write_state(int world, const double* q, const double* v) {
  const int nq = lanes_->kind().nq(), nv = lanes_->kind().nv();
  for (int i = 0; i < nq; ++i)
    if (!std::isfinite(q[i])) return false;
  for (int i = 0; i < nv; ++i)
    if (!std::isfinite(v[i])) return false;
  return lanes_->write_pose(world, {q, static_cast<std::size_t>(nq)}, {v, static_cast<std::size_t>(nv)});
}

std::string LaneWorlds::push(int, int, int, Vec3, Vec3) {
  return "lanes have no held forces: add_velocity shoves a robot, and the back end `worlds` has them";
}

std::string LaneWorlds::set_parameters(int world, std::vector<Setting> settings) {
  if (std::string problem = workshop_->take_settings(std::move(settings)); !problem.empty()) return problem;
  return lanes_->set_constants(world, workshop_->model(), 0);
}

std::vector<double> LaneWorlds::save(int world) const {
  const auto w = static_cast<std::size_t>(world), n = static_cast<std::size_t>(lanes_->at().size);
  std::vector<double> out(n);
  lanes_->read_row(world, out);
  out.push_back(static_cast<double>(ages_[w]));
  for (std::size_t k = 0; k < kept_links_.size(); ++k) out.push_back(kept_[k * ages_.size() + w]);
  return out;
}

bool LaneWorlds::restore(int world, std::span<const double> x) {
  const auto w = static_cast<std::size_t>(world), n = static_cast<std::size_t>(lanes_->at().size);
  if (x.size() != n + 1 + kept_links_.size()) return false;
  lanes_->write_row(world, x.subspan(0, n));
  ages_[w] = static_cast<std::int64_t>(x[n]);
  for (std::size_t k = 0; k < kept_links_.size(); ++k) kept_[k * ages_.size() + w] = x[n + 1 + k];
  finite_[w] = 1;
  return true;
}

}  // namespace gradus
