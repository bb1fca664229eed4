// SPDX-License-Identifier: Apache-2.0
// The waveform file of a run, before and after the device writes it. The writer itself reports nothing: a folder
// that is not there, a disk that runs full and a window that never comes all end in silence.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/result.h"

namespace heddle::driver {

// Before the device is opened: the file can be made. One of an older run is removed, so that it cannot pass for
// this one's. Error: what is in the way.
Status prepare_wave(const std::string& file);

// After the device was closed: the FST file is there and whole. Errors: cut off; not there, because the device
// ran `cycles` cycles and the window begins at `begin`.
Status check_wave(const std::string& file, uint64_t begin, uint64_t cycles);

// "run.fst", 2 -> "run-2.fst".
std::string numbered_wave(const std::string& file, unsigned number);

}  // namespace heddle::driver
