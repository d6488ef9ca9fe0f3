#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "papers/free_scene.h"
#include "papers/mujoco_peer.h"
#include "papers/paper.h"

/// Recorded tosses of an acrylic cube [DAIRLab/contact-nets; facts/legged.md 1.6], replayed open loop from their first
/// sample: how far from the recording is the simulated cube, on average over time and tosses?
namespace gradus::cli {
namespace {

constexpr double kRate = 148, kMass = 0.37, kEdge = 0.1048, kInertia = 8.1e-4;
constexpr int kSubsteps = 10;

struct Sample {
  Vec3 p, v, w;  // w: of the body, in its own axes
  Quat q;
};
using Toss = std::vector<Sample>;

/// Material of the cube on its table.
struct Material {
  double stiffness, tau, friction, restitution;
};

struct Error {
  double place = 0, angle = 0, final_place = 0;  // [m, rad, m]
};

bool read_tosses(const std::string& folder, std::vector<Toss>& out) {
  const std::string path = folder + "/tosses_000_099.csv";
  std::ifstream in(path);
  std::string line;
  if (!in || !std::getline(in, line)) {
    std::fprintf(stderr, "error: %s cannot be read; give the folder of the recorded tosses with --data\n",
                 path.c_str());
    return false;
  }
  for (int number = 2; std::getline(in, line); ++number) {
    std::istringstream fields(line);
    std::array<double, 16> x{};
    std::string field;
    std::size_t n = 0;
    while (std::getline(fields, field, ',') && n < x.size()) x[n++] = std::strtod(field.c_str(), nullptr);
    if (n != x.size()) {
      std::fprintf(stderr, "error: %s:%d: %zu columns instead of %zu\n", path.c_str(), number, n, x.size());
      return false;
    }
    if (x[1] == 0) out.emplace_back();
    if (!out.empty())
      out.back().push_back(
          {{x[3], x[4], x[5]}, {x[10], x[11], x[12]}, {x[13], x[14], x[15]}, {x[6], x[7], x[8], x[9]}});
  }
  return !out.empty();
}

FreeScene cube_scene(const Material& m, const Sample& start) {
  FreeScene s(1 / (kRate * kSubsteps));
  s.floor();
  s.box(kMass, {kEdge, kEdge, kEdge}, start.p);
  s.last().robot.objects[0].inertia = {kInertia, 0, 0, kInertia, 0, kInertia};
  s.last().q_WB = normalized(start.q);
  s.last().v_WB = start.v;
  s.last().w_WB = to_matrix(s.last().q_WB) * start.w;
  s.spec.contact.moving_stiffness = m.stiffness;
  s.spec.contact.moving_damping = m.stiffness * m.tau;
  s.spec.contact.friction = m.friction;
  s.spec.contact.restitution = m.restitution;
  return s;
}

/// 2 acos |q · q_ref|
double angle_between(const Quat& a, const Quat& b) {
  const double c = std::abs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
  return 2 * std::acos(std::min(c, 1.0));
}

/// Samples that are predicted: all but the first, from which the run begins.
double compared(const Toss& toss) { return static_cast<double>(toss.size()) - 1; }

std::optional<Error> replay(const Toss& toss, const Material& m) {
  const auto world = cube_scene(m, toss[0]).make();
  if (!world) return std::nullopt;
  Error e;
  for (std::size_t i = 1; i < toss.size(); ++i) {
    for (int k = 0; k < kSubsteps; ++k) world->step();
    e.final_place = norm(base_position(world->q(0).data()) - toss[i].p);
    e.place += e.final_place;
    e.angle += angle_between(base_orientation(world->q(0).data()), normalized(toss[i].q));
  }
  const double n = compared(toss);
  e.place /= n, e.angle /= n;
  return e;
}

/// The same on MuJoCo, with its own default of contact softness.
std::optional<Error> replay_on_mujoco(const Toss& toss) {
  mujoco::Task t;
  t.step = 1 / (kRate * kSubsteps);
  t.floor_friction = 0.18;
  t.bodies.push_back({true, kMass, 0.18, {kEdge / 2, kEdge / 2, kEdge / 2}, toss[0].p, kInertia});
  Error e;
  const auto begin = [&](mujoco::View m) {
    const Sample& s = toss[0];
    for (const auto& [i, x] : {std::pair<std::size_t, double>{0, s.p.x},
                               {1, s.p.y},
                               {2, s.p.z},
                               {3, s.q.w},
                               {4, s.q.x},
                               {5, s.q.y},
                               {6, s.q.z}})
      m.q[i] = x;
    for (const auto& [i, x] :
         {std::pair<std::size_t, double>{0, s.v.x}, {1, s.v.y}, {2, s.v.z}, {3, s.w.x}, {4, s.w.y}, {5, s.w.z}})
      m.v[i] = x;
  };
  const auto look = [&](mujoco::View m, int step) {
    if (step == 0 || step % kSubsteps != 0) return;
    const Sample& s = toss[static_cast<std::size_t>(step / kSubsteps)];
    e.final_place = norm(Vec3{m.q[0], m.q[1], m.q[2]} - s.p);
    e.place += e.final_place / compared(toss);
    e.angle += angle_between({m.q[3], m.q[4], m.q[5], m.q[6]}, normalized(s.q)) / compared(toss);
  };
  const bool ran = mujoco::run(t, kSubsteps * (static_cast<int>(toss.size()) - 1), begin, look);
  return ran ? std::optional<Error>(e) : std::nullopt;
}

/// Mean over tosses.
template <class Replay>
std::optional<Error> mean_of(std::span<const Toss> tosses, const Replay& replay_one) {
  Error sum;
  for (const Toss& t : tosses) {
    const auto e = replay_one(t);
    if (!e) return std::nullopt;
    sum.place += e->place, sum.angle += e->angle, sum.final_place += e->final_place;
  }
  const auto n = static_cast<double>(tosses.size());
  return Error{sum.place / n, sum.angle / n, sum.final_place / n};
}

std::optional<Error> replay_all(std::span<const Toss> tosses, const Material& m) {
  return mean_of(tosses, [&](const Toss& t) { return replay(t, m); });
}

/// What the fit makes small: the mean of both errors as parts of the peers' best (15 mm, 17.7°).
double cost(const Error& e) { return e.place / 0.015 + e.angle / 0.309; }

/// Pattern search: each number up and down by a factor, the factors shrink when nothing helps.
Material fit(std::span<const Toss> tosses, Material best, int rounds) {
  double least = cost(*replay_all(tosses, best));
  double factor = 2;
  for (int round = 0; round < rounds; ++round) {
    bool better = false;
    for (double Material::*number : {&Material::stiffness, &Material::tau, &Material::friction})
      for (const double by : {factor, 1 / factor}) {
        Material m = best;
        m.*number *= number == &Material::friction ? std::sqrt(std::sqrt(by)) : by;
        const double c = cost(*replay_all(tosses, m));
        if (c < least) least = c, best = m, better = true;
      }
    if (!better) factor = std::sqrt(factor);
  }
  return best;
}

constexpr double kDegrees = 57.29577951308232;

/// Mean errors by what was replayed.
struct Errors {
  Error plain, bouncy;         // all tosses, nominal friction, restitution 0 and 0.125
  Error before, seen, unseen;  // last half, nominal; first half, fitted to it; last half, fitted to the first
  std::optional<Error> peer;   // all tosses in MuJoCo

