// SPDX-License-Identifier: Apache-2.0
// cvt, between all types, with all roundings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/compiler/random/numbers.h"
#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

using U = uint64_t;
__extension__ typedef __int128 Wide;

struct Integer {
  const char* name;
  unsigned bits;
  bool is_signed;
  char file;
};
constexpr Integer kIntegers[] = {{"u8", 8, false, 'h'},   {"s8", 8, true, 'h'},    {"u16", 16, false, 'h'},
                                 {"s16", 16, true, 'h'},  {"u32", 32, false, 'w'}, {"s32", 32, true, 'w'},
                                 {"u64", 64, false, 'd'}, {"s64", 64, true, 'd'}};
struct Number {
  const char* name;
  Format format;
  char file;
};
constexpr Number kF16{"f16", Format::F16, 'h'}, kBf16{"bf16", Format::Bf16, 'h'}, kF32{"f32", Format::F32, 'f'},
    kF64{"f64", Format::F64, 'e'};
constexpr const char* kRounding[] = {"rn", "rz", "rm", "rp"};

std::string files(char to, char from) { return {to, static_cast<char>(from & ~32)}; }
unsigned bits_in(char file) { return file == 'h' ? 16 : file == 'd' ? 64 : 32; }
U low(U v, unsigned bits) { return bits == 64 ? v : v & ((U{1} << bits) - 1); }

Wide value(U v, const Integer& t) {
  v = low(v, t.bits);
  return t.is_signed && v >> (t.bits - 1) & 1 ? static_cast<Wide>(v) - (Wide{1} << t.bits) : static_cast<Wide>(v);
}
// The low bits, extended by the type's sign to what the register holds.
U in_register(U v, const Integer& t, char file) { return low(static_cast<U>(value(v, t)), bits_in(file)); }

U between(U a, const Integer& to, const Integer& from, bool sat, char file) {
  Wide v = value(a, from);
  const Wide least = to.is_signed ? -(Wide{1} << (to.bits - 1)) : 0,
             most = (Wide{1} << (to.is_signed ? to.bits - 1 : to.bits)) - 1;
  if (sat) v = std::clamp(v, least, most);
  return in_register(static_cast<U>(v), to, file);
}

// f32 cut to tf32, whose bits lie at the upper end. With .rna, as silicon has it, NaN is cut, too, and .satfinite takes
// one from all that has infinity's exponent.
void to_tf32(Operations& out) {
  const auto in_place = [](U a, const Mode& m) { return encode(Format::Tf32, decode(Format::F32, a), m) << 13; };
  for (unsigned r = 0; r < 2; r++)
    for (const bool relu : {false, true})
      out.push_back({fmt::format("cvt.{}{}.tf32.f32", kRounding[r], relu ? ".relu" : ""), "wF",
                     [=](U a, U, U) { return in_place(a, {.rounding = r, .relu = relu}); }});
  for (const bool finite : {false, true})
    out.push_back({fmt::format("cvt.rna{}.tf32.f32", finite ? ".satfinite" : ""), "wW", [=](U a, U, U) {
                     if (std::isnan(decode(Format::F32, a))) return ((a >> 13) - finite) << 13;
                     return in_place(a, {.rounding = 4, .finite = finite});
                   }});
}

}  // namespace

Operations integer_conversions() {
  Operations out;
  for (const Integer& to : kIntegers)
    for (const Integer& from : kIntegers)
      for (const bool sat : {false, true}) {
        out.push_back({fmt::format("cvt{}.{}.{}", sat ? ".sat" : "", to.name, from.name), files(to.file, from.file),
                       [=](U a, U, U) { return between(a, to, from, sat, to.file); }});
        if (to.bits < 64 && from.bits < 64)  // registers wider than the types
          out.push_back({fmt::format("cvt{}.{}.{}", sat ? ".sat" : "", to.name, from.name),
                         files(from.bits & 16 ? 'd' : 'w', to.bits & 16 ? 'd' : 'w'),
                         [=](U a, U, U) { return between(a, to, from, sat, from.bits & 16 ? 'd' : 'w'); }});
      }
  const Integer& s32 = kIntegers[5];
  for (const Integer& to : std::span(kIntegers).first(4)) {
    const auto part = [=](U v) { return low(between(v, to, s32, true, 'w'), to.bits); };
    if (to.bits == 16)
      out.push_back(
          {fmt::format("cvt.pack.sat.{}.s32", to.name), "wWW", [=](U a, U b, U) { return part(a) << 16 | part(b); }});
    else
      out.push_back({fmt::format("cvt.pack.sat.{}.s32.b32", to.name), "wWWW",
                     [=](U a, U b, U c) { return low(c << 16, 32) | part(a) << 8 | part(b); }});
  }
  // Of four and two bits: in front of them what stood there.
  for (const unsigned bits : {4u, 2u})
    for (const bool sign : {false, true})
      out.push_back({fmt::format("cvt.pack.sat.{}{}.s32.b32", sign ? 's' : 'u', bits), "wWWW", [=](U a, U b, U c) {
                       const Integer to{"", bits, sign, 'w'};
                       const auto part = [&](U v) { return low(between(v, to, kIntegers[5], true, 'w'), bits); };
                       return low(c << 2 * bits, 32) | part(a) << bits | part(b);
                     }});
  return out;
}

