#include "world/world.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace gradus {
Result<std::unique_ptr<World>> World::make(Model model, Options options) {
  std::unique_ptr<World> w(new World(std::move(model), options));
  Diagnostics notes = w->build();
  if (has_errors(notes)) return notes;
  return {std::move(w), std::move(notes)};
}

Diagnostics World::build() {
  Diagnostics notes = statics_.build(model_);
  auto engine = Engine::make(model_, statics_, options_);
  append(notes, engine.notes());
  if (!engine || has_errors(notes)) return notes;
  engine_ = std::move(*engine);
  first_robots_ = model_.robots;
  first_around_ = surroundings();
  engine_->start(state_[0], input_);
  auto cameras = Cameras::make(model_, *engine_, options_.render_threads, options_.clock);
  append(notes, cameras.notes());
  if (!cameras) return notes;
  cameras_ = std::move(*cameras);
  if (cameras_) cameras_->look(*engine_, state_[0]);
  state_[1].slab.assign(state_[0].slab.size(), 0.0);
  input_.impulses.reserve(kMaxImpulses);
  input_before_ = input_.slab;
  us_.assign(model_.robots.size(), 0.0);
  for (const RobotModel& r : model_.robots) up_.push_back(transpose_times(to_matrix(r.q_WB), model_.ground.n));
  keep_error(0);
  return notes;
}

/// An engine without a past, bound as the present one is.
void World::renew_engine() {
  auto fresh = Engine::make(model_, statics_, options_);
  for (int r = 0; r < robot_count(); ++r) (*fresh)->set_motion(r, engine_->motion(r).name);
  engine_ = std::move(*fresh);
  engine_->look(state_[0]);
}

void World::step() {
  run_controllers();
  if (options_.fresh_engine) renew_engine();
  const bool pushed = is_pushed();
  const double error = pushed ? energy_error() : 0;
  engine_->step_and_look(state_[0], input_, state_[1]);
  std::swap(state_[0], state_[1]);
  input_.impulses.clear();
  if (cameras_) cameras_->look(*engine_, state_[0]);
  add_up();
  if (pushed)
    keep_error(error);
  else
    work_ += drive_work();
}

void World::add_up() {
  const StepFigures& f = engine_->figures();
  CouplingReport sum = f.coupling;
  const CouplingReport& before = report_.coupling;
  sum.sweeps += before.sweeps, sum.newtons += before.newtons, sum.passes += before.passes;
  sum.unsettled += before.unsettled, sum.dropped += before.dropped;
  report_.coupling = sum;
  report_.predictions += f.predictions;
  report_.unsettled += f.unsettled;
  report_.field_dropped += f.field_dropped;
  if (report_.not_finite < 0) report_.not_finite = f.not_finite;
  if (!options_.clock) return;
  for (const int r : engine_->awake()) {
    const double us = engine_->seconds(r) * 1e6;
    double& smooth = us_[static_cast<std::size_t>(r)];
    if (us >= 0) smooth += (us - smooth) * (smooth == 0 ? 1 : 0.05);
  }
}

void World::refresh(int robot) {
  engine_->look_again(robot, state_[0]);
  if (cameras_) cameras_->look(*engine_, state_[0]);
}

bool World::is_asleep(int robot) const {
  const std::span<const int> awake = engine_->awake();
  return !std::binary_search(awake.begin(), awake.end(), robot);
}

void World::wake(int robot) {
  engine_->wake(robot, state_[0]);
  if (is_asleep(robot)) refresh(robot);
}

void World::run_controllers() {
  bool ran = false;
  const std::int64_t k = state_[0].k;
  const auto begin = [&] {
    if (!ran) std::copy(input_.slab.begin(), input_.slab.end(), input_before_.begin());
    ran = true;
  };
  for (ControllerSlot& c : controllers_)
    if (c.rate.due(k)) begin(), control(c);
  for (GroupControllerSlot& c : group_controllers_)
    if (c.rate.due(k)) begin(), c.controller->control(output_of_group(c.group, c.room), c.commands);
  // Bits, not values: a log that leaves out what did not change must be able to tell −0 from 0.
  inputs_changed_ =
      ran && std::memcmp(input_.slab.data(), input_before_.data(), input_before_.size() * sizeof(double)) != 0;
}

