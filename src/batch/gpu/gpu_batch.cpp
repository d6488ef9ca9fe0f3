#include "batch/gpu/gpu_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/hash.h"
#include "batch/gpu/gpu_library.h"
#include "batch/lanes/lane_worlds.h"

namespace gradus {
namespace {

constexpr int kRowsAtOnce = 65536;  // that go to the GPU or come from it

std::vector<float> start_row(const RobotModel& r, const RowLayout& at) {
  std::vector<double> x(static_cast<std::size_t>(at.size), 0.0);
  set_base_pose(x.data() + at.q, r.p_WB, r.q_WB);
  set_base_twist(x.data() + at.v, r.w_WB, r.v_WB);
  for (std::size_t j = 0; j < r.kind->joints.size(); ++j)
    x[static_cast<std::size_t>(at.q + 7) + j] = x[static_cast<std::size_t>(at.target) + j] = r.kind->joints[j].initial;
  std::vector<float> out;
  for (const double y : x) out.push_back(static_cast<float>(y));
  return out;
}

GpuColumn column_of(const RowSource& s, const RobotKind& kind, int& kept) {
  using K = GpuColumn::Kind;
  const auto of_link = [&](K what) {
    const auto link = static_cast<std::size_t>(s.index);
    return GpuColumn{what, kind.point_begin[link], kind.point_begin[link + 1] - kind.point_begin[link], 0};
  };
  switch (s.kind) {
    case RowSource::Kind::base:
      return {s.what == ObservedColumn::Kind::gravity    ? K::gravity
              : s.what == ObservedColumn::Kind::velocity ? K::velocity
                                                         : K::spin,
              s.index, 1, 0};
    case RowSource::Kind::angle:
      return {K::roll_pitch_yaw, s.index, 1, 0};
    case RowSource::Kind::link:
      return of_link(K::force);
    case RowSource::Kind::kept: {
      GpuColumn c = of_link(s.what == ObservedColumn::Kind::most ? K::most : K::air);
      c.kept = kept++;
      return c;
    }
    case RowSource::Kind::slot:
    case RowSource::Kind::time:  // the host writes it
      break;
  }
  return {K::slot, s.kind == RowSource::Kind::slot ? s.index : 0, 1, 0};
}

}  // namespace

std::vector<std::string> GpuBatch::lacks(const Model& model, const BatchColumns& columns, bool single, bool parameters) {
  std::vector<std::string> out = LaneWorlds::lacks(model, columns);
  if (model.robots.empty()) return out;
  if (!model.robots[0].kind->drives.empty()) out.push_back("actuator chains");
  for (const ActionColumn& a : columns.actions)
    if (a.kind == ActionColumn::Kind::stiffness) out.push_back("commanding '" + a.path + "'");
  if (!single) out.push_back("numbers in double");
  if (parameters) out.push_back("parameters of each world's own");
  return out;
}

GpuBatch::GpuBatch(const Model& model, int worlds, Options options)
    : options_(std::move(options)),
      kind_(model.robots[0].kind),
      robot_name_(model.robots[0].name),
      step_(model.step),
      worlds_(worlds),
      constants_(*kind_),
      start_(start_row(model.robots[0], make_row_layout(kind_->njoint(), static_cast<int>(kind_->points.size())))),
      ages_(static_cast<std::size_t>(worlds), 0),
      finite_(static_cast<std::size_t>(worlds), 1),
      changed_(static_cast<std::size_t>(worlds), -1) {
  const RowLayout at = make_row_layout(kind_->njoint(), static_cast<int>(kind_->points.size()));
  for (const ObservedColumn& c : options_.columns.observed) {
    ObservedColumn own = c;
    const RowSource s = *row_source_of(own, model.robots[0], at);
    RowSource placed = s;
    if (s.kind == RowSource::Kind::kept) placed.index = c.index;  // the link
    if (s.kind == RowSource::Kind::time) times_.push_back(columns_.size());
    columns_.push_back(column_of(placed, *kind_, kept_count_));
  }
  for (const ActionColumn& a : options_.columns.actions) slots_.push_back(at.target + a.joint);
  start_.resize(start_.size() + static_cast<std::size_t>(kept_count_), 0.0f);
}

std::unique_ptr<GpuBatch> GpuBatch::make(const Model& model, int worlds, Options options, std::string& why) {
  std::unique_ptr<GpuBatch> out(new GpuBatch(model, worlds, std::move(options)));
  BatchConstantsT<float> constants = out->constants_.view(model);
  constants.predictions = out->options_.predictions;
  out->gpu_ = make_gpu_worlds(constants, worlds, why);
  if (!out->gpu_) return nullptr;
  if (out->prepare()) return out;
  why = out->gpu_->error();
  return nullptr;
}

bool GpuBatch::prepare() {
  const auto n = static_cast<std::size_t>(worlds_), most = std::min<std::size_t>(n, kRowsAtOnce);
  const auto room = [this]<class T>(T*& p, std::size_t count) {
    p = static_cast<T*>(gpu_->allocate(count * sizeof(T)));
    return p != nullptr;
  };
  const auto copy = [this]<class T>(T* to, const std::vector<T>& from) {
    return gpu_->to_gpu(to, from.data(), from.size() * sizeof(T), nullptr);
  };
  const auto padded = static_cast<std::size_t>(gpu_->slab().tiles * kGpuTile);
  const std::vector<float> zero(padded * static_cast<std::size_t>(kept_count_), 0.0f);
  return room(actions_, n * slots_.size()) && room(observed_, n * columns_.size()) && room(kept_, zero.size()) &&
         room(rows_, most * width()) && room(start_row_, start_.size()) && room(columns_there_, columns_.size()) &&
         room(slots_there_, slots_.size()) && room(worlds_there_, most) && room(delays_there_, n) && room(finite_there_, n) &&
         copy(columns_there_, columns_) && copy(slots_there_, slots_) && copy(start_row_, start_) && copy(kept_, zero) &&
         gpu_->reset(nullptr, start_row_, 1, nullptr) && gpu_->wait(nullptr);
}

void GpuBatch::require(bool good) const {
  if (!good) throw std::runtime_error(std::string("batch on the GPU: ") + gpu_->error());
}

float* GpuBatch::changed_row(int world) {
  int& at = changed_[static_cast<std::size_t>(world)];
  if (at < 0) {
    const float* now = row(world);
    at = static_cast<int>(changed_worlds_.size());
    changed_worlds_.push_back(world);
    changed_rows_.insert(changed_rows_.end(), now, now + width());
  }
  return changed_rows_.data() + static_cast<std::size_t>(at) * width();
}

const float* GpuBatch::row(int world) const {
  if (const int at = changed_[static_cast<std::size_t>(world)]; at >= 0) return changed_rows_.data() + static_cast<std::size_t>(at) * width();
  if (read_rows_.empty()) {
    read_rows_.resize(static_cast<std::size_t>(worlds_) * width());
    std::vector<std::int32_t> worlds(std::min<std::size_t>(static_cast<std::size_t>(worlds_), kRowsAtOnce));
    for (int first = 0; first < worlds_; first += kRowsAtOnce) {
      const int n = std::min(kRowsAtOnce, worlds_ - first);
      std::iota(worlds.begin(), worlds.end(), first);
      float* to = read_rows_.data() + static_cast<std::size_t>(first) * width();
      require(gpu_->to_gpu(worlds_there_, worlds.data(), static_cast<std::size_t>(n) * sizeof(std::int32_t), nullptr) &&
              gpu_->read_rows(worlds_there_, rows_, n, kept_, kept_count_, nullptr) &&
              gpu_->from_gpu(to, rows_, static_cast<std::size_t>(n) * width() * sizeof(float), nullptr) && gpu_->wait(nullptr));
    }
  }
  return read_rows_.data() + static_cast<std::size_t>(world) * width();
}

/// Changed rows, to the GPU.
void GpuBatch::flush() {
  for (std::size_t first = 0; first < changed_worlds_.size(); first += kRowsAtOnce) {
    const std::size_t n = std::min<std::size_t>(kRowsAtOnce, changed_worlds_.size() - first);
    require(gpu_->to_gpu(worlds_there_, changed_worlds_.data() + first, n * sizeof(std::int32_t), nullptr) &&
            gpu_->to_gpu(rows_, changed_rows_.data() + first * width(), n * width() * sizeof(float), nullptr) &&
            gpu_->write_rows(worlds_there_, rows_, static_cast<int>(n), kept_, kept_count_, nullptr) && gpu_->wait(nullptr));
  }
  for (const std::int32_t w : changed_worlds_) changed_[static_cast<std::size_t>(w)] = -1;
  changed_worlds_.clear(), changed_rows_.clear(), read_rows_.clear();
}

/// One launch, but where worlds take their actions at different times or something must be looked at after each step.
void GpuBatch::steps_of(int steps, const std::int32_t* delays, bool put, void* stream) {
  const auto take = [&](int step) {
    if (put) require(gpu_->put(actions_, slots_there_, static_cast<int>(slots_.size()), delays, step, stream));
  };
  if (!delays && kept_count_ == 0) {
    take(0);
    return require(gpu_->launch(steps, stream));
  }
  for (int k = 0; k < steps; ++k) {
    if (delays || k == 0) take(k);
    require(gpu_->launch(1, stream));
    if (kept_count_ > 0) require(gpu_->keep(columns_there_, static_cast<int>(columns_.size()), k == 0, kept_, stream));
  }
}

void GpuBatch::act(const ActOrder& order) {
  flush();
  const std::size_t n = ages_.size(), size = n * slots_.size();
  if (order.actions.data && order.actions.single) {
    require(gpu_->to_gpu(actions_, order.actions.data, size * sizeof(float), nullptr));
  } else if (order.actions.data) {
    staged_.assign(order.actions.row<double>(0), order.actions.row<double>(0) + size);
    require(gpu_->to_gpu(actions_, staged_.data(), size * sizeof(float), nullptr));
  }
  if (order.delay) require(gpu_->to_gpu(delays_there_, order.delay, n * sizeof(std::int32_t), nullptr));
  steps_of(order.steps, order.delay ? delays_there_ : nullptr, order.actions.data != nullptr, nullptr);
  for (std::int64_t& a : ages_) a += order.steps;
  require(gpu_->finite(finite_there_, nullptr) && gpu_->from_gpu(finite_.data(), finite_there_, n, nullptr));
  if (order.observations.data) fetch(order.observations, {});
  require(gpu_->wait(nullptr));
}

/// Observes, and copies what the mask asks for.
void GpuBatch::fetch(const Packed& out, std::span<const std::uint8_t> mask) {
  const std::size_t columns = columns_.size(), size = ages_.size() * columns;
  const bool direct = out.single && mask.empty();
  if (!direct) staged_.resize(size);
  float* to = direct ? out.row<float>(0) : staged_.data();
  require(gpu_->observe(columns_there_, static_cast<int>(columns), kept_, observed_, nullptr) &&
          gpu_->from_gpu(to, observed_, size * sizeof(float), nullptr) && gpu_->wait(nullptr));
  for (std::size_t w = 0; w < ages_.size(); ++w) {
    const int world = static_cast<int>(w);
    if (!mask.empty() && !mask[w]) continue;
    for (std::size_t i = 0; !direct && i < columns; ++i) out.set(world, static_cast<int>(i), static_cast<double>(staged_[w * columns + i]));
    for (const std::size_t i : times_) out.set(world, static_cast<int>(i), static_cast<double>(ages_[w]) * step_);
  }
}

void GpuBatch::observe(const Packed& out, std::span<const std::uint8_t> mask) {
  flush();
  fetch(out, mask);
}

void GpuBatch::reset(int world) {
  const auto w = static_cast<std::size_t>(world);
  int& at = changed_[w];
  if (at < 0) {
    at = static_cast<int>(changed_worlds_.size());
    changed_worlds_.push_back(world);
    changed_rows_.insert(changed_rows_.end(), start_.begin(), start_.end());
  } else {
    std::copy(start_.begin(), start_.end(), changed_rows_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(at) * width()));
  }
  ages_[w] = 0;
  finite_[w] = 1;
}

