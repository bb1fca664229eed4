# SPDX-License-Identifier: Apache-2.0
# Configures, builds and runs the project with this CUDA compiler, in an environment that names no other
# toolkit.
cmake_minimum_required(VERSION 3.25)
foreach(name CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAARCHS LIBRARY_PATH LD_LIBRARY_PATH CPATH)
  unset(ENV{${name}})
endforeach()
file(REMOVE_RECURSE ${OUTPUT})
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${OUTPUT} -DCMAKE_CUDA_COMPILER=${COMPILER}
                        -DCUDAToolkit_ROOT=${TOOLKIT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
foreach(program app compiled plain separate)
  execute_process(COMMAND ${OUTPUT}/${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
