// expect: assignment of read-only|not assignable
// Writes State[k] through what it may only read.
#include "state/motion.h"

namespace gradus {
constexpr Access access{.reads = Field::v};
void predict(View<access> view) { view.v()[0] = 1; }
}  // namespace gradus
