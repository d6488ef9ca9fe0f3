/// ALMotion's Cartesian calls and planned foot steps.
#include <algorithm>
#include <cmath>

#include "link/naoqi/calls.h"

namespace gradus::naoqi {
namespace {

constexpr double kMost = 1e6;  // seconds
constexpr int kParts = 10;     // postures on the way from one pose to the next
constexpr std::size_t kMostPoses = 1000;
constexpr double kTurning = 0.1;  // the torso over its feet: one motor turns both hips, against each other
constexpr double kFarthest = 10;                          // of a pose                     [m]
constexpr double kShortestStep = 0.3, kLongestStep = 10;  // of a foot step [s]

Position6 position6(const json& j) {
  if (!j.is_array() || j.size() != 6) throw CallFault{"a position has six numbers: x, y, z and three turns"};
  Position6 p;
  for (std::size_t i = 0; i < 6; ++i) {
    p[i] = number(j[i]);
    if (!(std::fabs(p[i]) <= kFarthest)) throw CallFault{"nothing is so far: " + j.dump()};
  }
  return p;
}

int mask_of(const json& j) {
  const int mask = whole(j);
  if (mask < 1 || mask > kWholeMask) throw CallFault{"a mask of axes is 1 to 63"};
  return mask;
}

/// Part of the way from a to b; turns by their numbers, as the robot's interface has them.
Position6 between(const Position6& a, const Position6& b, double s) {
  Position6 p;
  for (std::size_t i = 0; i < 6; ++i) p[i] = a[i] + s * (b[i] - a[i]);
  return p;
}

/// `to` in the axes that the mask names, `now` in the others.
Position6 masked(Position6 to, const Position6& now, int mask) {
  for (std::size_t i = 0; i < 6; ++i)
    if (!(mask >> i & 1)) to[i] = now[i];
  return to;
}

/// A list of lists, or one list.
std::vector<json> each(const json& j) {
  if (!j.is_array() || j.empty()) throw CallFault{"a list is due, not " + j.dump()};
  return j[0].is_array() ? std::vector<json>(j.begin(), j.end()) : std::vector<json>{j};
}

}  // namespace

/// Frame of a space in the torso's: 0 the torso itself, 1 the world, 2 below the robot, between its feet.
Pose Calls::frame_of(const World& world, int space) {
  if (space < 0 || space > 2) throw CallFault{"spaces are 0 (torso), 1 (world) and 2 (robot)"};
  if (space == 0) return {identity3<double>(), Vec3{0, 0, 0}};
  const Pose X_WT = world.X_WL(robot_, 0);
  if (space == 1) return inverse(X_WT);
  Vec3 middle{0, 0, 0};
  double yaw = 0, first = 0;
  for (const char* foot : {"LLeg", "RLeg"}) {
    const Pose X_WF = world.X_WO(robot_, cartesian_.object_of(foot));
    const double turn = to_roll_pitch_yaw(to_quaternion(X_WF.R)).z;
    if (foot[0] == 'L') first = turn;
    yaw += 0.5 * (first + std::remainder(turn - first, 6.283185307179586));
    middle = middle + X_WF.p * 0.5;
  }
  return inverse(X_WT) * pose_at({middle.x, middle.y, 0, 0, 0, yaw});
}

Calls::Moved Calls::moved(const std::string& name) {
  Moved m;
  const bool torso = name == "Torso";
  m.joints = motion_.joints_of(torso ? "Legs" : name);
  std::erase_if(m.joints, [&](int j) { return body_.joint(static_cast<std::size_t>(j)) < 0; });
  if (torso) {  // one motor turns both hips
    m.X_TO = {identity3<double>(), Vec3{0, 0, 0}};
    std::erase_if(m.joints, [](int j) { return nao::kJointNames[static_cast<std::size_t>(j)] == "RHipYawPitch"; });
    for (const char* foot : {"LLeg", "RLeg"}) {
      const int object = cartesian_.object_of(foot);
      m.feet.push_back({object, cartesian_.pose(object, motion_.commanded()), kWholeMask, kTurning});
    }
    return m;
  }
  m.object = cartesian_.object_of(name);
  if (m.object < 0 || m.joints.size() < 2)
    throw CallFault{"effectors are Head, LArm, RArm, LLeg, RLeg and Torso, not '" + name + "'"};
  m.X_TO = cartesian_.pose(m.object, motion_.commanded());
  return m;
}

/// X_TO: where it is to be, seen from the torso as it was when `what` was made. The torso gets there when its feet come
/// to lie the other way round; all their axes are kept, whatever the mask.
void Calls::bring(const Moved& what, const Pose& X_TO, int mask, std::vector<double>& angles) {
  if (what.feet.empty()) {
    const Cartesian::Goal goal{what.object, X_TO, mask};
    cartesian_.solve(std::span(&goal, 1), what.joints, angles);
    return;
  }
  std::vector<Cartesian::Goal> feet = what.feet;
  for (Cartesian::Goal& foot : feet) foot.X_TO = inverse(X_TO) * foot.X_TO;
  cartesian_.solve(feet, what.joints, angles);
}

/// Joints and their ways of one effector through poses of a space.
void Calls::plan(const World& world, const std::string& name, int space, const json& path, int mask,
                 const std::vector<double>& times, bool absolute, std::vector<int>& joints,
                 std::vector<Curve>& curves) {
  const Moved what = moved(name);
  const std::vector<int>& mine = what.joints;
  const Pose X_TS = frame_of(world, space);
  const std::vector<json> poses = each(path);
  if (poses.size() != times.size() || poses.size() > kMostPoses)
    throw CallFault{fmt::format("{} positions and {} times", poses.size(), times.size())};
  std::vector<double> angles = motion_.commanded();
  const Position6 start = position_of(inverse(X_TS) * what.X_TO);
  std::vector<std::vector<double>> x(mine.size());
  std::vector<double> t{0};
  for (std::size_t j = 0; j < mine.size(); ++j) x[j].push_back(angles[static_cast<std::size_t>(mine[j])]);
  Position6 from = start;
  double before = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    Position6 to = position6(poses[i]);
    if (!absolute)
      for (std::size_t n = 0; n < 6; ++n) to[n] += start[n];
    if (!what.feet.empty()) to = masked(to, start, mask);
    if (!(times[i] > before && times[i] < kMost)) throw CallFault{"times must grow from above 0"};
    for (int part = 1; part <= kParts; ++part) {
      const double s = static_cast<double>(part) / kParts;
      bring(what, X_TS * pose_at(between(from, to, s * s * (3 - 2 * s))), mask, angles);
      t.push_back(before + s * (times[i] - before));
      for (std::size_t j = 0; j < mine.size(); ++j) x[j].push_back(angles[static_cast<std::size_t>(mine[j])]);
    }
    from = to, before = times[i];
  }
  for (std::size_t j = 0; j < mine.size(); ++j) joints.push_back(mine[j]), curves.emplace_back(t, std::move(x[j]));
}

