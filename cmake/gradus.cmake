# Build rules shared by all folders.
option(GRADUS_APPS  "build the gradus program" ${PROJECT_IS_TOP_LEVEL})
option(GRADUS_TESTS "build the tests" ${PROJECT_IS_TOP_LEVEL})

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include(GNUInstallDirs)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(GRADUS_CCACHE ccache)
if(GRADUS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GRADUS_CCACHE})
endif()

# Same bits from gcc and clang, -O0 and -O3: no contraction, no value-changing optimisation. errno and traps of the
# maths functions are not used; giving them up changes no value and lets sqrt be one instruction.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math
                    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
# GCC 12 sees overlapping copies in "text" + std::string (its bug 105651); the code is right.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

# gradus_module(name DEPENDS folders... LINKS libraries...): src/<name>/**.cpp becomes gradus::<name>.
function(gradus_module name)
  cmake_parse_arguments(M "" "" "DEPENDS;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(TRANSFORM M_DEPENDS PREPEND gradus_)
  if(sources)
    add_library(gradus_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(gradus_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(gradus_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(gradus_${name} ${scope} ${M_DEPENDS} ${M_LINKS} fmt::fmt)
  add_library(gradus::${name} ALIAS gradus_${name})
  set_property(GLOBAL APPEND PROPERTY GRADUS_MODULES gradus_${name})
endfunction()

# gradus_test(name sources... LINKS targets...): one GoogleTest program; its cases show up one by one in ctest.
function(gradus_test name)
  cmake_parse_arguments(T "" "" "LINKS" ${ARGN})
  add_executable(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${T_LINKS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE GRADUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()

# The public library: one shared object with the C++ interface of include/gradus; everything else stays inside.
function(gradus_library)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/api/*.cpp)
  add_library(gradus SHARED ${sources})
  add_library(gradus::gradus ALIAS gradus)
  target_link_libraries(gradus PRIVATE gradus::control gradus::step)
  target_include_directories(gradus PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(gradus PUBLIC cxx_std_20)
  set_target_properties(gradus PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
endfunction()

# gradus, its public headers, robots, servos, fields, maps, motions and scenes; and what find_package(gradus) reads.
function(gradus_install)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  install(TARGETS gradus EXPORT gradusTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(TARGET gradus_cli)
    install(TARGETS gradus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  install(DIRECTORY include/gradus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY robots servos fields maps motions scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/gradus)
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/gradus USE_SOURCE_PERMISSIONS
          PATTERN build EXCLUDE PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN *.png)
  install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  set(where ${CMAKE_INSTALL_LIBDIR}/cmake/gradus)
  install(EXPORT gradusTargets NAMESPACE gradus:: DESTINATION ${where})
  file(WRITE ${PROJECT_BINARY_DIR}/gradusConfig.cmake "include(\"\${CMAKE_CURRENT_LIST_DIR}/gradusTargets.cmake\")\n")
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/gradusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/gradusConfig.cmake ${PROJECT_BINARY_DIR}/gradusConfigVersion.cmake DESTINATION ${where})
endfunction()
