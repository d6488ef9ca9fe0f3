#include "batch/gpu/limb_robot.h"

#include <cmath>

namespace gradus {
namespace {

template <class T>
LimbLinkT<T> link_numbers(const KindArraysT<T>& kind, int i) {
  const LinkT<T>& l = kind.links[i];
  const T o = T(0);
  const Vec3T<T> c = kind.bound_centre[i];
  return {{l.p_PB.x, l.p_PB.y, l.p_PB.z, l.rotor}, {l.com.x, l.com.y, l.com.z, l.mass}, {l.J.xx, l.J.yy, l.J.zz, o},
          {l.J.xy, l.J.xz, l.J.yz, o},             {l.axis.x, l.axis.y, l.axis.z, o},    {c.x, c.y, c.z, kind.bound_radius[i]}};
}

template <class T>
LimbJointT<T> joint_numbers_of(const DriveConstantsT<T>& j) {
  const auto& s = j.servo;
  const T o = T(0), lost = std::isfinite(s.torque) && std::isfinite(s.speed) ? s.torque / s.speed : o;
  return {{s.kp, s.kd, s.torque, lost},
          {j.lower, j.upper, j.stop_k, j.stop_d},
          {j.damping, j.friction, j.spring, s.speed},
          {j.mimic_multiplier, j.mimic_offset, o, o}};
}

template <class T>
std::uint32_t code_of(const KindArraysT<T>& kind, const LimbPlan& plan, int i) {
  const LinkT<T>& l = kind.links[i];
  const int slot = i > 0 ? l.branch + 1 : plan.root_takes ? 1 : 0;
  return static_cast<std::uint32_t>(l.axis_kind) | (l.prismatic ? kPrismatic : 0u) | (kind.bound_radius[i] >= 0 ? kHasPoints : 0u) |
         static_cast<std::uint32_t>(l.round) << kRoundShift | (l.diagonal ? kDiagonal : 0u) | (l.mass > 0 ? kHasMass : 0u) |
         static_cast<std::uint32_t>(plan.joint_bit[i]) << kJointShift | static_cast<std::uint32_t>(plan.point_bit[i]) << kPointShift |
         static_cast<std::uint32_t>(slot) << kSlotShift;
}

}  // namespace

template <class T>
bool make_limb_robot(const BatchConstantsT<T>& c, int warps, LimbRobotData<T>& out, std::string& error) {
  const KindArraysT<T>& kind = c.kind;
  out = {};
  LimbRobotT<T>& r = out.robot;
  if (!make_limb_plan(kind, warps, r.plan, error)) return false;
  if (c.chain_count > 0) error = "actuator chains";
  if (c.ground.present && !is_level(c.ground)) error = "ground that is not level";
  for (int i = 0; i < kind.njoint(); ++i)
    if (c.joints[i].passive) error = "a joint without a servo of its own";
  if (!error.empty()) return false;
  r.nlink = kind.nlink;
  r.npoint = kind.npoint();
  r.slots = kind.branch_count;
  r.root = kind.root;
  r.ground = c.ground.present;
  r.predictions = c.predictions;
  r.h = c.h;
  r.offset = c.ground.offset;
  r.gravity = c.gravity;
  out.points.assign(kind.points, kind.points + kind.npoint());
  for (int i = 0; i <= kind.nlink; ++i) r.point_begin[i] = static_cast<std::int16_t>(kind.point_begin[i]);
  out.needs.many = r.plan.bits > 32;
  for (int i = 0; i < kind.nlink; ++i) {
    out.links.push_back(link_numbers(kind, i));
    r.code[i] = code_of(kind, r.plan, i);
    r.mimic_of[i] = i == 0 ? std::int16_t(-1) : static_cast<std::int16_t>(c.joints[i - 1].mimic_of);
    for (int k = kind.point_begin[i]; k < kind.point_begin[i + 1]; ++k)
      r.point_bits[i] |= std::uint64_t(1) << (r.plan.point_bit[i] + (k - kind.point_begin[i]));
    out.needs.prismatic = out.needs.prismatic || kind.links[i].prismatic;
    if (i == 0) continue;
    out.joints.push_back(joint_numbers_of(c.joints[i - 1]));
    out.needs.passive = out.needs.passive || c.joints[i - 1].friction > 0 || c.joints[i - 1].spring > 0;
    out.needs.mimics = out.needs.mimics || c.joints[i - 1].mimic_of >= 0;
  }
  return true;
}

template bool make_limb_robot<float>(const BatchConstantsT<float>&, int, LimbRobotData<float>&, std::string&);
template bool make_limb_robot<double>(const BatchConstantsT<double>&, int, LimbRobotData<double>&, std::string&);

}  // namespace gradus
