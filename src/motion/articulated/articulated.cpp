#include "motion/articulated/articulated.inl"
#include "motion/joint_path.h"
#include "motion/rigid.h"

namespace gradus {
namespace {

/// Own scratch: fixed part, then factors (nlink), branch inertias and forces (branch_count).
struct Scratch {
  Factor6 root;
  JointFactor* factors(const RobotKind&) { return reinterpret_cast<JointFactor*>(this + 1); }
  Mat6* branch_I(const RobotKind& k) { return reinterpret_cast<Mat6*>(factors(k) + k.nlink()); }
  Vec6* branch_b(const RobotKind& k) { return reinterpret_cast<Vec6*>(branch_I(k) + k.branch_count); }
  ArticulatedRoomT<double> room(const RobotKind& k) { return {&root, factors(k), branch_I(k), branch_b(k)}; }
  static std::size_t size(const RobotKind& k) {
    return sizeof(Scratch) + static_cast<std::size_t>(k.nlink()) * sizeof(JointFactor) +
           static_cast<std::size_t>(k.branch_count) * (sizeof(Mat6) + sizeof(Vec6));
  }
};

}  // namespace

MotionNeeds Articulated::bind(const RobotKind& kind) {
  MotionNeeds n;
  n.scratch = Scratch::size(kind);
  if (!(kind.mass > 0)) n.missing.push_back("mass: no object has one");
  return n;
}

void Articulated::predict(View<access> view, double) {
  const RobotKind& kind = view.kind();
  const double* push = view.target() + kind.njoint() + kPushLink;
  auto pushed = [push](int i, const Frame& f, Vec6& b) {
    if (push[0] == i) b = b - wrench_at(f.p + f.R * Vec3{push[4], push[5], push[6]}, Vec3{push[1], push[2], push[3]});
  };
  const GivenFrames<double> frames(view.frames());
  predict_articulated(arrays_of(kind), view.gravity(), coordinates_of(view.q(), view.v()), frames, view.drive(),
                      view.contacts().data(), view.contact_begin(), pushed, view.own<Scratch>().room(kind), view.acc_out(),
                      view.a_out());
  if (kind.drives.empty()) return;
  const JointFactor* factors = view.own<Scratch>().factors(kind);
  const Link* links = kind.links.data();
  for (int i = 1; i < kind.nlink(); ++i)
    view.d_inv_out()[i - 1] =
        links[i].leader < 0 ? factors[i].d_inv : factors[links[i].leader].d_inv * links[i].ratio * links[i].ratio;
}

void Articulated::respond(View<access> view) {
  const RobotKind& kind = view.kind();
  Scratch& s = view.own<Scratch>();
  impulse_response(kind.links.data(), kind.nlink(), view.frames(), s.factors(kind),
                   kind.root == RootKind::free ? &s.root : nullptr, view.impulse(), view.dV(), view.dv());
}

void Articulated::response(View<access> view, std::span<const int> links, Response* out) {
  const RobotKind& kind = view.kind();
  Scratch& s = view.own<Scratch>();
  unit_responses(kind.links.data(), view.frames(), s.factors(kind), kind.root == RootKind::free ? &s.root : nullptr, links,
                 view.response_room(), out);
}

void Articulated::commit(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v(), *a = view.a();
  const bool contact = touches(view.contacts()) || view.rests();
  commit_root(kind.root, q, v, view.acc()[0], view.gravity(), contact, h, view.q_next(), view.v_next());
  if (!contact) add_kick(view.kick(), h, view.q_next());
  commit_joints(kind.njoint(), q + 7, v + 6, a, h, view.q_next() + 7, view.v_next() + 6);
  if (kind.has_mimics) commit_shared(kind, view.q_next() + 7, view.v_next() + 6);
  double* r = view.r_next();
  commit_results(kind, v, view.v_next(), h, r);
  const DriveForce* drive = view.drive();
  for (int i = 0; i < kind.njoint(); ++i) r[i] = drive[i].tau - drive[i].e * a[i];
}

}  // namespace gradus
