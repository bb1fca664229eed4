// SPDX-License-Identifier: Apache-2.0
// The arithmetic instructions, a family a file (ops_*.cc). Each handler reads operand rows,
// computes all 32 lanes in a loop that the compiler turns into vector instructions, and writes the
// lanes of the mask. The files are compiled twice, for any processor and for one with AVX2 and FMA;
// op_table() picks.
#pragma once

#include <array>
#include <cstdint>

#include "sim/model/decode.h"

namespace heddle::model {

struct WarpView;

// A warp as an arithmetic instruction sees it.
struct Lanes {
  Row* rows;             // R0 on
  uint32_t* predicates;  // P0..P6 and PT (all ones), a bit a lane
  const Row* b;          // the b operand: register, immediate or constant
  Mask mask;             // lanes that execute
  Mask active;           // lanes of the split, before the guard
  const WarpView* view;  // for S2R
};

// By opcode; nullptr where the opcode is no arithmetic instruction.
using OpTable = std::array<Execute, 256>;
const OpTable& op_table();
// The one that runs on any processor, for tests of both.
const OpTable& generic_op_table();

// The predicate source of 4 bits (negate on top) as a mask.
inline Mask predicate(const uint32_t* predicates, uint32_t source) {
  return predicates[source & 7] ^ (source & 8 ? kAllLanes : 0);
}

}  // namespace heddle::model