  PaperRow row(const char* quantity, const char* unit, Json peers, double Error::*part, double scale) const {
    if (peer) peers[mujoco::name() + ", here"] = (*peer).*part * scale;
    return {.quantity = quantity,
            .unit = unit,
            .peers = std::move(peers),
            .gradus = {{"nominal friction, e 0", plain.*part * scale},
                       {"nominal friction, e 0.125", bouncy.*part * scale},
                       {"last half, nominal", before.*part * scale},
                       {"first half, fitted to it", seen.*part * scale},
                       {"last half, fitted to the first", unseen.*part * scale}}};
  }
};

}  // namespace

std::optional<Json> tosses(const PaperOptions& options) {
  std::vector<Toss> all;
  if (!read_tosses(options.data, all)) return std::nullopt;
  if (options.quick) all.resize(std::min<std::size_t>(all.size(), 6));
  const std::span<const Toss> first(all.data(), all.size() / 2),
      second(all.data() + all.size() / 2, all.size() - all.size() / 2);
  const Material nominal{1e5, 0.001, 0.18, 0}, with_e{1e5, 0.001, 0.18, 0.125};
  const auto plain = replay_all(all, nominal), bouncy = replay_all(all, with_e);
  if (!plain || !bouncy) return std::nullopt;
  const Material fitted = fit(first, nominal, options.quick ? 1 : 10);
  const Errors e{*plain,
                 *bouncy,
                 *replay_all(second, nominal),
                 *replay_all(first, fitted),
                 *replay_all(second, fitted),
                 mujoco::installed() ? mean_of(std::span<const Toss>(all), replay_on_mujoco) : std::nullopt};
  const Json rows{e.row("mean error of position", "mm",
                        {{"MuJoCo", 14.5}, {"Bullet", 15.3}, {"ODE", 19.1}, {"asked", 14.0}}, &Error::place, 1000),
                  e.row("mean error of rotation", "deg",
                        {{"MuJoCo", 18.0}, {"Bullet", 19.5}, {"ODE", 25.1}, {"asked", 18.0}}, &Error::angle, kDegrees),
                  e.row("error of position at the end", "mm", {{"MuJoCo", 28.9}, {"Bullet", 32.0}, {"ODE", 38.0}},
                        &Error::final_place, 1000),
                  PaperRow{.quantity = "fitted stiffness", .unit = "N/m", .gradus = fitted.stiffness},
                  PaperRow{.quantity = "fitted relaxation time", .unit = "ms", .gradus = fitted.tau * 1000},
                  PaperRow{.quantity = "fitted friction", .unit = "", .gradus = fitted.friction}};
  const std::string verdict = fmt::format(
      "{} tosses, nominal friction: {:.1f} mm and {:.1f} deg; fitted on {}, {:.1f} mm and {:.1f} deg on the others",
      all.size(), e.plain.place * 1000, e.plain.angle * kDegrees, first.size(), e.unseen.place * 1000,
      e.unseen.angle * kDegrees);
  return Json{{"name", "tosses"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli
