#include "cli/world_view.h"

#include <algorithm>
#include <cstring>

#include "plan/way_controller.h"

namespace gradus::cli {
namespace {

constexpr double kSpringTime = 0.1;  // damping over stiffness of the mouse's spring  [s]

bool same_points(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Vec3 p, Vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; });
}

bool same(const view::PlannedWays& a, const view::PlannedWays& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const view::PlannedWay& v, const view::PlannedWay& w) {
    return v.robot == w.robot && same_points(v.base, w.base) && same_points(v.footholds, w.footholds);
  });
}

}  // namespace

WorldView::WorldView(Session& run, std::uint32_t first_revision, CameraFeed* cameras)
    : run_(run), frames_(run.world(), run.scene().name, run.scene().about, first_revision), cameras_(cameras) {}

void WorldView::fill(view::Frame& frame, const view::Wanted& wanted) {
  frames_.fill(world(), wanted, frame);
  if (cameras_) cameras_->offer(world(), frame.scene_revision, wanted.cameras, frames_.sensors());
}

/// Going back needs that nothing but snapshots and actions decides what comes.
std::shared_ptr<const view::SceneDescription> WorldView::describe() {
  const auto now = frames_.describe(world());
  std::string no_past = run_.keeps_no_past();
  if (now == described_ && offered_ && no_past == offered_->no_past) return offered_;
  described_ = now;
  auto offer = std::make_shared<view::SceneDescription>(*now);
  offer->can_seek = offer->can_branch = no_past.empty();
  offer->no_past = std::move(no_past);
  return offered_ = offer;
}

std::shared_ptr<const view::PlannedWays> WorldView::plans() {
  if (run_.ways().empty()) return nullptr;
  view::PlannedWays now;
  for (const auto& [name, way] : run_.ways()) {
    view::PlannedWay w{world().model().find_robot(name), {}, {}};
    for (const plan::Stance& s : way->plan().way) {
      w.base.push_back(s.X_WB.p);
      w.footholds.insert(w.footholds.end(), s.feet.begin(), s.feet.end());
    }
    now.push_back(std::move(w));
  }
  if (!plans_ || !same(*plans_, now)) plans_ = std::make_shared<const view::PlannedWays>(std::move(now));
  return plans_;
}

void WorldView::step() {
  if (is_pushed_) renew_push();
  run_.step();
}

std::string WorldView::apply(const view::Action& action) {
  gradus::Command c;
  if (const auto* motion = std::get_if<view::SetMotion>(&action)) {
    c.kind = gradus::Command::Kind::motion;
    c.robot = motion->robot_name;
    c.name = motion->level_name;
    if (world().model().find_robot(c.robot) < 0) return "there is no robot '" + c.robot + "' any more";
  } else if (const auto* set = std::get_if<view::SetProperty>(&action)) {
    c.kind = gradus::Command::Kind::set;
    c.name = set->path;
    c.value = set->value;
  } else if (std::holds_alternative<view::Push>(action) || std::holds_alternative<view::ReleasePush>(action)) {
    return take_hold(std::get_if<view::Push>(&action));
  } else {
    return "not a change of the simulation";
  }
  return run_.apply_now(c);
}

/// The viewer's hand takes a body, moves on with it or, without a pull, lets it go.
std::string WorldView::take_hold(const view::Push* pull) {
  if (pull != nullptr && (pull->body < 0 || pull->body >= frames_.body_count())) return "there is no such body";
  const bool lets_go = is_pushed_ && (!pull || frames_.body(pull->body).robot != frames_.body(push_.body).robot);
  if (lets_go) {
    gradus::Command end;
    end.kind = gradus::Command::Kind::push;  // without a name: ends it
    end.robot = world().model().robots[static_cast<std::size_t>(frames_.body(push_.body).robot)].name;
    run_.apply_now(end);
  }
  is_pushed_ = pull != nullptr;
  if (!pull) return "";
  push_ = *pull;
  return renew_push();
}

/// f = (k (target − point) − d u) / (1 + h (d + h k) / m), at most what the viewer allows. The divisor is the spring's
/// implicit share for a body of the robot's mass: without it a ball of 46 g would be thrown about at 60 steps a second.
Vec3 WorldView::spring_force() const {
  const FrameBody& b = frames_.body(push_.body);
  const RobotKind& kind = *world().model().robots[static_cast<std::size_t>(b.robot)].kind;
  const ObjectInfo& o = kind.objects[static_cast<std::size_t>(b.object)];
  const Vec3 p_WP = world().X_WO(b.robot, b.object) * push_.point_B;
  const Vec3 v_WP = world().velocity(b.robot, o.link, o.X_LO * push_.point_B);
  const double h = world().model().step, share = h * (kSpringTime + h) * push_.stiffness / kind.mass;
  const Vec3 f = (push_.target_W - p_WP - v_WP * kSpringTime) * (push_.stiffness / (1 + share));
  const double size = norm(f);
  return size > push_.max_force ? f * (push_.max_force / size) : f;
}

/// The spring as a force for the next step.
std::string WorldView::renew_push() {
  const FrameBody& b = frames_.body(push_.body);
  const RobotModel& robot = world().model().robots[static_cast<std::size_t>(b.robot)];
  gradus::Command c;
  c.kind = gradus::Command::Kind::push;
  c.robot = robot.name;
  c.name = robot.kind->objects[static_cast<std::size_t>(b.object)].name;
  c.vector = spring_force();
  c.point = push_.point_B;
  return run_.apply_now(c);
}

/// The world's snapshot, then the spring: while it is held, later steps depend on it.
void WorldView::save(std::vector<std::byte>& snapshot) const {
  static_assert(std::is_trivially_copyable_v<view::Push>);
  snapshot = run_.save();
  const std::size_t size = snapshot.size();
  snapshot.resize(size + sizeof push_ + 1);
  std::memcpy(snapshot.data() + size, &push_, sizeof push_);
  snapshot.back() = static_cast<std::byte>(is_pushed_);
}

void WorldView::restore(std::span<const std::byte> bytes) {
  if (bytes.size() <= sizeof push_) return;
  const std::size_t size = bytes.size() - sizeof push_ - 1;
  if (!run_.restore(bytes.first(size))) return;
  std::memcpy(&push_, bytes.data() + size, sizeof push_);
  is_pushed_ = bytes.back() != std::byte{0};
}

std::unique_ptr<view::Simulation> WorldView::twin() const {
  auto run = run_.twin();
  return run ? std::make_unique<WorldView>(std::move(run)) : nullptr;
}

void WorldView::take_events(std::vector<view::Event>& events) {
  const auto& all = run_.events();
  events_seen_ = std::min(events_seen_, all.size());
  for (; events_seen_ < all.size(); ++events_seen_) {
    const Event& e = all[events_seen_];
    events.push_back({k(), e.time, e.kind, e.robot + " " + e.what, world().model().find_robot(e.robot)});
  }
}

}  // namespace gradus::cli
