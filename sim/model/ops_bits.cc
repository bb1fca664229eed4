// SPDX-License-Identifier: Apache-2.0
// Shifts, bit fields, bytes, dot products.
#include "sim/model/lanes.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

void shl(const Decoded& d, Lanes& l) {
  binary(d, l, [](uint32_t a, uint32_t b) { return b > 31 ? 0 : a << (b & 31); });
}

void shr(const Decoded& d, Lanes& l) {
  if (d.get(field::Sign_sign)) {
    binary(d, l,
           [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(static_cast<int32_t>(a) >> (b > 31 ? 31 : b)); });
  } else {
    binary(d, l, [](uint32_t a, uint32_t b) { return b > 31 ? 0 : a >> (b & 31); });
  }
}

void shl64(const Decoded& d, Lanes& l) {
  const uint32_t* b = l.b->lane;
  Wide a;
  load_wide(l, d.ra, a);
  for (int i = 0; i < kLanes; i++) a.lane[i] = b[i] > 63 ? 0 : a.lane[i] << (b[i] & 63);
  write_wide(l, d.rd, a);
}

void shr64(const Decoded& d, Lanes& l) {
  const uint32_t* b = l.b->lane;
  Wide a;
  load_wide(l, d.ra, a);
  if (d.get(field::Sign_sign)) {
    for (int i = 0; i < kLanes; i++) {
      a.lane[i] = static_cast<uint64_t>(static_cast<int64_t>(a.lane[i]) >> (b[i] > 63 ? 63 : b[i]));
    }
  } else {
    for (int i = 0; i < kLanes; i++) a.lane[i] = b[i] > 63 ? 0 : a.lane[i] >> (b[i] & 63);
  }
  write_wide(l, d.rd, a);
}

void shf(const Decoded& d, Lanes& l) {
  const bool wrap = d.get(field::Funnel_wrap);
  const auto count = [wrap](uint32_t b) { return wrap ? b & 31 : (b > 32 ? 32 : b); };
  if (d.get(field::Funnel_right)) {
    ternary(d, l,
            [count](uint32_t a, uint32_t b, uint32_t c) { return static_cast<uint32_t>(pair(a, c) >> count(b)); });
  } else {
    ternary(d, l, [count](uint32_t a, uint32_t b, uint32_t c) {
      return static_cast<uint32_t>(pair(a, c) << count(b) >> 32);
    });
  }
}

uint32_t field_mask(uint32_t length) { return length > 31 ? ~0u : (1u << length) - 1; }

void bfe(const Decoded& d, Lanes& l) {
  const bool sign = d.get(field::Sign_sign);
  binary(d, l, [sign](uint32_t a, uint32_t b) {
    const uint32_t position = b & 255, length = b >> 8 & 255;
    const uint32_t top = position + length - 1 > 31 ? 31 : position + length - 1;
    const bool fill = sign && length != 0 && (a >> top & 1);
    const uint32_t value = position > 31 ? 0 : a >> position;
    // Bits of the result that come from a; the others are the sign.
    const uint32_t available = position > 31 ? 0 : field_mask(32 - position);
    const uint32_t mask = field_mask(length) & available;
    return (value & mask) | (fill ? ~mask : 0);
  });
}

void bfi(const Decoded& d, Lanes& l) {
  ternary(d, l, [](uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t position = b & 255, length = b >> 8 & 255;
    const uint32_t mask = position > 31 ? 0 : field_mask(length) << position;
    return (c & ~mask) | (position > 31 ? 0 : a << (position & 31) & mask);
  });
}

void brev(const Decoded& d, Lanes& l) {
  unary(d, l, [](uint32_t b) {
    b = (b >> 1 & 0x55555555u) | (b & 0x55555555u) << 1;
    b = (b >> 2 & 0x33333333u) | (b & 0x33333333u) << 2;
    b = (b >> 4 & 0x0f0f0f0fu) | (b & 0x0f0f0f0fu) << 4;
    b = (b >> 8 & 0x00ff00ffu) | (b & 0x00ff00ffu) << 8;
    return b >> 16 | b << 16;
  });
}

void popc(const Decoded& d, Lanes& l) {
  unary(d, l, [](uint32_t b) { return static_cast<uint32_t>(std::popcount(b)); });
}

void flo(const Decoded& d, Lanes& l) {
  const bool sign = d.get(field::FindLead_sign);
  const auto mode = static_cast<isa::LeadMode>(d.get(field::FindLead_mode));
  unary(d, l, [sign, mode](uint32_t b) {
    if (sign && b >> 31) b = ~b;
    const auto zeros = static_cast<uint32_t>(std::countl_zero(b));
    if (mode == isa::LeadMode::Clz) return zeros;
    if (b == 0) return ~0u;
    return mode == isa::LeadMode::Bit ? 31 - zeros : zeros;
  });
}