Outcome Calls::cartesian_call(const World& world, const std::string& m, const json& a, bool& known) {
  known = true;
  if (m == "getPosition") {
    const std::string name = text(argument(a, 0));
    const int object = name == "Torso" ? 0 : cartesian_.object_of(name);
    if (object < 0) throw CallFault{"there is no part '" + name + "'"};
    const Pose X_TS = frame_of(world, a.size() > 1 ? whole(a[1]) : 0);
    const bool sensors = number(a, 2, 0) != 0;
    const Pose X_TO = name == "Torso" ? Pose{identity3<double>(), Vec3{0, 0, 0}}
                      : sensors       ? inverse(world.X_WL(robot_, 0)) * world.X_WO(robot_, object)
                                      : cartesian_.pose(object, motion_.commanded());
    return {json(position_of(inverse(X_TS) * X_TO))};
  }
  if (m == "setPosition" || m == "changePosition") {
    const std::string name = text(argument(a, 0));
    const Moved what = moved(name);
    const Pose X_TS = frame_of(world, whole(argument(a, 1)));
    Position6 to = position6(argument(a, 2));
    const double speed = share(a, 3);
    const int mask = a.size() > 4 ? mask_of(a[4]) : kPositionMask;
    std::vector<double> angles = motion_.commanded();
    const Position6 now = position_of(inverse(X_TS) * what.X_TO);
    if (m == "changePosition")
      for (std::size_t i = 0; i < 6; ++i) to[i] += now[i];
    if (!what.feet.empty()) to = masked(to, now, mask);
    bring(what, X_TS * pose_at(to), mask, angles);
    for (const int j : what.joints) motion_.set_goal(j, angles[static_cast<std::size_t>(j)], speed);
    return {};
  }
  if (m == "positionInterpolation" || m == "positionInterpolations") {
    const bool several = m.back() == 's';
    const json names = several ? argument(a, 0) : json::array({argument(a, 0)});
    if (!names.is_array() || names.empty() || names.size() > 6) throw CallFault{"names of effectors are due"};
    const bool absolute = number(a, 5, 1) != 0;
    std::vector<int> joints;
    std::vector<Curve> curves;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto mine = [&](std::size_t n) -> const json& {
        const json& x = argument(a, n);
        return several && x.is_array() && x.size() == names.size() ? x[i] : x;
      };
      std::vector<double> times;
      for (const json& t : mine(4).is_array() ? mine(4) : json::array({mine(4)})) times.push_back(number(t));
      plan(world, text(names[i]), whole(argument(a, 1)), mine(2), mask_of(mine(3)), times, absolute, joints, curves);
    }
    return {nullptr, motion_.interpolate(joints, std::move(curves))};
  }
  if (m == "setFootSteps" || m == "setFootStepsWithSpeed") return set_foot_steps(m, a);
  if (m == "getFootSteps") {
    json changeable = json::array();
    for (std::size_t i = 0; i < motion_.steps_given(); ++i) changeable.push_back(json::array());
    return {json::array({json::array(), json::array(), std::move(changeable)})};
  }
  known = false;
  return {};
}

