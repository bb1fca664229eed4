// SPDX-License-Identifier: Apache-2.0
// An mbarrier's word, and what ATOMS.ARRIVE makes of it. Fields, from bit 0 on:
//   pending   20  arrivals that the current phase still waits for
//   expected  20  arrivals that the next phase will wait for
//   tx        21  bytes that the current phase still waits for, two's complement
//   zero       2
//   parity     1  of the current phase: turns when the phase completes
// ARRIVE's operand has the same fields, each of which is added to the word's.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace heddle::isa {

struct MbarrierField {
  unsigned first, bits;
  constexpr uint64_t mask() const { return ((uint64_t{1} << bits) - 1) << first; }
  // The field with `value`, modulo its size; the others are zero.
  constexpr uint64_t of(int64_t value) const { return static_cast<uint64_t>(value) << first & mask(); }
  constexpr uint64_t get(uint64_t word) const { return (word & mask()) >> first; }
};

inline constexpr MbarrierField kMbarrierPending{0, 20}, kMbarrierExpected{20, 20}, kMbarrierTx{40, 21};
inline constexpr uint64_t kMbarrierParity = uint64_t{1} << 63;

// The new word. No field carries into the next, and all wrap. With nobody and nothing left to wait for the phase
// completes.
constexpr uint64_t mbarrier_arrive(uint64_t word, uint64_t operand) {
  uint64_t sum = word & ~(kMbarrierPending.mask() | kMbarrierExpected.mask() | kMbarrierTx.mask());
  for (const MbarrierField& field : {kMbarrierPending, kMbarrierExpected, kMbarrierTx})
    sum |= field.of(static_cast<int64_t>(field.get(word) + field.get(operand)));
  if (sum & (kMbarrierPending.mask() | kMbarrierTx.mask())) return sum;
  return (sum ^ kMbarrierParity) | kMbarrierPending.of(static_cast<int64_t>(kMbarrierExpected.get(sum)));
}

}  // namespace heddle::isa
