#include "wheels/match.h"

#include <algorithm>
#include <cmath>

#include "wheels/planar_wheels.h"

namespace gradus::wheels {
namespace {

constexpr double kRing = 0.01;  // distance of the rings searched [m]
constexpr int kRings = 120;     // 1.2 m
constexpr double kFarAway = 1e3;

bool inside_field(const WheelsModel& m, Vec2 p) {
  const Field& f = m.par.field;
  const bool in_goal = std::fabs(p.y) < f.goal_width / 2 && std::fabs(p.x) < f.half_length + f.goal_depth;
  return in_goal || (std::fabs(p.x) < f.half_length && std::fabs(p.y) < f.half_width);
}

/// Tries places on rings about p; `put` writes the body there.
template <class Put>
Placement search(const WheelsModel& m, std::span<double> state, int body, Vec2 p, double clearance, Put put) {
  std::array<double, kBodyStride> before;
  const auto slot = body_of(state, body);
  std::copy(slot.begin(), slot.end(), before.begin());
  for (int ring = 0; ring <= kRings; ++ring) {
    const int steps = ring == 0 ? 1 : 6 * ring;
    for (int k = 0; k < steps; ++k) {
      const Vec2 q = p + rotation(2 * M_PI * k / steps) * Vec2{ring * kRing, 0};
      if (!inside_field(m, q)) continue;
      put(q);
      if (body_gap(m, state, body) >= clearance) return {true, ring * kRing};
    }
  }
  std::copy(before.begin(), before.end(), slot.begin());
  return {false, 0};
}

bool finite(Vec2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }

int blue_count(const WheelsModel& m) { return m.par.blue >= 0 ? m.par.blue : (m.robot_count() + 1) / 2; }

/// Place of robot k of n in its own half, for the team on +x that attacks −x: keeper, then lines of three.
Vec2 formation(const Field& f, int k) {
  if (k == 0) return {0.92 * f.half_length, 0};
  const int row = (k - 1) / 3, column = (k - 1) % 3;
  const double x = f.half_length * (0.62 - 0.17 * row), y = f.half_width * 0.5 * (column - 1);
  return {std::max(x, 0.1 * f.half_length), y};
}

}  // namespace

Placement place_robot(const WheelsModel& m, std::span<double> state, int robot, Vec2 p, double theta,
                      double clearance) {
  if (robot < 0 || robot >= m.robot_count() || !finite(p) || !std::isfinite(theta)) return {};
  const double heading = std::remainder(theta, 2 * M_PI);
  return search(m, state, robot, p, clearance, [&](Vec2 q) { set_robot(state, robot, q, heading); });
}

Placement place_ball(const WheelsModel& m, std::span<double> state, Vec2 p, Vec2 velocity, double clearance) {
  if (!finite(p) || !finite(velocity)) return {};
  return search(m, state, m.robot_count(), p, clearance, [&](Vec2 q) { set_ball(m, state, q, velocity); });
}

int kick_off(const WheelsModel& m, std::span<double> state, Team first) {
  const Field& f = m.par.field;
  for (int i = 0; i < m.robot_count(); ++i) body_of(state, i)[kX] = kFarAway + i;  // out of each other's way
  int moved = 0;
  auto count = [&](const Placement& p) { moved += !p.placed || p.moved > 0; };
  count(place_ball(m, state, {0, 0}, {0, 0}));
  for (int i = 0; i < m.robot_count(); ++i) {
    const bool blue = i < blue_count(m);
    const int k = blue ? i : i - blue_count(m), team = blue ? blue_count(m) : m.robot_count() - blue_count(m);
    Vec2 p = formation(f, k);
    const bool kicks = (first == Team::blue) == blue && k == team - 1 && k > 0;
    if (kicks) p = {0.1 * f.half_length + 0.05, 0};  // the last one takes the kick
    const double side = (blue ? 1 : -1) * m.par.blue_side;
    count(place_robot(m, state, i, side * p, side > 0 ? M_PI : 0));
  }
  return moved;
}

int ball_in_goal(const WheelsModel& m, std::span<const double> state) {
  const auto ball = body_of(state, m.robot_count());
  if (std::fabs(ball[kX]) < m.par.field.half_length + m.par.ball.radius) return 0;
  return ball[kX] > 0 ? 1 : -1;
}

namespace {

constexpr double kFreeBallWay = 0.2, kFreeBallRoom = 0.35;  // of the two who begin, and of all others [m]

/// The team's robot nearest to the mark, but not its keeper if it has others.
int nearest_robot(const WheelsModel& m, std::span<const double> state, bool blue, Vec2 mark) {
  const int first = blue ? 0 : blue_count(m), last = blue ? blue_count(m) : m.robot_count();
  int best = -1;
  double least = 1e300;
  for (int i = last - first > 1 ? first + 1 : first; i < last; ++i) {
    const auto b = body_of(state, i);
    const double d = norm(Vec2{b[kX], b[kY]} - mark);
    if (b[kPresent] != 0 && d < least) least = d, best = i;
  }
  return best;
}

MatchEvent free_ball(const WheelsModel& m, std::span<double> state) {
  const auto ball = body_of(state, m.robot_count());
  const Field& f = m.par.field;
  const Vec2 mark{std::copysign(f.half_length / 2, ball[kX]), std::copysign(f.half_width / 2, ball[kY])};
  const int kicks[2] = {nearest_robot(m, state, true, mark), nearest_robot(m, state, false, mark)};
  ball[kX] = kFarAway;
  for (const int i : kicks)
    if (i >= 0) body_of(state, i)[kX] = kFarAway + 1 + i;  // out of each other's way
  for (int i = 0; i < m.robot_count(); ++i) {
    const auto b = body_of(state, i);
    const Vec2 p{b[kX], b[kY]}, away = p - mark;
    if (b[kPresent] == 0 || i == kicks[0] || i == kicks[1] || norm(away) >= kFreeBallRoom) continue;
    const double side = (i < blue_count(m) ? 1 : -1) * m.par.blue_side;  // towards its own goal
    const Vec2 out = norm(away) > 0.05 ? (1 / norm(away)) * away : Vec2{side, 0};
    place_robot(m, state, i, mark + kFreeBallRoom * out, b[kTheta]);
  }
  place_ball(m, state, mark, {0, 0}, 0.01);
  for (const int i : kicks) {
    if (i < 0) continue;
    const double side = (i < blue_count(m) ? 1 : -1) * m.par.blue_side;
    place_robot(m, state, i, mark + Vec2{side * kFreeBallWay, 0}, side > 0 ? M_PI : 0);
  }
  return MatchEvent::free_ball;
}

/// Which half is played, from 0 on.
double half_of(double clock, const MatchRules& rules) { return std::floor(clock / rules.half + 1e-9); }

MatchEvent watch(const WheelsModel& m, std::span<double> state, std::span<double> match, double h,
                 const MatchRules& rules) {
  if (match[kRestartIn] > 0) {
    match[kRestartIn] -= h;
    if (match[kRestartIn] > 0) return MatchEvent::none;
    match[kRestartIn] = match[kStillFor] = 0;
    kick_off(m, state, match[kLastRestart] == m.par.blue_side ? Team::blue : Team::yellow);
    return MatchEvent::kick_off;
  }
  const double half = half_of(match[kClock], rules);
  if (half > half_of(match[kClock] - h, rules)) {  // blue began the first
    match[kStillFor] = 0;
    kick_off(m, state, std::fmod(half, 2) == 0 ? Team::blue : Team::yellow);
    return MatchEvent::kick_off;
  }
  const int goal = ball_in_goal(m, state);
  if (goal != 0) {
    const bool against_blue = goal == m.par.blue_side;
    ++match[against_blue ? kGoalsYellow : kGoalsBlue];
    match[kRestartIn] = rules.pause_after_goal;
    match[kLastRestart] = goal;  // who conceded kicks off
    return against_blue ? MatchEvent::goal_yellow : MatchEvent::goal_blue;
  }
  const auto ball = body_of(state, m.robot_count());
  const bool still = norm({ball[kBallVx], ball[kBallVy]}) < rules.still_speed;
  match[kStillFor] = still ? match[kStillFor] + h : 0;
  if (match[kStillFor] < rules.still_time) return MatchEvent::none;
  match[kStillFor] = 0;
  return free_ball(m, state);
}

}  // namespace

MatchEvent referee(const WheelsModel& m, std::span<double> state, std::span<double> match, double h,
                   const MatchRules& rules) {
  match[kClock] += h;
  const MatchEvent event = watch(m, state, match, h, rules);
  if (event == MatchEvent::none) return event;
  ++match[kEventCount];
  match[kLastEvent] = static_cast<double>(event);
  return event;
}

}  // namespace gradus::wheels
