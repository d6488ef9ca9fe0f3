#include "support/mjcf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gradus::test {
namespace {

std::string text(Vec3 a) { return fmt::format("{:.17g} {:.17g} {:.17g}", a.x, a.y, a.z); }

/// J = R diag(d) Rᵀ by Jacobi rotations to the last bit. MuJoCo's own reading of a full inertia stops at about 1e-7.
struct Principal {
  Mat3 R = identity3<double>();
  double d[3];
};

Principal principal(const Sym3& J) {
  Principal out;
  const Vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Sym3 A = J;
  for (int sweep = 0; sweep < 10; ++sweep) {
    for (int k = 0; k < 3; ++k) {  // the plane of the two axes other than k
      const double off = k == 0 ? A.yz : k == 1 ? A.xz : A.xy;
      const double p = k == 0 ? A.yy : k == 1 ? A.zz : A.xx, q = k == 0 ? A.zz : k == 1 ? A.xx : A.yy;
      if (off == 0) continue;
      // the smaller of the two angles that do it, |angle| ≤ π/4, or the sweeps go round in circles
      const double angle = p == q ? 0.25 * 3.14159265358979323846 : 0.5 * std::atan(2 * off / (p - q));
      const Mat3 turn = to_matrix(from_axis_angle(unit[k], angle));
      A = rotated(transpose(turn), A);
      out.R = out.R * turn;
    }
  }
  const double d[3] = {A.xx, A.yy, A.zz};
  std::copy(d, d + 3, out.d);
  return out;
}

std::string inertial(const Link& l) {
  const Principal p = principal(l.J);
  const Quat q = to_quaternion(p.R);
  return fmt::format(R"(<inertial pos="{}" mass="{:.17g}" quat="{:.17g} {:.17g} {:.17g} {:.17g}" diaginertia="{}"/>)",
                     text(l.com), l.mass, q.w, q.x, q.y, q.z, text(Vec3{p.d[0], p.d[1], p.d[2]}));
}

std::string joint(const RobotKind& kind, int link) {
  const Link& l = kind.links[static_cast<std::size_t>(link)];
  if (link == 0) return kind.root == RootKind::free ? "<freejoint/>" : "";
  return fmt::format(R"(<joint type="{}" axis="{}" armature="{:.17g}"/>)", l.prismatic ? "slide" : "hinge",
                     text(l.axis), l.rotor);
}

std::string body(const RobotKind& kind, int link) {
  const Link& l = kind.links[static_cast<std::size_t>(link)];
  std::string out = fmt::format("<body pos=\"{}\">{}{}\n", text(l.p_PB), joint(kind, link), inertial(l));
  for (int i = link + 1; i < kind.nlink(); ++i)
    if (kind.links[static_cast<std::size_t>(i)].parent == link) out += body(kind, i);
  return out + "</body>\n";
}

}  // namespace

std::string to_mjcf(const RobotKind& kind, Vec3 gravity) {
  return fmt::format(
      "<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\"/>\n"
      "<option gravity=\"{}\"><flag contact=\"disable\" constraint=\"disable\"/></option>\n"
      "<worldbody>\n{}</worldbody></mujoco>\n",
      text(gravity), body(kind, 0));
}

}  // namespace gradus::test
