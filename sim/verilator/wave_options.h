// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle::rtl {

struct WaveOptions {
  std::string file;                      // empty: no waveform
  std::string scopes, groups;            // lists with commas, empty: everything (wave_selection.h)
  uint64_t begin = 0, end = UINT64_MAX;  // cycles
  bool of_launch = false;                // counted from Waves::begin_at()
};

}  // namespace heddle::rtl
