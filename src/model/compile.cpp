#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/rng.h"
#include "model/flex.h"
#include "model/inertia.h"
#include "model/link_pairs.h"
#include "model/material.h"
#include "model/model.h"
#include "model/rest_on_grid.h"
#include "model/walls.h"

namespace gradus {
namespace {

/// Children in the order of the description, for the depth-first numbering.
std::vector<std::vector<int>> successors(const RobotSpec& robot) {
  std::vector<std::vector<int>> next(robot.objects.size());
  for (std::size_t i = 1; i < robot.objects.size(); ++i)
    next[static_cast<std::size_t>(robot.objects[i].parent.value)].push_back(static_cast<int>(i));
  return next;
}

Axis axis_kind_of(Vec3 a) {
  if (a.x == 1 && a.y == 0 && a.z == 0) return Axis::x;
  if (a.x == 0 && a.y == 1 && a.z == 0) return Axis::y;
  if (a.x == 0 && a.y == 0 && a.z == 1) return Axis::z;
  return Axis::general;
}

/// −1, 0 and 1 exactly where rounding left them a hair off, so that coordinate axes are recognised after rotations.
double snapped(double x) {
  for (double s : {-1.0, 0.0, 1.0})
    if (std::fabs(x - s) < 1e-14) return s;
  return x;
}
Vec3 snapped(Vec3 a) { return {snapped(a.x), snapped(a.y), snapped(a.z)}; }

/// Links at the start posture.
std::vector<Pose> start_links(const RobotKind& kind, const Pose& X_WB) {
  std::vector<Pose> X_WL(kind.links.size());
  X_WL[0] = X_WB;
  for (std::size_t i = 1; i < X_WL.size(); ++i) {
    const Link& l = kind.links[i];
    const double q = kind.joints[i - 1].initial;
    Pose X_PL{identity3<double>(), l.p_PB};
    if (l.prismatic)
      X_PL.p += l.axis * q;
    else
      X_PL.R = to_matrix(from_axis_angle(l.axis, q));
    X_WL[i] = X_WL[static_cast<std::size_t>(l.parent)] * X_PL;
  }
  return X_WL;
}

/// Where a loop holds, about its place, in the frame of its first part: three points at most, so that what they leave
/// free is what the loop leaves free. Two on a hinge fix one direction twice, which the solver's compliance settles.
std::vector<Vec3> held_points(const LoopSpec& l) {
  const Vec3 n = l.axis * (0.5 * l.width / norm(l.axis));
  if (l.hold == LoopHold::ball) return {{0, 0, 0}};
  if (l.hold == LoopHold::hinge) return {n, -n};
  const double r = 0.5 * l.width, s = 0.8660254037844386 * r;
  return {{r, 0, 0}, {-0.5 * r, s, 0}, {-0.5 * r, -s, 0}};
}

class Compiler {
 public:
  Compiler(const RobotSpec& spec, const ContactSpec& contact, const SurfaceSpec& ground)
      : spec_(spec), contact_(contact), ground_(ground) {}

  std::shared_ptr<const RobotKind> run() {
    out_->name = spec_.name;
    out_->root = spec_.root;
    out_->meshes = spec_.meshes;
    const auto n = spec_.objects.size();
    X_R_.resize(n, identity_pose());
    link_of_.resize(n, 0);
    next_ = successors(spec_);
    out_->objects.resize(n);
    visit(0);
    resolve_mimics();
    number_drives();
    finish_links();
    finish_stops();
    finish_points();
    for (const std::string& foot : spec_.feet)
      out_->feet.push_back(link_of_[static_cast<std::size_t>(spec_.find(foot).value)]);
    for (const SensorSpec& s : spec_.sensors) {
      const int on = s.on.empty() ? 0 : spec_.find(s.on).value;
      const ObjectInfo& o = out_->objects[static_cast<std::size_t>(on)];
      out_->sensors.push_back({s, on, o.link, o.X_LO * s.X_OS});
    }
    add_loops();
    return out_;
  }

 private:
  void visit(int i) {
    const auto u = static_cast<std::size_t>(i);
    const ObjectSpec& o = spec_.objects[u];
    if (o.parent) {
      const auto p = static_cast<std::size_t>(o.parent.value);
      X_R_[u] = X_R_[p] * own_transform(o);
      link_of_[u] = link_of_[p];
    }
    if (!o.parent || o.is_joint()) add_link(i);
    add_body(i);
    for (int c : next_[u]) visit(c);
  }

