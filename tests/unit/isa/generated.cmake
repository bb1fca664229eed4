# SPDX-License-Identifier: Apache-2.0
# Fails when FILE is not what `GENERATOR WHAT` prints.
execute_process(COMMAND ${GENERATOR} ${WHAT} OUTPUT_VARIABLE fresh RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR fresh STREQUAL "")
  message(FATAL_ERROR "${GENERATOR} ${WHAT} failed: ${status}")
endif()
file(READ ${FILE} kept)
if(NOT fresh STREQUAL kept)
  message(FATAL_ERROR "${FILE} is stale: run isa_generate ${WHAT} > ${FILE}")
endif()
