#include "server/live_run.h"

#include <algorithm>
#include <cmath>

namespace gradus::view {
namespace {

constexpr double kPosePeriod = 1.0 / 60;  // of ghost poses, simulated  [s]

std::uint64_t interval(double period, double h) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(period / h)));
}

}  // namespace

LiveRun::LiveRun(Simulation& simulation, ViewServer& server, LiveRunOptions options)
    : simulation_(simulation),
      server_(server),
      options_(options),
      scene_(simulation.describe()),
      pacer_(scene_->step, Pacer::Clock::now()),
      snapshot_interval_(interval(options.snapshot_period, scene_->step)),
      pose_interval_(interval(kPosePeriod, scene_->step)) {
  server_.set_scene(scene_);
  simulation_.save(start_);
  k_end_ = simulation_.k();
  snapshots_.push_back({k_end_, start_});
  memory_ = start_.size();
  if (options_.start_paused) pacer_.pause(Pacer::Clock::now());
}

Pacer::Clock::duration LiveRun::turn() {
  server_.poll_commands(commands_);
  for (const Command& c : commands_) handle(c);
  const int due = pacer_.steps_due(Pacer::Clock::now());
  for (int i = 0; i < due; ++i) step_once();
  pacer_.stepped(due, Pacer::Clock::now());
  pass_events();
  if (server_.frame_due()) server_.publish(look());
  return pacer_.wait(Pacer::Clock::now());
}

void LiveRun::handle(const Command& command) {
  const std::string error = carry_out(command.action);
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
  if (goes_back && !scene_->can_seek) return "this run keeps no past";
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
  if (is_past()) branch();
  const std::string error = simulation_.apply(action);
  if (!error.empty()) return error;
  inputs_.push_back({simulation_.k(), action});
  next_input_ = inputs_.size();
  return "";
}

std::string LiveRun::seek(std::uint64_t k) {
  k = std::clamp(k, k_min(), k_end_);
  const auto after = std::upper_bound(snapshots_.begin(), snapshots_.end(), k,
                                      [](std::uint64_t x, const Snapshot& s) { return x < s.k; });
  const Snapshot& from = *std::prev(after);  // exists: k ≥ k_min
  simulation_.restore(from.bytes);
  const auto first =
      std::lower_bound(inputs_.begin(), inputs_.end(), from.k, [](const Input& i, std::uint64_t x) { return i.k < x; });
  next_input_ = static_cast<std::size_t>(first - inputs_.begin());
  while (simulation_.k() < k) step_once();
  return "";
}

/// Forgets what came after the moment shown and keeps its poses as ghost.
void LiveRun::branch() {
  const std::uint64_t k = simulation_.k();
  if (k == k_end_) return apply_recorded();  // nothing came after
  for (const Poses& p : ghost_) memory_ -= p.values.size() * sizeof(float);
  ghost_.clear();
  while (!course_.empty() && course_.back().k >= k) {
    ghost_.push_front(std::move(course_.back()));
    course_.pop_back();
  }
  while (snapshots_.size() > 1 && snapshots_.back().k > k) {
    memory_ -= snapshots_.back().bytes.size();
    snapshots_.pop_back();
  }
  inputs_.resize(next_input_);
  k_end_ = k;
  // The recorded end of a push that was held here is gone with the rest, and no hand holds it now.
  (void)simulation_.apply(ReleasePush{});
  inputs_.push_back({k, ReleasePush{}});
  next_input_ = inputs_.size();
  server_.announce({k, static_cast<double>(k) * scene_->step, "branch", "changed here and run again", -1});
}

void LiveRun::reset() {
  simulation_.restore(start_);
  snapshots_.clear();
  inputs_.clear();
  course_.clear();
  ghost_.clear();
  next_input_ = 0;
  k_end_ = simulation_.k();
  memory_ = start_.size();
  snapshots_.push_back({k_end_, start_});
  pacer_.is_paused() ? pacer_.pause(Pacer::Clock::now()) : pacer_.resume(Pacer::Clock::now());
  server_.announce({k_end_, static_cast<double>(k_end_) * scene_->step, "reset", "started again", -1});
}

