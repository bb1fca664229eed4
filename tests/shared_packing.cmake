# SPDX-License-Identifier: Apache-2.0
# The runtime where zstd and lz4 are there as shared libraries only, as in many distributions, and where there are archives.
# SOURCE, BUILD (a build), LIBRARIES (the system's folder), WORK, CXX are given.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/libraries)

# Whether the files ask for both libraries (TRUE), or for none.
function(ask wanted)
  foreach(file ${ARGN})
    execute_process(COMMAND readelf -d ${file} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
    foreach(name zstd lz4)
      string(REGEX MATCH "NEEDED[^\n]*lib${name}" asks "${dynamic}")
      if(asks AND NOT wanted OR wanted AND NOT asks)
        message(FATAL_ERROR "${file}: ${name} is asked for: '${asks}', wanted: ${wanted}\n${dynamic}")
      endif()
    endforeach()
  endforeach()
endfunction()

# A program with the runtime as an archive, as nvcc links it.
function(link_static source output)
  expect(0 "" ${CXX} -I${SOURCE}/firmware/include ${source} -o ${output} ${ARGN} -lcudart_static -lrt -lpthread -ldl)
  expect(0 "" ${output})
endfunction()

# This build: archives leave no trace.
if(EXISTS ${LIBRARIES}/libzstd.a AND EXISTS ${LIBRARIES}/liblz4.a)
  file(WRITE ${WORK}/app.cc "#include <cuda_runtime_api.h>\n"
    "int main() { int v = 0; return cudaRuntimeGetVersion(&v) != cudaSuccess || v != CUDART_VERSION; }\n")
  link_static(${WORK}/app.cc ${WORK}/app -L${BUILD}/lib)
  ask(FALSE ${WORK}/app ${BUILD}/lib/libcudart.so)
endif()

# Another, with all of the system's libraries but the two archives: the only folder that is searched.
file(GLOB all LIST_DIRECTORIES false ${LIBRARIES}/*.so ${LIBRARIES}/*.a)
list(FILTER all EXCLUDE REGEX "/lib(zstd|lz4)\\.a$")
foreach(library ${all})
  get_filename_component(name ${library} NAME)
  file(CREATE_LINK ${library} ${WORK}/libraries/${name} SYMBOLIC)
endforeach()
string(REGEX REPLACE "^/usr" "" without_usr ${LIBRARIES})
expect(0 "" ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -DHEDDLE_TESTS=OFF -DHEDDLE_SYNTHESIS=OFF -DHEDDLE_PRESETS=
  "-DCMAKE_IGNORE_PATH=${LIBRARIES}\\;${without_usr}" -DCMAKE_LIBRARY_PATH=${WORK}/libraries)
file(READ ${WORK}/build/build.ninja commands)
set(folder ${WORK}/libraries)
if(NOT commands MATCHES "build lib/libcudart.so.12:[^\n]* ${folder}/libzstd.so ${folder}/liblz4.so ")
  message(FATAL_ERROR "libcudart.so is not linked with the shared libraries of ${folder}")
endif()
if(NOT commands MATCHES "ld -r [^\n]*--end-group" OR CMAKE_MATCH_0 MATCHES "lib(zstd|lz4)")
  message(FATAL_ERROR "the archive's object is not to hold a shared library: ${CMAKE_MATCH_0}")
endif()

# What programs find as libcudart_static.a names both: with a stand-in for the archive, a program that unpacks links.
file(WRITE ${WORK}/inside.c "unsigned ZSTD_versionNumber(void); int LZ4_versionNumber(void);\n"
  "int unpack(void) { return ZSTD_versionNumber() != 0 && LZ4_versionNumber() != 0; }\n")
file(WRITE ${WORK}/unpacks.cc "extern \"C\" int unpack(); int main() { return !unpack(); }\n")
expect(0 "" ${CXX} -x c -fPIC -c ${WORK}/inside.c -o ${WORK}/inside.o)
expect(0 "" ${CMAKE_COMMAND} -E chdir ${WORK} ar rcs ${WORK}/build/lib/libcudart_static_objects.a inside.o)
link_static(${WORK}/unpacks.cc ${WORK}/unpacks -L${WORK}/build/lib)
ask(TRUE ${WORK}/unpacks)
