#include "batch/worlds.h"

#include <algorithm>

#include "base/hash.h"

namespace gradus {

Result<std::unique_ptr<Worlds>> Worlds::make(Model model, int worlds, Options options) {
  options.threads = std::clamp(options.threads, 1, std::max(worlds, 1));
  std::unique_ptr<Worlds> w(new Worlds(worlds, std::move(options)));
  Diagnostics notes = w->build(std::move(model));
  if (has_errors(notes)) return notes;
  return {std::move(w), std::move(notes)};
}

Diagnostics Worlds::build(Model model) {
  Diagnostics notes;
  const int seats = options_.own_parameters ? worlds_ : team_.size();
  for (int i = 0; i < seats; ++i) {
    auto world = World::make(model);
    if (i == 0) append(notes, world.notes());
    if (!world) return notes;
    seats_.push_back(std::move(*world));
  }
  start_ = any_seat().state();
  start_input_.slab.assign(any_seat().input().begin(), any_seat().input().end());
  states_.assign(static_cast<std::size_t>(worlds_), start_);
  inputs_.assign(static_cast<std::size_t>(worlds_), start_input_);
  for (Input& i : inputs_) i.impulses.reserve(kMaxImpulses);
  finite_.assign(static_cast<std::size_t>(worlds_), 1);
  for (std::size_t i = 0; i < options_.columns.observed.size(); ++i)
    if (options_.columns.observed[i].kept()) kept_columns_.push_back(static_cast<int>(i));
  kept_.assign(kept_columns_.size() * static_cast<std::size_t>(worlds_), 0.0);
  return notes;
}

void Worlds::act(const ActOrder& order) {
  const int parts = team_.size();
  team_.run([&](int p) {
    for (int w = worlds_ * p / parts; w < worlds_ * (p + 1) / parts; ++w) act_one(order, w, seat(w, p));
  });
}

void Worlds::act_one(const ActOrder& order, int w, World& seat) {
  State& state = states_[static_cast<std::size_t>(w)];
  Input& input = inputs_[static_cast<std::size_t>(w)];
  const auto& observed = options_.columns.observed;
  for (std::size_t i = 0; i < kept_columns_.size(); ++i)
    if (observed[static_cast<std::size_t>(kept_columns_[i])].kind == ObservedColumn::Kind::most) kept(w)[i] = 0;
  const int delay = order.delay && order.actions.data ? order.delay[w] : 0;
  if (delay > 0) {
    seat.take(state, input);
    for (int i = 0; i < delay; ++i) seat.step(), remember(w, seat);
    seat.give_back(state, input);
  }
  for (std::size_t c = 0; order.actions.data && c < options_.columns.actions.size(); ++c)
    input.slab[static_cast<std::size_t>(options_.columns.actions[c].offset)] =
        order.actions.get(w, static_cast<int>(c));
  seat.take(state, input);
  for (int i = delay; i < order.steps; ++i) seat.step(), remember(w, seat);
  finite_[static_cast<std::size_t>(w)] = seat.report().not_finite < 0;
  if (order.observations.data) observe_one(w, seat, order.observations);
  seat.give_back(state, input);
}

void Worlds::remember(int w, const World& seat) {
  for (std::size_t i = 0; i < kept_columns_.size(); ++i) {
    const ObservedColumn& c = options_.columns.observed[static_cast<std::size_t>(kept_columns_[i])];
    const double force = seat.contact_force(c.robot, c.index);
    double& x = kept(w)[i];
    x = c.kind == ObservedColumn::Kind::most ? maximum(x, force) : force > 0 ? 0 : x + seat.model().step;
  }
}

void Worlds::observe_one(int w, const World& seat, const Packed& out) const {
  int column = 0, memory = 0;
  for (const ObservedColumn& c : options_.columns.observed) {
    const double x = c.kind == ObservedColumn::Kind::property ? c.view.get(seat)
                     : c.kept()                               ? kept(w)[memory++]
                                : base_column(c, seat.model().gravity, seat.q(c.robot).data(), seat.v(c.robot).data());
    out.set(w, column++, x);
  }
}

void Worlds::observe(const Packed& out, std::span<const std::uint8_t> mask) {
  for (int w = 0; w < worlds_; ++w) {
    if (!mask.empty() && !mask[static_cast<std::size_t>(w)]) continue;
    World& s = seat(w, 0);
    s.take(states_[static_cast<std::size_t>(w)], inputs_[static_cast<std::size_t>(w)]);
    observe_one(w, s, out);
    s.give_back(states_[static_cast<std::size_t>(w)], inputs_[static_cast<std::size_t>(w)]);
  }
}

void Worlds::read_state(int w, double* q, double* v) const {
  const double* slab = state(w).slab.data();
  for (int r = 0; r < any_seat().robot_count(); ++r) {
    const RobotLayout& at = any_seat().engine().at(r);
    const RobotKind& kind = any_seat().engine().kind(r);
    q = std::copy_n(slab + at.q, kind.nq(), q);
    v = std::copy_n(slab + at.v, kind.nv(), v);
  }
}

bool Worlds::write_state(int w, const double* q, const double* v) {
  World& s = seat(w, 0);
  s.take(states_[static_cast<std::size_t>(w)], inputs_[static_cast<std::size_t>(w)]);
  bool good = true;
  for (int r = 0; r < s.robot_count(); ++r) {
    const std::size_t nq = s.q(r).size(), nv = s.v(r).size();
    good = good && s.set_q(r, {q, nq}) && s.set_v(r, {v, nv});
    q += nq, v += nv;
  }
  s.give_back(states_[static_cast<std::size_t>(w)], inputs_[static_cast<std::size_t>(w)]);
  return good;
}

std::string Worlds::push(int w, int robot, int link, Vec3 force, Vec3 p_L) {
  const Engine& engine = any_seat().engine();
  const bool none = force.x == 0 && force.y == 0 && force.z == 0;
  const double numbers[7] = {none ? -1.0 : double(link), force.x, force.y, force.z, p_L.x, p_L.y, p_L.z};
  std::copy_n(numbers, 7,
              inputs_[static_cast<std::size_t>(w)].slab.begin() + engine.at(robot).target +
                  engine.kind(robot).njoint() + kPushLink);
  if (!none) engine.wake(robot, states_[static_cast<std::size_t>(w)]);
  return "";
}

std::string Worlds::set_parameters(int w, std::vector<Setting> settings) {
  any_seat().engine().wake(-1, states_[static_cast<std::size_t>(w)]);  // as in a World: it has changed for all
  return seat(w, 0).take_settings(std::move(settings));
}

bool Worlds::set_input(int world, std::span<const double> numbers) {
  Input& i = inputs_[static_cast<std::size_t>(world)];
  if (numbers.size() != i.slab.size()) return false;
  std::copy(numbers.begin(), numbers.end(), i.slab.begin());
  const Engine& engine = any_seat().engine();
  for (int r = 0; r < engine.robot_count(); ++r)
    if (i.slab[static_cast<std::size_t>(engine.at(r).target + engine.kind(r).njoint() + kPushLink)] >= 0)
      engine.wake(r, states_[static_cast<std::size_t>(world)]);
  return true;
}

bool Worlds::add_impulse(int world, const Impulse& impulse) {
  if (world < 0 || world >= worlds_) return false;
  std::vector<Impulse>& waiting = inputs_[static_cast<std::size_t>(world)].impulses;
  const bool exists = impulse.robot >= 0 && impulse.robot < any_seat().robot_count() && impulse.link >= 0 &&
                      impulse.link < any_seat().engine().kind(impulse.robot).nlink();
  if (!exists || waiting.size() == kMaxImpulses) return false;
  waiting.push_back(impulse);
  any_seat().engine().wake(impulse.robot, states_[static_cast<std::size_t>(world)]);
  return true;
}

void Worlds::reset(int world) {
  const auto w = static_cast<std::size_t>(world);
  states_[w].k = 0;
  std::copy(start_.slab.begin(), start_.slab.end(), states_[w].slab.begin());
  std::copy(start_input_.slab.begin(), start_input_.slab.end(), inputs_[w].slab.begin());
  inputs_[w].impulses.clear();
  finite_[w] = 1;
  std::fill_n(kept(world), kept_columns_.size(), 0.0);
}

std::uint64_t Worlds::hash(int world) const {
  const State& s = state(world);
  return hash_doubles(input(world), hash_doubles(s.slab, static_cast<std::uint64_t>(s.k)));
}

std::vector<double> Worlds::save(int world) const {
  std::vector<double> out{static_cast<double>(state(world).k)};
  out.insert(out.end(), state(world).slab.begin(), state(world).slab.end());
  out.insert(out.end(), input(world).begin(), input(world).end());
  out.insert(out.end(), kept(world), kept(world) + kept_columns_.size());
  return out;
}

bool Worlds::restore(int world, std::span<const double> x) {
  const auto w = static_cast<std::size_t>(world);
  const std::size_t ns = states_[w].slab.size(), ni = inputs_[w].slab.size();
  if (x.size() != 1 + ns + ni + kept_columns_.size()) return false;
  states_[w].k = static_cast<std::int64_t>(x[0]);
  std::copy_n(x.begin() + 1, ns, states_[w].slab.begin());
  std::copy_n(x.begin() + 1 + static_cast<std::ptrdiff_t>(ns), ni, inputs_[w].slab.begin());
  std::copy_n(x.begin() + 1 + static_cast<std::ptrdiff_t>(ns + ni), kept_columns_.size(), kept(world));
  inputs_[w].impulses.clear();
  finite_[w] = 1;
  return true;
}

std::int64_t Worlds::predictions() const {
  std::int64_t sum = 0;
  for (const auto& s : seats_) sum += s->report().predictions;
  return sum;
}

}  // namespace gradus
