#include "model/material.h"

#include <algorithm>

#include "math/scalar.h"

namespace gradus {
namespace {

using Number = std::optional<double>;
using Combine = double (*)(double, double);

double geometric(double a, double b) { return square_root(a * b); }
double in_series(double a, double b) { return a + b > 0 ? a * b / (a + b) : 0; }
double larger(double a, double b) { return std::max(a, b); }

double choose(Number pair, Number a, Number b, Combine combine, double scene) {
  if (pair) return *pair;
  if (a && b) return combine(*a, *b);
  return a ? *a : b.value_or(scene);
}

const ContactPairSpec* find_pair(const ContactSpec& scene, const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return nullptr;
  for (const ContactPairSpec& p : scene.pairs)
    if ((p.a == a && p.b == b) || (p.a == b && p.b == a)) return &p;
  return nullptr;
}

}  // namespace

PairNumbers pair_numbers(const ContactSpec& scene, const SurfaceSpec& a, const SurfaceSpec& b) {
  static const ContactPairSpec kNone;
  const ContactPairSpec* known = find_pair(scene, a.material, b.material);
  const ContactPairSpec& p = known ? *known : kNone;
  PairNumbers n{};
  n.friction = choose(p.friction, a.friction, b.friction, geometric, scene.friction);
  n.stiffness = choose(p.stiffness, a.stiffness, b.stiffness, in_series, scene.stiffness);
  n.damping = choose(p.damping, a.damping, b.damping, in_series, scene.damping);
  n.tangential_stiffness = scene.tangential_stiffness * (n.stiffness / scene.stiffness);
  n.tangential_damping = scene.tangential_damping * (n.damping / std::max(scene.damping, 1e-300));
  n.restitution = choose(p.restitution, a.restitution, b.restitution, geometric, scene.restitution);
  n.rolling = choose(p.rolling, a.rolling, b.rolling, larger, scene.rolling);
  n.torsion = choose(p.torsion, a.torsion, b.torsion, larger, scene.torsion);
  return n;
}

PairNumbers scaled_numbers(const ContactSpec& scene, const SurfaceSpec& a, const SurfaceSpec& b, double mass) {
  constexpr double kMass = 10, kGravity = 9.81, kPoints = 4;
  PairNumbers n = pair_numbers(scene, a, b);
  if (n.stiffness != scene.stiffness || n.damping != scene.damping || !(mass > 0)) return n;  // a surface or pair says it
  if (scene.depth > 0) {
    const ContactSpec::Constants& usual = ContactSpec::usual;
    const double ratio = usual.damping / square_root(usual.stiffness * kMass);
    n.stiffness = mass * kGravity / (kPoints * scene.depth);
    n.damping = ratio * square_root(n.stiffness * mass);
    n.tangential_stiffness = n.stiffness * (usual.tangential_stiffness / usual.stiffness);
    n.tangential_damping = n.damping * (usual.tangential_damping / usual.damping);
  } else if (scene.says_nothing() && mass > kMass) {
    const double by = mass / kMass;
    n.stiffness *= by, n.damping *= by, n.tangential_stiffness *= by, n.tangential_damping *= by;
  }
  return n;
}

double moving_factor(double mass) {
  constexpr double kMass = 100;
  return std::max(1.0, mass / kMass);
}

}  // namespace gradus
