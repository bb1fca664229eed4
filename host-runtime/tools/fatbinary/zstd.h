// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

// The contents of one Zstandard frame; an error when it is damaged or holds more than `max_bytes`. Bytes behind it are
// not looked at.
Result<std::string> unpack_zstd(std::string_view packed, size_t max_bytes);

}  // namespace heddle
