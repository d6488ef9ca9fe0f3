// The books of energy of a World [docs/energy.md].
#include <algorithm>
#include <cmath>

#include "world/world.h"

namespace gradus {

bool World::keeps_books() const {
  if (model_.contact.law != "compliant" || !model_.groups.empty()) return false;
  for (const int r : engine_->awake()) {  // who sleeps is a free body
    const MotionNeeds& n = engine_->needs(r);
    if (n.infinite_mass || (!n.uses_drives && engine_->kind(r).njoint() > 0)) return false;
  }
  return true;
}

namespace {

double spring_energy(const MovingContact& c) {
  const double deep = std::min(c.felt, 0.0);
  return 0.5 * c.stiffness * deep * deep + sticking_energy(c, c.impulse);
}

}  // namespace

/// ½ m u² + ½ wᵀ J w − m g·c of every link of a robot, ½ k φ² + ½ k_t s² of its contacts with the static world.
double World::own_energy(int r) const {
  double sum = 0;
  const RobotKind& kind = engine_->kind(r);
  const Vec3 p = base_position(q(r).data()), v0 = base_velocity(v(r).data());
  const std::span<const Frame> frames = engine_->frames(r);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Link& l = kind.links[i];
    const Frame& f = frames[i];
    const Vec3 c = f.p + f.R * l.com, u = v0 + velocity_at(f.V, c), w = transpose_times(f.R, f.V.a);
    sum += 0.5 * l.mass * dot(u, u) + 0.5 * dot(w, l.J * w) - l.mass * dot(model_.gravity, p + c);
    if (i > 0) sum += 0.5 * l.rotor * v(r)[5 + i] * v(r)[5 + i];
  }
  const RobotScratch& s = engine_->scratch(r);
  const std::size_t npoint = kind.points.size();
  for (int i = 0; i < s.contact_count; ++i) {
    const StaticContact& c = s.contacts[static_cast<std::size_t>(i)];
    const auto number = static_cast<std::size_t>(c.point);
    const bool plane = number < npoint;
    const ContactPoint& law = plane ? kind.points[number] : s.field[number - npoint].law;
    const ContactMemory& m = plane ? contact_memory(r)[number] : s.field[number - npoint].m;
    const double deep = std::min(c.gap, 0.0);
    sum += 0.5 * law.k * deep * deep + 0.5 * law.kt * (m.s1 * m.s1 + m.s2 * m.s2);
  }
  return sum;
}

double World::energy_now() const {
  const std::span<const MovingContact> live = engine_->live_contacts();
  if (engine_->awake_version() != asleep_version_) {  // what sleeps does not change
    asleep_version_ = engine_->awake_version();
    asleep_energy_ = 0;
    for (int r = 0; r < robot_count(); ++r)
      if (is_asleep(r)) asleep_energy_ += own_energy(r);
    for (const MovingContact& c : contacts().first(contacts().size() - live.size())) asleep_energy_ += spring_energy(c);
  }
  double sum = asleep_energy_;
  for (const int r : engine_->awake()) sum += own_energy(r);
  for (const MovingContact& c : live) sum += spring_energy(c);
  return sum;
}

void World::keep_error(double error) {
  if (!keeps_books()) return;
  const double work = energy_now() - error;
  if (std::isfinite(work)) work_ = work;
}

/// τ·Δq over the way that the joints went; of joints with types of their own, whose coordinates are no integrals of their
/// velocities, τ·h v⁺.
double World::drive_work() const {
  double sum = 0;
  for (const int r : engine_->awake()) {
    if (!engine_->needs(r).uses_drives) continue;
    const RobotLayout& at = engine_->at(r);
    const double *now = state_[0].slab.data(), *before = state_[1].slab.data();
    const int n = engine_->kind(r).njoint();
    const std::vector<Link>& links = engine_->kind(r).links;
    for (int j = 0; j < n; ++j) {
      const bool plain = links[static_cast<std::size_t>(j) + 1].typed < 0;
      sum += now[at.r + j] * (plain ? now[at.q + 7 + j] - before[at.q + 7 + j] : model_.step * now[at.v + 6 + j]);
    }
  }
  return sum;
}

void World::count_pushes() {
  pushes_ = 0;
  for (int r = 0; r < robot_count(); ++r) pushes_ += push(r).link >= 0;
}

}  // namespace gradus
