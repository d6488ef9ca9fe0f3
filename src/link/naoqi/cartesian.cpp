#include "link/naoqi/cartesian.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "control/walk/rotation.h"

namespace gradus::naoqi {
namespace {

constexpr int kRounds = 200;
constexpr double kNear = 1e-7;     // [m, rad]
constexpr double kDamping = 1e-2;  // λ, at the beginning
constexpr double kLongest = 0.2;   // step of a joint     [rad]
constexpr double kSmall = 1e-6;    // for differences     [rad]

using Row6 = std::array<double, 6>;

/// x of A x = b, 6 × 6, symmetric and positive; by elimination with pivots.
Row6 solved(std::array<Row6, 6> A, Row6 b) {
  for (std::size_t i = 0; i < 6; ++i) {
    std::size_t best = i;
    for (std::size_t r = i + 1; r < 6; ++r)
      if (std::fabs(A[r][i]) > std::fabs(A[best][i])) best = r;
    std::swap(A[i], A[best]), std::swap(b[i], b[best]);
    for (std::size_t r = i + 1; r < 6; ++r) {
      const double f = A[r][i] / A[i][i];
      for (std::size_t c = i; c < 6; ++c) A[r][c] -= f * A[i][c];
      b[r] -= f * b[i];
    }
  }
  Row6 x{};
  for (std::size_t i = 6; i-- > 0;) {
    double sum = b[i];
    for (std::size_t c = i + 1; c < 6; ++c) sum -= A[i][c] * x[c];
    x[i] = sum / A[i][i];
  }
  return x;
}

double size_of(const Row6& e) {
  double sum = 0;
  for (const double x : e) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

Pose pose_at(const Position6& p) {
  const Mat3 R = walk::rotation_z(p[5]) * walk::rotation_y(p[4]) * walk::rotation_x(p[3]);
  return {R, Vec3{p[0], p[1], p[2]}};
}

Position6 position_of(const Pose& x) {
  const Vec3 rpy = to_roll_pitch_yaw(to_quaternion(x.R));
  return {x.p.x, x.p.y, x.p.z, rpy.x, rpy.y, rpy.z};
}

Cartesian::Cartesian(const nao::Body& body, std::shared_ptr<const RobotKind> kind)
    : body_(body), kind_(std::move(kind)) {
  q_.assign(static_cast<std::size_t>(7 + kind_->njoint()), 0);
  q_[3] = 1;
  v_.assign(static_cast<std::size_t>(6 + kind_->njoint()), 0);
  list_.assign(static_cast<std::size_t>(kind_->njoint()), 0);
  frames_.resize(static_cast<std::size_t>(kind_->nlink()));
}

int Cartesian::object_of(const std::string& effector) const {
  const std::map<std::string, std::string> effectors{
      {"Head", "HeadPitch"}, {"LArm", "LWristYaw"}, {"RArm", "RWristYaw"}, {"LLeg", "LFoot"}, {"RLeg", "RFoot"}};
  const auto it = effectors.find(effector);
  const int object = kind_->find_object(it == effectors.end() ? effector : it->second);
  if (object >= 0 || it == effectors.end() || !effector.ends_with("Arm")) return object;
  return kind_->find_object(effector[0] == 'L' ? "LElbowRoll" : "RElbowRoll");  // H21: no wrists
}

Pose Cartesian::pose(int object, const std::vector<double>& angles) {
  for (std::size_t i = 0; i < angles.size(); ++i) body_.write(i, angles[i], list_);
  std::copy(list_.begin(), list_.end(), q_.begin() + 7);
  compute_poses(*kind_, q_.data(), v_.data(), frames_.data());
  const ObjectInfo& o = kind_->objects[static_cast<std::size_t>(object)];
  const Frame &link = frames_[static_cast<std::size_t>(o.link)], &torso = frames_[0];
  return inverse(Pose{torso.R, torso.p}) * (Pose{link.R, link.p} * o.X_LO);
}

/// Of turns: half the sum of the axes' cross products, the turn itself where it is small.
Cartesian::Error Cartesian::missing(const Pose& is, const Pose& wanted, int mask) const {
  const Vec3 p = wanted.p - is.p;
  Vec3 turn{0, 0, 0};
  for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    turn = turn + cross(is.R * axis, wanted.R * axis) * 0.5;
  Error e{p.x, p.y, p.z, turn.x, turn.y, turn.z};
  for (std::size_t i = 0; i < 6; ++i)
    if (!(mask >> i & 1)) e[i] = 0;
  return e;
}

double Cartesian::solve(int object, const Pose& X_TO, int mask, const std::vector<int>& joints,
                        std::vector<double>& angles) {
  std::vector<Row6> J(joints.size());  // columns
  std::vector<double> best = angles;
  double least = size_of(missing(pose(object, angles), X_TO, mask));
  double damping = kDamping;
  for (int round = 0; round < kRounds && least > kNear; ++round) {
    const Pose now = pose(object, angles = best);
    const Error e = missing(now, X_TO, mask);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      double& angle = angles[static_cast<std::size_t>(joints[j])];
      const double before = std::exchange(angle, angle + kSmall);
      const Error moved = missing(now, pose(object, angles), mask);
      angle = before;
      for (std::size_t i = 0; i < 6; ++i) J[j][i] = moved[i] / kSmall;
    }
    std::array<Row6, 6> A{};
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < 6; ++c) {
        for (const Row6& column : J) A[r][c] += column[r] * column[c];
        if (r == c) A[r][c] += damping * damping;
      }
    const Row6 y = solved(A, e);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto i = static_cast<std::size_t>(joints[j]);
      double step = 0;
      for (std::size_t r = 0; r < 6; ++r) step += J[j][r] * y[r];
      if (body_.joint(i) < 0) continue;
      const Joint& joint = kind_->joints[static_cast<std::size_t>(body_.joint(i))];
      angles[i] = std::clamp(angles[i] + std::clamp(step, -kLongest, kLongest), joint.lower, joint.upper);
    }
    const double left = size_of(missing(pose(object, angles), X_TO, mask));
    if (left < least) {  // Levenberg and Marquardt: braver after a success, else more careful
      least = left, best = angles;
      damping = std::max(1e-6, damping / 3);
    } else {
      damping *= 4;
      if (damping > 1e3) break;
    }
  }
  angles = best;
  return least;
}

}  // namespace gradus::naoqi
