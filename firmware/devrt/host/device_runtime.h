// SPDX-License-Identifier: Apache-2.0
// PTX that is embedded when Heddle is built and linked into modules by what they call: the device runtime (vprintf,
// __assertfail, __cxa_pure_virtual), and f64 arithmetic in integers for machines without unit FP64.
#pragma once

#include <string_view>

namespace heddle::devrt {

inline constexpr const char* kDeviceRuntimeName = "device runtime";

std::string_view devrt_ptx();

inline constexpr const char* kSoftF64Name = "f64 in integers";

std::string_view soft_f64_ptx();

}  // namespace heddle::devrt
