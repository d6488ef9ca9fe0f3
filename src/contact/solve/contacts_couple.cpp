// Contacts, half B: one island from predictions to impulses.
#include <algorithm>

#include "contact/contacts.h"
#include "contact/records.h"
#include "contact/solve/own_points.h"

namespace gradus {

std::span<const int> Contacts::robots_of(int island) const {
  const Island& s = islands_[island];
  return {robots_by_island_.data() + s.first_robot, static_cast<std::size_t>(s.robot_count)};
}

/// Slots and responses of a robot's touched links. Returns its first slot, −1 if there is no room.
int Contacts::add_group(int robot, const Robot& r, Work& w, std::size_t& room, double h) {
  const RobotContext& x = *r.context;
  const auto u = static_cast<std::size_t>(robot), n = static_cast<std::size_t>(touched_count_[u]);
  if (room + n * n > w.response.size()) return -1;
  const std::span<const int> links{touched_.data() + link_offset_[u], n};
  Response* response = w.response.data() + room;
  if (x.s->renewed || response_at_[u] != static_cast<int>(room) || response_count_[u] != static_cast<int>(n))
    (*r.motion)->response(x, links, response);
  response_at_[u] = static_cast<int>(room), response_count_[u] = static_cast<int>(n);
  const Vec3 v = base_velocity(x.now + x.at.v);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec6& V = x.s->frames[links[i]].V;
    CoupleSlot& s = w.slots[i];
    s = CoupleSlot{};
    s.V_before = {V.a, V.l + v};
    s.V = predicted_twist(x, links[i], s.V_before, r.needs->infinite_mass, h);
    s.origin = base_position(x.now + x.at.q);
  }
  room += n * n;
  return w.couple->add_group({w.slots.data(), n}, response);
}

/// All robots of an island; returns how many found no room.
int Contacts::add_groups(int island, std::span<const Robot> robots, Work& w, double h) {
  std::size_t room = 0;
  int without_room = 0;
  for (int r : robots_of(island)) {
    const RobotScratch& s = *robots[r].context->s;
    for (int k = 0; k < s.contact_count && s.exact; ++k) note_slot(r, s.contacts[k].link);
    first_slot_[r] = add_group(r, robots[r], w, room, h);
    without_room += first_slot_[r] < 0;
  }
  return without_room;
}

/// Of a link in the island's Couple; −1: the static world.
int Contacts::slot(int robot, int link) const {
  return robot < 0 ? -1 : first_slot_[robot] + slot_of_[link_offset_[robot] + link];
}

void Contacts::add_contacts(const Island& island, Couple& solver) const {
  for (int k = 0; k < island.contact_count; ++k) {
    const int i = contacts_by_island_[island.first_contact + k];
    const MovingContact& c = contacts_[i];
    if (idle_[i] || !has_room(c.robot_a) || !has_room(c.robot_b)) continue;
    CoupleContact out;
    out.a = slot(c.robot_a, c.link_a), out.b = slot(c.robot_b, c.link_b);
    out.point = c.point, out.normal = c.normal, out.gap = c.felt, out.unfelt = c.felt - c.gap;
    out.law = c.held ? PairLaw{.recovery_speed = recovery_speed_} : laws_[c.law];
    if (!c.held) out.law.stiffness = c.stiffness;
    out.impulse = c.impulse, out.before = c.before;
    out.moment = c.moment, out.moment_before = c.moment_before;
    out.held = c.held, out.slack = c.slack;
    out.key = static_cast<std::uint64_t>(i);
    solver.add_contact(out);  // what does not fit is counted
  }
}

/// Gap of a contact after the step as its robots are predicted now.
double Contacts::gap_ahead(const MovingContact& c, std::span<const Robot> robots, double h) const {
  auto speed = [&](int robot, int link) {
    if (robot < 0) return 0.0;
    const RobotContext& x = *robots[robot].context;
    const Vec6& V = x.s->frames[link].V;
    const Vec6 before{V.a, V.l + base_velocity(x.now + x.at.v)};
    const Vec6 after = predicted_twist(x, link, before, robots[robot].needs->infinite_mass, h);
    return dot(c.normal, velocity_at(after, c.point - base_position(x.now + x.at.q)));
  };
  return c.gap + h * (speed(c.robot_a, c.link_a) - speed(c.robot_b, c.link_b));
}

