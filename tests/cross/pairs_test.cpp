/// Links in pairs against links one by one: frames must be the same bits, the common body the same up to the order of
/// sums.
#include <gtest/gtest.h>

#include <cstring>

#include "load/robot_toml.h"
#include "motion/articulated/articulated.inl"
#include "motion/flight_pairs.h"
#include "support/robots.h"
#include "tree/kernels.h"
#include "tree/pairs.h"

namespace gradus::test {
namespace {

constexpr int kStates = 200;

struct Robot {
  const char* name;
  std::shared_ptr<const RobotKind> kind;
};
std::ostream& operator<<(std::ostream& out, const Robot& r) { return out << r.name; }

std::vector<Robot> robots() {
  return {
      {"humanoid28", kind_of(humanoid28())},
      {"random_tree", kind_of(random_tree(5))},
      {"another_tree", kind_of(random_tree(11))},
      {"fixed_arm", kind_of(fixed_arm())},
      {"nao", kind_of(*load_robot(std::string(GRADUS_SOURCE_DIR) + "/robots/nao_h25_v6.toml"))},  // hips on one motor
      {"two_legs", kind_of(two_legs(0.7, false))},
      {"kidsize", kind_of(*load_robot(std::string(GRADUS_SOURCE_DIR) + "/robots/kidsize.toml"))}};
}

class Pairs : public testing::TestWithParam<Robot> {
 protected:
  const RobotKind& kind = *GetParam().kind;
  Random random{7};
  std::vector<Frame> frames = std::vector<Frame>(kind.links.size());
};
INSTANTIATE_TEST_SUITE_P(Robots, Pairs, testing::ValuesIn(robots()),
                         [](const auto& p) { return std::string(p.param.name); });

TEST_P(Pairs, hold_every_link_once_and_after_its_parent) {
  std::vector<int> seen(kind.links.size(), 0), bodies(kind.links.size(), 0);
  seen[0] = 1;
  for (const JointPair& j : kind.pairs->joints) {
    for (int i : {j.parent_1, j.parent_2}) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 1);
    seen[static_cast<std::size_t>(j.first)]++;
    if (j.second != j.first) seen[static_cast<std::size_t>(j.second)]++;
  }
  const auto count = [&](const auto& list) {
    for (const auto& b : list) {
      bodies[static_cast<std::size_t>(b.first)]++;
      if (b.second != b.first) bodies[static_cast<std::size_t>(b.second)]++;
    }
  };
  count(kind.pairs->bodies);
  count(kind.pairs->spindles);
  for (int i : kind.pairs->odd) bodies[static_cast<std::size_t>(i)]++;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], 1) << i;
    EXPECT_EQ(bodies[i], kind.links[i].mass > 0 ? 1 : 0) << i;
  }
}

TEST_P(Pairs, frames_are_the_bits_of_links_one_by_one) {
  std::vector<Frame> single(frames.size());
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    compute_frames(kind, s.q.data(), s.v.data(), frames.data());
    compute_frames(kind.links.data(), kind.nlink(), coordinates_of(s.q.data(), s.v.data()), single.data());
    for (std::size_t i = 0; i < frames.size(); ++i)
      ASSERT_EQ(std::memcmp(&frames[i], &single[i], sizeof(Frame)), 0) << "state " << k << " link " << i;
    compute_poses(kind, s.q.data(), s.v.data(), frames.data());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      ASSERT_EQ(std::memcmp(&frames[i].R, &single[i].R, sizeof(Mat3)), 0) << "state " << k << " link " << i;
      ASSERT_EQ(std::memcmp(&frames[i].p, &single[i].p, sizeof(Vec3)), 0) << "state " << k << " link " << i;
    }
  }
}

TEST_P(Pairs, common_body_is_the_composite_inertia_of_the_root) {
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    compute_frames(kind, s.q.data(), s.v.data(), frames.data());
    double mass;
    Vec3 com;
    Sym3 J;
    common_body(kind, frames.data(), mass, com, J);
    const Mat6 I = rigid_inertia(mass, com, J);
    Mat6 sum = zero66<double>();  // link by link [dynamics.h]
    for (int i = 0; i < kind.nlink(); ++i) {
      Mat6 own;
      Vec6 b;
      own_inertia(kind.links[static_cast<std::size_t>(i)], frames[static_cast<std::size_t>(i)], own, b);
      sum += own;
    }
    const double a[] = {I.A.xx, I.A.xy, I.A.xz, I.A.yy, I.A.yz, I.A.zz, I.B.x.y, I.B.x.z, I.B.y.z, I.C.xx};
    const double e[] = {sum.A.xx, sum.A.xy,  sum.A.xz,  sum.A.yy,  sum.A.yz,
                        sum.A.zz, sum.B.x.y, sum.B.x.z, sum.B.y.z, sum.C.xx};
    for (int c = 0; c < 10; ++c)
      ASSERT_NEAR(a[c], e[c], 1e-13 * (sum.C.xx + sum.A.xx + sum.A.yy + sum.A.zz)) << "state " << k << " " << c;
  }
}

