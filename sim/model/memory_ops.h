// SPDX-License-Identifier: Apache-2.0
// The data side of memory instructions on the functional machine: all of an instruction's lanes at
// once.
#pragma once

#include "sim/model/lsu.h"
#include "sim/model/memory.h"

namespace heddle::model {

// Moves data between l's registers and memory for a resolved access. `shared` is the SM's shared
// memory. False when a device address is outside the image (local or constant memory that the host
// placed badly).
bool execute_memory(const Decoded& d, const Access& access, Lanes& l, DeviceMemory& memory,
                    uint8_t* shared);

// The word that a constant operand names. False when it is outside its bank or cannot be read; then
// `fault` says so, but for the lane.
bool constant_operand(const Decoded& d, const Launch& launch, const DeviceMemory& memory,
                      uint32_t& word, FaultInfo& fault);

// One lane's registers from its bytes in memory, extended as the access says; and back.
void extend(const MemoryShape& shape, const uint8_t* bytes, uint32_t words[4]);

}  // namespace heddle::model
