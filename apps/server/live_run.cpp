#include "server/live_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

namespace gradus::view {
namespace {

constexpr auto kLatePause = std::chrono::seconds(2);  // real time missed is told at most this often

std::uint64_t interval(double period, double h) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(period / h)));
}

}  // namespace

const LiveRun::Snapshot& LiveRun::Course::before(std::uint64_t k) const {
  const auto after = std::upper_bound(snapshots.begin(), snapshots.end(), k,
                                      [](std::uint64_t x, const Snapshot& s) { return x < s.k; });
  return *std::prev(after);
}

void LiveRun::Course::enter(Simulation& simulation, const Snapshot& at) {
  simulation.restore(at.bytes);
  const auto first =
      std::lower_bound(inputs.begin(), inputs.end(), at.k, [](const Input& i, std::uint64_t x) { return i.k < x; });
  next_input = static_cast<std::size_t>(first - inputs.begin());
}

void LiveRun::Course::apply_due(Simulation& simulation) {
  for (; next_input < inputs.size() && inputs[next_input].k <= simulation.k(); ++next_input)
    (void)simulation.apply(inputs[next_input].action);  // succeeded from the same state before
}

std::size_t LiveRun::Course::bytes() const {
  return snapshots.empty() ? 0 : snapshots.size() * snapshots.back().bytes.size() + inputs.size() * sizeof(Input);
}

LiveRun::LiveRun(Simulation& simulation, ViewServer& server, LiveRunOptions options)
    : simulation_(simulation),
      server_(server),
      options_(options),
      scene_(simulation.describe()),
      pacer_(scene_->step, Pacer::Clock::now()),
      snapshot_interval_(interval(options.snapshot_period, scene_->step)) {
  server_.set_scene(scene_);
  simulation_.save(start_);
  course_.k_end = simulation_.k();
  course_.snapshots.push_back({course_.k_end, start_});
  if (options_.start_paused) pacer_.pause(Pacer::Clock::now());
}

Pacer::Clock::duration LiveRun::turn() {
  server_.poll_commands(commands_);
  for (const Command& c : commands_) handle(c);
  const int due = pacer_.steps_due(Pacer::Clock::now());
  for (int i = 0; i < due && simulation_.k() < options_.k_last; ++i) step_once();
  pacer_.stepped(due, Pacer::Clock::now());
  pass_events();
  tell_late();
  if (server_.frame_due()) server_.publish(look());
  return pacer_.wait(Pacer::Clock::now());
}

std::string LiveRun::obey(const Command& command) {
  if (const auto scene = simulation_.describe(); scene != scene_) server_.set_scene(scene_ = scene);
  // A body is known by its number alone; those of another scene mean other bodies, or none.
  if (std::holds_alternative<Push>(command.action) && command.scene_revision != scene_->revision)
    return "the scene has changed";
  return carry_out(command.action);
}

void LiveRun::handle(const Command& command) {
  const std::string error = obey(command);
  server_.reply(command, error.empty(), error);
}

std::string LiveRun::carry_out(const Action& action) {
  const auto now = Pacer::Clock::now();
  if (std::holds_alternative<Pause>(action)) return pacer_.pause(now), "";
  if (std::holds_alternative<Resume>(action)) return pacer_.resume(now), "";
  if (const auto* speed = std::get_if<Speed>(&action)) return pacer_.set_speed(speed->factor, now), "";
  if (const auto* step = std::get_if<Step>(&action)) {
    if (!pacer_.is_paused()) pacer_.pause(now);
    return pacer_.request_steps(step->count), "";
  }
  const bool goes_back = std::holds_alternative<Seek>(action) || std::holds_alternative<Reset>(action);
  if (goes_back && !scene_->can_seek) return scene_->no_past.empty() ? "this run keeps no past" : "no going back: " + scene_->no_past;
  if (const auto* to = std::get_if<Seek>(&action)) {
    pacer_.pause(now);
    return seek(static_cast<std::uint64_t>(std::llround(to->time / scene_->step)));
  }
  if (std::holds_alternative<Branch>(action)) return branch(), "";
  if (std::holds_alternative<Reset>(action)) return reset(), "";
  return change(action);
}

/// Something that alters the course. In the past it starts a branch; letting go of a body there does not, since in the
/// past no hand holds one.
std::string LiveRun::change(const Action& action) {
  if (is_past() && std::holds_alternative<ReleasePush>(action)) return "";
  if (is_past()) {
    if (std::string refused = try_out(action); !refused.empty()) return refused;
    branch();
  }
  const std::string error = simulation_.apply(action);
  if (!error.empty()) return error;
  if (scene_->can_seek) course_.inputs.push_back({simulation_.k(), action});  // else nobody will ask for it
  course_.next_input = course_.inputs.size();
  tell_change(action);
  return "";
}

