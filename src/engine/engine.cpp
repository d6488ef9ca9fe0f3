#include "engine/engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "contact/contact_set.h"
#include "contact/find/ground_points.h"
#include "drive/drives.h"
#include "drive/supply.h"
#include "model/link_pairs.h"
#include "sense/kinds/drives.h"
#include "tree/kernels.h"

namespace gradus {
namespace {

constexpr int kTimingPeriod = 32;  // steps between two time samples of a robot
constexpr int kSecondPasses = 2;   // an island may be predicted and coupled again so often [docs/couple.md (12)]
constexpr int kExactPasses = 8;    // drives may change their opinions so often while a robot's points are solved

/// Numbers that nobody may read before they are written: NaN, indices −1.
template <class T>
void spoil(std::vector<T>& numbers) {
  if (!numbers.empty()) std::memset(static_cast<void*>(numbers.data()), 0xff, numbers.size() * sizeof(T));
}

void spoil_look(RobotScratch& s) {
  if (!s.flew) spoil(s.frames);
  spoil(s.contacts), spoil(s.field), spoil(s.contact_begin);
}

/// Coordinates and velocities: one sum is finite only if all numbers are. They lie side by side.
bool is_finite(const RobotContext& c) {
  const double* x = c.now + c.at.q;
  const int n = c.at.v + c.kind->nv() - c.at.q;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return std::isfinite(sum);
}

}  // namespace

Engine::Engine(const Model& model, const StaticWorld& statics, Options options)
    : model_(model),
      statics_(statics),
      options_(options),
      team_(std::min(options.threads, static_cast<int>(model.robots.size()))) {
  for (int i = 0; options_.clock && i < 32; ++i) {  // reading it takes time too, which is not the robot's
    const double t = options_.clock(), cost = options_.clock() - t;
    clock_cost_ = i == 0 ? cost : minimum(cost, clock_cost_);
  }
}

Result<std::unique_ptr<Engine>> Engine::make(const Model& model, const StaticWorld& statics, Options options) {
  std::unique_ptr<Engine> e(new Engine(model, statics, options));
  Diagnostics notes = e->bind_all();
  if (has_errors(notes)) return notes;
  return {std::move(e), std::move(notes)};
}

/// The scene's contact law; an error if there is none of its name.
Diagnostics Engine::bind_law() {
  std::vector<std::string> names;
  for (const ContactLaw& l : options_.laws) {
    if (l.name == model_.contact.law) law_ = &l;
    names.emplace_back(l.name);
  }
  if (law_) return {};
  const std::string near = nearest(model_.contact.law, names);
  return {{{model_.file, 0, 0},
           Severity::error,
           "there is no contact law '" + model_.contact.law + "'",
           near.empty() ? "" : "did you mean '" + near + "'?"}};
}

Diagnostics Engine::bind_all() {
  Diagnostics notes = bind_law();
  if (!law_) return notes;
  std::vector<int> z_size, drive_size, sense_size;
  slots_.resize(model_.robots.size());
  for (int i = 0; i < robot_count(); ++i) {
    const RobotKind& kind = *model_.robots[static_cast<std::size_t>(i)].kind;
    bind_named(i, notes);
    z_size.push_back(make_room(slot(i), kind));
    if (law_->turns(model_.contact)) slot(i).scratch.spin.resize(kind.links.size());
    slot(i).scratch.drive_own = make_drive_scratch(kind, model_.step);
    drive_size.push_back(drive_state_size(kind, model_.step));
    append(notes, slot(i).senses.bind(model_, model_.robots[static_cast<std::size_t>(i)]));
    sense_size.push_back(slot(i).senses.size());
    slot(i).scratch.sense.resize(static_cast<std::size_t>(sense_size.back()));
    any_sensors_ |= !slot(i).senses.empty();
  }
  if (has_errors(notes)) return notes;
  std::vector<std::uint8_t> may;
  for (int i = 0; i < robot_count(); ++i) may.push_back(may_sleep(i));
  sleepers_.build(std::move(may));
  append(notes, contacts_.build(model_, statics_, team_.size(), sleepers_.size() > 0));
  layout_ = make_layout(model_, z_size, drive_size, sense_size, contacts_.memory_size());
  for (int i = 0; i < robot_count(); ++i) {
    const RobotModel& robot = model_.robots[static_cast<std::size_t>(i)];
    Slot& s = slot(i);
    const RobotLayout& at = layout_.robots[static_cast<std::size_t>(i)];
    s.context = {robot.kind.get(), &model_.ground, model_.gravity, 0, nullptr, nullptr, nullptr, at, &s.scratch};
    s.context.sight = s.context.statics = statics_.kind(*robot.kind);
    s.context.contact = &model_.contact;
    s.scratch.contacts.resize(robot.kind->points.size() + static_cast<std::size_t>(at.field_size));
    s.scratch.field.resize(static_cast<std::size_t>(at.field_size));
    movers_.push_back({&s.context, &s.motion, &s.needs});
    contexts_.push_back(&s.context);
  }
  make_blocks();
  int links = 1, points = 1;
  for (const Slot& s : slots_) {
    links = std::max(links, s.context.kind ? s.context.kind->nlink() : 1);
    points = std::max(points, static_cast<int>(s.scratch.contacts.size()));
  }
  for (int t = 0; t < team_.size(); ++t) own_points_.emplace_back(links, points);
  std::size_t most_rays = 0;
  for (const Slot& s : slots_) most_rays = std::max(most_rays, s.senses.most_rays());
  if (most_rays > 0) {
    auto rays = sense::Rays::make(model_, most_rays);
    append(notes, rays.notes());
    if (!rays) return notes;
    rays_ = std::move(*rays);
  }
  for (const Slot& s : slots_) {
    if (s.senses.wants_touches())
      touches_.reserve(s.scratch.contacts.size() + 2 * contacts_.contact_room());
    if (s.senses.wants_motors())
      for (auto* numbers : {&motor_, &current_, &voltage_})
        numbers->resize(std::max(numbers->size(), static_cast<std::size_t>(s.context.kind->njoint())));
  }
  if (has_errors(notes)) return notes;
  append(notes, groups_.bind(model_));
  groups_.lay_out(layout_);
  sleepers_.lay_out(layout_, layout_.coupling + contacts_.resting_memory(), contacts_.resting_memory_size());
  return notes;
}

/// Only a body that no sensor watches: sensors make noise for ever.
bool Engine::may_sleep(int robot) const {
  const Slot& s = slot(robot);
  return s.needs.may_sleep && s.senses.empty() && model_.robots[static_cast<std::size_t>(robot)].group < 0;
}

/// What the motion asks for, and what the robot asks of every motion.
MotionNeeds Engine::needs_of(const MotionTable& motion, const RobotKind& kind) {
  MotionNeeds n = motion.bind(kind);
  if (n.uses_drives) return n;  // joints answer to forces
  if (!kind.loops.empty()) n.missing.push_back("a way to hold its closed loops (articulated has one)");
  if (!kind.pairs->typed.empty())
    n.missing.push_back("a way to move joints that have no targets, such as " + std::string(kind.pairs->typed[0].type->name) +
                        " joints (articulated has one)");
  return n;
}

void Engine::set_motion(int robot, std::string_view name) {
  bind(slot(robot), *find_motion(name));
  if (sleepers_.size() > 0) sleepers_.set_may(robot, may_sleep(robot));
}

void Engine::bind(Slot& s, const MotionTable& motion) {
  s.motion = &motion;
  s.needs = needs_of(motion, *s.context.kind);
}

void Engine::bind_named(int i, Diagnostics& notes) {
  const RobotModel& robot = model_.robots[static_cast<std::size_t>(i)];
  Place place;
  place.file = model_.file;
  Slot& s = slot(i);
  s.motion = find_motion(robot.motion);
  if (!s.motion) {
    std::vector<std::string> names;
    for (const MotionTable& m : all_motions()) names.emplace_back(m.name);
    const std::string near = nearest(robot.motion, names);
    notes.push_back({place, Severity::error, "robot '" + robot.name + "': unknown motion '" + robot.motion + "'",
                     near.empty() ? "" : "did you mean '" + near + "'?"});
    return;
  }
  s.needs = needs_of(*s.motion, *robot.kind);
  for (const std::string& m : s.needs.missing)
    notes.push_back({place, Severity::error,
                     "robot '" + robot.name + "' cannot be moved by " + robot.motion + ": it lacks " + m,
                     "choose another motion or complete the robot"});
}

int Engine::make_room(Slot& s, const RobotKind& kind) {
  const auto nlink = static_cast<std::size_t>(kind.nlink());
  RobotScratch& c = s.scratch;
  c.frames.resize(nlink), c.frames_next.resize(nlink);
  c.contact_begin.resize(nlink + 1);
  c.response.resize(nlink);
  int z = 0;
  for (const MotionTable& m : all_motions()) {  // room for every motion it may change to
    const MotionNeeds n = m.bind(kind);
    z = std::max(z, n.z_size);
    s.own = std::max(s.own, n.scratch);
  }
  return z;
}

/// One for each thread, and for each robot that some other may touch or that moves with a group.
void Engine::make_blocks() {
  std::size_t most = 0;
  for (Slot& s : slots_) {
    const std::size_t size = block_size(s.scratch.frames.size(), static_cast<std::size_t>(s.context.kind->njoint()), s.own);
    most = std::max(most, size);
    if (!contacts_.empty() || s.motion->grouped) s.block.resize(size);
  }
  blocks_.assign(static_cast<std::size_t>(team_.size()), Block(most));
  for (Slot& s : slots_) use_block(s, s.block.empty() ? blocks_[0] : s.block);
}

void Engine::use_block(Slot& s, Block& block) const {
  if (options_.poison) spoil(block), spoil(s.scratch.spin), spoil(s.scratch.frames_next);
  gradus::use_block(s.scratch, block, static_cast<std::size_t>(s.context.kind->njoint()), s.own);
}

void Engine::start(State& state, Input& input) {
  state.k = 0;
  state.slab.assign(static_cast<std::size_t>(layout_.state_size), 0.0);
  input.slab.assign(static_cast<std::size_t>(layout_.input_size), 0.0);
  input.impulses.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) place_robot(model_.robots[i], layout_.robots[i], state, input);
  look(state);
  for (int i = 0; i < robot_count(); ++i) enter(i, state, input);
  if (groups_.empty()) return;
  groups_.enter(contexts_, state.slab.data(), layout_, model_);
  look(state);  // groups may have moved their members
}

