// SPDX-License-Identifier: Apache-2.0
// What one instruction gives. Not for other folders.
#pragma once

#include <bit>

#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {

inline uint64_t mask(unsigned bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
inline int64_t extend(uint64_t v, unsigned bits) { return static_cast<int64_t>(v << (64 - bits)) >> (64 - bits); }
inline float number(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
// The machine has one NaN; a host has others.
inline uint64_t word(float f) { return f != f ? 0x7fffffff : std::bit_cast<uint32_t>(f); }

// `how`: Instruction::compare.
bool compare(Type t, unsigned how, uint64_t a, uint64_t b);
// The result in the destination's bits.
uint64_t compute(const Instruction& i, uint64_t a, uint64_t b, uint64_t c, bool predicate);

}  // namespace heddle::compiler::test
