# SPDX-License-Identifier: Apache-2.0
# C programs with either runtime: where they find the core (libheddle.so.0), what is said where there is none or an old one, and that
# all of a process share one. SOURCE, BUILD, CC, PREFIX (of installations) and WORK are given.
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/tests/expect.cmake)
foreach(name HEDDLE_HOME HEDDLE_PRESET HEDDLE_TRACE LD_LIBRARY_PATH LIBRARY_PATH NVTX_INJECTION64_PATH)
  unset(ENV{${name}})
endforeach()
set(ENV{HEDDLE_DEVICE} model)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/far/below/build ${WORK}/other ${WORK}/old/lib ${WORK}/lacks/lib)
set(programs ${CMAKE_CURRENT_LIST_DIR}/programs)
set(compile ${CC} -Wall -Werror -I${SOURCE}/firmware/include -I${SOURCE})

# Linked as nvcc does it, and needing no more than C.
set(static -L${BUILD}/lib -lcudart_static -lrt -lpthread -ldl)
expect(0 "" ${compile} ${programs}/first.c -o ${WORK}/first ${static})
expect(0 "" ${compile} ${programs}/first.c -o ${WORK}/run_path ${static} -Wl,-rpath,${BUILD}/lib)
expect(0 "" ${compile} ${programs}/first.c -o ${WORK}/shared -L${BUILD}/lib -lcudart -Wl,-rpath,${BUILD}/lib)
set(EXPECT_NOT "lib(stdc|fmt|gcc_s|heddle)")
expect(0 "NEEDED" readelf -d ${WORK}/first)
expect(0 "NEEDED" readelf -d ${BUILD}/lib/libcudart.so.12)
unset(EXPECT_NOT)
file(SIZE ${BUILD}/lib/libcudart_static.a bytes)
if(bytes GREATER 300000)
  message(FATAL_ERROR "libcudart_static.a has ${bytes} bytes: it holds more than jumps")
endif()

# Moved, far from the build: found by the run path, or what the environment says.
foreach(program first run_path shared)
  file(RENAME ${WORK}/${program} ${WORK}/far/below/build/${program})
endforeach()
set(first ${WORK}/far/below/build/first)
expect(0 "^1 device\n$" ${WORK}/far/below/build/run_path)
expect(0 "^1 device\n$" ${WORK}/far/below/build/shared)
foreach(way HEDDLE_HOME=${BUILD} LD_LIBRARY_PATH=${BUILD}/lib PATH=${BUILD}/bin:$ENV{PATH})
  expect(0 "^1 device\n$" ${CMAKE_COMMAND} -E env ${way} ${first})
endforeach()
# Beside the program or the library, and above it. Copies know where the devices are by HEDDLE_HOME.
file(COPY ${BUILD}/lib/libheddle.so.0 ${BUILD}/lib/libcudart.so.12 DESTINATION ${WORK}/other)
file(COPY ${BUILD}/lib/libheddle.so.0 DESTINATION ${WORK}/far/lib)
expect(0 "^1 device\n$" ${CMAKE_COMMAND} -E env HEDDLE_HOME=${BUILD} LD_LIBRARY_PATH=${WORK}/other ${WORK}/far/below/build/shared)
# In the folder that HEDDLE_HOME names is no core: that above the program is taken, which has no devices.
expect(1 "unknown preset" ${CMAKE_COMMAND} -E env HEDDLE_HOME=${WORK}/other ${first})
file(REMOVE_RECURSE ${WORK}/far/lib)

