// expect: constraints not satisfied
// Writes q, declares only reading it.
#include "state/motion.h"

namespace gradus {
constexpr Access access{.reads = Field::q};
void predict(View<access> view) { view.q_next()[0] = 1; }
}  // namespace gradus
