#include "control/gait/gait.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "control/walk/rotation.h"
#include "tree/kernels.h"

namespace gradus {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr std::size_t kMostJoints = 16;  // of a leg: nothing is allocated while it walks
constexpr double kLeadIn = 0.5;      // [s] from the start posture to the first footholds
constexpr double kTouches = 0.15;    // share of a foot's usual load that means ground
constexpr double kReachSpeed = 0.15;  // [m/s] down, where a foot should stand and does not
constexpr double kDeepest = 0.08;    // [m]
constexpr double kSettle = 0.5;      // [1/s] heights of all feet back to mean zero
constexpr double kLevelTime = 0.4;   // [s]
constexpr double kMostTilt = 0.35;   // [rad]
constexpr double kSteer = 1, kMostSteer = 0.3;  // [1/s, rad/s]

}  // namespace

Leg::Leg(const RobotKind& kind, int foot_link) : foot_(foot_link) {
  for (int l = foot_link; l > 0; l = kind.links[static_cast<std::size_t>(l)].parent) {
    const Link& link = kind.links[static_cast<std::size_t>(l)];
    const Joint& j = kind.joints[static_cast<std::size_t>(l - 1)];
    joints_.insert(joints_.begin(), l - 1);
    parts_.insert(parts_.begin(), Part{link.p_PB, link.axis, link.prismatic, j.lower, j.upper});
  }
  // the middle of its lowest points in the start posture
  const std::vector<Pose> X = start_poses(kind);
  const Pose& X_BF = X[static_cast<std::size_t>(foot_link)];
  double lowest = 1e9;
  int count = 0;
  const auto height = [&](const ContactPoint& c) { return (X_BF * c.p_BC).z - c.radius; };
  for (const ContactPoint& c : kind.points)
    if (c.link == foot_link) lowest = std::min(lowest, height(c));
  for (const ContactPoint& c : kind.points)
    if (c.link == foot_link && height(c) < lowest + 1e-3) p_F = p_F + c.p_BC, ++count;
  if (count > 0) p_F = p_F * (1.0 / count);
}

Vec3 Leg::foot(std::span<const double> q) const {
  Mat3 R{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vec3 p{0, 0, 0};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const double angle = q[static_cast<std::size_t>(joints_[i])];
    p = p + R * part.p_PB;
    if (part.prismatic)
      p = p + R * (part.axis * angle);
    else
      R = R * to_matrix(exponential(part.axis * angle));
  }
  return p + R * p_F;
}

double Leg::reach(Vec3 p_B, std::span<double> q) const {
  constexpr double kDamping = 1e-3, kEnough = 1e-6;
  double off = 0;
  for (int round = 0; round < 12; ++round) {
    // one way through the chain: where its joints and its foot are
    Mat3 R{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Vec3 p{0, 0, 0};
    std::array<Vec3, kMostJoints> at, axis, J;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const double x = q[static_cast<std::size_t>(joints_[i])];
      p = p + R * part.p_PB;
      at[i] = p, axis[i] = R * part.axis;
      if (part.prismatic)
        p = p + axis[i] * x;
      else
        R = R * to_matrix(exponential(part.axis * x));
    }
    const Vec3 foot_now = p + R * p_F, e = p_B - foot_now;
    off = norm(e);
    if (off < kEnough) break;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      J[i] = parts_[i].prismatic ? axis[i] : cross(axis[i], foot_now - at[i]);
    // (J Jᵀ + λ² 1) y = e, a 3 × 3 system by Cramer's rule
    Vec3 c0{kDamping * kDamping, 0, 0}, c1{0, kDamping * kDamping, 0}, c2{0, 0, kDamping * kDamping};
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Vec3& j = J[i];
      c0 = c0 + j * j.x, c1 = c1 + j * j.y, c2 = c2 + j * j.z;
    }
    const double det = dot(c0, cross(c1, c2));
    if (!(std::fabs(det) > 1e-18)) break;
    const Vec3 y{dot(e, cross(c1, c2)) / det, dot(c0, cross(e, c2)) / det, dot(c0, cross(c1, e)) / det};
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      double& x = q[static_cast<std::size_t>(joints_[i])];
      x = std::clamp(x + std::clamp(dot(J[i], y), -0.3, 0.3), parts_[i].lower, parts_[i].upper);
    }
  }
  return off;
}

