# SPDX-License-Identifier: Apache-2.0
# heddle_add_cuda_example(<name>)
# Compiles examples/<name>/<name>.cu with clang and Heddle's toolkit, as a user would, into
# <build>/examples/<name>. Target `example_<name>`; target `examples` builds all of them.
include_guard(GLOBAL)

function(heddle_add_cuda_example name)
  set(source ${PROJECT_SOURCE_DIR}/examples/${name}/${name}.cu)
  set(program ${CMAKE_BINARY_DIR}/examples/${name})
  set(toolkit ${CMAKE_BINARY_DIR}/toolkit)
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${HEDDLE_CLANGXX} -x cuda --cuda-path=${toolkit} --cuda-gpu-arch=sm_80 -O2 -std=c++17 -Wall
            -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${toolkit}/=
            ${source} -o ${program} -L${toolkit}/lib64 -Wl,-rpath,$ORIGIN/../lib -lcudart
    DEPENDS ${source} ${PROJECT_SOURCE_DIR}/examples/common/example.h toolkit ${toolkit}.stamp
    COMMENT "CUDA example ${name}" VERBATIM)
  add_custom_target(example_${name} DEPENDS ${program})
  if(NOT TARGET examples)
    add_custom_target(examples)
  endif()
  add_dependencies(examples example_${name})
endfunction()