void World::control(ControllerSlot& c) {
  const RobotOutput out = output(c.robot, c.room);
  RobotCommand order = command(c.robot);
  c.controller->control(out, order);
  const RobotLayout& at = engine_->at(c.robot);
  input_.slab[static_cast<std::size_t>(at.target + engine_->kind(c.robot).njoint() + kDue)] =
      static_cast<double>(c.rate.next(k()));
}

void World::add_controller(int robot, std::unique_ptr<Controller> controller, double period, double start) {
  controllers_.push_back({robot, std::move(controller), Rate(period, start, model_.step), {}});
  output(robot, controllers_.back().room);  // makes room
}

/// Of each: 4 length, then what it appended; nothing at all if none remembers anything.
void World::save_controllers(Bytes& out) {
  const std::size_t before = out.size();
  bool any = false;
  for (ControllerSlot& c : controllers_) {
    const std::size_t start = out.size();
    append_le(out, std::uint32_t{0});
    c.controller->save(out);
    const std::size_t size = out.size() - start - sizeof(std::uint32_t);
    put_le(out, start, static_cast<std::uint32_t>(size));
    any |= size > 0;
  }
  if (!any) out.resize(before);
}

bool World::restore_controllers(ByteView memory) {
  ByteReader in(memory);
  bool all = true;
  for (ControllerSlot& c : controllers_) {
    const ByteView own = memory.empty() ? ByteView{} : in.take(in.le<std::uint32_t>());
    all &= in.ok() && c.controller->restore(own);
  }
  return all && in.at_end();
}

std::string World::controllers_forget() const {
  for (const ControllerSlot& c : controllers_)
    if (std::string why = c.controller->forgets(); !why.empty()) return why;
  return "";
}

std::vector<std::string> World::set_motion(int robot, std::string_view name) {
  if (std::vector<std::string> missing = engine_->check_motion(robot, name); !missing.empty()) return missing;
  if (engine_->motion(robot).grouped) return {};
  const double error = energy_error();
  wake(robot);
  engine_->set_motion(robot, name);
  for (State& s : state_) engine_->forget(robot, s);
  engine_->enter(robot, state_[0], input_);
  refresh(robot);
  keep_error(error);
  return {};
}

void World::take(State& state, Input& input) {
  give_back(state, input);
  report_.not_finite = -1;
  count_pushes();
  engine_->look(state_[0]);
}

void World::give_back(State& state, Input& input) {
  std::swap(state_[0], state);
  std::swap(input_, input);
}

std::uint64_t World::hash() const {
  std::uint64_t h = hash_doubles(input_.slab, hash_doubles(state_[0].slab, static_cast<std::uint64_t>(state_[0].k)));
  for (const Setting& s : settings_) {
    h = hash_bytes(s.path.data(), s.path.size(), h);
    h = hash_doubles({&s.value, 1}, h);
  }
  return h;
}

Snapshot World::snapshot() const {
  Snapshot s{state_[0].k, state_[0].slab, input_.slab, {}, input_.impulses, settings_, {}};
  for (int r = 0; r < robot_count(); ++r) s.motion.emplace_back(motion(r).name);
  if (cameras_) s.frames.assign(cameras_->frames().begin(), cameras_->frames().end());
  return s;
}

bool World::restore(const Snapshot& s) {
  if (s.state.size() != state_[0].slab.size() || s.motion.size() != model_.robots.size() || !fits(s.input))
    return false;
  if (s.impulses.size() > kMaxImpulses) return false;
  for (const Impulse& i : s.impulses)
    if (!fits(i)) return false;
  for (int r = 0; r < robot_count(); ++r)
    if (!engine_->check_motion(r, s.motion[static_cast<std::size_t>(r)]).empty()) return false;
  if (s.frames.size() != (cameras_ ? cameras_->frames().size() : 0)) return false;
  if (!take_settings(s.settings).empty()) return false;
  if (cameras_) cameras_->restore(s.frames);
  const double error = energy_error();
  state_[0].k = s.k;
  std::copy(s.state.begin(), s.state.end(), state_[0].slab.begin());
  std::fill(state_[1].slab.begin(), state_[1].slab.end(), 0.0);  // as it was where the motion never writes
  std::copy(s.input.begin(), s.input.end(), input_.slab.begin());
  input_.impulses.assign(s.impulses.begin(), s.impulses.end());
  report_.not_finite = -1;
  count_pushes();
  for (int r = 0; r < robot_count(); ++r) engine_->set_motion(r, s.motion[static_cast<std::size_t>(r)]);
  engine_->look(state_[0]);
  keep_error(error);
  return true;
}

}  // namespace gradus