/// Start posture.
void Engine::place_robot(const RobotModel& robot, const RobotLayout& at, State& state, Input& input) {
  double* q = state.slab.data() + at.q;
  set_base_pose(q, robot.p_WB, robot.q_WB);
  set_base_twist(state.slab.data() + at.v, robot.w_WB, robot.v_WB);
  double* target = input.slab.data() + at.target;
  for (int j = 0; j < robot.kind->njoint(); ++j)
    q[7 + j] = target[j] = robot.kind->joints[static_cast<std::size_t>(j)].initial;
  target[robot.kind->njoint() + kPushLink] = -1;
  for (const DriveModel& d : robot.kind->drives)
    input.slab[static_cast<std::size_t>(at.stiffness + d.joint)] = d.spec.controller.stiffness;
  for (int j = 0; robot.impedance && j < robot.kind->njoint(); ++j) {
    double* kp = input.slab.data() + at.impedance + 2 * robot.kind->njoint();
    kp[j] = robot.kind->joints[static_cast<std::size_t>(j)].servo.kp;
    kp[robot.kind->njoint() + j] = robot.kind->joints[static_cast<std::size_t>(j)].servo.kd;
  }
}

void Engine::point_at(Slot& s, const State& now, const Input* input, State* next) const {
  s.context.now = now.slab.data();
  s.context.next = next ? next->slab.data() : nullptr;
  s.context.input = input ? input->slab.data() : nullptr;
  s.context.k = now.k;
}

