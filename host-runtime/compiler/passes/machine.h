// SPDX-License-Identifier: Apache-2.0
// The machine registers as the calling convention sees them (docs/abi.md).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

// A set of the 256 machine registers.
struct RegMask {
  std::array<uint64_t, 4> bits{};
  bool test(unsigned r) const { return bits[r / 64] >> r % 64 & 1; }
  void set(unsigned r) { bits[r / 64] |= uint64_t{1} << r % 64; }
  void reset(unsigned r) { bits[r / 64] &= ~(uint64_t{1} << r % 64); }
  bool any() const { return (bits[0] | bits[1] | bits[2] | bits[3]) != 0; }
  RegMask& operator|=(const RegMask& o) {
    for (size_t n = 0; n < 4; n++) bits[n] |= o.bits[n];
    return *this;
  }
  bool operator==(const RegMask&) const = default;
};

inline constexpr unsigned kMaxRegisters = 254;  // R0 … R253
inline constexpr unsigned kStackPointer = 1;
inline constexpr unsigned kReturnPc = 2;
inline constexpr unsigned kFrameBase = 3;  // callee-saved; the frame's start in functions with alloca
inline constexpr unsigned kFirstArgument = 4;
inline constexpr unsigned kLastArgument = 19;
inline constexpr unsigned kFirstCalleeSaved = 24;

inline constexpr bool is_callee_saved(unsigned r) { return r == kFrameBase || r >= kFirstCalleeSaved; }
inline RegMask caller_saved() {
  RegMask m;
  for (unsigned r = 0; r < kFirstCalleeSaved; r++)
    if (r != kStackPointer && r != kFrameBase) m.set(r);
  return m;
}

inline bool has_calls(const mir::Function& f) { return !f.calls.empty(); }
// R1 holds the stack pointer; else the function may use it like any other.
inline bool uses_stack_pointer(const mir::Function& f) { return !f.is_kernel || has_calls(f) || f.has_alloca; }

}  // namespace heddle::compiler
