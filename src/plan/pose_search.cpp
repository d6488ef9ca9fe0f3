#include "plan/pose_search.h"

#include <ompl/base/MotionValidator.h>
#include <ompl/base/PlannerTerminationCondition.h>
#include <ompl/base/ProblemDefinition.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateSpace.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/goals/GoalStates.h>
#include <ompl/datastructures/NearestNeighborsLinear.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/rng.h"
#include "math/angle.h"

namespace gradus::plan {
namespace {
namespace ob = ompl::base;

constexpr double kPi = 3.14159265358979323846;
constexpr int kTriedToLeave = 600;  // steps, most of them from the goal
constexpr int kNotStood = -1, kUnsound = -2;

/// A pose, and the stance that belongs to it once somebody asked for it.
struct PoseState : ob::State {
  Place2 place;
  mutable int stance = kNotStood;
};
const PoseState& pose(const ob::State* s) { return *static_cast<const PoseState*>(s); }

/// Stances and steps, counted.
class Question {
 public:
  Question(Walker& robot, const Stance& start, const std::vector<Stance>& goals, const PlanSettings& how)
      : walker(robot), settings(how), goal_count(static_cast<int>(goals.size())) {
    stances.push_back(start);
    stances.insert(stances.end(), goals.begin(), goals.end());
  }
  Walker& walker;
  const PlanSettings& settings;
  std::vector<Stance> stances;  // [0]: at the start, then those at the goal
  int goal_count;
  int tried = 0;
  bool has_left = false;  // a step from the start is sound

  bool stands(const PoseState& s) {
    if (s.stance != kNotStood) return s.stance >= 0;
    Stance made;
    const bool sound = walker.stand(s.place, made);
    s.stance = sound ? static_cast<int>(stances.size()) : kUnsound;
    if (sound) stances.push_back(std::move(made));
    return sound;
  }
  bool steps(const PoseState& a, const PoseState& b) {
    ++tried;
    if (!stands(a) || !stands(b) || !walker.step(stances[static_cast<std::size_t>(a.stance)], stances[static_cast<std::size_t>(b.stance)])) return false;
    has_left |= a.stance == 0;
    return true;
  }
  /// Enough was tried, or there is no way out of the start.
  bool is_over() const { return tried >= settings.most_steps || (!has_left && tried > kTriedToLeave); }
};

/// Draws the goal's poses first, so that the straight way is tried first; then poses of the whole area, most of them turned nearly as at the start or at a goal:
/// a robot that turns at random on its way takes more steps than one that goes straight.
class PoseSampler : public ob::StateSampler {
 public:
  PoseSampler(const ob::StateSpace* space, const Question& question) : ob::StateSampler(space), q_(question), key_{question.settings.seed, 0, 17} {}
  void sampleUniform(ob::State* out) override {
    auto& s = *static_cast<PoseState*>(out);
    s.stance = kNotStood;
    if (goals_drawn_ < q_.goal_count) {
      s.stance = ++goals_drawn_;
      s.place = q_.stances[static_cast<std::size_t>(s.stance)].place;
      return;
    }
    const MapArea& area = q_.walker.map().area();
    s.place = {draw(area.x_low, area.x_high), draw(area.y_low, area.y_high), draw(-kPi, kPi)};
    if (draw(0, 1) > 0.7) return;
    const auto like = std::min(static_cast<std::size_t>(draw(0, 2)) * (1 + static_cast<std::size_t>(draw(0, q_.goal_count))), static_cast<std::size_t>(q_.goal_count));
    s.place.yaw = q_.stances[like].place.yaw + 0.3 * s.place.yaw / kPi;
  }
  // RRT-Connect does not draw near a pose
  void sampleUniformNear(ob::State* out, const ob::State*, double) override { sampleUniform(out); }
  void sampleGaussian(ob::State* out, const ob::State*, double) override { sampleUniform(out); }