  /// Points of loops: those on a as described, those on b where the start posture has them, so that hinges and welds are
  /// straight at the start; a place on b that was given moves them all.
  void add_loops() {
    if (spec_.loops.empty()) return;
    const std::vector<Pose> X = start_links(*out_, identity_pose());
    for (std::size_t i = 0; i < spec_.loops.size(); ++i) {
      const LoopSpec& l = spec_.loops[i];
      const ObjectInfo &a = object(l.a), &b = object(l.b);
      const Pose X_BA = inverse(X[static_cast<std::size_t>(b.link)]) * X[static_cast<std::size_t>(a.link)];
      const Vec3 at = a.X_LO * l.at, shift = l.meets ? b.X_LO * *l.meets - X_BA * at : Vec3{0, 0, 0};
      for (const Vec3& d : held_points(l)) {
        const Vec3 p_A = at + a.X_LO.R * d;
        out_->loops.push_back({a.link, b.link, p_A, X_BA * p_A + shift, static_cast<int>(i)});
      }
    }
  }

  const ObjectInfo& object(const std::string& name) const {
    return out_->objects[static_cast<std::size_t>(spec_.find(name).value)];
  }

  void add_link(int i) {
    const auto u = static_cast<std::size_t>(i);
    const ObjectSpec& o = spec_.objects[u];
    Link link{};
    link.parent = static_cast<std::int16_t>(o.parent ? link_of_[u] : -1);
    link.branch = -1;
    link.p_PB = o.parent ? X_R_[u].p - origin_[static_cast<std::size_t>(link.parent)] : Vec3{0, 0, 0};
    link.axis = snapped(X_R_[u].R * (o.axis * (1 / norm(o.axis))));
    link.axis_kind = axis_kind_of(link.axis);
    link.prismatic = o.kind == ObjectKind::prismatic;
    link.leader = link.follower = link.hold = link.typed = -1;
    link.rotor = !o.drive ? o.servo.rotor : o.drive->has_rotor() ? 0 : o.drive->rotor_inertia();
    origin_.push_back(X_R_[u].p);
    link_of_[u] = static_cast<int>(out_->links.size());
    if (o.type != nullptr) add_column(o, X_R_[u].R, link);
    out_->links.push_back(link);
    if (o.parent) add_joint(i);
  }

  /// A coordinate of a joint with a type of its own; its columns come one after the other.
  void add_column(const ObjectSpec& o, const Mat3& R_LJ, Link& link) {
    const int number = static_cast<int>(out_->links.size());
    if (o.column == 0) {
      TypedJoint t{o.type, number, number, link.parent, link.p_PB, R_LJ, {}};
      for (std::size_t k = 0; k < static_cast<std::size_t>(o.type->dof); ++k)
        t.S[k] = {snapped(R_LJ * o.type->S[k].a), snapped(R_LJ * o.type->S[k].l)};
      typed_.push_back(t);
    }
    typed_.back().last = number;
    link.typed = static_cast<std::int16_t>(typed_.size() - 1);
  }

  void add_joint(int i) {
    const ObjectSpec& o = spec_.objects[static_cast<std::size_t>(i)];
    Joint j{};
    j.lower = o.lower;
    j.upper = o.upper;
    j.damping = o.damping;
    j.friction = o.friction;
    j.spring = o.spring;
    j.servo = o.drive ? equivalent_servo(*o.drive) : o.servo;
    j.drive = -1;
    j.initial = o.initial;
    j.mimic_of = -1;
    j.mimic_multiplier = o.mimic ? o.mimic->multiplier : 1;
    j.mimic_offset = o.mimic ? o.mimic->offset : 0;
    j.object = i;
    out_->joints.push_back(j);
  }

  /// A stop is a critically damped spring for what the joint carries at q = 0, stiff enough for its servo; implicit, so
  /// any value is stable.
  ///   k = max(I ω², T/δ),  d = 2 √(k I)      I: inertia of all links beyond the joint about its axis, and the rotor (9)
  void finish_stops() {
    constexpr double kFrequency = 100;                     // ω   [rad/s]
    constexpr double kGiveAngle = 0.02, kGiveWay = 0.001;  // δ   [rad], [m]
    for (int i = 1; i < out_->nlink(); ++i) {
      Joint& j = out_->joints[static_cast<std::size_t>(i) - 1];
      const ObjectSpec& o = spec_.objects[static_cast<std::size_t>(j.object)];
      const double inertia = inertia_beyond(i);
      j.stop_k = inertia * kFrequency * kFrequency;
      if (std::isfinite(j.servo.torque))
        j.stop_k = std::max(j.stop_k, j.servo.torque / (o.kind == ObjectKind::prismatic ? kGiveWay : kGiveAngle));
      if (o.stop_stiffness > 0) j.stop_k = o.stop_stiffness;
      j.stop_d = o.stop_damping > 0 ? o.stop_damping : 2 * std::sqrt(j.stop_k * inertia);
    }
  }

