// SPDX-License-Identifier: Apache-2.0
// PTX that is embedded when Heddle is built and linked into modules by what they call: the device runtime (vprintf,
// __assertfail, __cxa_pure_virtual), copies of tensors, and f64 arithmetic in integers for machines without unit FP64.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::devrt {

std::string_view devrt_ptx();
std::string_view tensor_copy_ptx();
std::string_view soft_f64_ptx();

// All that the compiler is to be given, as {name, text}.
template <class Source>
std::vector<Source> libraries(bool has_fp64) {
  std::vector<Source> out = {{"device runtime", std::string(devrt_ptx())},
                             {"copies of tensors", std::string(tensor_copy_ptx())}};
  if (!has_fp64) out.push_back({"f64 in integers", std::string(soft_f64_ptx())});
  return out;
}

}  // namespace heddle::devrt
