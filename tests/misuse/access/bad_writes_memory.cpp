// expect: constraints not satisfied
// Writes contact memory, declares contacts only.
#include "state/motion.h"

namespace gradus {
constexpr Access access{.reads = Field::memory, .writes = Field::contacts};
void predict(View<access> view) { view.memory_next()[0].fn = 1; }
}  // namespace gradus
