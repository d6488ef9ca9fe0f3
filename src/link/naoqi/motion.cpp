#include "link/naoqi/motion.h"

#include <algorithm>
#include <cmath>

namespace gradus::naoqi {
namespace {

constexpr double kLeadIn = 0.5;  // from any posture to the walk's   [s]
constexpr double kSlack = 1e-9;  // [s]

/// Chains of the robot's interface.
struct Chain {
  const char* name;
  std::vector<const char*> joints;
};
const std::vector<Chain>& chains() {
  static const std::vector<Chain> all{
      {"Head", {"HeadYaw", "HeadPitch"}},
      {"LArm", {"LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll", "LWristYaw", "LHand"}},
      {"LLeg", {"LHipYawPitch", "LHipRoll", "LHipPitch", "LKneePitch", "LAnklePitch", "LAnkleRoll"}},
      {"RLeg", {"RHipYawPitch", "RHipRoll", "RHipPitch", "RKneePitch", "RAnklePitch", "RAnkleRoll"}},
      {"RArm", {"RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll", "RWristYaw", "RHand"}},
  };
  return all;
}

bool is_leg(std::size_t joint) {
  const std::string_view name = nao::kJointNames[joint];
  return name.find("Hip") != name.npos || name.find("Knee") != name.npos || name.find("Ankle") != name.npos;
}

/// Slopes that keep every piece between its ends: 0 at turning points, else the harmonic mean (Fritsch and Carlson).
std::vector<double> gentle_slopes(const std::vector<double>& t, const std::vector<double>& x) {
  std::vector<double> slope(t.size(), 0);
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    const double a = (x[i] - x[i - 1]) / (t[i] - t[i - 1]), b = (x[i + 1] - x[i]) / (t[i + 1] - t[i]);
    slope[i] = a * b > 0 ? 2 * a * b / (a + b) : 0;
  }
  return slope;
}

}  // namespace

Curve::Curve(std::vector<double> t, std::vector<double> x, std::vector<double> slopes)
    : t_(std::move(t)),
      x_(std::move(x)),
      slope_(slopes.size() == t_.size() ? std::move(slopes) : gentle_slopes(t_, x_)) {}

double Curve::at(double t) const {
  if (t <= t_.front()) return x_.front();
  if (t >= t_.back()) return x_.back();
  const auto i = static_cast<std::size_t>(std::upper_bound(t_.begin(), t_.end(), t) - t_.begin()) - 1;
  const double h = t_[i + 1] - t_[i], s = (t - t_[i]) / h, r = 1 - s;
  return x_[i] * r * r * (1 + 2 * s) + x_[i + 1] * s * s * (3 - 2 * s) +
         h * s * r * (slope_[i] * r - slope_[i + 1] * s);
}

Result<std::unique_ptr<Motion>> Motion::make(const nao::Body& body, std::shared_ptr<const RobotKind> kind,
                                             const WalkFile& walk, double gravity, const Orders& at_start) {
  auto engine = walk::WalkEngine::make(walk, kind, gravity);
  if (!engine) return engine.notes();
  return std::unique_ptr<Motion>(new Motion(body, std::move(kind), walk, std::move(*engine), at_start));
}

Motion::Motion(const nao::Body& body, std::shared_ptr<const RobotKind> kind, const WalkFile& walk,
               walk::WalkEngine engine, const Orders& at_start)
    : body_(body), kind_(std::move(kind)), walk_file_(walk), fresh_(std::move(engine)) {
  for (std::size_t i = 0; i < kJoints; ++i) {
    lower_[i] = 0, upper_[i] = 1, fastest_[i] = 8, stiff_[i] = 1;  // hands
    if (body_.joint(i) < 0) continue;
    const gradus::Joint& j = kind_->joints[static_cast<std::size_t>(body_.joint(i))];
    const auto number = static_cast<std::size_t>(body_.joint(i));
    angle_[i] = at_start.target[number];
    if (!at_start.stiffness.empty()) stiff_[i] = at_start.stiffness[number];
    lower_[i] = j.lower, upper_[i] = j.upper;
    fastest_[i] = std::isfinite(j.servo.speed) && j.servo.speed > 0 ? j.servo.speed : 6;
  }
}

std::vector<int> Motion::joints_of(const std::string& name) const {
  if (const int one = nao::joint_number(name); one >= 0) return {one};
  std::vector<int> out;
  for (const Chain& c : chains()) {
    if (name != c.name && name != "Body" && name != "Joints" && name != "BodyJoints" && name != "BodyActuators" &&
        !(name == "Legs" && std::string_view(c.name).ends_with("Leg")) &&
        !(name == "Arms" && std::string_view(c.name).ends_with("Arm")))
      continue;
    for (const char* joint : c.joints) out.push_back(nao::joint_number(joint));
  }
  return out;
}

