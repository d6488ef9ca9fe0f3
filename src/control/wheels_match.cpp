#include "control/wheels_match.h"

#include <cmath>

namespace gradus::control {

using namespace wheels;

Result<WheelsMatch> WheelsMatch::make(const WheelsMatchOptions& options) {
  auto model = compile(league_parameters(options.league, options.preset));
  if (!model) return model.notes();
  return WheelsMatch(options, std::move(*model));
}

WheelsMatch::WheelsMatch(const WheelsMatchOptions& options, WheelsModel model)
    : options_(options),
      model_(std::make_unique<WheelsModel>(std::move(model))),
      scratch_(*model_),
      state_(state_size(*model_)),
      commands_(model_->robot_count()),
      poses_(model_->robot_count() / 2),
      orders_(model_->robot_count() / 2) {
  clear_state(*model_, state_);
  kick_off(*model_, state_, Team::blue);
  const Field& f = model_->par.field;
  const RobotParameters& r = model_->par.robots[0];
  pitch_.half_length = f.half_length, pitch_.half_width = f.half_width, pitch_.goal_width = f.goal_width;
  pitch_.wheel_radius = r.wheel_radius, pitch_.half_axle = r.half_axle;
}

int WheelsMatch::apply(const firasim::Orders& orders) {
  int moved = 0;
  auto count = [&](const Placement& p) { moved += !p.placed || p.moved > 0; };
  for (const firasim::RobotReplacement& r : orders.robots) {
    const int robot = static_cast<int>(r.position.id) + (r.yellow ? team_size() : 0);
    if (static_cast<int>(r.position.id) >= team_size()) {
      ++moved;
      continue;
    }
    if (r.turn_on)
      count(place_robot(*model_, state_, robot, {r.position.x, r.position.y}, r.position.orientation));
    else
      body_of(std::span<double>(state_), robot)[kPresent] = 0;
  }
  if (orders.has_ball)
    count(place_ball(*model_, state_, {orders.ball.x, orders.ball.y}, {orders.ball.vx, orders.ball.vy}));
  return moved;
}

void WheelsMatch::apply(const firasim::RefereeCommand& command) {
  if (command.foul == firasim::Foul::stop || command.foul == firasim::Foul::halt) halted_ = true;
  if (command.foul == firasim::Foul::game_on) halted_ = false;
}

void WheelsMatch::command_built_in(int team) {
  const std::span<const double> state = state_;
  for (int i = 0; i < team_size(); ++i) {
    const auto b = body_of(state, team * team_size() + i);
    poses_[i] = {b[kX], b[kY], b[kTheta]};
  }
  const auto ball = body_of(state, model_->robot_count());
  const double attack = team == 0 ? -1 : 1;  // blue defends +x
  play(pitch_, {ball[kX], ball[kY], ball[kBallVx], ball[kBallVy], poses_, attack}, orders_);
  for (int i = 0; i < team_size(); ++i) commands_[team * team_size() + i] = {orders_[i].right, orders_[i].left};
}

void WheelsMatch::command_remote(int team, const firasim::CommandBoard& board) {
  const auto& wheels = team == 0 ? board.blue() : board.yellow();
  for (int i = 0; i < team_size() && i < static_cast<int>(wheels.size()); ++i)
    commands_[team * team_size() + i] = {wheels[i].right, wheels[i].left};
}

MatchEvent WheelsMatch::step(const firasim::CommandBoard* board) {
  std::fill(commands_.begin(), commands_.end(), WheelCommand{});
  for (int team = 0; team < 2 && !halted_; ++team) {
    const Driver driver = team == 0 ? options_.blue : options_.yellow;
    if (driver == Driver::built_in)
      command_built_in(team);
    else if (board)
      command_remote(team, *board);
  }
  advance(*model_, state_, commands_, options_.frame, scratch_, report_);
  if (options_.own_referee) return referee(*model_, state_, match_, options_.frame, options_.rules);
  match_[kClock] += options_.frame;
  return MatchEvent::none;
}

void WheelsMatch::picture(firasim::Environment& out) const {
  const std::span<const double> state = state_;
  out.step = static_cast<std::uint32_t>(std::llround(1000 * match_[kClock]));
  out.blue.clear(), out.yellow.clear();
  for (int i = 0; i < model_->robot_count(); ++i) {
    const auto b = body_of(state, i);
    if (b[kPresent] == 0) continue;
    const Vec2 v = rotation(b[kTheta]) * Vec2{b[kV], b[kU]};
    const auto id = static_cast<std::uint32_t>(i % team_size());
    (i < team_size() ? out.blue : out.yellow).push_back({id, b[kX], b[kY], b[kTheta], v.x, v.y, b[kW]});
  }
  const auto b = body_of(state, model_->robot_count());
  out.ball = {b[kX], b[kY], model_->par.ball.radius, b[kBallVx], b[kBallVy], 0};
  const LeagueNumbers n = league_numbers(options_.league);
  out.field = {n.width,         n.length,     n.goal_width, n.goal_depth,
               n.centre_radius, n.area_width, n.area_depth, n.penalty_mark};
  out.goals_blue = static_cast<std::uint32_t>(match_[kGoalsBlue]);
  out.goals_yellow = static_cast<std::uint32_t>(match_[kGoalsYellow]);
}

firasim::RefereeCommand WheelsMatch::announce(MatchEvent event) const {
  firasim::RefereeCommand c;
  c.timestamp = match_[kClock];
  c.half = 1;
  c.team = firasim::Color::none;
  switch (event) {
    case MatchEvent::goal_blue:
    case MatchEvent::goal_yellow:  // play stops until the kick-off
      c.foul = firasim::Foul::stop;
      break;
    case MatchEvent::kick_off:
      c.foul = firasim::Foul::kick_off;
      c.team = match_[kLastRestart] > 0 ? firasim::Color::blue : firasim::Color::yellow;
      break;
    case MatchEvent::free_ball: {
      const auto ball = body_of(std::span<const double>(state_), model_->robot_count());
      c.foul = firasim::Foul::free_ball;
      c.quadrant = ball[kX] > 0 ? (ball[kY] > 0 ? 1 : 4) : (ball[kY] > 0 ? 2 : 3);
      break;
    }
    default:
      c.foul = firasim::Foul::game_on;
  }
  return c;
}

}  // namespace gradus::control
