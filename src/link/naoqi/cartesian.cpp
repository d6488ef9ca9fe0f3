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

using Vector = std::vector<double>;

/// x of A x = b, A symmetric and positive; by elimination with pivots.
Vector solved(std::vector<Vector> A, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t best = i;
    for (std::size_t r = i + 1; r < n; ++r)
      if (std::fabs(A[r][i]) > std::fabs(A[best][i])) best = r;
    std::swap(A[i], A[best]), std::swap(b[i], b[best]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double f = A[r][i] / A[i][i];
      for (std::size_t c = i; c < n; ++c) A[r][c] -= f * A[i][c];
      b[r] -= f * b[i];
    }
  }
  Vector x(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    double sum = b[i];
    for (std::size_t c = i + 1; c < n; ++c) sum -= A[i][c] * x[c];
    x[i] = sum / A[i][i];
  }
  return x;
}

double size_of(const Vector& e) {
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
std::vector<double> Cartesian::missing(std::span<const Goal> goals, const std::vector<double>& angles) {
  Vector all;
  for (const Goal& g : goals) {
    const Pose is = pose(g.object, angles);
    const Vec3 p = g.X_TO.p - is.p;
    Vec3 turn{0, 0, 0};
    for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      turn = turn + cross(is.R * axis, g.X_TO.R * axis) * 0.5;
    const Position6 e{p.x, p.y, p.z, turn.x, turn.y, g.turning * turn.z};
    for (std::size_t i = 0; i < 6; ++i) all.push_back(g.mask >> i & 1 ? e[i] : 0);
  }
  return all;
}

double Cartesian::solve(std::span<const Goal> goals, const std::vector<int>& joints, std::vector<double>& angles) {
  const std::size_t n = 6 * goals.size();
  std::vector<Vector> J(joints.size(), Vector(n));  // columns
  std::vector<double> best = angles;
  double least = size_of(missing(goals, angles));
  double damping = kDamping;
  for (int round = 0; round < kRounds && least > kNear; ++round) {
    const Vector e = missing(goals, angles = best);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      double& angle = angles[static_cast<std::size_t>(joints[j])];
      const double before = std::exchange(angle, angle + kSmall);
      const Vector moved = missing(goals, angles);
      angle = before;
      for (std::size_t i = 0; i < n; ++i) J[j][i] = (e[i] - moved[i]) / kSmall;
    }
    std::vector<Vector> A(n, Vector(n, 0));
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        for (const Vector& column : J) A[r][c] += column[r] * column[c];
        if (r == c) A[r][c] += damping * damping;
      }
    const Vector y = solved(A, e);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto i = static_cast<std::size_t>(joints[j]);
      double step = 0;
      for (std::size_t r = 0; r < n; ++r) step += J[j][r] * y[r];
      if (body_.joint(i) < 0) continue;
      const Joint& joint = kind_->joints[static_cast<std::size_t>(body_.joint(i))];
      angles[i] = std::clamp(angles[i] + std::clamp(step, -kLongest, kLongest), joint.lower, joint.upper);
    }
    const double left = size_of(missing(goals, angles));
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
