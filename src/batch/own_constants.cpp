#include "batch/own_constants.h"

#include "batch/constants.h"

namespace gradus {
namespace {

// Every number of a struct of constants, in order, for any scalar.
template <class F, class Visit>
void each_number(Vec3T<F>& a, const Visit& visit) {
  visit(a.x), visit(a.y), visit(a.z);
}
template <class F, class Visit>
void each_number(LinkT<F>& l, const Visit& visit) {
  for (Vec3T<F>* a : {&l.p_PB, &l.axis, &l.com}) each_number(*a, visit);
  for (F* x : {&l.J.xx, &l.J.xy, &l.J.xz, &l.J.yy, &l.J.yz, &l.J.zz, &l.mass, &l.rotor, &l.ratio}) visit(*x);
}
template <class F, class Visit>
void each_number(ContactPointT<F>& p, const Visit& visit) {
  each_number(p.p_BC, visit);
  for (F* x : {&p.radius, &p.friction, &p.k, &p.d, &p.kt, &p.dt}) visit(*x);
}
template <class F, class Visit>
void each_number(DriveConstantsT<F>& j, const Visit& visit) {
  for (F* x : {&j.lower, &j.upper, &j.stop_k, &j.stop_d, &j.damping, &j.friction, &j.spring, &j.servo.kp, &j.servo.kd, &j.servo.torque,
               &j.servo.speed, &j.mimic_multiplier, &j.mimic_offset})
    visit(*x);
}
template <class F, class Visit>
void each_number(ChainT<F>& c, const Visit& visit) {
  for (F* x : {&c.mimic_multiplier, &c.mimic_offset, &c.delay_share, &c.h, &c.per_h, &c.kp, &c.ki, &c.kd, &c.limit, &c.speed_limit, &c.power_limit, &c.slope, &c.gain,
               &c.current_torque, &c.kappa, &c.inductor, &c.per_impedance, &c.inertia, &c.resistance, &c.released_resistance, &c.coulomb,
               &c.stribeck, &c.per_stribeck_speed, &c.load, &c.load_stribeck, &c.play, &c.half_play, &c.spring, &c.contact,
               &c.spring_share, &c.mass, &c.mass_loss, &c.mass_spring})
    visit(*x);
}
template <class F, class Visit>
void each_number(F& x, const Visit& visit) {
  visit(x);
}

template <class F>
void put(F& to, int, double x) requires std::is_floating_point_v<F> {
  to = static_cast<F>(x);
}
template <class F, int N>
void put(Lane<F, N>& to, int lane, double x) {
  to.v[lane] = static_cast<F>(x);
}

/// One lane of `to` becomes `from`: both list their numbers in the same order.
template <class To, class From>
void put_lane(std::vector<To>& to, int lane, std::vector<From>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    double numbers[48];
    int n = 0;
    each_number(from[i], [&](double& x) { numbers[n++] = x; });
    n = 0;
    each_number(to[i], [&](auto& x) { put(x, lane, numbers[n++]); });
  }
}

/// Short cuts for simple inertias would hold for all lanes or for none, and a world's rounding would depend on its
/// neighbours: none are taken.
template <class F>
void take_no_short_cuts(LinkT<F>& l) {
  l.diagonal = false;
  l.round = Axis::general;
}
template <class F>
bool same_tree(const LinkT<F>& a, const Link& b) {
  return a.parent == b.parent && a.branch == b.branch && a.prismatic == b.prismatic && a.leader == b.leader && a.follower == b.follower &&
         a.hold == b.hold && a.typed == b.typed && a.axis_kind == b.axis_kind && a.same_origin == b.same_origin;
}

template <class T>
class OwnConstantsOf : public OwnConstants {
 public:
  OwnConstantsOf(const Model& model, int robot, int predictions)
      : all_(*model.robots[static_cast<std::size_t>(robot)].kind, model.step), view_(all_.view(model)) {
    view_.predictions = predictions;
    for (LinkT<T>& l : all_.links) take_no_short_cuts(l);
  }
  const void* view() const override { return &view_; }

  std::string set(int lane, const Model& model, int robot) override {
    KindConstants<double> own(*model.robots[static_cast<std::size_t>(robot)].kind, model.step);
    if (own.links.size() != all_.links.size() || own.point_begin != all_.point_begin || own.chain_numbers != all_.chain_numbers ||
        model.ground.present != view_.ground.present)
      return "it changes how many links, contact points or steps of delay the robot has, which worlds in lanes share";
    for (std::size_t i = 0; i < own.links.size(); ++i)
      if (!same_tree(all_.links[i], own.links[i])) return "it changes the places of the robot's joints, which worlds in lanes share";
    for (std::size_t i = 0; i < own.chains.size(); ++i) {
      ChainT<T>& c = all_.chains[i];
      const Chain& o = own.chains[i];
      if (c.gear != o.gear || c.delay_steps != o.delay_steps || c.motor_side != o.motor_side || c.error_rate != o.error_rate ||
          c.electrical != o.electrical)
        return "it changes the kind of a gear or controller or the whole steps of its delay, which worlds in lanes share";
      c.falls = c.falls || o.falls;
      c.loose = c.loose || o.loose;
    }
    put_lane(all_.links, lane, own.links);
    put_lane(all_.points, lane, own.points);
    put_lane(all_.joints, lane, own.joints);
    put_lane(all_.chains, lane, own.chains);
    put_lane(all_.bound_centre, lane, own.bound_centre);
    put_lane(all_.bound_radius, lane, own.bound_radius);
    BatchConstantsT<double> v = own.view(model);
    std::vector<Vec3T<T>> vectors{view_.ground.n, view_.ground.t1, view_.ground.t2, view_.gravity};
    std::vector<Vec3> others{v.ground.n, v.ground.t1, v.ground.t2, v.gravity};
    put_lane(vectors, lane, others);
    view_.ground.n = vectors[0], view_.ground.t1 = vectors[1], view_.ground.t2 = vectors[2], view_.gravity = vectors[3];
    put(view_.ground.offset, lane, v.ground.offset);
    return "";
  }

 private:
  KindConstants<T> all_;
  BatchConstantsT<T> view_;
};

template <class T>
std::unique_ptr<OwnConstants> own(const Model& model, int robot, int predictions) {
  return std::make_unique<OwnConstantsOf<T>>(model, robot, predictions);
}

}  // namespace

std::unique_ptr<OwnConstants> OwnConstants::make(const LaneType& type, const Model& model, int robot, int predictions) {
  const auto is = [&](bool single, int lanes) { return type.single == single && type.lanes == lanes; };
  if (is(true, 16)) return own<Lane<float, 16>>(model, robot, predictions);
  if (is(true, 8)) return own<Lane<float, 8>>(model, robot, predictions);
  if (is(true, 4)) return own<Lane<float, 4>>(model, robot, predictions);
  if (is(true, 1)) return own<float>(model, robot, predictions);
  if (is(false, 8)) return own<Lane<double, 8>>(model, robot, predictions);
  if (is(false, 4)) return own<Lane<double, 4>>(model, robot, predictions);
  if (is(false, 2)) return own<Lane<double, 2>>(model, robot, predictions);
  if (is(false, 1)) return own<double>(model, robot, predictions);
  return nullptr;
}

}  // namespace gradus
