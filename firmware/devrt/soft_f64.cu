// SPDX-License-Identifier: Apache-2.0
// What unit FP64 computes, in integers, bit for bit: one function for each of its instructions, called with the instruction's
// operands and modifier bits (isa/isa.def) by code compiled for a machine without that unit.
#define DEVICE extern "C" __attribute__((device, used))
#define LOCAL static __attribute__((device))

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;

namespace {

constexpr u64 kSign = 1ull << 63, kInfinity = 0x7ffull << 52, kHidden = 1ull << 52, kQuiet = 1ull << 51;
constexpr u64 kInvalid = 0xfff8ull << 48, kOne = 0x3ffull << 52;
enum Rounding { kNearest, kZero, kDown, kUp };

LOCAL inline bool is_nan(u64 a) { return a << 1 > kInfinity << 1; }
LOCAL inline int exponent_of(u64 a) { return static_cast<int>(a >> 52 & 0x7ff); }
LOCAL inline u64 significand_of(u64 a) { return (a & (kHidden - 1)) | (exponent_of(a) ? kHidden : 0); }
LOCAL inline int power(u64 a) { return (exponent_of(a) ? exponent_of(a) : 1) - 1075; }  // of the significand's last bit
LOCAL inline u64 with_sign(u64 a, u32 abs, u32 neg) { return (abs ? a & ~kSign : a) ^ (neg ? kSign : 0); }

LOCAL inline bool rounds_up(u32 rounding, bool negative, bool odd, bool half, bool rest) {
  if (rounding == kNearest) return half && (rest || odd);
  return rounding != kZero && (rounding == kDown) == negative && (half || rest);
}

// m >> shift, rounded; shift may be anything.
LOCAL u64 shift_round(u128 m, int shift, bool negative, u32 rounding) {
  if (shift <= 0) return static_cast<u64>(m << (-shift & 127));
  if (shift > 127) return rounds_up(rounding, negative, false, false, m != 0);
  const u64 kept = static_cast<u64>(m >> shift);
  const u128 below = m << (128 - shift);  // what goes, from the top
  const bool half = static_cast<u64>(below >> 127) != 0;
  return kept + rounds_up(rounding, negative, kept & 1, half, below << 1 != 0);
}

LOCAL int leading_zeros(u128 m) {
  const u64 high = static_cast<u64>(m >> 64);
  return high ? __builtin_clzll(high) : 64 + __builtin_clzll(static_cast<u64>(m) | 1);
}

// f64 of m 2^exponent, m not 0.
__attribute__((device, noinline)) u64 pack(bool negative, u128 m, int exponent, u32 rounding) {
  const int lead = 127 - leading_zeros(m) + exponent;
  const int last = lead - 52 > -1074 ? lead - 52 : -1074;
  const u64 sign = negative ? kSign : 0;
  // A carry out of the significand goes into the exponent.
  const u64 significand = shift_round(m, last - exponent, negative, rounding);
  if (last + 1074 >= 2046) {
    // 2^1024 or more: infinity, or the largest number when rounding the other way.
    return sign | (kInfinity - (rounding == kNearest || rounding == (negative ? kDown : kUp) ? 0 : 1));
  }
  const u64 bits = (static_cast<u64>(last + 1074) << 52) + significand;
  if (bits < kInfinity) return sign | bits;
  return sign | (kInfinity - (rounding == kNearest || rounding == (negative ? kDown : kUp) ? 0 : 1));
}

// m >> n, ones that go are kept as a one.
LOCAL u128 shift_jam(u128 m, int n) {
  if (n > 127) return 1;
  return n == 0 ? m : m >> n | (m << (128 - n) != 0);
}

// x y + z, none of them NaN.
__attribute__((device, noinline)) u64 fused(u64 x, u64 y, u64 z, u32 rounding) {
  const bool sign = (x ^ y) >> 63, sign_z = z >> 63;
  const u64 size_x = x & ~kSign, size_y = y & ~kSign, size_z = z & ~kSign;
  if (size_x == kInfinity || size_y == kInfinity) {
    if (size_x == 0 || size_y == 0 || (size_z == kInfinity && sign != sign_z)) return kInvalid;
    return kInfinity | (sign ? kSign : 0);
  }
  if (size_z == kInfinity) return z;
  const u128 product = static_cast<u128>(significand_of(x)) * significand_of(y);
  if (product == 0) {
    if (size_z != 0) return z;
    return sign == sign_z ? z : rounding == kDown ? kSign : 0;
  }
  int exponent = power(x) + power(y);
  if (size_z == 0) return pack(sign, product, exponent, rounding);
  // Both with their leading one at position 125: no carry is lost, and rounding is far above what is jammed.
  const int up = leading_zeros(product) - 2, up_z = __builtin_clzll(significand_of(z)) + 62;
  u128 p = product << up, c = static_cast<u128>(significand_of(z)) << up_z;
  exponent -= up;
  const int exponent_z = power(z) - up_z;
  if (exponent >= exponent_z) {
    c = shift_jam(c, exponent - exponent_z);
  } else {
    p = shift_jam(p, exponent_z - exponent);
    exponent = exponent_z;
  }
  if (sign == sign_z) return pack(sign, p + c, exponent, rounding);
  if (p == c) return rounding == kDown ? kSign : 0;
  return p > c ? pack(sign, p - c, exponent, rounding) : pack(sign_z, c - p, exponent, rounding);
}

LOCAL inline bool less(u64 a, u64 b) {  // -0 before +0
  const long long x = static_cast<long long>(a & kSign ? ~(a & ~kSign) : a);
  const long long y = static_cast<long long>(b & kSign ? ~(b & ~kSign) : b);
  return x < y;
}

// Clamped to `bits`; NaN gives 2^(bits - 1).
LOCAL u64 to_int(u64 b, int bits, bool is_signed, u32 rounding) {
  const u64 largest = ~0ull >> (64 - bits + is_signed), lowest = is_signed ? ~largest : 0;
  if (is_nan(b)) return is_signed ? lowest : (largest >> 1) + 1;
  const bool negative = b >> 63;
  const int exponent = exponent_of(b) - 1075;
  if (exponent > 11) return negative ? lowest : largest;
  const u64 m = shift_round(significand_of(b), -exponent, negative, rounding);
  if (!negative) return m > largest ? largest : m;
  if (!is_signed) return 0;
  return m > largest ? lowest : 0 - m;
}

}  // namespace

