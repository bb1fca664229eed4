// SPDX-License-Identifier: Apache-2.0
// setp, set, slct of all types.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "tests/compiler/random/numbers.h"
#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

using U = uint64_t;

struct Compared {
  const char* type;
  char file;
  unsigned bits;  // of an integer
  bool is_signed;
  Format format;
  bool number;
};
constexpr Compared kIntegers[] = {
    {"b16", 'h', 16, false, {}, false}, {"u16", 'h', 16, false, {}, false}, {"s16", 'h', 16, true, {}, false},
    {"b32", 'w', 32, false, {}, false}, {"u32", 'w', 32, false, {}, false}, {"s32", 'w', 32, true, {}, false},
    {"b64", 'd', 64, false, {}, false}, {"u64", 'd', 64, false, {}, false}, {"s64", 'd', 64, true, {}, false}};
constexpr Compared kNumbers[] = {{"f32", 'f', 0, false, Format::F32, true},
                                 {"f64", 'e', 0, false, Format::F64, true},
                                 {"f16", 'h', 0, false, Format::F16, true},
                                 {"bf16", 'h', 0, false, Format::Bf16, true}};
constexpr const char* kNames[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                  "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
constexpr const char* kUnsigned[] = {"eq", "ne", "lo", "ls", "hi", "hs"};

bool holds(const Compared& t, unsigned how, bool ftz, U a, U b) {
  if (t.number) return compare(how, decode(t.format, a, ftz), decode(t.format, b, ftz));
  const unsigned shift = 64 - t.bits;
  const auto x = static_cast<int64_t>(a << shift), y = static_cast<int64_t>(b << shift);
  const bool less = t.is_signed ? x < y : static_cast<U>(x) < static_cast<U>(y);
  switch (how) {
    case 0: return x == y;
    case 1: return x != y;
    case 2: return less;
    case 3: return less || x == y;
    case 4: return !less && x != y;
    default: return !less;
  }
}

std::string two(char d, char source, bool constants) {
  const char upper = static_cast<char>(source - 32);
  return {d, upper, constants ? source : upper};
}

}  // namespace

