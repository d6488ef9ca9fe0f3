#include "motion/roll/roll.h"   // a sibling
#include "core/a.h"   // allowed, transitively
