#include "plan/way_controller.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gradus::plan {
namespace {

constexpr double kLeadIn = 0.5;          // [s] it stands as it started
constexpr double kFollow = 3;            // [1/s] k of (1)
constexpr double kMostOff = 0.04, kMostTurned = 0.15;  // [m, rad]
constexpr double kPass = 0.1;            // [s] from swinging to standing and back
constexpr double kTouches = 0.15;        // share of a foot's usual load that means ground
constexpr double kReachSpeed = 0.1;      // [m/s] down, where a foot meets nothing
constexpr double kDeepest = 0.05;        // [m]
constexpr double kMissed = 0.03;         // [m]
constexpr double kStays = 0.004;         // [m] feet that would move less do not swing
constexpr int kMostPlans = 60;

double length_xy(Vec3 d) { return square_root(d.x * d.x + d.y * d.y); }
double smooth(double s) { return s * s * (3 - 2 * s); }
Vec3 within(Vec3 v, double most) {
  const double n = norm(v);
  return n > most ? v * (most / n) : v;
}

}  // namespace

Result<std::unique_ptr<WayController>> WayController::make(const Model& model, std::shared_ptr<const RobotKind> kind, const WaySettings& settings, double start,
                                                           double period, const Place& where) {
  std::unique_ptr<WayController> c(new WayController(settings, kind));
  auto walker = Walker::make(model, kind, settings.walker, where);
  if (!walker) return walker.notes();
  c->walker_ = std::move(*walker);
  c->start_ = start, c->dt_ = period;
  c->feet_.resize(c->walker_->leg_count());
  for (const Joint& j : kind->joints) c->q_.push_back(j.initial);
  return {std::move(c), walker.notes()};
}

void WayController::make_way(const Pose& X_WB) {
  const bool first = plan_.way.empty();
  const Pose X_before = asked_;
  if (!seen_) area_ = area_between(X_WB.p, settings_.goal), walker_->see(area_, settings_.cost), seen_ = true;
  Stance here;
  here.place = {X_WB.p.x, X_WB.p.y, to_roll_pitch_yaw(to_quaternion(X_WB.R)).z};
  here.X_WB = X_WB;
  for (const Foot& f : feet_) here.feet.push_back(f.at);
  if (Stance better; walker_->settle(here.feet, here.place.yaw, better)) here = better;
  again_ = false;
  edge_ = 0, group_ = 0, share_ = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    PlanSettings s = settings_.plan;
    s.seed += 1000 * static_cast<std::uint64_t>(report_.plans);
    ++report_.plans;
    here.forgiven = attempt == 0 ? 1 : 2;
    plan_ = make_plan(*walker_, here, settings_.goal, settings_.yaw, s);
    if (plan_.found) break;
  }
  // where no step is sound, the feet are first put where they should be, one group after the other
  if (Stance better; !plan_.found && walker_->stand(here.place, better)) plan_.way = {here, better}, plan_.found = true;
  report_.state = !plan_.found || report_.plans > kMostPlans ? WayReport::State::stuck : WayReport::State::walks;
  if (report_.state != WayReport::State::walks) {
    here.X_WB = first ? X_WB : X_before;
    plan_.way.assign(1, here);
  } else {
    begin_swings();
  }
  // what is asked of the base goes on from where it was
  if (first) return;
  const Pose& X_p = plan_.way.front().X_WB;
  off_p_ = off_p_ + X_before.p - X_p.p;
  off_r_ = logarithm(to_quaternion(to_matrix(exponential(off_r_)) * X_before.R * transpose(X_p.R)));
}

void WayController::begin_swings() {
  const Stance& next = plan_.way[edge_ + 1];
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    Foot& f = feet_[i];
    f.swings = walker_->group(i) == group_ && norm(next.feet[i] - f.at) > kStays;
    if (!f.swings) continue;
    leave(f);
    f.goal = f.planned = next.feet[i];
    f.top = walker_->highest_between(f.at, f.goal) + walker_->settings().gait.lift;
    f.down = f.met = false, f.reached = 0;
  }
}

