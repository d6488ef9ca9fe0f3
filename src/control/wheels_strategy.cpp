#include "control/wheels_strategy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "math/scalar.h"

namespace gradus::control {
namespace {

struct Place {
  double x = 0, y = 0;
};
Place operator+(Place a, Place b) { return {a.x + b.x, a.y + b.y}; }
Place operator-(Place a, Place b) { return {a.x - b.x, a.y - b.y}; }
Place operator*(Place a, double k) { return {a.x * k, a.y * k}; }
double dot(Place a, Place b) { return a.x * b.x + a.y * b.y; }
double cross(Place a, Place b) { return a.x * b.y - a.y * b.x; }
Place left_of(Place a) { return {-a.y, a.x}; }
double length(Place a) { return square_root(dot(a, a)); }
Place unit(Place a) { return a * (1 / std::max(length(a), 1e-9)); }
Place place_of(const PlayerPose& p) { return {p.x, p.y}; }
double sign_of(double x) { return x < 0 ? -1 : 1; }
/// Part of a cycle of `period` that is over, 0 … 1.
double cycle(double time, double period) { return time / period - std::floor(time / period); }

/// A velocity from two pictures, less what a camera's noise may have made of it: fades to zero without a jump.
Place without_noise(Place v) {
  const double noise = 0.08;  // [m/s]
  return v * std::max(0.0, 1 - noise * noise / std::max(dot(v, v), 1e-9));
}

struct Goal {
  Place at;
  bool stop = false;
  bool straight = false;  // do not drive round others
};

/// One team's thoughts over one picture. Lengths in metres; they are those of 7.5 cm robots with a golf ball.
class Thoughts {
 public:
  Thoughts(const PitchNumbers& pitch, const Picture& see)
      : pitch_(pitch),
        see_(see),
        ball_{see.ball_x, see.ball_y},
        velocity_(without_noise({see.ball_vx, see.ball_vy})),
        speed_(length(velocity_)),
        soon_(inside(ball_ + velocity_ * 0.15, 0.03)),
        reach_(0.5 * pitch.robot_side + pitch.ball_radius) {
    const bool mouth = std::fabs(soon_.y) < 0.5 * pitch.goal_width - 0.02;
    at_wall_ =
        std::fabs(soon_.y) > pitch.half_width - kWall || (std::fabs(soon_.x) > pitch.half_length - kWall && !mouth);
  }

  void order(std::span<WheelOrder> orders) {
    count_ = static_cast<int>(std::min(see_.own.size(), orders.size()));
    const int attacker = choose_attacker();
    for (int i = 0, rank = 0; i < count_; ++i) {
      Goal goal;
      if (i == attacker)
        goal = attack(i);
      else if (i == 0 && count_ > 1)
        goal = keep();
      else
        goal = support(rank++, std::max(count_ - 2, 1));
      orders[static_cast<std::size_t>(i)] = carry_out(i, goal, i == attacker);
    }
  }

 private:
  // Turns by the clock, as shares of a period: for whoever fights for the ball (the teams are half a period apart, so
  // that one gives way while the other pushes), and for whoever is caught elsewhere.
  static constexpr double kClinch = 1.3, kSpin = 0.5;  // [s], share before backing off
  static constexpr double kCaught = 1.9, kTry = 0.6;   // [s], share before backing off
  static constexpr double kWall = 0.06;                // a ball this near to a wall lies at it [m]

  const PlayerPose& own(int i) const { return see_.own[static_cast<std::size_t>(i)]; }

  Place inside(Place p, double edge) const {
    return {std::clamp(p.x, -pitch_.half_length + edge, pitch_.half_length - edge),
            std::clamp(p.y, -pitch_.half_width + edge, pitch_.half_width - edge)};
  }

  // ---- roles

  /// The player with the shortest way to the place behind the ball; the keeper where the ball lies at its goal.
  int choose_attacker() const {
    const double from_own_line = see_.attack * soon_.x + pitch_.half_length;
    if (count_ > 1 && from_own_line < 0.2 && std::fabs(soon_.y) < 0.5 * pitch_.goal_width + 0.1 && speed_ < 0.6 &&
        see_.attack * (soon_.x - own(0).x) > 0 && length(soon_ - place_of(own(0))) < 0.3)
      return 0;
    const Place behind = soon_ - direction() * 0.1;
    int best = -1;
    double least = 1e9;
    for (int i = count_ > 1 ? 1 : 0; i < count_; ++i) {
      const Place me = place_of(own(i));
      const double in_front = dot(me - soon_, direction()) > 0 ? 0.25 : 0;  // must drive round it
      const double way = length(me - behind) + in_front;
      if (way < least) least = way, best = i;
    }
    return best;
  }

