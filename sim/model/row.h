// SPDX-License-Identifier: Apache-2.0
// A row: one register of a whole warp, 32 lanes of 32 bits, and masks of one bit a lane.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::model {

inline constexpr int kLanes = 32;
using Mask = uint32_t;
inline constexpr Mask kAllLanes = 0xffffffffu;

struct alignas(64) Row {
  uint32_t lane[kLanes];
};

// What R255 reads.
inline constexpr Row kZeroRow{};

}  // namespace heddle::model