/// Forces, contacts on some links and servos at random; link by link is the witness.
TEST_P(Pairs, articulated_bodies_are_those_of_links_one_by_one) {
  ASSERT_FALSE(kind.pairs->shared_apart);
  struct Some {
    bool any(int i) const { return i % 3 == 0; }
    void operator()(int i, const Frame& f, Mat6& I, Vec6& b) const {
      if (!any(i)) return;
      add_point(I, f.p + Vec3{0.1, 0.02 * i, 0}, Sym3{3, 0.1, 0.2, 4, 0.3, 5});
      b = b - wrench_at(f.p, Vec3{1, -2, 0.5 * i});
    }
  } contact;
  TreeScratch one(kind), pairs(kind);
  std::vector<LimbSlot> slots(static_cast<std::size_t>(kind.pairs->slot_count));
  std::vector<PairMomentum> momenta(kind.pairs->joints.size());
  std::vector<double> a(static_cast<std::size_t>(kind.njoint())), a_pairs(a.size()), tau(a.size()), e(a.size());
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random);
    const auto x = coordinates_of(s.q.data(), s.v.data());
    compute_frames(kind, s.q.data(), s.v.data(), frames.data());
    for (std::size_t j = 0; j < tau.size(); ++j) tau[j] = random.in(-3, 3), e[j] = random.in(0, 0.1);
    auto force = [&](int i) {
      return JointForceT<double>{tau[static_cast<std::size_t>(i - 1)], e[static_cast<std::size_t>(i - 1)]};
    };
    const GivenFrames<double> given(frames.data());
    Mat6 I, I_pairs;
    Vec6 b, b_pairs;
    aba_inward(kind.links.data(), kind.nlink(), x, given, force, contact, one.branch_I.data(), one.branch_b.data(),
               kind.branch_count, one.factors.data(), I, b);
    aba_inward_in_pairs(kind, x, frames.data(), force, contact, slots.data(), pairs.factors.data(), momenta.data(),
                        I_pairs, b_pairs);
    const double size = I.A.xx + I.A.yy + I.A.zz + I.C.xx, force_size = norm(b.a) + norm(b.l);
    EXPECT_NEAR(I_pairs.A.xy, I.A.xy, 1e-13 * size);
    EXPECT_NEAR(I_pairs.B.x.y, I.B.x.y, 1e-13 * size);
    EXPECT_NEAR(I_pairs.C.zz, I.C.zz, 1e-13 * size);
    EXPECT_NEAR(norm(b_pairs.a - b.a) + norm(b_pairs.l - b.l), 0, 1e-12 * force_size);
    const Vec6 acc0{{0.3, -0.2, 0.1}, {1, 2, 3}};
    aba_outward(kind.links.data(), kind.nlink(), x, given, one.factors.data(), acc0, one.acc.data(), a.data());
    aba_outward_in_pairs(*kind.pairs, x, frames.data(), pairs.factors.data(), acc0, pairs.acc.data(), a_pairs.data());
    double largest = 1;
    for (double y : a) largest = std::max(largest, std::abs(y));
    for (std::size_t j = 0; j < a.size(); ++j)
      ASSERT_NEAR(a_pairs[j], a[j], 1e-11 * largest) << "state " << k << " joint " << j;
    for (std::size_t i = 0; i < one.acc.size(); ++i)
      ASSERT_LE(norm(pairs.acc[i].a - one.acc[i].a) + norm(pairs.acc[i].l - one.acc[i].l), 1e-11 * largest)
          << "state " << k;
  }
}

