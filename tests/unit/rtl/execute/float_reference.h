// SPDX-License-Identifier: Apache-2.0
// What each operation of the units Fp32, Fp64 and Cvt must give. Arithmetic is the host's own, under the
// instruction's rounding (fesetround), so it shares nothing with the units' integer arithmetic.
#ifndef HEDDLE_TESTS_UNIT_RTL_EXECUTE_FLOAT_REFERENCE_H_
#define HEDDLE_TESTS_UNIT_RTL_EXECUTE_FLOAT_REFERENCE_H_

#include <cfenv>
#include <cmath>
#include <cstdint>

#include "tests/unit/rtl/execute/unit_driver.h"

namespace heddle::test {

// The host rounds as the instruction says while this lives.
class HostRounding {
 public:
  explicit HostRounding(std::uint32_t rounding) : before_(std::fegetround()) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[rounding]);
  }
  ~HostRounding() { std::fesetround(before_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  int before_;
};

// What the host says to a comparison, of whatever format the numbers came.
template <class Float>
bool holds(unsigned cmp, Float a, Float b) {
  const bool unordered = std::isunordered(a, b);
  switch (static_cast<isa::FCmp>(cmp)) {
    case isa::FCmp::Lt: return a < b;
    case isa::FCmp::Le: return a <= b;
    case isa::FCmp::Gt: return a > b;
    case isa::FCmp::Ge: return a >= b;
    case isa::FCmp::Eq: return a == b;
    case isa::FCmp::Ne: return a != b && !unordered;
    case isa::FCmp::Num: return !unordered;
    case isa::FCmp::Nan: return unordered;
    case isa::FCmp::Ltu: return a < b || unordered;
    case isa::FCmp::Leu: return a <= b || unordered;
    case isa::FCmp::Gtu: return a > b || unordered;
    case isa::FCmp::Geu: return a >= b || unordered;
    case isa::FCmp::Equ: return a == b || unordered;
    case isa::FCmp::Neu: return a != b;
  }
  return false;
}

// A comparison's result with the predicate it takes.
inline bool combined(unsigned op, bool x, bool y) { return op == 0 ? x && y : op == 1 ? x || y : x != y; }

// Both predicates of FSETP and DSETP.
template <class Float>
LaneResult comparison(const Request& r, unsigned lane, Float a, Float b) {
  const bool result = holds(r.get("cmp"), a, b), with = r.p >> lane & 1;
  return {0, combined(r.get("op"), result, with), combined(r.get("op"), !result, with)};
}

Reference fp32_reference(const Request& request);
Reference cvt_reference(const Request& request);
Reference fp64_reference(const Request& request);                 // float64_reference.cc
Reference fp16_reference(const Request& request);                 // float16_reference.cc
LaneResult f2f_reference(const Request& request, unsigned lane);  // F2F; float16_reference.cc

// Bit patterns that reach every path of f64 arithmetic; `near` gives the exponent's neighbourhood for some.
template <class Rng>
std::uint64_t random_double(Rng& rng, std::uint64_t near) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63, kFraction = (std::uint64_t{1} << 52) - 1;
  // clang-format off
  static constexpr std::uint64_t kCorners[] = {
      0, 1, 2, kFraction, kFraction + 1, kFraction + 2, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001,
      0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x4000000000000000,
      0x4004000000000000, 0x4330000000000000, 0x4330000000000001, 0x432fffffffffffff, 0x4340000000000000,
      0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41effffffff00000,
      0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
      0x40dfffc000000000, 0x40efffe000000000, 0x405fc00000000000, 0x406fe00000000000, 0x7fefffffffffffff,
      0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff, 0x7ff4000000000123};
  // clang-format on
  const std::uint64_t r = rng(), v = rng(), sign = v & kSign;
  const auto at = [&](int exponent) {
    return sign |
           static_cast<std::uint64_t>(exponent < 0      ? 0
                                      : exponent > 2047 ? 2047
                                                        : exponent)
               << 52 |
           (v & kFraction);
  };
  switch (r & 7) {
    case 0: return sign | kCorners[(r >> 8) % std::size(kCorners)];
    case 1:
      return v & (kSign | kFraction) &
             ~std::uint64_t{0} >> ((r >> 8) % 64 == 63 ? 0 : (r >> 16) % 12);  // subnormal, mostly
    case 2: return at(static_cast<int>(900 + (r >> 8) % 256)) | (r & 0x80 ? kFraction : 0);
    case 3: return at(static_cast<int>(1010 + (r >> 8) % 80));  // about integers
    case 4:
    case 5: return at(static_cast<int>(near >> 52 & 2047) + static_cast<int>((r >> 8) % 131) - 65);  // about `near`
    case 6: return at(static_cast<int>(1020 + (r >> 8) % 70)) & ~std::uint64_t{0} << ((r >> 16) % 53);
    default: return v;
  }
}

