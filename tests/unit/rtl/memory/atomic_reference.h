// SPDX-License-Identifier: Apache-2.0
// What PTX says an atomic leaves in memory.
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace heddle::test {

inline uint64_t atomic_reference(isa::AtomOp op, bool sign, bool wide, uint64_t old, uint64_t b, uint64_t c) {
  auto less = [&](uint64_t x, uint64_t y) {
    if (!sign) return x < y;
    return wide ? static_cast<int64_t>(x) < static_cast<int64_t>(y) : static_cast<int32_t>(x) < static_cast<int32_t>(y);
  };
  const uint64_t mask = wide ? ~uint64_t{0} : 0xffffffff;
  old &= mask, b &= mask, c &= mask;
  switch (op) {
    case isa::AtomOp::Add: return (old + b) & mask;
    case isa::AtomOp::Min: return less(b, old) ? b : old;
    case isa::AtomOp::Max: return less(old, b) ? b : old;
    case isa::AtomOp::Inc: return old >= b ? 0 : old + 1;
    case isa::AtomOp::Dec: return old == 0 || old > b ? b : old - 1;
    case isa::AtomOp::And: return old & b;
    case isa::AtomOp::Or: return old | b;
    case isa::AtomOp::Xor: return old ^ b;
    case isa::AtomOp::Exch: return b;
    case isa::AtomOp::Cas: return old == b ? c : old;
  }
  return old;
}

}  // namespace heddle::test
