// SPDX-License-Identifier: Apache-2.0
// The address side of memory instructions: which bytes each lane touches, and which lane faults.
#pragma once

#include <cstdint>

#include "sim/model/decode.h"
#include "sim/model/ops.h"
#include "sim/model/warp_view.h"

namespace heddle::model {

// A fault, as the device contract reports it (contract::kFault…).
struct FaultInfo {
  uint32_t kind = 0;
  uint32_t code = 0;
  uint32_t lane = 0;
  uint64_t address = 0;
};

// What a memory instruction touches. Lanes of `mask` only.
struct Access {
  MemoryShape shape{};
  Mask mask = 0;
  Mask shared = 0;                       // lanes whose address is a byte of the SM's shared memory
  alignas(64) uint64_t address[kLanes];  // else a device address (local and constant ones too)
  Mask halves = 0;                       // lanes whose 16 bytes lie there with their halves the other way round
  uint32_t copied_to[kLanes];            // of a copy: the byte of the SM's shared memory where its bytes go
};

enum class MemoryClass : uint8_t { Load, Store, Atomic, Copy, Other };  // Copy: from device to shared memory
MemoryClass memory_class(isa::Opcode op);

// LDSM: lanes whose addresses count, a row of a matrix each.
Mask matrix_lanes(const Decoded& d);

// Device addresses of the words of a constant bank; limit in bytes.
struct ConstantBank {
  uint64_t base = 0;
  uint64_t limit = 0;
};
ConstantBank constant_bank(const Launch& launch, unsigned bank);

// Resolves the addresses of `d` (not Other) for the lanes of l.mask. False on a fault: then `fault`
// has its lowest lane; a misaligned address is reported as such even when it is also out of range.
bool resolve(const Decoded& d, const Lanes& l, Access& access, FaultInfo& fault);

// Performs an atomic on a value: returns the new one. `wide`: 64 bits. cas: b compares, c is
// stored.
uint64_t atomic(isa::AtomOp op, isa::AtomType type, bool wide, bool shared, uint64_t old, uint64_t b, uint64_t c);

}  // namespace heddle::model