/// (legs, [[x, y, theta]…], times or speeds, clear): each foot is set down as seen from the other one.
Outcome Calls::set_foot_steps(const std::string& m, const json& a) {
  const json &legs = argument(a, 0), &steps = argument(a, 1), &times = argument(a, 2);
  if (!legs.is_array() || !steps.is_array() || !times.is_array() || legs.size() != steps.size() ||
      legs.size() != times.size() || legs.size() > kMostPoses)
    throw CallFault{"as many legs as steps and times are due"};
  std::vector<walk::FootStep> out;
  double before = 0;
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const std::string leg = text(legs[i]);
    if (leg != "LLeg" && leg != "RLeg") throw CallFault{"legs are LLeg and RLeg, not '" + leg + "'"};
    if (!steps[i].is_array() || steps[i].size() != 3) throw CallFault{"a step has three numbers: x, y and the turn"};
    const int side = leg == "LLeg" ? walk::kLeft : walk::kRight;
    const double outward = side == walk::kLeft ? 1 : -1;
    // The largest steps of the maker's walk [memory]; feet must not meet.
    const double x = std::clamp(number(steps[i][0]), -0.04, 0.08);
    const double y = outward * std::clamp(outward * number(steps[i][1]), 0.088, 0.16);
    const double turn = outward * std::clamp(outward * number(steps[i][2]), -0.1, 0.524);
    double duration = 0;
    if (m == "setFootSteps") {  // times at which the feet are set down
      duration = number(times[i]) - std::exchange(before, number(times[i]));
      if (!(duration >= kShortestStep && duration <= kLongestStep))
        throw CallFault{fmt::format("a step takes {} to {} s", kShortestStep, kLongestStep)};
    } else {
      const double speed = number(times[i]);
      if (!(speed > 0 && speed <= 1)) throw CallFault{"speeds are above 0, at most 1"};
      duration = 0.42 / speed;
    }
    out.push_back({side, x, y, turn, duration});
  }
  motion_.add_steps(out, number(a, 3, 1) != 0);
  return {};
}

}  // namespace gradus::naoqi
