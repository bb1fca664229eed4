# SPDX-License-Identifier: Apache-2.0
# What run.cmake lets pass, and what it must not (FILE: a place for counts): status, text and lockstep's comparisons all count.
cmake_minimum_required(VERSION 3.25)

# verdict(STATUS MESSAGE SCRIPT [OPTION …]): what becomes of a test that runs the script.
function(verdict wanted message script)
  execute_process(COMMAND ${CMAKE_COMMAND} ${ARGN} -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake -- sh -c "${script}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(REGEX REPLACE "[ \n]+" " " text "${err}")
  if(NOT status EQUAL wanted OR NOT text MATCHES "${message}")
    message(SEND_ERROR "'${script}' with ${ARGN}: exit status ${status}, wanted ${wanted} and '${message}' in\n${out}${err}")
  endif()
endfunction()

verdict(0 "" "echo all && echo PASS" "-DMATCHES=\nPASS" -DNEVER=FAIL)
verdict(0 "" "echo refused >&2 && exit 3" -DSTATUS=3 -DMATCHES=refused)
verdict(1 "exit status 1, wanted 0" "echo PASS && exit 1" -DMATCHES=PASS)
verdict(1 "exit status 0, wanted 3" "echo refused" -DSTATUS=3 -DMATCHES=refused)
verdict(1 "exit status [A-Z].*, wanted 0" "echo PASS && kill -SEGV $$" -DMATCHES=PASS)
verdict(1 "wanted 'PASS' in" "echo done" -DMATCHES=PASS)
verdict(1 "wanted no 'FAIL' in" "echo PASS && echo FAIL >&2" -DMATCHES=PASS -DNEVER=FAIL)
set(compared -DCOMPARED=${FILE})
verdict(0 "" "echo 0 >> $HEDDLE_COMPARED && echo 17 >> $HEDDLE_COMPARED" ${compared})
verdict(1 "lockstep compared nothing" "true" ${compared})
verdict(1 "lockstep compared nothing" "echo 0 >> $HEDDLE_COMPARED" ${compared})