void Engine::point_at(const State& now, const Input* input, State* next) {
  for (Slot& s : slots_) point_at(s, now, input, next);
}

ContactSet Engine::contacts() const { return {contexts_, *law_, contacts_, model_.step}; }

// ---- half A

void Engine::look(const State& state) {
  point_at(state, nullptr, nullptr);
  sleepers_.take(state);
  team_.run([&](int part) {
    const std::size_t n = slots_.size(), parts = static_cast<std::size_t>(team_.size()), p = static_cast<std::size_t>(part);
    for (std::size_t i = n * p / parts; i < n * (p + 1) / parts; ++i) look(slots_[i]);
  });
  find_contacts(state);
  sense(state);
}

void Engine::look_again(int robot, const State& state) {
  if (sleepers_.size() > 0) {
    point_at(state, nullptr, nullptr);
    sleepers_.take(state);
  }
  look(slot(robot));
  find_contacts(state);
  sense(state);
}

void Engine::look(Slot& s) {
  const RobotContext& c = s.context;
  RobotScratch& room = s.scratch;
  if (options_.poison) spoil_look(room);
  const double *q = c.now + c.at.q, *v = c.now + c.at.v;
  room.velocities = room.flew || s.needs.uses_velocities || !s.senses.empty();
  if (room.flew)
    std::swap(room.frames, room.frames_next);
  else if (room.velocities)
    compute_frames(*c.kind, q, v, room.frames.data());
  else
    compute_poses(*c.kind, q, v, room.frames.data());
  room.flew = false;
  room.contact_count = room.field_count = 0;
  room.field_dropped = 0;
  s.not_finite = !is_finite(c);  // then it touches nothing, so that it harms nobody else
  const bool touches = s.needs.uses_contacts && !s.not_finite;
  if (touches && c.ground->present)
    GroundPoints::find(View<GroundPoints::access>(c), model_.step);
  else
    std::fill(room.contact_begin.begin(), room.contact_begin.end(), 0);
  if (touches && c.statics) StaticPoints::find(View<StaticPoints::access>(c), model_.step);
  const auto number = static_cast<int>(&s - slots_.data());
  if (s.not_finite)
    contacts_.leave_out(number);
  else
    contacts_.look(number, movers_[static_cast<std::size_t>(number)], model_.step);
}

