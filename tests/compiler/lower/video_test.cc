// SPDX-License-Identifier: Apache-2.0
// Video instructions of every shape against the manual's definition, in wide integers.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/compiler/lower/kernel.h"

namespace heddle::compiler::lower::test {
namespace {

using i128 = __int128;

i128 extended(uint64_t v, unsigned bits, bool is_signed) {
  v &= (uint64_t{1} << bits) - 1;
  return is_signed && v >> (bits - 1) ? i128{static_cast<int64_t>(v)} - (i128{1} << bits) : i128{v};
}

i128 clamped(i128 v, unsigned bits, bool is_signed) {
  const i128 low = is_signed ? -(i128{1} << (bits - 1)) : 0, high = (i128{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp(v, low, high);
}

const char* const kCompare[] = {"eq", "ne", "lt", "le", "gt", "ge"};
bool compare(unsigned which, i128 x, i128 y) {
  const bool results[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
  return results[which];
}

i128 result(const std::string& op, unsigned cmp, i128 x, i128 y) {
  if (op == "add") return x + y;
  if (op == "sub") return x - y;
  if (op == "absdiff") return x > y ? x - y : y - x;
  if (op == "min") return std::min(x, y);
  if (op == "max") return std::max(x, y);
  if (op == "avrg") return (x + y + (x + y >= 0)) >> 1;
  return compare(cmp, x, y);
}

std::string type(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

struct Selector {
  std::string text;  // ".b2"
  unsigned first = 0, bits = 32;
};
Selector random_part(Values& values, bool must) {
  const unsigned n = values.below(must ? 6 : 12);
  if (n >= 6) return {};
  if (n >= 4) return {".h" + std::to_string(n - 4), (n - 4) * 16, 16};
  return {".b" + std::to_string(n), n * 8, 8};
}

// What follows the result: nothing, a second operation with c, or merging into c.
struct Finish {
  std::string modifier;
  Selector into;
  bool uses_c = false;

  explicit Finish(Values& values) {
    const unsigned n = values.below(5);
    if (n > 0 && n < 4) modifier = std::vector<std::string>{"", ".add", ".min", ".max"}[n];
    if (n == 4) into = random_part(values, true);
    uses_c = n > 0;
  }
  uint32_t operator()(i128 v, bool sat, bool is_signed, uint32_t c) const {
    if (sat) v = clamped(v, into.bits, is_signed);
    const auto low = static_cast<uint32_t>(v);
    if (into.bits < 32) {
      const uint32_t mask = ((1u << into.bits) - 1) << into.first;
      return (low << into.first & mask) | (c & ~mask);
    }
    if (modifier == ".add") return low + c;
    const i128 x = extended(low, 32, is_signed), y = extended(c, 32, is_signed);
    if (modifier == ".min") return static_cast<uint32_t>(std::min(x, y));
    if (modifier == ".max") return static_cast<uint32_t>(std::max(x, y));
    return low;
  }
};

template <typename F>
void check(Values& values, const std::string& body, F reference) {
  SCOPED_TRACE(body);
  OpKernel kernel(body, "u32 u32 u32", "u32");
  ASSERT_TRUE(kernel.ok());
  for (int n = 0; n < 60; ++n) {
    const auto a = static_cast<uint32_t>(values.integer(32)), b = static_cast<uint32_t>(values.integer(32)),
               c = static_cast<uint32_t>(values.integer(32));
    ASSERT_EQ(kernel({a, b, c})[0], reference(a, b, c)) << std::hex << a << " " << b << " " << c;
  }
}

constexpr int kShapes = 400;

TEST(Video, ScalarArithmeticAndComparison) {
  Values values;
  SCOPED_TRACE(values.trace());
  const std::string ops[] = {"add", "sub", "absdiff", "min", "max", "set"};
  for (int n = 0; n < kShapes && !HasFatalFailure(); ++n) {
    const std::string op = ops[values.below(6)];
    const unsigned cmp = values.below(6);
    const bool set = op == "set", sat = !set && values.below(2), d = !set && values.below(2), s = values.below(2),
               t = values.below(2);
    const Selector x = random_part(values, false), y = random_part(values, false);
    const Finish finish(values);
    check(values,
          "v" + op + (set ? "" : type(d)) + type(s) + type(t) + (set ? std::string(".") + kCompare[cmp] : "") +
              (sat ? ".sat" : "") + finish.modifier + " %o" + finish.into.text + ", %a" + x.text + ", %b" + y.text +
              (finish.uses_c ? ", %c;" : ";"),
          [&](uint32_t a, uint32_t b, uint32_t c) {
            return finish(result(op, cmp, extended(a >> x.first, x.bits, s), extended(b >> y.first, y.bits, t)), sat, d,
                          c);
          });
  }
}

TEST(Video, ScalarShift) {
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < kShapes / 2 && !HasFatalFailure(); ++n) {
    const bool left = values.below(2), wrap = values.below(2), sat = values.below(2), d = values.below(2),
               s = values.below(2);
    const Selector x = random_part(values, false), y = random_part(values, false);
    const Finish finish(values);
    check(values,
          std::string(left ? "vshl" : "vshr") + type(d) + type(s) + ".u32" + (sat ? ".sat" : "") +
              (wrap ? ".wrap" : ".clamp") + finish.modifier + " %o" + finish.into.text + ", %a" + x.text + ", %b" +
              y.text + (finish.uses_c ? ", %c;" : ";"),
          [&](uint32_t a, uint32_t b, uint32_t c) {
            const i128 v = extended(a >> x.first, x.bits, s), count = extended(b >> y.first, y.bits, false);
            const int by = static_cast<int>(wrap ? count & 31 : std::min<i128>(count, 32));
            return finish(left ? v * (i128{1} << by) : v >> by, sat, d, c);
          });
  }
}

TEST(Video, MultiplyAdd) {
  Values values;
  SCOPED_TRACE(values.trace());
  for (int n = 0; n < kShapes / 2 && !HasFatalFailure(); ++n) {
    const bool d = values.below(2), s = values.below(2), t = values.below(2), sat = values.below(2),
               po = values.below(4) == 0;
    const bool minus_a = !po && values.below(3) == 0, minus_b = !po && values.below(3) == 0;
    const bool minus_product = minus_a != minus_b, minus_c = !po && !minus_product && values.below(3) == 0;
    const unsigned scale = values.below(3), shift = scale == 0 ? 0 : scale == 1 ? 7 : 15;
    const Selector x = random_part(values, false), y = random_part(values, false);
    check(values,
          "vmad" + type(d) + type(s) + type(t) + (po ? ".po" : "") + (sat ? ".sat" : "") +
              (shift ? ".shr" + std::to_string(shift) : "") + " %o, " + (minus_a ? "-" : "") + "%a" + x.text + ", " +
              (minus_b ? "-" : "") + "%b" + y.text + ", " + (minus_c ? "-" : "") + "%c;",
          [&](uint32_t a, uint32_t b, uint32_t c) {
            const bool is_signed = s || t || minus_product || minus_c;
            i128 v = extended(a >> x.first, x.bits, s) * extended(b >> y.first, y.bits, t);
            if (minus_product) v = -v;
            v += minus_c ? extended(~c, 32, true) + 1 : extended(c, 32, is_signed);
            v = (v + po) >> shift;
            return static_cast<uint32_t>(sat ? clamped(v, 32, is_signed) : v);
          });
  }
}

TEST(Video, Simd) {
  Values values;
  SCOPED_TRACE(values.trace());
  const std::string ops[] = {"add", "sub", "avrg", "absdiff", "min", "max", "set"};
  for (int n = 0; n < kShapes && !HasFatalFailure(); ++n) {
    const std::string op = ops[values.below(7)];
    const unsigned cmp = values.below(6), lanes = values.below(2) ? 2 : 4, bits = 32 / lanes;
    const bool set = op == "set", sat = !set && values.below(2), add = values.below(2);
    const bool d = !set && values.below(2), s = values.below(2), t = values.below(2);
    const char letter = lanes == 2 ? 'h' : 'b';
    // Of a and b which lane, for each lane; of d which lanes.
    std::string text[3];
    unsigned from[2][4], written = (1u << lanes) - 1;
    for (unsigned k = 0; k < 2; ++k) {
      const bool given = values.below(2);
      if (given) text[1 + k] = std::string(".") + letter;
      for (unsigned lane = lanes; lane-- > 0;) {
        from[k][lane] = given ? values.below(2 * lanes) : k * lanes + lane;
        if (given) text[1 + k] += static_cast<char>('0' + from[k][lane]);
      }
    }
    if (values.below(2)) {
      written = 1 + values.below((1u << lanes) - 1);
      text[0] = std::string(".") + letter;
      for (unsigned lane = lanes; lane-- > 0;)
        if (written >> lane & 1) text[0] += static_cast<char>('0' + lane);
    }
    check(values,
          "v" + op + std::to_string(lanes) + (set ? "" : type(d)) + type(s) + type(t) +
              (set ? std::string(".") + kCompare[cmp] : "") + (sat ? ".sat" : "") + (add ? ".add" : "") + " %o" +
              text[0] + ", %a" + text[1] + ", %b" + text[2] + ", %c;",
          [&](uint32_t a, uint32_t b, uint32_t c) {
            const uint64_t both = a | uint64_t{b} << 32;
            uint32_t out = c;
            for (unsigned lane = 0; lane < lanes; ++lane) {
              if (!(written >> lane & 1)) continue;
              i128 v = result(op, cmp, extended(both >> from[0][lane] * bits, bits, s),
                              extended(both >> from[1][lane] * bits, bits, t));
              if (sat) v = clamped(v, bits, d);
              const uint32_t mask = ((1u << bits) - 1) << lane * bits;
              out = add ? out + static_cast<uint32_t>(v)
                        : (static_cast<uint32_t>(v) << lane * bits & mask) | (out & ~mask);
            }
            return out;
          });
  }
}

TEST(Video, DestinationMayBeASource) {
  Values values;
  SCOPED_TRACE(values.trace());
  check(values, "mov.b32 %o, %a; vadd4.u32.u32.u32.sat %o.b20, %o.b0123, %b.b7654, %o;",
        [](uint32_t a, uint32_t b, uint32_t) {
          uint32_t out = a;
          for (unsigned lane : {0, 2}) {
            const uint32_t v = std::min((a >> (3 - lane) * 8 & 255) + (b >> lane * 8 & 255), 255u);
            out = (out & ~(255u << lane * 8)) | v << lane * 8;
          }
          return out;
        });
}

TEST(Video, PackedHalves) {
  Values values;
  SCOPED_TRACE(values.trace());
  for (const std::string op : {"add.u16x2", "add.s16x2", "min.u16x2", "min.s16x2", "max.u16x2", "max.s16x2",
                               "min.relu.s16x2", "max.relu.s16x2"}) {
    check(values, op + " %o, %a, %b;", [&](uint32_t a, uint32_t b, uint32_t) {
      uint32_t out = 0;
      for (unsigned first : {0, 16}) {
        const bool s = op.find(".s16") != op.npos;
        i128 v = result(op.substr(0, 3), 0, extended(a >> first, 16, s), extended(b >> first, 16, s));
        if (op.find("relu") != op.npos) v = std::max<i128>(v, 0);
        out |= (static_cast<uint32_t>(v) & 0xFFFF) << first;
      }
      return out;
    });
  }
}

}  // namespace
}  // namespace heddle::compiler::lower::test
