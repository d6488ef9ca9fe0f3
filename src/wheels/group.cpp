#include "wheels/group.h"
#include "math/angle.h"

#include <algorithm>
#include <cmath>

namespace gradus::wheels {
namespace {

using MemberView = View<Member::access>;

/// What a member's respond needs, left by the group's predict.
struct MemberScratch {
  Sym3 mobility;  // robot: of (v, u, w); ball: 1/m in xx, 1/(ι m r²) in zz
  Rot2 heading;   // robot: at the end of the step
  WheelJoints wheels;
  double half_axle, wheel_radius;
  Vec6 acc;     // of the root as predicted: what coupling added is the difference
  double a[2];  // of the joints
  bool ball, present;
};

Vec6 respond_robot(const MemberScratch& s, const Vec6& P, double& dv_right, double& dv_left) {
  const Vec2 f = inverse_times(s.heading, Vec2{P.l.x, P.l.y});
  const Sym3& m = s.mobility;
  const double dv = m.xx * f.x + m.xy * f.y + m.xz * P.a.z, du = m.xy * f.x + m.yy * f.y + m.yz * P.a.z,
               dw = m.xz * f.x + m.yz * f.y + m.zz * P.a.z;
  const Vec2 l = s.heading * Vec2{dv, du};
  dv_right = s.wheels.right_sense * (dv + s.half_axle * dw) / s.wheel_radius;
  dv_left = s.wheels.left_sense * (dv - s.half_axle * dw) / s.wheel_radius;
  return {{0, 0, dw}, {l.x, l.y, 0}};
}

/// A wrench P on the whole member: Δν = mobility Jᵀ P; twist of the base, and of the wheels where dv is given.
Vec6 answer(const MemberScratch& s, const Vec6& P, double* dv) {
  if (!s.present) return zero6<double>();
  if (s.ball) return {P.a * s.mobility.zz, Vec3{P.l.x, P.l.y, 0} * s.mobility.xx};
  double right, left;
  const Vec6 d = respond_robot(s, P, right, left);
  dv[s.wheels.right] = right;
  dv[s.wheels.left] = left;
  return d;
}

double yaw_of(const Quat& q) {
  const Mat3 R = to_matrix(q);
  return arc_tangent(R.x.y, R.x.x);
}

}  // namespace

MotionNeeds Member::bind(const RobotKind& kind) {
  MotionNeeds n;
  n.scratch = sizeof(MemberScratch);
  n.uses_contacts = n.uses_drives = false;
  n.speed_targets = true;
  if (kind.njoint() == 0)
    ball_parameters(kind, {}, n.missing);
  else
    robot_parameters(kind, {}, n.missing);
  return n;
}

void Member::predict(View<access> view, double) {
  const MemberScratch& s = view.own<MemberScratch>();
  view.acc_out()[0] = s.acc;
  for (int l = 1; l < view.kind().nlink(); ++l) {
    view.a_out()[l - 1] = s.a[l - 1];
    view.acc_out()[l] = s.acc + view.frames()[l].S * s.a[l - 1];
  }
}

void Member::respond(View<access> view) {
  const RobotKind& kind = view.kind();
  Vec6 sum = zero6<double>();
  for (int i = 0; i < kind.nlink(); ++i) sum += view.impulse()[i];
  for (int i = 0; i < kind.njoint(); ++i) view.dv()[i] = 0;
  const Vec6 d = answer(view.own<MemberScratch>(), sum, view.dv());
  view.dV()[0] = d;
  for (int i = 1; i < kind.nlink(); ++i) view.dV()[i] = d + view.frames()[i].S * view.dv()[i - 1];
}

void Member::response(View<access> view, std::span<const int> links, Response* out) {
  const std::size_t n = links.size();
  for (int k = 0; k < 6; ++k) {
    double e[6] = {0, 0, 0, 0, 0, 0}, dv[2] = {0, 0};
    e[k] = 1;
    const Vec6 d = answer(view.own<MemberScratch>(), {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}}, dv);
    for (std::size_t i = 0; i < n; ++i)  // whichever link was hit
      for (std::size_t j = 0; j < n; ++j)
        out[i * n + j].column[k] = links[i] == 0 ? d : d + view.frames()[links[i]].S * dv[links[i] - 1];
  }
}

