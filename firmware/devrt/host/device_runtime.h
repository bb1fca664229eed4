// SPDX-License-Identifier: Apache-2.0
// The device runtime's PTX, embedded when Heddle is built: what the compiler links into modules that call
// vprintf, __assertfail or __cxa_pure_virtual.
#pragma once

#include <string_view>

namespace heddle::devrt {

inline constexpr const char* kDeviceRuntimeName = "device runtime";

std::string_view device_runtime_ptx();

}  // namespace heddle::devrt