void GpuBatch::read_state(int world, double* q, double* v) const {
  const float* x = row(world);
  const RowLayout& at = gpu_->at();
  for (int i = 0; i < kind_->nq(); ++i) q[i] = static_cast<double>(x[at.q + i]);
  for (int i = 0; i < kind_->nv(); ++i) v[i] = static_cast<double>(x[at.v + i]);
}

bool GpuBatch::write_state(int world, const double* q, const double* v) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(q, q + kind_->nq(), finite) || !std::all_of(v, v + kind_->nv(), finite)) return false;
  std::vector<double> qs(q, q + kind_->nq()), vs(v, v + kind_->nv());
  if (kind_->has_mimics) commit_shared(*kind_, qs.data() + 7, vs.data() + 6);
  float* x = changed_row(world);
  const RowLayout& at = gpu_->at();
  for (std::size_t i = 0; i < qs.size(); ++i) x[static_cast<std::size_t>(at.q) + i] = static_cast<float>(qs[i]);
  for (std::size_t i = 0; i < vs.size(); ++i) x[static_cast<std::size_t>(at.v) + i] = static_cast<float>(vs[i]);
  return true;
}

std::string GpuBatch::push(int, int, int, Vec3, Vec3) {
  return "a GPU has no held forces: add_velocity shoves a robot, and the back end `worlds` has them";
}
std::string GpuBatch::set_parameters(int, std::vector<Setting>) {
  return "worlds on a GPU have no parameters of their own: lanes and `worlds` have them";
}

