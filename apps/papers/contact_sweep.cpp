/// One contact law at every level of detail: sliding, ramp, rolling and bouncing against the closed forms of the discrete
/// scheme, over masses, steps and friction. `gradus paper contact-sweep`.
#include <algorithm>
#include <cmath>
#include <vector>

#include "model/material.h"
#include "papers/free_scene.h"
#include "papers/paper.h"

namespace gradus::cli {
namespace {

constexpr double kG = 9.81;
const char* const kLevels[] = {"free_body", "single_body", "prescribed_joints", "articulated"};

/// Worst cell of a mass: relative error of the way or speed, energy over the start as a part of it, unsettled steps.
struct Worst {
  double error = 0, energy = 0, unsettled = 0;
  void take(double e, double gain, const World& w) {
    error = std::max(error, std::fabs(e));
    energy = std::max(energy, gain);
    unsettled += static_cast<double>(w.report().unsettled + w.report().coupling.unsettled);
  }
};

Vec3 place(const World& w) { return base_position(w.q(0).data()); }
Vec3 speed(const World& w) { return base_velocity(w.v(0).data()); }

/// How deep a box of this mass rests on its four corners.
double depth_of_rest(const char* level, const World& w, double mass) {
  const bool free = std::string(level) == "free_body";
  const double k = free ? w.model().contact.moving_stiffness * moving_factor(mass) : w.model().robots[0].kind->points[0].k;
  return mass * kG / (4 * k);
}

/// Steps until `time`; returns the largest energy over the start.
double run(World& w, double time) {
  const double start = w.energy(0);
  double most = 0;
  while (w.time() < time) w.step(), most = std::max(most, w.energy(0) - start);
  return most;
}

/// Sticking springs 400 times as stiff as the default's; like all constants they grow with masses above 10 kg.
void harden(double mass, ContactSpec& c) {
  const double by = std::max(1.0, mass / 10);
  c.stiffness *= by, c.damping *= by, c.tangential_damping *= by;
  c.tangential_stiffness = 4e6 * by;
  c.given = true;
}

template <bool hard>
std::unique_ptr<World> box_on(const char* level, double mass, double mu, double h, double pitch, Vec3 v) {
  FreeScene s(h);
  s.spec.contact.friction = mu;
  if (hard) harden(mass, s.spec.contact);
  s.floor("", pitch);
  s.box(mass, {0.2, 0.2, 0.08}, {0, 0, 0.04});
  s.last().motion = level;
  const auto first = s.make();
  if (!first) return nullptr;
  const Quat turn = from_axis_angle({0, 1, 0}, pitch);
  const Mat3 R = to_matrix(turn);
  s.last().p_WB = R.z * (0.04 - depth_of_rest(level, *first, mass) * std::cos(pitch));
  s.last().q_WB = turn;
  s.last().v_WB = R * v;
  s.last().on_ground = false;
  return s.make();
}

/// Slides to rest: v₀²/(2 μ g) − v₀ h/2.
template <bool hard>
bool slide(const char* level, double mass, double mu, double h, Worst& out) {
  const double v0 = 1.5, want = v0 * v0 / (2 * mu * kG) - v0 * h / 2;
  const auto w = box_on<hard>(level, mass, mu, h, 0, {v0, 0, 0});
  if (!w) return false;
  const double gain = run(*w, 1.3 * v0 / (mu * kG));
  out.take(place(*w).x / want - 1, gain / (0.5 * mass * v0 * v0), *w);
  return true;
}

/// Slides down a ramp a quarter steeper than its friction angle for half a second: v = g (sin α − μ cos α) t.
template <bool hard>
bool ramp(const char* level, double mass, double mu, double h, Worst& out) {
  const double alpha = std::atan(1.25 * mu), want = kG * (std::sin(alpha) - mu * std::cos(alpha)) * 0.5;
  const auto w = box_on<hard>(level, mass, mu, h, alpha, {0, 0, 0});
  if (!w) return false;
  while (w->time() < 0.5 - h / 2) w->step();
  out.take(dot(speed(*w), to_matrix(from_axis_angle({0, 1, 0}, alpha)).x) / want - 1, 0, *w);
  return true;
}

/// A ball thrown without spin rolls in the end with 5/7 of its speed.
bool roll(const char* level, double mass, double mu, double h, Worst& out) {
  FreeScene s(h);
  s.spec.contact.friction = mu;
  s.floor();
  s.sphere(mass, 0.1, {0, 0, 0.1});
  s.last().motion = level;
  s.last().v_WB = {1.5, 0, 0};
  s.last().on_ground = false;
  auto w = s.make();
  if (!w) return false;
  s.last().p_WB.z -= 4 * depth_of_rest(level, *w, mass);  // on one point
  w = s.make();
  const double gain = run(*w, 1.3 * 2 * 1.5 / (7 * mu * kG) + 0.2);
  out.take(speed(*w).x / (1.5 * 5 / 7) - 1, gain / (0.5 * mass * 1.5 * 1.5), *w);
  return true;
}

/// Speed after a bounce, e times that before.
bool bounce(const char* level, double mass, double e, double h, Worst& out) {
  FreeScene s(h);
  s.spec.contact.restitution = e;
  s.floor();
  s.sphere(mass, 0.1, {0, 0, 0.6});
  s.last().motion = level;
  s.last().on_ground = false;
  const auto w = s.make();
  if (!w) return false;
  double before = 0;
  const double start = w->energy(0) - mass * kG * 0.1;
  double most = 0;
  while (w->time() < 1 && speed(*w).z <= 0) before = speed(*w).z, w->step();
  const double after = speed(*w).z;
  while (w->time() < 1.5) w->step(), most = std::max(most, w->energy(0) - mass * kG * 0.1 - start);
  out.take(after / (-e * before) - 1, most / start, *w);
  return true;
}

/// One mass on the four springs of a wall: gap and speed after a step of the scheme. Robots: (4) of docs/step.md,
/// f⁺ = −(k φ + (d + h k) u⁺); free bodies: (5), (6) of docs/couple.md.
struct OnWall {
  double gap, u;
  void step_robot(const PairNumbers& n, double mass, double h) {
    const double c = n.damping + h * n.stiffness, next = (u - 4 * h * n.stiffness * gap / mass) / (1 + 4 * h * c / mass);
    if (gap + h * u < 0 && n.stiffness * gap + c * next < 0) u = next;
    gap += h * u;
  }
  void step_free(double k, double relaxation, double recovery, double mass, double h) {
    const double tau = std::max(relaxation + h, -gap / recovery), bias = gap > 0 ? gap / h : gap / tau;
    u += std::max(0.0, -(u + bias) / (1 / (h * k * tau) + 4 / mass)) * 4 / mass;
    gap += h * u;
  }
};

/// Flies against a wall without bouncing on purpose: way and speed half a second later, by the recursion for one mass.
bool wall(const char* level, double mass, double v0, double h, Worst& out) {
  FreeScene s(h);
  s.spec.gravity = {0, 0, 0};
  FieldObjectSpec w;
  w.name = "wall";
  w.shape.kind = ShapeKind::box;
  w.shape.size = {0.2, 2, 2};
  constexpr double kGap = 0.0987;  // no whole number of steps, which rounding would decide
  w.X_WO.p = {0.2 + kGap, 0, 0};   // its face 0.1 m nearer
  s.spec.field.push_back(w);
  s.box(mass, {0.2, 0.2, 0.2}, {0, 0, 0});
  s.last().motion = level;
  s.last().v_WB = {v0, 0, 0};
  s.last().on_ground = false;
  const auto world = s.make();
  if (!world) return false;
  const ContactSpec& contact = world->model().contact;
  const PairNumbers n = scaled_numbers(contact, {}, {}, mass);
  const double k = contact.moving_stiffness * moving_factor(mass), relaxation = contact.moving_damping / contact.moving_stiffness;
  OnWall x{kGap, -v0};
  double most = 0;
  const double start = world->energy(0);
  for (int i = 0; i * h < kGap / v0 + 0.5; ++i) {
    world->step();
    most = std::max(most, world->energy(0) - start);
    if (std::string(level) == "free_body")
      x.step_free(k, relaxation, contact.recovery_speed, mass, h);
    else
      x.step_robot(n, mass, h);
  }
  out.take((speed(*world).x + x.u) / v0, most / start, *world);
  out.take((place(*world).x - kGap + x.gap) / kGap, 0, *world);
  return true;
}

using Trial = bool (*)(const char*, double, double, double, Worst&);

}  // namespace

std::optional<Json> contact_sweep(const PaperOptions& options) {
  const std::vector<double> all_masses{0.001, 0.01, 0.1, 1, 10, 100, 1000}, few{0.001, 1, 1000};
  const std::vector<double> all_steps{0.0005, 0.001, 0.002, 0.005}, few_steps{0.001, 0.005};
  const auto &masses = options.quick ? few : all_masses, &steps = options.quick ? few_steps : all_steps;
  const std::vector<double> friction{0.1, 0.4, 0.8, 1.3}, elastic{0.3, 0.5, 0.9}, speeds{0.1, 0.5, 1.5};
  struct {
    const char* name;
    Trial trial;
    const std::vector<double>& numbers;
  } kinds[] = {{"sliding to rest: error of the way", slide<false>, friction},
               {"ramp: error of the speed", ramp<false>, friction},
               {"sliding, 4e6 N/m sticking: error of the way", slide<true>, friction},
               {"ramp, 4e6 N/m sticking: error of the speed", ramp<true>, friction},
               {"5/7 rule: error of the speed", roll, friction},
               {"bounce: error of the speed", bounce, elastic},
               {"stop at a wall: error of way and speed", wall, speeds}};
  std::vector<PaperRow> rows;
  double error = 0, energy = 0;
  for (const auto& kind : kinds)
    for (const double mass : masses) {
      Json found = Json::object(), gains = Json::object();
      for (const char* level : kLevels) {
        Worst worst;
        for (const double h : steps)
          for (const double x : kind.numbers)
            if (!kind.trial(level, mass, x, h, worst)) return std::nullopt;
        found[level] = worst.error;
        gains[level] = worst.energy;
        error = std::max(error, worst.error), energy = std::max(energy, worst.energy);
      }
      char name[160];
      std::snprintf(name, sizeof name, "%s, %g kg", kind.name, mass);
      rows.push_back({name, "-", nullptr, nullptr, Json::object(), found});
      std::snprintf(name, sizeof name, "%s: energy over the start, %g kg", kind.name, mass);
      rows.push_back({name, "-", nullptr, nullptr, Json::object(), gains});
    }
  char verdict[200];
  std::snprintf(verdict, sizeof verdict, "largest error of all cells %.3g %%, largest gain of energy %.2g of the start",
                error * 100, energy);
  Json out;
  out["name"] = "contact-sweep";
  out["rows"] = rows;
  out["verdict"] = verdict;
  return out;
}

}  // namespace gradus::cli
