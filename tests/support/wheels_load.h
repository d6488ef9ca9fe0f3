/// Loads shared by the throughput program and the soak tests of wheeled soccer: random commands, and everybody chasing
/// the ball. All numbers come from addressed random draws, so a run is a function of its seed.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/hash.h"
#include "base/rng.h"
#include "wheels/field.h"
#include "wheels/planar_wheels.h"

namespace gradus::wheels {

enum class Load { random, chase };

class LoadedMatch {
 public:
  LoadedMatch(const WheelsModel& model, Load load, std::uint64_t seed, double frame = 0.016)
      : model_(model),
        load_(load),
        frame_(frame),
        key_{seed, 0, 77},
        scratch_(model),
        state_(state_size(model)),
        commands_(model.robot_count()) {
    clear_state(model, state_);
    for (int i = 0; i < model.robot_count(); ++i) {
      do {
        const Vec2 p = random_place(0.9);  // before the heading: arguments have no order
        set_robot(state_, i, p, 3 * draw());
      } while (body_gap(model, state_, i) < 1e-3);
    }
    do set_ball(model, state_, random_place(0.9), {1, 0.4});
    while (body_gap(model, state_, model.robot_count()) < 1e-3);
  }

  void frame() {
    if (load_ == Load::random)
      command_randomly();
    else
      command_chase();
    advance(model_, state_, commands_, frame_, scratch_, report);
    ++frames_;
  }

  std::span<const double> state() const { return state_; }
  std::uint64_t hash() const { return hash_doubles(state_); }
  int goals = 0;
  Report report;

 private:
  double draw() { return 2 * random_uniform(key_, draws_++, 0) - 1; }
  Vec2 random_place(double share) {
    const Field& f = model_.par.field;
    return {share * f.half_length * draw(), share * f.half_width * draw()};
  }

  void command_randomly() {
    const long hold = std::lround(0.48 / frame_);
    if (frames_ % hold != 0) return;
    for (WheelCommand& c : commands_) c = {40 * draw(), 40 * draw()};
  }

  /// Everybody drives at the ball, forwards or backwards; a ball in a goal or stuck is put somewhere else.
  void command_chase() {
    auto ball = body_of(std::span<double>(state_), model_.robot_count());
    for (int i = 0; i < model_.robot_count(); ++i) {
      const auto s = body_of(std::span<const double>(state_), i);
      const Vec2 d = inverse_times(rotation(s[kTheta]), Vec2{ball[kX] - s[kX], ball[kY] - s[kY]});
      const double way = d.x < 0 ? -1 : 1, off = way * d.y / std::max(norm(d), 1e-6), ahead = std::fabs(d.x) / norm(d);
      const double v = way * 40 * std::max(0.2, ahead), turn = 25 * off;
      commands_[i] = {std::clamp(v + turn, -40.0, 40.0), std::clamp(v - turn, -40.0, 40.0)};
    }
    const bool in_goal = std::fabs(ball[kX]) > model_.par.field.half_length + model_.par.ball.radius;
    goal_frames_ = in_goal ? goal_frames_ + 1 : 0;
    still_frames_ = norm({ball[kBallVx], ball[kBallVy]}) < 0.1 ? still_frames_ + 1 : 0;
    if (goal_frames_ * frame_ <= 1 && still_frames_ * frame_ <= 5) return;
    goals += goal_frames_ * frame_ > 1;
    goal_frames_ = still_frames_ = 0;
    const Vec2 v{draw(), draw()};
    do set_ball(model_, state_, random_place(0.8), v);
    while (body_gap(model_, state_, model_.robot_count()) < 1e-3);
  }

  const WheelsModel& model_;
  Load load_;
  double frame_;
  RandomKey key_;
  std::uint64_t draws_ = 0;
  Scratch scratch_;
  std::vector<double> state_;
  std::vector<WheelCommand> commands_;
  long frames_ = 0;
  int goal_frames_ = 0, still_frames_ = 0;
};

}  // namespace gradus::wheels
