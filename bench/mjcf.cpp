#include "bench/mjcf.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace gradus::bench {
namespace {

std::string text(Vec3 a) { return fmt::format("{:.17g} {:.17g} {:.17g}", a.x, a.y, a.z); }

/// One robot of a world.
struct Member {
  std::string name;  // before the names of its parts
  Pose X_WB;         // start
  bool touches_all;  // not the ground alone
};

std::string geom(const ShapeInfo& s, double friction, const Member& m) {
  const ShapeSpec& d = s.spec;
  std::string size;
  if (d.kind == ShapeKind::box)
    size = text(d.size * 0.5);
  else if (d.kind == ShapeKind::sphere)
    size = fmt::format("{:.17g}", d.radius);
  else if (d.kind == ShapeKind::capsule || d.kind == ShapeKind::cylinder)
    size = fmt::format("{:.17g} {:.17g}", d.radius, d.length / 2);
  else
    return "";
  const Quat q = to_quaternion(s.X_LS.R);
  return fmt::format(
      "<geom type=\"{}\" size=\"{}\" pos=\"{}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\" contype=\"{}\" "
      "conaffinity=\"1\" "
      "friction=\"{:.17g} 0.005 0.0001\"/>\n",
      to_string(d.kind), size, text(s.X_LS.p), q.w, q.x, q.y, q.z, m.touches_all ? 1 : 0, friction);
}

std::string joint(const RobotKind& kind, int link, const Member& m) {
  const Link& l = kind.links[static_cast<std::size_t>(link)];
  const Joint& j = kind.joints[static_cast<std::size_t>(link - 1)];
  const bool limited = std::isfinite(j.lower) && std::isfinite(j.upper);
  return fmt::format(
      "<joint name=\"{}j{}\" type=\"{}\" axis=\"{}\" damping=\"{:.17g}\" armature=\"{:.17g}\" frictionloss=\"{:.17g}\" "
      "limited=\"{}\"{}/>\n",
      m.name, link, l.prismatic ? "slide" : "hinge", text(l.axis), j.servo.kd + j.damping, l.rotor, j.friction,
      limited ? "true" : "false", limited ? fmt::format(" range=\"{:.17g} {:.17g}\"", j.lower, j.upper) : "");
}

std::string body(const RobotKind& kind, double friction, int link, const Member& m) {
  const Link& l = kind.links[static_cast<std::size_t>(link)];
  const Quat turn = link == 0 ? to_quaternion(m.X_WB.R) : Quat{1, 0, 0, 0};
  std::string s = fmt::format("<body name=\"{}b{}\" pos=\"{}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\">\n", m.name, link,
                              text(link == 0 ? m.X_WB.p : l.p_PB), turn.w, turn.x, turn.y, turn.z);
  if (link == 0)
    s += kind.root == RootKind::free ? "<freejoint/>\n" : "";
  else
    s += joint(kind, link, m);
  if (l.mass > 0)
    s += fmt::format(
        "<inertial pos=\"{}\" mass=\"{:.17g}\" fullinertia=\"{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\"/>\n",
        text(l.com), l.mass, l.J.xx, l.J.yy, l.J.zz, l.J.xy, l.J.xz, l.J.yz);
  for (const ShapeInfo& shape : kind.shapes)
    if (shape.link == link && shape.spec.collides) s += geom(shape, friction, m);
  for (int i = link + 1; i < kind.nlink(); ++i)
    if (kind.links[static_cast<std::size_t>(i)].parent == link) s += body(kind, friction, i, m);
  return s + "</body>\n";
}

std::string actuators(const RobotKind& kind, const Member& m) {
  std::string s;
  for (int i = 1; i < kind.nlink(); ++i) {
    const ServoSpec& servo = kind.joints[static_cast<std::size_t>(i - 1)].servo;
    const bool limited = std::isfinite(servo.torque);
    s += fmt::format("<position joint=\"{}j{}\" kp=\"{:.17g}\" forcelimited=\"{}\"{}/>\n", m.name, i, servo.kp,
                     limited ? "true" : "false",
                     limited ? fmt::format(" forcerange=\"{:.17g} {:.17g}\"", -servo.torque, servo.torque) : "");
  }
  return s;
}

std::string world(const RobotKind& kind, const ContactSpec& contact, std::span<const Member> members,
                  const MjcfOptions& o) {
  std::string s = fmt::format(
      "<mujoco model=\"{}\">\n<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n<size njmax=\"{}\" "
      "nconmax=\"{}\"/>\n"
      "<option timestep=\"{:.17g}\" integrator=\"{}\" solver=\"{}\" noslip_iterations=\"{}\" gravity=\"{}\"/>\n<worldbody>\n",
      kind.name, 500 + 400 * members.size(), 100 + 80 * members.size(), o.step, o.integrator, o.solver, o.noslip_iterations, text(o.gravity));
  if (o.ground)
    s += fmt::format(
        "<geom name=\"ground\" type=\"plane\" size=\"0 0 1\" contype=\"1\" conaffinity=\"0\" friction=\"{:.17g} 0.005 "
        "0.0001\"/>\n",
        contact.friction);
  for (const Member& m : members) s += body(kind, contact.friction, 0, m);
  s += "</worldbody>\n<actuator>\n";
  for (const Member& m : members) s += actuators(kind, m);
  return s + "</actuator>\n</mujoco>\n";
}

}  // namespace

std::string to_mjcf(const RobotKind& kind, const ContactSpec& contact, const MjcfOptions& o) {
  const Member one{"", {identity3<double>(), kind.links[0].p_PB}, false};
  return world(kind, contact, {&one, 1}, o);
}

std::string to_mjcf(const RobotKind& kind, const ContactSpec& contact, std::span<const Pose> starts,
                    const MjcfOptions& o) {
  std::vector<Member> members;
  for (const Pose& X : starts) members.push_back({fmt::format("r{}_", members.size()), X, true});
  return world(kind, contact, members, o);
}

}  // namespace gradus::bench
