# SPDX-License-Identifier: Apache-2.0
# Every library that ./heddle installs is used: a CMake file looks for it, or a source includes a header of its name.
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE files ${SOURCE}/host-runtime/*.cc ${SOURCE}/host-runtime/*.h ${SOURCE}/host-runtime/CMakeLists.txt
     ${SOURCE}/presets/*.cc ${SOURCE}/sim/*.cc ${SOURCE}/sim/*.h ${SOURCE}/sim/CMakeLists.txt ${SOURCE}/tests/CMakeLists.txt
     ${SOURCE}/tests/programs/cuda/CMakeLists.txt ${SOURCE}/bench/CMakeLists.txt ${SOURCE}/cmake/*.cmake)
set(uses "")
file(STRINGS ${SOURCE}/CMakeLists.txt sanitizers REGEX "-fsanitize=")
if(sanitizers)
  string(APPEND uses "clang_rt_")  # what clang links then
endif()
foreach(file ${files})
  file(STRINGS ${file} lines REGEX "^#include <|find_(package|library|path)\\(")
  string(APPEND uses "${lines};")
endforeach()
string(TOLOWER "${uses}" uses)

file(STRINGS ${SOURCE}/heddle packages REGEX "^  \"[a-z0-9+-]+-dev:")
list(LENGTH packages count)
if(count LESS 5)
  message(FATAL_ERROR "the list of packages in ./heddle was not found")
endif()
foreach(package ${packages})
  string(REGEX REPLACE "^  \"(lib)?([a-z0-9+-]+)-dev:.*" "\\2" name "${package}")
  string(REGEX REPLACE "[0-9]+g?$" "" name ${name})  # Debian's number of an interface
  string(REPLACE "plusplus" "++" name ${name})
  string(REPLACE "-" "_" name ${name})
  string(FIND "${uses}" ${name} at)
  if(at EQUAL -1)
    message(FATAL_ERROR "nothing uses '${name}' of${package}")
  endif()
endforeach()
