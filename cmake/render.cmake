# One source of the ray caster for several instruction sets; the program chooses when it starts [src/render/kernels.h].
# Packs of lanes never cross a function boundary; masks of one lane are truths, and are joined by & like those of many.
target_compile_options(gradus_render PRIVATE -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(gradus_render PRIVATE -Wno-bitwise-instead-of-logical)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/render/kernels_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/render/kernels_avx512.cpp PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mavx512bw;-mavx512vl;-mprefer-vector-width=512")
endif()
