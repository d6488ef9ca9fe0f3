#include "batch/constants.h"

#include <limits>

#include "batch/cast.h"

namespace gradus {
namespace {

template <class F>
DriveConstantsT<F> narrow(const Joint& j, bool chains) {
  // A chain's equivalent servo reaches its no-load speed by its damping already.
  const double speed = j.drive < 0 ? j.servo.speed : std::numeric_limits<double>::infinity();
  return {F(j.lower),        F(j.upper),
          F(j.stop_k),       F(j.stop_d),
          F(j.damping),      F(j.friction),
          F(j.spring),       {F(j.servo.kp), F(j.servo.kd), F(j.servo.torque), F(speed)},
          j.mimic_of,        F(j.mimic_multiplier),
          F(j.mimic_offset), chains ? j.passive : j.shared, j.shared, chains && j.drive >= 0};
}

}  // namespace

template <class F>
KindConstants<F>::KindConstants(const RobotKind& kind, std::optional<double> chain_step)
    : point_begin(kind.point_begin), root(kind.root), branch_count(kind.branch_count) {
  for (const Link& l : kind.links) links.push_back(cast<F>(l));
  for (const ContactPoint& p : kind.points) points.push_back(cast<F>(p));
  for (const Joint& j : kind.joints) joints.push_back(narrow<F>(j, chain_step.has_value()));
  for (const DriveModel& d : kind.drives) {
    if (!chain_step) {  // the rotor turns with the joint
      links[static_cast<std::size_t>(d.joint) + 1].rotor = F(d.spec.rotor_inertia());
      continue;
    }
    Chain c = make_chain(d, *chain_step, chain_numbers);
    set_mimic(kind.joints[static_cast<std::size_t>(d.joint)], c);
    chains.push_back(cast<F>(c));
    chain_numbers += chain_size(c);
  }
  for (const Vec3& c : kind.bound_centre) bound_centre.push_back(cast<F>(c));
  for (double r : kind.bound_radius) bound_radius.push_back(F(r));
}

template <class F>
BatchConstantsT<F> KindConstants<F>::view(const Model& model) const {
  const Plane& g = model.ground;
  const KindArraysT<F> kind{static_cast<int>(links.size()), branch_count, root, links.data(), points.data(), point_begin.data(),
                            bound_centre.data(), bound_radius.data()};
  return {kind,
          joints.data(),
          cast<F>(g),
          cast<F>(model.gravity),
          F(model.step),
          kPredictions,
          has_limbs(kind),
          chains.data(),
          static_cast<int>(chains.size())};
}

template struct KindConstants<float>;
template struct KindConstants<double>;
template struct KindConstants<Lane<float, 4>>;
template struct KindConstants<Lane<float, 8>>;
template struct KindConstants<Lane<float, 16>>;
template struct KindConstants<Lane<double, 2>>;
template struct KindConstants<Lane<double, 4>>;
template struct KindConstants<Lane<double, 8>>;

}  // namespace gradus