/// A foot leaves its foothold.
void WayController::leave(const Foot& foot) {
  report_.slid += foot.slid;
  int i, j;
  if (keeps_samples_ && walker_->map().node(foot.touched.x, foot.touched.y, i, j) && !std::isnan(walker_->map().rest(i, j)))
    samples_.push_back({walker_->map().features(i, j), foot.slid});
}

void WayController::end_swings(std::span<const Vec3> actual) {
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    Foot& f = feet_[i];
    if (!f.swings) continue;
    f.swings = false, f.at = actual[i], f.slid = 0, f.told = false;
    f.touched = f.met ? f.goal : f.at;
    ++report_.footholds;
    if (length_xy(f.at - f.planned) > kMissed) ++report_.misses, again_ = true, walker_->mark(f.planned), marks_.push_back(f.planned);
  }
  share_ = 0;
  if (++group_ < walker_->group_count()) return;
  group_ = 0;
  ++edge_;
}

/// Up, over and down: across between 15 and 85 % of the swing, up before 40, down after 60.
Vec3 WayController::swing_point(const Foot& f, double share) const {
  const double across = smooth(std::clamp((share - 0.15) / 0.7, 0.0, 1.0)), up = smooth(std::clamp(share / 0.4, 0.0, 1.0)),
               down = smooth(std::clamp((share - 0.6) / 0.4, 0.0, 1.0));
  Vec3 p = f.at + (f.goal - f.at) * across;
  p.z = share < 0.5 ? f.at.z + (f.top - f.at.z) * up : f.top + (f.goal.z - f.top) * down;
  return p;
}

Pose WayController::asked_pose() const {
  if (report_.state != WayReport::State::walks) return plan_.way.back().X_WB;
  return between(plan_.way[edge_].X_WB, plan_.way[edge_ + 1].X_WB, (group_ + share_) / walker_->group_count());
}

void WayController::control(const RobotOutput& o, RobotCommand& command) {
  const double t = o.time - start_;
  if (t < kLeadIn) return;
  const Pose X_WB{to_matrix(o.q_WB), o.p_WB};
  std::array<Vec3, 16> room;
  const std::span<Vec3> actual(room.data(), feet_.size());
  for (std::size_t i = 0; i < feet_.size(); ++i) actual[i] = X_WB * walker_->leg(i).foot(o.q);
  if (report_.state == WayReport::State::waits) {
    for (std::size_t i = 0; i < feet_.size(); ++i) feet_[i].at = feet_[i].touched = actual[i];
    for (std::size_t j = 0; j < q_.size(); ++j) q_[j] = command.target[j];
    make_way(X_WB);
  }
  const double load = kind_->mass * 9.81 / static_cast<double>(feet_.size());
  if (report_.state == WayReport::State::walks) {
    share_ = std::min(1.0, share_ + dt_ * walker_->group_count() / walker_->settings().gait.period);
    bool all_down = share_ >= 1;
    for (std::size_t i = 0; i < feet_.size(); ++i) {
      Foot& f = feet_[i];
      if (!f.swings) continue;
      const double force = o.foot_force.size() > walker_->foot_number(i) ? o.foot_force[walker_->foot_number(i)] : 0;
      const double swing = std::min(1.0, share_ / 0.85);
      if (!f.down && swing > 0.6 && force > kTouches * load) f.down = f.met = true, f.goal = actual[i];
      if (!f.down && swing >= 1) {
        f.reached += kReachSpeed * dt_;
        f.down = f.reached > kDeepest;
      }
      all_down = all_down && f.down;
    }
    if (all_down) {
      end_swings(actual);
      if (edge_ + 1 < plan_.way.size() && !again_) {
        begin_swings();
      } else if (again_) {
        make_way(X_WB);
      } else {
        const Vec3 left{settings_.goal.x - X_WB.p.x, settings_.goal.y - X_WB.p.y, 0};
        if (length_xy(left) > 2 * settings_.plan.near)
          make_way(X_WB);
        else
          report_.state = WayReport::State::arrived;
      }
    }
  }
  asked_ = asked_pose();
  const Pose& X_p = asked_;
  // (1)
  off_p_ = within(off_p_ + (X_p.p - X_WB.p) * (kFollow * dt_), kMostOff);
  off_r_ = within(off_r_ + logarithm(to_quaternion(X_p.R * transpose(X_WB.R))) * (kFollow * dt_), kMostTurned);
  const Pose X_BW = inverse(X_WB), X_CW = inverse(Pose{to_matrix(exponential(off_r_)) * X_p.R, X_p.p + off_p_});
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    Foot& f = feet_[i];
    const bool standing = !f.swings || f.down;
    f.stands = std::clamp(f.stands + (standing ? dt_ : -dt_) / kPass, 0.0, 1.0);
    Vec3 p = f.at;
    if (f.swings) p = f.down ? f.goal : swing_point(f, std::min(1.0, share_ / 0.85)) - Vec3{0, 0, f.reached};
    walker_->leg(i).reach(X_CW * p * f.stands + X_BW * p * (1 - f.stands), q_);
    if (f.swings) continue;
    f.slid = std::max(f.slid, length_xy(actual[i] - f.touched));
    if (f.slid <= settings_.slip || f.told) continue;
    ++report_.slips;
    f.told = again_ = true;
    walker_->mark(f.touched), marks_.push_back(f.touched);
    f.at = actual[i];
  }
  for (std::size_t i = 0; i < feet_.size(); ++i)
    for (const int j : walker_->leg(i).joints()) command.target[static_cast<std::size_t>(j)] = q_[static_cast<std::size_t>(j)];
}

