#include "wheels/gap.h"

#include <limits>

namespace gradus::wheels {
namespace {

constexpr double kParallel = 1e-4;  // faces whose gaps differ by less are all tried [m]
constexpr double kTouching = 1e-8;  // a face may certify if its gap is above minus this [m]

/// Corners of I in the frame of R.
struct LocalCorners {
  std::array<Vec2, kMaxVertices> at;
  Vec2 origin;  // of I's body
};
LocalCorners corners_in(const Placed& r, const ConvexPiece& I, const Placed& i) {
  LocalCorners out;
  const Rot2 R = inverse_times(r.R, i.R);
  out.origin = inverse_times(r.R, i.p - r.p);
  for (int k = 0; k < I.count; ++k) out.at[k] = out.origin + R * I.vertex[k];
  return out;
}

double face_gap(const ConvexPiece& R, int face, const ConvexPiece& I, const LocalCorners& c) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < I.count; ++k) least = std::min(least, dot(R.normal[face], c.at[k]));
  return least - R.offset[face];
}

/// Is this corner kept apart by a contact row? It is near and the velocities found do not close it.
bool is_held(double f, double slope, const Lookahead& look) {
  return f < look.band && f + slope * look.horizon > std::min(f, 0.0) - look.slack;
}

/// Certificate of face `face` of R against the corners of I, eqs. (10), (11).
double certify_face(const ConvexPiece& R, const Placed& r, int face, const ConvexPiece& I, const Placed& i,
                    const LocalCorners& c, const Lookahead& look, Held* held) {
  const MotionBounds &br = r.bounds, &bi = i.bounds;
  const Vec2 n = R.normal[face], v = inverse_times(r.R, i.v - r.v);
  const double accel = br.a + bi.a, speed = norm(v) + accel * look.horizon + bi.w * I.radius;
  const double fixed = accel + (bi.w * bi.w + bi.alpha) * I.radius + 2 * br.w * speed;
  const double turning = br.alpha + br.w * br.w;
  double time = kNever;
  for (int k = 0; k < I.count; ++k) {
    const Vec2 q = c.at[k];
    const double f = dot(n, q) - R.offset[face];
    const double slope = dot(n, v) + i.w * cross(q - c.origin, n) - r.w * cross(q, n);
    if (held) {
      if (held->fresh && is_held(f, slope, look)) held->mask |= 1u << k;
      if (held->mask >> k & 1u) continue;
    }
    const double bound = fixed + turning * (turning > 0 ? norm(q) + speed * look.horizon : 0);
    time = std::min(time, safe_time(f, slope, bound));
  }
  if (held) held->fresh = false;
  return time;
}

}  // namespace

Separation separation(const ConvexPiece& A, const Placed& a, const ConvexPiece& B, const Placed& b) {
  Separation s;
  s.gap = -std::numeric_limits<double>::infinity();
  const LocalCorners inA = corners_in(a, B, b), inB = corners_in(b, A, a);
  for (int k = 0; k < A.count + B.count; ++k) {
    s.all[k] = k < A.count ? face_gap(A, k, B, inA) : face_gap(B, k - A.count, A, inB);
    if (s.all[k] > s.gap) s.gap = s.all[k], s.axis = k;
  }
  return s;
}

double certify_pieces(const ConvexPiece& A, const Placed& a, const ConvexPiece& B, const Placed& b,
                      const Lookahead& look, Held* held) {
  const LocalCorners inA = corners_in(a, B, b), inB = corners_in(b, A, a);
  auto certify = [&](int axis, Held* h) {
    return axis < A.count ? certify_face(A, a, axis, B, b, inA, look, h)
                          : certify_face(B, b, axis - A.count, A, a, inB, look, h);
  };
  if (held && held->axis >= 0) return certify(held->axis, held);
  double gap[kMaxAxes], top = -std::numeric_limits<double>::infinity();
  const int axes = A.count + B.count;
  for (int k = 0; k < axes; ++k) {
    gap[k] = k < A.count ? face_gap(A, k, B, inA) : face_gap(B, k - A.count, A, inB);
    top = std::max(top, gap[k]);
  }
  // Nearly parallel faces: the one that certifies longest. A face that does not separate must not certify.
  const double least = top > 0 ? std::max(top - kParallel, -kTouching) : top - kTouching;
  double time = -1;
  Held best;
  for (int k = 0; k < axes; ++k) {
    if (gap[k] < least) continue;
    Held h;
    h.axis = k;
    const double t = certify(k, held ? &h : nullptr);
    if (t > time) time = t, best = h;
  }
  if (held) *held = best;
  return time;
}

double certify_disc(const ConvexPiece& A, const Placed& a, double disc_radius, const Placed& b, const Lookahead& look,
                    Held* held) {
  const Vec2 r = inverse_times(a.R, b.p - a.p), v = inverse_times(a.R, b.v - a.v);
  const Nearest near = nearest_to(A, r);
  const double f = near.distance - disc_radius, slope = dot(near.normal, v) - a.w * cross(r, near.normal);
  if (held) {
    if (held->fresh) held->fresh = false, held->mask = is_held(f, slope, look);
    if (held->mask) return kNever;
  }
  const double accel = a.bounds.a + b.bounds.a, speed = norm(v) + accel * look.horizon;
  const double reach = norm(r) + speed * look.horizon;
  const double bound = accel + 2 * a.bounds.w * speed + (a.bounds.alpha + a.bounds.w * a.bounds.w) * reach;
  return safe_time(f, slope, bound);
}

double certify_piece_wall(const ConvexPiece& A, const Placed& a, Vec2 normal, double offset, const Lookahead& look,
                          Held* held) {
  const double bound = a.bounds.a + (a.bounds.w * a.bounds.w + a.bounds.alpha) * A.radius;
  const double f0 = dot(normal, a.p) - offset, slope0 = dot(normal, a.v);
  double time = kNever;
  for (int k = 0; k < A.count; ++k) {
    const Vec2 rho = a.R * A.vertex[k];
    const double f = f0 + dot(normal, rho), slope = slope0 + a.w * cross(rho, normal);
    if (held) {
      if (held->fresh && is_held(f, slope, look)) held->mask |= 1u << k;
      if (held->mask >> k & 1u) continue;
    }
    time = std::min(time, safe_time(f, slope, bound));
  }
  if (held) held->fresh = false;
  return time;
}

double certify_disc_wall(double disc_radius, const Placed& a, Vec2 normal, double offset, const Lookahead& look,
                         Held* held) {
  const double f = dot(normal, a.p) - offset - disc_radius, slope = dot(normal, a.v);
  if (held) {
    if (held->fresh) held->fresh = false, held->mask = is_held(f, slope, look);
    if (held->mask) return kNever;
  }
  return safe_time(f, slope, a.bounds.a);
}

}  // namespace gradus::wheels