  /// What a joint moves at q = 0: mass along its axis or inertia about it, with its rotor.
  double inertia_beyond(int joint_link) const {
    const std::vector<Link>& links = out_->links;
    const auto i = static_cast<std::size_t>(joint_link);
    const Vec3 a = links[i].axis;
    double sum = links[i].rotor;
    for (std::size_t k = i; k < links.size(); ++k) {
      std::size_t up = k;
      while (up > i) up = static_cast<std::size_t>(links[up].parent);
      if (up != i) continue;
      const Vec3 r = cross(a, origin_[k] + links[k].com - origin_[i]);
      sum += links[i].prismatic ? links[k].mass : links[k].mass * dot(r, r) + dot(a, links[k].J * a);
    }
    return sum;
  }

  void add_body(int i) {
    const auto u = static_cast<std::size_t>(i);
    const ObjectSpec& o = spec_.objects[u];
    const int l = link_of_[u];
    Link& link = out_->links[static_cast<std::size_t>(l)];
    const Pose X_LO{X_R_[u].R, X_R_[u].p - origin_[static_cast<std::size_t>(l)]};
    if (o.mass > 0) {
      RigidBody body{link.mass, link.com, link.J};
      body.add(o.mass, X_LO * o.com, rotated(X_LO.R, o.inertia));
      link.mass = body.mass, link.com = body.com, link.J = body.inertia;
    }
    const int joint = o.is_joint() ? l - 1 : -1;
    out_->objects[u] = {o.name,   o.kind, l, joint, o.is_body(), X_LO, o.mass, o.colour.value_or(Vec3{0.7, 0.7, 0.72}),
                        o.surface};
    for (const ShapeSpec& s : o.shapes) {
      const Pose X_LS = X_LO * s.X_OS;
      out_->shapes.push_back({s, i, l, X_LS});
      if (s.collides) add_points(s, X_LS, l, i);
    }
  }

  void add_points(const ShapeSpec& s, const Pose& X_LS, int link, int object) {
    ContactPoint c{};  // its law follows when the robot's mass is known [finish_points]
    c.link = static_cast<std::int16_t>(link);
    c.object = static_cast<std::int16_t>(object);
    each_point(s, [&](Vec3 p_S, double radius) {
      c.p_BC = X_LS * p_S;
      c.radius = radius;
      out_->points.push_back(c);
    });
  }

  /// Calls put(place in the shape's frame, radius) for each point of a shape that may touch the ground.
  template <class Put>
  void each_point(const ShapeSpec& s, const Put& put) {
    switch (s.kind) {
      case ShapeKind::sphere:
        put({0, 0, 0}, s.radius);
        break;
      case ShapeKind::box:
        for (int k = 0; k < 8; ++k)
          put({(k & 1 ? 0.5 : -0.5) * s.size.x, (k & 2 ? 0.5 : -0.5) * s.size.y, (k & 4 ? 0.5 : -0.5) * s.size.z}, 0);
        break;
      case ShapeKind::capsule:
        put({0, 0, -0.5 * s.length}, s.radius);
        put({0, 0, 0.5 * s.length}, s.radius);
        break;
      case ShapeKind::cylinder:
        add_rims(s, put);
        break;
      case ShapeKind::mesh:
      case ShapeKind::hull:
        add_extremes(s, put);
        break;
      case ShapeKind::plane:
      case ShapeKind::height_field:
        break;  // of the field only
    }
  }

  /// Eight points on each rim: the exact rim comes with collision detection.
  template <class Put>
  void add_rims(const ShapeSpec& s, const Put& put) {
    for (int k = 0; k < 16; ++k) {
      double sn, cs;
      sine_cosine((k % 8) * 0.78539816339744831, sn, cs);
      put({s.radius * cs, s.radius * sn, k < 8 ? -0.5 * s.length : 0.5 * s.length}, 0);
    }
  }

  /// The vertices farthest along 26 directions (faces, edges and corners of a cube), each once.
  template <class Put>
  void add_extremes(const ShapeSpec& s, const Put& put) {
    const auto& v = spec_.meshes[static_cast<std::size_t>(s.mesh)].vertices;
    std::vector<std::size_t> chosen;
    for (int k = 0; k < 27; ++k) {
      const Vec3 d{double(k % 3 - 1), double(k / 3 % 3 - 1), double(k / 9 - 1)};
      std::size_t best = 0;
      for (std::size_t i = 1; i < v.size(); ++i)
        if (dot(v[i], d) > dot(v[best], d)) best = i;
      if (k != 13 && !v.empty() && std::find(chosen.begin(), chosen.end(), best) == chosen.end())
        chosen.push_back(best);
    }
    for (std::size_t i : chosen) put(v[i], 0);
  }

