#include "motion/prescribed_joints/prescribed_joints.h"

#include "motion/flight_pairs.h"
#include "motion/joint_path.h"
#include "motion/rigid.h"
#include "tree/dynamics.h"
#include "tree/kernels.h"

namespace gradus {

namespace {

/// The joints move as they must; the root keeps the momentum [motion/flight.inl (4)].
template <class V>
void commit_flight(const V& view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v();
  double *q1 = view.q_next(), *v1 = view.v_next();
  const Vec6& acc0 = view.acc()[0];
  const Vec3 w0 = base_angular_velocity(v), v0 = base_velocity(v);
  Vec3 w1 = w0 + acc0.a * h, vb = v0 + (acc0.l + view.gravity()) * h;
  const bool hit = view.impulses() > 0, rests = view.rests();
  const Vec6 jump = hit ? view.dV()[0] : zero6<double>();
  const Quat turned = mean_turn(q, rests ? w1 : w0 + jump.a, w1, h);
  set_base_pose(q1, base_position(q), turned);
  set_base_twist(v1, w1, vb);
  commit_joints(kind.njoint(), q + 7, v + 6, view.a(), h, q1 + 7, v1 + 6);
  Frame* next = view.frames_next();
  compute_frames(kind, q1, v1, next);
  // own scratch: RigidScratch, then room for flight
  const FlightPairsRoom room = FlightPairsRoom::at(kind, &view.template own<RigidScratch>() + 1);
  FlightSumT<double> sum;
  momenta_in_pairs(kind, view.frames(), room.before);
  sum_momenta_in_pairs(kind, view.frames(), next, acc0, jump.l, h, room, sum);
  add_change(kind.nlink(), room.links, sum);
  add_outside(view, hit, h, room.links, sum);
  set_base_pose(q1, keep_momentum(sum, base_position(q), v0, view.gravity(), rests, h, w1, vb), turned);
  set_base_twist(v1, w1, vb);
  renew_velocities(kind, w1, v1 + 6, next);
  view.flew() = true;
}

}  // namespace

MotionNeeds PrescribedJoints::bind(const RobotKind& kind) {
  MotionNeeds n = rigid_needs(kind, 1);
  n.scratch += FlightPairsRoom::size(kind);
  return n;
}

void PrescribedJoints::enter(View<access> view, double h) {
  *view.z_next() = steps_behind(view.kind(), view.q() + 7, view.target(), h);
}

void PrescribedJoints::predict(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v();
  follow_targets(kind, view.k(), q + 7, v + 6, view.target(), *view.z(), h, view.a_out());
  const CoordinatesT<double> x = coordinates_of(q, v);
  Mat6 M;
  Vec6 bias;
  Vec6* acc = view.acc_out();
  root_rows(kind.links.data(), kind.nlink(), x, view.frames(), view.a(), M, bias, acc);
  add_push(view, bias);
  add_contacts(view.contacts(), view.gravity(), acc, M, bias);
  add_spin(view, acc, h, M, bias);
  const Vec6 acc0 = solve_root(kind.root, view.gravity(), M, bias, view.own<RigidScratch>().factor);
  for (int i = 0; i < kind.nlink(); ++i) acc[i] += acc0;
}

void PrescribedJoints::respond(View<access> view) {
  respond_rigid(view.kind(), view.own<RigidScratch>().factor, view.impulse(), view.dV(), view.dv());
}

void PrescribedJoints::response(View<access> view, std::span<const int> links, Response* out) {
  response_rigid(view.kind(), view.own<RigidScratch>().factor, links, out);
}

void PrescribedJoints::commit(View<access> view, double h) {
  *view.z_next() = maximum(*view.z() - 1, 0.0);
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v();
  const bool contact = touches(view.contacts());
  if (view.impulses() < 2 && !contact && kind.root == RootKind::free) {
    commit_flight(view, h);
    return commit_results(kind, v, view.v_next(), h, view.r_next());
  }
  commit_root(kind.root, q, v, view.acc()[0], view.gravity(), contact || view.rests(), h, view.q_next(),
              view.v_next());
  if (!contact && !view.rests()) add_kick(view.kick(), h, view.q_next());
  commit_joints(kind.njoint(), q + 7, v + 6, view.a(), h, view.q_next() + 7, view.v_next() + 6);
  commit_results(kind, v, view.v_next(), h, view.r_next());
}

}  // namespace gradus
