# SPDX-License-Identifier: Apache-2.0
# With another version of Verilator than the one whose class waveforms stand in for, configuring says that they are left out.
# SOURCE, VERILATOR, OUTPUT are given.
file(REMOVE_RECURSE ${OUTPUT})
foreach(version 5.006 5.020)
  file(WRITE ${OUTPUT}/${version}/verilator
    "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'Verilator ${version} 2024-01-01'; exit; }\nexec ${VERILATOR} \"$@\"\n")
  file(CHMOD ${OUTPUT}/${version}/verilator PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${OUTPUT}/${version}/build -DVERILATOR=${OUTPUT}/${version}/verilator -DHEDDLE_SYNTHESIS=OFF
            -DHEDDLE_TESTS=OFF
    OUTPUT_QUIET ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${OUTPUT}/${version}/build/build.ninja commands)
  string(REGEX MATCH "without waveforms.*this is\n? *Verilator 5.020" without "${said}")
  string(FIND "${commands}" fst_trace.cc built)
  if(version STREQUAL 5.006 AND (without OR built EQUAL -1) OR version STREQUAL 5.020 AND (NOT without OR NOT built EQUAL -1))
    message(FATAL_ERROR "Verilator ${version}: fst_trace.cc at ${built} of build.ninja; configuring said\n${said}")
  endif()
endforeach()
