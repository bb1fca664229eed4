// SPDX-License-Identifier: Apache-2.0
// Numbers that the driver and code on the device agree on, beside the device contract.
#pragma once

#include <cstdint>

namespace heddle::driver::abi {

inline constexpr uint32_t kAssertTrap = 1;  // TRAP's code of a failed assertion

}  // namespace heddle::driver::abi
