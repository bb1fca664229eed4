# SPDX-License-Identifier: Apache-2.0
# heddle_add_test(<name> SOURCES a.cc … [LIBS lib …] [LABELS l …])
# A GoogleTest executable registered with ctest under its own name: one ctest line a file, one
# GoogleTest case a behaviour.
include_guard(GLOBAL)
find_package(GTest REQUIRED)

function(heddle_add_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
