#include "core/a.h"   // allowed
