#include "motion/free_body/free_body.h"

#include "motion/rigid.h"

namespace gradus {

MotionNeeds FreeBody::bind(const RobotKind& kind) {
  MotionNeeds n = rigid_needs(kind, 0);
  n.uses_drives = n.uses_contacts = false;
  n.couples_world = n.may_sleep = true;
  if (kind.njoint() > 0) n.missing.push_back("a single rigid body: this robot has joints");
  return n;
}

void FreeBody::predict(View<access> view, double h) { predict_one_body(view, h); }

void FreeBody::respond(View<access> view) {
  respond_rigid(view.kind(), view.own<RigidScratch>().factor, view.impulse(), view.dV(), view.dv());
}

void FreeBody::response(View<access> view, std::span<const int> links, Response* out) {
  response_rigid(view.kind(), view.own<RigidScratch>().factor, links, out);
}

void FreeBody::commit(View<access> view, double h) { commit_one_body(view, h); }

}  // namespace gradus
