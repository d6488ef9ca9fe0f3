#include "motion/single_body/single_body.h"

#include "motion/joint_path.h"
#include "motion/rigid.h"

namespace gradus {

MotionNeeds SingleBody::bind(const RobotKind& kind) { return rigid_needs(kind, 1); }

void SingleBody::enter(View<access> view, double h) {
  *view.z_next() = steps_behind(view.kind(), view.q() + 7, view.target(), h);
}

void SingleBody::predict(View<access> view, double h) {
  follow_targets(view.kind(), view.k(), view.q() + 7, view.v() + 6, view.target(), *view.z(), h, view.a_out());
  predict_one_body(view, h);
}

void SingleBody::respond(View<access> view) {
  respond_rigid(view.kind(), view.own<RigidScratch>().factor, view.impulse(), view.dV(), view.dv());
}

void SingleBody::response(View<access> view, std::span<const int> links, Response* out) {
  response_rigid(view.kind(), view.own<RigidScratch>().factor, links, out);
}

void SingleBody::commit(View<access> view, double h) {
  *view.z_next() = maximum(*view.z() - 1, 0.0);
  commit_one_body(view, h);
  commit_joints(view.kind().njoint(), view.q() + 7, view.v() + 6, view.a(), h, view.q_next() + 7, view.v_next() + 6);
}

}  // namespace gradus