int Motion::begin(Task::Kind kind, double duration) {
  tasks_.push_back({++last_task_, now_ + duration, kind});
  return last_task_;
}

/// The joint leaves whatever it followed.
void Motion::take(std::size_t joint, Follows what, int task) {
  joint_[joint].follows = what;
  joint_[joint].task = task;
}

int Motion::interpolate(const std::vector<int>& joints, std::vector<Curve> curves) {
  double end = 0;
  for (const Curve& c : curves) end = std::max(end, c.end());
  const int task = begin(Task::Kind::angles, end);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto j = static_cast<std::size_t>(joints[i]);
    if (is_leg(j)) let_walk_go();
    take(j, Follows::curve, task);
    joint_[j].curve = std::move(curves[i]);
    joint_[j].start = now_;
  }
  return task;
}

int Motion::interpolate_stiffness(const std::vector<int>& joints, std::vector<Curve> curves) {
  double end = 0;
  for (const Curve& c : curves) end = std::max(end, c.end());
  const int task = begin(Task::Kind::stiffness, end);
  for (std::size_t i = 0; i < joints.size(); ++i)
    stiffening_[static_cast<std::size_t>(joints[i])] = {task, std::move(curves[i]), now_};
  return task;
}

void Motion::set_goal(int joint, double angle, double share) {
  const auto j = static_cast<std::size_t>(joint);
  if (is_leg(j)) let_walk_go();
  take(j, Follows::goal, 0);
  joint_[j].goal = std::clamp(angle, lower_[j], upper_[j]);
  joint_[j].speed = share * fastest_[j];
}

void Motion::set_stiffness(int joint, double stiffness) {
  stiffening_[static_cast<std::size_t>(joint)].task = 0;
  stiff_[static_cast<std::size_t>(joint)] = stiffness;
}

int Motion::wait_for(double seconds) { return begin(Task::Kind::wait, seconds); }

/// Legs stay where they are.
void Motion::let_walk_go() {
  if (!engine_) return;
  engine_.reset();
  for (Joint& j : joint_)
    if (j.follows == Follows::walk) j.follows = Follows::nothing;
}

void Motion::start_engine() {
  if (!engine_) {
    engine_ = std::make_unique<walk::WalkEngine>(fresh_);
    before_ = engine_->posture();
    walk_start_ = now_, walk_ticks_ = 0, lead_in_ = kLeadIn;
    lead_from_ = angle_;
  }
  for (std::size_t i = 0; i < kJoints; ++i) {
    const std::string_view name = nao::kJointNames[i];
    const bool arm = !is_leg(i) && !name.starts_with("Head") && !name.ends_with("Hand") &&
                     arms_swing_[name.starts_with("L") ? 0 : 1];
    if (is_leg(i) || (arm && joint_[i].follows == Follows::nothing)) take(i, Follows::walk, 0);
  }
}

int Motion::init_walk() {
  start_engine();
  return begin(Task::Kind::wait, std::max(0.0, walk_start_ + lead_in_ - now_));
}

/// As many full steps as the way needs at the gait's largest speeds, all of one length.
int Motion::walk_to(double x, double y, double theta) {
  start_engine();
  const GaitSpec& g = walk_file_.gait;
  const double least = std::max({std::fabs(x) / kFullForward, std::fabs(y) / kFullSide, std::fabs(theta) / kFullTurn});
  const int steps = std::max(1, static_cast<int>(std::ceil(least / g.step_time - kSlack)));
  const double seconds = steps * g.step_time;
  // Body axes turn as it walks: on a circle of theta over the way the chord is shorter than the arc.
  const double half = theta / 2, chord = std::fabs(half) > 1e-9 ? half / std::sin(half) : 1;
  const double c = std::cos(half), s = std::sin(half);
  const double forward = chord * (c * x + s * y), side = chord * (-s * x + c * y);
  engine_->forget_steps();
  engine_->command({forward / seconds, side / seconds, theta / seconds, steps});
  return begin(Task::Kind::walk, 1e18);
}

void Motion::walk(double forward, double side, double turn) {
  if (forward == 0 && side == 0 && turn == 0 && !engine_) return;
  start_engine();
  engine_->forget_steps();
  engine_->command({forward, side, turn, 0});
}

void Motion::add_steps(const std::vector<walk::FootStep>& steps, bool clear) {
  start_engine();
  if (clear) engine_->forget_steps();
  engine_->command({0, 0, 0, 0});
  for (const walk::FootStep& s : steps) engine_->add(s);
}

