// SPDX-License-Identifier: Apache-2.0
// What an atomic leaves in memory: integers as PTX says, floating-point numbers as silicon adds them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "isa/isa.h"
#include "isa/mbarrier.h"

namespace heddle::test {

struct FloatShape {
  unsigned exponent, fraction;  // bits
};
inline constexpr FloatShape kF32{8, 23}, kF16{5, 10}, kBf16{8, 7}, kF64{11, 52};

inline bool is_nan(FloatShape shape, uint64_t v) {
  const uint64_t infinity = ((uint64_t{1} << shape.exponent) - 1) << shape.fraction;
  return (v & ((uint64_t{1} << (shape.exponent + shape.fraction)) - 1)) > infinity;
}

// x + y, rounded to nearest even from its exact value, of which what lies far below is one bit. `flush`: a subnormal
// number, or result, is zero of its sign. `nan`: of opposite infinities, and of a NaN.
inline uint64_t float_sum_reference(FloatShape shape, bool flush, uint64_t nan, uint64_t x, uint64_t y) {
  using Wide = unsigned __int128;
  constexpr unsigned kBelow = 70;
  const unsigned m = shape.fraction;
  const uint64_t one = uint64_t{1} << m, full = (uint64_t{1} << shape.exponent) - 1, infinity = full << m,
                 top = one << shape.exponent;
  const auto exponent_of = [&](uint64_t v) { return v >> m & full; };
  const auto fraction_of = [&](uint64_t v) { return v & (one - 1); };
  const auto is_infinite = [&](uint64_t v) { return (v & ~top) == infinity; };
  if (is_nan(shape, x) || is_nan(shape, y) || (is_infinite(x) && is_infinite(y) && x != y)) return nan;
  if (is_infinite(x)) return x;
  if (is_infinite(y)) return y;
  const auto significand = [&](uint64_t v) -> Wide {
    if (exponent_of(v) != 0) return fraction_of(v) | one;
    return flush ? 0 : fraction_of(v);
  };
  if (exponent_of(x) < exponent_of(y)) std::swap(x, y);
  int exponent = static_cast<int>(std::max<uint64_t>(exponent_of(x), 1));
  const auto distance = static_cast<unsigned>(static_cast<uint64_t>(exponent) - std::max<uint64_t>(exponent_of(y), 1));
  Wide a = significand(x) << kBelow, b = significand(y) << kBelow;
  if (distance < 100) {
    const bool lost = (b & ((Wide{1} << distance) - 1)) != 0;
    b = b >> distance | Wide{lost};
  } else {
    b = b != 0;
  }
  uint64_t sign = x & top;
  Wide sum = a + b;
  if ((x ^ y) & top) {
    if (a == b) return 0;
    if (a < b) std::swap(a, b), sign = y & top;
    sum = a - b;
  } else if (sum == 0) {
    return sign;
  }
  const auto high = static_cast<uint64_t>(sum >> 64);
  const int length = high ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<uint64_t>(sum));
  int shift = length - static_cast<int>(m) - 1;
  exponent += shift - static_cast<int>(kBelow);
  if (exponent < 1) shift += 1 - exponent, exponent = 1;
  const Wide rest = sum & ((Wide{1} << shift) - 1), half = Wide{1} << (shift - 1);
  auto kept = static_cast<uint64_t>(sum >> shift);
  if (rest > half || (rest == half && kept % 2 != 0)) kept++;
  if (kept == 2 * one) kept >>= 1, exponent++;
  if (kept < one) return flush ? sign : sign | kept;
  if (exponent >= static_cast<int>(full)) return sign | infinity;
  return sign | static_cast<uint64_t>(exponent) << m | fraction_of(kept);
}

// f64's NaN: global memory passes the operand's as it is, else memory's; shared memory passes memory's, else the
// operand's, made quiet.
inline uint64_t nan64_reference(bool shared, uint64_t old, uint64_t b) {
  const uint64_t quiet = shared ? uint64_t{1} << 51 : 0;
  const uint64_t first = shared ? old : b, second = shared ? b : old;
  if (is_nan(kF64, first)) return first | quiet;
  if (is_nan(kF64, second)) return second | quiet;
  return 0xfff8000000000000;
}

// The lesser or greater of two numbers of 16 bits, as their bits order them: from the largest negative to -0, +0 and
// up. A NaN gives way to a number; two are one of all ones.
inline uint64_t float_pick_reference(FloatShape shape, bool max, uint64_t x, uint64_t y) {
  if (is_nan(shape, x)) return is_nan(shape, y) ? 0x7fff : y;
  if (is_nan(shape, y)) return x;
  const auto rank = [](uint64_t v) { return v & 0x8000 ? 0xffff - v : v | 0x8000; };
  return (rank(x) < rank(y)) == max ? y : x;
}

