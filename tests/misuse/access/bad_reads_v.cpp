// expect: constraints not satisfied
// Reads v, declares only q.
#include "state/motion.h"

namespace gradus {
constexpr Access access{.reads = Field::q};
void predict(View<access> view) { (void)view.v(); }
}  // namespace gradus