# None: the program hears of it as an error, and its user once, with the places.
if(NOT EXISTS ${PREFIX}/lib/libheddle.so.0)
  string(CONCAT told "^heddle: libheddle.so.0, which holds the CUDA runtime, was not found[^\n]*Tried:\n"
    "heddle: +${WORK}/far/below/build/libheddle.so.0 [^\n]*no such file\n"
    "heddle: +${WORK}/nowhere/lib/libheddle.so.0 .HEDDLE_HOME.: no such file\n.*LD_LIBRARY_PATH.*"
    "heddle: +${WORK}/far/lib/libheddle.so.0 .*${PREFIX}/lib/libheddle.so.0 [^\n]*\n"
    "error 3: cudaErrorInitializationError[^\n]*\n$")
  expect(0 "${told}" ${CMAKE_COMMAND} -E env HEDDLE_HOME=${WORK}/nowhere sh -c "exec ${first} 2>&1")
endif()

# An old one.
expect(0 "" ${compile} -shared -fPIC ${programs}/old_core.c -o ${WORK}/old/lib/libheddle.so.0)
expect(0 "" ${compile} -shared -fPIC -DLACKS ${programs}/old_core.c -o ${WORK}/lacks/lib/libheddle.so.0)
expect(0 "^heddle: ${WORK}/old/lib/libheddle.so.0 cannot be used[^\n]*: it is too old\nerror 3: "
       ${CMAKE_COMMAND} -E env HEDDLE_HOME=${WORK}/old sh -c "exec ${first} 2>&1")
expect(0 "heddle: cudaMalloc3D: libheddle.so.0 is older than the program's libcudart_static.a and lacks it\n.*error 3: said by the core\n$"
       ${CMAKE_COMMAND} -E env HEDDLE_HOME=${WORK}/lacks sh -c "exec ${first} 2>&1")
expect(0 "" ${compile} ${programs}/connect.c -o ${WORK}/connect -ldl)
expect(0 "^it is older than the program's" ${WORK}/connect ${BUILD}/lib/libheddle.so.0)

# One core for all that one process holds, also where another lies beside a library.
expect(0 "" ${compile} ${programs}/mixed.c -o ${WORK}/mixed ${static} -Wl,-rpath,${BUILD}/lib)
expect(0 "^12030 11080 12030 13000 12030\n$" ${WORK}/mixed ${WORK}/other/libcudart.so.12 ${BUILD}/lib/libcudart.so.11.0
       ${BUILD}/lib/libcudart.so.12 ${BUILD}/lib/libcudart.so.13)

# NVRTC, under each of its names.
expect(0 "" ${compile} ${programs}/compiler.c -o ${WORK}/compiler -L${BUILD}/lib -lnvrtc -Wl,-rpath,${BUILD}/lib -ldl)
expect(0 "^12.3 11.8 12.3 13.0 compiled\n$" ${WORK}/compiler ${BUILD}/lib/libnvrtc.so.11.2 ${BUILD}/lib/libnvrtc.so.12
       ${BUILD}/lib/libnvrtc.so.13)
expect(0 "libnvrtc.so.12" readelf -d ${WORK}/compiler)
file(MAKE_DIRECTORY ${WORK}/alone)
file(COPY ${BUILD}/lib/libnvrtc.so.12 DESTINATION ${WORK}/alone)
expect(0 "" ${compile} ${programs}/compiler.c -o ${WORK}/compiler_alone -L${BUILD}/lib -lnvrtc -ldl)
if(NOT EXISTS ${PREFIX}/lib/libheddle.so.0)
  expect(0 "libheddle.so.0, which holds the CUDA runtime, was not found.*\nerror 11: [^\n]*is missing\n$"
         ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${WORK}/alone sh -c "exec ${WORK}/compiler_alone 2>&1")
endif()

# What calls no CUDA does not load it, but for NVTX's sake.
expect(0 "" ${compile} ${programs}/idle.c -o ${WORK}/idle -Wl,--no-as-needed -L${BUILD}/lib -lcudart -Wl,-rpath,${BUILD}/lib -ldl)
expect(0 "^not loaded\n$" ${WORK}/idle)
expect(0 "^loaded\n$" ${CMAKE_COMMAND} -E env NVTX_INJECTION64_PATH=${BUILD}/lib/libheddle-nvtx.so HEDDLE_TRACE=${WORK}/trace.json
       ${WORK}/idle)
