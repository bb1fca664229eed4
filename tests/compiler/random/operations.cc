// SPDX-License-Identifier: Apache-2.0
// Integers and video; all groups together.
#include "tests/compiler/random/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>

namespace heddle::compiler::test {
namespace {

using U = uint64_t;
__extension__ typedef __int128 Wide;

int64_t s32(U v) { return static_cast<int32_t>(v); }
U cut(Wide v) { return static_cast<uint32_t>(v); }
// Bits first … first + n - 1 of v as a number.
int64_t part(U v, unsigned first, unsigned n, bool sign) {
  const U field = v >> first & ((U{1} << n) - 1);
  return sign && field >> (n - 1) & 1 ? static_cast<int64_t>(field) - (int64_t{1} << n) : static_cast<int64_t>(field);
}
int64_t clamp(Wide v, unsigned n, bool sign) {
  const Wide low = sign ? -(Wide{1} << (n - 1)) : 0, high = (Wide{1} << (sign ? n - 1 : n)) - 1;
  return static_cast<int64_t>(std::clamp(v, low, high));
}

template <bool kA, bool kB>
U dot4(U a, U b, U c) {
  for (unsigned k = 0; k < 32; k += 8) c += static_cast<U>(part(a, k, 8, kA) * part(b, k, 8, kB));
  return cut(static_cast<Wide>(c));
}
template <bool kHigh, bool kA, bool kB>
U dot2(U a, U b, U c) {
  for (unsigned k = 0; k < 2; k++)
    c += static_cast<U>(part(a, 16 * k, 16, kA) * part(b, 8 * k + (kHigh ? 16 : 0), 8, kB));
  return cut(static_cast<Wide>(c));
}
template <bool kMinus>
U find(U v, unsigned bits, bool sign) {  // bfind; kMinus: .shiftamt
  if (sign && v >> (bits - 1) & 1) v = ~v & (bits == 64 ? ~U{0} : U{0xffffffff});
  if (v == 0) return 0xffffffff;
  const U at = 63 - static_cast<U>(std::countl_zero(v));
  return kMinus ? bits - 1 - at : at;
}
// The nth set bit from `base` on, upwards or downwards.
U nth_bit(U mask, U base, int64_t n) {
  if (n == 0) return mask >> base & 1 ? base : 0xffffffff;
  for (int64_t at = static_cast<int64_t>(base), left = n < 0 ? -n : n; at >= 0 && at < 32; at += n < 0 ? -1 : 1)
    if (mask >> at & 1 && --left == 0) return static_cast<U>(at);
  return 0xffffffff;
}
U low_bits(U n) { return n >= 32 ? 0xffffffff : (U{1} << n) - 1; }
U cut_to(U v, U n, bool sign) {
  if (n == 0 || n >= 32) return n ? v : 0;
  return cut(part(v, 0, static_cast<unsigned>(n), sign));
}
template <unsigned kHow>
U permute(U a, U b, U c) {  // prmt's modes: f4e b4e rc8 ecl ecr rc16
  const U both = a | b << 32, n = c & 3;
  U d = 0;
  for (U i = 0; i < 4; i++) {
    const U at = kHow == 0   ? n + i
                 : kHow == 1 ? (n - i) & 7
                 : kHow == 2 ? n
                 : kHow == 3 ? std::max(n, i)
                 : kHow == 4 ? std::min(n, i)
                             : 2 * (n & 1) + (i & 1);
    d |= (both >> 8 * at & 255) << 8 * i;
  }
  return d;
}
template <typename F>
U halves(U a, U b, bool sign, F f) {
  U d = 0;
  for (unsigned k = 0; k < 32; k += 16)
    d |= (static_cast<U>(f(part(a, k, 16, sign), part(b, k, 16, sign))) & 0xffff) << k;
  return d;
}

int64_t add(int64_t x, int64_t y) { return x + y; }
int64_t sub(int64_t x, int64_t y) { return x - y; }
int64_t average(int64_t x, int64_t y) { return (x + y + (x + y >= 0)) >> 1; }
int64_t distance(int64_t x, int64_t y) { return x > y ? x - y : y - x; }
int64_t least(int64_t x, int64_t y) { return std::min(x, y); }
int64_t most(int64_t x, int64_t y) { return std::max(x, y); }
int64_t relu(int64_t x) { return std::max<int64_t>(x, 0); }

struct Named {
  const char* name;
  int64_t (*f)(int64_t, int64_t);
};
constexpr Named kSimd[] = {{"add", add},          {"sub", sub},   {"avrg", average},
                           {"absdiff", distance}, {"min", least}, {"max", most}};
constexpr Named kScalar[] = {{"add", add}, {"sub", sub}, {"absdiff", distance}, {"min", least}, {"max", most}};
constexpr Named kCompare[] = {{"eq", [](int64_t x, int64_t y) { return int64_t{x == y}; }},
                              {"ne", [](int64_t x, int64_t y) { return int64_t{x != y}; }},
                              {"lt", [](int64_t x, int64_t y) { return int64_t{x < y}; }},
                              {"le", [](int64_t x, int64_t y) { return int64_t{x <= y}; }},
                              {"gt", [](int64_t x, int64_t y) { return int64_t{x > y}; }},
                              {"ge", [](int64_t x, int64_t y) { return int64_t{x >= y}; }}};
constexpr const char* kWord[] = {"u32", "s32"};

struct Simd {
  unsigned bits;
  bool d, a, b, sat, total;
  unsigned mask;         // lanes written, or summed
  U select_a, select_b;  // for each lane four bits: which of the lanes of a (first) and b
  int64_t (*f)(int64_t, int64_t);
  U operator()(U x, U y, U z) const {
    const U both = x | y << 32, low = (U{1} << bits) - 1;
    U out = z;
    for (unsigned k = 0; k < 32 / bits; k++) {
      if (!(mask >> k & 1)) continue;
      const auto lane = [&](U select, bool sign) {
        return part(both, bits * static_cast<unsigned>(select >> 4 * k & 15), bits, sign);
      };
      int64_t v = f(lane(select_a, a), lane(select_b, b));
      if (sat) v = clamp(v, bits, d);
      if (total) out += static_cast<U>(v);
      else out = (out & ~(low << bits * k)) | (static_cast<U>(v) & low) << bits * k;
    }
    return cut(static_cast<Wide>(out));
  }
};

struct Scalar {
  bool d, a, b, sat;
  unsigned first_a, bits_a, first_b, bits_b;
  unsigned then;             // add, min, max, nothing
  unsigned first_d, bits_d;  // with nothing: the part of c that is replaced; 0 bits: none
  int64_t (*f)(int64_t, int64_t);
  U operator()(U x, U y, U z) const {
    Wide v = f(part(x, first_a, bits_a, a), part(y, first_b, bits_b, b));
    if (sat) v = clamp(v, 32, d);
    const U r = cut(v);
    const bool less = d ? s32(r) < s32(z) : r < z;
    if (then == 0) return cut(Wide{static_cast<int64_t>(r + z)});
    if (then < 3) return less == (then == 1) ? r : z;
    if (bits_d == 0) return r;
    const U low = ((U{1} << bits_d) - 1) << first_d;
    return (z & ~low) | (r << first_d & low);
  }
};

}  // namespace

Operations integer_operations() {
  return {
      {"add.sat.s32", "www", [](U a, U b, U) { return cut(clamp(Wide{s32(a)} + s32(b), 32, true)); }},
      {"sub.sat.s32", "www", [](U a, U b, U) { return cut(clamp(Wide{s32(a)} - s32(b), 32, true)); }},
      {"mad.hi.u32", "wwww", [](U a, U b, U c) { return cut(static_cast<Wide>((a * b >> 32) + c)); }},
      {"mad.hi.s32", "wwww", [](U a, U b, U c) { return cut((Wide{s32(a)} * s32(b) >> 32) + s32(c)); }},
      {"mad.hi.sat.s32", "wwww",
       [](U a, U b, U c) { return cut(clamp((Wide{s32(a)} * s32(b) >> 32) + s32(c), 32, true)); }},
      {"mad.hi.u16", "hhhh", [](U a, U b, U c) { return ((a * b >> 16) + c) & 0xffff; }},
      {"mad.hi.s16", "hhhh",
       [](U a, U b, U c) { return (static_cast<U>(part(a, 0, 16, true) * part(b, 0, 16, true) >> 16) + c) & 0xffff; }},
      {"mul24.lo.u32", "www", [](U a, U b, U) { return cut(static_cast<Wide>((a & 0xffffff) * (b & 0xffffff))); }},
      {"mul24.hi.u32", "www",
       [](U a, U b, U) { return cut(static_cast<Wide>((a & 0xffffff) * (b & 0xffffff) >> 16)); }},
      {"mul24.lo.s32", "www", [](U a, U b, U) { return cut(part(a, 0, 24, true) * part(b, 0, 24, true)); }},
      {"mul24.hi.s32", "www", [](U a, U b, U) { return cut(part(a, 0, 24, true) * part(b, 0, 24, true) >> 16); }},
      {"mad24.lo.u32", "wwww",
       [](U a, U b, U c) { return cut(static_cast<Wide>((a & 0xffffff) * (b & 0xffffff) + c)); }},
      {"mad24.hi.s32", "wwww",
       [](U a, U b, U c) { return cut((part(a, 0, 24, true) * part(b, 0, 24, true) >> 16) + s32(c)); }},
      {"mad24.hi.sat.s32", "wwww",
       [](U a, U b, U c) {
         return cut(clamp(Wide{part(a, 0, 24, true) * part(b, 0, 24, true) >> 16} + s32(c), 32, true));
       }},
      {"sad.u16", "hhhh", [](U a, U b, U c) { return ((a > b ? a - b : b - a) + c) & 0xffff; }},
      {"sad.s16", "hhhh",
       [](U a, U b, U c) {
         return (static_cast<U>(distance(part(a, 0, 16, true), part(b, 0, 16, true))) + c) & 0xffff;
       }},
      {"sad.u32", "wwww", [](U a, U b, U c) { return cut(static_cast<Wide>((a > b ? a - b : b - a) + c)); }},
      {"sad.s32", "wwww", [](U a, U b, U c) { return cut(Wide{distance(s32(a), s32(b))} + s32(c)); }},
      {"sad.u64", "dddd", [](U a, U b, U c) { return (a > b ? a - b : b - a) + c; }},
      {"sad.s64", "dddd",
       [](U a, U b, U c) { return (static_cast<int64_t>(a) > static_cast<int64_t>(b) ? a - b : b - a) + c; }},
      {"mad.hi.u64", "dddd",
       [](U a, U b, U c) { return static_cast<U>(static_cast<unsigned __int128>(a) * b >> 64) + c; }},
      {"mad.hi.s64", "dddd",
       [](U a, U b, U c) { return static_cast<U>(Wide{static_cast<int64_t>(a)} * static_cast<int64_t>(b) >> 64) + c; }},
      {"dp4a.u32.u32", "wwww", dot4<false, false>},
      {"dp4a.s32.s32", "wwww", dot4<true, true>},
      {"dp4a.u32.s32", "wwww", dot4<false, true>},
      {"dp4a.s32.u32", "wwww", dot4<true, false>},
      {"dp2a.lo.u32.u32", "wwww", dot2<false, false, false>},
      {"dp2a.lo.u32.s32", "wwww", dot2<false, false, true>},
      {"dp2a.hi.s32.u32", "wwww", dot2<true, true, false>},
      {"dp2a.hi.s32.s32", "wwww", dot2<true, true, true>},
      {"bfind.u32", "ww", [](U a, U, U) { return find<false>(a, 32, false); }},
      {"bfind.s32", "ww", [](U a, U, U) { return find<false>(a, 32, true); }},
      {"bfind.shiftamt.s32", "ww", [](U a, U, U) { return find<true>(a, 32, true); }},
      {"bfind.u64", "wD", [](U a, U, U) { return find<false>(a, 64, false); }},
      {"bfind.s64", "wD", [](U a, U, U) { return find<false>(a, 64, true); }},
      {"bfind.shiftamt.s64", "wD", [](U a, U, U) { return find<true>(a, 64, true); }},
      {"cnot.b16", "hH", [](U a, U, U) { return U{a == 0}; }},
      {"cnot.b32", "wW", [](U a, U, U) { return U{a == 0}; }},
      {"cnot.b64", "dD", [](U a, U, U) { return U{a == 0}; }},
      {"szext.clamp.u32", "www", [](U a, U b, U) { return cut_to(a, std::min<U>(b, 32), false); }},
      {"szext.wrap.s32", "www", [](U a, U b, U) { return cut_to(a, b & 31, true); }},
      {"bmsk.clamp.b32", "www", [](U a, U b, U) { return a >= 32 ? 0 : cut(static_cast<Wide>(low_bits(b) << a)); }},
      {"bmsk.wrap.b32", "www", [](U a, U b, U) { return cut(static_cast<Wide>(low_bits(b & 31) << (a & 31))); }},
      {"and.b32 %tx, {b}, 31;fns.b32 {d}, {a}, %tx, {c}", "wwww",
       [](U a, U b, U c) { return nth_bit(a, b & 31, s32(c)); }},
      {"prmt.b32.f4e", "wwww", permute<0>},
      {"prmt.b32.b4e", "wwww", permute<1>},
      {"prmt.b32.rc8", "wwww", permute<2>},
      {"prmt.b32.ecl", "wwww", permute<3>},
      {"prmt.b32.ecr", "wwww", permute<4>},
      {"prmt.b32.rc16", "wwww", permute<5>},
      {"setp.ne.u32 %q, {a}, 0;lop3.or.b32 %tx|%r, {a}, {b}, {c}, 0x1b, %q;selp.u32 %ty, 1, 0, %r;add.u32 {d}, %tx, "
       "%ty",
       "wwww",
       [](U a, U b, U c) {
         U d = 0;  // 0x1b
         for (unsigned k = 0; k < 32; k++)
           d |= (U{0x1b} >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1) << k;
         return cut(static_cast<Wide>(d + (d != 0 || a != 0)));
       }},
      {"setp.ne.u32 %q, {a}, 0;lop3.and.b32 %tx|%r, {a}, {b}, {c}, 0xe4, %q;selp.u32 %ty, 1, 0, %r;add.u32 {d}, %tx, "
       "%ty",
       "wwww",
       [](U a, U b, U c) {
         const U d = (c & a) | (~c & b);  // 0xe4
         return cut(static_cast<Wide>(d + (d != 0 && a != 0)));
       }},
      {"setp.ne.u32 %q, {a}, 0;setp.gt.s32 %r, {b}, 9;or.pred %q, %q, %r;mov.pred %r, %q;selp.u32 {d}, 7, 3, %r", "wWw",
       [](U a, U b, U) { return U{a != 0 || s32(b) > 9 ? 7u : 3u}; }},
      {"shr.b16", "hhw", [](U a, U b, U) { return b >= 16 ? 0 : a >> b; }},
      {"shr.b32", "www", [](U a, U b, U) { return b >= 32 ? 0 : a >> b; }},
      {"shr.b64", "ddw", [](U a, U b, U) { return b >= 64 ? 0 : a >> b; }},
      {"and.b32 %tx, {c}, 63;bfe.u32 %ty, {c}, 8, 6;bfi.b32 {d}, {a}, {b}, %tx, %ty", "wwww",
       [](U a, U b, U c) {
         for (U k = 0, at = c & 63, n = c >> 8 & 63; k < n && at + k < 32; k++)
           b = (b & ~(U{1} << (at + k))) | (a >> k & 1) << (at + k);
         return b;
       }},
      // ---- two of 16 bits
      {"add.u16x2", "wWW", [](U a, U b, U) { return halves(a, b, false, add); }},
      {"add.s16x2", "wWW", [](U a, U b, U) { return halves(a, b, true, add); }},
      {"min.u16x2", "wWW", [](U a, U b, U) { return halves(a, b, false, least); }},
      {"min.s16x2", "wWW", [](U a, U b, U) { return halves(a, b, true, least); }},
      {"max.u16x2", "wWW", [](U a, U b, U) { return halves(a, b, false, most); }},
      {"max.relu.s16x2", "wWW",
       [](U a, U b, U) { return halves(a, b, true, [](int64_t x, int64_t y) { return relu(most(x, y)); }); }},
      {"min.relu.s16x2", "wWW",
       [](U a, U b, U) { return halves(a, b, true, [](int64_t x, int64_t y) { return relu(least(x, y)); }); }},
      {"min.relu.s32", "www", [](U a, U b, U) { return cut(relu(least(s32(a), s32(b)))); }},
      {"max.relu.s32", "www", [](U a, U b, U) { return cut(relu(most(s32(a), s32(b)))); }},
      // ---- carries
      {"mov.b64 {{%tx, %ty}}, {a};mov.b64 {{%tz, %tv}}, {b};add.cc.u32 %tx, %tx, %tz;addc.u32 %ty, %ty, %tv;mov.b64 "
       "{d}, {{%tx, %ty}}",
       "dDD", [](U a, U b, U) { return a + b; }},
      {"mov.b64 {{%tx, %ty}}, {a};mov.b64 {{%tz, %tv}}, {b};sub.cc.u32 %tx, %tx, %tz;subc.u32 %ty, %ty, %tv;mov.b64 "
       "{d}, {{%tx, %ty}}",
       "dDD", [](U a, U b, U) { return a - b; }},
      {"add.cc.u32 %tx, {a}, {b};addc.cc.u32 %tx, %tx, {c};addc.u32 {d}, {a}, 5", "wwww",
       [](U a, U b, U c) {
         return cut(static_cast<Wide>(a + 5 + ((cut(static_cast<Wide>(a + b)) + c + ((a + b) >> 32)) >> 32)));
       }},
      {"mad.lo.cc.u32 %tx, {a}, {b}, {c};madc.hi.u32 {d}, {a}, {b}, {c}", "wwww",
       [](U a, U b, U c) {
         return cut(static_cast<Wide>((a * b >> 32) + c + ((cut(static_cast<Wide>(a * b)) + c) >> 32)));
       }},
      {"mad.lo.cc.u32 %tx, {a}, {b}, {c};madc.lo.cc.u32 %tx, {b}, {c}, {a};madc.hi.u32 {d}, {b}, {c}, 7", "wwww",
       [](U a, U b, U c) {
         const U carry = (cut(static_cast<Wide>(a * b)) + c) >> 32;
         return cut(static_cast<Wide>((b * c >> 32) + 7 + ((cut(static_cast<Wide>(b * c)) + a + carry) >> 32)));
       }},
      {"sub.cc.u32 %tx, {a}, {b};subc.cc.u32 %tx, {b}, {c};subc.u32 {d}, {a}, {c}", "wwww",
       [](U a, U b, U c) { return cut(static_cast<Wide>(a) - static_cast<Wide>(c) - (b < c + (a < b))); }},
      {"sub.cc.s32 %tx, {a}, {b};subc.s32 {d}, {b}, {c}", "wwww",
       [](U a, U b, U c) { return cut(static_cast<Wide>(b) - static_cast<Wide>(c) - (a < b)); }},
      {"mad.hi.cc.u32 %tx, {a}, {b}, {c};addc.s32 {d}, {a}, 0", "wwww",
       [](U a, U b, U c) { return cut(static_cast<Wide>(a + (((a * b >> 32) + c) >> 32))); }},
      {"mad.lo.cc.s32 %tx, {a}, {b}, {c};madc.hi.s32 {d}, {a}, {b}, {c}", "wwww",
       [](U a, U b, U c) {
         return cut((Wide{s32(a)} * s32(b) >> 32) + static_cast<Wide>(c) +
                    static_cast<Wide>((cut(static_cast<Wide>(a * b)) + c) >> 32));
       }},
      {"add.cc.s64 %td, {a}, {b};addc.s64 {d}, {b}, {c}", "dddd", [](U a, U b, U c) { return b + c + (a + b < a); }},
      {"add.cc.s32 %tx, {a}, {b};addc.cc.s32 %tx, %tx, {c};addc.u32 {d}, {b}, 1", "wwww",
       [](U a, U b, U c) {
         return cut(static_cast<Wide>(b + 1 + ((cut(static_cast<Wide>(a + b)) + c + ((a + b) >> 32)) >> 32)));
       }},
      {"add.cc.u64 %td, {a}, {b};addc.cc.u64 %td, {b}, {c};addc.u64 {d}, {a}, 5", "dddd",
       [](U a, U b, U c) {
         return a + 5 + static_cast<U>((static_cast<unsigned __int128>(b) + c + (a + b < a)) >> 64);
       }},
      {"sub.cc.u64 %td, {a}, {b};subc.u64 {d}, {b}, {c}", "dddd", [](U a, U b, U c) { return b - c - (a < b); }},
      {"mad.lo.cc.s64 %td, {a}, {b}, {c};madc.hi.s64 {d}, {a}, {b}, {c}", "dddd",
       [](U a, U b, U c) {
         return static_cast<U>(Wide{static_cast<int64_t>(a)} * static_cast<int64_t>(b) >> 64) + c + (a * b + c < c);
       }},
      {"add.cc.u64 %td, {a}, {b};addc.u64 {d}, {b}, {c}", "dddd", [](U a, U b, U c) { return b + c + (a + b < a); }},
      {"sub.cc.s64 %td, {a}, {b};subc.s64 {d}, {b}, {c}", "dddd", [](U a, U b, U c) { return b - c - (a < b); }},
      {"mad.lo.cc.u64 %td, {a}, {b}, {c};madc.hi.u64 {d}, {a}, {b}, {c}", "dddd",
       [](U a, U b, U c) { return static_cast<U>(static_cast<unsigned __int128>(a) * b >> 64) + c + (a * b + c < c); }},
      // ---- parts
      {"mov.b32 {{%th, {d}}}, {a}", "hW", [](U a, U, U) { return a >> 16; }},
      {"mov.b32 {d}, {{{a}, {b}}}", "wHH", [](U a, U b, U) { return a | b << 16; }},
      {"mov.b64 {d}, {{{a}, {b}}}", "dWW", [](U a, U b, U) { return a | b << 32; }},
      {"mov.b64 {{{d}, %tx}}, {a}", "wD", [](U a, U, U) { return cut(static_cast<Wide>(a)); }},
      {"mov.v2.b32 {{%tx, %ty}}, {{{a}, {b}}};sub.u32 {d}, %tx, %ty", "wWW",
       [](U a, U b, U) { return cut(static_cast<Wide>(a) - static_cast<Wide>(b)); }},
      {"mov.v2.u64 {{%td, %tg}}, {{{b}, {a}}};sub.u64 {d}, %td, %tg", "dDD", [](U a, U b, U) { return b - a; }},
      {"mov.b16", "hH", [](U a, U, U) { return a; }},
      {"mov.f16", "hH", [](U a, U, U) { return a; }},
      {"mov.bf16", "hH", [](U a, U, U) { return a; }},
      {"mov.f16x2", "wW", [](U a, U, U) { return a; }},
      {"mov.bf16x2", "wW", [](U a, U, U) { return a; }},
      {"mov.f64", "dD", [](U a, U, U) { return a; }},
      {"mov.b64 {d}, {{{a}, {b}, {c}, {a}}}", "dHHH", [](U a, U b, U c) { return a | b << 16 | c << 32 | a << 48; }},
  };
}

Operations video_operations() {
  Operations out = {
      {"vset4.s32.s32.gt", "wwww", Simd{8, false, true, true, false, false, 15, 0x3210, 0x7654, kCompare[4].f}},
      {"vset2.u32.s32.le.add", "wwww", Simd{16, false, false, true, false, true, 3, 0x10, 0x32, kCompare[3].f}},
      {"vmad.u32.u32.u32.shr15 {d}, {a}, {b}.h1, {c}", "wWWw",
       [](U a, U b, U c) { return cut((static_cast<Wide>(a * (b >> 16)) + static_cast<Wide>(c)) >> 15); }},
      {"vmad.u32.u32.u32.po {d}, {a}, {b}.b0, {c}", "wWWw",
       [](U a, U b, U c) { return cut(static_cast<Wide>(a * (b & 255) + c + 1)); }},
      {"vset.s32.u32.lt", "www", [](U a, U b, U) { return U{s32(a) < static_cast<int64_t>(b)}; }},
      {"vset.s32.s32.ge.add {d}, {a}.h1, {b}.b0, {c}", "wWWw",
       [](U a, U b, U c) {
         return cut(Wide{static_cast<int64_t>(c)} + (part(a, 16, 16, true) >= part(b, 0, 8, true)));
       }},
      {"vshr.u32.s32.u32.wrap.add", "wwww", [](U a, U b, U c) { return cut((s32(a) >> (b & 31)) + s32(c)); }},
      {"vshl.u32.u32.u32.clamp", "www", [](U a, U b, U) { return b >= 32 ? 0 : cut(static_cast<Wide>(a << b)); }},
      {"vmad.s32.u32.s32.shr7 {d}, -{a}, {b}.b1, {c}", "wWWw",
       [](U a, U b, U c) { return cut((Wide{s32(c)} - Wide{static_cast<int64_t>(a)} * part(b, 8, 8, true)) >> 7); }},
  };
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto types = [](bool d, bool a, bool b) { return fmt::format("{}.{}.{}", kWord[d], kWord[a], kWord[b]); };
  for (const unsigned lanes : {2u, 4u})
    for (const Named& op : kSimd)
      for (unsigned k = 0; k < 12; k++) {
        Simd s{32 / lanes,
               below(2) != 0,
               below(2) != 0,
               below(2) != 0,
               k % 3 == 1,
               k % 3 == 2,
               (1u << lanes) - 1,
               lanes == 4 ? 0x3210u : 0x10u,
               lanes == 4 ? 0x7654u : 0x32u,
               op.f};
        std::string text = fmt::format("v{}{}.{}{}{}", op.name, lanes, types(s.d, s.a, s.b), s.sat ? ".sat" : "",
                                       s.total ? ".add" : "");
        const bool selects = k >= 6;
        if (selects) {  // {d}.b20, {a}.b7130, {b}.b0004
          const char letter = lanes == 4 ? 'b' : 'h';
          s.mask = 1 + below((1u << lanes) - 1), s.select_a = s.select_b = 0;
          std::string mask, a, b;
          for (unsigned l = lanes; l-- > 0;) {
            const unsigned from_a = below(2 * lanes), from_b = below(2 * lanes);
            if (s.mask >> l & 1) mask += fmt::format("{}", l);
            a += fmt::format("{}", from_a), b += fmt::format("{}", from_b);
            s.select_a |= U{from_a} << 4 * l, s.select_b |= U{from_b} << 4 * l;
          }
          text += fmt::format(" {{d}}.{0}{1}, {{a}}.{0}{2}, {{b}}.{0}{3}, {{c}}", letter, mask, a, b);
        }
        out.push_back({text, selects ? "wWWw" : "wwww", s});
      }
  struct Part {
    const char* name;
    unsigned first, bits;
  };
  constexpr Part kParts[] = {{"", 0, 32},    {".b0", 0, 8},  {".b2", 16, 8},
                             {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};
  constexpr const char* kThen[] = {".add", ".min", ".max"};
  // vset, vshl, vshr: what stands in front of the selectors; of the second operand only an unsigned one is counted
  // with.
  const auto scalar = [&](const std::string& name, Scalar s, unsigned k) {
    const Part a = kParts[below(6)], b = kParts[below(6)], d = kParts[1 + below(5)];
    s.first_a = a.first, s.bits_a = a.bits, s.first_b = b.first, s.bits_b = b.bits, s.first_d = d.first;
    const unsigned then = k % 5;
    s.then = std::min(then, 3u), s.bits_d = then == 4 ? d.bits : 0;
    out.push_back({fmt::format("{}{} {{d}}{}, {{a}}{}, {{b}}{}{}", name, then < 3 ? kThen[then] : "",
                               then == 4 ? d.name : "", a.name, b.name, then == 3 ? "" : ", {c}"),
                   then == 3 ? "wWW" : "wWWw", s});
  };
  constexpr Named kShifts[] = {{"shl.clamp", [](int64_t x, int64_t y) { return y >= 32 ? 0 : x << y; }},
                               {"shl.wrap", [](int64_t x, int64_t y) { return x << (y & 31); }},
                               {"shr.clamp", [](int64_t x, int64_t y) { return x >> std::min<int64_t>(y, 32); }},
                               {"shr.wrap", [](int64_t x, int64_t y) { return x >> (y & 31); }}};
  for (unsigned k = 0; k < 40; k++) {
    const Named& op = kShifts[k % 4];
    const Scalar s{below(2) != 0, below(2) != 0, false, false, 0, 32, 0, 32, 0, 0, 0, op.f};
    scalar(fmt::format("v{}.{}{}", std::string_view(op.name).substr(0, 3), types(s.d, s.a, s.b), op.name + 3), s,
           k / 4);
  }
  for (unsigned k = 0; k < 30; k++) {
    const Named& op = kCompare[k % 6];
    const Scalar s{false, below(2) != 0, below(2) != 0, false, 0, 32, 0, 32, 0, 0, 0, op.f};
    scalar(fmt::format("vset.{}.{}.{}", kWord[s.a], kWord[s.b], op.name), s, k / 6);
  }
  for (const unsigned lanes : {2u, 4u})
    for (unsigned k = 0; k < 12; k++) {
      const Named& op = kCompare[k % 6];
      const Simd s{32 / lanes,
                   false,
                   below(2) != 0,
                   below(2) != 0,
                   false,
                   k >= 6,
                   (1u << lanes) - 1,
                   lanes == 4 ? 0x3210u : 0x10u,
                   lanes == 4 ? 0x7654u : 0x32u,
                   op.f};
      out.push_back(
          {fmt::format("vset{}.{}.{}.{}{}", lanes, kWord[s.a], kWord[s.b], op.name, s.total ? ".add" : ""), "wwww", s});
    }
  for (const Named& op : kScalar)
    for (unsigned k = 0; k < 16; k++) {
      const Part a = kParts[below(6)], b = kParts[below(6)], d = kParts[1 + below(5)];
      const unsigned then = k % 5;  // 3: nothing, 4: a part of c is replaced
      const Scalar s{
          below(2) != 0, below(2) != 0,      below(2) != 0, then != 4 && below(2) != 0, a.first, a.bits, b.first,
          b.bits,        std::min(then, 3u), d.first,       then == 4 ? d.bits : 0,     op.f};
      out.push_back(
          {fmt::format("v{}.{}{}{} {{d}}{}, {{a}}{}, {{b}}{}{}", op.name, types(s.d, s.a, s.b), s.sat ? ".sat" : "",
                       then < 3 ? kThen[then] : "", then == 4 ? d.name : "", a.name, b.name, then == 3 ? "" : ", {c}"),
           then == 3 ? "wWW" : "wWWw", s});
    }
  return out;
}

// ---- all
// -------------------------------------------------------------------------------------------------------------------

namespace {

struct All {
  Operations operations;
  std::vector<unsigned> ends;
  All() {
    for (auto group : {integer_operations, video_operations, f32_operations, f64_operations, half_operations,
                       integer_conversions, number_conversions, comparisons, selections}) {
      for (Operation& o : group()) operations.push_back(std::move(o));
      ends.push_back(static_cast<unsigned>(operations.size()));
    }
  }
};
const All& all() {
  static const All all;
  return all;
}

}  // namespace

std::span<const Operation> operations() { return all().operations; }
std::span<const unsigned> ends() { return all().ends; }

}  // namespace heddle::compiler::test