inline uint64_t atomic_reference(isa::AtomOp op, isa::AtomType type, bool wide, bool shared, uint64_t old, uint64_t b,
                                 uint64_t c) {
  if (type > isa::AtomType::S) {
    if (type == isa::AtomType::F64) return float_sum_reference(kF64, false, nan64_reference(shared, old, b), old, b);
    const auto x = static_cast<uint32_t>(old), y = static_cast<uint32_t>(b);
    if (type == isa::AtomType::F32) return float_sum_reference(kF32, !shared, 0x7fffffff, x, y);
    const FloatShape shape = type == isa::AtomType::F16x2 ? kF16 : kBf16;
    const auto half = [&](uint64_t v, uint64_t w) {
      return op == isa::AtomOp::Add ? float_sum_reference(shape, false, 0x7fff, v, w)
                                    : float_pick_reference(shape, op == isa::AtomOp::Max, v, w);
    };
    return half(x & 0xffff, y & 0xffff) | half(x >> 16, y >> 16) << 16;
  }
  const bool sign = type == isa::AtomType::S;
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
    case isa::AtomOp::Arrive: return isa::mbarrier_arrive(old, b);
  }
  return old;
}

// Words of a request on a sector, by their bytes in it, with where their operands stand: those of the mask where
// sectors travel whole (mem_pkg::SectorAtomics), else the one at the offset.
struct AtomicWord {
  unsigned at = 0, operand = 0, fresh = 0;  // fresh: a cas' new value
};
inline std::vector<AtomicWord> atomic_words(bool whole, uint32_t mask, unsigned offset, bool wide) {
  if (!whole) return {{offset, 0, 8}};
  std::vector<AtomicWord> words;
  for (unsigned at = 0; at < 32; at += wide ? 8 : 4)
    if (mask >> at & 1) words.push_back({at, at, at ^ 16});
  return words;
}

// The bytes of some of a sector's words, of a cas in one half.
template <typename Random>
uint32_t random_words(Random& rng, bool wide, bool cas) {
  uint32_t mask = 0;
  for (unsigned at = 0; at < 32; at += wide ? 8 : 4)
    if (rng() % 2) mask |= (wide ? 0xffu : 0xfu) << at;
  if (cas) mask &= rng() % 2 ? 0xffffu : 0xffff0000u;
  return mask ? mask : wide ? 0xffu : 0xfu;
}

// What one of them computes on.
struct AtomicKind {
  isa::AtomOp op = isa::AtomOp::Add;
  isa::AtomType type = isa::AtomType::U;
  bool wide = false;
};

// floats: some are of floating-point numbers: sums, of pairs of 16 bits minima and maxima, too. shared: some arrive at
// an mbarrier.
template <typename Random>
AtomicKind random_atomic(Random& rng, bool floats, bool shared = false) {
  if (shared && rng() % 8 == 0) return {isa::AtomOp::Arrive, isa::AtomType::U, true};
  constexpr isa::AtomType kFloats[] = {isa::AtomType::F32, isa::AtomType::F64, isa::AtomType::F16x2,
                                       isa::AtomType::Bf16x2};
  if (floats && rng() % 3 == 0) {
    const isa::AtomType type = kFloats[rng() % 4];
    const bool pairs = type == isa::AtomType::F16x2 || type == isa::AtomType::Bf16x2;
    return {static_cast<isa::AtomOp>(pairs ? rng() % 3 : 0), type, type == isa::AtomType::F64};
  }
  return {static_cast<isa::AtomOp>(rng() % 10), rng() % 2 ? isa::AtomType::S : isa::AtomType::U, rng() % 2 != 0};
}

// A word, or doubleword, for sums: any bits; near to another's exponent, with few or many bits set; subnormal numbers,
// zeros, infinities, NaN.
template <typename Random>
uint64_t random_float(Random& rng, isa::AtomType type, uint64_t near) {
  const auto one = [&](FloatShape shape, uint64_t other) -> uint64_t {
    const unsigned m = shape.fraction;
    const uint64_t full = (uint64_t{1} << shape.exponent) - 1;
    const uint64_t sign = uint64_t{rng() & 1} << (shape.exponent + m);
    const uint64_t any = rng();
    const uint64_t few = uint64_t{1} << rng() % m, many = (uint64_t{1} << m) - 1;
    const uint64_t fraction = (rng() % 3 == 0 ? any : rng() % 2 ? many - few * (any & 1) : few - (any & 1)) & many;
    const uint64_t exponent = (other >> m) + rng() % (2 * m + 6) - m - 3;
    switch (rng() % 12) {
      case 0: return sign | (any & ((uint64_t{1} << (shape.exponent + m)) - 1));
      case 1: return sign | fraction;
      case 2: return sign;
      case 3: return sign | full << m | (rng() % 2 ? fraction : 0);
      case 4: return sign | (full - 1 - (any & 1)) << m | fraction;
      case 5: return sign | (1 + (any & 1)) << m | fraction;
      case 6: return other ^ uint64_t { 1 } << (shape.exponent + m) ^ (any & 3);
      default: return sign | (exponent & full) << m | fraction;
    }
  };
  if (type == isa::AtomType::F64) return one(kF64, near);
  const uint64_t word = near & 0xffffffff;
  if (type == isa::AtomType::F32) return one(kF32, word);
  const FloatShape shape = type == isa::AtomType::F16x2 ? kF16 : kBf16;
  return one(shape, word & 0xffff) | one(shape, word >> 16) << 16;
}

}  // namespace heddle::test