Group::Group(const WheelsModel& model, const GroupModel& group, std::vector<WheelJoints> joints, double ground)
    : model_(model),
      has_referee_(group.spec.referee.has_value()),
      ground_(ground),
      at_{group.spec.at.x, group.spec.at.y},
      joints_(std::move(joints)),
      commands_(static_cast<std::size_t>(model.robot_count())),
      scratch_(model_) {
  if (has_referee_)
    rules_ = {group.spec.referee->pause, group.spec.referee->still_speed, group.spec.referee->still_time,
              group.spec.referee->half};
  const int match = state_size(model_);
  properties_ = {{"clock", "s", "time played", match + kClock},
                 {"goals_blue", "", "goals of the blue team", match + kGoalsBlue},
                 {"goals_yellow", "", "goals of the yellow team", match + kGoalsYellow},
                 {"restart_in", "s", "time to the next kick-off; 0: the ball is in play", match + kRestartIn},
                 {"halted", "", "1: all wheels are told to stand", match + kHalted}};
}

std::span<double> Group::next(const GroupContext& c) const {
  return {c.section_next, static_cast<std::size_t>(section_size())};
}

void Group::enter(const GroupContext& c) {
  const auto bodies = bodies_of(model_, next(c));
  clear_state(model_, bodies);
  std::fill_n(match_of(next(c)).begin(), kMatchSize, 0.0);
  for (int i = 0; i < model_.robot_count(); ++i) set_robot(bodies, i, {}, 0);  // present; take fills in the rest
  for (int i = 0; i < model_.body_count(); ++i) take(c, i);
  if (has_referee_) kick_off(model_, bodies, Team::blue);
  for (int i = 0; i < model_.body_count(); ++i) {
    if (!has_referee_)
      adopt(c, i);
    else
      publish(c, i);
  }
}

void Group::take(const GroupContext& c, int i) const {
  const MemberView view(c.members[static_cast<std::size_t>(i)]);
  const auto b = body_of(bodies_of(model_, next(c)), i);
  const Vec3 p = base_position(view.q()), v = base_velocity(view.v()), w = base_angular_velocity(view.v());
  b[kX] = p.x - at_.x;
  b[kY] = p.y - at_.y;
  if (is_ball(i)) {
    const double r = model_.par.ball.radius;
    b[kBallVx] = v.x, b[kBallVy] = v.y, b[kBallSpin] = r * w.z;
    b[kBallRollX] = r * w.y, b[kBallRollY] = -r * w.x;
    return;
  }
  b[kTheta] = yaw_of(base_orientation(view.q()));
  const Vec2 u = inverse_times(rotation(b[kTheta]), Vec2{v.x, v.y});
  b[kV] = u.x, b[kU] = model_.par.tyres == Tyres::rolling ? 0 : u.y, b[kW] = w.z;
  const WheelJoints& j = joints_[static_cast<std::size_t>(i)];
  b[kWheelRight] = j.right_sense * view.q()[7 + j.right];
  b[kWheelLeft] = j.left_sense * view.q()[7 + j.left];
}

/// The section of a body as coordinates and velocities. One that was taken away stands beside the pitch.
void Group::publish(const GroupContext& c, int i) const {
  if (is_ball(i)) return publish_ball(c);
  const MemberView view(c.members[static_cast<std::size_t>(i)]);
  const auto b = body_of(bodies_of(model_, next(c)), i);
  const RobotParameters& r = model_.robots[static_cast<std::size_t>(i)].par;
  const bool present = b[kPresent] != 0;
  const Field& f = model_.par.field;
  const Vec2 p = at_ + (present ? Vec2{b[kX], b[kY]} : Vec2{-f.half_length + 0.12 * i, -f.half_width - 0.15});
  double s, co;
  sine_cosine(0.5 * b[kTheta], s, co);
  set_base_pose(view.q_next(), {p.x, p.y, ground_ + r.wheel_radius}, {co, 0, 0, s});
  const Vec2 v = present ? rotation(b[kTheta]) * Vec2{b[kV], b[kU]} : Vec2{};
  set_base_twist(view.v_next(), {0, 0, present ? b[kW] : 0}, {v.x, v.y, 0});
  const WheelJoints& j = joints_[static_cast<std::size_t>(i)];
  view.q_next()[7 + j.right] = j.right_sense * b[kWheelRight];
  view.q_next()[7 + j.left] = j.left_sense * b[kWheelLeft];
  view.v_next()[6 + j.right] = j.right_sense * (b[kV] + r.half_axle * b[kW]) / r.wheel_radius;
  view.v_next()[6 + j.left] = j.left_sense * (b[kV] - r.half_axle * b[kW]) / r.wheel_radius;
}