/// A third of all contacts are near, but will not close: without impulses, they would stay open by half the margin.
/// They are left out, and with them links that touch nothing else; if the solution closes one, all take part after all.
/// So the solution is that of all contacts.
void Contacts::choose_contacts(const Island& island, std::span<const Robot> robots, double h) {
  for (int k = 0; k < island.contact_count; ++k) {
    const int i = contacts_by_island_[island.first_contact + k];
    MovingContact& c = contacts_[i];
    idle_[i] = !c.held && c.gap > 0 && dot(c.impulse, c.normal) <= 0 && gap_ahead(c, robots, h) > 0.5 * margin_;
    if (idle_[i]) c.impulse = c.moment = {0, 0, 0}, c.force = 0, c.may_hold = 0, c.impact = false;
  }
}

bool Contacts::idle_ones_close(const Island& island, std::span<const Robot> robots, double h) const {
  for (int k = 0; k < island.contact_count; ++k) {
    const int i = contacts_by_island_[island.first_contact + k];
    if (idle_[i] && gap_ahead(contacts_[i], robots, h) < 0) return true;
  }
  return false;
}

/// Slots for the links of the contacts that take part.
void Contacts::note_slots(const Island& island) {
  for (int k = 0; k < island.robot_count; ++k) {
    const int r = robots_by_island_[island.first_robot + k], first = link_offset_[r];
    for (int m = 0; m < touched_count_[r]; ++m) slot_of_[first + touched_[first + m]] = -1;
    touched_count_[r] = 0;
    response_at_[r] = -1;
  }
  for (int k = 0; k < island.contact_count; ++k) {
    const int i = contacts_by_island_[island.first_contact + k];
    if (idle_[i]) continue;
    note_slot(contacts_[i].robot_a, contacts_[i].link_a);
    if (contacts_[i].robot_b >= 0) note_slot(contacts_[i].robot_b, contacts_[i].link_b);
  }
}

void Contacts::couple(int number, int thread, std::span<const Robot> robots, double h) {
  Island& island = islands_[number];
  if (island.passes == 0) {
    choose_contacts(island, robots, h);
    for (int k = 0; k < island.contact_count; ++k) island.idle |= idle_[contacts_by_island_[island.first_contact + k]];
    if (island.idle) note_slots(island);
  }
  solve(number, thread, robots, h);
  if (!island.idle || !idle_ones_close(island, robots, h)) return;
  for (int k = 0; k < island.contact_count; ++k) idle_[contacts_by_island_[island.first_contact + k]] = 0;
  island.idle = false;
  note_slots(island);
  for (int r : robots_of(number)) {  // as they were predicted
    RobotScratch& s = *robots[r].context->s;
    std::copy(s.acc_alone.begin(), s.acc_alone.end(), s.acc.begin());
    std::copy(s.a_alone.begin(), s.a_alone.end(), s.a.begin());
    s.impulses = s.impulses_alone;
  }
  solve(number, thread, robots, h);
}

