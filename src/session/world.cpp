#include "session/world.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "drive/drives.h"
#include "contact/law/compliant.h"
#include "contact/find/ground_points.h"
#include "base/hash.h"
#include "tree/kernels.h"

namespace gradus {
namespace {

constexpr int kTimingPeriod = 32;  // steps between two time samples of a robot
constexpr std::size_t kMaxImpulses = 64;
constexpr int kSecondPasses = 2;  // an island may be predicted and coupled again so often [docs/couple.md (12)]

}  // namespace

World::World(Model model, Options options)
    : model_(std::move(model)),
      team_(std::min(options.threads, static_cast<int>(model_.robots.size()))),
      clock_(options.clock) {
  for (int i = 0; clock_ && i < 32; ++i) {  // reading it takes time too, which is not the robot's
    const double t = clock_(), cost = clock_() - t;
    clock_cost_ = i == 0 ? cost : minimum(cost, clock_cost_);
  }
}

Result<std::unique_ptr<World>> World::make(Model model, Options options) {
  std::unique_ptr<World> w(new World(std::move(model), options));
  Diagnostics notes = w->bind_all();
  if (has_errors(notes)) return notes;
  w->place_robots();
  return {std::move(w), std::move(notes)};
}

Diagnostics World::bind_all() {
  Diagnostics notes;
  std::vector<int> z_size, drive_size;
  slots_.resize(model_.robots.size());
  for (int i = 0; i < robot_count(); ++i) {
    const RobotKind& kind = *model_.robots[static_cast<std::size_t>(i)].kind;
    bind(i, notes);
    z_size.push_back(make_room(slot(i), kind));
    if (model_.contact.law == "spring" && model_.contact.spring.s_nu > 0)
      slot(i).scratch.spin.resize(kind.links.size());
    slot(i).scratch.drive_own = make_drive_scratch(kind, model_.step);
    drive_size.push_back(drive_state_size(kind, model_.step));
  }
  const Diagnostics field = statics_.build(model_);
  notes.insert(notes.end(), field.begin(), field.end());
  const Diagnostics more = contacts_.build(model_, statics_, team_.size());
  notes.insert(notes.end(), more.begin(), more.end());
  layout_ = make_layout(model_, z_size, drive_size, contacts_.memory_size());
  for (Slot& s : slots_) movers_.push_back({&s.context, &s.motion, &s.needs});
  if (has_errors(notes)) return notes;
  const Diagnostics groups = groups_.bind(model_);
  notes.insert(notes.end(), groups.begin(), groups.end());
  groups_.lay_out(layout_);
  first_robots_ = model_.robots;
  first_around_ = surroundings();
  return notes;
}

void World::bind(int i, Diagnostics& notes) {
  const RobotModel& robot = model_.robots[static_cast<std::size_t>(i)];
  Slot& s = slot(i);
  Place place;
  place.file = model_.file;
  s.motion = find_motion(robot.motion);
  if (!s.motion) {
    std::vector<std::string> names;
    for (const MotionTable& m : all_motions()) names.emplace_back(m.name);
    const std::string near = nearest(robot.motion, names);
    notes.push_back({place, Severity::error, "robot '" + robot.name + "': unknown motion '" + robot.motion + "'",
                     near.empty() ? "" : "did you mean '" + near + "'?"});
    return;
  }
  s.needs = s.motion->bind(*robot.kind);
  for (const std::string& m : s.needs.missing)
    notes.push_back({place, Severity::error,
                     "robot '" + robot.name + "' cannot be moved by " + robot.motion + ": it lacks " + m,
                     "choose another motion or complete the robot"});
}

int World::make_room(Slot& s, const RobotKind& kind) {
  const auto nlink = static_cast<std::size_t>(kind.nlink()), njoint = static_cast<std::size_t>(kind.njoint());
  RobotScratch& c = s.scratch;
  c.frames.resize(nlink);
  c.contact_begin.resize(nlink + 1);
  c.drive.resize(njoint);
  c.acc.resize(nlink);
  c.a.resize(njoint);
  c.d_inv.resize(njoint);
  c.impulse.resize(nlink);
  c.dV.resize(nlink);
  c.dv.resize(njoint);
  c.response.resize(nlink);
  s.foot_force.resize(kind.feet.size());
  for (std::vector<double>* motors : {&s.q_motor, &s.current, &s.voltage}) motors->resize(njoint);
  int z = 0;
  std::size_t own = 0;
  for (const MotionTable& m : all_motions()) {  // room for every motion it may change to
    const MotionNeeds n = m.bind(kind);
    z = std::max(z, n.z_size);
    own = std::max(own, n.scratch);
  }
  c.own.resize(own);
  return z;
}

void World::place_robots() {
  for (State& s : state_) s.slab.assign(static_cast<std::size_t>(layout_.state_size), 0.0);
  input_.slab.assign(static_cast<std::size_t>(layout_.input_size), 0.0);
  input_before_ = input_.slab;
  impulses_.reserve(kMaxImpulses);
  for (std::size_t i = 0; i < slots_.size(); ++i) place_robot(model_.robots[i], layout_.robots[i], slots_[i]);
  point_at_states();
  for (int i = 0; i < robot_count(); ++i) {
    look(slot(i));
    enter(slot(i));
    contexts_.push_back(&slot(i).context);
  }
  groups_.enter(contexts_, state_[0].slab.data(), model_.step);
  for (int i = 0; i < robot_count() && !groups_.empty(); ++i) look(slot(i));  // groups may have moved their members
  find_contacts();
}

/// Start posture in State and Input, and what its motion may look at.
void World::place_robot(const RobotModel& robot, const RobotLayout& at, Slot& s) {
  double* q = state_[0].slab.data() + at.q;
  set_base_pose(q, robot.p_WB, robot.q_WB);
  set_base_twist(state_[0].slab.data() + at.v, robot.w_WB, robot.v_WB);
  double* target = input_.slab.data() + at.target;
  for (int j = 0; j < robot.kind->njoint(); ++j)
    q[7 + j] = target[j] = robot.kind->joints[static_cast<std::size_t>(j)].initial;
  target[robot.kind->njoint() + kPushLink] = -1;
  for (const DriveModel& d : robot.kind->drives)
    input_.slab[static_cast<std::size_t>(at.stiffness + d.joint)] = d.spec.controller.stiffness;
  s.up = transpose_times(to_matrix(robot.q_WB), model_.ground.n);
  s.context = {robot.kind.get(), &model_.ground, model_.gravity, 0, nullptr, nullptr, nullptr, at, &s.scratch};
  s.context.statics = statics_.kind(*robot.kind);
  s.context.spring = model_.contact.law == "spring" ? &model_.contact.spring : nullptr;
  s.scratch.contacts.resize(robot.kind->points.size() + static_cast<std::size_t>(at.field_size));
  s.scratch.field.resize(static_cast<std::size_t>(at.field_size));
}

/// Fills the private numbers of the motion and the drives in the present state.
void World::enter(Slot& s) {
  RobotContext c = s.context;
  c.next = state_[0].slab.data();
  s.motion->enter(c, model_.step);
  if (s.needs.uses_drives) Drives::enter(View<Drives::access>(c));
}

void World::point_at_states() {
  for (Slot& s : slots_) {
    s.context.now = state_[0].slab.data();
    s.context.next = state_[1].slab.data();
    s.context.input = input_.slab.data();
  }
}

/// Every second step goes through the robots backwards: those visited last are still in the cache and come first.
/// Robots are independent here, so the order changes no bit.
template <class Work>
void World::each_robot(const Work& work) {
  const int n = robot_count(), parts = team_.size();
  const bool backwards = state_[0].k % 2 != 0;
  team_.run([&](int p) {
    const int first = n * p / parts, last = n * (p + 1) / parts;
    for (int i = first; i < last; ++i) work(backwards ? first + last - 1 - i : i, p);
  });
}

void World::step() {
  run_controllers();
  const bool timed = clock_ && state_[0].k % kTimingPeriod == 0;
  move_groups(timed);
  each_robot([&](int i, int thread) {
    const int island = contacts_.island_of(i);
    const std::span<const int> group = island < 0 ? std::span<const int>(&i, 1) : contacts_.robots_of(island);
    if (group[0] != i) return;  // goes with the first robot of its island
    const double t0 = timed ? clock_() : 0;
    if (island < 0)
      move(i);
    else
      move_island(island, thread);
    for (int r : group)
      if (!slot(r).motion->grouped) finish(r);
    if (timed) share_time(group, clock_() - t0 - clock_cost_);
  });
  finish_groups();
  impulses_.clear();
  contacts_.finish_memory(state_[1].slab.data() + layout_.coupling);
  state_[1].k = state_[0].k + 1;
  std::swap(state_[0], state_[1]);
  contacts_.add_reports();
  find_contacts();
  sum_up();
}

/// Processor time of robots that moved together, smoothed over the samples.
void World::share_time(std::span<const int> robots, double seconds) {
  const double us = maximum(seconds, 0.0) * 1e6 / static_cast<double>(robots.size());
  for (int r : robots) {
    const double all = us + (slot(r).motion->grouped ? group_us_ : 0);
    slot(r).us += (all - slot(r).us) * (slot(r).us == 0 ? 1 : 0.05);
  }
}

/// The report of the step from those of its robots.
void World::sum_up() {
  report_.predictions = report_.unsettled = report_.field_dropped = 0;
  for (int i = 0; i < robot_count(); ++i) {
    report_.field_dropped += slot(i).scratch.field_dropped;
    report_.predictions += slot(i).predictions;
    report_.unsettled += slot(i).unsettled;
    if (slot(i).not_finite && report_.not_finite < 0) report_.not_finite = i;
  }
}

bool World::review(Slot& s) {
  const RobotContext& c = s.context;
  const bool law = s.needs.uses_contacts && Compliant::review(View<Compliant::access>(c), model_.step);
  const bool drive = s.needs.uses_drives && Drives::review(View<Drives::access>(c), model_.step);
  return law || drive;
}

/// B1, B2: first opinions of drives and static contacts.
void World::begin(Slot& s) {
  s.scratch.rests = false;
  s.scratch.kick = zero6<double>();
  if (s.needs.uses_drives) Drives::begin(View<Drives::access>(s.context), model_.step);
  if (s.needs.uses_contacts) Compliant::begin(View<Compliant::access>(s.context), model_.step);
}

void World::predict(int robot) {
  slot(robot).motion->predict(slot(robot).context, model_.step);
  ++slot(robot).predictions;
}

void World::move(int robot) {
  Slot& s = slot(robot);
  begin(s);
  const int predictions = settle([&] { predict(robot); }, [&] { return review(s); });
  if (predictions > kPredictions) ++s.unsettled;
  if (!impulses_.empty()) take_impulses(robot);
}

/// Drives and static contacts are reviewed with the impulses in place, not before: a foot that another robot stands on
/// must not be taken off the ground because alone it would lift. Where an opinion changes, all is predicted and solved
/// again (12).
void World::move_island(int island, int thread) {
  const std::span<const int> robots = contacts_.robots_of(island);
  for (int r : robots) begin(slot(r));
  for (int pass = 0;; ++pass) {
    for (int r : robots) {
      predict(r);
      if (!impulses_.empty()) take_impulses(r);
    }
    contacts_.couple(island, thread, movers_, model_.step);
    if (pass == kSecondPasses) break;
    bool again = false;
    for (int r : robots) again |= review(slot(r));
    if (!again) break;
  }
  contacts_.remember(island, state_[1].slab.data() + layout_.coupling);
}

void World::take_impulses(int robot) {
  Slot& s = slot(robot);
  RobotScratch& c = s.scratch;
  bool hit = false;
  std::fill(c.impulse.begin(), c.impulse.end(), zero6<double>());
  for (const Impulse& p : impulses_) {
    if (p.robot != robot) continue;
    const Frame& f = c.frames[static_cast<std::size_t>(p.link)];
    c.impulse[static_cast<std::size_t>(p.link)] += wrench_at(f.p + f.R * p.p_L, p.impulse);
    hit = true;
  }
  if (!hit) return;
  s.motion->respond(s.context);
  for (std::size_t l = 0; l < c.acc.size(); ++l) c.acc[l] += c.dV[l] * (1 / model_.step);
  for (std::size_t j = 0; j < c.a.size(); ++j) c.a[j] += c.dv[j] / model_.step;
}

void World::finish(int robot) {
  Slot& s = slot(robot);
  commit(s);
  s.context.now = state_[1].slab.data();  // this robot is in the next state already
  s.context.next = state_[0].slab.data();
  ++s.context.k;
  look(s);
}

void World::find_contacts() {
  contacts_.find(movers_, state_[0].slab.data() + layout_.coupling, model_.step, model_.gravity);
  report_.coupling = contacts_.report;
}

void World::commit(Slot& s) {
  const RobotContext& c = s.context;
  if (s.needs.uses_drives) Drives::commit(View<Drives::access>(c), model_.step);
  s.motion->commit(c, model_.step);
  if (s.needs.uses_contacts) Compliant::remember(View<Compliant::access>(c), model_.step);
  // One sum over the velocities is finite only if all are.
  const double* v = c.next + c.at.v;
  double sum = 0;
  for (int i = 0; i < c.kind->nv(); ++i) sum += v[i];
  if (!std::isfinite(sum)) s.not_finite = true;
}

void World::look(Slot& s) {
  const RobotContext& c = s.context;
  const double *q = c.now + c.at.q, *v = c.now + c.at.v;
  if (s.needs.uses_velocities)
    compute_frames(*c.kind, q, v, s.scratch.frames.data());
  else
    compute_poses(*c.kind, q, v, s.scratch.frames.data());
  if (s.needs.uses_contacts && c.ground->present)
    GroundPoints::find(View<GroundPoints::access>(c), model_.step);
  else
    s.scratch.contact_count = 0;
  if (s.needs.uses_contacts && c.statics) StaticPoints::find(View<StaticPoints::access>(c), model_.step);
  const auto number = static_cast<int>(&s - slots_.data());
  contacts_.look(number, movers_[static_cast<std::size_t>(number)], model_.step);
}

void World::refresh(int robot) {
  look(slot(robot));
  find_contacts();
}

void World::run_controllers() {
  bool ran = false;
  const std::int64_t k = state_[0].k;
  std::copy(input_.slab.begin(), input_.slab.end(), input_before_.begin());
  for (ControllerSlot& c : controllers_) {
    const std::int64_t since = k - c.start;
    if (since < 0 || since % c.period != 0) continue;
    control(c);
    ran = true;
  }
  for (GroupControllerSlot& c : group_controllers_) {
    if (k % c.period != 0) continue;
    c.controller->control(output_of_group(c.group), c.commands);
    ran = true;
  }
  // Bits, not values: a log that leaves out what did not change must be able to tell −0 from 0.
  inputs_changed_ =
      ran && std::memcmp(input_.slab.data(), input_before_.data(), input_before_.size() * sizeof(double)) != 0;
}

void World::control(ControllerSlot& c) {
  const RobotOutput out = output(c.robot);
  RobotCommand command{targets(c.robot), stiffness(c.robot)};
  c.controller->control(out, command);
  const RobotContext& context = slot(c.robot).context;
  input_.slab[static_cast<std::size_t>(context.at.target + context.kind->njoint() + kDue)] =
      static_cast<double>(k() + c.period);
}

void World::add_controller(int robot, std::unique_ptr<Controller> controller, double period, double start) {
  const auto steps = [&](double t) { return static_cast<std::int64_t>(std::llround(t / model_.step)); };
  controllers_.push_back({robot, std::move(controller), std::max<std::int64_t>(1, steps(period)), steps(start)});
}

std::vector<std::string> World::set_motion(int robot, std::string_view name) {
  Slot& s = slot(robot);
  const MotionTable* motion = find_motion(name);
  if (!motion) return {"unknown motion '" + std::string(name) + "'"};
  if (s.motion->grouped)
    return motion == s.motion ? std::vector<std::string>{} : std::vector<std::string>{"a way out of its group"};
  if (motion->grouped) return {"a group: " + std::string(name) + " moves groups, not single robots"};
  MotionNeeds needs = motion->bind(*s.context.kind);
  if (!needs.missing.empty()) return needs.missing;
  s.motion = motion;
  s.needs = std::move(needs);
  s.scratch.contact_count = s.scratch.field_count = 0;
  std::fill(s.scratch.contact_begin.begin(), s.scratch.contact_begin.end(), 0);
  forget(s);
  enter(s);
  refresh(robot);
  return {};
}

/// Numbers that the robot's motion will not write are zero in both states: a value left behind by the motion before
/// would come and go with every swap, and a restored world could not know it.
void World::forget(const Slot& s) {
  const RobotLayout& at = s.context.at;
  for (State& x : state_) {
    std::fill_n(x.slab.begin() + at.z, at.z_size, 0.0);
    std::fill_n(x.slab.begin() + at.drive, at.drive_size, 0.0);
    if (!s.needs.uses_contacts) std::fill(x.slab.begin() + at.contact, x.slab.begin() + at.z, 0.0);
  }
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
  Snapshot s{state_[0].k, state_[0].slab, input_.slab, {}, impulses_, settings_};
  for (const Slot& x : slots_) s.motion.emplace_back(x.motion->name);
  return s;
}

bool World::restore(const Snapshot& s) {
  if (s.state.size() != state_[0].slab.size() || s.motion.size() != slots_.size() || !fits(s.input)) return false;
  if (s.impulses.size() > impulses_.capacity()) return false;
  for (const Impulse& i : s.impulses)
    if (!fits(i)) return false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const MotionTable* m = find_motion(s.motion[i]);
    if (!m || m->grouped != slots_[i].motion->grouped || !m->bind(*slots_[i].context.kind).missing.empty())
      return false;
  }
  if (!take_settings(s.settings).empty()) return false;
  state_[0].k = s.k;
  std::copy(s.state.begin(), s.state.end(), state_[0].slab.begin());
  std::fill(state_[1].slab.begin(), state_[1].slab.end(), 0.0);  // as it was where the motion never writes
  std::copy(s.input.begin(), s.input.end(), input_.slab.begin());
  impulses_.assign(s.impulses.begin(), s.impulses.end());
  report_.not_finite = -1;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].motion = find_motion(s.motion[i]);
    slots_[i].needs = slots_[i].motion->bind(*slots_[i].context.kind);
    slots_[i].scratch.contact_count = slots_[i].scratch.field_count = 0;
    std::fill(slots_[i].scratch.contact_begin.begin(), slots_[i].scratch.contact_begin.end(), 0);
    slots_[i].not_finite = false;
    slots_[i].context.k = s.k;
    look(slots_[i]);
  }
  find_contacts();
  return true;
}

}  // namespace gradus