void Engine::find_contacts(const State& state) {
  const auto find = [&] {
    contacts_.find(movers_, {sleepers_.awake(), sleepers_.asleep(), sleepers_.version()},
                   state.slab.data() + layout_.coupling, model_.step, model_.gravity, team_);
  };
  for (find(); !contacts_.touched_sleepers().empty(); find()) sleepers_.wake(contacts_.touched_sleepers(), state);
  figures_.coupling = contacts_.report;
}

/// Sensors look at State[k]: what they then remember becomes part of State[k+1].
void Engine::sense(const State& state) {
  if (!any_sensors_) return;
  if (rays_) rays_->begin(state.slab.data(), layout_.robots);
  for (const int i : awake()) {
    Slot& s = slot(i);
    if (s.senses.empty()) continue;
    const RobotContext& c = s.context;
    std::copy_n(state.slab.data() + c.at.sense, s.senses.size(), s.scratch.sense.begin());
    const auto joints = static_cast<std::size_t>(c.kind->njoint());
    sense::Surroundings around{&model_, &c, {}, {}, {}, {}, model_.step, i, state.slab.data(), layout_.robots, rays_.get()};
    if (s.senses.wants_touches()) {
      touches_.clear();
      contacts().on(i, [&](const Touch& t) {
        if (touches_.size() < touches_.capacity() && (t.normal_force > 0 || t.loop)) touches_.push_back(t);
      });
      around.touches = touches_;
    }
    if (s.senses.wants_motors()) {
      std::copy_n(c.now + c.at.q + 7, joints, motor_.begin());
      std::fill_n(current_.begin(), joints, 0.0);
      std::fill_n(voltage_.begin(), joints, 0.0);
      if (s.needs.uses_drives)
        for (const Chain& chain : chains(i)) {
          const ChainState& x = chain_state(chain, c.now + c.at.drive);
          const auto j = static_cast<std::size_t>(chain.joint);
          if (chain.gear == GearModel::elastic) motor_[j] = x.theta;
          current_[j] = x.current, voltage_[j] = x.voltage;
        }
      around.motor = {motor_.data(), joints};
      around.current = {current_.data(), joints}, around.voltage = {voltage_.data(), joints};
    }
    s.senses.look(around, s.scratch.sense.data());
    if (!c.kind->drives.empty())
      set_supply(*c.kind, s.scratch.drive_own, sense::supply(s.senses, s.scratch.sense.data()));
  }
}

