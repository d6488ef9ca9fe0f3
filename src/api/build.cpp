#include "gradus/build.h"

#include "api/drafts.h"
#include "model/joints/joint_type.h"

namespace gradus {
namespace {

Vec3 vec(const Triple& x) { return {x[0], x[1], x[2]}; }

}  // namespace

RobotDraft::RobotDraft(const std::string& name) : impl_(new Impl{RobotBuilder(name)}) {}
RobotDraft::RobotDraft(const RobotDraft& o) : impl_(new Impl(*o.impl_)) {}
RobotDraft& RobotDraft::operator=(const RobotDraft& o) { return *impl_ = *o.impl_, *this; }
RobotDraft::~RobotDraft() = default;
RobotDraft& RobotDraft::fixed() { return impl_->robot.fixed(), *this; }
RobotDraft& RobotDraft::base(const std::string& name) { return impl_->robot.base(name), *this; }
RobotDraft& RobotDraft::translation(const std::string& name, Triple p) {
  return impl_->robot.translation(name, vec(p)), *this;
}
RobotDraft& RobotDraft::rotation(const std::string& name, Triple axis, double angle) {
  return impl_->robot.rotation(name, vec(axis), angle), *this;
}
RobotDraft& RobotDraft::revolute(const std::string& name, Triple axis) {
  return impl_->robot.revolute(name, vec(axis)), *this;
}
RobotDraft& RobotDraft::prismatic(const std::string& name, Triple axis) {
  return impl_->robot.prismatic(name, vec(axis)), *this;
}
RobotDraft& RobotDraft::ball(const std::string& name) { return impl_->robot.joint(name, *find_joint_type("ball")), *this; }
RobotDraft& RobotDraft::loop(const std::string& name, const std::string& a, const std::string& b, Triple at) {
  return impl_->robot.loop({.name = name, .a = a, .b = b, .at = vec(at)}), *this;
}
RobotDraft& RobotDraft::fork(const std::string& name) { return impl_->robot.fork(name), *this; }
RobotDraft& RobotDraft::endpoint(const std::string& name) { return impl_->robot.endpoint(name), *this; }
RobotDraft& RobotDraft::after(const std::string& object) {
  if (!impl_->robot.spec().find(object)) throw Error("there is no object '" + object + "' before this one");
  return impl_->robot.after(object), *this;
}
RobotDraft& RobotDraft::mass(double m, Triple centre, std::array<double, 6> i) {
  return impl_->robot.mass(m, vec(centre), {i[0], i[3], i[4], i[1], i[5], i[2]}), *this;
}
RobotDraft& RobotDraft::solid_box(double m, Triple size, Triple centre) {
  return impl_->robot.solid_box(m, vec(size), vec(centre)), *this;
}
RobotDraft& RobotDraft::solid_sphere(double m, double radius, Triple centre) {
  return impl_->robot.solid_sphere(m, radius, vec(centre)), *this;
}
RobotDraft& RobotDraft::limits(double lower, double upper) { return impl_->robot.limits(lower, upper), *this; }
RobotDraft& RobotDraft::servo(double kp, double kd, double torque) {
  ServoSpec s;
  s.kp = kp, s.kd = kd, s.torque = torque;
  return impl_->robot.servo(s), *this;
}
RobotDraft& RobotDraft::friction(double coulomb) { return impl_->robot.friction(coulomb), *this; }
RobotDraft& RobotDraft::initial(double q) { return impl_->robot.initial(q), *this; }
RobotDraft& RobotDraft::foot() { return impl_->robot.foot(), *this; }

SceneDraft::SceneDraft(double step) : impl_(new Impl) {
  impl_->scene.name = "built";
  impl_->scene.step = step;
}
SceneDraft::SceneDraft(const SceneDraft& o) : impl_(new Impl(*o.impl_)) {}
SceneDraft& SceneDraft::operator=(const SceneDraft& o) { return *impl_ = *o.impl_, *this; }
SceneDraft::~SceneDraft() = default;
SceneDraft& SceneDraft::gravity(Triple g) { return impl_->scene.gravity = vec(g), *this; }
SceneDraft& SceneDraft::friction(double coulomb) { return impl_->scene.contact.friction = coulomb, *this; }
SceneDraft& SceneDraft::ground() {
  FieldObjectSpec f;
  f.name = "ground";
  f.shape.kind = ShapeKind::plane;
  return impl_->scene.field.push_back(f), *this;
}
SceneDraft& SceneDraft::box(const std::string& name, Triple size, Triple centre) {
  FieldObjectSpec f;
  f.name = name;
  f.shape.kind = ShapeKind::box;
  f.shape.size = vec(size);
  f.X_WO.p = vec(centre);
  return impl_->scene.field.push_back(f), *this;
}
SceneDraft& SceneDraft::add(const std::string& name, const RobotDraft& robot, Triple position,
                            const std::string& motion) {
  RobotInstanceSpec r;
  r.name = name;
  r.robot = robot.impl_->robot.spec();
  r.motion = motion;
  r.p_WB = vec(position);
  return impl_->scene.robots.push_back(std::move(r)), *this;
}
SceneDraft& SceneDraft::on_ground() {
  if (impl_->scene.robots.empty()) throw Error("on_ground: no robot was added yet");
  return impl_->scene.robots.back().on_ground = true, *this;
}

SceneDraft& SceneDraft::impedance() {
  if (impl_->scene.robots.empty()) throw Error("impedance: no robot was added yet");
  return impl_->scene.robots.back().commands = "impedance", *this;
}

}  // namespace gradus