std::uint64_t GpuBatch::hash(int world) const {
  const float* x = row(world);
  return hash_doubles(std::vector<double>(x, x + gpu_->at().size), 0);
}

std::vector<double> GpuBatch::save(int world) const {
  const float* x = row(world);
  std::vector<double> out(x, x + width());
  out.push_back(static_cast<double>(ages_[static_cast<std::size_t>(world)]));
  return out;
}

bool GpuBatch::restore(int world, std::span<const double> x) {
  if (x.size() != width() + 1) return false;
  float* to = changed_row(world);
  for (std::size_t i = 0; i < width(); ++i) to[i] = static_cast<float>(x[i]);
  ages_[static_cast<std::size_t>(world)] = static_cast<std::int64_t>(x[width()]);
  finite_[static_cast<std::size_t>(world)] = 1;
  return true;
}

std::string GpuBatch::launch(int steps, void* stream) {
  if (!changed_worlds_.empty()) flush();
  read_rows_.clear();
  steps_of(steps, nullptr, true, stream);
  for (std::int64_t& a : ages_) a += steps;
  if (!gpu_->observe(columns_there_, static_cast<int>(columns_.size()), kept_, observed_, stream)) return gpu_->error();
  return "";
}

std::string GpuBatch::begin(const std::uint8_t* mask, void* stream) {
  if (!changed_worlds_.empty()) flush();
  read_rows_.clear();
  return gpu_->reset(mask, start_row_, 1, stream) ? "" : gpu_->error();
}

}  // namespace gradus
