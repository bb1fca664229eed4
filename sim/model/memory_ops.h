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
bool execute_memory(const Decoded& d, const Access& access, Lanes& l, DeviceMemory& memory, uint8_t* shared);

// The word that a constant operand names. False when it is outside its bank or cannot be read; then
// `fault` says so, but for the lane.
bool constant_operand(const Decoded& d, const Launch& launch, const DeviceMemory& memory, uint32_t& word,
                      FaultInfo& fault);

// One lane's registers from its bytes in memory, extended as the access says; and back.
void extend(const MemoryShape& shape, const uint8_t* bytes, uint32_t words[4]);

// LDSM: puts the 16 bytes that `lane` has the address of into the rows that the instruction writes, in lanes of `where`
// only; and the lanes to which they belong.
void place_matrix_row(const Decoded& d, int lane, const uint32_t words[4], Mask where, Row* rd);
Mask matrix_row_lanes(const Decoded& d, int lane);

// Where lanes of a warp store to one place, silicon has groups of 32, 16 or 8 lanes (of up to 4, 8 or 16 bytes a lane)
// follow each other in ascending order, and of each group the lowest lane's value stay. Lanes of a group:
constexpr int store_group(uint32_t bytes) { return bytes == 16 ? 8 : bytes == 8 ? 16 : 32; }

// The n-th lane to store, when they go one after the other: the last to come stays.
constexpr int storing_lane(uint32_t bytes, int n) { return n ^ (store_group(bytes) - 1); }

}  // namespace heddle::model