double stride_begin(const std::string& order, std::size_t before, std::size_t on_side, bool right) {
  const double i = static_cast<double>(before), m = static_cast<double>(on_side), s = right ? 1 : 0;
  if (order == "tripod" || order == "trot") return 0.5 * static_cast<double>((before + (right ? 1 : 0)) % 2);
  if (order == "ripple") return (m - 1 - i) / m + 0.5 * s;
  return (m - 1 - i + s * m) / (2 * m);
}

Result<std::unique_ptr<GaitController>> GaitController::make(const GaitFile& gait, std::shared_ptr<const RobotKind> kind,
                                                             std::vector<WalkCommand> program, bool steer, double start, double period,
                                                             const Place& place) {
  std::unique_ptr<GaitController> c(new GaitController(gait, kind));
  const auto fault = [&](const std::string& text, const std::string& hint) { return Diagnostics{{place, Severity::error, text, hint}}; };
  if (kind->feet.size() < 4)
    return fault("a gait needs a robot with four feet or more, '" + kind->name + "' has " + std::to_string(kind->feet.size()),
                 "name them: feet = [...] in the robot's file or in the scene");
  for (const Joint& j : kind->joints) c->q_.push_back(j.initial);
  std::vector<std::size_t> side[2];
  for (std::size_t f = 0; f < kind->feet.size(); ++f) {
    Leg leg(*kind, kind->feet[f]);
    if (leg.joints().size() > kMostJoints)
      return fault("a leg of '" + kind->name + "' has more than 16 joints between base and foot", "a gait cannot place it");
    if (leg.joints().size() < 3)
      return fault("a leg of '" + kind->name + "' has fewer than three joints between base and foot", "a gait cannot place it");
    const Vec3 p = leg.foot(c->q_);
    c->legs_.push_back({std::move(leg), f, p, 0});
    side[p.y < 0].push_back(f);
  }
  if (side[0].size() != side[1].size())
    return fault("'" + kind->name + "' has " + std::to_string(side[0].size()) + " feet on its left and " + std::to_string(side[1].size()) + " on its right",
                 "a gait wants as many on either side");
  for (int s = 0; s < 2; ++s) {
    std::stable_sort(side[s].begin(), side[s].end(), [&](std::size_t a, std::size_t b) { return c->legs_[a].p_B.x > c->legs_[b].p_B.x; });
    for (std::size_t i = 0; i < side[s].size(); ++i) c->legs_[side[s][i]].offset = stride_begin(gait.order, i, side[s].size(), s == 1);
  }
  double mean = 0;
  for (const Walker& w : c->legs_) mean += w.p_B.z / static_cast<double>(c->legs_.size());
  for (Walker& w : c->legs_) {
    const double r = std::sqrt(w.p_B.x * w.p_B.x + w.p_B.y * w.p_B.y);
    if (r > 1e-6) w.p_B.x *= 1 + gait.spread / r, w.p_B.y *= 1 + gait.spread / r;
    w.p_B.z = gait.height > 0 ? -gait.height : mean;
  }
  c->program_ = std::move(program);
  c->start_ = start, c->dt_ = period, c->steer_ = steer;
  return c;
}

WalkCommand GaitController::command_at(double t) const {
  double half_strides = 2 * t / gait_.period;
  for (const WalkCommand& c : program_) {
    if (c.steps == 0 || half_strides < c.steps) return c;
    half_strides -= c.steps;
  }
  return {};
}