/// ω = ẑ × roll / r + ẑ spin / r. Its orientation follows the mean of both ends of the step, for the eye.
void Group::publish_ball(const GroupContext& c) const {
  const MemberView view(c.members[static_cast<std::size_t>(model_.robot_count())]);
  const auto b = body_of(bodies_of(model_, next(c)), model_.robot_count());
  const double r = model_.par.ball.radius;
  const Vec3 w{-b[kBallRollY] / r, b[kBallRollX] / r, b[kBallSpin] / r};
  const Vec3 turn = (base_angular_velocity(view.v()) + w) * (0.5 * (c.section == c.section_next ? 0 : c.h));
  const Quat q = normalized(exponential(turn) * base_orientation(view.q()));
  set_base_pose(view.q_next(), {at_.x + b[kX], at_.y + b[kY], ground_ + r}, q);
  set_base_twist(view.v_next(), w, {b[kBallVx], b[kBallVy], 0});
}

/// Δν = mobility Jᵀ P, in the section. dV: of the base, world axes.
void Group::add_impulse(const GroupContext& c, int i, const Vec6& dV) const {
  const auto b = body_of(bodies_of(model_, next(c)), i);
  if (is_ball(i)) {
    const double r = model_.par.ball.radius;
    b[kBallVx] += dV.l.x, b[kBallVy] += dV.l.y, b[kBallSpin] += r * dV.a.z;
    b[kBallRollX] += r * dV.a.y, b[kBallRollY] -= r * dV.a.x;
    return;
  }
  const Vec2 d = inverse_times(rotation(b[kTheta]), Vec2{dV.l.x, dV.l.y});
  b[kV] += d.x, b[kU] += d.y, b[kW] += dV.a.z;
}

void Group::prepare_response(const GroupContext& c, int i) const {
  const MemberView view(c.members[static_cast<std::size_t>(i)]);
  const auto b = body_of(bodies_of(model_, next(c)), i);
  MemberScratch& s = view.own<MemberScratch>();
  s.ball = is_ball(i);
  s.present = b[kPresent] != 0;
  if (s.ball) {
    const BallParameters& ball = model_.par.ball;
    s.mobility = {};
    s.mobility.xx = 1 / ball.mass;
    s.mobility.zz = 1 / (ball.inertia_ratio * ball.mass * ball.radius * ball.radius);
    return;
  }
  const RobotModel& r = model_.robots[static_cast<std::size_t>(i)];
  s.mobility = r.slide_mobility;
  s.heading = rotation(b[kTheta]);
  s.wheels = joints_[static_cast<std::size_t>(i)];
  s.half_axle = r.par.half_axle, s.wheel_radius = r.par.wheel_radius;
}

/// A held force acts as its impulse at the beginning of the step.
void Group::push(const GroupContext& c, int i) const {
  const MemberView view(c.members[static_cast<std::size_t>(i)]);
  const RobotKind& kind = view.kind();
  const double* push = view.target() + kind.njoint() + kPushLink;
  if (push[0] < 0) return;
  prepare_response(c, i);
  const Frame& f = view.frames()[static_cast<int>(push[0])];
  for (int l = 0; l < kind.nlink(); ++l) view.impulse()[l] = zero6<double>();
  view.impulse()[0] = wrench_at(f.p + f.R * Vec3{push[4], push[5], push[6]}, Vec3{push[1], push[2], push[3]} * c.h);
  Member::respond(view);
  add_impulse(c, i, view.dV()[0]);
}

void Group::predict(const GroupContext& c) {
  std::copy_n(c.section, section_size(), c.section_next);
  const auto bodies = bodies_of(model_, next(c));
  const bool halted = match_of(next(c))[kHalted] != 0;
  for (int i = 0; i < model_.body_count(); ++i) push(c, i);
  for (int i = 0; i < model_.robot_count(); ++i) {
    const double* target = MemberView(c.members[static_cast<std::size_t>(i)]).target();
    const WheelJoints& j = joints_[static_cast<std::size_t>(i)];
    WheelCommand& w = commands_[static_cast<std::size_t>(i)];
    const double top = model_.robots[static_cast<std::size_t>(i)].par.top_speed;
    const auto cut = [top](double x) { return x > top ? top : x < -top ? -top : x; };  // NaN stays: it is counted
    w = halted ? WheelCommand{} : WheelCommand{cut(j.right_sense * target[j.right]), cut(j.left_sense * target[j.left])};
  }
  advance(model_, bodies, commands_, c.h, scratch_, report_);
  for (int i = 0; i < model_.body_count(); ++i) {
    const MemberView view(c.members[static_cast<std::size_t>(i)]);
    publish(c, i);
    prepare_response(c, i);
    const double *v0 = view.v(), *v1 = view.v_next();
    MemberScratch& s = view.own<MemberScratch>();
    s.acc = {(base_angular_velocity(v1) - base_angular_velocity(v0)) * (1 / c.h),
             (base_velocity(v1) - base_velocity(v0)) * (1 / c.h) - view.gravity()};
    for (int j = 0; j < view.kind().njoint(); ++j) s.a[j] = (v1[6 + j] - v0[6 + j]) / c.h;
  }
}