// ---- half B

/// Every second step goes through the robots backwards: those visited last are still in the cache and come first.
/// Robots are independent here, so the order changes no bit.
template <class Work>
void Engine::each_robot(std::int64_t k, const Work& work) {
  const std::span<const int> robots = awake();
  const int n = static_cast<int>(robots.size()), parts = team_.size();
  const bool backwards = k % 2 != 0;
  team_.run([&](int p) {
    const int first = n * p / parts, last = n * (p + 1) / parts;
    for (int i = first; i < last; ++i) work(robots[static_cast<std::size_t>(backwards ? first + last - 1 - i : i)], p);
  });
}

void Engine::step(const State& now, const Input& input, State& next) {
  look(now);
  half_b(now, input, next, false);
}

void Engine::step_and_look(const State& now, const Input& input, State& next) {
  half_b(now, input, next, true);
  find_contacts(next);
  sense(next);
}

void Engine::half_b(const State& now, const Input& input, State& next, bool look_after) {
  for (const int i : awake()) point_at(slot(i), now, &input, &next);
  sleepers_.carry(now, next);
  for (Slot& s : slots_)
    if (s.motion->grouped) use_block(s, s.block);
  const bool timed = options_.clock && now.k % kTimingPeriod == 0;
  if (any_sensors_)
    for (const int i : awake())
      std::copy(slot(i).scratch.sense.begin(), slot(i).scratch.sense.end(),
                next.slab.begin() + slot(i).context.at.sense);
  contacts_.report = {};
  move_groups(now, next, timed);
  each_robot(now.k, [&](int i, int thread) {
    const int island = contacts_.island_of(i);
    const std::span<const int> group = island < 0 ? std::span<const int>(&i, 1) : contacts_.robots_of(island);
    if (group[0] != i) return;  // goes with the first robot of its island
    const double t0 = timed ? options_.clock() : 0;
    for (int r : group)
      if (!slot(r).motion->grouped) use_block(slot(r), island < 0 ? blocks_[static_cast<std::size_t>(thread)] : slot(r).block);
    if (island < 0)
      move(i, thread, input);
    else
      move_island(island, thread, input, next);
    for (int r : group)
      if (!slot(r).motion->grouped) commit(slot(r));
    if (sleepers_.size() > 0) rest(group, now, input, next);
    for (int r : group)
      if (!slot(r).motion->grouped) finish(r, next, look_after);
    if (timed) share_time(group, options_.clock() - t0 - clock_cost_);
  });
  if (!groups_.empty()) {
    groups_.commit(contexts_, now.slab.data(), next.slab.data(), now.k, layout_, model_);
    for (const GroupModel& g : model_.groups)
      for (const int robot : g.members) commit(slot(robot)), finish(robot, next, look_after);
  }
  contacts_.finish_memory(next.slab.data() + layout_.coupling);
  if (sleepers_.finish(now, next)) {
    contacts_.keep_resting(now.slab.data() + layout_.coupling, next.slab.data() + layout_.coupling, sleepers_.asleep());
    sleepers_.seal(next);
  }
  next.k = now.k + 1;
  contacts_.add_reports();
  figures_.coupling = contacts_.report;
  sum_up();
}