int Motion::stop_walk() {
  if (engine_) engine_->forget_steps();
  if (engine_) engine_->command({0, 0, 0, 0});
  return begin(Task::Kind::walk, 1e18);
}

bool Motion::is_walking() const { return engine_ && (engine_->walking() || engine_->steps_given() > 0); }

bool Motion::has_joints(const Task& t) const {
  if (t.kind == Task::Kind::angles)
    return std::any_of(joint_.begin(), joint_.end(),
                       [&](const Joint& j) { return j.follows == Follows::curve && j.task == t.number; });
  return std::any_of(stiffening_.begin(), stiffening_.end(), [&](const Stiffening& s) { return s.task == t.number; });
}

bool Motion::is_over(int task) const {
  return std::none_of(tasks_.begin(), tasks_.end(), [&](const Task& t) { return t.number == task; });
}

void Motion::kill(int task) {
  const auto it = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& t) { return t.number == task; });
  if (it == tasks_.end()) return;
  if (it->kind == Task::Kind::walk) walk(0, 0, 0);
  for (Joint& j : joint_)
    if (j.follows == Follows::curve && j.task == task) j.follows = Follows::nothing;
  for (Stiffening& s : stiffening_)
    if (s.task == task) s.task = 0;
  tasks_.erase(it);
}

void Motion::kill_all() {
  walk(0, 0, 0);
  for (Joint& j : joint_)
    if (j.follows != Follows::walk) j.follows = Follows::nothing;
  for (Stiffening& s : stiffening_) s.task = 0;
  tasks_.clear();
}

void Motion::kill_joints(const std::vector<int>& joints) {
  for (const int j : joints)
    if (joint_[static_cast<std::size_t>(j)].follows != Follows::walk)
      joint_[static_cast<std::size_t>(j)].follows = Follows::nothing;
}

void Motion::follow(std::size_t i, double h) {
  Joint& j = joint_[i];
  if (j.follows == Follows::curve) {
    const double since = now_ - j.start;
    angle_[i] = std::clamp(j.curve.at(since), lower_[i], upper_[i]);
    if (since >= j.curve.end() - kSlack) j.follows = Follows::nothing;
  } else if (j.follows == Follows::goal) {
    const double way = j.goal - angle_[i];
    angle_[i] += std::clamp(way, -j.speed * h, j.speed * h);
  }
  Stiffening& s = stiffening_[i];
  if (s.task == 0) return;
  stiff_[i] = std::clamp(s.curve.at(now_ - s.start), 0.0, 1.0);
  if (now_ - s.start >= s.curve.end() - kSlack) s.task = 0;
}

/// Postures of the walk, after half a second that leads to the first one.
void Motion::walk_on(double t) {
  const double since = t - walk_start_ - lead_in_;
  const double lead = std::clamp(1 + since / lead_in_, 0.0, 1.0), w = lead * lead * (3 - 2 * lead);
  const double place = std::max(0.0, since) / engine_->period() + 1e-6;
  const auto due = since < 0 ? 0 : static_cast<std::int64_t>(place) + 1;
  for (; walk_ticks_ < due; ++walk_ticks_) before_ = engine_->posture(), engine_->tick();
  const double s = since < 0 ? 0 : std::clamp(place - static_cast<double>(due - 1), 0.0, 1.0);
  for (std::size_t i = 0; i < kJoints; ++i) {
    if (joint_[i].follows != Follows::walk || body_.joint(i) < 0) continue;
    const auto j = static_cast<std::size_t>(body_.joint(i));
    const double posture = before_[j] + s * (engine_->posture()[j] - before_[j]);
    angle_[i] = lead_from_[i] + w * (posture - lead_from_[i]);
  }
}

void Motion::advance(double t) {
  const double h = t - now_;
  now_ = t;
  for (std::size_t i = 0; i < kJoints; ++i) follow(i, h);
  if (engine_) walk_on(t);
  std::erase_if(tasks_, [&](const Task& x) {
    if (x.kind == Task::Kind::walk)
      return !is_walking() && (!engine_ || now_ > walk_start_ + lead_in_ + 2 * engine_->period());
    if (x.kind == Task::Kind::wait) return now_ >= x.end - kSlack;
    return now_ >= x.end - kSlack || !has_joints(x);
  });
}

void Motion::write(Orders& orders) const {
  for (std::size_t i = 0; i < kJoints; ++i) {
    body_.write(i, angle_[i], orders.target);
    body_.write(i, stiff_[i], orders.stiffness);
  }
}

}  // namespace gradus::naoqi
