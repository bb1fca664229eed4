// SPDX-License-Identifier: Apache-2.0
// What one instruction gives (compiled without contraction of floating-point operations).
#include "tests/compiler/random/compute.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/compiler/random/numbers.h"

namespace heddle::compiler::test {
namespace {

__extension__ typedef unsigned __int128 Wide;

float smaller(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// 0 nearest even, 1 to zero, 2 down, 3 up.
float to_float(long double exact, unsigned rounding) {
  const auto f = static_cast<float>(exact);
  const auto back = static_cast<long double>(f);
  if (back == exact || rounding == 0) return f;
  const bool down = rounding == 2 || (rounding == 1 && exact > 0);
  if (down && back > exact) return std::nextafter(f, -std::numeric_limits<float>::infinity());
  if (!down && back < exact) return std::nextafter(f, std::numeric_limits<float>::infinity());
  return f;
}

uint64_t to_integer(float f, Type t, unsigned rounding) {
  if (std::isnan(f)) return bits_of(t) == 64 ? uint64_t{1} << 63 : 0;  // as silicon does
  const float whole = rounding == 0   ? std::nearbyint(f)
                      : rounding == 1 ? std::trunc(f)
                      : rounding == 2 ? std::floor(f)
                                      : std::ceil(f);
  const unsigned bits = bits_of(t);
  const int top = static_cast<int>(is_signed(t) ? bits - 1 : bits);
  const float limit = std::ldexp(1.0f, top);
  if (whole >= limit) return mask(static_cast<unsigned>(top));
  if (is_signed(t))
    return whole < -limit ? (uint64_t{1} << (bits - 1))
                          : static_cast<uint64_t>(static_cast<int64_t>(whole)) & mask(bits);
  return whole < 0 ? 0 : static_cast<uint64_t>(whole);
}

uint64_t field(uint64_t a, unsigned bits, uint64_t pos, uint64_t len, bool sign) {
  if (bits == 32) pos &= 255, len &= 255;  // silicon does not cut those of the 64-bit form
  const unsigned msb = bits - 1;
  const uint64_t fill = sign && len ? a >> std::min<uint64_t>(pos + len - 1, msb) & 1 : 0;
  uint64_t d = 0;
  for (unsigned i = 0; i < bits; i++) d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : fill) << i;
  return d;
}

uint64_t insert(uint64_t a, uint64_t b, unsigned bits, unsigned pos, unsigned len) {
  for (unsigned i = 0; i < len && pos + i < bits; i++) {
    b &= ~(uint64_t{1} << (pos + i));
    b |= (a >> i & 1) << (pos + i);
  }
  return b;
}

uint64_t permute(uint64_t a, uint64_t b, uint64_t selector) {
  const uint64_t bytes = a | b << 32;
  uint64_t d = 0;
  for (unsigned i = 0; i < 4; i++) {
    const uint64_t s = selector >> 4 * i & 15;
    uint64_t v = bytes >> 8 * (s & 7) & 255;
    if (s & 8) v = v & 128 ? 255 : 0;
    d |= v << 8 * i;
  }
  return d;
}

uint64_t reversed(uint64_t a, unsigned bits) {
  uint64_t d = 0;
  for (unsigned i = 0; i < bits; i++) d |= (a >> i & 1) << (bits - 1 - i);
  return d;
}

}  // namespace

File file_of(Type t) {
  switch (t) {
    case Type::U8:
    case Type::S8:
    case Type::U16:
    case Type::S16: return File::H;
    case Type::U32:
    case Type::S32: return File::W;
    case Type::F32: return File::F;
    case Type::B128: return File::X;
    default: return File::D;
  }
}

File file_of(char letter) {
  switch (letter | 32) {
    case 'h': return File::H;
    case 'w': return File::W;
    case 'f': return File::F;
    case 'a': return File::A;
    default: return File::D;
  }
}

const char* name_of(Type t) {
  constexpr const char* kNames[] = {"u16", "s16", "u32", "s32", "u64", "s64", "f32", "u8", "s8", "b128"};
  return kNames[static_cast<int>(t)];
}

unsigned bits_of(Type t) { return t == Type::U8 || t == Type::S8 ? 8 : 8 * bytes_of(file_of(t)); }

bool is_signed(Type t) { return t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64; }

unsigned bytes_of(File file) { return file == File::H ? 2 : file == File::D ? 8 : file == File::X ? 16 : 4; }

unsigned record_offset(File file, unsigned reg) {
  constexpr unsigned kStart[] = {104, 48, 0, 80, 0, 112, 128};  // D, W, F, H, A, X
  return kStart[static_cast<int>(file)] + reg * bytes_of(file);
}

uint64_t constant_word(unsigned n) { return 0x9e3779b97f4a7c15 * (n + 1) >> n % 37; }

uint64_t apply(Atomic op, Type type, uint64_t old, uint64_t b, uint64_t c) {
  const unsigned n = bits_of(type);
  const bool less = is_signed(type) ? extend(b, n) < extend(old, n) : b < old;
  switch (op) {
    case Atomic::Add: return (old + b) & mask(n);
    case Atomic::Min: return less ? b : old;
    case Atomic::Max: return less ? old : b;
    case Atomic::And: return old & b;
    case Atomic::Or: return old | b;
    case Atomic::Xor: return old ^ b;
    case Atomic::Inc: return old >= b ? 0 : old + 1;
    case Atomic::Dec: return old == 0 || old > b ? b : old - 1;
    case Atomic::Exch: return b;
    default: return old == b ? c : old;
  }
}

bool compare(Type t, unsigned how, uint64_t a, uint64_t b) {
  if (t == Type::F32) return compare(how, number(a), number(b));
  const int64_t x = extend(a, bits_of(t)), y = extend(b, bits_of(t));
  const bool less = is_signed(t) ? x < y : a < b;
  switch (how) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return less;
    case 3: return less || a == b;
    case 4: return !less && a != b;
    default: return !less;
  }
}

