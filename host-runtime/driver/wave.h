// SPDX-License-Identifier: Apache-2.0
// The waveform file of a run, before and after the device writes it.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/result.h"

namespace heddle::driver {

// Before the device is opened: the file can be made. One of an older run is removed, so that it cannot pass for
// this one's. Error: what is in the way.
Status prepare_wave(const std::string& file);

// After the device was closed, which ran `cycles` cycles: the FST file is whole and holds all of the window. Errors:
// damaged; it ends early, as on a full disk; not there, for one, because the window begins later.
Status check_wave(const std::string& file, uint64_t begin, uint64_t end, uint64_t cycles);

// "run.fst", 2 -> "run-2.fst".
std::string numbered_wave(const std::string& file, unsigned number);

}  // namespace heddle::driver
