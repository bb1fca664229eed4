# SPDX-License-Identifier: Apache-2.0
# heddle_missing(<tool> <package> <loss>)
# Says that a tool is not there, which Debian package has it, and what is left out without it. With HEDDLE_STRICT, as
# `./heddle test` configures, that is an error: a test that is not there cannot fail. All missing tools are named at once.
include_guard(GLOBAL)
option(HEDDLE_STRICT "A missing tool is an error, never fewer tests" OFF)

function(heddle_missing tool package loss)
  set(text "${tool} is missing (Debian's package: ${package}): without it, left out: ${loss}.")
  if(HEDDLE_STRICT)
    message(SEND_ERROR "${text}")
  else()
    message(WARNING "${text}")
  endif()
endfunction()
