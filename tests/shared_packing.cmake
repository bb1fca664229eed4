# SPDX-License-Identifier: Apache-2.0
# The runtime where zstd and lz4 are there as shared libraries only, as in many distributions, and where there are archives.
# SOURCE, BUILD (a build), LIBRARIES (the system's folder), WORK are given.
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

# This build: archives leave no trace.
if(EXISTS ${LIBRARIES}/libzstd.a AND EXISTS ${LIBRARIES}/liblz4.a)
  ask(FALSE ${BUILD}/lib/libheddle.so.0)
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
if(NOT commands MATCHES "build lib/libheddle.so.0:[^\n]* ${folder}/libzstd.so ${folder}/liblz4.so ")
  message(FATAL_ERROR "libheddle.so.0 is not linked with the shared libraries of ${folder}")
endif()
# What programs are linked with asks for neither.
foreach(library libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libcudart_static.a)
  if(NOT commands MATCHES "build lib/${library}:[^\n]*" OR CMAKE_MATCH_0 MATCHES "lib(zstd|lz4)")
    message(FATAL_ERROR "${library}: ${CMAKE_MATCH_0}")
  endif()
endforeach()
