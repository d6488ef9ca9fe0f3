// expect: constraints not satisfied
// Reads targets, declares only coordinates.
#include "state/motion.h"

namespace gradus {
constexpr Access access{.reads = Field::q | Field::v};
void predict(View<access> view) { (void)view.target(); }
}  // namespace gradus