void Engine::move_groups(const State& now, State& next, bool timed) {
  if (groups_.empty()) return;
  const double t0 = timed ? options_.clock() : 0;
  groups_.predict(contexts_, now.slab.data(), next.slab.data(), model_.step);
  if (!timed) return;
  int members = 0;
  for (const GroupModel& g : model_.groups) members += static_cast<int>(g.members.size());
  group_seconds_ = maximum(options_.clock() - t0 - clock_cost_, 0.0) / members;
}

/// Processor time of robots that moved together.
void Engine::share_time(std::span<const int> robots, double seconds) {
  for (int r : robots)
    slot(r).seconds =
        maximum(seconds, 0.0) / static_cast<double>(robots.size()) + (slot(r).motion->grouped ? group_seconds_ : 0);
}

/// The figures of the step from those of its robots.
void Engine::sum_up() {
  figures_.predictions = figures_.unsettled = figures_.field_dropped = 0;
  figures_.not_finite = -1;
  for (const int i : awake()) {
    const Slot& s = slot(i);
    figures_.field_dropped += s.scratch.field_dropped;
    figures_.predictions += s.predictions;
    figures_.unsettled += s.unsettled;
    if (s.not_finite && figures_.not_finite < 0) figures_.not_finite = i;
  }
}

/// B1, B2: first opinions of drives and static contacts.
void Engine::begin(Slot& s) {
  s.seconds = -1;
  s.predictions = 0;
  s.unsettled = false;
  s.scratch.rests = s.scratch.exact = false;
  s.scratch.kick = zero6<double>();
  if (s.needs.uses_drives) Drives::begin(View<Drives::access>(s.context), model_.step);
  if (s.needs.uses_contacts) law_->begin(LawView(s.context), model_.step);
}

void Engine::predict(Slot& s) {
  s.motion->predict(s.context, model_.step);
  s.scratch.impulses = 0;
  ++s.predictions;
}

bool Engine::review(Slot& s) {
  const RobotContext& c = s.context;
  const bool law = s.needs.uses_contacts && !s.scratch.exact && law_->review(LawView(c), model_.step);
  const bool drive = s.needs.uses_drives && Drives::review(View<Drives::access>(c), model_.step);
  s.law_changed = law;
  return law || drive;
}

void Engine::move(int robot, int thread, const Input& input) {
  Slot& s = slot(robot);
  begin(s);
  if (may_solve_points(s) && points_bounce(s.context, model_.contact.impact_speed))
    s.unsettled = !solve_points(s, thread);
  else if (settle([&] { predict(s); }, [&] { return review(s); }) > kPredictions)
    s.unsettled = !s.law_changed || !solve_points(s, thread);  // where drives alone go round, points have no part in it
  if (!input.impulses.empty()) take_impulses(robot, input);
}

bool Engine::may_solve_points(const Slot& s) const {
  return s.needs.uses_contacts && !s.needs.infinite_mass && law_->exact && s.scratch.contact_count > 0;
}

/// Opinions go round in circles: all points of the robot together. Drives keep theirs unless a limit is met.
bool Engine::solve_points(Slot& s, int thread) {
  if (!may_solve_points(s)) return false;
  s.scratch.exact = true;
  for (int pass = 0;; ++pass) {
    release_points(s.context);
    predict(s);
    const PointNumbers numbers{model_.step, model_.contact.impact_speed, model_.contact.recovery_speed};
    const bool settled = own_points_[static_cast<std::size_t>(thread)].solve(s.context, *s.motion, numbers);
    if (pass == kExactPasses) return false;  // the drives' last opinions are in, nobody asks them again
    if (!s.needs.uses_drives || !Drives::review(View<Drives::access>(s.context), model_.step)) return settled;
  }
}

