#include "wheels/contact.h"

#include <limits>

namespace gradus::wheels {
namespace {

constexpr double kEdgeSlack = 1e-5;  // a corner this far beside a face still counts as on it [m]

constexpr double kOnePlace = 5e-4;  // [m]

struct Sink {
  Contact* out;
  int room, count = 0;
  void add(const Contact& c) {
    if (count < room) out[count] = c, out[count].point = count, ++count;
  }
};

/// The face of I that looks most against the direction n (in I's frame).
int incident_face(const ConvexPiece& I, Vec2 n) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < I.count; ++k) {
    const double d = dot(I.normal[k], n);
    if (d < least) least = d, best = k;
  }
  return best;
}

/// Up to two places between a face of R and the facing edge of I, clipped to the face. b_is_fixed: B is an obstacle.
void clip_faces(const ConvexPiece& R, const Placed& r, int face, const ConvexPiece& I, const Placed& i, bool r_is_a,
                bool b_is_fixed, double band, Sink& sink) {
  const Vec2 n = R.normal[face], along = perp(n);  // in R's frame; the face runs along +perp(n)
  const Rot2 R_RI = inverse_times(r.R, i.R);
  const int edge = incident_face(I, inverse_times(R_RI, n));
  const Vec2 d = inverse_times(r.R, i.p - r.p);
  Vec2 p0 = d + R_RI * I.vertex[edge], p1 = d + R_RI * I.vertex[(edge + 1) % I.count];
  double t0 = dot(along, p0), t1 = dot(along, p1);
  if (t0 > t1) std::swap(p0, p1), std::swap(t0, t1);
  const double low = dot(along, R.vertex[face]), high = dot(along, R.vertex[(face + 1) % R.count]);
  if (t1 < low - kEdgeSlack || t0 > high + kEdgeSlack) return;
  const bool cut0 = t0 < low && t1 > low, cut1 = t1 > high && t0 < high;
  const Vec2 q0 = cut0 ? p0 + ((low - t0) / (t1 - t0)) * (p1 - p0) : p0;
  const Vec2 q1 = cut1 ? p1 + ((high - t1) / (t1 - t0)) * (p1 - p0) : p1;
  const Face of_r = r_is_a ? Face::of_a : b_is_fixed ? Face::fixed : Face::of_b;
  const Face of_i = !r_is_a ? Face::of_a : b_is_fixed ? Face::fixed : Face::of_b;
  const Vec2 n_W = r.R * n;
  auto add = [&](Vec2 q, bool clipped) {  // a clipped end is a corner of R on the edge of I
    const double gap = dot(n, q) - R.offset[face];
    if (gap >= band) return;
    Contact c;
    c.n = r_is_a ? -n_W : n_W;
    c.p = r.p + r.R * q;
    c.gap = gap;
    c.face = clipped ? of_i : of_r;
    sink.add(c);
  };
  // Two places closer than this act as one; two rows for them would only spoil the solver's numbers.
  const bool apart = dot(along, q1 - q0) > kOnePlace, first = dot(n, q0) <= dot(n, q1);
  if (apart || first) add(q0, cut0);
  if (apart || !first) add(q1, cut1);
}

void collect_pieces(const ConvexPiece& A, const Placed& a, const ConvexPiece& B, const Placed& b, bool b_is_fixed,
                    double band, Sink& sink) {
  const Separation s = separation(A, a, B, b);
  if (s.gap > band) return;
  if (s.axis < A.count)
    clip_faces(A, a, s.axis, B, b, true, b_is_fixed, band, sink);
  else
    clip_faces(B, b, s.axis - A.count, A, a, false, b_is_fixed, band, sink);
}

/// Piece of body (or block) P against the ball d. n of the contact points to the ball if `to_ball`.
void collect_disc(const ConvexPiece& P, const Placed& p, double ball_radius, const Placed& d, double band, bool to_ball,
                  bool fixed, Sink& sink) {
  const Nearest near = nearest_to(P, inverse_times(p.R, d.p - p.p));
  const double gap = near.distance - ball_radius;
  if (gap >= band) return;
  Contact c;
  const Vec2 n_W = p.R * near.normal;
  c.n = to_ball ? n_W : -n_W;
  c.p = p.p + p.R * near.point;
  c.gap = gap;
  if (fixed)
    c.face = near.corner ? Face::fixed_corner_on_disc : Face::fixed;
  else
    c.face = near.corner ? Face::corner_on_disc : Face::of_a;
  sink.add(c);
}

const Placed kOrigin{};

}  // namespace

int collect_pair(const BodyShape& A, const Placed& a, const BodyShape& B, const Placed& b, double ball_radius,
                 double band, Contact* out, int room) {
  Sink sink{out, room};
  for (const ConvexPiece& pa : A.robot->pieces) {  // the ball is the last body, so A is a robot
    if (!B.robot)
      collect_disc(pa, a, ball_radius, b, band, false, false, sink);
    else
      for (const ConvexPiece& pb : B.robot->pieces) collect_pieces(pa, a, pb, b, false, band, sink);
  }
  return sink.count;
}

