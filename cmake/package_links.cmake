# SPDX-License-Identifier: Apache-2.0
# What Debian's package has outside /opt/heddle. CPack runs this over the staged files. nvcc and its tools get no links:
# other packages have programs of these names in /usr/bin.
cmake_minimum_required(VERSION 3.25)
set(top ${CPACK_TEMPORARY_DIRECTORY})
foreach(program heddle heddle-disasm heddle-board-sim)
  if(EXISTS ${top}/opt/heddle/bin/${program})
    file(MAKE_DIRECTORY ${top}/usr/bin)
    file(CREATE_LINK ../../opt/heddle/bin/${program} ${top}/usr/bin/${program} SYMBOLIC)
  endif()
endforeach()
file(MAKE_DIRECTORY ${top}/usr/lib/cmake ${top}/usr/share/doc/heddle)
file(CREATE_LINK ../../../opt/heddle/lib/cmake/heddle ${top}/usr/lib/cmake/heddle SYMBOLIC)
file(COPY_FILE ${top}/opt/heddle/share/heddle/LICENSE ${top}/usr/share/doc/heddle/copyright)
