# Lanes are wide vectors that never cross a function boundary; GCC's remark on their calling convention does not apply.
target_compile_options(gradus_batch PRIVATE -Wno-psabi)

# Wide vectors in narrow registers take the compiler two minutes at -O3 and 44 s at -O1. Machines of the last ten years use the kernels below.
# GCC 12 folds masks of two doubles into comparisons that SSE2 has not, and breaks down; not without forward propagation.
set(portable "-O1")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND portable "-fno-tree-forwprop")
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/batch/lanes/kernels_portable.cpp PROPERTIES COMPILE_OPTIONS "${portable}")

# One source of the kernels for several instruction sets; the program chooses when it starts [src/batch/lanes/kernel.h].
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/batch/lanes/kernels_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/batch/lanes/kernels_avx512.cpp PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mavx512bw;-mavx512vl;-mprefer-vector-width=512")
endif()

# The same lane kernels for the machine at hand: contracted multiply-adds and its widest registers. A target of its own, so
# that the deterministic core is untouched. Signed zeros and traps are not used by the kernels.
add_library(gradus_batch_native STATIC ${PROJECT_SOURCE_DIR}/src/batch/lanes/kernels_native.cc)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/batch/lanes/kernels_native.cc PROPERTIES LANGUAGE CXX)
target_compile_options(gradus_batch_native PRIVATE -Wno-psabi -march=native -ffp-contract=fast -fno-signed-zeros)
target_link_libraries(gradus_batch_native PUBLIC gradus_batch)
add_library(gradus::batch_native ALIAS gradus_batch_native)
