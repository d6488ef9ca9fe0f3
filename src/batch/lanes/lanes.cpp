#include "batch/lanes/lanes.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "base/hash.h"
#include "engine/registry.h"
#include "model/link_pairs.h"

namespace gradus {
namespace {

constexpr std::align_val_t kAlign{64};

std::byte* allocate(std::size_t bytes) {
  auto* p = static_cast<std::byte*>(::operator new(bytes, kAlign));
  std::fill(p, p + bytes, std::byte{0});
  return p;
}

Diagnostics complain(const Model& model, std::string text, std::string suggestion) {
  Place place;
  place.file = model.file;
  return {{place, Severity::error, std::move(text), std::move(suggestion)}};
}

}  // namespace

/// Everything of the scene that the kernels of lanes do not know [world_step.h].
std::vector<std::string> Lanes::lacks(const Model& model, int number) {
  const RobotModel& robot = model.robots[static_cast<std::size_t>(number)];
  std::vector<std::string> out;
  if (robot.motion != "articulated") out.push_back("motion " + robot.motion + " (only articulated)");
  if (model.robots.size() > 1) out.push_back("more than one robot in a world");
  if (!model.static_objects.empty()) out.push_back("terrain and objects of the field besides the ground plane");
  if (model.contact.law != "compliant") out.push_back("contact law " + model.contact.law + " (only compliant)");
  if (robot.self_contact) out.push_back("self-contact");
  if (!robot.kind->loops.empty()) out.push_back("closed loops");
  if (!robot.kind->pairs->typed.empty()) out.push_back("joints of other types than revolute and prismatic");
  for (const std::string& missing : find_motion("articulated")->bind(*robot.kind).missing)
    out.push_back("a robot without " + missing);
  return out;
}

Result<std::unique_ptr<Lanes>> Lanes::make(const Model& model, int robot, int worlds, const Options& options) {
  if (robot < 0 || robot >= static_cast<int>(model.robots.size()))
    return complain(model, "batch: the scene has no robot number " + std::to_string(robot), "");
  constexpr int kMostWorlds = 1 << 24;
  if (worlds < 1 || worlds > kMostWorlds)
    return complain(model, "batch: cannot make " + std::to_string(worlds) + " worlds", "ask for 1 to 16777216");
  Diagnostics refused;
  for (const std::string& what : lacks(model, robot))
    append(refused, complain(model, "batch: lanes cannot do " + what, "use Worlds, which runs every scene"));
  if (!refused.empty()) return refused;
  for (const LaneKernel& k : options.kernels)
    if (k.type == options.type) return std::unique_ptr<Lanes>(new Lanes(model, robot, worlds, k, options));
  return complain(model,
                  "batch: no kernel was compiled for " + std::to_string(options.type.lanes) + " lanes of this type",
                  "use 16 lanes of float or 8 of double");
}

Lanes::Constants::Constants(const Model& model, int robot, int predictions)
    : f(*model.robots[static_cast<std::size_t>(robot)].kind, model.step),
      d(*model.robots[static_cast<std::size_t>(robot)].kind, model.step),
      view_f(f.view(model)),
      view_d(d.view(model)) {
  view_f.predictions = view_d.predictions = predictions;
}

Lanes::Lanes(const Model& model, int robot, int worlds, const LaneKernel& kernel, const Options& options)
    : model_(std::make_shared<Model>(model)),
      robot_(robot),
      kind_(model.robots[static_cast<std::size_t>(robot)].kind),
      kernel_(kernel),
      worlds_(worlds),
      constants_(std::make_unique<Constants>(model, robot, options.predictions)),
      at_(make_row_layout(kind_->njoint(), static_cast<int>(kind_->points.size()), constants_->d.chain_numbers)),
      start_(static_cast<std::size_t>(at_.size), 0.0),
      steps_(static_cast<std::size_t>(tile_count()), 0),
      own_(static_cast<std::size_t>(tile_count())),
      team_(options.threads),
      most_predictions_(options.predictions),
      predictions_(static_cast<std::size_t>(team_.size()), 0) {
  const RobotModel& r = model.robots[static_cast<std::size_t>(robot)];
  set_base_pose(start_.data() + at_.q, r.p_WB, r.q_WB);
  set_base_twist(start_.data() + at_.v, r.w_WB, r.v_WB);
  for (int j = 0; j < kind_->njoint(); ++j)
    start_[static_cast<std::size_t>(at_.q + 7 + j)] = start_[static_cast<std::size_t>(at_.target + j)] =
        kind_->joints[static_cast<std::size_t>(j)].initial;
  for (const Chain& c : constants_->d.chains) {
    const double q = kind_->joints[static_cast<std::size_t>(c.joint)].initial;
    enter_chain(c, q, 0, q, start_.data() + at_.drive);
  }
  for (const DriveModel& d : kind_->drives)
    start_[static_cast<std::size_t>(at_.stiffness + d.joint)] = d.spec.controller.stiffness;
  const std::size_t scalar = kernel_.type.single ? sizeof(float) : sizeof(double);
  slab_bytes_ = static_cast<std::size_t>(tile_count()) * static_cast<std::size_t>(at_.size) *
                static_cast<std::size_t>(kernel_.type.lanes) * scalar;
  tiles_ = allocate(slab_bytes_);
  const std::size_t room =
      kernel_.room_bytes(kind_->nlink(), kind_->branch_count, static_cast<int>(kind_->points.size()), static_cast<int>(kind_->drives.size()));
  for (int t = 0; t < team_.size(); ++t) rooms_.push_back(allocate(room));
  // spare lanes of the last tile run too: they must hold a robot
  for (int w = 0; w < tile_count() * kernel_.type.lanes; ++w)
    for (int i = 0; i < at_.size; ++i) set_number(w, i, start_[static_cast<std::size_t>(i)]);
}

Lanes::~Lanes() {
  ::operator delete(tiles_, kAlign);
  for (std::byte* room : rooms_) ::operator delete(room, kAlign);
}

void Lanes::step(int steps) {
  each_tile([&](int tile, int part) { step_tile(tile, steps, part); });
}

void Lanes::step_tile(int tile, int steps, int part) {
  const OwnConstants* own = own_[static_cast<std::size_t>(tile)].get();
  const Constants& shared = *constants_;
  const void* constants = own                  ? own->view()
                          : kernel_.type.single ? static_cast<const void*>(&shared.view_f)
                                                : static_cast<const void*>(&shared.view_d);
  std::int64_t& done = steps_[static_cast<std::size_t>(tile)];
  LaneCall call{constants, at_, tiles_, tile, tile + 1, steps, done, rooms_[static_cast<std::size_t>(part)], 0};
  (own ? kernel_.step_own : kernel_.step)(call);
  done += steps;
  predictions_[static_cast<std::size_t>(part)] += call.predictions;
}

std::int64_t Lanes::predictions() const {
  std::int64_t sum = 0;
  for (const std::int64_t p : predictions_) sum += p;
  return sum;
}

std::string Lanes::set_constants(int world, const Model& model, int robot) {
  if (!kernel_.step_own) return "these lanes have no kernel for constants of each world's own";
  const int lanes = kernel_.type.lanes;
  std::unique_ptr<OwnConstants>& own = own_[static_cast<std::size_t>(world / lanes)];
  if (!own) own = OwnConstants::make(kernel_.type, *model_, robot_, most_predictions_);
  return own->set(world % lanes, model, robot);
}

bool Lanes::read_row(int world, std::span<double> row) const {
  if (!read(world, 0, at_.size, row)) return false;
  turn_rings(world, 1, row);
  return true;
}
bool Lanes::write_row(int world, std::span<const double> row) {
  std::vector<double> turned(row.begin(), row.end());
  if (row.size() != static_cast<std::size_t>(at_.size)) return false;
  turn_rings(world, -1, turned);
  return write(world, 0, at_.size, turned);
}

/// Rings of delays begin where the tile's count of steps says; in a row the oldest command comes first, so that worlds of
/// other tiles and runs can take it.
void Lanes::turn_rings(int world, int direction, std::span<double> row) const {
  if (world < 0 || world >= tile_count() * kernel_.type.lanes) return;
  const std::int64_t k = steps_[static_cast<std::size_t>(world / kernel_.type.lanes)];
  for (const Chain& c : constants_->d.chains) {
    if (c.ring < 2) continue;
    double* ring = row.data() + at_.drive + c.state + kChainState;
    const auto oldest = static_cast<int>(k % c.ring);
    std::rotate(ring, ring + (direction > 0 ? oldest : (c.ring - oldest) % c.ring), ring + c.ring);
  }
}

bool Lanes::write_pose(int world, std::span<const double> q, std::span<const double> v) {
  if (q.size() != static_cast<std::size_t>(kind_->nq()) || v.size() != static_cast<std::size_t>(kind_->nv()) || world < 0 ||
      world >= worlds_)
    return false;
  for (const Chain& c : constants_->d.chains) {  // rotors go with their joints [drive/drives.h carry_rotors]
    if (c.gear == GearModel::motoflex) continue;
    const auto j = static_cast<std::size_t>(c.joint);
    const int rotor = at_.drive + c.state;
    set_number(world, rotor, number(world, rotor) + q[7 + j] - number(world, at_.q + 7 + c.joint));
    set_number(world, rotor + 1, v[6 + j]);
  }
  std::vector<double> qs(q.begin(), q.end()), vs(v.begin(), v.end());
  if (kind_->has_mimics) commit_shared(*kind_, qs.data() + 7, vs.data() + 6);
  return write_q(world, qs) && write_v(world, vs);
}

std::ptrdiff_t Lanes::offset(int world, int slot) const {
  const int lanes = kernel_.type.lanes, tile = world / lanes;
  return (static_cast<std::ptrdiff_t>(tile) * at_.size + slot) * lanes + world % lanes;
}

double Lanes::number(int world, int slot) const {
  const std::ptrdiff_t i = offset(world, slot);
  return kernel_.type.single ? static_cast<double>(reinterpret_cast<const float*>(tiles_)[i])
                             : reinterpret_cast<const double*>(tiles_)[i];
}

void Lanes::set_number(int world, int slot, double x) {
  const std::ptrdiff_t i = offset(world, slot);
  if (kernel_.type.single)
    reinterpret_cast<float*>(tiles_)[i] = static_cast<float>(x);
  else
    reinterpret_cast<double*>(tiles_)[i] = x;
}

bool Lanes::read(int world, int slot, int count, std::span<double> out) const {
  if (world < 0 || world >= worlds_ || out.size() != static_cast<std::size_t>(count)) return false;
  for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = number(world, slot + i);
  return true;
}

bool Lanes::write(int world, int slot, int count, std::span<const double> in) {
  if (world < 0 || world >= worlds_ || in.size() != static_cast<std::size_t>(count)) return false;
  for (int i = 0; i < count; ++i) set_number(world, slot + i, in[static_cast<std::size_t>(i)]);
  return true;
}

bool Lanes::reset(std::span<const std::uint8_t> mask) {
  if (mask.size() != static_cast<std::size_t>(worlds_)) return false;
  for (int w = 0; w < worlds_; ++w)
    if (mask[static_cast<std::size_t>(w)]) reset(w);
  return true;
}

void Lanes::reset(int world) {
  for (int i = 0; i < at_.size; ++i) set_number(world, i, start_[static_cast<std::size_t>(i)]);
}

bool Lanes::finite(int world) const {
  for (int i = 0; i < at_.target; ++i)
    if (!std::isfinite(number(world, i))) return false;
  return true;
}

std::uint64_t Lanes::hash(int world, std::uint64_t before) const {
  std::vector<double> row(static_cast<std::size_t>(at_.size));
  for (int i = 0; i < at_.size; ++i) row[static_cast<std::size_t>(i)] = number(world, i);
  turn_rings(world, 1, row);
  return hash_doubles(row, before);
}

std::uint64_t Lanes::hash() const {
  std::uint64_t h = 0;
  for (int w = 0; w < worlds_; ++w) h = hash(w, h);
  return h;
}

}  // namespace gradus