// The four selector nibbles that a mode other than Idx stands for.
uint32_t selectors(isa::PrmtMode mode, uint32_t b) {
  static constexpr uint32_t kTable[7][4] = {
      {},                                // Idx
      {0x3210, 0x4321, 0x5432, 0x6543},  // F4e
      {0x5670, 0x6701, 0x7012, 0x0123},  // B4e
      {0x0000, 0x1111, 0x2222, 0x3333},  // Rc8
      {0x3210, 0x3211, 0x3222, 0x3333},  // Ecl
      {0x0000, 0x1110, 0x2210, 0x3210},  // Ecr
      {0x1010, 0x3232, 0x1010, 0x3232},  // Rc16
  };
  return mode == isa::PrmtMode::Idx ? b : kTable[static_cast<int>(mode)][b & 3];
}

void prmt(const Decoded& d, Lanes& l) {
  const uint32_t code = d.get(field::Permute_mode);
  const auto mode = static_cast<isa::PrmtMode>(code > 6 ? 0 : code);
  ternary(d, l, [mode](uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t bytes = pair(a, c);
    const uint32_t select = selectors(mode, b);
    uint32_t r = 0;
    for (int k = 0; k < 4; k++) {
      const uint32_t nibble = select >> 4 * k & 15;
      uint32_t byte = bytes >> 8 * (nibble & 7) & 255;
      if (nibble & 8) byte = byte & 0x80 ? 255 : 0;
      r |= byte << 8 * k;
    }
    return r;
  });
}

void sad(const Decoded& d, Lanes& l) {
  const uint32_t flip = d.get(field::Sign_sign) ? 0x80000000u : 0;
  ternary(d, l, [flip](uint32_t a, uint32_t b, uint32_t c) { return ((a ^ flip) > (b ^ flip) ? a - b : b - a) + c; });
}

void iadd3(const Decoded& d, Lanes& l) {
  const uint32_t flip_a = 0u - d.get(field::Add3_neg_a), flip_b = 0u - d.get(field::Add3_neg_b);
  ternary(d, l,
          [=](uint32_t a, uint32_t b, uint32_t c) { return ((a ^ flip_a) - flip_a) + ((b ^ flip_b) - flip_b) + c; });
}

// Element k of `size` bits, extended by `sign`.
int32_t element(uint32_t v, int k, int size, bool sign) {
  const uint32_t bits = v >> k * size << (32 - size);
  return sign ? static_cast<int32_t>(bits) >> (32 - size) : static_cast<int32_t>(bits >> (32 - size));
}

void dp4a(const Decoded& d, Lanes& l) {
  const bool sign_a = d.get(field::Dot_sign_a), sign_b = d.get(field::Dot_sign_b);
  ternary(d, l, [=](uint32_t a, uint32_t b, uint32_t c) {
    for (int k = 0; k < 4; k++) {
      c += static_cast<uint32_t>(element(a, k, 8, sign_a) * element(b, k, 8, sign_b));
    }
    return c;
  });
}

void dp2a(const Decoded& d, Lanes& l) {
  const bool sign_a = d.get(field::Dot_sign_a), sign_b = d.get(field::Dot_sign_b);
  const int first = d.get(field::Dot_hi) ? 2 : 0;
  ternary(d, l, [=](uint32_t a, uint32_t b, uint32_t c) {
    for (int k = 0; k < 2; k++) {
      c += static_cast<uint32_t>(element(a, k, 16, sign_a) * element(b, first + k, 8, sign_b));
    }
    return c;
  });
}

}  // namespace

void add_bits(OpTable& table) {
  const auto set = [&table](isa::Opcode op, Execute f) { table[static_cast<uint8_t>(op)] = f; };
  set(isa::Opcode::Shl, shl);
  set(isa::Opcode::Shr, shr);
  set(isa::Opcode::Shl64, shl64);
  set(isa::Opcode::Shr64, shr64);
  set(isa::Opcode::Shf, shf);
  set(isa::Opcode::Bfe, bfe);
  set(isa::Opcode::Bfi, bfi);
  set(isa::Opcode::Brev, brev);
  set(isa::Opcode::Popc, popc);
  set(isa::Opcode::Flo, flo);
  set(isa::Opcode::Prmt, prmt);
  set(isa::Opcode::Sad, sad);
  set(isa::Opcode::Iadd3, iadd3);
  set(isa::Opcode::Dp4a, dp4a);
  set(isa::Opcode::Dp2a, dp2a);
}

}  // namespace heddle::model::HEDDLE_OPS
