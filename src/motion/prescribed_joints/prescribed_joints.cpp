#include "motion/prescribed_joints/prescribed_joints.h"

#include "motion/joint_path.h"
#include "motion/rigid.h"
#include "tree/dynamics.h"

namespace gradus {

MotionNeeds PrescribedJoints::bind(const RobotKind& kind) { return rigid_needs(kind, 1); }

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
  const bool contact = touches(view.contacts()) || view.rests();
  commit_root(kind.root, q, v, view.acc()[0], view.gravity(), contact, h, view.q_next(), view.v_next());
  if (!contact) add_kick(view.kick(), h, view.q_next());
  commit_joints(kind.njoint(), q + 7, v + 6, view.a(), h, view.q_next() + 7, view.v_next() + 6);
  commit_results(kind, v, view.v_next(), h, view.r_next());
}

}  // namespace gradus
