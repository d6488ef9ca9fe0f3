// How often is the truth within the spread that a fit states? Random servos with play and friction move pendulums; what an
// encoder of 4096 steps with noise of 1 mrad shows of them is fitted, beginning with numbers that are off by up to a half.
//
//   build/release/tests/fit_figures [SERVOS]        for docs/fit.md
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/rng.h"
#include "fit/fit.h"
#include "fit/numbers.h"

using namespace gradus;
using namespace gradus::fit;

namespace {

double between(std::uint64_t servo, std::uint32_t what, double low, double high) {
  return low * std::pow(high / low, random_uniform({1, 0, 7}, servo, what));
}

DriveSpec random_servo(std::uint64_t i) {
  DriveSpec d;
  d.delay = between(i, 0, 0.003, 0.012);
  d.controller.kp = between(i, 1, 2, 12), d.controller.limit = 12;
  d.motor.resistance = 5, d.motor.torque_constant = between(i, 2, 0.4, 1), d.motor.inertia = between(i, 3, 1e-3, 4e-3);
  d.friction.coulomb = between(i, 4, 0.008, 0.05), d.friction.viscous = between(i, 5, 0.003, 0.02), d.friction.load = between(i, 6, 0.05, 0.3);
  d.gear.model = GearModel::elastic;
  d.gear.stiffness = between(i, 7, 40, 200), d.gear.damping = between(i, 8, 0.05, 0.5), d.gear.play = between(i, 9, 0.005, 0.03);
  d.motor.back_emf = d.motor.torque_constant;
  return d;
}

Recording recorded(const DriveSpec& d, double mass, std::uint64_t servo, std::uint32_t number) {
  Recording r;
  r.file = "made", r.mass = mass, r.length = 0.1;
  for (int i = 0; i < 1200; ++i) {
    const double t = 0.005 * i;
    r.t.push_back(t);
    r.goal.push_back(number == 0 ? 0.9 * std::sin(t * t) : number == 1 ? (std::fmod(t, 1.5) < 0.75 ? 0.6 : -0.5) : 0.7 * std::sin(2 * t) + 0.3 * std::sin(7 * t));
    r.pos.push_back(0), r.on.push_back(t < 4.8);
  }
  std::vector<double> truth;
  Steps(r, kStep).simulate(d, {}, truth);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    double noise = -6;
    for (std::uint32_t k = 0; k < 12; ++k) noise += random_uniform({servo + 100, number, 3}, i, k);
    const double step = 2 * 3.14159265358979 / 4096;
    r.pos[i] = std::round((truth[i] + 0.001 * noise) / step) * step;
  }
  return r;
}

}  // namespace

int main(int count, char** words) {
  const int servos = count > 1 ? std::atoi(words[1]) : 20;
  int fixed = 0, inside = 0, all = 0;
  for (int i = 0; i < servos; ++i) {
    DriveSpec truth = random_servo(static_cast<std::uint64_t>(i));
    std::vector<Recording> recordings;
    for (std::uint32_t k = 0; k < 3; ++k) recordings.push_back(recorded(truth, 0.3 + 0.2 * k, static_cast<std::uint64_t>(i), k));
    Options o;
    o.rms = true, o.threads = 2;
    o.known.model = truth;
    for (const Number& n : numbers())
      if (n.at(truth) > 0 && std::isfinite(n.at(truth)) && name_of(n) != "motor.resistance" && name_of(n) != "gear.ratio" && name_of(n) != "controller.limit" && name_of(n) != "gear.efficiency")
        n.at(*o.known.model) *= between(static_cast<std::uint64_t>(i), 50 + static_cast<std::uint32_t>(&n - numbers().data()), 0.67, 1.5);
    o.known.model->motor.back_emf = o.known.model->motor.torque_constant;
    const auto r = gradus::fit::fit(recordings, o);
    int f = 0, in = 0;
    std::string wrong;
    for (const Estimate& e : r->estimates) {
      ++all;
      if (!e.fixed) continue;
      const double x = number(e.name).at(truth);
      const bool good = x >= e.low && x <= e.high;
      ++f, in += good;
      if (!good) wrong += " " + e.name;
    }
    fixed += f, inside += in;
    std::printf("servo %2d: error %.5f rad, %d of %zu fixed, %d within their spread%s%s\n", i, r->train, f, r->estimates.size(), in, wrong.empty() ? "" : "; not:", wrong.c_str());
    std::fflush(stdout);
  }
  std::printf("%d of %d numbers fixed; truth within the spread in %d of %d: %.1f %%\n", fixed, all, inside, fixed, 100.0 * inside / fixed);
}