/// A step in flight: what links lack of their momenta, and what the joints and the root then take.
TEST_P(Pairs, fly_as_links_one_by_one) {
  ASSERT_FALSE(kind.pairs->shared_apart) << "such robots fly link by link";
  constexpr double h = 0.001;
  const auto n = static_cast<std::size_t>(kind.nlink()), nj = static_cast<std::size_t>(kind.njoint());
  const bool free = kind.root == RootKind::free;
  std::vector<std::byte> memory(FlightPairsRoom::size(kind)), memory_pairs(memory.size());
  const FlightRoomT<double> one = FlightPairsRoom::at(kind, memory.data()).links;
  const FlightPairsRoom room = FlightPairsRoom::at(kind, memory_pairs.data());
  std::vector<Frame> next(n);
  std::vector<JointFactor> factors(n);
  std::vector<Mat6> branch_I(static_cast<std::size_t>(kind.branch_count));
  std::vector<Vec6> branch_b(branch_I.size()), acc(n);
  std::vector<DriveForce> drive(nj, DriveForce{});
  std::vector<double> a(nj), v1(nj), v1_pairs(nj);
  for (int k = 0; k < kStates; ++k) {
    const RandomState s = random_state(kind, random), t = random_state(kind, random);
    const auto x = coordinates_of(s.q.data(), s.v.data()), x1 = coordinates_of(t.q.data(), t.v.data());
    compute_frames(kind, s.q.data(), s.v.data(), frames.data());
    compute_frames(kind, t.q.data(), t.v.data(), next.data());
    for (DriveForce& d : drive) d.tau = random.in(-3, 3), d.e = random.in(0, 0.1);
    const GivenFrames<double> before(frames.data()), after(next.data());
    Factor6 root;
    const ArticulatedRoomT<double> factor_room{&root, factors.data(), branch_I.data(), branch_b.data()};
    std::vector<int> begin(n + 1, 0);
    predict_articulated(
        arrays_of(kind), Vec3{0, 0, -9.81}, x, before, drive.data(), static_cast<const StaticContact*>(nullptr),
        begin.data(), [](int, const Frame&, Mat6&, Vec6&) {}, factor_room, acc.data(), a.data());
    const Vec3 jump{0.1, -0.2, 0.3};
    FlightSumT<double> sum, sum_pairs;
    for (std::size_t j = 0; j < nj; ++j) v1[j] = v1_pairs[j] = t.v[6 + j];
    sum_momenta(arrays_of(kind), x, before, x1, after, acc[0], jump, h, one, sum);
    const Vec6 twist = fly_on(arrays_of(kind), x, before, x1, after, drive.data(), factors.data(),
                              free ? &root : nullptr, acc[0], a.data(), h, one, v1.data(), sum);
    momenta_in_pairs(kind, frames.data(), room.before);
    sum_momenta_in_pairs(kind, frames.data(), next.data(), acc[0], jump, h, room, sum_pairs);
    const Vec6 twist_pairs =
        fly_on_in_pairs(kind, frames.data(), next.data(), drive.data(), factors.data(), free ? &root : nullptr, acc[0],
                        a.data(), h, room, v1_pairs.data(), sum_pairs);
    auto size = [](const Vec6& V) { return norm(V.a) + norm(V.l); };
    EXPECT_LE(size(sum_pairs.before - sum.before), 1e-12 * size(sum.before));
    if (free) {
      EXPECT_LE(size(sum_pairs.after - sum.after), 1e-9 * size(sum.after));
    }
    EXPECT_LE(norm(sum_pairs.mc - sum.mc), 1e-13 * kind.mass);
    EXPECT_NEAR(sum_pairs.I.A.xy, sum.I.A.xy, 1e-12 * (sum.I.A.xx + sum.I.A.yy));
    EXPECT_LE(size(twist_pairs - twist), 1e-9 * (1 + size(twist)));
    double largest = 1;
    for (double y : v1) largest = std::max(largest, std::abs(y));
    for (std::size_t j = 0; j < nj; ++j) ASSERT_NEAR(v1_pairs[j], v1[j], 1e-9 * largest) << "state " << k;
  }
}

TEST(Pairs, of_a_symmetric_humanoid_leave_few_links_alone) {
  const auto kind = kind_of(*load_robot(std::string(GRADUS_SOURCE_DIR) + "/robots/kidsize.toml"));
  EXPECT_EQ(kind->pairs->joints.size(), 12u);   // legs and arms are twins; waist, neck and head are not
  EXPECT_EQ(kind->pairs->spindles.size(), 8u);  // spheres and capsules
  EXPECT_EQ(kind->pairs->bodies.size(), 2u);    // pelvis, trunk and feet
}

TEST(Pairs, of_joints_on_one_motor_stand_together) {
  for (const Robot& r : robots()) {
    int shared = 0;
    for (const JointPair& j : r.kind->pairs->joints) shared += j.shared;
    const std::string name = r.name;
    EXPECT_EQ(shared, name == "nao" || name == "two_legs" ? 1 : 0) << r.name;
  }
}

}  // namespace
}  // namespace gradus::test
