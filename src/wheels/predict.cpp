/// Prediction of the next event of a body: certificates against everything within reach.
#include <algorithm>

#include "wheels/engine.h"

namespace gradus::wheels {

constexpr int kMostJumps = 100;

Placed Engine::placed_at(const Body& b, double t) const {
  const Kinematics k = evaluate(b.piece, t);
  return {k.p, k.v, b.shape.robot ? rotation(k.theta) : Rot2{}, k.w, {b.piece.a_max, b.piece.w_max, b.piece.alpha_max}};
}

/// Conservative advancement: jump by certified times until the horizon (no event) or until nothing is left (event).
template <class Certificate>
double Engine::locate(double t, double horizon, Certificate certificate) {
  for (int i = 0; i < kMostJumps; ++i) {
    const double s = certificate(t);
    ++report_->certificates;
    if (s < numerics_->time_tolerance) return t;
    t += s;
    if (t >= horizon) return kNever;
  }
  ++report_->capped;
  return t;
}

bool Engine::resting(int i, int j) const {
  for (int k = 0; k < contact_count_; ++k) {
    const Contact& c = contacts_[k];
    if (c.row && ((c.a == i && c.b == j) || (c.a == j && c.b == i))) return true;
  }
  return false;
}
bool Engine::resting_on(int i, int obstacle) const {
  for (int k = 0; k < contact_count_; ++k) {
    const Contact& c = contacts_[k];
    if (c.row && c.a == i && c.b < 0 && c.obstacle == obstacle) return true;
  }
  return false;
}

/// Earliest contact of two bodies before the horizon, over all their pieces.
double Engine::locate_pair(int i, int j, double t, double horizon, bool is_resting) {
  const Body &a = bodies_[std::min(i, j)], &b = bodies_[std::max(i, j)];
  double first = kNever;
  for (const ConvexPiece& pa : a.shape.robot->pieces) {
    auto search = [&](auto certify) {
      Held held;
      const double end = std::min(horizon, first);
      const double found = locate(t, end, [&](double at) {
        const Lookahead look{end - at, numerics_->band, numerics_->held_slack};
        return certify(placed_at(a, at), placed_at(b, at), look, is_resting ? &held : nullptr);
      });
      first = std::min(first, found);
    };
    if (!b.shape.robot) {
      search([&](const Placed& x, const Placed& y, const Lookahead& look, Held* held) {
        return certify_disc(pa, x, model_->par.ball.radius, y, look, held);
      });
      continue;
    }
    for (const ConvexPiece& pb : b.shape.robot->pieces)
      search([&](const Placed& x, const Placed& y, const Lookahead& look, Held* held) {
        return certify_pieces(pa, x, pb, y, look, held);
      });
  }
  return first;
}

double Engine::locate_obstacle(int i, int obstacle, double t, double horizon, bool is_resting) {
  const Body& b = bodies_[i];
  const auto& walls = model_->par.field.walls;
  const bool is_wall = obstacle < static_cast<int>(walls.size());
  const double r_b = model_->par.ball.radius;
  const Placed origin{};
  double first = kNever;
  auto search = [&](auto certify) {
    Held held;
    const double end = std::min(horizon, first);
    const double found = locate(t, end, [&](double at) {
      const Lookahead look{end - at, numerics_->band, numerics_->held_slack};
      return certify(placed_at(b, at), look, is_resting ? &held : nullptr);
    });
    first = std::min(first, found);
  };
  const Wall* w = is_wall ? &walls[obstacle] : nullptr;
  const ConvexPiece* block = is_wall ? nullptr : &model_->blocks[obstacle - walls.size()];
  if (!b.shape.robot) {
    search([&](const Placed& x, const Lookahead& look, Held* held) {
      return w ? certify_disc_wall(r_b, x, w->normal, w->offset, look, held)
               : certify_disc(*block, origin, r_b, x, look, held);
    });
    return first;
  }
  for (const ConvexPiece& piece : b.shape.robot->pieces)
    search([&](const Placed& x, const Lookahead& look, Held* held) {
      return w ? certify_piece_wall(piece, x, w->normal, w->offset, look, held)
               : certify_pieces(*block, origin, piece, x, look, held);
    });
  return first;
}

void Engine::predict_obstacles(int i, double t) {
  Body& b = bodies_[i];
  b.t_wall = kNever, b.wall = -1;
  const double reach = b.shape.radius + b.piece.v_max * (b.piece.t1 - t) + 1e-6;
  if (clear_of_obstacles(b, reach)) return;
  for (int o = 0; o < obstacle_total_; ++o) {
    if (obstacle_distance(o, b.now.p) > reach) continue;
    const double from = std::max(t, memory_[obstacle_index(i, o)].blind_until);
    if (from >= b.piece.t1) continue;
    const double found = locate_obstacle(i, o, from, b.piece.t1, b.in_contact && resting_on(i, o));
    if (found < b.t_wall) b.t_wall = found, b.wall = o;
  }
}

void Engine::predict(int i, double t) {
  Body& b = bodies_[i];
  if (give_up_) {
    b.t_wall = b.t_pair = kNever;
    for (int j = 0; j < count_; ++j)
      if (j != i) set_pair(i, j, kNever);
    return;
  }
  predict_obstacles(i, t);
  for (int j = 0; j < count_; ++j) {
    if (j == i || (local_[j] >= 0 && fresh_[j] == 2)) continue;  // done from the other side in this restart
    const Body& other = bodies_[j];
    const double horizon = std::min(b.piece.t1, other.piece.t1);
    double found = kNever;
    if (horizon > t) {
      const double reach =
          b.shape.radius + other.shape.radius + (b.piece.v_max + other.piece.v_max) * (horizon - t) + 1e-6;
      if (within(b, other, t, reach)) {
        const double from = std::max(t, memory_[pair_index(i, j)].blind_until);
        const bool rests = b.in_contact && other.in_contact && local_[j] >= 0 && resting(i, j);
        if (from < horizon) found = locate_pair(i, j, from, horizon, rests);
      }
    }
    set_pair(i, j, found);
  }
}

void Engine::set_pair(int i, int j, double t) {
  if (t == kNever && pair_time_[i * count_ + j] == kNever) return;
  pair_time_[i * count_ + j] = pair_time_[j * count_ + i] = t;
  for (const int k : {i, j}) {
    const int other = k == i ? j : i;
    Body& b = bodies_[k];
    if (t < b.t_pair) {
      b.t_pair = t, b.mate = other;
    } else if (b.mate == other && t > b.t_pair) {  // its nearest event went away: look for the next one
      b.t_pair = kNever, b.mate = -1;
      for (int q = 0; q < count_; ++q)
        if (q != k && pair_time_[k * count_ + q] < b.t_pair) b.t_pair = pair_time_[k * count_ + q], b.mate = q;
    }
  }
}

}  // namespace gradus::wheels