void LiveRun::apply_recorded() {
  for (; next_input_ < inputs_.size() && inputs_[next_input_].k <= simulation_.k(); ++next_input_)
    (void)simulation_.apply(inputs_[next_input_].action);  // succeeded from the same state before
}

void LiveRun::step_once() {
  apply_recorded();
  simulation_.step();
  if (simulation_.k() <= k_end_) {  // already remembered, and its events told
    events_.clear();
    simulation_.take_events(events_);
    events_.clear();
    return;
  }
  k_end_ = simulation_.k();
  remember();
  pass_events();
}

void LiveRun::remember() {
  if (!scene_->can_seek) return;
  if (k_end_ % snapshot_interval_ == 0) {
    Snapshot s{k_end_, {}};
    simulation_.save(s.bytes);
    memory_ += s.bytes.size();
    snapshots_.push_back(std::move(s));
  }
  if (scene_->can_branch && k_end_ % pose_interval_ == 0) {
    simulation_.fill(frame_, {});
    Poses p{k_end_, {}};
    p.values.reserve(7 * frame_.bodies.size());
    for (const BodyPose& b : frame_.bodies)
      for (double x : {b.p_WB.x, b.p_WB.y, b.p_WB.z, b.q_WB.w, b.q_WB.x, b.q_WB.y, b.q_WB.z})
        p.values.push_back(static_cast<float>(x));
    memory_ += p.values.size() * sizeof(float);
    course_.push_back(std::move(p));
  }
  while (memory_ > options_.memory_max && snapshots_.size() > 1) forget_oldest();
}

/// Gives up the oldest snapshot and all that only mattered before the next one.
void LiveRun::forget_oldest() {
  memory_ -= snapshots_.front().bytes.size();
  snapshots_.pop_front();
  for (auto* poses : {&course_, &ghost_})
    while (!poses->empty() && poses->front().k < k_min()) {
      memory_ -= poses->front().values.size() * sizeof(float);
      poses->pop_front();
    }
  const auto kept = std::lower_bound(inputs_.begin(), inputs_.end(), k_min(),
                                     [](const Input& i, std::uint64_t x) { return i.k < x; });
  next_input_ -= static_cast<std::size_t>(kept - inputs_.begin());
  inputs_.erase(inputs_.begin(), kept);
}

void LiveRun::pass_events() {
  events_.clear();
  simulation_.take_events(events_);
  for (Event& e : events_) server_.announce(std::move(e));
}

const Frame& LiveRun::look() {
  if (const auto scene = simulation_.describe(); scene != scene_) server_.set_scene(scene_ = scene);
  simulation_.fill(frame_, server_.wanted_signals());
  frame_.scene_revision = scene_->revision;
  frame_.k = simulation_.k();
  frame_.time = static_cast<double>(frame_.k) * scene_->step;
  frame_.t_min = scene_->can_seek ? static_cast<double>(k_min()) * scene_->step : 0;
  frame_.t_max = static_cast<double>(k_end_) * scene_->step;
  frame_.paused = pacer_.is_paused();
  frame_.behind = pacer_.is_behind();
  frame_.past = is_past();
  frame_.speed_target = pacer_.target();
  frame_.speed_actual = pacer_.actual(Pacer::Clock::now());
  fill_ghost(frame_);
  return frame_;
}

/// Poses of the left course at this moment: the recorded ones around it, the nearer.
void LiveRun::fill_ghost(Frame& frame) const {
  frame.ghosts.clear();
  if (ghost_.empty() || frame.k + pose_interval_ < ghost_.front().k || frame.k > ghost_.back().k) return;
  auto at =
      std::lower_bound(ghost_.begin(), ghost_.end(), frame.k, [](const Poses& p, std::uint64_t k) { return p.k < k; });
  if (at == ghost_.end()) --at;
  for (std::size_t i = 0; i + 6 < at->values.size(); i += 7) {
    const float* v = at->values.data() + i;
    frame.ghosts.push_back({{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}});
  }
}

}  // namespace gradus::view
