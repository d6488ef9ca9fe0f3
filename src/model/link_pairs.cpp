#include "model/link_pairs.h"

namespace gradus {
namespace {

/// Can one run of instructions do both joints?
bool same_sort(const Link& a, const Link& b) {
  return a.typed < 0 && b.typed < 0 && a.axis_kind == b.axis_kind && a.prismatic == b.prismatic && a.same_origin == b.same_origin &&
         (a.round == Axis::general) == (b.round == Axis::general);
}

/// For every link the other one of its pair, or itself.
std::vector<int> find_twins(const std::vector<Link>& links) {
  const int n = static_cast<int>(links.size());
  const auto at = [&](int i) -> const Link& { return links[static_cast<std::size_t>(i)]; };
  std::vector<int> twin(links.size(), -1);
  const auto twin_of = [&](int i) -> int& { return twin[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i) {
    if (twin_of(i) >= 0) continue;
    twin_of(i) = i;
    if (i == 0) continue;
    for (int j = i + 1; j < n && twin_of(i) == i; ++j) {
      const bool parents = at(j).parent == at(i).parent || at(j).parent == twin_of(at(i).parent);
      if (twin_of(j) >= 0 || !parents || !same_sort(at(i), at(j))) continue;
      twin_of(i) = j;
      twin_of(j) = i;
    }
  }
  return twin;
}

bool weightless(const Link& l) { return l.mass == 0 && l.diagonal && l.J.xx == 0 && l.J.yy == 0 && l.J.zz == 0; }

/// Is the inertia the same across the axis?
bool is_round(const Link& l, Axis axis) {
  if (!l.diagonal) return false;
  if (axis == Axis::x) return l.J.yy == l.J.zz;
  if (axis == Axis::y) return l.J.xx == l.J.zz;
  return l.J.xx == l.J.yy;
}

/// Numbers of a body that is round about a coordinate axis.
struct Spindle {
  double com, along, across;  // place of the centre of mass, inertia along and across the axis
};
Spindle about(const Link& l, Axis axis) {
  if (axis == Axis::x) return {l.com.x, l.J.xx, l.J.yy};
  if (axis == Axis::y) return {l.com.y, l.J.yy, l.J.zz};
  return {l.com.z, l.J.zz, l.J.xx};
}

/// Does the centre of mass lie on the axis?
bool on_axis(const Link& l, Axis axis) {
  return (axis == Axis::x || l.com.x == 0) && (axis == Axis::y || l.com.y == 0) && (axis == Axis::z || l.com.z == 0);
}

/// An axis about which both are round, best one with the centres of mass on it.
void find_round(const Link& a, const Link& b, JointPair& p) {
  p.round = Axis::general;
  p.on_axis = false;
  for (Axis axis : {Axis::x, Axis::y, Axis::z}) {
    if (p.on_axis || !is_round(a, axis) || !is_round(b, axis)) continue;
    p.on_axis = on_axis(a, axis) && on_axis(b, axis);
    p.round = axis;
    const Spindle s = about(a, axis), t = about(b, axis);
    p.along = two(s.com, t.com);
    p.j = two(s.across, t.across);
    p.d = two(s.along - s.across, t.along - t.across);
  }
}

JointPair make_joint_pair(const std::vector<Link>& links, int first, int second) {
  const Link &a = links[static_cast<std::size_t>(first)], &b = links[static_cast<std::size_t>(second)];
  JointPair p{};
  p.link.p_PB = two(a.p_PB, b.p_PB);
  p.link.axis = two(a.axis, b.axis);
  p.link.axis_kind = a.axis_kind;
  p.link.prismatic = a.prismatic;
  p.link.same_origin = a.same_origin;
  p.typed = a.typed < 0 ? JointPair::kPlain : JointPair::kEarlier;
  if (a.typed >= 0) p.link.axis_kind = Axis::general, p.link.prismatic = false;  // the last branch of compute_in_pairs
  p.link.com = two(a.com, b.com);
  p.link.mass = two(a.mass, b.mass);
  p.link.rotor = two(a.rotor, b.rotor);
  p.link.J = {two(a.J.xx, b.J.xx), two(a.J.xy, b.J.xy), two(a.J.xz, b.J.xz),
              two(a.J.yy, b.J.yy), two(a.J.yz, b.J.yz), two(a.J.zz, b.J.zz)};
  p.link.diagonal = a.diagonal && b.diagonal;
  p.massless = weightless(a) && weightless(b);
  find_round(a, b, p);
  p.link.round = p.round;
  p.shared = first != second && b.leader == first;
  p.link.ratio = two(a.ratio, b.ratio);
  p.first = first;
  p.second = second;
  p.parent_1 = a.parent;
  p.parent_2 = b.parent;
  return p;
}

/// a and b, or a and nothing if there is no second link.
Two pair_of(double a, double b, bool alone) { return two(a, alone ? 0 : b); }

BodyPair make_body_pair(const Link& a, const Link& b, int first, int second) {
  const bool alone = first == second;
  return {two(a.com, b.com),
          pair_of(a.mass, b.mass, alone),
          pair_of(a.J.xx - a.J.zz, b.J.xx - b.J.zz, alone),
          pair_of(a.J.yy - a.J.zz, b.J.yy - b.J.zz, alone),
          first,
          second};
}

/// The axis of a body of revolution; general: it is none.
Axis spindle_axis(const Link& l) {
  for (Axis axis : {Axis::z, Axis::y, Axis::x})
    if (on_axis(l, axis) && is_round(l, axis)) return axis;
  return Axis::general;
}

SpindlePair make_spindle_pair(const Link& l, const Link& m, Axis axis, int first, int second) {
  const bool alone = first == second;
  const Spindle a = about(l, axis), b = about(m, axis);
  return {two(a.com, b.com),
          pair_of(l.mass, m.mass, alone),
          pair_of(a.along - a.across, b.along - b.across, alone),
          axis,
          first,
          second};
}

/// Neighbours among the links with mass and diagonal inertia that have the axis (general: none).
void pair_bodies(const std::vector<Link>& links, Axis axis, LinkPairs& out) {
  const auto at = [&](int i) -> const Link& { return links[static_cast<std::size_t>(i)]; };
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(links.size()); ++i)
    if (at(i).mass > 0 && at(i).diagonal && spindle_axis(at(i)) == axis) {
      found.push_back(i);
      out.sphere += axis == Axis::general ? at(i).J.zz : about(at(i), axis).across;
    }
  for (std::size_t k = 0; k < found.size(); k += 2) {
    const int first = found[k], second = found[k + 1 < found.size() ? k + 1 : k];
    if (axis == Axis::general)
      out.bodies.push_back(make_body_pair(at(first), at(second), first, second));
    else
      out.spindles.push_back(make_spindle_pair(at(first), at(second), axis, first, second));
  }
}

/// Which pairs follow which, and slots where limbs meet.
void find_limbs(const std::vector<Link>& links, LinkPairs& out) {
  std::vector<int> slot(links.size(), -1);
  slot[0] = 0;
  auto slot_of = [&](int link) -> int {
    int& s = slot[static_cast<std::size_t>(link)];
    return s >= 0 ? s : s = out.slot_count++;
  };
  auto follows = [&](int link) { return links[static_cast<std::size_t>(link)].follows; };
  JointPair* before = nullptr;
  for (JointPair& p : out.joints) {
    p.direct_1 = follows(p.first), p.direct_2 = follows(p.second);
    p.follows = before && p.direct_1 && p.direct_2 && before->first == p.parent_1 && before->second == p.parent_2;
    p.link.tip = true;
    if (p.follows)
      before->link.tip = false;
    else
      p.into_1 = slot_of(p.parent_1), p.into_2 = slot_of(p.parent_2);
    before = &p;
  }
  for (JointPair& p : out.joints)
    p.collect_1 = slot[static_cast<std::size_t>(p.first)], p.collect_2 = slot[static_cast<std::size_t>(p.second)];
}

}  // namespace

Axis round_axis(const Link& link) {
  for (Axis axis : {Axis::x, Axis::y, Axis::z})
    if (is_round(link, axis)) return axis;
  return Axis::general;
}

LinkPairs pair_links(const std::vector<Link>& links, std::vector<TypedJoint> typed) {
  LinkPairs out;
  out.typed = std::move(typed);
  const std::vector<int> twin = find_twins(links);
  for (int i = 1; i < static_cast<int>(links.size()); ++i) {
    if (twin[static_cast<std::size_t>(i)] < i) continue;
    out.joints.push_back(make_joint_pair(links, i, twin[static_cast<std::size_t>(i)]));
    for (std::size_t t = 0; t < out.typed.size(); ++t)
      if (out.typed[t].last == i) out.joints.back().typed = static_cast<int>(t);
  }
  find_limbs(links, out);
  int followers = 0, shared = 0;
  for (const Link& l : links) followers += l.leader >= 0;
  for (const JointPair& p : out.joints) shared += p.shared;
  out.shared_apart = followers != shared;
  for (Axis axis : {Axis::x, Axis::y, Axis::z, Axis::general}) pair_bodies(links, axis, out);
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i].mass > 0 && !links[i].diagonal) out.odd.push_back(static_cast<int>(i));
  return out;
}

}  // namespace gradus
