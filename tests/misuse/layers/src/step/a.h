#include "motion/walk/walk.h"   // allowed
#include "nowhere/a.h"   // no module