  /// Which links follow their predecessor, which collect from elsewhere.
  void finish_links() {
    auto& links = out_->links;
    const int n = out_->nlink();
    for (int i = 1; i < n; ++i) {
      Link& l = links[static_cast<std::size_t>(i)];
      l.follows = l.parent == i - 1;
      Link& parent = links[static_cast<std::size_t>(l.parent)];
      if (!l.follows && parent.branch < 0) parent.branch = static_cast<std::int16_t>(out_->branch_count++);
    }
    for (int i = 0; i < n; ++i)
      links[static_cast<std::size_t>(i)].tip = i + 1 == n || !links[static_cast<std::size_t>(i + 1)].follows;
    for (int i = n - 1; i >= 0; --i)
      if (links[static_cast<std::size_t>(i)].branch >= 0)
        for (int k = i; k >= 0; k = links[static_cast<std::size_t>(k)].parent)
          links[static_cast<std::size_t>(k)].on_branch_path = true;
    for (Link& l : links) {
      l.same_origin = l.p_PB.x == 0 && l.p_PB.y == 0 && l.p_PB.z == 0;
      l.diagonal = l.J.xy == 0 && l.J.xz == 0 && l.J.yz == 0;
      out_->mass += l.mass;
    }
    for (Link& l : links) l.round = round_axis(l);
    out_->pairs = std::make_shared<const LinkPairs>(pair_links(links, typed_));
    for (const JointPair& p : out_->pairs->joints)
      links[static_cast<std::size_t>(p.second)].second = p.second != p.first;
  }

  void finish_points() {
    auto& pts = out_->points;
    std::stable_sort(pts.begin(), pts.end(),
                     [](const ContactPoint& a, const ContactPoint& b) { return a.link < b.link; });
    const int n = out_->nlink();
    out_->point_begin.assign(static_cast<std::size_t>(n) + 1, 0);
    for (const ContactPoint& p : pts) ++out_->point_begin[static_cast<std::size_t>(p.link) + 1];
    for (int i = 0; i < n; ++i)
      out_->point_begin[static_cast<std::size_t>(i) + 1] += out_->point_begin[static_cast<std::size_t>(i)];
    for (int i = 0; i < n; ++i) bound(i);
    for (ContactPoint& p : pts) {
      const ObjectSpec& o = spec_.objects[static_cast<std::size_t>(p.object)];
      const PairNumbers numbers = scaled_numbers(contact_, o.surface, ground_, out_->mass);
      p.friction = numbers.friction;
      p.k = numbers.stiffness, p.d = numbers.damping;
      p.kt = numbers.tangential_stiffness, p.dt = numbers.tangential_damping;
      out_->point_restitution.push_back(numbers.restitution);
      out_->bounces |= numbers.restitution > 0;
    }
  }

  void bound(int link) {
    Vec3 centre{0, 0, 0};
    double radius = -1;
    const int b = out_->point_begin[static_cast<std::size_t>(link)],
              e = out_->point_begin[static_cast<std::size_t>(link) + 1];
    for (int k = b; k < e; ++k) centre += out_->points[static_cast<std::size_t>(k)].p_BC * (1.0 / (e - b));
    for (int k = b; k < e; ++k) {
      const ContactPoint& p = out_->points[static_cast<std::size_t>(k)];
      radius = std::max(radius, norm(p.p_BC - centre) + p.radius);
    }
    out_->bound_centre.push_back(centre);
    out_->bound_radius.push_back(radius);
  }

  void resolve_mimics() {
    for (Joint& j : out_->joints) {
      const ObjectSpec& o = spec_.objects[static_cast<std::size_t>(j.object)];
      if (!o.mimic) continue;
      j.mimic_of = out_->find_joint(o.mimic->of);
      out_->has_mimics = true;
    }
    for (int j = 0; j < out_->njoint(); ++j) share_coordinate(j);
  }