Operations comparisons() {
  Operations out;
  const auto setp = [&](const Compared& t, unsigned how, const char* name, bool ftz) {
    const bool constants = !t.number || t.file == 'f' || t.file == 'e';
    out.push_back(
        {fmt::format("setp.{}{}.{} %q, {{a}}, {{b}};selp.u32 {{d}}, 1, 0, %q", name, ftz ? ".ftz" : "", t.type),
         two('w', t.file, constants), [=](U a, U b, U) { return U{holds(t, how, ftz, a, b)}; }});
    // Both results, with another one joined.
    out.push_back({fmt::format("setp.{0}{1}.{2} %q, {{b}}, {{a}};setp.{0}.or{1}.{2} %q|%r, {{a}}, {{b}}, !%q;selp.u32 "
                               "%tx, 1, 0, %q;selp.u32 {{d}}, 2, 4, %r;add.u32 {{d}}, {{d}}, %tx",
                               name, ftz ? ".ftz" : "", t.type),
                   two('w', t.file, constants), [=](U a, U b, U) {
                     const bool first = !holds(t, how, ftz, b, a), yes = holds(t, how, ftz, a, b);
                     return U{yes || first} + (!yes || first ? 2 : 4);
                   }});
    constexpr struct {
      const char* type;
      char file;
      U yes;
    } kResults[] = {{"u32", 'w', 0xffffffff}, {"s32", 'w', 0xffffffff}, {"f32", 'f', 0x3f800000}, {"u16", 'h', 0xffff},
                    {"s16", 'h', 0xffff},     {"f16", 'h', 0x3c00},     {"bf16", 'h', 0x3f80}};
    const auto& r = kResults[out.size() % std::size(kResults)];
    out.push_back({fmt::format("set.{}{}.{}.{}", name, ftz ? ".ftz" : "", r.type, t.type),
                   two(r.file, t.file, constants), [=](U a, U b, U) { return holds(t, how, ftz, a, b) ? r.yes : 0; }});
    constexpr const char* kJoin[] = {"and", "or", "xor"};
    out.push_back({fmt::format("setp.gt.s32 %q, {{c}}, 100;set.{}.{}{}.{}.{} {{d}}, {{a}}, {{b}}, %q", name,
                               kJoin[how % 3], ftz ? ".ftz" : "", r.type, t.type),
                   two(r.file, t.file, constants) + "W", [=](U a, U b, U c) {
                     const bool x = holds(t, how, ftz, a, b), with = static_cast<int32_t>(c) > 100;
                     return (how % 3 == 0 ? x && with : how % 3 == 1 ? x || with : x != with) ? r.yes : 0;
                   }});
  };
  for (const Compared& t : kIntegers)
    for (unsigned how = 0; how < 6; how++) {
      const bool plain = t.type[0] == 'b';
      if (plain && how > 1) continue;
      setp(t, how, kNames[how], false);
      if (t.type[0] == 'u' && how > 1) setp(t, how, kUnsigned[how], false);
    }
  for (const Compared& t : kNumbers)
    for (unsigned how = 0; how < 14; how++) {
      setp(t, how, kNames[how], false);
      if (t.format == Format::F32 || t.format == Format::F16) setp(t, how, kNames[how], true);
    }
  // Of two numbers in a register.
  for (const bool bf16 : {false, true})
    for (unsigned how = 0; how < 14; how++)
      out.push_back({fmt::format("setp.{}.{} %q|%r, {{a}}, {{b}};selp.u32 %tx, 1, 0, %q;selp.u32 {{d}}, 2, 0, "
                                 "%r;or.b32 {{d}}, {{d}}, %tx",
                                 kNames[how], bf16 ? "bf16x2" : "f16x2"),
                     "wWW", [=](U a, U b, U) {
                       const Format f = bf16 ? Format::Bf16 : Format::F16;
                       return U{compare(how, decode(f, a & 0xffff), decode(f, b & 0xffff))} |
                              U{compare(how, decode(f, a >> 16), decode(f, b >> 16))} << 1;
                     }});
  for (const bool bf16 : {false, true})
    for (unsigned how = 0; how < 14; how++) {
      const char* const type = bf16 ? "bf16x2" : "f16x2";
      const Format f = bf16 ? Format::Bf16 : Format::F16;
      const U yes = bf16 ? 0x3f80 : 0x3c00;
      const auto low = [=](U a, U b) { return compare(how, decode(f, a & 0xffff), decode(f, b & 0xffff)); };
      out.push_back({fmt::format("set.{}.{}.{}", kNames[how], type, type), "wWW",
                     [=](U a, U b, U) { return (low(a, b) ? yes : 0) | (low(a >> 16, b >> 16) ? yes << 16 : 0); }});
      out.push_back(
          {fmt::format("setp.gt.s32 %q, {{c}}, 100;setp.{}.and.{} %q|%r, {{a}}, {{b}}, %q;selp.u32 %tx, 1, 0, %q;"
                       "selp.u32 {{d}}, 2, 0, %r;or.b32 {{d}}, {{d}}, %tx",
                       kNames[how], type),
           "wWWW", [=](U a, U b, U c) {
             return static_cast<int32_t>(c) > 100 ? U{low(a, b)} | U{low(a >> 16, b >> 16)} << 1 : 0;
           }});
    }
  return out;
}

Operations selections() {
  Operations out;
  struct Data {
    const char* type;
    char file;
  };
  for (const Data t : {Data{"b16", 'h'},
                       {"u16", 'h'},
                       {"s16", 'h'},
                       {"b32", 'w'},
                       {"u32", 'w'},
                       {"s32", 'w'},
                       {"b64", 'd'},
                       {"u64", 'd'},
                       {"s64", 'd'},
                       {"f32", 'f'},
                       {"f64", 'e'}}) {
    const std::string files(3, t.file);
    out.push_back({fmt::format("slct.{}.s32", t.type), files + "W",
                   [](U a, U b, U c) { return static_cast<int32_t>(c) >= 0 ? a : b; }});
    out.push_back({fmt::format("slct.{}.f32", t.type), files + "F",
                   [](U a, U b, U c) { return decode(Format::F32, c) >= 0 ? a : b; }});
    out.push_back({fmt::format("slct.ftz.{}.f32", t.type), files + "F",
                   [](U a, U b, U c) { return decode(Format::F32, c, true) >= 0 ? a : b; }});
    out.push_back({fmt::format("setp.eq.s32 %q, {{c}}, 0;selp.{} {{d}}, {{a}}, {{b}}, %q", t.type), files + "W",
                   [](U a, U b, U c) { return c == 0 ? a : b; }});
  }
  return out;
}

}  // namespace heddle::compiler::test