/// Would it be done? The state is left as it was: what is refused must not cost the future.
std::string LiveRun::try_out(const Action& action) {
  std::vector<std::byte> before;
  simulation_.save(before);
  std::string error = simulation_.apply(action);
  simulation_.restore(before);
  return error;
}

/// What was done is marked on the time line.
void LiveRun::tell_change(const Action& action) {
  const auto tell = [&](const char* kind, const std::string& text, int robot) {
    server_.announce({simulation_.k(), static_cast<double>(simulation_.k()) * scene_->step, kind, text, robot});
  };
  if (const auto* m = std::get_if<SetMotion>(&action)) {
    for (std::size_t r = 0; r < scene_->robots.size(); ++r)
      if (scene_->robots[r].name == m->robot_name)
        tell("level", m->robot_name + " → " + m->level_name, static_cast<int>(r));
  } else if (const auto* set = std::get_if<SetProperty>(&action)) {
    char value[32];
    std::snprintf(value, sizeof value, "%g", set->value);
    const auto i = static_cast<std::size_t>(set->property);
    tell(
        "set",
        (!set->path.empty() || i >= scene_->properties.size() ? set->path : scene_->properties[i].path) + " = " + value,
        -1);
  } else if (const auto* push = std::get_if<Push>(&action); push && !was_pushed_ && push->body < scene_->body_count()) {
    const int robot = scene_->robot_of(push->body);
    const std::string name = robot >= 0 ? scene_->robots[static_cast<std::size_t>(robot)].name : "";
    tell("push", name + " pushed by hand", robot);
  }
  was_pushed_ = std::holds_alternative<Push>(action) || (was_pushed_ && !std::holds_alternative<ReleasePush>(action));
}

std::string LiveRun::seek(std::uint64_t k) {
  k = std::clamp(k, k_min(), k_max());
  course_.enter(simulation_, course_.before(k));
  while (simulation_.k() < k) step_once();
  return "";
}

/// Forgets what came after the moment shown and keeps it as ghost.
void LiveRun::branch() {
  const std::uint64_t k = simulation_.k();
  if (k == k_max()) return course_.apply_due(simulation_);  // nothing came after
  leave_ghost(k);
  while (course_.snapshots.size() > 1 && course_.snapshots.back().k > k) course_.snapshots.pop_back();
  course_.inputs.resize(course_.next_input);
  course_.k_end = k;
  // The recorded end of a push that was held here is gone with the rest, and no hand holds it now.
  (void)simulation_.apply(ReleasePush{});
  course_.inputs.push_back({k, ReleasePush{}});
  course_.next_input = course_.inputs.size();
  was_pushed_ = false;
  keep_within_memory();
  server_.announce({k, static_cast<double>(k) * scene_->step, "branch", "changed here and run again", -1});
}

/// The course from k on becomes the ghost; the twin begins at the snapshot before.
void LiveRun::leave_ghost(std::uint64_t k) {
  ghost_ = {};
  if (!scene_->can_branch) return;
  if (!twin_) twin_ = simulation_.twin();
  if (!twin_) return;
  const Snapshot& first = course_.before(k);
  for (const Snapshot& s : course_.snapshots)
    if (s.k >= first.k) ghost_.snapshots.push_back(s);
  for (const Input& i : course_.inputs)
    if (i.k >= first.k) ghost_.inputs.push_back(i);
  ghost_.k_end = course_.k_end;
  ghost_.enter(*twin_, ghost_.snapshots.front());
}

void LiveRun::reset() {
  simulation_.restore(start_);
  course_ = {};
  ghost_ = {};
  course_.k_end = simulation_.k();
  course_.snapshots.push_back({course_.k_end, start_});
  was_pushed_ = false;
  pacer_.is_paused() ? pacer_.pause(Pacer::Clock::now()) : pacer_.resume(Pacer::Clock::now());
  server_.announce({k_max(), static_cast<double>(k_max()) * scene_->step, "reset", "started again", -1});
}

void LiveRun::step_once() {
  course_.apply_due(simulation_);
  simulation_.step();
  if (simulation_.k() <= k_max()) {  // already remembered, and its events told
    events_.clear();
    simulation_.take_events(events_);
    events_.clear();
    return;
  }
  course_.k_end = simulation_.k();
  remember();
  pass_events();
}

void LiveRun::remember() {
  if (!scene_->can_seek || k_max() % snapshot_interval_ != 0) return;
  Snapshot s{k_max(), {}};
  simulation_.save(s.bytes);
  course_.snapshots.push_back(std::move(s));
  keep_within_memory();
}

