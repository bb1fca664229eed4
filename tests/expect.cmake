# SPDX-License-Identifier: Apache-2.0
# expect(STATUS PATTERN COMMAND …): runs the command, in the folder EXPECT_IN if that is set; it must end with that status and
# write what matches.
function(expect status pattern)
  set(folder .)
  if(EXPECT_IN)
    set(folder ${EXPECT_IN})
  endif()
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} RESULT_VARIABLE got OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT got STREQUAL "${status}")
    message(FATAL_ERROR "${ARGN}: exit status ${got}, wanted ${status}\n${out}${err}")
  endif()
  if(NOT "${out}${err}" MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: wanted '${pattern}' in\n${out}${err}")
  endif()
endfunction()
