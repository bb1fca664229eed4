# SPDX-License-Identifier: Apache-2.0
# expect(STATUS PATTERN COMMAND …): runs the command; it must end with that status and write what matches.
function(expect status pattern)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT got STREQUAL "${status}")
    message(FATAL_ERROR "${ARGN}: exit status ${got}, wanted ${status}\n${out}${err}")
  endif()
  if(NOT "${out}${err}" MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: wanted '${pattern}' in\n${out}${err}")
  endif()
endfunction()
