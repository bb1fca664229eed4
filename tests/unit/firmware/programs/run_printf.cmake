# SPDX-License-Identifier: Apache-2.0
# Runs device_printf and compares both outputs to the character.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE status)
set(expected
"thread 0 of 2: 1.500000  2.50 a 1234567890123 42 0xbeef device text 0x10
thread 1 of 2: 1.500000  2.50 b 1234567890124 42 0xbeef device text 0x10
plain, 100%
returned 10 and 0
cudaErrorAssert
cudaErrorAssert
")
if(NOT status EQUAL 0 OR NOT out STREQUAL expected)
  message(FATAL_ERROR "exit ${status}; standard output:\n${out}\nexpected:\n${expected}\nstandard error:\n${err}")
endif()
string(FIND "${err}" "device_printf.cu:13: void fail(): block: [0,0,0], thread: [1,0,0] Assertion `threadIdx.x != 1 && \"as it should\"` failed.\n" at)
if(at EQUAL -1)
  message(FATAL_ERROR "standard error:\n${err}")
endif()
