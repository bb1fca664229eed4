# SPDX-License-Identifier: Apache-2.0
# cmake -DPTX=devrt.ptx -DOUTPUT=device_runtime.cc -P embed_ptx.cmake
cmake_minimum_required(VERSION 3.25)
file(READ ${PTX} text)
file(WRITE ${OUTPUT} "// Made from devrt.cu; do not edit.
#include \"firmware/devrt/host/device_runtime.h\"

namespace heddle::devrt {

std::string_view device_runtime_ptx() {
  static constexpr char kPtx[] = R\"PTX(${text})PTX\";
  return std::string_view(kPtx, sizeof kPtx - 1);
}

}  // namespace heddle::devrt
")
