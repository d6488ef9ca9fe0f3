#include "tree/kernels.h"

#include "tree/pairs.h"

namespace gradus {
namespace {

CoordinatesT<double> coordinates(const double* q, const double* v) {
  return {{q[3], q[4], q[5], q[6]}, {v[0], v[1], v[2]}, q + 7, v + 6};
}

}  // namespace

void compute_frames(const RobotKind& kind, const double* q, const double* v, Frame* frames) {
  compute_in_pairs<true>(*kind.pairs, coordinates(q, v), frames);
}

std::vector<Pose> start_poses(const RobotKind& kind) {
  std::vector<double> q(static_cast<std::size_t>(kind.nq()), 0.0), v(static_cast<std::size_t>(kind.nv()), 0.0);
  q[3] = 1;
  for (int j = 0; j < kind.njoint(); ++j)
    q[static_cast<std::size_t>(7 + j)] = kind.joints[static_cast<std::size_t>(j)].initial;
  std::vector<Frame> frames(kind.links.size());
  compute_frames(kind, q.data(), v.data(), frames.data());
  std::vector<Pose> out;
  for (const Frame& f : frames) out.push_back({f.R, f.p});
  return out;
}

void compute_poses(const RobotKind& kind, const double* q, const double* v, Frame* frames) {
  compute_in_pairs<false>(*kind.pairs, coordinates(q, v), frames);
}

TreeScratch::TreeScratch(const RobotKind& kind)
    : frames(kind.links.size()),
      factors(kind.links.size()),
      branch_I(static_cast<std::size_t>(kind.branch_count)),
      composite(kind.links.size()),
      branch_b(static_cast<std::size_t>(kind.branch_count)),
      acc(kind.links.size()),
      force(kind.links.size()) {}

void forward_dynamics(const RobotKind& kind, const double* q, const double* v, const double* tau, Vec3 gravity,
                      TreeScratch& s, double* a) {
  const auto x = coordinates(q, v);
  compute_frames(kind, q, v, s.frames.data());
  const GivenFrames<double> frames(s.frames.data());
  auto force = [tau](int i) { return JointForceT<double>{tau[i - 1], 0}; };
  auto none = [](int, const Frame&, Mat6&, Vec6&) {};
  Mat6 I0;
  Vec6 b0, acc0{{0, 0, 0}, -gravity};
  aba_inward(kind.links.data(), kind.nlink(), x, frames, force, none, s.branch_I.data(), s.branch_b.data(),
             kind.branch_count, s.factors.data(), I0, b0);
  if (kind.root == RootKind::free) {
    Factor6 f;
    factorize(I0, f);
    acc0 = solve(f, Vec6{-b0.a, -b0.l});
  }
  aba_outward(kind.links.data(), kind.nlink(), x, frames, s.factors.data(), acc0, s.acc.data(), a + 6);
  const Vec3 l = acc0.l + gravity;
  const double root[6] = {acc0.a.x, acc0.a.y, acc0.a.z, l.x, l.y, l.z};
  for (int i = 0; i < 6; ++i) a[i] = root[i];
}

void inverse_dynamics(const RobotKind& kind, const double* q, const double* v, const double* a, Vec3 gravity,
                      TreeScratch& s, double* tau) {
  const auto x = coordinates(q, v);
  compute_frames(kind, q, v, s.frames.data());
  const Vec6 acc0{{a[0], a[1], a[2]}, Vec3{a[3], a[4], a[5]} - gravity};
  const Vec6 f =
      rnea(kind.links.data(), kind.nlink(), x, s.frames.data(), acc0, a + 6, s.acc.data(), s.force.data(), tau + 6);
  const double root[6] = {f.a.x, f.a.y, f.a.z, f.l.x, f.l.y, f.l.z};
  for (int i = 0; i < 6; ++i) tau[i] = root[i];
}

void mass_matrix(const RobotKind& kind, const double* q, TreeScratch& s, double* M) {
  const std::vector<double> still(static_cast<std::size_t>(kind.nv()), 0.0);
  compute_frames(kind, q, still.data(), s.frames.data());
  crba(kind.links.data(), kind.nlink(), s.frames.data(), s.composite.data(), M);
}

void point_jacobian(const RobotKind& kind, const Frame* frames, int link, Vec3 p_L, double* J) {
  const int n = kind.nv();
  for (int k = 0; k < 3 * n; ++k) J[k] = 0;
  const Vec3 r = frames[link].p + frames[link].R * p_L;
  auto put = [&](int column, Vec3 u) {
    J[column] = u.x;
    J[n + column] = u.y;
    J[2 * n + column] = u.z;
  };
  put(0, cross(Vec3{1, 0, 0}, r));
  put(1, cross(Vec3{0, 1, 0}, r));
  put(2, cross(Vec3{0, 0, 1}, r));
  put(3, {1, 0, 0});
  put(4, {0, 1, 0});
  put(5, {0, 0, 1});
  for (int i = link; i > 0; i = kind.links[static_cast<std::size_t>(i)].parent) put(5 + i, velocity_at(frames[i].S, r));
}

}  // namespace gradus
