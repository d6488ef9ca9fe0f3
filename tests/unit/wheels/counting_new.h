/// Counts calls of operator new in this test program.
#pragma once
long allocation_count();
