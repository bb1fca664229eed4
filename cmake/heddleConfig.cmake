# SPDX-License-Identifier: Apache-2.0
# find_package(heddle): targets heddle::cudart and heddle::cudart_static, both with CUDA's headers; HEDDLE_ROOT_DIR, the folder that
# -DCUDAToolkit_ROOT takes; HEDDLE_NVCC, what CMAKE_CUDA_COMPILER takes. Packages are found by -DCMAKE_PREFIX_PATH.
get_filename_component(HEDDLE_ROOT_DIR ${CMAKE_CURRENT_LIST_FILE} REALPATH)
get_filename_component(HEDDLE_ROOT_DIR ${HEDDLE_ROOT_DIR}/../../../.. ABSOLUTE)
set(HEDDLE_NVCC ${HEDDLE_ROOT_DIR}/bin/nvcc)

if(NOT TARGET heddle::cudart)
  add_library(heddle::cudart SHARED IMPORTED)
  set_target_properties(heddle::cudart PROPERTIES
    IMPORTED_LOCATION ${HEDDLE_ROOT_DIR}/lib/libcudart.so.12 IMPORTED_SONAME libcudart.so.12
    INTERFACE_INCLUDE_DIRECTORIES ${HEDDLE_ROOT_DIR}/include)
  add_library(heddle::cudart_static STATIC IMPORTED)
  set_target_properties(heddle::cudart_static PROPERTIES
    IMPORTED_LOCATION ${HEDDLE_ROOT_DIR}/lib/libcudart_static.a IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES ${HEDDLE_ROOT_DIR}/include)
  target_link_libraries(heddle::cudart_static INTERFACE ${CMAKE_DL_LIBS})
endif()