/// The oldest part goes first. A ghost can do with its first snapshot alone: it only takes more steps to be shown.
void LiveRun::keep_within_memory() {
  while (memory() > options_.memory_max && course_.snapshots.size() > 1) forget_oldest();
  while (memory() > options_.memory_max && ghost_.snapshots.size() > 1) ghost_.snapshots.pop_back();
}

/// Gives up the oldest snapshot and all that only mattered before the next one.
void LiveRun::forget_oldest() {
  course_.snapshots.pop_front();
  while (ghost_.snapshots.size() > 1 && ghost_.snapshots[1].k <= k_min()) ghost_.snapshots.pop_front();
  if (ghost_.k_end < k_min()) ghost_ = {};
  for (Course* c : {&course_, &ghost_}) {
    const auto kept =
        std::lower_bound(c->inputs.begin(), c->inputs.end(), c->snapshots.empty() ? 0 : c->snapshots.front().k,
                         [](const Input& i, std::uint64_t x) { return i.k < x; });
    const auto count = static_cast<std::size_t>(kept - c->inputs.begin());
    c->next_input -= std::min(c->next_input, count);
    c->inputs.erase(c->inputs.begin(), kept);
  }
}

void LiveRun::pass_events() {
  events_.clear();
  simulation_.take_events(events_);
  for (Event& e : events_) server_.announce(std::move(e));
}

/// When real time begins to be missed; not again and again while the machine is at its limit.
void LiveRun::tell_late() {
  const bool is_behind = pacer_.is_behind();
  const auto now = Pacer::Clock::now();
  if (is_behind && !was_behind_ && now - late_told_ > kLatePause) {
    late_told_ = now;
    server_.announce(
        {simulation_.k(), static_cast<double>(simulation_.k()) * scene_->step, "late", "real time is missed", -1});
  }
  was_behind_ = is_behind;
}

const Frame& LiveRun::look() {
  if (const auto scene = simulation_.describe(); scene != scene_) server_.set_scene(scene_ = scene);
  if (const auto plans = simulation_.plans(); plans && plans != plans_) server_.set_plans(plans_ = plans);
  simulation_.fill(frame_, server_.wanted());
  frame_.scene_revision = scene_->revision;
  frame_.k = simulation_.k();
  frame_.time = static_cast<double>(frame_.k) * scene_->step;
  frame_.t_min = scene_->can_seek ? static_cast<double>(k_min()) * scene_->step : 0;
  frame_.t_max = static_cast<double>(k_max()) * scene_->step;
  frame_.paused = pacer_.is_paused();
  frame_.behind = pacer_.is_behind();
  frame_.past = is_past();
  frame_.speed_target = pacer_.target();
  frame_.speed_actual = pacer_.actual(Pacer::Clock::now());
  fill_ghost(frame_);
  return frame_;
}

/// The left course at this step: poses, and the values of the same properties.
void LiveRun::fill_ghost(Frame& frame) {
  frame.ghosts.clear();
  frame.ghost_signals.clear();
  if (ghost_.snapshots.empty() || frame.k < ghost_.snapshots.front().k || frame.k > ghost_.k_end) return;
  const Snapshot& near = ghost_.before(frame.k);
  if (twin_->k() > frame.k || twin_->k() < near.k) ghost_.enter(*twin_, near);
  while (twin_->k() < frame.k) {
    ghost_.apply_due(*twin_);
    twin_->step();
  }
  events_.clear();
  twin_->take_events(events_);  // were told when they happened
  events_.clear();
  match_ghost_properties();
  ghost_wanted_.clear();
  for (const Signal& s : frame.signals)
    if (const int p = ghost_property_[s.property]; p >= 0) ghost_wanted_.push_back(static_cast<std::uint16_t>(p));
  twin_->fill(ghost_frame_, {ghost_wanted_});
  frame.ghosts = ghost_frame_.bodies;
  auto value = ghost_frame_.signals.begin();
  for (const Signal& s : frame.signals)
    if (value != ghost_frame_.signals.end() && ghost_property_[s.property] == value->property)
      frame.ghost_signals.push_back({s.property, (value++)->value});
}

/// A robot at another level has other properties: the same one may have another number in the twin's description.
void LiveRun::match_ghost_properties() {
  const auto ghost_scene = twin_->describe();
  if (matched_ == scene_ && matched_ghost_ == ghost_scene) return;
  matched_ = scene_;
  matched_ghost_ = ghost_scene;
  std::map<std::string_view, int> number;
  for (const Property& p : ghost_scene->properties) number.emplace(p.path, static_cast<int>(number.size()));
  ghost_property_.clear();
  for (const Property& p : scene_->properties) {
    const auto it = number.find(p.path);
    ghost_property_.push_back(it == number.end() ? -1 : it->second);
  }
}

}  // namespace gradus::view
