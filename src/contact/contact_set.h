/// All contacts of the state that was looked at, in one set of Touch, whoever found them and whoever solves them: points
/// on the ground plane, shapes on objects of the field, moving bodies among each other.
///
/// The set holds nothing: it walks through the rooms of those who found them, and what a visitor does not use costs
/// nothing once it is inlined. Points on the plane are visited if they are near or pressed in the last step, all others if
/// they are near now.
#pragma once
#include "contact/contacts.h"
#include "contact/find/static_world.h"
#include "contact/law/law.h"
#include "contact/records.h"
#include "state/touch.h"

namespace gradus {

class ContactSet {
 public:
  ContactSet(std::span<const RobotContext* const> robots, const ContactLaw& law, const Contacts& moving, double h)
      : robots_(robots), law_(law), moving_(moving), h_(h) {}

  /// Every contact of one robot, seen from it: plane, field, moving bodies. One that it has with itself comes twice.
  template <class Visit>
  void on(int robot, const Visit& visit) const {
    walk(robot, visit, [](bool) { return true; });
  }
  /// Of these, those that are counted with it and not with the other robot, so that over all robots each comes once.
  template <class Visit>
  void of(int robot, const Visit& visit) const {
    walk(robot, visit, [](bool from_b) { return !from_b; });
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (int r = 0; r < static_cast<int>(robots_.size()); ++r) of(r, visit);
  }
  /// Those of two links that move, seen from one of them; without those of sleepers.
  template <class Visit>
  void between(const Visit& visit) const {
    for (const MovingContact& c : moving_.live_contacts())
      if (c.robot_b >= 0) visit(seen(c, false));
  }
  /// What the static world presses a link with, along the normals.                                [N]
  double load(int robot, int link) const;

 private:
  template <class Visit, class Takes>
  void walk(int robot, const Visit& visit, const Takes& takes) const {
    const RobotContext& c = *robots_[static_cast<std::size_t>(robot)];
    on_plane(robot, c, visit);
    on_field(robot, c, visit);
    moving_.each_of(robot, [&](const MovingContact& m, bool from_b) {
      if (takes(from_b)) visit(seen(m, from_b));
    });
  }

  template <class Visit>
  void on_plane(int robot, const RobotContext& c, const Visit& visit) const {
    const auto* memory = reinterpret_cast<const ContactMemory*>(c.now + c.at.contact);
    const Plane& ground = *c.ground;
    const int npoint = static_cast<int>(c.kind->points.size());
    const auto show = [&](int i, const StaticContact* near) {
      const ContactPoint& p = c.kind->points[static_cast<std::size_t>(i)];
      const ContactMemory& m = memory[i];
      const Frame& f = c.s->frames[static_cast<std::size_t>(p.link)];
      const Vec3 at = base_position(c.now + c.at.q) + f.p + f.R * p.p_BC - ground.n * p.radius;
      visit(Touch{robot, p.link, p.object, -1, -1, kGroundPlane, at, ground.n, m.fn,
                  force(c, p, m, ground.n, ground.t1, ground.t2, p.link, at), near ? spring(p, m, near->gap) : 0, false});
    };
    int i = 0;
    const StaticContact *x = c.s->contacts.data(), *end = x + c.s->contact_count;
    while (i < npoint) {  // to the next near point, whose numbers ascend; between them, those that pressed and are gone
      while (x != end && x->point >= npoint) ++x;
      const int near = x != end ? x->point : npoint;
      for (; i < near; ++i)
        if (memory[i].fn > 0) show(i, nullptr);
      if (x != end) show(i++, x++);
    }
  }

  template <class Visit>
  void on_field(int robot, const RobotContext& c, const Visit& visit) const {
    if (c.s->field_count == 0) return;
    const auto npoint = static_cast<int>(c.kind->points.size());
    for (int i = 0; i < c.s->contact_count; ++i) {
      const StaticContact& x = c.s->contacts[static_cast<std::size_t>(i)];
      if (x.point < npoint) continue;
      const FieldContact& f = c.s->field[static_cast<std::size_t>(x.point - npoint)];
      const Frame& frame = c.s->frames[static_cast<std::size_t>(x.link)];
      const Vec3 at = base_position(c.now + c.at.q) + frame.p + frame.R * f.p_L;
      const int shape = c.statics->shapes[static_cast<std::size_t>(first_of(f.pair))].number;
      visit(Touch{robot, x.link, c.kind->shapes[static_cast<std::size_t>(shape)].object, -1, -1,
                  (*c.statics->solids)[static_cast<std::size_t>(second_of(f.pair))].object, at, f.n, f.m.fn,
                  force(c, f.law, f.m, f.n, f.t1, f.t2, x.link, at), spring(f.law, f.m, x.gap), false});
    }
  }

  Touch seen(const MovingContact& c, bool from_b) const {
    const double sign = from_b ? -1 : 1;
    const bool fixed = c.robot_b < 0;
    const Vec3 force = c.impulse * (sign / h_), normal = c.normal * sign;
    const double deep = minimum(c.felt, 0.0), spring = c.held ? 0 : 0.5 * c.stiffness * deep * deep + sticking_energy(c, c.impulse);
    if (from_b) return {c.robot_b, c.link_b, c.object_b, c.robot_a, c.link_a, c.object_a, c.point, normal, c.force, force, spring, c.held};
    return {c.robot_a, c.link_a, c.object_a, c.robot_b, fixed ? -1 : c.link_b, c.object_b, c.point, normal, c.force, force, spring, c.held};
  }

  static double spring(const ContactPoint& law, const ContactMemory& m, double gap) {
    const double deep = minimum(gap, 0.0);
    return 0.5 * law.k * deep * deep + 0.5 * law.kt * (m.s1 * m.s1 + m.s2 * m.s2);
  }

  /// Normal force and friction of the last step: the sticking spring's k_t s and, where the law has one and velocities are
  /// known, its damper d_t u; a point that slides has μ f_n at most [contact/law/compliant.h (2), (5)].
  Vec3 force(const RobotContext& c, const ContactPoint& law, const ContactMemory& m, Vec3 n, Vec3 t1, Vec3 t2, int link,
             Vec3 at) const {
    const Vec3 pressed = n * m.fn, spring = t1 * (m.s1 * law.kt) + t2 * (m.s2 * law.kt);
    if (!law_.springs || !c.s->velocities || !(m.fn > 0)) return pressed - spring;
    const Vec3 u = base_velocity(c.now + c.at.v) +
                   velocity_at(c.s->frames[static_cast<std::size_t>(link)].V, at - base_position(c.now + c.at.q));
    const Vec3 t = spring + (u - n * dot(u, n)) * law.dt;
    const double size = norm(t), most = law.friction * m.fn;
    return pressed + t * (m.sliding > 0 && size > most ? -most / size : -1.0);
  }

  std::span<const RobotContext* const> robots_;
  const ContactLaw& law_;
  const Contacts& moving_;
  double h_;
};

}  // namespace gradus
