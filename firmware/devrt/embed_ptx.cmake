# SPDX-License-Identifier: Apache-2.0
# cmake -DPTX=X.ptx -DFUNCTION=X_ptx -DOUTPUT=X.ptx.cc -P embed_ptx.cmake
cmake_minimum_required(VERSION 3.25)
file(READ ${PTX} text)
file(WRITE ${OUTPUT} "// Made from PTX; do not edit.
#include \"firmware/devrt/host/device_runtime.h\"

namespace heddle::devrt {

std::string_view ${FUNCTION}() {
  static constexpr char kPtx[] = R\"PTX(${text})PTX\";
  return std::string_view(kPtx, sizeof kPtx - 1);
}

}  // namespace heddle::devrt
")
