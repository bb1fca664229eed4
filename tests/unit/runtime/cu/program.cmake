# SPDX-License-Identifier: Apache-2.0
# A C program of the driver API, with the library at its link and with it opened by name. SOURCE, BUILD, CC and WORK are given.
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/tests/expect.cmake)
foreach(name HEDDLE_PRESET HEDDLE_TRACE LD_LIBRARY_PATH LIBRARY_PATH)
  unset(ENV{${name}})
endforeach()
set(ENV{HEDDLE_DEVICE} model)
set(ENV{HEDDLE_HOME} ${BUILD})
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(program ${CMAKE_CURRENT_LIST_DIR}/program.c)
foreach(standard c99 c17)
  expect(0 "" ${CC} -std=${standard} -Wall -Werror -I${SOURCE}/firmware/include ${program} -o ${WORK}/linked -L${BUILD}/lib -lcuda
         -Wl,-rpath,${BUILD}/lib)
endforeach()
expect(0 "^1 device\nnot initialized: 3\nPASS\n$" ${WORK}/linked)
expect(0 "libcuda.so.1" readelf -d ${WORK}/linked)
set(EXPECT_NOT "libcuda.so.1@")
expect(0 "cuInit" nm -D ${WORK}/linked)
unset(EXPECT_NOT)
expect(0 "heddle: api 1 cuMemAlloc_v2.0x[0-9a-f]+, 128. = CUDA_SUCCESS.*cuLaunchKernel.square.*cuGraphCreate..... = CUDA_ERROR_NOT_SUPPORTED"
       ${CMAKE_COMMAND} -E env HEDDLE_LOG=api sh -c "${WORK}/linked refused 2>&1")
