// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/rtl/execute/int_reference.h"

#include <algorithm>
#include <bit>

namespace heddle::test {
namespace {

using isa::Opcode;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using s128 = __int128;
using u128 = unsigned __int128;

bool bit(u64 v, unsigned i) { return (v >> i & 1) != 0; }

bool boolean(u32 op, bool x, bool y) { return op == 0 ? (x && y) : op == 1 ? (x || y) : x != y; }

// v as a number of `width` bits.
s128 number(u64 v, unsigned width, bool is_signed) {
  s128 n = width == 64 ? s128{v} : s128{v & ((u64{1} << width) - 1)};
  if (is_signed && bit(v, width - 1)) n -= s128{1} << width;
  return n;
}

LaneResult add(const Request& r, unsigned lane, unsigned width) {
  const u64 all = width == 64 ? ~u64{0} : (u64{1} << width) - 1;
  u64 a = width == 64 ? r.wide_a(lane) : r.a[lane];
  u64 b = width == 64 ? r.wide_b(lane) : r.b[lane];
  if (r.get("neg_a")) a = ~a & all;
  if (r.get("neg_b")) b = ~b & all;
  const unsigned extra = r.get("use_cin") ? bit(r.p, lane) : r.get("neg_a") + r.get("neg_b");
  const u128 sum = u128{a} + b + extra;
  LaneResult out;
  out.d = static_cast<u64>(sum) & all;
  out.p = (sum >> width & 1) != 0;
  if (r.get("sat") && width == 32) {
    const s128 exact = number(a, 32, true) + number(b, 32, true) + extra;
    out.d = static_cast<u32>(static_cast<s64>(std::clamp(exact, s128{INT32_MIN}, s128{INT32_MAX})));
  }
  return out;
}

LaneResult compare(const Request& r, unsigned lane, unsigned width) {
  const bool sign = r.get("sign") != 0;
  const s128 a = number(width == 64 ? r.wide_a(lane) : r.a[lane], width, sign);
  const s128 b = number(width == 64 ? r.wide_b(lane) : r.b[lane], width, sign);
  bool holds = false;
  switch (static_cast<isa::ICmp>(r.get("cmp"))) {
    case isa::ICmp::Lt: holds = a < b; break;
    case isa::ICmp::Le: holds = a <= b; break;
    case isa::ICmp::Gt: holds = a > b; break;
    case isa::ICmp::Ge: holds = a >= b; break;
    case isa::ICmp::Eq: holds = a == b; break;
    case isa::ICmp::Ne: holds = a != b; break;
    case isa::ICmp::Any: holds = (a & b) != 0; break;
    case isa::ICmp::None: holds = (a & b) == 0; break;
  }
  const bool pc = bit(r.p, lane);
  return {0, boolean(r.get("op"), holds, pc), boolean(r.get("op"), !holds, pc)};
}

u64 min_max(const Request& r, unsigned lane, unsigned width) {
  const u64 a = width == 64 ? r.wide_a(lane) : r.a[lane];
  const u64 b = width == 64 ? r.wide_b(lane) : r.b[lane];
  const bool sign = r.get("sign") != 0;
  const bool a_less = number(a, width, sign) < number(b, width, sign);
  return a_less != (r.get("max") != 0) ? a : b;
}

// Bit by bit, as the PTX manual's pseudocode of bfe and bfi has it.
u32 bfe(const Request& r, unsigned lane) {
  const u32 a = r.a[lane], position = r.b[lane] & 255, length = r.b[lane] >> 8 & 255;
  const bool sign = r.get("sign") != 0;
  const bool fill = sign && length != 0 && bit(a, std::min(position + length - 1, 31u));
  u32 d = 0;
  for (u32 i = 0; i < 32; ++i) {
    const bool value = i < length && position + i <= 31 ? bit(a, position + i) : fill;
    d |= static_cast<u32>(value) << i;
  }
  return d;
}

u32 bfi(const Request& r, unsigned lane) {
  const u32 position = r.b[lane] & 255, length = r.b[lane] >> 8 & 255;
  u32 d = r.c[lane];
  for (u32 i = 0; i < length && position + i <= 31; ++i) {
    d = (d & ~(1u << (position + i))) | static_cast<u32>(bit(r.a[lane], i)) << (position + i);
  }
  return d;
}

u32 shift_right(u64 v, unsigned width, u32 amount, bool sign, bool high) {
  const s128 n = number(v, width, sign) >> std::min(amount, 100u);
  return static_cast<u32>(static_cast<u64>(n) >> (high ? 32 : 0));
}

u32 find_lead(const Request& r, unsigned lane) {
  u32 b = r.b[lane];
  if (r.get("sign") && bit(b, 31)) b = ~b;
  int position = 31;
  while (position >= 0 && !bit(b, static_cast<unsigned>(position))) --position;
  switch (static_cast<isa::LeadMode>(r.get("mode"))) {
    case isa::LeadMode::Bit: return static_cast<u32>(position);
    case isa::LeadMode::Shift: return position < 0 ? ~0u : static_cast<u32>(31 - position);
    case isa::LeadMode::Clz: return static_cast<u32>(31 - position);
  }
  return 0;
}

u32 permute(const Request& r, unsigned lane) {
  const u64 bytes = u64{r.c[lane]} << 32 | r.a[lane];
  const int b = static_cast<int>(r.b[lane] & 3);
  u32 d = 0;
  for (int k = 0; k < 4; ++k) {
    int from = 0;
    bool sign = false;
    switch (static_cast<isa::PrmtMode>(r.get("mode"))) {
      case isa::PrmtMode::Idx:
        from = static_cast<int>(r.b[lane] >> 4 * k & 7);
        sign = bit(r.b[lane], static_cast<unsigned>(4 * k + 3));
        break;
      case isa::PrmtMode::F4e: from = b + k; break;
      case isa::PrmtMode::B4e: from = (b - k + 8) % 8; break;
      case isa::PrmtMode::Rc8: from = b; break;
      case isa::PrmtMode::Ecl: from = std::max(b, k); break;
      case isa::PrmtMode::Ecr: from = std::min(b, k); break;
      case isa::PrmtMode::Rc16: from = 2 * (b & 1) + (k & 1); break;
    }
    u32 byte = static_cast<u32>(bytes >> 8 * from & 255);
    if (sign) byte = bit(byte, 7) ? 255 : 0;
    d |= byte << 8 * k;
  }
  return d;
}

u32 dot(const Request& r, unsigned lane, bool four) {
  const bool sign_a = r.get("sign_a") != 0, sign_b = r.get("sign_b") != 0;
  s128 sum = r.c[lane];
  for (unsigned k = 0; k < (four ? 4u : 2u); ++k) {
    const unsigned byte = four ? k : k + 2 * r.get("hi");
    const s128 a =
        four ? number(r.a[lane] >> 8 * k & 255, 8, sign_a) : number(r.a[lane] >> 16 * k & 0xffff, 16, sign_a);
    sum += a * number(r.b[lane] >> 8 * byte & 255, 8, sign_b);
  }
  return static_cast<u32>(static_cast<u64>(sum));
}

LaneResult run(const Request& r, unsigned lane) {
  const u32 a = r.a[lane], b = r.b[lane], c = r.c[lane];
  switch (static_cast<Opcode>(r.op)) {
    case Opcode::Mov:
    case Opcode::S2r: return {b};
    case Opcode::S2r64: return {r.wide_b(lane)};
    case Opcode::Iadd: return add(r, lane, 32);
    case Opcode::Iadd64: return add(r, lane, 64);
    case Opcode::Imad: {
      const bool sign = r.get("sign") != 0;
      const s128 product = number(a, 32, sign) * number(b, 32, sign);
      return {static_cast<u32>(static_cast<u64>(r.get("hi") ? product >> 32 : product) + c)};
    }
    case Opcode::ImadWide: {
      const bool sign = r.get("sign") != 0;
      return {static_cast<u64>(number(a, 32, sign) * number(b, 32, sign)) + r.wide_c(lane)};
    }
    case Opcode::Isetp: return compare(r, lane, 32);
    case Opcode::Isetp64: return compare(r, lane, 64);
    case Opcode::Imnmx: return {min_max(r, lane, 32)};
    case Opcode::Imnmx64: return {min_max(r, lane, 64)};
    case Opcode::Iabs: return {static_cast<u32>(number(b, 32, true) < 0 ? 0 - b : b)};
    case Opcode::Lop:
      switch (static_cast<isa::LogicOp>(r.get("op"))) {
        case isa::LogicOp::And: return {a & b};
        case isa::LogicOp::Or: return {a | b};
        case isa::LogicOp::Xor: return {a ^ b};
        case isa::LogicOp::Andn: return {a & ~b};
      }
      return {};
    case Opcode::Lop3: {
      u32 d = 0;
      for (unsigned i = 0; i < 32; ++i) {
        d |= static_cast<u32>(bit(r.get("lut"), 4u * bit(a, i) + 2u * bit(b, i) + bit(c, i))) << i;
      }
      return {d};
    }
    case Opcode::Plop: {
      const bool p = boolean(r.get("op"), bit(r.p, lane), bit(r.p2, lane));
      return {0, p, !p};
    }
    case Opcode::Sel: return {bit(r.p, lane) ? a : b};
    case Opcode::Shl: return {b > 31 ? 0 : a << b};
    case Opcode::Shr: return {shift_right(a, 32, b, r.get("sign") != 0, false)};
    case Opcode::Shl64: return {b > 63 ? 0 : r.wide_a(lane) << b};
    case Opcode::Shr64: {
      const bool sign = r.get("sign") != 0;
      return {u64{shift_right(r.wide_a(lane), 64, b, sign, true)} << 32 |
              shift_right(r.wide_a(lane), 64, b, sign, false)};
    }
    case Opcode::Shf: {
      const u32 n = r.get("wrap") ? b % 32 : std::min(b, 32u);
      const u128 v = u64{c} << 32 | a;
      return {static_cast<u32>(static_cast<u64>(r.get("right") ? v >> n : v << n >> 32))};
    }
    case Opcode::Bfe: return {bfe(r, lane)};
    case Opcode::Bfi: return {bfi(r, lane)};
    case Opcode::Brev: {
      u32 d = 0;
      for (unsigned i = 0; i < 32; ++i) d |= static_cast<u32>(bit(b, i)) << (31 - i);
      return {d};
    }
    case Opcode::Popc: return {static_cast<u64>(std::popcount(b))};
    case Opcode::Flo: return {find_lead(r, lane)};
    case Opcode::Prmt: return {permute(r, lane)};
    case Opcode::Sad: {
      const s128 d = number(a, 32, r.get("sign") != 0) - number(b, 32, r.get("sign") != 0);
      return {static_cast<u32>(static_cast<u64>(d < 0 ? -d : d) + c)};
    }
    case Opcode::Iadd3: return {static_cast<u32>((r.get("neg_a") ? 0 - a : a) + (r.get("neg_b") ? 0 - b : b) + c)};
    case Opcode::Dp4a: return {dot(r, lane, true)};
    case Opcode::Dp2a: return {dot(r, lane, false)};
    default: ADD_FAILURE() << "no reference for " << isa::info(r.op)->mnemonic; return {};
  }
}

}  // namespace

Reference int_reference(const Request& request) {
  const isa::OpInfo& info = *isa::info(request.op);
  Reference reference;
  reference.we = info.dst != isa::Operand::P2;
  reference.wide = info.dst == isa::Operand::R64;
  reference.p_we = !reference.we;
  if (info.op == Opcode::Iadd || info.op == Opcode::Iadd64) {
    reference.p_we = request.get("cout_plus1") != 0;
    reference.q_defined = false;
  }
  reference.lane = run;
  return reference;
}

}  // namespace heddle::test
