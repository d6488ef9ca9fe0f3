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

target_link_libraries(gradus_batch PUBLIC ${CMAKE_DL_LIBS})  # libgradus_gpu is looked for while the program runs

# libgradus_gpu: the GPU as a back end of batches [docs/gpu.md], for those who have nvcc. Nothing else of the build knows CUDA.
option(GRADUS_GPU "build libgradus_gpu with nvcc" OFF)
set(GRADUS_GPU_ARCHITECTURES "80;90;100" CACHE STRING "compute capabilities that libgradus_gpu is compiled for")
if(GRADUS_GPU)
  find_program(GRADUS_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT GRADUS_NVCC)
    message(FATAL_ERROR "GRADUS_GPU=ON needs nvcc 12.4 or newer; set GRADUS_NVCC to its path (docs/gpu.md)")
  endif()
  get_filename_component(cuda_home ${GRADUS_NVCC} DIRECTORY)
  set(gpu_flags -std=c++20 -O3 --use_fast_math --expt-relaxed-constexpr -diag-suppress=20040,2189 -I${PROJECT_SOURCE_DIR}/src
    -Xcompiler=-fPIC,-fvisibility=hidden)
  foreach(architecture ${GRADUS_GPU_ARCHITECTURES})
    list(APPEND gpu_flags -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  list(GET GRADUS_GPU_ARCHITECTURES -1 newest)
  list(APPEND gpu_flags -gencode=arch=compute_${newest},code=compute_${newest})  # for GPUs to come
  file(GLOB gpu_headers ${PROJECT_SOURCE_DIR}/src/batch/gpu/*.h ${PROJECT_SOURCE_DIR}/src/batch/gpu/*.inl)
  foreach(source limb_kernel.cu thread_kernel.cu gpu_worlds.cu limb_plan.cpp limb_robot.cpp)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/gpu/${source}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/gpu
      COMMAND ${GRADUS_NVCC} ${gpu_flags} -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/src/batch/gpu/${source} -o ${object}
      DEPENDS ${PROJECT_SOURCE_DIR}/src/batch/gpu/${source} ${gpu_headers} DEPFILE ${object}.d VERBATIM)
    list(APPEND gpu_objects ${object})
  endforeach()
  set(gpu_library ${CMAKE_CURRENT_BINARY_DIR}/libgradus_gpu.so)
  add_custom_command(OUTPUT ${gpu_library}
    COMMAND ${GRADUS_NVCC} -shared -cudart static -L${cuda_home}/../lib -L${cuda_home}/../lib64 ${gpu_objects} -o ${gpu_library}
    DEPENDS ${gpu_objects} VERBATIM)
  add_custom_target(gradus_gpu ALL DEPENDS ${gpu_library})
  install(PROGRAMS ${gpu_library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
