# SPDX-License-Identifier: Apache-2.0
# Target SystemC::systemc for installations without CMake files of their own (Debian's libsystemc-dev).
# SystemCLanguage_FOUND says whether header and library are there.
find_path(SystemC_INCLUDE_DIR systemc HINTS $ENV{SYSTEMC_HOME}/include)
find_library(SystemC_LIBRARY systemc HINTS $ENV{SYSTEMC_HOME}/lib $ENV{SYSTEMC_HOME}/lib-linux64)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemCLanguage REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR)
if(SystemCLanguage_FOUND AND NOT TARGET SystemC::systemc)
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION ${SystemC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SystemC_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