  /// On its line, where the ball would cross it; no farther out than the posts.
  Goal keep() const {
    const double line = -see_.attack * (pitch_.half_length - 0.9 * pitch_.robot_side);
    const double post = 0.5 * pitch_.goal_width - 0.02;
    double y = ball_.y;
    const double towards = -see_.attack * see_.ball_vx;
    if (towards > 0.2) y += see_.ball_vy * std::min(std::fabs(ball_.x - line) / towards, 0.6);
    return {{line, std::clamp(y, -post, post)}, true};
  }

  /// One waits for rebounds beside the attacker, the others stand between ball and own goal, spread over the width.
  Goal support(int rank, int count) const {
    const double side = ball_.y > 0 ? -1 : 1;
    if (rank == 0 && count > 1) {
      const double x = std::clamp(ball_.x - see_.attack * 0.15, -0.75 * pitch_.half_length, 0.75 * pitch_.half_length);
      return {clear_of_ball(inside({x, 0.45 * side * pitch_.half_width}, 0.1)), true};
    }
    const double depth = 0.35 + 0.2 * (rank % 3), own_x = -see_.attack * pitch_.half_length;
    const double lane = count > 1 ? 2.0 * rank / (count - 1) - 1 : 0;
    return {clear_of_ball(
                inside({ball_.x + depth * (own_x - ball_.x), 0.4 * ball_.y + 0.55 * lane * pitch_.half_width}, 0.12)),
            true};
  }

  /// Supporters leave room to those who fight for the ball.
  Place clear_of_ball(Place p) const {
    const Place away = p - ball_;
    const double room = 0.36;
    return length(away) < room ? inside(ball_ + unit(away) * room, 0.08) : p;
  }

  // ---- attack

  /// Where the ball is to go: along a wall that it lies at, else into the goal or to a mate, whichever way is free.
  Place direction() const {
    const double at_wall = kWall;
    const double ahead = see_.attack * soon_.x;
    const bool side = std::fabs(soon_.y) > pitch_.half_width - at_wall;
    const bool mouth = std::fabs(soon_.y) < 0.5 * pitch_.goal_width - 0.02;
    if (pitch_.half_length - ahead < at_wall && !mouth) return {-0.2 * see_.attack, -sign_of(soon_.y)};  // to the goal
    if (pitch_.half_length + ahead < at_wall && !mouth) return {0.2 * see_.attack, sign_of(soon_.y)};    // away from it
    if (side) return unit({see_.attack, -0.1 * sign_of(soon_.y)});
    return best_lane();
  }

  Place best_lane() const {
    const Place mouth{see_.attack * (pitch_.half_length + 0.05), 0};
    Place best = unit(mouth - soon_);
    double most = -1;
    const auto consider = [&](Place target, double worth) {
      const double score = worth * std::min(lane_width(target), 0.15);
      if (score > most) most = score, best = unit(target - soon_);
    };
    for (const double y : {0.0, 0.6, -0.6})
      consider(mouth + Place{0, 0.5 * y * pitch_.goal_width}, y == 0 ? 1.0 : 0.95);
    for (int i = 1; i < count_; ++i) {
      const Place mate = place_of(own(i));
      const double ahead = see_.attack * (mate.x - soon_.x), far = length(mate - soon_);
      if (ahead > 0.05 && far > 0.25 && far < 0.9) consider(mate + Place{0.08 * see_.attack, 0}, 0.7);
    }
    return best;
  }

  /// Distance of the nearest opponent from the way of the ball.
  double lane_width(Place target) const {
    const Place way = target - soon_, d = unit(way);
    double least = 1;
    for (const PlayerPose& p : see_.others) {
      const Place from = place_of(p) - soon_;
      const double along = dot(from, d);
      if (along > 0 && along < length(way)) least = std::min(least, std::fabs(cross(d, from)));
    }
    return least;
  }

  /// Behind the ball, then through it.
  Goal attack(int i) const {
    const Place d = direction(), me = place_of(own(i)), from = me - soon_;
    if (at_wall_) return {soon_, false, true};  // no room behind it: up to it, then spin
    const double along = dot(from, d), beside = cross(d, from);
    const bool lies = speed_ < 0.06 && length(from) < 0.17 && see_.attack * from.x < 0.05;  // rather any kick than none
    if (lies) return {soon_ - unit(from) * 0.2, false, true};
    if (along < -0.02 && std::fabs(beside) < 0.03 - 0.3 * along) {
      const bool shot = std::fabs(soon_.y) < 0.5 * pitch_.goal_width;
      const Place target = soon_ + d * 0.3;
      return {shot ? target : inside(target, 0.03), false, true};
    }
    if (along > -0.05) {  // in front or beside: round it on my side, or where there is room
      double turn = sign_of(beside);
      const Place round = soon_ + left_of(d) * (turn * 0.14) - d * 0.05;
      if (length(round - inside(round, 0.045)) > 0.03) turn = -turn;
      return {inside(soon_ + left_of(d) * (turn * 0.14) - d * 0.05, 0.045)};
    }
    return {inside(soon_ - d * 0.11, 0.045)};
  }