  /// A joint that mimics one of the same parent link shares its coordinate with it: both are eliminated together,
  /// exactly [tree/dynamics.h (9)]. Other mimics are followed by stiff servos.
  void share_coordinate(int number) {
    Joint& j = out_->joints[static_cast<std::size_t>(number)];
    if (j.mimic_of < 0 || j.mimic_multiplier == 0 || out_->joints[static_cast<std::size_t>(j.mimic_of)].mimic_of >= 0)
      return;
    const int first = std::min(number, j.mimic_of) + 1, second = std::max(number, j.mimic_of) + 1;
    Link &a = out_->links[static_cast<std::size_t>(first)], &b = out_->links[static_cast<std::size_t>(second)];
    if (a.parent != b.parent || a.follower >= 0 || a.leader >= 0 || b.follower >= 0 || b.leader >= 0) return;
    j.shared = j.passive = true;
    a.follower = static_cast<std::int16_t>(second);
    b.leader = static_cast<std::int16_t>(first);
    a.hold = b.hold = static_cast<std::int16_t>(out_->branch_count++);
    a.ratio = b.ratio = number + 1 == second ? j.mimic_multiplier : 1 / j.mimic_multiplier;
    Joint& leader = out_->joints[static_cast<std::size_t>(j.mimic_of)];
    j.initial = j.mimic_multiplier * leader.initial + j.mimic_offset;
  }

  /// A shared joint has no drive of its own.
  void number_drives() {
    for (int i = 0; i < out_->njoint(); ++i) {
      Joint& j = out_->joints[static_cast<std::size_t>(i)];
      const ObjectSpec& o = spec_.objects[static_cast<std::size_t>(j.object)];
      if (!o.drive || j.shared) continue;
      j.drive = static_cast<int>(out_->drives.size());
      j.passive = true;
      out_->drives.push_back({i, *o.drive});
    }
  }