/// Drives and static contacts are reviewed with the impulses in place, not before: a foot that another robot stands on
/// must not be taken off the ground because alone it would lift. Where an opinion changes, all is predicted and solved
/// again (12); a robot whose opinions do so twice, or whose points bounce, has its points solved among the island's.
void Engine::move_island(int island, int thread, const Input& input, State& next) {
  const std::span<const int> robots = contacts_.robots_of(island);
  auto solve = [](Slot& s) { s.scratch.exact = true, release_points(s.context); };
  for (int r : robots) {
    Slot& s = slot(r);
    begin(s);
    if (may_solve_points(s) && points_bounce(s.context, model_.contact.impact_speed)) solve(s);
  }
  for (int r : robots) slot(r).scratch.renewed = true;
  for (int pass = 0;; ++pass) {
    for (int r : robots) {
      RobotScratch& c = slot(r).scratch;
      if (!c.renewed) {  // nothing of its own changed: as it was before the others pressed on it
        std::copy(c.acc_alone.begin(), c.acc_alone.end(), c.acc.begin());
        std::copy(c.a_alone.begin(), c.a_alone.end(), c.a.begin());
        c.impulses = c.impulses_alone;
        continue;
      }
      predict(slot(r));
      if (!input.impulses.empty()) take_impulses(r, input);
      std::copy(c.acc.begin(), c.acc.end(), c.acc_alone.begin());
      std::copy(c.a.begin(), c.a.end(), c.a_alone.begin());
      c.impulses_alone = c.impulses;
    }
    contacts_.couple(island, thread, movers_, model_.step);
    if (pass == kSecondPasses) break;
    bool again = false;
    for (int r : robots) {
      Slot& s = slot(r);
      s.scratch.renewed = review(s) || !input.impulses.empty();
      if (!s.scratch.renewed) continue;
      again = true;
      if (pass + 1 == kSecondPasses && may_solve_points(s)) s.scratch.exact = true;
    }
    if (!again) break;
    for (int r : robots)
      if (slot(r).scratch.exact) release_points(slot(r).context);
  }
  contacts_.remember(island, next.slab.data() + layout_.coupling);
}

void Engine::take_impulses(int robot, const Input& input) {
  Slot& s = slot(robot);
  RobotScratch& c = s.scratch;
  bool hit = false;
  std::fill(c.impulse.begin(), c.impulse.end(), zero6<double>());
  for (const Impulse& p : input.impulses) {
    if (p.robot != robot) continue;
    const Frame& f = c.frames[static_cast<std::size_t>(p.link)];
    c.impulse[static_cast<std::size_t>(p.link)] += wrench_at(f.p + f.R * p.p_L, p.impulse);
    hit = true;
  }
  if (!hit) return;
  ++c.impulses;
  std::copy(c.impulse.begin(), c.impulse.end(), c.given.begin());
  s.motion->respond(s.context);
  for (std::size_t l = 0; l < c.acc.size(); ++l) c.acc[l] += c.dV[l] * (1 / model_.step);
  for (std::size_t j = 0; j < c.a.size(); ++j) c.a[j] += c.dv[j] / model_.step;
}

void Engine::commit(Slot& s) {
  const RobotContext& c = s.context;
  if (s.needs.uses_drives) Drives::commit(View<Drives::access>(c), model_.step);
  s.motion->commit(c, model_.step);
  if (s.needs.uses_contacts) law_->remember(LawView(c), model_.step);
}