void Contacts::solve(int number, int thread, std::span<const Robot> robots, double h) {
  Island& island = islands_[number];
  Work& w = work_[thread];
  Couple& solver = *w.couple;
  solver.clear();
  int without_room = add_groups(number, robots, w, h);
  add_contacts(island, solver);
  int own = static_cast<int>(solver.contacts().size());
  for (int r : robots_of(number)) {
    const RobotContext& x = *robots[r].context;
    if (x.s->exact && has_room(r))
      without_room += add_points(x, {h, impact_speed_, recovery_speed_}, base_position(x.now + x.at.q),
                                 {slot_of_.data() + link_offset_[r], x.kind->links.size()}, first_slot_[r], solver);
  }
  const CoupleReport did = solver.solve(h);
  island.report.sweeps += did.sweeps, island.report.newtons += did.newtons;
  island.report.unsettled = did.unsettled;
  island.report.dropped = did.dropped + without_room;
  ++island.passes;
  for (const CoupleContact& c : solver.contacts().first(static_cast<std::size_t>(own))) {
    MovingContact& m = contacts_[c.key];
    m.impulse = c.impulse, m.moment = c.moment, m.force = dot(c.impulse, c.normal) / h, m.impact = c.impact;
    // what an impact takes is not there for springs: they would give it back; nor does what moves fast come back by itself
    const double returns = std::abs(c.speed) < c.law.impact_speed && m.force > 0 ? m.unfelt : 0;
    m.slack = c.slack;
    const double sticking = sticking_energy(m, m.impulse) - sticking_energy(m, m.before);
    m.may_hold = held_after(h, m.stiffness, m.felt, c.impact ? 0 : c.work, sticking, returns);
  }
  for (int r : robots_of(number)) {
    if (!has_room(r)) continue;
    receive(r, robots[r], solver, h);
    const RobotContext& x = *robots[r].context;
    if (!x.s->exact) continue;
    const std::size_t left = solver.contacts().size() - static_cast<std::size_t>(own);
    const auto count = std::min(static_cast<std::size_t>(x.s->contact_count), left);
    take_points(x, h, solver.contacts().subspan(static_cast<std::size_t>(own), count));
    own += static_cast<int>(count);
  }
}

/// The impulses on a robot's links into its accelerations, and the rule for its position (13).
void Contacts::receive(int robot, const Robot& r, const Couple& solver, double h) const {
  RobotScratch& s = *r.context->s;
  const auto u = static_cast<std::size_t>(robot);
  if (touched_count_[u] == 0) {
    s.rests = false;
    s.kick = zero6<double>();
    return;
  }
  std::fill(s.impulse.begin(), s.impulse.end(), zero6<double>());
  bool bounced = false, hit = false;
  s.rests = false;
  for (int k = 0; k < touched_count_[u]; ++k) {
    const CoupleSlot& slot = solver.slot(first_slot_[u] + k);
    s.impulse[touched_[link_offset_[u] + k]] = slot.impulse;
    s.rests |= !slot.flight;
    const Vec6& f = slot.impulse;
    hit |= dot(f.a, f.a) + dot(f.l, f.l) > 0;
    bounced |= slot.bounced;
  }
  // one that bounced off the static world, or was hit by a user too, does not move by the rule of flight (13)
  s.impulses = s.impulses > 0 ? 2 : hit + bounced;
  if (hit) std::copy(s.impulse.begin(), s.impulse.end(), s.given.begin());
  (*r.motion)->respond(*r.context);
  for (std::size_t l = 0; l < s.acc.size(); ++l) s.acc[l] += s.dV[l] * (1 / h);
  for (std::size_t j = 0; j < s.a.size(); ++j) s.a[j] += s.dv[j] / h;
  s.kick = s.rests || bounced ? zero6<double>() : s.dV[0];
}

void Contacts::remember(int number, double* next) const {
  const Island& island = islands_[number];
  for (int k = 0; k < island.contact_count; ++k) {
    const int i = contacts_by_island_[island.first_contact + k];
    const MovingContact& c = contacts_[i];
    // what an impact needed says nothing about the next step
    const Vec3 none{0, 0, 0}, impulse = c.impact ? none : c.impulse, moment = c.impact ? none : c.moment;
    records_out(next)[i - static_cast<int>(resting_)] = {c.pair, double(c.feature), c.place, impulse, moment, c.force, 0, c.may_hold, c.slack};
  }
}

void Contacts::finish_memory(double* next) const {
  close_section(next, capacity_, static_cast<int>(live_contacts().size()));
}

void Contacts::add_reports() {
  for (const Island& i : islands_) {
    report.sweeps += i.report.sweeps, report.newtons += i.report.newtons, report.unsettled += i.report.unsettled;
    report.dropped += i.report.dropped, report.passes += i.passes - 1;
  }
}

}  // namespace gradus