int collect_wall(const BodyShape& A, const Placed& a, const Wall& wall, double ball_radius, double band, Contact* out,
                 int room) {
  Sink sink{out, room};
  auto add = [&](Vec2 p, double gap) {
    if (gap >= band) return;
    Contact c;
    c.n = wall.normal, c.p = p, c.gap = gap;
    sink.add(c);
  };
  const double height = dot(wall.normal, a.p) - wall.offset;
  if (!A.robot) {
    add(a.p - height * wall.normal, height - ball_radius);
    return sink.count;
  }
  if (height >= A.radius + band) return 0;
  for (const ConvexPiece& piece : A.robot->pieces)
    for (int k = 0; k < piece.count; ++k) {
      const Vec2 rho = a.R * piece.vertex[k];
      add(a.p + rho, height + dot(wall.normal, rho));
    }
  return sink.count;
}

int collect_block(const BodyShape& A, const Placed& a, const ConvexPiece& block, double ball_radius, double band,
                  Contact* out, int room) {
  Sink sink{out, room};
  if (!A.robot)
    collect_disc(block, kOrigin, ball_radius, a, band, true, true, sink);
  else
    for (const ConvexPiece& piece : A.robot->pieces) collect_pieces(piece, a, block, kOrigin, true, band, sink);
  return sink.count;
}

double pair_gap(const BodyShape& A, const Placed& a, const BodyShape& B, const Placed& b, double ball_radius) {
  double least = std::numeric_limits<double>::infinity();
  for (const ConvexPiece& pa : A.robot->pieces) {
    if (!B.robot) {
      least = std::min(least, nearest_to(pa, inverse_times(a.R, b.p - a.p)).distance - ball_radius);
      continue;
    }
    for (const ConvexPiece& pb : B.robot->pieces) least = std::min(least, separation(pa, a, pb, b).gap);
  }
  return least;
}

double wall_gap(const BodyShape& A, const Placed& a, const Wall& wall, double ball_radius) {
  const double height = dot(wall.normal, a.p) - wall.offset;
  if (!A.robot) return height - ball_radius;
  double least = std::numeric_limits<double>::infinity();
  for (const ConvexPiece& piece : A.robot->pieces)
    for (int k = 0; k < piece.count; ++k) least = std::min(least, height + dot(wall.normal, a.R * piece.vertex[k]));
  return least;
}

double block_gap(const BodyShape& A, const Placed& a, const ConvexPiece& block, double ball_radius) {
  if (!A.robot) return nearest_to(block, a.p).distance - ball_radius;
  double least = std::numeric_limits<double>::infinity();
  for (const ConvexPiece& piece : A.robot->pieces) least = std::min(least, separation(piece, a, block, kOrigin).gap);
  return least;
}

Vec2 point_velocity(const BodyShape& shape, const Placed& body, Vec2 p) {
  return shape.robot ? body.v + body.w * perp(p - body.p) : body.v;
}

/// Corner c of body I on a face of R with normal n (turning with R), r from R's origin to c:
///   f̈ = −w_I² n·ρ_I + 2 w_R t·(v_c − v_R) − w_R² n·r,  t = ẑ × n                                        (15)
/// A corner against the disc: the line between them turns instead, f̈ = v_t²/r_b − w_I² n·ρ_I.
double gap_curvature(const Contact& c, const BodyShape& A, const Placed& a, const BodyShape* B, const Placed* b,
                     double ball_radius) {
  const double wa = A.robot ? a.w : 0, wb = B && B->robot ? b->w : 0;
  const Vec2 ra = c.p - a.p, rb = b ? c.p - b->p : Vec2{};
  const Vec2 va = point_velocity(A, a, c.p), vb = b ? point_velocity(*B, *b, c.p) : Vec2{};
  switch (c.face) {
    case Face::fixed:
      return -wa * wa * dot(c.n, ra);
    case Face::of_a: {
      const Vec2 n = -c.n, r = B && !B->robot ? b->p - a.p : ra;  // the disc's centre is its corner
      return -wb * wb * dot(n, rb) + 2 * wa * dot(perp(n), vb - a.v) - wa * wa * dot(n, r);
    }
    case Face::of_b:
      return -wa * wa * dot(c.n, ra) + 2 * wb * dot(perp(c.n), va - b->v) - wb * wb * dot(c.n, rb);
    default: {
      const double slide = dot(perp(c.n), va - vb);
      return slide * slide / ball_radius + (c.face == Face::corner_on_disc ? -wa * wa * dot(c.n, ra) : 0);
    }
  }
}

}  // namespace gradus::wheels
