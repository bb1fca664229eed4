// SPDX-License-Identifier: Apache-2.0
// Special registers, what lanes tell each other, and the tensor core.
#pragma once

#include "sim/model/ops.h"

namespace heddle::model {

void add_special(OpTable& table);
void add_warp(OpTable& table);  // ops_warp.cc

// The result is a time, which two machines need not agree on.
bool reads_clock(const Decoded& instruction);

}  // namespace heddle::model
