#include "step/a.h"   // upwards
#include "../walk/walk.h"   // by a side door
