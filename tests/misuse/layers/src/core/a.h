#include "tree/a.h"   // upwards
