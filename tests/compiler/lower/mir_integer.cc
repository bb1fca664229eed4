// SPDX-License-Identifier: Apache-2.0
// Integer, bit and predicate instructions of machine IR.
#include <algorithm>
#include <bit>

#include "tests/compiler/lower/mir_frame.h"

namespace heddle::compiler::lower::test {
namespace {

bool compare(isa::ICmp cmp, bool is_signed, uint64_t a, uint64_t b) {
  auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  bool less = is_signed ? sa < sb : a < b;
  switch (cmp) {
    case isa::ICmp::Lt: return less;
    case isa::ICmp::Le: return less || a == b;
    case isa::ICmp::Gt: return !less && a != b;
    case isa::ICmp::Ge: return !less;
    case isa::ICmp::Eq: return a == b;
    case isa::ICmp::Ne: return a != b;
    case isa::ICmp::Any: return (a & b) != 0;
    case isa::ICmp::None: return (a & b) == 0;
  }
  return false;
}

uint32_t extract(uint32_t a, uint32_t spec, bool is_signed) {
  uint32_t pos = spec & 0xFF, len = spec >> 8 & 0xFF, out = 0;
  uint32_t top = std::min(pos + len - 1, 31u);
  bool fill = is_signed && len != 0 && (a >> top & 1);
  for (uint32_t i = 0; i < 32; ++i) {
    bool bit = i < len && pos + i <= 31 ? (a >> (pos + i) & 1) != 0 : fill;
    out |= static_cast<uint32_t>(bit) << i;
  }
  return out;
}

uint32_t insert(uint32_t a, uint32_t spec, uint32_t c) {
  uint32_t pos = spec & 0xFF, len = spec >> 8 & 0xFF;
  for (uint32_t i = 0; i < len && pos + i <= 31; ++i) {
    c = (c & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
  }
  return c;
}

uint32_t permute(unsigned mode, uint32_t a, uint32_t sel, uint32_t c) {
  uint64_t bytes = a | uint64_t{c} << 32;
  auto byte = [&](unsigned i) { return static_cast<uint32_t>(bytes >> (8 * (i & 7)) & 0xFF); };
  uint32_t out = 0;
  unsigned n = sel & 3;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t v = 0;
    switch (mode) {
      case 0: {
        unsigned s = sel >> (4 * i) & 15;
        v = byte(s);
        if (s & 8) v = v & 0x80 ? 0xFF : 0;
        break;
      }
      case 1: v = byte(n + i); break;
      case 2: v = byte((n + 8 - i) & 7); break;
      case 3: v = byte(n); break;
      case 4: v = byte(std::max(i, n)); break;
      case 5: v = byte(std::min(i, n)); break;
      case 6: v = byte((n & 1) * 2 + (i & 1)); break;
    }
    out |= v << (8 * i);
  }
  return out;
}

uint32_t leading(uint32_t a, unsigned mode, bool is_signed) {
  if (mode == 2) return static_cast<uint32_t>(std::countl_zero(a));
  if (is_signed && a >> 31) a = ~a;
  if (a == 0) return 0xFFFFFFFF;
  uint32_t pos = 31 - static_cast<uint32_t>(std::countl_zero(a));
  return mode == 0 ? pos : 31 - pos;
}

uint32_t dot(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, bool quad, bool hi) {
  int parts = quad ? 4 : 2, width = quad ? 8 : 16;
  for (int i = 0; i < parts; ++i) {
    int64_t x = extract(a, static_cast<uint32_t>(i * width | width << 8), sa);
    uint32_t bi = static_cast<uint32_t>(quad ? i : i + (hi ? 2 : 0));
    int64_t y = extract(b, bi * 8 | 8 << 8, sb);
    c += static_cast<uint32_t>((sa ? sign_extend(static_cast<uint32_t>(x)) : x) *
                               (sb ? sign_extend(static_cast<uint32_t>(y)) : y));
  }
  return c;
}

}  // namespace

bool Frame::execute_integer(const mir::Instruction& i, Value a, Value b, Value c) {
  uint32_t x = a.w[0], y = b.w[0], z = c.w[0];
  uint64_t lx = a.low64(), ly = b.low64(), lz = c.low64();
  bool sign = i.field("sign");
  switch (i.op) {
    case Op::Mov: put(i.dst, b); break;
    case Op::S2r: {
      const auto given = thread_.registers.find(static_cast<isa::SpecialReg>(y));
      put32(i.dst, given != thread_.registers.end() ? given->second : y == 0 ? thread_.tid : y == 4 ? 32 : 0);
      break;
    }
    case Op::Iadd: {
      int64_t p = i.field("neg_a") ? -sign_extend(x) : sign_extend(x);
      int64_t q = i.field("neg_b") ? -sign_extend(y) : sign_extend(y);
      uint64_t carry = i.p.present() && pred(i.p);
      if (i.field("sat")) {
        put32(i.dst, static_cast<uint32_t>(std::clamp<int64_t>(p + q, INT32_MIN, INT32_MAX)));
        break;
      }
      put_pred(i.pd, (uint64_t{x} + y + carry) >> 32 != 0);
      put32(i.dst, static_cast<uint32_t>(p + q) + static_cast<uint32_t>(carry));
      break;
    }
    case Op::Iadd64: {
      uint64_t carry = i.p.present() && pred(i.p);
      put_pred(i.pd, lx + ly < lx || lx + ly + carry < carry);
      put(i.dst, of64(lx + (i.field("neg_b") ? -ly : ly) + carry));
      break;
    }
    case Op::Imad: {
      uint64_t product = sign ? static_cast<uint64_t>(sign_extend(x) * sign_extend(y)) : uint64_t{x} * y;
      put32(i.dst, static_cast<uint32_t>(i.field("hi") ? product >> 32 : product) + z);
      break;
    }
    case Op::ImadWide: {
      uint64_t product = sign ? static_cast<uint64_t>(sign_extend(x) * sign_extend(y)) : uint64_t{x} * y;
      put(i.dst, of64(product + lz));
      break;
    }
    case Op::Isetp: {
      auto cmp = static_cast<isa::ICmp>(i.field("cmp"));
      bool r = sign ? compare(cmp, true, static_cast<uint64_t>(sign_extend(x)), static_cast<uint64_t>(sign_extend(y)))
                    : compare(cmp, false, x, y);
      put_compare(i, r);
      break;
    }
    case Op::Isetp64: put_compare(i, compare(static_cast<isa::ICmp>(i.field("cmp")), sign, lx, ly)); break;
    case Op::Imnmx: {
      bool less = sign ? sign_extend(x) < sign_extend(y) : x < y;
      put32(i.dst, less != static_cast<bool>(i.field("max")) ? x : y);
      break;
    }
    case Op::Imnmx64: {
      bool less = sign ? static_cast<int64_t>(lx) < static_cast<int64_t>(ly) : lx < ly;
      put(i.dst, of64(less != static_cast<bool>(i.field("max")) ? lx : ly));
      break;
    }
    case Op::Iabs: put32(i.dst, y >> 31 ? -y : y); break;
    case Op::Lop: {
      static constexpr auto kLogic = [](unsigned op, uint32_t p, uint32_t q) {
        return op == 0 ? p & q : op == 1 ? p | q : op == 2 ? p ^ q : p & ~q;
      };
      put32(i.dst, kLogic(i.field("op"), x, y));
      break;
    }
    case Op::Lop3: {
      uint32_t out = 0, lut = i.field("lut");
      for (int n = 0; n < 32; ++n) {
        unsigned at = (x >> n & 1) << 2 | (y >> n & 1) << 1 | (z >> n & 1);
        out |= (lut >> at & 1) << n;
      }
      put32(i.dst, out);
      break;
    }
    case Op::Plop: {
      bool r = combine(i.field("op"), pred(i.p), pred(i.p2));
      put_pred(i.pd, r);
      put_pred(i.pq, !r);
      break;
    }
    case Op::Sel: put32(i.dst, pred(i.p) ? x : y); break;
    case Op::Shl: put32(i.dst, y > 31 ? 0 : x << y); break;
    case Op::Shr:
      put32(i.dst, sign ? static_cast<uint32_t>(static_cast<int32_t>(x) >> std::min(y, 31u)) : (y > 31 ? 0 : x >> y));
      break;
    case Op::Shl64: put(i.dst, of64(y > 63 ? 0 : lx << y)); break;
    case Op::Shr64:
      put(i.dst,
          of64(sign ? static_cast<uint64_t>(static_cast<int64_t>(lx) >> std::min(y, 63u)) : (y > 63 ? 0 : lx >> y)));
      break;
    case Op::Shf: {
      uint64_t both = x | uint64_t{z} << 32;
      uint32_t n = i.field("wrap") ? y & 31 : std::min(y, 32u);
      put32(i.dst, static_cast<uint32_t>(i.field("right") ? both >> n : (both << n) >> 32));
      break;
    }
    case Op::Bfe: put32(i.dst, extract(x, y, sign)); break;
    case Op::Bfi: put32(i.dst, insert(x, y, z)); break;
    case Op::Brev: {
      uint32_t out = 0;
      for (int n = 0; n < 32; ++n) out |= (y >> n & 1) << (31 - n);
      put32(i.dst, out);
      break;
    }
    case Op::Popc: put32(i.dst, static_cast<uint32_t>(std::popcount(y))); break;
    case Op::Flo: put32(i.dst, leading(y, i.field("mode"), sign)); break;
    case Op::Prmt: put32(i.dst, permute(i.field("mode"), x, y, z)); break;
    case Op::Sad: {
      bool less = sign ? sign_extend(x) < sign_extend(y) : x < y;
      put32(i.dst, (less ? y - x : x - y) + z);
      break;
    }
    case Op::Dp4a:
    case Op::Dp2a:
      put32(i.dst, dot(x, y, z, i.field("sign_a"), i.field("sign_b"), i.op == Op::Dp4a, i.field("hi")));
      break;
    default: return false;
  }
  return true;
}

}  // namespace heddle::compiler::lower::test