 private:
  double draw(double low, double high) { return random_in(key_, static_cast<std::uint64_t>(draws_++), 0, low, high); }
  const Question& q_;
  RandomKey key_;
  std::int64_t draws_ = 0;
  int goals_drawn_ = 0;
};

class PoseSpace : public ob::StateSpace {
 public:
  using StateType = PoseState;
  explicit PoseSpace(const Question& question) : q_(question) {}
  unsigned getDimension() const override { return 3; }
  double getMaximumExtent() const override {
    const MapArea& a = q_.walker.map().area();
    return steps_between({a.x_low, a.y_low, 0}, {a.x_high, a.y_high, kPi}, q_.settings);
  }
  double getMeasure() const override {
    const MapArea& a = q_.walker.map().area();
    return (a.x_high - a.x_low) * (a.y_high - a.y_low) * 2 * kPi;
  }
  void enforceBounds(ob::State*) const override {}
  bool satisfiesBounds(const ob::State*) const override { return true; }  // where nothing is known of the ground, no stance is sound
  void copyState(ob::State* to, const ob::State* from) const override {
    auto& s = *static_cast<PoseState*>(to);
    s.place = pose(from).place, s.stance = pose(from).stance;
  }
  double distance(const ob::State* a, const ob::State* b) const override { return steps_between(pose(a).place, pose(b).place, q_.settings); }
  bool equalStates(const ob::State* a, const ob::State* b) const override {
    const Place2 &x = pose(a).place, &y = pose(b).place;
    return x.x == y.x && x.y == y.y && x.yaw == y.yaw;
  }
  void interpolate(const ob::State* a, const ob::State* b, double share, ob::State* out) const override {
    auto& s = *static_cast<PoseState*>(out);
    s.place = part_of_way(pose(a).place, pose(b).place, share), s.stance = kNotStood;
  }
  ob::StateSamplerPtr allocDefaultStateSampler() const override { return std::make_shared<PoseSampler>(this, q_); }
  ob::State* allocState() const override { return new PoseState; }
  void freeState(ob::State* s) const override { delete static_cast<PoseState*>(s); }

 private:
  const Question& q_;
};

class IsStance : public ob::StateValidityChecker {
 public:
  IsStance(const ob::SpaceInformationPtr& si, Question& q) : ob::StateValidityChecker(si), q_(q) {}
  bool isValid(const ob::State* s) const override { return q_.stands(pose(s)); }

 private:
  Question& q_;
};

class IsStep : public ob::MotionValidator {
 public:
  IsStep(const ob::SpaceInformationPtr& si, Question& q) : ob::MotionValidator(si), q_(q) {}
  bool checkMotion(const ob::State* a, const ob::State* b) const override { return q_.steps(pose(a), pose(b)); }
  bool checkMotion(const ob::State* a, const ob::State* b, std::pair<ob::State*, double>&) const override { return checkMotion(a, b); }

 private:
  Question& q_;
};

double turned(double from, double to) {
  const double d = to - from;
  return d - 2 * kPi * std::floor(d / (2 * kPi) + 0.5);
}

}  // namespace

double steps_between(const Place2& a, const Place2& b, const PlanSettings& s) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  return std::max(square_root(dx * dx + dy * dy) / s.stride, std::fabs(turned(a.yaw, b.yaw)) / s.turn);
}

Place2 part_of_way(const Place2& a, const Place2& b, double share) {
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.yaw + share * turned(a.yaw, b.yaw)};
}

void search_poses(Walker& walker, const Stance& start, const std::vector<Stance>& goals, const PlanSettings& settings, Plan& plan) {
  static std::once_flag quiet;
  std::call_once(quiet, [] { ompl::msg::noOutputHandler(); });
  Question question(walker, start, goals, settings);
  const auto space = std::make_shared<PoseSpace>(question);
  const auto si = std::make_shared<ob::SpaceInformation>(space);
  si->setStateValidityChecker(std::make_shared<IsStance>(si, question));
  si->setMotionValidator(std::make_shared<IsStep>(si, question));
  si->setup();
  const auto state_of = [&](int stance) {
    ob::ScopedState<PoseSpace> s(si);
    s->place = question.stances[static_cast<std::size_t>(stance)].place, s->stance = stance;
    return s;
  };
  const auto task = std::make_shared<ob::ProblemDefinition>(si);
  task->addStartState(state_of(0));
  const auto ends = std::make_shared<ob::GoalStates>(si);
  for (int k = 1; k <= question.goal_count; ++k) ends->addState(state_of(k));
  task->setGoal(ends);
  ompl::geometric::RRTConnect planner(si);
  planner.setProblemDefinition(task);
  planner.setRange(1);  // step
  planner.setNearestNeighbors<ompl::NearestNeighborsLinear>();
  plan.found = planner.solve(ob::PlannerTerminationCondition([&] { return question.is_over(); })) == ob::PlannerStatus::EXACT_SOLUTION;
  plan.tried = question.tried;
  plan.stances = static_cast<int>(question.stances.size());
  if (!plan.found) return;
  const auto& path = *task->getSolutionPath()->as<ompl::geometric::PathGeometric>();
  for (std::size_t i = 0; i < path.getStateCount(); ++i)
    plan.way.push_back(question.stances[static_cast<std::size_t>(pose(path.getState(static_cast<unsigned>(i))).stance)]);
}

}  // namespace gradus::plan
