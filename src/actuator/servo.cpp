#include "actuator/servo.inl"

namespace gradus {

void Servo::begin(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  begin_servos(kind.joints.data(), kind.njoint(), view.q() + 7, view.v() + 6, view.target(), h, view.drive_out());
}

bool Servo::review(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  return review_servos(kind.joints.data(), kind.njoint(), view.v() + 6, view.a(), h, view.drive_out());
}

}  // namespace gradus
