/// The evolution strategy that fits servos and looks for motions, on functions whose minimum is known.
#include <gtest/gtest.h>

#include "../../tools/cma.h"

namespace gradus::tools {
namespace {

/// Rosenbrock's valley in 6 coordinates, minimum 0 at 1 … 1. CMA-ES needs about 6000 evaluations [Hansen 2016]; with
/// the sign of the step size's control turned round it finds nothing.
TEST(Cma, FindsTheEndOfRosenbrocksValley) {
  Cma cma(Vector(6, 0.0), 0.3, 12, 1);
  const Vector x = cma.run(
      [](const Vector& v) {
        double sum = 0;
        for (std::size_t i = 0; i + 1 < v.size(); ++i) {
          const double valley = v[i + 1] - v[i] * v[i], along = 1 - v[i];
          sum += 100 * valley * valley + along * along;
        }
        return sum;
      },
      12000);
  EXPECT_LT(cma.best(), 1e-8);
  for (const double c : x) EXPECT_NEAR(c, 1, 1e-3);
}

/// Far from a small minimum of a sphere the steps must grow before they shrink.
TEST(Cma, WalksFarWithStepsThatGrow) {
  Cma cma(Vector(4, 1000.0), 0.01, 10, 2);
  const Vector x = cma.run(
      [](const Vector& v) {
        double sum = 0;
        for (const double c : v) sum += c * c;
        return sum;
      },
      4000);
  EXPECT_LT(cma.best(), 1e-6);
}

}  // namespace
}  // namespace gradus::tools