void GaitController::control(const RobotOutput& o, RobotCommand& command) {
  const double t = o.time - start_ - kLeadIn, dt = dt_;
  const WalkCommand wanted = t < 0 ? WalkCommand{} : command_at(t);
  const double share = std::min(1.0, dt / (0.25 * gait_.period));
  now_.forward += share * (wanted.forward - now_.forward), now_.side += share * (wanted.side - now_.side);
  double turn = wanted.turn;
  const Vec3 rpy = to_roll_pitch_yaw(o.q_WB);
  if (steer_ && t >= 0) {
    if (!has_heading_) heading_ = rpy.z, has_heading_ = true;
    heading_ += wanted.turn * dt;
    double off = heading_ - rpy.z;
    off -= kTwoPi * std::floor(off / kTwoPi + 0.5);
    if (std::fabs(wanted.forward) + std::fabs(wanted.side) + std::fabs(wanted.turn) > 0) turn += std::clamp(kSteer * off, -kMostSteer, kMostSteer);
  }
  now_.turn += share * (turn - now_.turn);
  const bool walks = std::fabs(now_.forward) + std::fabs(now_.side) > 1e-3 || std::fabs(now_.turn) > 1e-3;
  if (t >= 0 && (walks || phase_ != std::floor(phase_))) {
    const double next = phase_ + dt / gait_.period;
    phase_ = walks ? next : std::min(next, std::ceil(phase_));  // the stride is finished, then it stands
  }
  // level: the ground's tilt as the base feels it
  if (t > 0 && gait_.level > 0) {
    roll_ = std::clamp(roll_ + gait_.level * rpy.x * dt / kLevelTime, -kMostTilt, kMostTilt);
    pitch_ = std::clamp(pitch_ + gait_.level * rpy.y * dt / kLevelTime, -kMostTilt, kMostTilt);
  }
  const Mat3 tilt = walk::rotation_y(pitch_) * walk::rotation_x(roll_);
  const double load = kind_->mass * 9.81 / static_cast<double>(legs_.size());
  double mean = 0;
  for (Walker& w : legs_) {
    double phi = phase_ + w.offset;
    phi -= std::floor(phi);
    const bool stands = !walks || phi < gait_.duty;
    const Vec3 d{(now_.forward - now_.turn * w.p_B.y) * gait_.duty * gait_.period,
                 (now_.side + now_.turn * w.p_B.x) * gait_.duty * gait_.period, 0};
    double along = 0, lift = 0;  // (2)
    if (phi < gait_.duty) {
      along = 0.5 - phi / gait_.duty;
    } else {
      const double s = (phi - gait_.duty) / (1 - gait_.duty);
      along = s - walk::sine(kTwoPi * s) / kTwoPi - 0.5;
      lift = walks || phase_ != std::floor(phase_) ? gait_.lift * 0.5 * (1 - walk::cosine(kTwoPi * s)) : 0;
      if (gait_.feel && t > 0) {
        const bool touches = o.foot_force.size() > w.number && o.foot_force[w.number] > kTouches * load;
        if (s < 0.5) w.down = false;
        if (s >= 0.5 && touches && !w.down && lift > 0.002) w.height += lift, w.down = true;  // ground is higher here
        if (w.down && s >= 0.5) lift = 0;
      }
    }
    if (stands && gait_.feel && t > 0 && walks) {
      const bool touches = o.foot_force.size() > w.number && o.foot_force[w.number] > 0.2 * kTouches * load;
      if (!touches) w.height = std::max(-kDeepest, w.height - kReachSpeed * dt);
    }
    mean += w.height / static_cast<double>(legs_.size());
    const Vec3 p = tilt * (w.p_B + d * along) + Vec3{0, 0, lift + w.height};
    w.leg.reach(p, q_);
  }
  for (Walker& w : legs_) w.height = std::clamp(w.height - mean * std::min(1.0, kSettle * dt), -kDeepest, kDeepest);
  const double in = t >= 0 ? 1 : std::clamp(1 + t / kLeadIn, 0.0, 1.0), smooth = in * in * (3 - 2 * in);
  for (const Walker& w : legs_)
    for (const int j : w.leg.joints()) {
      const auto k = static_cast<std::size_t>(j);
      const double initial = kind_->joints[k].initial;
      command.target[k] = initial + smooth * (q_[k] - initial);
    }
}

template <class Visit>
void GaitController::each_number(const Visit& visit) {
  for (double& q : q_) visit(q);
  for (double* x : {&roll_, &pitch_, &now_.forward, &now_.side, &now_.turn, &phase_, &heading_}) visit(*x);
  for (Walker& w : legs_) visit(w.height);
}

void GaitController::save(Bytes& out) {
  each_number([&](double x) { append_le(out, std::bit_cast<std::uint64_t>(x)); });
  out.push_back(std::byte{has_heading_});
  for (const Walker& w : legs_) out.push_back(std::byte{w.down});
}

bool GaitController::restore(ByteView memory) {
  if (memory.empty()) return false;
  ByteReader in(memory);
  each_number([&](double& x) { x = std::bit_cast<double>(in.le<std::uint64_t>()); });
  has_heading_ = in.le<std::uint8_t>() != 0;
  for (Walker& w : legs_) w.down = in.le<std::uint8_t>() != 0;
  return in.ok() && in.at_end();
}

}  // namespace gradus
