# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies: a CUDA toolkit with Heddle's devices, which may be moved as a whole (docs/installation.md).
# Target `installation` builds it; what is marked OPTIONAL is left out where it was not built. CPack makes Debian's package of the same.
include_guard(GLOBAL)
add_custom_target(installation)

# heddle_install(<folder> target…), heddle_install(<folder> OPTIONAL target…): those targets that there are.
function(heddle_install folder)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "OPTIONAL" "" "")
  foreach(target ${ARG_UNPARSED_ARGUMENTS})
    if(TARGET ${target})
      set(optional "")
      if(ARG_OPTIONAL)
        set(optional OPTIONAL)
      endif()
      install(TARGETS ${target} RUNTIME DESTINATION ${folder} ${optional} LIBRARY DESTINATION ${folder} ${optional}
                                ARCHIVE DESTINATION ${folder} ${optional})
      add_dependencies(installation ${target})
    endif()
  endforeach()
endfunction()

# ---- the toolkit ----
heddle_install(bin heddle heddle-disasm nvcc ptxas fatbinary nvlink cuobjdump nvdisasm)
heddle_install(lib heddle_core cuda_driver cudart cudart_11 cudart_13 cudart_static cudadevrt nvrtc nvrtc_11 nvrtc_13 heddle_nvtx)
add_dependencies(installation toolkit)
install(FILES ${CMAKE_BINARY_DIR}/lib/libcudart.so ${CMAKE_BINARY_DIR}/lib/libcuda.so
              ${CMAKE_BINARY_DIR}/lib/libnvrtc.so DESTINATION lib)
install(CODE [[
  set(folder $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/stubs)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ../libcuda.so ${folder}/libcuda.so SYMBOLIC)]])
install(CODE [[
  set(link $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib64)
  if(NOT EXISTS ${link})
    file(CREATE_LINK lib ${link} SYMBOLIC)
  endif()]])
install(DIRECTORY firmware/include/ DESTINATION include)
install(FILES firmware/toolkit/link.stub DESTINATION bin/crt)
install(FILES ${CMAKE_BINARY_DIR}/toolkit/nvvm/libdevice/libdevice.10.bc DESTINATION nvvm/libdevice)

# ---- devices ----
heddle_install(lib/heddle heddle_model)
heddle_install(lib/heddle OPTIONAL heddle_board heddle_tlm)
foreach(preset ${HEDDLE_PRESETS})
  heddle_install(lib/heddle OPTIONAL heddle_rtl_${preset})
endforeach()
foreach(preset ${HEDDLE_BOARD_PRESETS})
  heddle_install(bin OPTIONAL heddle-board-sim-${preset})
endforeach()
heddle_install(bin OPTIONAL heddle-board-sim)
file(GLOB presets CONFIGURE_DEPENDS presets/*.toml)
install(FILES ${presets} DESTINATION share/heddle/presets)

# ---- examples: programs for `heddle demo`, and their sources ----
add_dependencies(installation examples)
file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/examples examples/*/*.cu)
foreach(source ${sources})
  get_filename_component(name ${source} DIRECTORY)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/examples/${name} DESTINATION examples OPTIONAL)
  install(FILES examples/${source} DESTINATION share/heddle/examples/${name})
endforeach()
install(FILES examples/common/example.h DESTINATION share/heddle/examples/common)

# ---- licences: Heddle's, and those of what is linked into its libraries ----
install(FILES LICENSE DESTINATION share/heddle)
foreach(package libcli11-dev libfmt-dev liblz4-dev libsystemc-dev libtomlplusplus-dev libzstd-dev nlohmann-json3-dev verilator)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION share/heddle/licences RENAME ${package} OPTIONAL)
endforeach()

# ---- for other projects: find_package(heddle), pkg-config ----
include(CMakePackageConfigHelpers)
set(made ${CMAKE_BINARY_DIR}/cmake)
write_basic_package_version_file(${made}/heddleConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES cmake/heddleConfig.cmake ${made}/heddleConfigVersion.cmake DESTINATION lib/cmake/heddle)
configure_file(cmake/heddle.pc.in ${made}/heddle.pc @ONLY)
install(FILES ${made}/heddle.pc DESTINATION lib/pkgconfig)

# ---- Debian's package: all of it in /opt/heddle, and links ----
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR Heddle)
set(CPACK_PACKAGE_CONTACT "Heddle's authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GPU simulator with CUDA's runtime and compiler")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "A CUDA toolkit (nvcc on clang, ptxas, libcudart) whose programs run on a golden model and on cycle-accurate RTL of a GPU.")
set(CPACK_PACKAGING_INSTALL_PREFIX /opt/heddle)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_links.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
get_filename_component(compiler ${HEDDLE_CLANGXX} NAME)  # what nvcc calls
string(REPLACE "clang++" "clang" compiler ${compiler})
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${compiler})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, libthrust-dev, libcub-dev")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
