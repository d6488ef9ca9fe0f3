#include "wheels/engine.h"

#include <algorithm>
#include <cmath>

namespace gradus::wheels {
namespace {

constexpr double kMemoryTime = 0.01;  // guesses older than this are forgotten [s]
// The work of one call is bounded. A robot whose motors are too stiff for Taylor series, or chatter between two limits,
// goes on in coarse pieces; when events come too thick, no more are located. Both are reported.
constexpr int kMostPieces = 200;      // of a body in 20 ms; a match needs a tenth of it
constexpr int kMostRestarts = 4000;   // of all in 20 ms
constexpr int kRepeats = 4;           // events of one pair at one instant before it is left alone
constexpr double kSameInstant = 1e-8, kBlindTime = 5e-5;  // [s]

/// Would need more than kMostPieces series in 20 ms: each reaches over about two time constants of the motors.
bool too_stiff(const RobotModel& r) {
  const double per_mass = 2 * r.slope / (r.par.wheel_radius * r.par.wheel_radius * r.mass_v);  // [1/s]
  return !(20e-3 * per_mass < 2 * kMostPieces);
}

int contact_capacity(const WheelsModel& m) { return 16 * m.body_count() + 64; }

}  // namespace

Engine::Engine(const WheelsModel& m)
    : body_total_(m.body_count()),
      obstacle_total_(m.obstacle_count()),
      bodies_(m.body_count()),
      pair_time_(m.body_count() * m.body_count()),
      memory_(m.body_count() * (m.body_count() + m.obstacle_count())),
      fresh_(m.body_count()),
      local_(m.body_count(), -1),
      island_(m.body_count()),
      contacts_(contact_capacity(m)),
      row_of_(contact_capacity(m)),
      friction_row_of_(contact_capacity(m)),
      normal_impulse_(contact_capacity(m)),
      velocity_(3 * m.body_count()),
      roll_next_(m.body_count()),
      solver_(m.body_count(), 2 * contact_capacity(m) + m.body_count()) {}

int Engine::pair_index(int i, int j) const {
  const int a = bodies_[std::min(i, j)].slot, b = bodies_[std::max(i, j)].slot;
  return a * (body_total_ + obstacle_total_) + b;
}
int Engine::obstacle_index(int i, int obstacle) const {
  return bodies_[i].slot * (body_total_ + obstacle_total_) + body_total_ + obstacle;
}

void Engine::load(std::span<double> state, std::span<const WheelCommand> commands) {
  count_ = 0;
  for (int slot = 0; slot < body_total_; ++slot) {
    const auto s = body_of(std::span<const double>(state), slot);
    if (s[kPresent] == 0) continue;
    Body& b = bodies_[count_++];
    const bool robot = slot < model_->robot_count();
    const RobotModel* r = robot ? &model_->robots[slot] : nullptr;
    b.shape = {r, robot ? r->radius : model_->par.ball.radius};
    b.inertia = robot ? r->inertia : model_->ball_inertia;
    b.mobility = robot ? r->mobility : model_->ball_mobility;
    b.slide_mobility = robot ? r->slide_mobility : model_->ball_mobility;
    b.slot = slot;
    b.command = robot ? commands[slot] : WheelCommand{};
    if (!std::isfinite(b.command.right) || !std::isfinite(b.command.left)) b.command = {}, ++report_->refused_commands;
    b.now = Instant{};
    b.now.p = {s[kX], s[kY]};
    b.now.theta = robot ? s[kTheta] : 0;
    b.now.R = rotation(b.now.theta);
    for (int k = 0; k < 3; ++k) b.now.q[k] = s[kV + k];
    if (robot)
      b.now.wheel[0] = s[kWheelRight], b.now.wheel[1] = s[kWheelLeft];
    else
      b.now.roll = {s[kBallRollX], s[kBallRollY]};
    b.t = -1;
    b.clearance = -1;
    b.in_contact = false;
    b.pieces = 0;
    b.t_wall = b.t_pair = kNever;
    b.wall = b.mate = -1;
  }
}

void Engine::store(std::span<double> state) {
  for (int i = 0; i < count_; ++i) {
    Body& b = bodies_[i];
    synchronise(b, stop_);
    auto s = body_of(state, b.slot);
    s[kX] = b.now.p.x, s[kY] = b.now.p.y, s[kTheta] = b.now.theta;
    for (int k = 0; k < 3; ++k) s[kV + k] = b.now.q[k];
    if (b.shape.robot)
      s[kWheelRight] = b.now.wheel[0], s[kWheelLeft] = b.now.wheel[1];
    else
      s[kBallRollX] = b.now.roll.x, s[kBallRollY] = b.now.roll.y;
    double sum = 0;
    for (int k = 0; k < kPresent; ++k) sum += s[k];
    if (!std::isfinite(sum)) ++report_->not_finite;
  }
}

void Engine::load_memory(std::span<double> state) {
  std::fill(memory_.begin(), memory_.end(), PairMemory{});
  const auto slab = memory_of(*model_, state);
  const int count = static_cast<int>(slab[0]);
  for (int i = 0; i < count && i < memory_capacity(*model_); ++i) {
    const double* e = &slab[1 + static_cast<std::size_t>(i) * kMemoryStride];
    const int pair = static_cast<int>(e[kPair]);
    if (pair < 0 || pair >= static_cast<int>(memory_.size())) continue;
    PairMemory& m = memory_[pair];
    m.hit_time = -e[kHitAge];
    m.force_time = 0;
    m.force[0] = e[kForce0], m.force[1] = e[kForce1];
    m.friction[0] = e[kFriction0], m.friction[1] = e[kFriction1];
  }
}

void Engine::store_memory(std::span<double> state) {
  const auto slab = memory_of(*model_, state);
  std::fill(slab.begin(), slab.end(), 0.0);
  int count = 0;
  for (std::size_t pair = 0; pair < memory_.size(); ++pair) {
    const PairMemory& m = memory_[pair];
    const bool hit = stop_ - m.hit_time < numerics_->repeat_time, pressed = stop_ - m.force_time < kMemoryTime;
    if (!hit && !pressed) continue;
    if (count == memory_capacity(*model_)) {
      ++report_->full;
      break;
    }
    double* e = &slab[1 + static_cast<std::size_t>(count++) * kMemoryStride];
    e[kPair] = static_cast<double>(pair);
    e[kHitAge] = std::min(stop_ - m.hit_time, 1.0);
    if (!pressed) continue;
    e[kForce0] = m.force[0], e[kForce1] = m.force[1];
    e[kFriction0] = m.friction[0], e[kFriction1] = m.friction[1];
  }
  slab[0] = count;
}

Engine::Event Engine::next_event() const {
  Event e{stop_, -1, EventKind::none};
  for (int i = 0; i < count_; ++i) {
    const Body& b = bodies_[i];
    if (b.piece.t1 < e.t) e = {b.piece.t1, i, EventKind::piece_end};
    if (b.t_wall < e.t) e = {b.t_wall, i, EventKind::obstacle};
    if (b.t_pair < e.t) e = {b.t_pair, i, EventKind::pair};
  }
  return e;
}

/// The same pair again and again at one instant: leave it uncertified for a moment, so that time goes on. Counted: it
/// means that the certificate and the contact rows disagree about a corner.
void Engine::guard_progress(const Event& e) {
  if (e.kind == EventKind::piece_end) return;
  const Body& b = bodies_[e.body];
  PairMemory& m = memory_[e.kind == EventKind::obstacle ? obstacle_index(e.body, b.wall) : pair_index(e.body, b.mate)];
  if (std::fabs(e.t - m.event_time) < kSameInstant) {
    if (++m.repeats >= kRepeats) m.blind_until = e.t + kBlindTime, m.repeats = 0, ++report_->forced;
  } else {
    m.repeats = 0;
  }
  m.event_time = e.t;
}

void Engine::run(const WheelsModel& model, std::span<double> state, std::span<const WheelCommand> commands, double h,
                 Report& report) {
  model_ = &model, numerics_ = &model.par.numerics, report_ = &report, stop_ = h, give_up_ = false;
  const double stretches = std::min(1 + h / 20e-3, 1e5);
  most_pieces_ = static_cast<int>(kMostPieces * stretches);
  const int most_restarts = static_cast<int>(kMostRestarts * stretches);
  load(state, commands);
  load_memory(state);
  std::fill(pair_time_.begin(), pair_time_.end(), kNever);
  std::fill(fresh_.begin(), fresh_.end(), 0);
  for (int i = 0; i < count_; ++i) {
    Body& b = bodies_[i];
    b.start = b.now, b.piece.t0 = b.piece.t1 = 0, b.piece.v_max = 0;
    synchronise(b, 0);  // the piece is of the last call: nobody may look at it
  }
  for (int i = 0; i < count_; ++i) {
    if (fresh_[i]) continue;
    seeds_[0] = i, seed_count_ = 1;
    restart(0, false);
  }
  for (int n = 0;; ++n) {
    const Event e = next_event();
    if (e.kind == EventKind::none) break;
    if (n == most_restarts) give_up_ = true, ++report.stalled;
    guard_progress(e);
    std::fill(fresh_.begin(), fresh_.end(), 0);
    seeds_[0] = e.body, seed_count_ = 1;
    if (e.kind == EventKind::pair) seeds_[seed_count_++] = bodies_[e.body].mate;
    restart(e.t, e.kind != EventKind::piece_end);
  }
  store(state);
  store_memory(state);
}

/// Brings the stored instant of a body to time t of its piece.
void Engine::synchronise(Body& b, double t) {
  if (b.t == t) return;
  if (t > b.piece.t0) {
    if (b.in_contact) {
      const Kinematics k = evaluate(b.piece, t);
      const double s = t - b.piece.t0;
      b.now = b.start;
      b.now.p = k.p;
      if (b.shape.robot) {
        b.now.theta = k.theta > M_PI ? k.theta - 2 * M_PI : k.theta <= -M_PI ? k.theta + 2 * M_PI : k.theta;
        b.now.R = rotation(b.now.theta);
        const double r = b.shape.robot->par.wheel_radius, half = b.shape.robot->par.half_axle;
        b.now.wheel[0] += s * (b.now.q[0] + half * b.now.q[2]) / r;
        b.now.wheel[1] += s * (b.now.q[0] - half * b.now.q[2]) / r;
      }
    } else if (b.shape.robot) {
      b.now = robot_at(*b.shape.robot, b.start, b.piece, t, b.end);
    } else {
      b.now = ball_at(*model_, b.start, b.piece, t, b.ball);
    }
  }
  b.t = t;
  const Vec2 q{b.now.q[0], b.now.q[1]};
  b.placed = {b.now.p, b.shape.robot ? b.now.R * q : q, b.now.R, b.now.q[2], {}};
}

/// Lower bound of the distance of a place from an obstacle (its largest face distance; exact in front of a face).
double Engine::obstacle_distance(int obstacle, Vec2 p) const {
  const auto& walls = model_->par.field.walls;
  if (obstacle < static_cast<int>(walls.size())) return dot(walls[obstacle].normal, p) - walls[obstacle].offset;
  const ConvexPiece& block = model_->blocks[obstacle - walls.size()];
  double most = -kNever;
  for (int k = 0; k < block.count; ++k) most = std::max(most, dot(block.normal[k], p) - block.offset[k]);
  return most;
}

/// Nothing fixed within reach? A clearance once found holds for all places nearby.
bool Engine::clear_of_obstacles(Body& b, double reach) const {
  const Vec2 moved = b.now.p - b.clear_at;
  const double spare = b.clearance - reach;
  if (spare > 0 && dot(moved, moved) < spare * spare) return true;
  b.clear_at = b.now.p, b.clearance = kNever;
  for (int o = 0; o < obstacle_total_; ++o) b.clearance = std::min(b.clearance, obstacle_distance(o, b.now.p));
  return b.clearance > reach;
}

/// Completes the contacts that a collect function has just written.
void Engine::add_contacts(int count, int a, int b, int obstacle) {
  for (int k = 0; k < count; ++k) {
    Contact& c = contacts_[contact_count_ + k];
    c.a = a, c.b = b, c.obstacle = obstacle;
    report_->least_gap = std::min(report_->least_gap, c.gap);
  }
  contact_count_ += count;
  if (contact_count_ == static_cast<int>(contacts_.size())) ++report_->full;
}

void Engine::touch_obstacles(int i) {
  Body& b = bodies_[i];
  const double reach = b.shape.radius + numerics_->band, r_b = model_->par.ball.radius;
  const int walls = static_cast<int>(model_->par.field.walls.size());
  if (clear_of_obstacles(b, reach)) return;
  for (int o = 0; o < obstacle_total_; ++o) {
    if (obstacle_distance(o, b.now.p) > reach) continue;
    Contact* out = &contacts_[contact_count_];
    const int room = static_cast<int>(contacts_.size()) - contact_count_;
    const int found =
        o < walls ? collect_wall(b.shape, b.placed, model_->par.field.walls[o], r_b, numerics_->band, out, room)
                  : collect_block(b.shape, b.placed, model_->blocks[o - walls], r_b, numerics_->band, out, room);
    add_contacts(found, i, -1, o);
  }
}

/// Is `other` closer to b (which is at time t) than `reach`? The bound on its way since its piece began often tells.
bool Engine::within(const Body& b, const Body& other, double t, double reach) const {
  const Vec2 far = b.now.p - other.start.p;
  const double bound = reach + other.piece.v_max * (t - other.piece.t0);
  if (dot(far, far) > bound * bound) return false;
  const Vec2 d = b.now.p - (other.t == t ? other.now.p : position(other.piece, t));
  return dot(d, d) < reach * reach;
}

/// Adds to the island whatever the island's k-th body touches.
void Engine::touch_neighbours(int k, double t) {
  const int i = island_[k];
  Body& b = bodies_[i];
  for (int j = 0; j < count_; ++j) {
    if (j == i || (local_[j] >= 0 && local_[j] < k)) continue;
    Body& other = bodies_[j];
    if (local_[j] < 0 && fresh_[j]) continue;  // has a new piece already and does not touch
    if (!within(b, other, t, b.shape.radius + other.shape.radius + numerics_->band)) continue;
    synchronise(other, t);
    const int first = std::min(i, j), second = std::max(i, j);
    const int found = collect_pair(bodies_[first].shape, bodies_[first].placed, bodies_[second].shape,
                                   bodies_[second].placed, model_->par.ball.radius, numerics_->band,
                                   &contacts_[contact_count_], static_cast<int>(contacts_.size()) - contact_count_);
    add_contacts(found, first, second, -1);
    if (found == 0 || local_[j] >= 0) continue;
    fresh_[j] = 1, local_[j] = island_size_, island_[island_size_++] = j;
  }
}

void Engine::gather_island(double t) {
  island_size_ = contact_count_ = 0;
  for (int s = 0; s < seed_count_; ++s) {
    const int i = seeds_[s];
    synchronise(bodies_[i], t);
    fresh_[i] = 1, local_[i] = island_size_, island_[island_size_++] = i;
  }
  for (int k = 0; k < island_size_; ++k) {
    touch_neighbours(k, t);
    touch_obstacles(island_[k]);
  }
}

/// New pieces from time t on for the seeds and everything they touch.
void Engine::restart(double t, bool hit) {
  ++report_->restarts;
  gather_island(t);
  for (int k = 0; k < contact_count_; ++k) {
    Contact& c = contacts_[k];
    c.row = false;
    c.speed = contact_speed(c);
    if (c.gap < 1e-7 && c.speed < -numerics_->rest_speed) hit = true;
  }
  if (hit && contact_count_ > 0) impact(t);
  const bool sliced = contact_count_ > 0 && slice(t);
  for (int k = 0; k < island_size_; ++k) {
    Body& b = bodies_[island_[k]];
    if (!sliced || !b.in_contact) free_piece(b, t);
  }
  for (int k = 0; k < island_size_; ++k) {
    predict(island_[k], t);
    fresh_[island_[k]] = 2;
  }
  for (int k = 0; k < island_size_; ++k) local_[island_[k]] = -1;
}

void Engine::free_piece(Body& b, double t) {
  ++report_->pieces;
  if (b.shape.robot && (++b.pieces > most_pieces_ || give_up_ || too_stiff(*b.shape.robot))) return coarse_piece(b, t);
  b.in_contact = false;
  if (b.shape.robot && model_->par.tyres == Tyres::rolling) b.now.q[1] = 0;  // left over from turning about a corner
  b.start = b.now;
  if (b.shape.robot) {
    b.modes = robot_modes(*model_, *b.shape.robot, b.now, b.command);
    b.end = robot_piece(*model_, *b.shape.robot, b.now, b.modes, b.command, t, stop_, b.piece).end;
  } else {
    b.ball = ball_piece(*model_, b.now, t, stop_, b.piece);
  }
}

/// Constant twist for a few milliseconds, of first order in the step and stable for motors of any stiffness: a motor
/// gives what its speed at the end of the piece asks for, within its limits; tyres brake what slides sideways.
void Engine::coarse_piece(Body& b, double t) {
  ++report_->coarse;
  const RobotModel& r = *b.shape.robot;
  const double left = stop_ - t, h = left < 1.3 * numerics_->longest_slice ? left : numerics_->longest_slice;
  SolverBody next;
  b.modes = RobotModes{};
  for (int round = 0; round < 3; ++round) {  // neither motor at its limit; then one; then both
    set_forces(r, b.command, b.modes);
    predict_in_modes(r, b.modes, h, b, next);
    if (!limit_motors(r, b.command, b.now, next.v_free, b.modes)) break;
  }
  const double grip = r.par.tyre_sliding * model_->par.gravity * h, u = next.v_free[1];
  next.v_free[1] = model_->par.tyres == Tyres::rolling || std::fabs(u) <= grip ? 0 : u > 0 ? u - grip : u + grip;
  for (int q = 0; q < 3; ++q) b.now.q[q] = next.v_free[q];
  b.start = b.now;
  b.in_contact = true;  // moves as in a slice
  const Vec2 v = b.now.R * Vec2{b.now.q[0], b.now.q[1]};
  Piece& p = b.piece;
  p.t0 = t;
  p.t1 = left - h < numerics_->time_tolerance ? stop_ : t + h;
  p.degree = 1;
  p.x[0] = b.now.p.x, p.x[1] = v.x, p.y[0] = b.now.p.y, p.y[1] = v.y;
  p.theta[0] = b.now.theta, p.theta[1] = b.now.q[2];
  p.bounds();
}

Scratch::Scratch(const WheelsModel& model) : engine_(std::make_unique<Engine>(model)) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

void advance(const WheelsModel& model, std::span<double> state, std::span<const WheelCommand> commands, double h,
             Scratch& scratch, Report& report) {
  scratch.engine_->run(model, state, commands, h, report);
}

}  // namespace gradus::wheels
