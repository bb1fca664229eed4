// SPDX-License-Identifier: Apache-2.0
// How the ops_*.cc files go over the lanes of a warp. Everything here has internal linkage, since
// those files are compiled for several processors.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/model/ops.h"

namespace heddle::model {
namespace {

inline const uint32_t* source(const Lanes& l, uint8_t r) { return r == isa::kRz ? kZeroRow.lane : l.rows[r].lane; }
// The odd register of a pair.
inline const uint32_t* source_high(const Lanes& l, uint8_t r) {
  return r >= isa::kRz - 1 ? kZeroRow.lane : l.rows[r + 1].lane;
}

// Writes the masked lanes of `value`. Register rows may be sources of the same instruction, so
// results go through a row of their own.
inline void write(Lanes& l, uint8_t rd, const Row& value) {
  if (rd == isa::kRz) return;
  Row& d = l.rows[rd];
  if (l.mask == kAllLanes) {
    d = value;
    return;
  }
  for (int i = 0; i < kLanes; i++) {
    const uint32_t take = 0u - (l.mask >> i & 1);
    d.lane[i] = (value.lane[i] & take) | (d.lane[i] & ~take);
  }
}

inline void write_predicate(Lanes& l, uint8_t p, Mask value) {
  if (p < isa::kPt) l.predicates[p] = (l.predicates[p] & ~l.mask) | (value & l.mask);
}

// One bit a lane from one word a lane (0 or all ones, at least in its top bit).
inline Mask gather(const Row& flags) {
  Mask m = 0;
  for (int i = 0; i < kLanes; i++) m |= (flags.lane[i] >> 31) << i;
  return m;
}

// rd = f(a, b)
template <typename F>
inline void binary(const Decoded& d, Lanes& l, F f) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f(a[i], b[i]);
  write(l, d.rd, r);
}

// rd = f(b)
template <typename F>
inline void unary(const Decoded& d, Lanes& l, F f) {
  const uint32_t* b = l.b->lane;
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f(b[i]);
  write(l, d.rd, r);
}

// rd = f(a, b, c)
template <typename F>
inline void ternary(const Decoded& d, Lanes& l, F f) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* b = l.b->lane;
  const uint32_t* c = source(l, d.rc);
  Row r;
  for (int i = 0; i < kLanes; i++) r.lane[i] = f(a[i], b[i], c[i]);
  write(l, d.rd, r);
}

inline uint64_t pair(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

// A row of 64-bit values.
struct Wide {
  alignas(64) uint64_t lane[kLanes];
};

inline void load_wide(const Lanes& l, uint8_t r, Wide& w) {
  const uint32_t* low = source(l, r);
  const uint32_t* high = source_high(l, r);
  for (int i = 0; i < kLanes; i++) w.lane[i] = pair(low[i], high[i]);
}

// The b operand of a 64-bit operation: a pair, or a sign-extended immediate.
inline void load_wide_b(const Decoded& d, const Lanes& l, Wide& w) {
  if (d.b == Source::Register) return load_wide(l, d.rb, w);
  for (int i = 0; i < kLanes; i++) {
    w.lane[i] = static_cast<uint64_t>(int64_t{static_cast<int32_t>(l.b->lane[i])});
  }
}

inline void write_wide(Lanes& l, uint8_t rd, const Wide& w) {
  if (rd == isa::kRz) return;
  Row low, high;
  for (int i = 0; i < kLanes; i++) {
    low.lane[i] = static_cast<uint32_t>(w.lane[i]);
    high.lane[i] = static_cast<uint32_t>(w.lane[i] >> 32);
  }
  write(l, rd, low);
  write(l, static_cast<uint8_t>(rd + 1), high);
}

inline Mask combine(isa::BoolOp op, Mask a, Mask b) {
  switch (op) {
    case isa::BoolOp::And: return a & b;
    case isa::BoolOp::Or: return a | b;
    case isa::BoolOp::Xor: return a ^ b;
  }
  return 0;
}

// pd = cmp op pc; pq = !cmp op pc. Where both name one predicate, pd's value stays.
inline void write_compare(const Decoded& d, Lanes& l, Mask compare, isa::BoolOp op, Mask pc) {
  write_predicate(l, d.pq, combine(op, ~compare, pc));
  write_predicate(l, d.pd, combine(op, compare, pc));
}

}  // namespace
}  // namespace heddle::model
