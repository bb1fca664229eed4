# SPDX-License-Identifier: Apache-2.0
# One configuration of a new build folder is enough: a second one changes no command. It does where a folder uses what
# only a later one finds: builds that are configured again hide such a fault.
file(REMOVE_RECURSE ${OUTPUT})
set(configure ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${OUTPUT} -DHEDDLE_SYNTHESIS=OFF)
foreach(commands first second)
  execute_process(COMMAND ${configure} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${OUTPUT}/build.ninja ${commands} REGEX "^  (COMMAND|LINK_LIBRARIES|LINK_FLAGS|FLAGS|DEFINES|INCLUDES) = ")
endforeach()
if(NOT first)
  message(FATAL_ERROR "${OUTPUT}/build.ninja: no commands found")
endif()
foreach(before after IN ZIP_LISTS first second)
  if(NOT before STREQUAL after)
    message(FATAL_ERROR "Configured again, a command changes from\n${before}\nto\n${after}")
  endif()
endforeach()
