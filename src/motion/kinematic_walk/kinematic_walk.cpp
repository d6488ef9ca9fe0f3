#include "motion/kinematic_walk/kinematic_walk.h"

#include <algorithm>
#include <limits>

#include "motion/joint_path.h"
#include "motion/root.h"

namespace gradus {
namespace {

/// The standing foot and where it stands.
struct Stand {
  int foot;
  Vec3 p_WF;
  Quat q_WF;
  bool fresh;  // put down in this step: the base is moved to where the flat foot wants it
};
constexpr int kStand = 9;  // numbers of a Stand in z; behind them: steps left to catch up with the targets

/// A snapshot from elsewhere may hold anything, so the number of the foot is checked.
Stand load(const RobotKind& kind, const double* z) {
  const bool known = z[0] > 0 && z[0] < static_cast<double>(kind.feet.size());
  return {known ? static_cast<int>(z[0]) : 0, {z[1], z[2], z[3]}, {z[4], z[5], z[6], z[7]}, z[8] != 0};
}
void store(const Stand& s, double* z) {
  const double out[kStand] = {double(s.foot), s.p_WF.x, s.p_WF.y, s.p_WF.z,           s.q_WF.w,
                              s.q_WF.x,       s.q_WF.y, s.q_WF.z, s.fresh ? 1.0 : 0.0};
  for (int i = 0; i < kStand; ++i) z[i] = out[i];
}

constexpr double kStepUp = 0.15;   // [m] ground may be this much higher than a foot that comes down
constexpr double kDeep = 100;      // [m] and this much lower
constexpr double kSteepest = 0.85;  // cosine of the steepest slope that a sole is laid on; steeper is a step's riser

/// How far a foot is over the ground, and along what: the plane's normal, or upwards on what lies on it.
struct Clearance {
  double over;  // infinite: nothing is below   [m]
  Vec3 up;
};

/// The ground that feet meet: the plane, and what lies on it where that is higher [GroundSight].
class Ground {
 public:
  Ground(const Plane& plane, const GroundSight* sight) : plane_(plane), sight_(sight) {}

  /// Of a link's lowest contact point when the link has pose (R, p).
  Clearance clearance(const RobotKind& kind, int link, const Mat3& R, Vec3 p) const {
    double low = std::numeric_limits<double>::infinity(), over = low;
    const auto u = static_cast<std::size_t>(link);
    bool higher = false;
    for (int k = kind.point_begin[u]; k < kind.point_begin[u + 1]; ++k) {
      const ContactPoint& c = kind.points[static_cast<std::size_t>(k)];
      low = minimum(low, dot(plane_.n, R * c.p_BC) - c.radius);
      if (sight_ == nullptr) continue;
      const Vec3 at = p + R * c.p_BC;
      const Surface s = under(at);
      higher |= s.solid;
      if (s.there) over = minimum(over, (dot(s.n, at - s.at) - c.radius) / s.n.z);
    }
    if (higher || (sight_ != nullptr && !plane_.present)) return {over, {0, 0, 1}};
    return {low + dot(plane_.n, p) - plane_.offset, plane_.n};
  }
  /// The normal of the ground that a sole is laid on.
  Vec3 normal(const RobotKind& kind, int link, const Mat3& R, Vec3 p) const {
    if (sight_ == nullptr) return plane_.n;
    const auto u = static_cast<std::size_t>(link);
    Vec3 middle{0, 0, 0};
    for (int k = kind.point_begin[u]; k < kind.point_begin[u + 1]; ++k) middle += kind.points[static_cast<std::size_t>(k)].p_BC;
    const Surface s = under(p + R * (middle * (1.0 / (kind.point_begin[u + 1] - kind.point_begin[u]))));
    if (s.there && !s.solid) return plane_.n;
    return s.there && s.n.z > kSteepest ? s.n : Vec3{0, 0, 1};
  }

 private:
  struct Surface {
    bool there, solid;  // is there any; is it something on the plane
    Vec3 at, n;
  };
  /// The highest ground below a point, or a step up over it.
  Surface under(Vec3 p) const {
    Surface s{false, false, p, {0, 0, 1}};
    s.there = s.solid = sight_->below(p + Vec3{0, 0, kStepUp}, kDeep, s.at, s.n) && s.n.z > 0;
    if (!plane_.present || !(plane_.n.z > 0)) return s;
    const double z = (plane_.offset - plane_.n.x * p.x - plane_.n.y * p.y) / plane_.n.z;
    if (s.there && s.at.z >= z) return s;
    return {true, false, {p.x, p.y, z}, plane_.n};
  }

