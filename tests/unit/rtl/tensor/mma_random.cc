// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/rtl/tensor/mma_random.h"

#include <algorithm>

namespace heddle::test {

// Magnitude 2^exponent to 2^(exponent + 1), as near as the format has it; the fraction is anything,
// or has one or two bits, or all.
std::uint32_t MmaRandom::number(const MmaNumberFormat& f, int exponent) {
  const std::uint32_t ones = (1u << f.fraction) - 1;
  const auto any = static_cast<std::uint32_t>(random_());
  std::uint32_t fraction = any & ones;
  const std::uint32_t kind = style_ == MmaStyle::Ties ? 5 : below(8);
  if (kind == 5) fraction &= 3u << (f.fraction - 2);
  if (kind == 6) fraction = ones;
  if (kind == 7) fraction = 0;
  int field = exponent + f.bias();
  if (field < 1) {
    fraction = (fraction | 1u << f.fraction) >> std::min(1 - field, 31);
    field = 0;
  }
  field = std::min(field, f.most() - 1);
  if (style_ == MmaStyle::Special && below(40) == 0)
    field = f.most(), fraction = below(2) ? 0 : 1u << below(static_cast<std::uint32_t>(f.fraction));
  const std::uint32_t x =
      below(2) << (f.exponent + f.fraction) | static_cast<std::uint32_t>(field) << f.fraction | fraction;
  return x << f.unused | (f.unused ? any >> 19 : 0);
}

// make(lane, element) for each element of each lane's registers; the rest is unread.
template <class Make>
void MmaRandom::fill(WarpRows& rows, int count, int bits, Make make) {
  const bool nan = below(2) != 0;
  for (int r = 0; r < 4; r++) {
    for (int lane = 0; lane < 32; lane++) {
      std::uint32_t word = nan ? ~0u : static_cast<std::uint32_t>(random_());
      if (r < count) {
        word = 0;
        for (int i = 0; i < 32 / bits; i++) word |= make(lane, r * (32 / bits) + i) << bits * i;
      }
      rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(lane)] = word;
    }
  }
}

void MmaRandom::floats(MmaTile& t) {
  const MmaNumberFormat ab = t.format(), cd = t.flag("f16_d") ? kMmaF16 : kMmaF32;
  int a = within(-3, 3), b = within(-3, 3), c = a + b + within(-12, 12), spread = 1 << below(5), spread_c = spread;
  switch (style_) {
    case MmaStyle::Smallest:
      // Products lie between 2^-165 and 2^-115 where the format reaches that far.
      a = within(-90, -40), b = within(-155, -118) - a, c = within(-152, -118), spread = 1 << below(3), spread_c = 4;
      if (ab.exponent == 5) a = within(-25, -12), b = within(-25, -12), c = below(2) ? a + b + within(-30, 30) : c;
      break;
    case MmaStyle::Cancelling: c = below(2) ? a + b + within(-40, 4) : -200; break;
    case MmaStyle::FarAddend: spread = 1, spread_c = 1, c = a + b + within(-36, 36); break;
    case MmaStyle::Ties:
      a = within(-1, 1), b = within(-1, 1), spread = 1, c = a + b + within(6, 13), spread_c = 1;
      break;
    case MmaStyle::Overflowing:
      a = cd.bits == 16 ? within(2, 12) : std::min(within(50, 70), (ab.most() - 2 - ab.bias()));
      b = cd.bits == 16 ? within(12, 15) - a : std::min(within(123, 127) - a, ab.most() - 2 - ab.bias());
      spread = 1, c = within(cd.bits == 16 ? 12 : 124, cd.bias()), spread_c = 1;
      break;
    case MmaStyle::OneProduct: c = below(2) ? a + b + within(-30, 30) : -200; break;
    default: break;
  }
  const auto plain_a = [&] { return number(ab, a + within(-spread, spread)); };
  const auto plain_b = [&] { return number(ab, b + within(-spread, spread)); };
  const std::uint32_t zeros = style_ == MmaStyle::Zeros ? 2 : 24;
  const int lone = within(0, 3), lone_element = within(0, 1);
  fill(t.a, t.a_rows(), ab.bits, [&](int lane, int i) {
    const bool here = lane % 4 == lone && i < 4 * 32 / ab.bits && i % (32 / ab.bits) == lone_element % (32 / ab.bits);
    if (style_ == MmaStyle::OneProduct && !here) return zero(ab) << ab.unused;
    return below(zeros) == 0 ? zero(ab) << ab.unused : plain_a();
  });
  fill(t.b, t.b_rows(), ab.bits, [&](int, int) { return below(zeros) == 0 ? zero(ab) << ab.unused : plain_b(); });
  if (style_ == MmaStyle::Cancelling) {
    // Lanes 2n and 2n + 1 hold columns of A, rows of B that are alike: the latter with the other
    // sign.
    const std::uint32_t last = 1u << ab.unused, sign = ab.bits == 16 ? 0x80008000u : 0x80000000u;
    for (std::size_t r = 0; r < 4; r++) {
      for (std::size_t lane = 0; lane < 32; lane += 2) {
        t.a[r][lane + 1] = t.a[r][lane] ^ (below(64) == 0 ? last : 0);
        t.b[r][lane + 1] = t.b[r][lane] ^ sign ^ (below(24) == 0 ? last : 0);
      }
    }
  }
  const std::uint32_t c_zeros = style_ == MmaStyle::Smallest || style_ == MmaStyle::Zeros ? 2 : 8;
  fill(t.c, t.c_rows(), cd.bits, [&](int, int) {
    if (c == -200 || below(c_zeros) == 0) return zero(cd);
    if (style_ == MmaStyle::Zeros) return zero(cd) | below(4);
    return number(cd, c + within(-spread_c, spread_c));
  });
}

