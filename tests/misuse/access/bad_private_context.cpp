// expect: is private|private member
// Goes round the declaration.
#include "state/motion.h"

namespace gradus {
constexpr Access access{.reads = Field::q};
void predict(View<access> view) { (void)view.c_.next; }
}  // namespace gradus