  // ---- driving

  WheelOrder carry_out(int i, Goal goal, bool attacks) const {
    const PlayerPose& me = own(i);
    const Place here = place_of(me), to_ball = ball_ - here;
    const bool slow = speed_ < 0.3, near = length(to_ball) < 2.4 * reach_, side = see_.attack > 0;
    if ((slow || at_wall_) && near && (attacks || i == 0)) {
      const double part = cycle(see_.time + 0.1 * i + (side ? 0.5 * kClinch : 0), kClinch);
      if (part > kSpin && slow && !gets_on(me, to_ball)) return back_off(i, unit(to_ball) * -1);
      if (gap_to_ball(me) < 0.015) return spin(to_ball);
      if (at_wall_) return drive_to(pitch_, me, ball_.x, ball_.y, false);
    } else if (length(goal.at - here) > 0.04 && caught(i) && !gets_on(me, goal.at - here) &&
               cycle(see_.time + 0.37 * i + (side ? 0.55 : 0), kCaught) > kTry) {
      return back_off(i, free_way(i));
    }
    const Place at = goal.straight ? goal.at : inside(round_others(i, goal.at), 0.045);
    return drive_to(pitch_, me, at.x, at.y, goal.stop);
  }

  /// Moves that way, or turns: who does so goes on, the turns by the clock are for those who are stuck.
  static bool gets_on(const PlayerPose& me, Place way) {
    return dot(Place{me.vx, me.vy}, unit(way)) > 0.08 || std::fabs(me.w) > 2.5;
  }

  /// Between a robot's outline and the ball.
  double gap_to_ball(const PlayerPose& p) const {
    double sine, cosine;
    sine_cosine(p.theta, sine, cosine);
    const Place to = ball_ - place_of(p), ahead{cosine, sine};
    const auto beyond = [&](double x) { return std::max(std::fabs(x) - 0.5 * pitch_.robot_side, 0.0); };
    return length({beyond(dot(to, ahead)), beyond(cross(to, ahead))}) - pitch_.ball_radius;
  }

  /// Turning on the spot throws the ball in the direction in which the near side moves.
  WheelOrder spin(Place to_ball) const {
    const double across = cross(unit(to_ball), unit(direction()));
    const double sense = std::fabs(across) > 0.2 ? sign_of(across) : sign_of(ball_.y * see_.attack),
                 w = pitch_.top_wheel_speed;
    return {-sense * w, sense * w};
  }

  /// Straight ahead or back, whichever leads away and is free: who is wedged in cannot turn.
  WheelOrder back_off(int i, Place way) const {
    const PlayerPose& me = own(i);
    double sine, cosine;
    sine_cosine(me.theta, sine, cosine);
    const Place ahead{cosine, sine};
    const double habit = 0.3 * std::clamp(dot(ahead, {me.vx, me.vy}) / 0.2, -1.0, 1.0);
    double sense = sign_of(dot(ahead, way) + habit);
    if (blocked(i, ahead * sense) && !blocked(i, ahead * -sense)) sense = -sense;
    return {sense * pitch_.top_wheel_speed, sense * pitch_.top_wheel_speed};
  }

  /// Is a wall or another player near in that direction?
  bool blocked(int i, Place way) const {
    const Place here = place_of(own(i));
    const auto wall = [](double at, double half, double towards) {
      return std::fabs(at) > half - 0.058 && sign_of(at) * towards > 0.15;
    };
    bool found = wall(here.x, pitch_.half_length, way.x) || wall(here.y, pitch_.half_width, way.y);
    each_other(i, [&](Place p) {
      const double far = length(p - here);
      found = found || (far < 1.45 * pitch_.robot_side && dot(p - here, way) > 0.6 * far);
    });
    return found;
  }

  /// Against a wall or another player.
  bool caught(int i) const { return length(free_way(i)) > 0; }

  /// Away from walls and players that I touch; zero if there are none.
  Place free_way(int i) const {
    const Place here = place_of(own(i));
    Place out;
    const double near_wall = 0.055;
    if (std::fabs(here.x) > pitch_.half_length - near_wall) out.x -= sign_of(here.x);
    if (std::fabs(here.y) > pitch_.half_width - near_wall) out.y -= sign_of(here.y);
    each_other(i, [&](Place p) {
      if (length(p - here) < 1.35 * pitch_.robot_side) out = out + unit(here - p);
    });
    const double size = length(out);
    return size > 0.1 ? out * (1 / size) : size > 0 ? left_of(unit(ball_ - here)) : out;
  }

