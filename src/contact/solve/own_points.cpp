#include "contact/solve/own_points.h"

#include <algorithm>

#include "contact/law/compliant.inl"
#include "contact/law/each_contact.h"

namespace gradus {
namespace {

constexpr Access kAccess{.reads = Field::memory | Field::acc, .writes = Field::contacts};

double restitution_of(const RobotContext& c, const StaticContact& p) {
  const auto npoint = c.kind->points.size(), number = static_cast<std::size_t>(p.point);
  if (number >= npoint) return c.s->field[number - npoint].restitution;
  return c.kind->bounces ? c.kind->point_restitution[number] : 0;
}

}  // namespace

Vec6 predicted_twist(const RobotContext& c, int link, const Vec6& before, bool infinite_mass, double h) {
  const RobotScratch& s = *c.s;
  Vec6 V = before;
  if (!infinite_mass) V += Vec6{s.acc[0].a, s.acc[0].l + c.gravity} * h;
  for (int k = link; k > 0; k = c.kind->links[static_cast<std::size_t>(k)].parent)
    V += s.frames[static_cast<std::size_t>(k)].S * (h * s.a[static_cast<std::size_t>(k) - 1]);
  return V;
}

void release_points(const RobotContext& c) {
  for (int i = 0; i < c.s->contact_count; ++i) {
    StaticContact& p = c.s->contacts[static_cast<std::size_t>(i)];
    p.active = false;
    p.f = {0, 0, 0};
    p.W = {0, 0, 0, 0, 0, 0};
  }
}

bool points_bounce(const RobotContext& c, double impact_speed) {
  if (!c.kind->bounces && c.s->field_count == 0) return false;
  bool bounces = false;
  each_contact(View<kAccess>(c), 0, [&](const OwnLaw& law, double, const ContactMemory&, StaticContact& p) {
    bounces |= law.ground.along(p.u) < -impact_speed && restitution_of(c, p) > 0;
  });
  return bounces;
}

int add_points(const RobotContext& c, const PointNumbers& n, Vec3 origin, std::span<const int> slots, int first_slot,
               Couple& couple) {
  const double h = n.step;
  int without_room = 0;
  each_contact(View<kAccess>(c), h, [&](const OwnLaw& law, double, const ContactMemory& m, StaticContact& p) {
    CoupleContact x;
    x.a = first_slot + slots[static_cast<std::size_t>(p.link)];
    x.point = origin + p.r, x.normal = law.ground.n, x.gap = p.gap;
    x.law.friction = law.p.friction;
    x.law.stiffness = law.p.k, x.law.relaxation = law.p.d / law.p.k;
    x.law.restitution = restitution_of(c, p);
    x.law.impact_speed = n.impact_speed, x.law.recovery_speed = n.recovery_speed;
    x.R_n = 1 / (h * law.c()), x.R_t = 1 / (h * law.ct()), x.b_n = law.p.k * p.gap / law.c();
    x.before = compliant::deflection(law, m) * (-h * law.p.kt);
    // What the last step needed; a new point begins with nothing.
    x.impulse = law.ground.normal(h * m.fn) + (m.sliding != 0 ? Vec3{0, 0, 0} : x.before);
    x.key = CoupleContact::kOwnPoint;
    without_room += !couple.add_contact(x);
  });
  return without_room;
}

void take_points(const RobotContext& c, double h, std::span<const CoupleContact> points) {
  const View<kAccess> view(c);
  std::size_t next = 0;
  each_contact(view, h, [&](const OwnLaw& law, double, const ContactMemory& m, StaticContact& p) {
    if (next >= points.size()) return;
    const CoupleContact& x = points[next++];
    if (x.impact) return;  // the impulse is in the velocities; it left no spring behind, and positions take the mean (13)
    p.f = x.impulse * (1 / h);
    p.fn = law.ground.along(p.f);
    p.active = p.fn > 0;
    const Vec3 t = compliant::trial(law, compliant::deflection(law, m), p.u + acceleration(view, p) * h);
    const double size = norm(t);
    p.sliding = p.active && size > law.p.friction * p.fn * (1 + compliant::kOver);
    if (p.sliding) p.d = t * (1 / size);
    if (!p.active) p.f = {0, 0, 0};
  });
}

OwnPoints::OwnPoints(int links, int contacts) {
  const auto n = static_cast<std::size_t>(links);
  CoupleCapacity room;
  room.slots = links;
  room.contacts = std::min(contacts, 256);
  room.responses = room.contacts * links;
  couple_ = std::make_unique<Couple>(room);
  response_.resize(n * n), slots_.resize(n), place_.resize(n);
  links_.reserve(n);
}

void OwnPoints::add_slots(const RobotContext& c, const MotionTable& motion, double h) {
  const RobotScratch& s = *c.s;
  links_.clear();
  for (int i = 0; i < c.kind->nlink(); ++i) {
    if (s.contact_begin[static_cast<std::size_t>(i)] == s.contact_begin[static_cast<std::size_t>(i) + 1]) continue;
    place_[static_cast<std::size_t>(i)] = static_cast<int>(links_.size());
    links_.push_back(i);
  }
  motion.response(c, links_, response_.data());
  const Vec3 v = base_velocity(c.now + c.at.v);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    CoupleSlot& slot = slots_[i] = CoupleSlot{};
    const Vec6& V = s.frames[static_cast<std::size_t>(links_[i])].V;
    slot.V_before = {V.a, V.l + v};
    slot.V = predicted_twist(c, links_[i], slot.V_before, false, h);
  }
  couple_->add_group({slots_.data(), links_.size()}, response_.data());
}

bool OwnPoints::solve(const RobotContext& c, const MotionTable& motion, const PointNumbers& n) {
  RobotScratch& s = *c.s;
  couple_->clear();
  add_slots(c, motion, n.step);
  const int dropped = add_points(c, n, {0, 0, 0}, place_, 0, *couple_);
  const CoupleReport did = couple_->solve(n.step);
  std::fill(s.impulse.begin(), s.impulse.end(), zero6<double>());
  for (std::size_t i = 0; i < links_.size(); ++i)
    s.impulse[static_cast<std::size_t>(links_[i])] = couple_->slot(static_cast<int>(i)).impulse;
  s.impulses = 2;  // impacts move by the rule (13), not by that of flight
  motion.respond(c);
  for (std::size_t l = 0; l < s.acc.size(); ++l) s.acc[l] += s.dV[l] * (1 / n.step);
  for (std::size_t j = 0; j < s.a.size(); ++j) s.a[j] += s.dv[j] / n.step;
  take_points(c, n.step, couple_->contacts());
  return did.unsettled == 0 && dropped == 0;
}

}  // namespace gradus
