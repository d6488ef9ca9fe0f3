#include "control/walk/walk_engine.h"

#include <algorithm>
#include <cmath>

#include "control/walk/rotation.h"

namespace gradus::walk {
namespace {

constexpr int kCorrections = 4;  // of the base's place; each leaves a few percent of the error

}  // namespace

Result<WalkEngine> WalkEngine::make(const WalkFile& walk, std::shared_ptr<const RobotKind> kind, double gravity) {
  Diagnostics notes;
  auto left = read_leg(*kind, walk.left_leg, walk.place), right = read_leg(*kind, walk.right_leg, walk.place);
  notes.insert(notes.end(), left.notes().begin(), left.notes().end());
  notes.insert(notes.end(), right.notes().begin(), right.notes().end());
  if (has_errors(notes)) return notes;
  const double longest = std::min(left->thigh + left->shin + left->sole, right->thigh + right->shin + right->sole);
  if (walk.gait.hip_height >= longest)
    return Diagnostics{{walk.place, Severity::error, "hip_height is more than the legs' length", "bend the knees"}};
  return WalkEngine(walk, std::move(kind), {*left, *right}, gravity);
}

WalkEngine::WalkEngine(const WalkFile& walk, std::shared_ptr<const RobotKind> kind,
                       const std::array<LegGeometry, 2>& legs, double gravity)
    : gait_(walk.gait), kind_(std::move(kind)), leg_(legs), planner_(walk.gait) {
  const auto njoint = static_cast<std::size_t>(kind_->njoint());
  shared_yaw_ = kind_->joints[static_cast<std::size_t>(leg_[kRight].joint[0])].mimic_of == leg_[kLeft].joint[0];
  for (const Joint& j : kind_->joints) q_.push_back(j.initial);
  for (const auto& [name, angle] : walk.posture) {
    const int j = kind_->find_joint(name);
    if (j >= 0) q_[static_cast<std::size_t>(j)] = angle;
  }
  coordinates_.assign(7 + njoint, 0);
  coordinates_[3] = 1;
  velocities_.assign(6 + njoint, 0);
  frames_.resize(static_cast<std::size_t>(kind_->nlink()));

  const int N = static_cast<int>(std::lround(gait_.preview / gait_.tick));
  for (int i = 0; i <= N; ++i) ahead_.push_back(planner_.next());
  for (auto& r : reference_) r.resize(ahead_.size());
  // Standing: the height of the centre of mass, which the preview control needs.
  for (std::size_t a = 0; a < 2; ++a) axis_[a] = at_rest(ahead_.front().zmp[a]);
  solve_posture();
  height_ = p_WB_.z + (R_WB_ * centre_in_base()).z;
  gains_ = preview_gains({gait_.tick, height_, gravity, N, gait_.error_weight, gait_.zmp_weight, gait_.input_weight});
}

bool WalkEngine::walking() const {
  return std::any_of(ahead_.begin(), ahead_.end(), [](const PlanSample& s) { return s.walking; });
}

Pose WalkEngine::base() const { return {R_WB_, p_WB_}; }

void WalkEngine::tick() {
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t i = 0; i < ahead_.size(); ++i) reference_[a][i] = ahead_[i].zmp[a];
    advance(gains_, reference_[a], axis_[a]);
  }
  std::rotate(ahead_.begin(), ahead_.begin() + 1, ahead_.end());
  ahead_.back() = planner_.next();
  solve_posture();
}

/// Base upright over the planned centre of mass, turned by the mean of the feet.
void WalkEngine::solve_posture() {
  const PlanSample& s = ahead_.front();
  R_WB_ = rotation_z(0.5 * (s.foot[kLeft].yaw + s.foot[kRight].yaw)) * rotation_y(gait_.torso_pitch);
  const Vec3 hips = R_WB_ * ((leg_[kLeft].p_BH + leg_[kRight].p_BH) * 0.5);
  p_WB_.z = gait_.hip_height - hips.z;
  for (int i = 0; i < kCorrections; ++i) {
    solve_legs();
    const Vec3 c = p_WB_ + R_WB_ * centre_in_base();
    p_WB_.x += axis_[0].c - c.x;
    p_WB_.y += axis_[1].c - c.y;
  }
  solve_legs();
}

void WalkEngine::solve_legs() {
  std::array<SolePose, 2> X_BF;
  std::array<bool, 2> reached{};
  std::array<LegAngles, 2> angles;
  for (std::size_t i = 0; i < 2; ++i) {
    const FootPose& f = ahead_.front().foot[i];
    X_BF[i] = {transpose(R_WB_) * rotation_z(f.yaw), transpose_times(R_WB_, Vec3{f.x, f.y, f.z} - p_WB_)};
    angles[i] = leg_angles(leg_[i], X_BF[i], reached[i]);
  }
  if (shared_yaw_) {
    const double yaw = 0.5 * (angles[kLeft][0] + angles[kRight][0]);
    for (std::size_t i = 0; i < 2; ++i) angles[i] = leg_angles_with_yaw(leg_[i], X_BF[i], yaw, reached[i]);
  }
  for (int i : {kLeft, kRight}) {
    set_leg(i, angles[static_cast<std::size_t>(i)]);
    if (!reached[static_cast<std::size_t>(i)]) ++out_of_reach_;
  }
}

void WalkEngine::set_leg(int side, const LegAngles& angles) {
  for (std::size_t i = 0; i < 6; ++i) {
    const auto j = static_cast<std::size_t>(leg(side).joint[i]);
    const Joint& joint = kind_->joints[j];
    q_[j] = std::clamp(angles[i], joint.lower, joint.upper);
    if (q_[j] != angles[i]) ++beyond_limits_;
  }
}

Vec3 WalkEngine::centre_in_base() {
  std::copy(q_.begin(), q_.end(), coordinates_.begin() + 7);
  compute_poses(*kind_, coordinates_.data(), velocities_.data(), frames_.data());
  Vec3 sum{0, 0, 0};
  for (std::size_t i = 0; i < frames_.size(); ++i)
    sum += (frames_[i].p + frames_[i].R * kind_->links[i].com) * kind_->links[i].mass;
  return sum * (1 / kind_->mass);
}

}  // namespace gradus::walk
