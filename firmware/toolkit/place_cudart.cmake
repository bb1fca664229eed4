# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=<build> -DTOOLKIT=<build>/toolkit -P place_cudart.cmake
# Links the libraries of the APIs into the toolkit's lib64, by the names that linkers ask for; stubs/ is where build systems look for the
# driver's.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${TOOLKIT}/lib64)
if(NOT EXISTS ${TOOLKIT}/lib)
  file(CREATE_LINK lib64 ${TOOLKIT}/lib SYMBOLIC)
endif()
file(GLOB libraries ${BUILD}/lib/libcuda.so* ${BUILD}/lib/libcudart.so* ${BUILD}/lib/libcudart_static.a
     ${BUILD}/lib/libnvrtc.so* ${BUILD}/lib/libheddle.so.0)
foreach(library ${libraries})
  get_filename_component(name ${library} NAME)
  file(CREATE_LINK ../../lib/${name} ${TOOLKIT}/lib64/${name} SYMBOLIC)
endforeach()
file(MAKE_DIRECTORY ${TOOLKIT}/lib64/stubs)
file(CREATE_LINK ../libcuda.so ${TOOLKIT}/lib64/stubs/libcuda.so SYMBOLIC)
