/// Contact rows: Jacobians over the bodies' velocities, shared by impacts and slices.
#include "wheels/engine.h"

namespace gradus::wheels {
namespace {

double quadratic(const Sym3& m, const double j[3]) {
  return m.xx * j[0] * j[0] + m.yy * j[1] * j[1] + m.zz * j[2] * j[2] +
         2 * (m.xy * j[0] * j[1] + m.xz * j[0] * j[2] + m.yz * j[1] * j[2]);
}

}  // namespace

const Surface& Engine::surface(const Contact& c) const {
  const Surfaces& s = model_->par.surfaces;
  const bool robot_a = bodies_[c.a].shape.robot != nullptr;
  if (c.b < 0) return robot_a ? s.robot_wall : s.ball_wall;
  return robot_a && bodies_[c.b].shape.robot ? s.robot_robot : s.ball_robot;
}

/// Velocity along n of the place p of a body = out · (v, u, w), the body turned by `turn` (small). The ball's surface
/// adds its vertical spin to tangential rows: its place of contact is at ∓ r_b n_contact, moving with ∓ spin along the
/// tangent.
void Engine::jacobian(const Body& b, Vec2 n, Vec2 p, double turn, bool tangential, double sign, double out[3]) const {
  if (!b.shape.robot) {
    out[0] = sign * n.x, out[1] = sign * n.y, out[2] = tangential ? -1 : 0;
    return;
  }
  const double ct = 1 - 0.5 * turn * turn;
  const Rot2 R{b.now.R.c * ct - b.now.R.s * turn, b.now.R.s * ct + b.now.R.c * turn};
  const Vec2 n_B = inverse_times(R, n);
  out[0] = sign * n_B.x, out[1] = sign * n_B.y, out[2] = sign * cross(p - b.now.p, n);
}

/// Row of the relative velocity along `direction` (the normal, or perp(normal)). h > 0: body axes of half the slice.
/// The ball as a: surface velocity V − spin t; as b it is V + spin t, which enters with −1: −spin in both cases.
SolverRow Engine::contact_row(const Contact& c, Vec2 direction, bool tangential, double h) const {
  SolverRow r;
  const Body& a = bodies_[c.a];
  r.a = local_[c.a];
  jacobian(a, direction, c.p, 0.5 * h * a.now.q[2], tangential, 1, r.ja);
  if (c.b >= 0) {
    const Body& b = bodies_[c.b];
    r.b = local_[c.b];
    jacobian(b, direction, c.p, 0.5 * h * b.now.q[2], tangential, -1, r.jb);
  }
  if (h > 0 && model_->par.tyres == Tyres::rolling) {
    if (a.shape.robot) r.ja[1] = 0;
    if (c.b >= 0 && bodies_[c.b].shape.robot) r.jb[1] = 0;
  }
  return r;
}

double Engine::row_mobility(const SolverRow& r, bool in_slice) const {
  auto of = [&](int k, const double* j) {
    const Body& b = bodies_[island_[k]];
    return quadratic(in_slice ? b.slide_mobility : b.mobility, j);
  };
  return r.b < 0 ? of(r.a, r.ja) : of(r.a, r.ja) + of(r.b, r.jb);
}

double Engine::contact_speed(const Contact& c) const {
  Vec2 v = point_velocity(bodies_[c.a].shape, bodies_[c.a].placed, c.p);
  if (c.b >= 0) v = v - point_velocity(bodies_[c.b].shape, bodies_[c.b].placed, c.p);
  return dot(c.n, v);
}

}  // namespace gradus::wheels