template <class Visit>
void WayController::each_number(const Visit& visit) {
  const auto vec = [&](Vec3& v) { visit(v.x), visit(v.y), visit(v.z); };
  const auto whole = [&](auto& n) {
    double x = static_cast<double>(n);
    visit(x), n = static_cast<std::remove_reference_t<decltype(n)>>(x);
  };
  const auto pose = [&](Pose& X) { vec(X.R.x), vec(X.R.y), vec(X.R.z), vec(X.p); };
  for (double& q : q_) visit(q);
  vec(off_p_), vec(off_r_), visit(share_), whole(group_), whole(edge_), whole(seen_), whole(again_);
  visit(area_.x_low), visit(area_.x_high), visit(area_.y_low), visit(area_.y_high);
  for (Foot& f : feet_) {
    vec(f.at), vec(f.goal), vec(f.planned), vec(f.touched);
    visit(f.top), visit(f.stands), visit(f.reached), visit(f.slid);
    whole(f.swings), whole(f.down), whole(f.met), whole(f.told);
  }
  int state = static_cast<int>(report_.state);
  whole(state), whole(report_.plans), whole(report_.slips), whole(report_.misses), whole(report_.footholds), visit(report_.slid);
  report_.state = static_cast<WayReport::State>(state);
  pose(asked_);
  std::size_t marks = marks_.size();
  whole(marks);
  marks_.resize(std::min<std::size_t>(marks, 1'000'000));
  for (Vec3& m : marks_) vec(m);
  std::size_t stances = plan_.way.size();
  whole(stances), whole(plan_.found), whole(plan_.tried), whole(plan_.stances);
  if (stances > 1'000'000) return;
  plan_.way.resize(stances);
  for (Stance& s : plan_.way) {
    visit(s.place.x), visit(s.place.y), visit(s.place.yaw), visit(s.cost), whole(s.forgiven), pose(s.X_WB);
    std::size_t feet = s.feet.size();
    whole(feet);
    s.feet.resize(feet > 0 ? feet_.size() : 0);
    for (Vec3& p : s.feet) vec(p);
  }
}

void WayController::save(Bytes& out) {
  each_number([&](double x) { append_le(out, std::bit_cast<std::uint64_t>(x)); });
}

bool WayController::restore(ByteView memory) {
  if (memory.empty()) return false;
  ByteReader in(memory);
  each_number([&](double& x) { x = std::bit_cast<double>(in.le<std::uint64_t>()); });
  if (seen_) walker_->see(area_, settings_.cost);
  for (const Vec3& m : marks_) walker_->mark(m);
  return in.ok() && in.at_end();
}

}  // namespace gradus::plan
