/// Outlines, the ball's rim round a robot, and the contact solver.
#include "base/rng.h"
#include "wheels/gap.h"
#include "wheels/island_solver.h"
#include "fixture.h"

namespace gradus::wheels {
namespace {

TEST(PlanarWheelsShape, RimOfTheSquareFollowsTheClosedForm) {
  const double a = 0.0375, r_b = 0.02135;
  std::string problem;
  const auto pieces = convex_pieces(square_outline(2 * a), problem);
  ASSERT_EQ(pieces.size(), 1u);
  for (int degree = 0; degree < 360; ++degree) {
    const double phi = degree * M_PI / 180, p = std::remainder(phi, M_PI / 2);
    const double q = a * (std::cos(p) + std::fabs(std::sin(p)));
    const double r = (a + r_b) * std::fabs(std::tan(p)) <= a ? (a + r_b) / std::cos(p)
                                                             : q + std::sqrt(r_b * r_b - 2 * a * a + q * q);
    const RimPoint rim = rim_point(pieces, r_b, phi);
    EXPECT_NEAR(rim.radius, r, 1e-12) << degree;
    const double e = 1e-6;  // ψ = φ + atan2(r, r')
    const double slope = (rim_point(pieces, r_b, phi + e).radius - rim_point(pieces, r_b, phi - e).radius) / (2 * e);
    EXPECT_NEAR(std::remainder(rim.tangent - phi - std::atan2(r, slope), 2 * M_PI), 0, 2e-5) << degree;
  }
}

TEST(PlanarWheelsShape, BallGuideIsCutIntoConvexPiecesAndHoldsTheBallDeeper) {
  std::string problem;
  const auto guide = convex_pieces(guide_outline(0.075, 0.06, 0.01), problem);
  EXPECT_TRUE(problem.empty()) << problem;
  EXPECT_GT(guide.size(), 1u);
  double area = 0;
  for (const ConvexPiece& piece : guide)
    for (int i = 0; i < piece.count; ++i) area += 0.5 * cross(piece.vertex[i], piece.vertex[(i + 1) % piece.count]);
  EXPECT_NEAR(area, 0.075 * 0.075 - 0.01 * 0.5 * (0.06 + 0.03), 1e-12) << "pieces cover the outline exactly once";
  const double r_b = 0.02135;
  EXPECT_LT(rim_point(guide, r_b, 0).radius, 0.0375 + r_b - 0.005) << "the ball sits in the guide";
  EXPECT_NEAR(rim_point(guide, r_b, M_PI).radius, 0.0375 + r_b, 1e-12);
}

TEST(PlanarWheelsShape, OutlinesThatAreNotStarShapedAreRefused) {
  std::string problem;
  EXPECT_TRUE(convex_pieces(std::vector<Vec2>{{1, 0}, {0, 1}}, problem).empty());
  EXPECT_FALSE(problem.empty());
  EXPECT_TRUE(convex_pieces(std::vector<Vec2>{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}, problem).empty()) << "clockwise";
  EXPECT_TRUE(convex_pieces(std::vector<Vec2>{{2, 1}, {1, 1}, {1, -1}, {2, -1}}, problem).empty()) << "axle outside";
}

TEST(PlanarWheelsGap, CertificatesAreNeverLongerThanTheTimeToContact) {
  // Random moving squares: jump by certificates, and at every jump check densely that no contact was passed.
  const ConvexPiece square = make_piece(square_outline(0.075));
  for (std::uint64_t n = 0; n < 300; ++n) {
    const RandomKey key{n, 1, 2};
    auto draw = [&](std::uint32_t k, double size) { return size * (2 * random_uniform(key, 0, k) - 1); };
    Piece motion[2];
    for (int i = 0; i < 2; ++i) {
      Piece& m = motion[i];
      m.degree = 3, m.t0 = 0, m.t1 = 0.05;
      m.x = {i * 0.13, draw(8 * i, 1.5), draw(8 * i + 1, 8), draw(8 * i + 2, 50)};
      m.y = {draw(8 * i + 3, 0.03), draw(8 * i + 4, 1), draw(8 * i + 5, 8)};
      m.theta = {draw(8 * i + 6, 3), draw(8 * i + 7, 15), draw(8 * i + 16, 50)};
      m.bounds();
    }
    auto placed = [&](int i, double t) {
      const Kinematics k = evaluate(motion[i], t);
      return Placed{k.p, k.v, rotation(k.theta), k.w, {motion[i].a_max, motion[i].w_max, motion[i].alpha_max}};
    };
    double t = 0;
    if (separation(square, placed(0, 0), square, placed(1, 0)).gap <= 0) continue;
    for (int jumps = 0; jumps < 200 && t < 0.05; ++jumps) {
      const double s = certify_pieces(square, placed(0, t), square, placed(1, t), {0.05 - t, 0, 0}, nullptr);
      if (s < 1e-9) break;
      const double end = std::min(t + s, 0.05);
      for (int k = 1; k <= 20; ++k) {
        const double at = t + (end - t) * k / 20;
        ASSERT_GT(separation(square, placed(0, at), square, placed(1, at)).gap, -1e-12) << n;
      }
      t = end;
    }
  }
}

/// Random islands: the solution must satisfy the complementarity conditions that define it.
TEST(PlanarWheelsSolver, SolutionsOfRandomIslandsSatisfyTheirConditions) {
  IslandSolver solver(32, 256);
  for (std::uint64_t n = 0; n < 300; ++n) {
    const RandomKey key{n, 2, 3};
    std::uint32_t next = 0;
    auto draw = [&] { return 2 * random_uniform(key, 0, next++) - 1; };
    solver.clear();
    const int bodies = 2 + static_cast<int>(n % 12);
    for (int i = 0; i < bodies; ++i) {
      SolverBody& b = solver.add_body();
      b.inertia = {0.5, 0, 0, 0.51, 0.004, 6e-4};
      for (double& v : b.v_free) v = draw();
    }
    const int contacts = 2 * bodies;
    for (int c = 0; c < contacts; ++c) {
      SolverRow r;
      r.a = c % bodies, r.b = c % 5 == 0 ? -1 : (c * 7 + 1) % bodies;
      if (r.b == r.a) r.b = -1;
      r.hi = 1e30, r.target = 0.1 * draw(), r.stiffness = 1e4 * 0.2;
      for (int tangential = 0; tangential < 2; ++tangential) {
        for (int k = 0; k < 3; ++k) r.ja[k] = (k == 2 ? 0.04 : 1) * draw(), r.jb[k] = (k == 2 ? 0.04 : 1) * draw();
        if (tangential) r.normal = solver.row_count() - 1, r.friction = 0.3, r.hi = 0, r.target = 0, r.side = -1;
        solver.add_row() = r;
      }
    }
    const SolverEffort effort = solver.solve({200, 1e-3});
    ASSERT_TRUE(effort.converged) << n;
    std::vector<double> force(3 * bodies, 0.0);
    for (int i = 0; i < solver.row_count(); ++i) {
      const SolverRow& r = solver.row(i);
      const double x = solver.row_velocity(r) - r.target, bound = r.hi;
      if (r.normal < 0)
        EXPECT_NEAR(r.lambda, std::max(0.0, -r.stiffness * x), 1e-8);
      else if (std::fabs(r.lambda) < 0.99 * bound)
        EXPECT_NEAR(r.lambda, -r.stiffness * x, 1e-8);
      else
        EXPECT_LE(r.lambda * x, 1e-12) << "friction opposes sliding";
      EXPECT_LE(std::fabs(r.lambda), bound);
      for (int k = 0; k < 3; ++k) {
        force[3 * r.a + k] += r.lambda * r.ja[k];
        if (r.b >= 0) force[3 * r.b + k] += r.lambda * r.jb[k];
      }
    }
    for (int i = 0; i < bodies; ++i) {
      const SolverBody& b = solver.body(i);
      const double d[3] = {b.v[0] - b.v_free[0], b.v[1] - b.v_free[1], b.v[2] - b.v_free[2]};
      EXPECT_NEAR(0.5 * d[0], force[3 * i], 1e-8);
      EXPECT_NEAR(0.51 * d[1] + 0.004 * d[2], force[3 * i + 1], 1e-8);
      EXPECT_NEAR(0.004 * d[1] + 6e-4 * d[2], force[3 * i + 2], 1e-8);
    }
  }
}

}  // namespace
}  // namespace gradus::wheels
