# SPDX-License-Identifier: Apache-2.0
# heddle_add_program_test(<name> COMMAND program argument … LABELS l … [TIMEOUT s] [ENVIRONMENT NAME=value …]
#                         [STATUS n] [MATCHES regex] [NEVER regex] [FAST])
# The program must end with STATUS (0), and write what matches MATCHES and nothing that matches NEVER. Where an argument or
# a variable tells it to run in lockstep, lockstep must have compared instructions (tests/run.cmake). RTL is the build with
# checks (docs/runtime.md); FAST: the one that users run.
#
# heddle_add_test(<name> SOURCES a.cc … LABELS l … [LIBS lib …] [TIMEOUT s])
# A GoogleTest executable registered with ctest under its own name: one ctest line a file, one
# GoogleTest case a behaviour. THREADS: it is built with ThreadSanitizer, too.
#
# heddle_add_kept_test(<name> [TOOLS program …] OF file-or-folder … COMMAND program argument …)
# A check whose outcome depends on these alone: one that has passed is not run again (cmake/kept_check.py).
#
# heddle_add_device_tests(<executable> NAME name TIMEOUT s LABELS l …)
# Tests <name>_model_cc80 and, for each preset that is built, <name>_lockstep_<preset>: the executable with the device in
# HEDDLE_TEST_SO, HEDDLE_TEST_DEVICE and HEDDLE_TEST_PRESET. heddle_add_device_test(<executable> <device> <preset> … [FAST]) is one of them.
include_guard(GLOBAL)
find_package(GTest REQUIRED)

# What every GoogleTest executable links.
add_library(heddle_gtest_main STATIC ${PROJECT_SOURCE_DIR}/tests/gtest_main.cc)
target_include_directories(heddle_gtest_main PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(heddle_gtest_main PUBLIC GTest::gtest)

# Tests of host code (but NO_HOST ones): label and target `host`. With CMAKE_BUILD_TYPE=Sanitize they are all that is built and run.
add_custom_target(host)
# Those that are built and run with CMAKE_BUILD_TYPE=Threads: label and target `threads`.
add_custom_target(threads)

function(heddle_add_program_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "FAST" "STATUS;MATCHES;NEVER;TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_COMMAND OR NOT ARG_LABELS)
    message(FATAL_ERROR "test ${name}: COMMAND and LABELS are needed; unknown: '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  set(wanted "")
  foreach(what STATUS MATCHES NEVER)
    if(DEFINED ARG_${what})
      list(APPEND wanted "-D${what}=${ARG_${what}}")
    endif()
  endforeach()
  if(NOT ARG_FAST AND "=${ARG_COMMAND};${ARG_ENVIRONMENT};" MATCHES "[=;](tlm:)?(rtl|lockstep|tlm)(:[a-z]+)?;")
    list(APPEND ARG_ENVIRONMENT HEDDLE_CHECKED=1 HEDDLE_SEED=20)
  endif()
  if("=${ARG_COMMAND};${ARG_ENVIRONMENT};" MATCHES "[=;](lockstep|tlm|tlm:lockstep(:[a-z]+)?);")
    list(APPEND wanted -DCOMPARED=${CMAKE_CURRENT_BINARY_DIR}/${name}.compared)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_test(NAME ${name}
           COMMAND ${CMAKE_COMMAND} ${wanted} -P ${PROJECT_SOURCE_DIR}/tests/run.cmake -- ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

function(heddle_add_kept_test name)
  cmake_parse_arguments(ARG "" "" "TOOLS;OF;COMMAND" ${ARGN})
  list(TRANSFORM ARG_TOOLS PREPEND "--tool;" OUTPUT_VARIABLE tools)
  add_test(NAME ${name}
           COMMAND ${PROJECT_SOURCE_DIR}/cmake/kept_check.py --root ${PROJECT_SOURCE_DIR} --build ${CMAKE_BINARY_DIR}
                   ${tools} --of ${ARG_OF} --run ${ARG_COMMAND})
endfunction()

# Sanitizers make optimising take several times as long, so with them it is left out where nothing runs long.
function(heddle_runs_briefly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Sanitize,Threads>:-O0>)
endfunction()

function(heddle_add_test name)
  cmake_parse_arguments(ARG "NO_HOST;THREADS" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    message(FATAL_ERROR "test ${name} has no label")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} heddle_gtest_main)
  # A test runs for seconds: what it spends them in stands in libraries.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  heddle_runs_briefly(${name})
  if(NOT ARG_NO_HOST AND NOT rtl IN_LIST ARG_LABELS)
    list(APPEND ARG_LABELS host)
    add_dependencies(host ${name})
  endif()
  if(ARG_THREADS)
    list(APPEND ARG_LABELS threads)
    add_dependencies(threads ${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
  if(CMAKE_BUILD_TYPE STREQUAL "Sanitize")
    # Tests ask for more memory than there is, and managed memory lies where AddressSanitizer would forbid it.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1:protect_shadow_gap=0")
  endif()
endfunction()

function(heddle_add_device_test executable device preset)
  cmake_parse_arguments(ARG "FAST" "NAME;TIMEOUT" "LABELS" ${ARGN})
  set(fast "")
  if(device STREQUAL model)
    set(library heddle_model)
  elseif(ARG_FAST)
    set(library heddle_rtl_${preset})
    set(fast FAST)
  else()
    set(library heddle_rtl_${preset}_checked)
  endif()
  if(NOT TARGET ${library})
    return()
  endif()
  heddle_add_program_test(${ARG_NAME}_${device}_${preset} COMMAND $<TARGET_FILE:${executable}>
    TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS} ${fast}
    ENVIRONMENT HEDDLE_TEST_SO=$<TARGET_FILE:${library}> HEDDLE_TEST_DEVICE=${device}
                HEDDLE_TEST_PRESET=${PROJECT_SOURCE_DIR}/presets/${preset}.toml)
  add_custom_target(${ARG_NAME}_${device}_${preset})  # what this test needs, and no other hardware
  add_dependencies(${ARG_NAME}_${device}_${preset} ${executable} ${library})
endfunction()

function(heddle_add_device_tests executable)
  heddle_add_device_test(${executable} model cc80 ${ARGN})
  foreach(preset ${HEDDLE_PRESETS})
    heddle_add_device_test(${executable} lockstep ${preset} ${ARGN})
  endforeach()
endfunction()
