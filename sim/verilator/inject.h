// SPDX-License-Identifier: Apache-2.0
// The bugs planted in this model (sim/mutants): none in an ordinary build.
#pragma once

#include <string>

namespace heddle::rtl {

bool has_bug(const std::string& name);

// The bug that a device opened from now on has; empty: none.
void select_bug(const std::string& name);

}  // namespace heddle::rtl