Operations number_conversions() {
  Operations out;
  const auto add = [&](const std::string& modifiers, const char* to, const char* from, const std::string& where,
                       std::function<U(U, U, U)> f) {
    out.push_back({"cvt" + modifiers + "." + to + "." + from, where, std::move(f)});
  };
  for (unsigned r = 0; r < 4; r++) {
    const std::string round = fmt::format(".{}", kRounding[r]), whole_round = round + "i";
    for (const Integer& i : kIntegers)
      for (const Number& n : {kF16, kBf16, kF32, kF64}) {
        const Format f = n.format;
        add(round, n.name, i.name, files(n.file, i.file),
            [=](U a, U, U) { return encode(f, static_cast<long double>(value(a, i)), {.rounding = r}); });
        const U nan = f == Format::F64 ? U{1} << (i.bits - 1) : i.bits == 64 ? U{1} << 63 : 0;  // as silicon has it
        for (const bool ftz : {false, true})
          if (!ftz || f == Format::F32)
            add(whole_round + (ftz ? ".ftz" : ""), i.name, n.name, files(i.file, n.file), [=](U a, U, U) {
              return in_register(to_integer(decode(f, a, ftz), i.bits, i.is_signed, r, nan), i, i.file);
            });
      }
    // To a narrower format.
    const auto narrow = [&](const Number& to, const Number& from, const std::string& modifiers, Mode m) {
      m.rounding = r;
      add(round + modifiers, to.name, from.name, files(to.file, from.file), [=](U a, U, U) {
        const double x = decode(from.format, a, m.ftz && from.format == Format::F32);
        // As silicon has it, sign and payload of an f64's NaN are kept.
        if (from.format == Format::F64 && std::isnan(x) && !m.sat)
          return to.format == Format::F16 ? (a >> 48 & 0x8000) | 0x7e00 | (a >> 42 & 0x3ff)
                                          : (a >> 32 & 0x80000000) | 0x7fc00000 | (a >> 29 & 0x3fffff);
        return encode(to.format, x, m);
      });
    };
    narrow(kF16, kF32, "", {});
    narrow(kF16, kF32, ".sat", {.sat = true});
    narrow(kF16, kF64, "", {});
    narrow(kBf16, kF32, "", {});
    narrow(kF16, kBf16, "", {});
    narrow(kBf16, kF16, "", {});
    narrow(kF32, kF64, "", {});
    narrow(kF32, kF64, ".sat", {.sat = true});
    narrow(kF32, kF64, ".ftz", {.ftz = true});
    if (r < 2) {
      narrow(kF16, kF32, ".relu", {.relu = true});
      narrow(kBf16, kF32, ".relu", {.relu = true});
      narrow(kF16, kF32, ".satfinite", {.finite = true});
      narrow(kBf16, kF32, ".satfinite", {.finite = true});
      for (const bool bf16 : {false, true})
        for (const bool relu : {false, true})
          add(round + (relu ? ".relu" : ""), bf16 ? "bf16x2" : "f16x2", "f32", "wFF", [=](U a, U b, U) {
            const Format f = bf16 ? Format::Bf16 : Format::F16;
            const Mode m{.rounding = r, .relu = relu};
            return encode(f, decode(Format::F32, a), m) << 16 | encode(f, decode(Format::F32, b), m);
          });
    }
    // To whole numbers of the same format.
    for (const Number& n : {kF16, kF32, kF64})
      for (unsigned k = 0; k < (n.format == Format::F32 ? 4u : 1u); k++) {
        const Mode m{.ftz = (k & 1) != 0, .sat = (k & 2) != 0};
        add(fmt::format("{}{}{}", whole_round, m.ftz ? ".ftz" : "", m.sat ? ".sat" : ""), n.name, n.name,
            files(n.file, n.file),
            [=](U a, U, U) { return encode(n.format, whole(decode(n.format, a, m.ftz), r), m); });
      }
  }
  const auto widen = [&](const Number& to, const Number& from, const std::string& modifiers, const Mode& m) {
    add(modifiers, to.name, from.name, files(to.file, from.file),
        [=](U a, U, U) { return encode(to.format, decode(from.format, a, m.ftz), m); });
  };
  widen(kF32, kF16, "", {});
  widen(kF32, kF16, ".sat", {.sat = true});
  widen(kF64, kF16, "", {});
  widen(kF16, kBf16, "", {});  // neither holds the other's numbers: the nearest
  widen(kBf16, kF16, "", {});
  add("", "f32", "bf16", files(kF32.file, kBf16.file), [](U a, U, U) { return low(a << 16, 32); });  // NaN included
  widen(kF64, kF32, "", {});
  widen(kF64, kF32, ".ftz", {.ftz = true});
  widen(kF64, kF32, ".sat", {.sat = true});
  widen(kF32, kF32, ".sat", {.sat = true});
  widen(kF32, kF32, ".ftz", {.ftz = true});
  for (const bool relu : {false, true})
    for (const Format f : {Format::E4m3, Format::E5m2}) {
      const char* const name = f == Format::E4m3 ? "e4m3x2" : "e5m2x2";
      const std::string modifier = relu ? ".relu" : "";
      const Mode m{.relu = relu, .finite = true};
      add(".rn.satfinite" + modifier, name, "f32", "hFF", [=](U a, U b, U) {
        return encode(f, decode(Format::F32, a), m) << 8 | encode(f, decode(Format::F32, b), m);
      });
      add(".rn.satfinite" + modifier, name, "f16x2", "hW", [=](U a, U, U) {
        return encode(f, decode(Format::F16, a >> 16), m) << 8 | encode(f, decode(Format::F16, a & 0xffff), m);
      });
      add(".rn" + modifier, "f16x2", name, "wH", [=](U a, U, U) {
        const Mode n{.relu = relu};
        return encode(Format::F16, decode(f, a >> 8), n) << 16 | encode(Format::F16, decode(f, a & 0xff), n);
      });
    }
  to_tf32(out);
  return out;
}

}  // namespace heddle::compiler::test
