#include "support/energy_books.h"

#include <algorithm>

#include "support/contact_scenes.h"
#include "tree/kernels.h"

namespace gradus::test {
namespace {

double kinetic_energy(const RobotKind& kind, const std::vector<double>& q, const std::vector<double>& v) {
  std::vector<Frame> frames(kind.links.size());
  compute_frames(kind, q.data(), v.data(), frames.data());
  const Vec3 v0 = base_velocity(v.data());
  double sum = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Link& l = kind.links[i];
    const Frame& f = frames[i];
    const Vec3 u = v0 + velocity_at(f.V, f.p + f.R * l.com), w = transpose_times(f.R, f.V.a);
    sum += 0.5 * l.mass * dot(u, u) + 0.5 * dot(w, l.J * w);
    if (i > 0) sum += 0.5 * l.rotor * v[5 + i] * v[5 + i];
  }
  return sum;
}

/// Work of the generalised forces f over a step with the mean of v and v⁺.
double work(const std::vector<double>& f, const std::vector<double>& v, const std::vector<double>& v_next, double h) {
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += h * f[i] * 0.5 * (v[i] + v_next[i]);
  return sum;
}

}  // namespace

void EnergyBooks::add(const EnergyBooks& b) {
  joints += b.joints, drives += b.drives, contacts += b.contacts, stored += b.stored;
  gravity += b.gravity, inertia += b.inertia, bodies += b.bodies;
}

double stored_in_contacts(const World& world) {
  double sum = 0;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(r)].kind;
    const RobotScratch& s = world.scratch(r);
    for (int i = 0; i < s.contact_count; ++i) {
      const StaticContact& c = s.contacts[static_cast<std::size_t>(i)];
      const ContactPoint& p = kind.points[static_cast<std::size_t>(c.point)];
      const ContactMemory& m = world.contact_memory(r)[static_cast<std::size_t>(c.point)];
      const double deep = std::min(c.gap, 0.0);
      sum += 0.5 * p.k * deep * deep + 0.5 * p.kt * (m.s1 * m.s1 + m.s2 * m.s2);
    }
  }
  for (const MovingContact& c : world.contacts()) {
    const double deep = std::min(c.felt, 0.0);
    sum += 0.5 * c.stiffness * deep * deep + sticking_energy(c, c.impulse);
  }
  return sum;
}

EnergyBooks step_with_books(World& world) {
  const double h = world.model().step, stored = stored_in_contacts(world);
  const auto q = all_q(world), v = all_v(world);
  std::vector<double> energy;
  for (int r = 0; r < world.robot_count(); ++r) energy.push_back(world.energy(r));
  world.step();
  EnergyBooks b;
  for (int r = 0; r < world.robot_count(); ++r) {
    const auto u = static_cast<std::size_t>(r);
    const RobotKind& kind = *world.model().robots[u].kind;
    const std::vector<double> v_next(world.v(r).begin(), world.v(r).end()), none(v_next.size(), 0.0);
    std::vector<double> bias(v_next.size()), with_gravity(v_next.size());
    TreeScratch s(kind);
    inverse_dynamics(kind, q[u].data(), v[u].data(), none.data(), {0, 0, 0}, s, bias.data());
    inverse_dynamics(kind, q[u].data(), v[u].data(), none.data(), world.model().gravity, s, with_gravity.data());
    double joints = 0, drives = 0;
    for (std::size_t j = 0; j < world.tau(r).size(); ++j) {
      joints += h * world.tau(r)[j] * 0.5 * (v[u][6 + j] + v_next[6 + j]);
      drives += h * world.tau(r)[j] * v_next[6 + j];
    }
    const double by_bias = -work(bias, v[u], v_next, h), by_gravity = -work(with_gravity, v[u], v_next, h) - by_bias;
    const double before = kinetic_energy(kind, q[u], v[u]), frozen = kinetic_energy(kind, q[u], v_next);
    const double contacts = frozen - before - joints - by_gravity - by_bias;  // (1)
    const double after = kinetic_energy(kind, {world.q(r).begin(), world.q(r).end()}, v_next);
    const double bodies = world.energy(r) - energy[u];
    const double inertia = after - frozen + by_bias;  // (3)
    b.add({joints, drives, contacts, 0, bodies - joints - contacts - inertia, inertia, bodies});
  }
  b.stored = stored_in_contacts(world) - stored;
  return b;
}

}  // namespace gradus::test
