#include "motion/articulated/articulated.h"

#include "motion/joint_path.h"
#include "motion/rigid.h"
#include "tree/dynamics.h"

namespace gradus {
namespace {

/// Own scratch: fixed part, then factors (nlink), branch inertias and forces (branch_count).
struct Scratch {
  Factor6 root;
  JointFactor* factors(const RobotKind&) { return reinterpret_cast<JointFactor*>(this + 1); }
  Mat6* branch_I(const RobotKind& k) { return reinterpret_cast<Mat6*>(factors(k) + k.nlink()); }
  Vec6* branch_b(const RobotKind& k) { return reinterpret_cast<Vec6*>(branch_I(k) + k.branch_count); }
  static std::size_t size(const RobotKind& k) {
    return sizeof(Scratch) + static_cast<std::size_t>(k.nlink()) * sizeof(JointFactor) +
           static_cast<std::size_t>(k.branch_count) * (sizeof(Mat6) + sizeof(Vec6));
  }
};

CoordinatesT<double> coordinates(const double* q, const double* v) {
  return {base_orientation(q), base_angular_velocity(v), q + 7, v + 6};
}

}  // namespace

MotionNeeds Articulated::bind(const RobotKind& kind) {
  MotionNeeds n;
  n.scratch = Scratch::size(kind);
  if (!(kind.mass > 0)) n.missing.push_back("mass: no object has one");
  return n;
}

void Articulated::predict(View<access> view, double) {
  const RobotKind& kind = view.kind();
  Scratch& s = view.own<Scratch>();
  const Vec3 g = view.gravity();
  const auto x = coordinates(view.q(), view.v());
  const DriveForce* drive = view.drive();
  const std::span<const StaticContact> contacts = view.contacts();
  const int* begin = view.contact_begin();
  const double* push = view.target() + kind.njoint() + kPushLink;
  auto force = [drive](int i) { return JointForceT<double>{drive[i - 1].tau, drive[i - 1].e}; };
  auto external = [&](int i, const Frame& f, Mat6& I, Vec6& b) {
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      const StaticContact& c = contacts[static_cast<std::size_t>(k)];
      if (!c.active) continue;
      add_point(I, c.r, c.W);
      b = b - wrench_at(c.r, c.f - c.W * g);  // f⁺ = f − W (acc + g)
    }
    if (push[0] == i) b = b - wrench_at(f.p + f.R * Vec3{push[4], push[5], push[6]}, Vec3{push[1], push[2], push[3]});
  };
  StoredFrames<double> frames(const_cast<Frame*>(view.frames()));
  Mat6 I0;
  Vec6 b0;
  aba_inward(kind.links.data(), kind.nlink(), x, frames, force, external, s.branch_I(kind), s.branch_b(kind),
             kind.branch_count, s.factors(kind), I0, b0);
  const Vec6 acc0 = solve_root(kind.root, g, I0, b0, s.root);
  aba_outward(kind.links.data(), kind.nlink(), x, frames, s.factors(kind), acc0, view.acc_out(), view.a_out());
}

void Articulated::respond(View<access> view) {
  const RobotKind& kind = view.kind();
  Scratch& s = view.own<Scratch>();
  impulse_response(kind.links.data(), kind.nlink(), view.frames(), s.factors(kind),
                   kind.root == RootKind::free ? &s.root : nullptr, view.impulse(), view.dV(), view.dv());
}

void Articulated::commit(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q(), *v = view.v(), *a = view.a();
  commit_root(kind.root, q, v, view.acc()[0], view.gravity(), touches(view.contacts()), h, view.q_next(), view.v_next());
  commit_joints(kind.njoint(), q + 7, v + 6, a, h, view.q_next() + 7, view.v_next() + 6);
  double* r = view.r_next();
  commit_results(kind, v, view.v_next(), h, r);
  const DriveForce* drive = view.drive();
  for (int i = 0; i < kind.njoint(); ++i) r[i] = drive[i].tau - drive[i].e * a[i];
}

}  // namespace gradus