void MmaRandom::integers(MmaTile& t) {
  const auto word = [&](int, int) -> std::uint32_t {
    const std::uint32_t kind = below(16), x = static_cast<std::uint32_t>(random_());
    return kind == 0 ? 0x80808080u : kind == 1 ? 0x7f7f7f7fu : kind == 2 ? ~0u : x;
  };
  fill(t.a, t.a_rows(), 32, word);
  fill(t.b, t.b_rows(), 32, word);
  fill(t.c, t.c_rows(), 32, [&](int, int) -> std::uint32_t {
    const auto near = static_cast<std::uint32_t>(within(-300'000, 300'000));
    const std::uint32_t kind = below(3);
    return kind == 0 ? near : kind == 1 ? 0x7fffffffu + near : static_cast<std::uint32_t>(random_());
  });
}

MmaTile MmaRandom::tile() {
  MmaTile t;
  t.op = below(4) == 0 ? isa::Opcode::Imma : isa::Opcode::Hmma;
  style_ = static_cast<MmaStyle>(below(kMmaStyles));
  const bool sparse = below(4) == 0;
  t.set("half_k", below(3) == 0);
  t.set("metadata", below(256));
  if (t.floats()) {
    const std::uint32_t kind = below(4);  // f16, bf16, tf32, f16 with D in f16
    t.set("format", kind % 3);
    t.set("f16_d", kind == 3);
    t.set("sparse", sparse);
  } else {
    const std::uint32_t kind = sparse ? 2 : below(4);
    t.set("sparse", sparse);
    t.set("bits", kind == 0);
    t.set("xor", kind == 0 && below(2));
    t.set("m8", kind == 1 || (kind == 0 && below(2)));
    for (const char* flag : {"sign_a", "sign_b", "sat"}) t.set(flag, kind != 0 && below(2));
  }
  if (sparse) {
    const bool bytes = !t.floats();
    t.set("selector", t.half_k() && !bytes ? below(4) : bytes && !t.half_k() ? 0 : below(2));
  }
  for (std::uint32_t& lane : t.metadata) {
    lane = static_cast<std::uint32_t>(random_());
    // PTX has two nibbles for tf32: the first or the second of two columns.
    if (t.floats() && t.format().bits == 32)
      for (int i = 0; i < 8; i++) lane = (lane & ~(15u << 4 * i)) | (below(2) ? 14u : 4u) << 4 * i;
  }
  if (t.floats()) floats(t);
  else integers(t);
  return t;
}

}  // namespace heddle::test