/// Counts for how long each has been slow; an island in which all have been so for long enough falls asleep.
void Engine::rest(std::span<const int> island, const State& now, const Input& input, State& next) const {
  const double slow = model_.contact.sleep_speed;
  const auto enough = static_cast<int>(std::min(model_.contact.sleep_after / model_.step, 1e9));
  bool all = slow > 0 && contacts_.island_of(island[0]) >= 0 && input.impulses.empty();
  for (const int r : island) {
    const RobotContext& c = slot(r).context;
    int quiet = 0;
    if (may_sleep(r) && !(input.slab[static_cast<std::size_t>(c.at.target + c.kind->njoint() + kPushLink)] >= 0)) {
      const double* v = next.slab.data() + c.at.v;
      const double fastest = norm(base_velocity(v)) + norm(base_angular_velocity(v)) * contacts_.size_of(r);
      if (fastest < slow) quiet = std::min(sleepers_.quiet(now, r) + 1, enough);
    }
    sleepers_.note(next, r, quiet);
    all = all && quiet > 0 && quiet >= enough;
  }
  if (all) sleepers_.fall_asleep(next, island);
}

void Engine::finish(int robot, const State& next, bool look_after) {
  Slot& s = slot(robot);
  s.scratch.flew &= look_after;
  s.context.now = next.slab.data();  // this robot is in the next state already
  ++s.context.k;
  if (look_after)
    look(s);
  else
    s.not_finite = !is_finite(s.context);
}

// ---- changes between steps

std::vector<std::string> Engine::check_motion(int robot, std::string_view name) const {
  const Slot& s = slot(robot);
  const MotionTable* motion = find_motion(name);
  if (!motion) return {"unknown motion '" + std::string(name) + "'"};
  if (s.motion->grouped)
    return motion == s.motion ? std::vector<std::string>{} : std::vector<std::string>{"a way out of its group"};
  if (motion->grouped) return {"a group: " + std::string(name) + " moves groups, not single robots"};
  return needs_of(*motion, *s.context.kind).missing;
}

void Engine::enter(int robot, State& state, const Input& input) {
  Slot& s = slot(robot);
  RobotContext c = s.context;
  c.now = c.next = state.slab.data();
  c.input = input.slab.data();
  s.motion->enter(c, model_.step);
  if (s.needs.uses_drives) Drives::enter(View<Drives::access>(c));
}

void Engine::forget(int robot, State& state) const {
  const RobotLayout& at = slot(robot).context.at;
  std::fill_n(state.slab.begin() + at.z, at.z_size, 0.0);
  std::fill_n(state.slab.begin() + at.drive, at.drive_size, 0.0);
  if (!slot(robot).needs.uses_contacts) std::fill(state.slab.begin() + at.contact, state.slab.begin() + at.z, 0.0);
}

void Engine::adopt(int robot, State& state, const Input& input) {
  const int group = model_.robots[static_cast<std::size_t>(robot)].group;
  if (group < 0) return;
  point_at(state, &input, nullptr);
  groups_.adopt(contexts_, group, robot, state.slab.data(), model_.step);
}

PlaceResult Engine::place(int robot, const PlaceWish& wish, State& state, const Input& input) {
  const int group = model_.robots[static_cast<std::size_t>(robot)].group;
  if (group < 0) return {};
  point_at(state, &input, nullptr);
  return groups_.place(contexts_, group, robot, wish, state.slab.data(), model_.step);
}

void Engine::rebind(int robot) {
  const RobotKind& now = *model_.robots[static_cast<std::size_t>(robot)].kind;
  Slot& s = slot(robot);
  s.context.kind = &now;
  s.context.sight = s.context.statics = statics_.kind(now);
  s.needs = needs_of(*s.motion, now);
  s.scratch.drive_own = make_drive_scratch(now, model_.step);
  if (s.senses.empty()) return;
  s.senses.bind(model_, model_.robots[static_cast<std::size_t>(robot)]);
  set_supply(now, s.scratch.drive_own, sense::supply(s.senses, s.scratch.sense.data()));
}

void Engine::rebind_surroundings() {
  contacts_.take_surfaces(model_);
  for (Slot& s : slots_) s.context.gravity = model_.gravity;
}

}  // namespace gradus
