# SPDX-License-Identifier: Apache-2.0
# cmake -DCLANG=… -DSOURCE=libdevice.c -DOUTPUT=libdevice.10.bc -P build_libdevice.cmake
# Compiles the device library to LLVM bitcode that belongs to no particular GPU: clang inlines only
# between functions of equal target attributes, so they are taken out.
cmake_minimum_required(VERSION 3.25)
get_filename_component(dir ${OUTPUT} DIRECTORY)
file(MAKE_DIRECTORY ${dir})
set(target --target=nvptx64-nvidia-gpulibs)
execute_process(
  COMMAND ${CLANG} ${target} -Xclang -target-feature -Xclang +ptx63 -Xclang -target-cpu -Xclang sm_70
          -nostdinc -O2 -std=c11 -ffp-contract=off -fno-builtin -fno-math-errno -fno-unroll-loops
          -Wall -Wextra -Wno-unused-function -S -emit-llvm ${SOURCE} -o ${OUTPUT}.ll
  COMMAND_ERROR_IS_FATAL ANY)
file(READ ${OUTPUT}.ll text)
string(REGEX REPLACE "\"(target-cpu|target-features|frame-pointer|stack-protector-buffer-size)\"=\"[^\"]*\" ?" "" text "${text}")
string(REPLACE "\"no-builtins\" " "" text "${text}")
# LLVM answers __nvvm_reflect when it compiles the program, and would here, too: it has another name till now.
string(REPLACE "@program_constant" "@__nvvm_reflect" text "${text}")
string(REGEX REPLACE "source_filename = \"[^\"]*/" "source_filename = \"" text "${text}")
file(WRITE ${OUTPUT}.ll "${text}")
execute_process(COMMAND ${CLANG} ${target} -x ir -O0 -Xclang -disable-llvm-passes -emit-llvm -c
                        ${OUTPUT}.ll -o ${OUTPUT}
                COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.ll)