void Group::commit(const GroupContext& c) {
  bool coupled = false;
  for (int i = 0; i < model_.body_count(); ++i) {
    const MemberView view(c.members[static_cast<std::size_t>(i)]);
    const Vec6 before = view.own<MemberScratch>().acc, now = view.acc()[0];
    const Vec6 dV{(now.a - before.a) * c.h, (now.l - before.l) * c.h};
    if (dot(dV.a, dV.a) + dot(dV.l, dV.l) == 0) continue;
    add_impulse(c, i, dV);
    coupled = true;
  }
  const auto match = match_of(next(c));
  MatchEvent event = MatchEvent::none;
  if (has_referee_)
    event = referee(model_, bodies_of(model_, next(c)), match, c.h, rules_);
  else
    match[kClock] += c.h;
  const bool moved = coupled || event == MatchEvent::kick_off || event == MatchEvent::free_ball;
  for (int i = 0; i < model_.body_count(); ++i) {
    const MemberView view(c.members[static_cast<std::size_t>(i)]);
    if (moved) publish(c, i);  // predict has published already
    const int nj = view.kind().njoint();
    std::fill_n(view.r_next(), nj, 0.0);
    for (int k = 0; k < 6; ++k) view.r_next()[nj + k] = (view.v_next()[k] - view.v()[k]) / c.h;
  }
}

void Group::adopt(const GroupContext& c, int i) {
  take(c, i);
  const auto bodies = bodies_of(model_, next(c));
  const auto b = body_of(bodies, i);
  if (b[kPresent] != 0 && body_gap(model_, bodies, i) < 0) {
    if (is_ball(i))
      place_ball(model_, bodies, {b[kX], b[kY]}, {b[kBallVx], b[kBallVy]});
    else
      place_robot(model_, bodies, i, {b[kX], b[kY]}, b[kTheta]);
  }
  publish(c, i);
}

PlaceResult Group::place(const GroupContext& c, int i, const PlaceWish& w) {
  const auto bodies = bodies_of(model_, next(c));
  Placement p;
  if (is_ball(i))
    p = w.present ? place_ball(model_, bodies, {w.x, w.y}, {w.vx, w.vy}) : Placement{};
  else if (w.present)
    p = place_robot(model_, bodies, i, {w.x, w.y}, w.theta);
  else
    body_of(bodies, i)[kPresent] = 0, p.placed = true;
  publish(c, i);
  return {p.placed, p.moved};
}

void Group::look(std::span<const double> section, std::span<Sight> members) const {
  for (int i = 0; i < model_.body_count(); ++i) {
    const auto b = body_of(section, i);
    Sight& s = members[static_cast<std::size_t>(i)];
    s = {b[kX], b[kY], 0, b[kBallVx], b[kBallVy], 0, b[kPresent] != 0};
    if (is_ball(i)) continue;
    const Vec2 v = rotation(b[kTheta]) * Vec2{b[kV], b[kU]};
    s.theta = b[kTheta], s.vx = v.x, s.vy = v.y, s.w = b[kW];
  }
}

Result<std::unique_ptr<GroupMotion>> make_group(const Model& model, const GroupModel& group) {
  const auto parameters = group_parameters(model, group);
  if (!parameters) return parameters.notes();
  const auto compiled = compile(*parameters);
  if (!compiled) return compiled.notes();
  std::vector<WheelJoints> joints;
  for (const int member : group.members)
    joints.push_back(wheel_joints(*model.robots[static_cast<std::size_t>(member)].kind));
  return std::unique_ptr<GroupMotion>(
      std::make_unique<Group>(*compiled, group, std::move(joints), model.ground.present ? model.ground.offset : 0));
}

}  // namespace gradus::wheels
