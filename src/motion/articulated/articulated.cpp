#include "motion/articulated/articulated.inl"
#include "motion/flight_pairs.h"
#include "motion/joint_path.h"
#include "motion/rigid.h"
#include "tree/pairs.h"

namespace gradus {
namespace {

/// Own scratch: fixed part, then factors (nlink), branch inertias and forces (branch_count), slots of walks in pairs.
struct Scratch {
  Factor6 root;
  JointFactor* factors(const RobotKind&) { return reinterpret_cast<JointFactor*>(this + 1); }
  Mat6* branch_I(const RobotKind& k) { return reinterpret_cast<Mat6*>(factors(k) + k.nlink()); }
  Vec6* branch_b(const RobotKind& k) { return reinterpret_cast<Vec6*>(branch_I(k) + k.branch_count); }
  LimbSlot* slots(const RobotKind& k) { return reinterpret_cast<LimbSlot*>(branch_b(k) + k.branch_count); }
  FlightPairsRoom flight(const RobotKind& k) { return FlightPairsRoom::at(k, slots(k) + k.pairs->slot_count); }
  ArticulatedRoomT<double> room(const RobotKind& k) { return {&root, factors(k), branch_I(k), branch_b(k)}; }
  static std::size_t size(const RobotKind& k) {
    return sizeof(Scratch) + static_cast<std::size_t>(k.nlink()) * sizeof(JointFactor) +
           static_cast<std::size_t>(k.branch_count) * (sizeof(Mat6) + sizeof(Vec6)) +
           static_cast<std::size_t>(k.pairs->slot_count) * sizeof(LimbSlot) + FlightPairsRoom::size(k);
  }
};

/// Static contacts and the push that users hold, as the kernels in pairs ask for them.
struct External {
  const StaticContact* contacts;
  const int* begin;  // (nlink + 1)
  const double* push;
  Vec3 gravity;
  std::span<const double> spin;  // (nlink) moments of contacts per rate of turning; empty: none   [N m s]
  double h;
  bool any(int i) const { return begin[i] != begin[i + 1] || push[0] == i; }
  void operator()(int i, const Frame& f, Mat6& I, Vec6& b) const {
    add_static_contacts(contacts, begin, gravity, i, I, b);
    add_others(i, f, I, b);
  }
  void add_others(int i, const Frame& f, Mat6& I, Vec6& b) const {
    if (push[0] == i) b = b - wrench_at(f.p + f.R * Vec3{push[4], push[5], push[6]}, Vec3{push[1], push[2], push[3]});
    if (spin.empty()) return;
    const double drag = spin[static_cast<std::size_t>(i)];  // n = −drag (ω + h α)
    I.A.xx += h * drag, I.A.yy += h * drag, I.A.zz += h * drag;
    b.a += f.V.a * drag;
  }
};

}  // namespace

MotionNeeds Articulated::bind(const RobotKind& kind) {
  MotionNeeds n;
  n.scratch = Scratch::size(kind);
  if (!(kind.mass > 0)) n.missing.push_back("mass: no object has one");
  return n;
}

GRADUS_CLONES void Articulated::predict(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const External external{view.contacts().data(), view.contact_begin(), view.target() + kind.njoint() + kPushLink,
                          view.gravity(),         view.spin(),          h};
  const auto x = coordinates_of(view.q(), view.v());
  Scratch& own = view.own<Scratch>();
  if (kind.pairs->shared_apart) {  // link by link
    auto others = [&](int i, const Frame& f, Mat6& I, Vec6& b) { external.add_others(i, f, I, b); };
    const GivenFrames<double> frames(view.frames());
    predict_articulated(arrays_of(kind), view.gravity(), x, frames, view.drive(), external.contacts, external.begin,
                        others, own.room(kind), view.acc_out(), view.a_out());
  } else {
    const DriveForce* drive = view.drive();
    auto force = [drive](int i) { return JointForceT<double>{drive[i - 1].tau, drive[i - 1].e}; };
    Mat6 I0;
    Vec6 b0;
    aba_inward_in_pairs(kind, x, view.frames(), force, external, own.slots(kind), own.factors(kind),
                        own.flight(kind).before, I0, b0);
    const Vec6 acc0 = solve_root(kind.root, view.gravity(), I0, b0, own.root);
    aba_outward_in_pairs(*kind.pairs, x, view.frames(), own.factors(kind), acc0, view.acc_out(), view.a_out());
  }
  if (kind.drives.empty()) return;
  const JointFactor* factors = view.own<Scratch>().factors(kind);
  const Link* links = kind.links.data();
  for (int i = 1; i < kind.nlink(); ++i)
    view.d_inv_out()[i - 1] =
        links[i].leader < 0 ? factors[i].d_inv : factors[links[i].leader].d_inv * links[i].ratio * links[i].ratio;
}

GRADUS_CLONES void Articulated::respond(View<access> view) {
  const RobotKind& kind = view.kind();
  Scratch& s = view.own<Scratch>();
  impulse_response(kind.links.data(), kind.nlink(), view.frames(), s.factors(kind),
                   kind.root == RootKind::free ? &s.root : nullptr, view.impulse(), view.dV(), view.dv());
}

GRADUS_CLONES void Articulated::response(View<access> view, std::span<const int> links, Response* out) {
  const RobotKind& kind = view.kind();
  Scratch& s = view.own<Scratch>();
  unit_responses(kind.links.data(), view.frames(), s.factors(kind), kind.root == RootKind::free ? &s.root : nullptr,
                 links, view.response_room(), out);
}

namespace {

/// A step in flight [motion/flight.inl]. Joints with actuator chains and shared ones keep q + h v¹. Where the robot rests
/// on another moving one, everything moves with v¹, which is what the contact was solved for, and (4) alone is added; the
/// same with actuator chains.
template <class V>
void commit_flight(const V& view, Scratch& own, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v(), *a = view.a();
  double *q1 = view.q_next(), *v1 = view.v_next();
  const Vec6& acc0 = view.acc()[0];
  const bool free = kind.root == RootKind::free;
  const Vec3 g = view.gravity();
  const JointFactor* factors = own.factors(kind);
  const DriveForce* drive = view.drive();
  const Vec3 w0 = base_angular_velocity(v), p0 = base_position(q), v0 = base_velocity(v);
  const bool hit = view.impulses() > 0, rests = view.rests();
  const Vec6 jump = hit ? view.dV()[0] : zero6<double>();
  Vec3 w1 = free ? w0 + acc0.a * h : Vec3{0, 0, 0}, vb = free ? v0 + (acc0.l + g) * h : Vec3{0, 0, 0};
  const Quat turned = free ? mean_turn(q, rests ? w1 : w0 + jump.a, w1, h) : base_orientation(q);
  set_base_pose(q1, p0, turned);
  set_base_twist(v1, w1, vb);
  const auto way = [&](int i) __attribute__((always_inline)) {
    const bool keeps = rests || kind.joints[static_cast<std::size_t>(i)].drive >= 0 || kind.links[static_cast<std::size_t>(i) + 1].hold >= 0;
    const double soft = keeps ? 0 : 1 - drive[i].e * factors[i + 1].d_inv;
    return h * (v1[6 + i] - 0.5 * soft * (h * a[i] - (hit ? view.dv()[i] : 0)));
  };
  for (int i = 0; i < kind.njoint(); ++i) {
    v1[6 + i] = v[6 + i] + h * a[i];
    q1[7 + i] = q[7 + i] + way(i);
  }
  advance_typed(*kind.pairs, q + 7, way, q1 + 7);
  if (kind.has_mimics) commit_shared(kind, q1 + 7, v1 + 6);
  Frame* next = view.frames_next();
  const auto x = coordinates_of(q, v), x1 = coordinates_of<double>(q1, v1);
  compute_in_pairs<true>(*kind.pairs, x1, next);
  const FlightPairsRoom room = own.flight(kind);
  FlightSumT<double> sum;
  const Factor6* root = free ? &own.root : nullptr;
  Vec6 dV0 = zero6<double>();
  const bool known = rests || !kind.drives.empty();  // what it rests on, or rotors and teeth, know v¹: (4) alone
  if (kind.pairs->shared_apart) {                    // link by link
    const GivenFrames<double> before(view.frames()), after(next);
    const auto arrays = arrays_of(kind);
    sum_momenta(arrays, x, before, x1, after, acc0, jump.l, h, room.links, sum);
    add_outside(view, hit, h, room.links, sum);
    if (!known) dV0 = fly_on(arrays, x, before, x1, after, drive, factors, root, acc0, a, h, room.links, v1 + 6, sum);
  } else {
    sum_momenta_in_pairs(kind, view.frames(), next, acc0, jump.l, h, room, sum);
    if (known) add_change(kind.nlink(), room.links, sum);
    add_outside(view, hit, h, room.links, sum);
    if (!known) dV0 = fly_on_in_pairs(kind, view.frames(), next, drive, factors, root, acc0, a, h, room, v1 + 6, sum);
  }
  if (kind.has_mimics) commit_shared(kind, q1 + 7, v1 + 6);
  if (free) {
    w1 += dV0.a, vb += dV0.l;
    set_base_pose(q1, keep_momentum(sum, p0, v0, g, rests, h, w1, vb), turned);
    set_base_twist(v1, w1, vb);
  }
  renew_velocities(kind, w1, v1 + 6, next);
  view.flew() = true;
}

}  // namespace

void Articulated::commit(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v(), *a = view.a();
  const bool contact = touches(view.contacts());
  if (view.impulses() < 2 && !contact) {
    commit_flight(view, view.own<Scratch>(), h);
    double* r = view.r_next();
    commit_results(kind, v, view.v_next(), h, r);
    for (int i = 0; i < kind.njoint(); ++i) r[i] = view.drive()[i].tau - view.drive()[i].e * a[i];
    return;
  }
  commit_root(kind.root, q, v, view.acc()[0], view.gravity(), contact || view.rests(), h, view.q_next(),
              view.v_next());
  if (!contact && !view.rests()) add_kick(view.kick(), h, view.q_next());
  commit_joints(kind.njoint(), q + 7, v + 6, a, h, view.q_next() + 7, view.v_next() + 6);
  const double* v1 = view.v_next() + 6;
  advance_typed(*kind.pairs, q + 7, [&](int i) { return h * v1[i]; }, view.q_next() + 7);
  if (kind.has_mimics) commit_shared(kind, view.q_next() + 7, view.v_next() + 6);
  double* r = view.r_next();
  commit_results(kind, v, view.v_next(), h, r);
  const DriveForce* drive = view.drive();
  for (int i = 0; i < kind.njoint(); ++i) r[i] = drive[i].tau - drive[i].e * a[i];
}

}  // namespace gradus