  const RobotSpec& spec_;
  const ContactSpec& contact_;
  const SurfaceSpec& ground_;
  std::shared_ptr<RobotKind> out_ = std::make_shared<RobotKind>();
  std::vector<Pose> X_R_;               // (nobject) object frame in the root frame at q = 0
  std::vector<int> link_of_;            // (nobject)
  std::vector<TypedJoint> typed_;
  std::vector<Vec3> origin_;            // (nlink) link origin in the root frame at q = 0
  std::vector<std::vector<int>> next_;  // (nobject) successors
};

/// Any right-handed pair of tangents; the same for the same normal.
Plane make_plane(Vec3 n, double offset) {
  n = n * (1 / norm(n));
  const Vec3 seed = std::fabs(n.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 t = seed - n * dot(seed, n);
  const Vec3 t1 = t * (1 / norm(t));
  return {n, t1, cross(n, t1), offset, true};
}

}  // namespace

ServoSpec equivalent_servo(const DriveSpec& d) {
  const double gain = d.torque_gain() * d.controller.stiffness, loss = d.speed_loss();
  ServoSpec s;
  s.kp = gain * d.controller.kp;
  s.kd = gain * d.controller.kd + loss;
  if (std::isfinite(d.controller.limit) && gain > 0) s.torque = gain * d.controller.limit;
  if (std::isfinite(s.torque) && loss > 0) s.speed = s.torque / loss;
  s.rotor = d.rotor_inertia();
  return s;
}

int RobotKind::find_object(const std::string& object_name) const {
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (objects[i].name == object_name) return static_cast<int>(i);
  return -1;
}

int RobotKind::find_joint(const std::string& joint_name) const {
  const int o = find_object(joint_name);
  return o < 0 ? -1 : objects[static_cast<std::size_t>(o)].joint;
}

int Model::find_robot(const std::string& robot_name) const {
  for (std::size_t i = 0; i < robots.size(); ++i)
    if (robots[i].name == robot_name) return static_cast<int>(i);
  return -1;
}

namespace {

/// Loops must join two links, and be closed at the start posture.
Result<std::shared_ptr<const RobotKind>> with_sound_loops(const RobotSpec& robot, std::shared_ptr<const RobotKind> kind,
                                                          Diagnostics notes) {
  constexpr double kClosed = 0.001;  // [m]
  const std::vector<Pose> X = kind->loops.empty() ? std::vector<Pose>{} : start_links(*kind, identity_pose());
  int told = -1;
  for (const LoopPoint& p : kind->loops) {
    const LoopSpec& l = robot.loops[static_cast<std::size_t>(p.loop)];
    if (told == p.loop) continue;
    const double open = norm(X[static_cast<std::size_t>(p.link_a)] * p.p_A - X[static_cast<std::size_t>(p.link_b)] * p.p_B);
    std::string text, suggestion;
    if (p.link_a == p.link_b)
      text = fmt::format("'{}' and '{}' are one rigid part already", l.a, l.b), suggestion = "name parts on both sides of a joint";
    else if (open > kClosed)
      text = fmt::format("it is open by {:.1f} mm at the start posture", 1000 * open),
      suggestion = "give the joints an `initial` that closes it, or leave `meets` out: the start posture then says where it holds";
    if (text.empty()) continue;
    told = p.loop;
    notes.push_back({l.place, Severity::error, "loop '" + l.name + "': " + text, suggestion});
  }
  if (has_errors(notes)) return notes;
  return {std::move(kind), std::move(notes)};
}

}  // namespace

Result<std::shared_ptr<const RobotKind>> compile(const RobotSpec& robot, const ContactSpec& contact,
                                                 const SurfaceSpec& ground) {
  Diagnostics notes = check(robot);
  if (has_errors(notes)) return notes;
  if (has_flexible_links(robot)) {
    const RobotSpec cut = cut_flexible_links(robot);
    notes = check(cut);  // names may now be taken twice
    if (has_errors(notes)) return notes;
    return with_sound_loops(cut, Compiler(cut, contact, ground).run(), std::move(notes));
  }
  return with_sound_loops(robot, Compiler(robot, contact, ground).run(), std::move(notes));
}

namespace {

/// Lowest contact point at the start posture above the plane, with the base where the scene put it.
double clearance(const RobotKind& kind, const RobotInstanceSpec& r, const Plane& plane);
/// How far to lift a robot from where it starts so that no contact point is inside terrain; `or_down`: or to lower it
/// onto it.
double rise_onto_terrain(const RobotKind& kind, const Pose& X_WB, const SceneSpec& scene, bool or_down);

bool same_description(const RobotSpec& a, const RobotSpec& b);

void add_group(const SceneSpec& scene, const GroupSpec& spec, Model& m) {
  GroupModel g{spec, {}, 0, 0};
  for (const char* team : {"blue", "yellow", ""})
    for (std::size_t i = 0; i < scene.robots.size(); ++i) {
      if (scene.robots[i].group != spec.name || scene.robots[i].team != team) continue;
      g.members.push_back(static_cast<int>(i));
      g.blue += scene.robots[i].team == "blue";
      g.yellow += scene.robots[i].team == "yellow";
      m.robots[i].group = static_cast<int>(m.groups.size());
      m.robots[i].motion = spec.motion;
    }
  m.groups.push_back(std::move(g));
}

constexpr std::uint32_t kScatter = 0x5ca77e6;  // stream of random numbers

/// The same place for the same seed, another for another.
void scatter(const RobotInstanceSpec& r, RandomKey key, RobotModel& robot) {
  if (r.scatter > 0) {
    robot.p_WB.x += random_in(key, 0, 0, -r.scatter, r.scatter);
    robot.p_WB.y += random_in(key, 0, 1, -r.scatter, r.scatter);
  }
  if (r.scatter_yaw > 0)
    robot.q_WB = from_axis_angle({0, 0, 1}, random_in(key, 0, 2, -r.scatter_yaw, r.scatter_yaw)) * robot.q_WB;
}

}  // namespace

namespace {

/// What the scene says and needs no work.
void copy_world(const SceneSpec& scene, Model& m) {
  m.name = scene.name;
  m.file = scene.file;
  m.step = scene.step;
  m.gravity = scene.gravity;
  m.seed = scene.seed;
  m.duration = scene.duration;
  m.log_period = scene.log_period;
  m.field = with_walls(scene.field, scene.maps);
  m.meshes = scene.meshes;
  m.maps = scene.maps;
  m.contact = scene.contact;
  m.volumes = scene.volumes;
  m.pitch = scene.pitch;
}

/// A robot that the scene puts into the ground is thrown out of it.
void warn_if_inside(const SceneSpec& scene, const RobotInstanceSpec& r, const RobotKind& kind, const Plane& ground,
                    Diagnostics& notes) {
  constexpr double kDeep = 0.02;  // [m] less is what a standing robot sinks in, or a base plate
  if (r.on_ground || !r.group.empty()) return;
  const double depth = -clearance(kind, r, ground);
  if (depth < kDeep) return;
  notes.push_back({r.place.line > 0 ? r.place : Place{scene.file, 0, 0}, Severity::warning,
                   fmt::format("robot '{}' starts {:.0f} mm inside the ground", r.name, 1000 * depth),
                   "raise it: pose = { z = \"…\" }, or here --set " + r.name + ".pose.z='…'"});
}

/// The first plane is the ground, all else that collides is a static object.
void add_field(Model& m) {
  for (std::size_t i = 0; i < m.field.size(); ++i) {
    const FieldObjectSpec& f = m.field[i];
    if (f.shape.kind != ShapeKind::plane || m.ground.present) {
      if (f.shape.collides) m.static_objects.push_back(static_cast<int>(i));
      continue;
    }
    const Pose X_WS = f.X_WO * f.shape.X_OS;
    m.ground_surface = f.surface;
    m.ground = make_plane(X_WS.R.z, dot(X_WS.R.z, X_WS.p) / norm(X_WS.R.z));
  }
}

/// Kind and description of robot i: those of an earlier robot with the same one, or new ones. No kind: see the notes.
void set_kind(const SceneSpec& scene, std::size_t i, const Model& m, RobotModel& robot, Diagnostics& notes) {
  const RobotSpec& description = scene.robots[i].robot;
  for (std::size_t k = 0; k < i; ++k) {
    if (!same_description(scene.robots[k].robot, description)) continue;
    robot.kind = m.robots[k].kind, robot.spec = m.robots[k].spec;
    return;
  }
  auto made = compile(description, scene.contact, m.ground_surface);
  notes.insert(notes.end(), made.notes().begin(), made.notes().end());
  if (!made) return;
  robot.kind = *made;
  robot.spec = std::make_shared<const RobotSpec>(description);
}

}  // namespace

namespace {

/// "blue" of "blue3"; "" of names that are no word and number.
std::string team_by_name(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end == std::string::npos || end + 1 == name.size() ? "" : name.substr(0, end + 1);
}

/// Penalty contacts give way by load over stiffness: more than 5 mm on four points is worth a word.
void warn_of_sinking(const SceneSpec& scene, const RobotInstanceSpec& r, const RobotKind& kind, Diagnostics& notes) {
  if (kind.points.empty() || kind.root == RootKind::fixed || r.motion == "free_body" || !r.group.empty()) return;
  double least = kind.points[0].k;
  for (const ContactPoint& p : kind.points) least = std::min(least, p.k);
  const double depth = kind.mass * norm(scene.gravity) / (4 * least);
  if (!(depth > 0.005)) return;
  notes.push_back({{scene.file, 0, 0},
                   Severity::warning,
                   fmt::format("robot '{}': its {:.4g} kg sink {:.0f} mm into the ground, {:.3g} N/m at each of four points",
                               r.name, kind.mass, depth * 1e3, least),
                   "leave out the stiffness, or say how deep it may sink: contact = { depth = \"1 mm\" }"});
}

}  // namespace

Result<Model> compile(const SceneSpec& scene) {
  Diagnostics notes = check(scene);
  if (has_errors(notes)) return notes;
  Model m;
  copy_world(scene, m);
  add_field(m);
  for (std::size_t i = 0; i < scene.robots.size(); ++i) {
    const RobotInstanceSpec& r = scene.robots[i];
    RobotModel robot{r.name, nullptr, r.motion,           r.controller,  r.p_WB,
                     r.v_WB, r.w_WB,  normalized(r.q_WB), r.self_contact, r.commands == "impedance"};
    robot.team = !r.team.empty() ? r.team : team_by_name(r.name);
    set_kind(scene, i, m, robot, notes);
    if (!robot.kind) return notes;
    warn_of_sinking(scene, r, *robot.kind, notes);
    scatter(r, RandomKey{scene.seed, static_cast<std::uint32_t>(i), kScatter}, robot);
    if (m.ground.present) warn_if_inside(scene, r, *robot.kind, m.ground, notes);
    const bool bolted = robot.kind->root == RootKind::fixed;  // is raised out of the ground, but not lowered onto it
    if (r.on_ground && m.ground.present) {
      const double lowest = clearance(*robot.kind, r, m.ground);
      robot.p_WB.z -= (bolted ? std::min(lowest, 0.0) : lowest) / m.ground.n.z;
    }
    if (r.on_ground && !bolted)
      robot.p_WB.z += rise_onto_terrain(*robot.kind, {to_matrix(robot.q_WB), robot.p_WB}, scene, !m.ground.present);
    m.robots.push_back(std::move(robot));
  }
  for (const GroupSpec& g : scene.groups) add_group(scene, g, m);
  return {std::move(m), std::move(notes)};
}

namespace {

/// Calls visit(point, place in the world) for every contact point at the start posture.
template <class Visit>
void each_start_point(const RobotKind& kind, const Pose& X_WB, const Visit& visit) {
  const std::vector<Pose> X_WL = start_links(kind, X_WB);
  for (int i = 0; i < kind.nlink(); ++i) {
    const auto u = static_cast<std::size_t>(i);
    for (int k = kind.point_begin[u]; k < kind.point_begin[u + 1]; ++k) {
      const ContactPoint& p = kind.points[static_cast<std::size_t>(k)];
      visit(p, X_WL[u] * p.p_BC);
    }
  }
}

double clearance(const RobotKind& kind, const RobotInstanceSpec& r, const Plane& plane) {
  double lowest = std::numeric_limits<double>::infinity();
  each_start_point(kind, {to_matrix(normalized(r.q_WB)), r.p_WB}, [&](const ContactPoint& p, Vec3 at) {
    if (p.link == 0 && kind.root == RootKind::fixed) return;  // a foot in the ground is how a base is bolted down
    lowest = std::min(lowest, dot(plane.n, at) - p.radius - plane.offset);
  });
  return std::isfinite(lowest) ? lowest : 0;
}

double rise_onto_terrain(const RobotKind& kind, const Pose& X_WB, const SceneSpec& scene, bool or_down) {
  double rise = or_down ? -std::numeric_limits<double>::infinity() : 0;
  for (const FieldObjectSpec& f : scene.field) {
    if (f.shape.kind != ShapeKind::height_field || !f.shape.collides) continue;
    const Pose X_SW = inverse(f.X_WO * f.shape.X_OS);
    each_start_point(kind, X_WB, [&](const ContactPoint& p, Vec3 at) {
      const Vec3 in_map = X_SW * at;
      const HeightMapSpec& map = scene.maps[static_cast<std::size_t>(f.shape.map)];
      const double height = (map.walls ? rest_height_on_cells : rest_height)(map.grid, in_map.x, in_map.y, p.radius);
      if (height == height) rise = std::max(rise, height - in_map.z);
    });
  }
  return std::isfinite(rise) ? rise : 0;
}

bool same(const Vec3& a, const Vec3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
bool same(const Sym3& a, const Sym3& b) {
  return a.xx == b.xx && a.xy == b.xy && a.xz == b.xz && a.yy == b.yy && a.yz == b.yz && a.zz == b.zz;
}
bool same(const std::optional<FlexSpec>& a, const std::optional<FlexSpec>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->cuts == b->cuts && a->stiffness == b->stiffness && a->damping == b->damping && a->twists == b->twists &&
         same(a->along, b->along);
}
bool same(const ServoSpec& a, const ServoSpec& b) {
  return a.kp == b.kp && a.kd == b.kd && a.torque == b.torque && a.speed == b.speed && a.rotor == b.rotor;
}

/// Loaded from the same file and not edited since: the numbers that --set, servo overrides and start postures can
/// change.
bool same(const std::vector<SensorSpec>& a, const std::vector<SensorSpec>& b) {
  const auto same_setting = [](const SensorSetting& x, const SensorSetting& y) {
    return x.key == y.key && x.numbers == y.numbers && x.words == y.words && x.unit == y.unit;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const SensorSpec& x, const SensorSpec& y) {
    return x.name == y.name && x.kind == y.kind && x.on == y.on && same(x.X_OS.p, y.X_OS.p) &&
           same(x.X_OS.R.x, y.X_OS.R.x) && same(x.X_OS.R.y, y.X_OS.R.y) &&
           std::equal(x.settings.begin(), x.settings.end(), y.settings.begin(), y.settings.end(), same_setting);
  });
}

bool same_description(const RobotSpec& a, const RobotSpec& b) {
  if (a.file.empty() || a.file != b.file || a.root != b.root || a.objects.size() != b.objects.size() ||
      !same(a.sensors, b.sensors))
    return false;
  for (std::size_t i = 0; i < a.objects.size(); ++i) {
    const ObjectSpec &x = a.objects[i], &y = b.objects[i];
    if (x.name != y.name || x.mass != y.mass || !same(x.com, y.com) || !same(x.inertia, y.inertia) ||
        x.initial != y.initial || x.lower != y.lower || x.upper != y.upper || x.damping != y.damping ||
        x.friction != y.friction || x.spring != y.spring ||
        x.stop_stiffness != y.stop_stiffness || x.stop_damping != y.stop_damping || !same(x.servo, y.servo) || x.drive != y.drive ||
        !same(x.flex, y.flex) || x.surface.friction != y.surface.friction ||
        x.surface.stiffness != y.surface.stiffness || x.surface.damping != y.surface.damping ||
        x.surface.material != y.surface.material || x.surface.restitution != y.surface.restitution ||
        x.surface.rolling != y.surface.rolling || x.surface.torsion != y.surface.torsion)
      return false;
  }
  return true;
}

}  // namespace
}  // namespace gradus
