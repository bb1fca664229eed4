// SPDX-License-Identifier: Apache-2.0
// The default preset as the sources hold it, for tests that need sizes.
#pragma once

#include "presets/preset.h"

namespace heddle::test {

inline Preset preset(const char* name = "cc80") {
  return std::move(*load_preset(std::string(HEDDLE_SOURCE_DIR "/presets/") + name + ".toml"));
}

}  // namespace heddle::test