uint64_t compute(const Instruction& i, uint64_t a, uint64_t b, uint64_t c, bool predicate) {
  const unsigned n = bits_of(i.type);
  const bool sign = is_signed(i.type);
  const int64_t sa = extend(a, n), sb = extend(b, n);
  const uint64_t m = mask(n);
  const Wide product = sign ? static_cast<Wide>(static_cast<__int128>(sa) * sb) : static_cast<Wide>(a) * b;
  switch (i.op) {
    case Op::Add: return (a + b) & m;
    case Op::Sub: return (a - b) & m;
    case Op::MulLo: return static_cast<uint64_t>(product) & m;
    case Op::MulHi: return static_cast<uint64_t>(product >> n) & m;
    case Op::MulWide: return static_cast<uint64_t>(product) & mask(2 * n);
    case Op::MadLo: return (static_cast<uint64_t>(product) + c) & m;
    case Op::MadWide: return (static_cast<uint64_t>(product) + c) & mask(2 * n);
    case Op::Div:
    case Op::Rem: {
      const uint64_t d = std::max<uint64_t>(1, b & (m >> 1));
      if (sign)
        return static_cast<uint64_t>(i.op == Op::Div ? sa / static_cast<int64_t>(d) : sa % static_cast<int64_t>(d)) & m;
      return i.op == Op::Div ? a / d : a % d;
    }
    case Op::Min: return (sign ? sa < sb : a < b) ? a : b;
    case Op::Max: return (sign ? sa < sb : a < b) ? b : a;
    case Op::Neg: return (0 - a) & m;
    case Op::Abs: return (sa < 0 ? 0 - a : a) & m;
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Not: return ~a & m;
    case Op::Shl: return b >= n ? 0 : a << b & m;
    case Op::Shr:
      if (sign) return static_cast<uint64_t>(sa >> std::min<uint64_t>(b, n - 1)) & m;
      return b >= n ? 0 : a >> b;
    case Op::Popc: return static_cast<uint64_t>(std::popcount(a));
    case Op::Clz: return static_cast<uint64_t>(std::countl_zero(a)) - (64 - n);
    case Op::Brev: return reversed(a, n);
    case Op::Bfe: return field(a, n, b, c, sign);
    case Op::Bfi: return insert(a, b, n, i.extra >> 8, i.extra & 255);
    case Op::Prmt: return permute(a, b, c);
    case Op::FunnelLeft:
    case Op::FunnelRight: {
      const uint64_t both = a | b << 32;
      const uint64_t by = i.extra & 1 ? std::min<uint64_t>(c, 32) : c & 31;
      return (i.op == Op::FunnelLeft ? both << by >> 32 : both >> by) & m;
    }
    case Op::Lop3: {
      uint64_t d = 0;
      for (unsigned k = 0; k < 32; k++)
        d |= static_cast<uint64_t>(i.extra >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1) << k;
      return d;
    }
    case Op::Selp: return predicate ? a : b;
    case Op::Mov: return a;
    case Op::Cvt:
      if (i.type == Type::F32) return to_integer(number(a), i.to, i.extra);
      if (i.to == Type::F32)
        return word(to_float(sign ? static_cast<long double>(sa) : static_cast<long double>(a), i.extra));
      return static_cast<uint64_t>(sign ? sa : static_cast<int64_t>(a)) & mask(bits_of(i.to));
    case Op::FAdd: return word(number(a) + number(b));
    case Op::FSub: return word(number(a) - number(b));
    case Op::FMul: return word(number(a) * number(b));
    case Op::FFma: return word(std::fma(number(a), number(b), number(c)));
    case Op::FDiv: return word(number(a) / number(b));
    case Op::FSqrt: return word(std::sqrt(number(a)));
    case Op::FMin: return word(smaller(number(a), number(b)));
    case Op::FMax: return word(-smaller(-number(a), -number(b)));
    case Op::FNeg: return word(-number(a));
    case Op::FAbs: return word(std::fabs(number(a)));
    default: return 0;
  }
}

}  // namespace heddle::compiler::test