DEVICE u64 __heddle_dadd(u64 a, u64 b, u32 mod) {
  if (is_nan(b)) return b | kQuiet;
  if (is_nan(a)) return a | kQuiet;
  return fused(with_sign(a, mod >> 6 & 1, mod >> 4 & 1), kOne, with_sign(b, mod >> 7 & 1, mod >> 5 & 1), mod & 3);
}

DEVICE u64 __heddle_dmul(u64 a, u64 b, u32 mod) {
  if (is_nan(b)) return b | kQuiet;
  if (is_nan(a)) return a | kQuiet;
  a = with_sign(a, 0, mod >> 4 & 1);
  return fused(a, b, (a ^ b) & kSign, mod & 3);
}

DEVICE u64 __heddle_dfma(u64 a, u64 b, u64 c, u32 mod) {
  if (is_nan(b)) return b | kQuiet;
  if (is_nan(c)) return c | kQuiet;
  if (is_nan(a)) return a | kQuiet;
  return fused(with_sign(a, 0, mod >> 4 & 1), b, with_sign(c, 0, mod >> 5 & 1), mod & 3);
}

DEVICE u64 __heddle_dmnmx(u64 a, u64 b, u32 mod) {
  if (is_nan(a)) return is_nan(b) ? b | kQuiet : b;
  if (is_nan(b)) return a;
  return less(a, b) != ((mod & 1) != 0) ? a : b;
}

DEVICE u32 __heddle_dsetp(u64 a, u64 b, u32 mod) {
  a = with_sign(a, mod >> 11 & 1, mod >> 13 & 1);
  b = with_sign(b, mod >> 12 & 1, mod >> 14 & 1);
  const u32 compare = mod & 15;
  const bool unordered = is_nan(a) || is_nan(b);
  const bool equal = a == b || ((a | b) & ~kSign) == 0, below = !equal && less(a, b);
  // lt, le, gt, ge, eq, ne; num, nan; the first six again, true where unordered.
  if (compare == 6) return !unordered;
  if (compare == 7) return unordered;
  if (unordered) return compare > 7;
  switch (compare & 7) {
    case 0: return below;
    case 1: return below || equal;
    case 2: return !below && !equal;
    case 3: return !below;
    case 4: return equal;
    default: return !equal;
  }
}

DEVICE u64 __heddle_i2d_64(u64 b, u32 mod) {
  const bool negative = (mod >> 2 & 1) && b >> 63;
  const u64 m = negative ? 0 - b : b;
  return m ? pack(negative, m, 0, mod & 3) : 0;
}

DEVICE u64 __heddle_i2d(u32 b, u32 mod) {
  return __heddle_i2d_64(mod >> 2 & 1 ? static_cast<u64>(static_cast<long long>(static_cast<int>(b))) : b, mod);
}

DEVICE u32 __heddle_d2i(u64 b, u32 mod) {
  const u32 width = mod >> 4 & 3;
  return static_cast<u32>(to_int(b, width == 0 ? 32 : width == 1 ? 16 : 8, mod >> 3 & 1, mod & 3));
}

DEVICE u64 __heddle_d2i_64(u64 b, u32 mod) { return to_int(b, 64, mod >> 3 & 1, mod & 3); }

DEVICE u64 __heddle_drnd(u64 b, u32 mod) {
  u64 r = is_nan(b) ? b | kQuiet : b;
  const int exponent = exponent_of(b) - 1075;
  if ((mod >> 4 & 1) && exponent < 0) {
    const u64 m = shift_round(significand_of(b), -exponent, b >> 63, mod & 3);
    r = (b & kSign) | (m ? pack(false, m, 0, kNearest) : 0);
  }
  if (mod >> 3 & 1) {
    if (is_nan(r) || (r & kSign)) return 0;
    if (r > kOne) return kOne;
  }
  return r;
}