// Bit patterns that reach every path of float arithmetic; `near` gives the exponent's neighbourhood for some.
template <class Rng>
std::uint32_t random_float(Rng& rng, std::uint32_t near) {
  static constexpr std::uint32_t kCorners[] = {
      0x00000000, 0x00000001, 0x00000002, 0x007fffff, 0x00800000, 0x00800001, 0x3effffff, 0x3f000000,
      0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40200000, 0x4b000000,
      0x4b000001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000,
      0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x47000000, 0x477fff00, 0x43000000};
  const std::uint64_t r = rng();
  const auto v = static_cast<std::uint32_t>(r >> 32);
  const std::uint32_t sign = v & 0x80000000;
  switch (r & 7) {
    case 0: return sign | kCorners[(r >> 8) % std::size(kCorners)];
    case 1: return v & 0x807fffff;  // subnormal
    case 2: return sign | (v & 0x7f800000 & 0x3fffffff) | (r & 0x100 ? 0x7fffff : 0) | (v & 3);
    case 3: return sign | ((100 + (r >> 8) % 64) << 23) | (v & 0x7fffff);  // about 1
    case 4:
    case 5: {  // about `near`
      const int exponent = static_cast<int>(near >> 23 & 255) + static_cast<int>((r >> 8) % 61) - 30;
      return sign |
             static_cast<std::uint32_t>(exponent < 0     ? 0
                                        : exponent > 255 ? 255
                                                         : exponent)
                 << 23 |
             (v & 0x7fffff);
    }
    case 6: return sign | ((120 + (r >> 8) % 48) << 23) | (v & (0x7fffffu << ((r >> 16) % 24)) & 0x7fffff);
    default: return v;
  }
}

// The same for f16 and bf16; `near` is a biased exponent.
template <class Rng>
std::uint32_t random_half(Rng& rng, bool bf16, int near) {
  const unsigned fraction = bf16 ? 7 : 10, top = bf16 ? 255 : 31;
  const std::uint64_t r = rng();
  const auto v = static_cast<std::uint32_t>(r >> 32);
  const std::uint32_t sign = v & 0x8000, low = v & ((1u << fraction) - 1);
  const auto at = [&](int exponent) {
    return sign | static_cast<std::uint32_t>(exponent < 0                       ? 0
                                             : exponent > static_cast<int>(top) ? static_cast<int>(top)
                                                                                : exponent)
                      << fraction;
  };
  switch (r & 7) {
    case 0:
      return at((r >> 8) % 4 == 0 ? static_cast<int>(top) : 0) |
             ((r & 0x10000) ? low & 3 : 0);  // zeros, infinities, NaN
    case 1: return at(0) | low;              // subnormal
    case 2:
      return at(static_cast<int>(top) - 1 - static_cast<int>((r >> 8) % 2)) |
             (r & 0x10000 ? low : low | ((1u << fraction) - 4));
    case 3:
    case 4:
    case 5: return at(near + static_cast<int>((r >> 8) % (2 * fraction + 9)) - static_cast<int>(fraction) - 4) | low;
    case 6: return at(near) | (low & ~0u << (r >> 16) % fraction);
    default: return v & 0xffff;
  }
}

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_EXECUTE_FLOAT_REFERENCE_H_