  const Plane& plane_;
  const GroundSight* sight_;
};

/// Puts a foot flat on the ground where it is now: its z axis (the sole's normal at q = 0) becomes the ground's normal.
Stand put_down(const RobotKind& kind, const Ground& ground, int foot, Vec3 p_WB, const Frame& f) {
  const int link = kind.feet[static_cast<std::size_t>(foot)];
  const Vec3 p = p_WB + f.p;
  const Vec3 z = ground.normal(kind, link, f.R, p), y = cross(z, f.R.x);
  const Vec3 y_unit = y * (1 / norm(y));
  const Mat3 R{cross(y_unit, z), y_unit, z};
  const Clearance c = ground.clearance(kind, link, R, p);
  return {foot, c.over < kDeep ? p - c.up * c.over : p, to_quaternion(R), true};
}

int lowest_foot(const RobotKind& kind, const Ground& ground, Vec3 p_WB, const Frame* frames, int standing) {
  // The standing foot keeps its role unless another is really lower, not by rounding.
  constexpr double kClearly = 1e-6;  // [m]
  int best = standing;
  double low = std::numeric_limits<double>::infinity();
  for (int i = -1; i < static_cast<int>(kind.feet.size()); ++i) {
    const int foot = i < 0 ? standing : i;
    const int link = kind.feet[static_cast<std::size_t>(foot)];
    const double height = ground.clearance(kind, link, frames[link].R, p_WB + frames[link].p).over;
    if (height < low - kClearly) {
      low = height;
      best = foot;
    }
  }
  return best;
}

/// Pose of a link in the root's frame for joint coordinates q.
Pose link_in_root(const RobotKind& kind, int link, const double* q) {
  Pose X = identity_pose();  // X_BF built from the foot to the root
  for (int i = link; i > 0; i = kind.links[static_cast<std::size_t>(i)].parent) {
    const Link& l = kind.links[static_cast<std::size_t>(i)];
    Pose X_PL{identity3<double>(), l.p_PB};
    if (l.prismatic) {
      X_PL.p += l.axis * q[i - 1];
    } else {
      double s, c;
      sine_cosine(q[i - 1], s, c);
      turn(l, s, c, identity3<double>(), X_PL.R);
    }
    X = X_PL * X;
  }
  return X;
}

/// Pose of the base over the standing foot for joint coordinates q.
Pose base_over(const RobotKind& kind, const Stand& stand, const double* q) {
  const Pose X_BF = link_in_root(kind, kind.feet[static_cast<std::size_t>(stand.foot)], q);
  return Pose{to_matrix(stand.q_WF), stand.p_WF} * inverse(X_BF);
}

/// Angular velocity that turns a into b within h: rotation vector of b a⁻¹ by its series, exact to 1e-12 up to 0.1 rad
/// a step.
Vec3 turning(const Quat& a, const Quat& b, double h) {
  const Quat d = b * conjugate(a);
  const double sign = d.w < 0 ? -2 : 2;
  const Vec3 v{d.x, d.y, d.z};
  const double s = dot(v, v);
  return v * (sign * (1 + s * (1.0 / 6 + s * (3.0 / 40 + s * (15.0 / 336)))) / h);
}

}  // namespace

MotionNeeds KinematicWalk::bind(const RobotKind& kind) {
  MotionNeeds n;
  n.z_size = kStand + 1;
  n.scratch = sizeof(Stand);
  n.uses_contacts = n.uses_drives = n.uses_velocities = false;
  n.infinite_mass = true;
  if (kind.feet.empty()) n.missing.push_back("feet: name the objects that may stand on the ground, feet = [\"…\"]");
  for (int link : kind.feet) {
    const auto u = static_cast<std::size_t>(link);
    if (kind.point_begin[u] == kind.point_begin[u + 1]) n.missing.push_back("a collision shape on every foot");
  }
  if (kind.root == RootKind::fixed) n.missing.push_back("a free root: this robot is bolted to the world");
  return n;
}

void KinematicWalk::enter(View<access> view, double h) {
  const Vec3 p = base_position(view.q());
  const Ground ground(view.ground(), view.sight());
  const int foot = lowest_foot(view.kind(), ground, p, view.frames(), 0);
  const int link = view.kind().feet[static_cast<std::size_t>(foot)];
  store(put_down(view.kind(), ground, foot, p, view.frames()[link]), view.z_next());
  view.z_next()[kStand] = steps_behind(view.kind(), view.q() + 7, view.target(), h);
}

void KinematicWalk::predict(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  follow_targets(kind, view.k(), view.q() + 7, view.v() + 6, view.target(), view.z()[kStand], h, view.a_out());
  Stand stand = load(kind, view.z());
  const Vec3 p = base_position(view.q());
  const Ground ground(view.ground(), view.sight());
  const int foot = lowest_foot(kind, ground, p, view.frames(), stand.foot);
  if (foot != stand.foot)
    stand = put_down(kind, ground, foot, p, view.frames()[kind.feet[static_cast<std::size_t>(foot)]]);
  view.own<Stand>() = stand;
}

void KinematicWalk::respond(View<access> view) {  // infinite mass
  for (int i = 0; i < view.kind().nlink(); ++i) view.dV()[i] = zero6<double>();
  for (int i = 0; i < view.kind().njoint(); ++i) view.dv()[i] = 0;
}

void KinematicWalk::response(View<access>, std::span<const int> links, Response* out) {
  std::fill_n(out, links.size() * links.size(), Response{});
}

void KinematicWalk::commit(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const Stand& stand = view.own<Stand>();
  const double *q = view.q(), *v = view.v();
  double *q1 = view.q_next(), *v1 = view.v_next();
  commit_joints(kind.njoint(), q + 7, v + 6, view.a(), h, q1 + 7, v1 + 6);
  const Pose X_WB = base_over(kind, stand, q1 + 7);
  // Velocity is what the joints do over the standing foot. Putting a foot down flat shifts the base a little without
  // velocity, or a robot handed to a dynamic motion right then would be thrown.
  Vec3 p_before = base_position(q);
  Quat q_before = base_orientation(q);
  if (stand.fresh) {
    const Pose X = base_over(kind, stand, q + 7);
    p_before = X.p;
    q_before = to_quaternion(X.R);
  }
  const Quat turned = to_quaternion(X_WB.R);
  set_base_twist(v1, turning(q_before, turned, h), (X_WB.p - p_before) * (1 / h));
  set_base_pose(q1, X_WB.p, turned);
  store({stand.foot, stand.p_WF, stand.q_WF, false}, view.z_next());
  view.z_next()[kStand] = maximum(view.z()[kStand] - 1, 0.0);
  commit_results(kind, v, v1, h, view.r_next());
}

}  // namespace gradus