  /// The target, moved aside where another player stands in the way.
  Place round_others(int i, Place target) const {
    const Place here = place_of(own(i)), way = target - here;
    const double far = length(way);
    if (far < 0.05) return target;
    const Place d = way * (1 / far);
    double nearest = std::min(far, 0.3), shift = 0;
    each_other(i, [&](Place p) {
      const double along = dot(p - here, d), beside = cross(d, p - here), room = 1.5 * pitch_.robot_side;
      if (along < 0.02 || along > nearest || std::fabs(beside) > room) return;
      nearest = along;
      shift = beside > 0 ? beside - room : beside + room;  // pass it on the side on which I am already
    });
    if (shift == 0) return target;
    return here + d * nearest + left_of(d) * shift;
  }

  template <class Visit>
  void each_other(int i, const Visit& visit) const {
    for (int k = 0; k < count_; ++k)
      if (k != i) visit(place_of(own(k)));
    for (const PlayerPose& p : see_.others) visit(place_of(p));
  }

  const PitchNumbers& pitch_;
  const Picture& see_;
  Place ball_;
  Place velocity_;  // of the ball
  double speed_;
  Place soon_;    // the ball a moment ahead, inside the walls
  double reach_;  // from a robot's middle to a ball at its face
  bool at_wall_;  // no robot fits between the ball and the wall
  int count_ = 0;
};

/// Weak motors cannot turn on the spot with a corner at a wall, and two wheels that both drive with all their torque
/// do not turn at all. So a robot that faces a wall leaves it in an arc about one standing wheel, to the left if
/// `left` > 0.
std::optional<WheelOrder> arc_off_wall(const PitchNumbers& pitch, const PlayerPose& player, Place heading,
                                       double left) {
  const double room = 0.06;
  Place out;  // to the walls that are near
  if (std::fabs(player.x) > pitch.half_length - room) out.x = sign_of(player.x);
  if (std::fabs(player.y) > pitch.half_width - room) out.y = sign_of(player.y);
  const double facing = dot(heading, out);
  if (std::fabs(facing) < 0.3) return {};
  const double back = -sign_of(facing) * pitch.top_wheel_speed;
  return left * back > 0 ? WheelOrder{0, back} : WheelOrder{back, 0};
}

/// Which end goes first: both are fronts. Abeam a robot goes on as it moves and turns already; else a camera's noise
/// would choose anew in every picture, and it would stand and tremble.
double first_end(const PlayerPose& player, Place heading, double ahead, double left) {
  const double going = dot(heading, {player.vx, player.vy}) / 0.2, turning = player.w * sign_of(left) / 4;
  const double habit = 0.3 * std::clamp(going, -1.0, 1.0) + 0.4 * std::clamp(turning, -1.0, 1.0);
  return ahead + habit < 0 ? -1 : 1;
}

}  // namespace

WheelOrder drive_to(const PitchNumbers& pitch, const PlayerPose& player, double x, double y, bool stop) {
  double s, c;
  sine_cosine(player.theta, s, c);  // not std::sin: the same orders on every machine
  const double dx = x - player.x, dy = y - player.y, way = length({dx, dy});
  if (way < (stop ? 0.01 : 1e-6)) return {};
  const double ahead = (c * dx + s * dy) / way, left = (c * dy - s * dx) / way;  // cosine and sine of the bearing
  const double sense = first_end(player, {c, s}, ahead, left);
  const double top = pitch.top_wheel_speed * pitch.wheel_radius;
  // More than 60° off: turn on the spot first. At a wall a robot cannot turn on the spot: its corners are in the way.
  const double room = 0.06;
  const bool at_wall = std::fabs(player.x) > pitch.half_length - room || std::fabs(player.y) > pitch.half_width - room;
  if (at_wall && std::fabs(ahead) < 0.85)
    if (const auto arc = arc_off_wall(pitch, player, {c, s}, sense * left)) return *arc;
  const double aligned = std::max(at_wall ? 0.8 : 0.05, (sense * ahead - 0.5) / 0.5);
  const double speed = sense * (stop ? std::min(top, 3 * way) : top) * aligned;
  const double turn = (at_wall ? 3 : 10) * sense * left;
  auto limit = [&](double v) {
    return std::clamp(v / pitch.wheel_radius, -pitch.top_wheel_speed, pitch.top_wheel_speed);
  };
  return {limit(speed - pitch.half_axle * turn), limit(speed + pitch.half_axle * turn)};
}

void play(const PitchNumbers& pitch, const Picture& see, std::span<WheelOrder> orders) {
  Thoughts(pitch, see).order(orders);
}

}  // namespace gradus::control
