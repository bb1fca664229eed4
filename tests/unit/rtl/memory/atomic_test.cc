// SPDX-License-Identifier: Apache-2.0
#include "Vatomic_top.h"
#include "tests/unit/rtl/memory/atomic_reference.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

TEST(Atomic, EveryOperationAgreesWithTheReference) {
  std::mt19937_64 rng(seed());
  VerilatedContext context;
  auto top = std::make_unique<Vatomic_top>(&context);
  const uint64_t edges[] = {0,           1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000,
                            ~uint64_t{0}};
  auto value = [&](bool wide) {
    const uint64_t v = rng() % 2 ? edges[rng() % 8] : rng() % 2 ? rng() % 4 : rng();
    return wide ? v : v & 0xffffffff;
  };
  unsigned completed = 0;
  for (int n = 0; n < 40000; n++) {
    const auto op = static_cast<isa::AtomOp>(rng() % 11);
    const bool arrives = op == isa::AtomOp::Arrive;
    const bool sign = !arrives && rng() % 2, wide = arrives || rng() % 2, shared = arrives || rng() % 2;
    const isa::AtomType type = sign ? isa::AtomType::S : isa::AtomType::U;
    const uint64_t old = value(wide), c = value(wide);
    uint64_t b = value(wide);
    if (arrives && rng() % 2) {  // what the phase waits for, but sometimes for one field
      for (const isa::MbarrierField& f : {isa::kMbarrierPending, isa::kMbarrierTx})
        if (rng() % 8) b = (b & ~f.mask()) | f.of(-static_cast<int64_t>(f.get(old)));
    }
    completed += arrives && ((old ^ isa::mbarrier_arrive(old, b)) & isa::kMbarrierParity) != 0;
    top->op_i = static_cast<uint8_t>(op);
    top->type_i = sign;
    top->shared_i = shared;
    top->wide_i = wide;
    top->high_i = !wide && rng() % 2;
    top->old_i = old;
    top->b_i = b;
    top->c_i = c;
    top->eval();
    const uint64_t mask = wide ? ~uint64_t{0} : 0xffffffff;
    ASSERT_EQ(top->result_o & mask, atomic_reference(op, type, wide, shared, old, b, c))
        << "op " << static_cast<unsigned>(op) << " sign " << sign << " wide " << wide << std::hex << " old " << old
        << " b " << b << " c " << c;
  }
  EXPECT_GT(completed, 1000u);
  top->final();
}

// Exponents near each other and far apart, ties, subnormal numbers, zeros of both signs, infinities, NaN.
TEST(Atomic, SumsOfFloatingPointNumbersAgreeWithTheReference) {
  std::mt19937_64 rng(seed());
  VerilatedContext context;
  auto top = std::make_unique<Vatomic_top>(&context);
  top->op_i = static_cast<uint8_t>(isa::AtomOp::Add);
  top->c_i = 0;
  for (const isa::AtomType type :
       {isa::AtomType::F32, isa::AtomType::F64, isa::AtomType::F16x2, isa::AtomType::Bf16x2}) {
    const bool wide = type == isa::AtomType::F64;
    const uint64_t mask = wide ? ~uint64_t{0} : 0xffffffff;
    top->wide_i = wide;
    unsigned special = 0, subnormal = 0;
    for (int n = 0; n < 100000; n++) {
      const uint64_t old = random_float(rng, type, rng()), b = random_float(rng, type, old);
      const bool shared = rng() % 2;
      top->type_i = static_cast<uint8_t>(type);
      top->shared_i = shared;
      top->high_i = !wide && rng() % 2;
      top->old_i = old | (rng() << 32 & ~mask);
      top->b_i = b | (rng() << 32 & ~mask);
      top->eval();
      const uint64_t want = atomic_reference(isa::AtomOp::Add, type, wide, shared, old, b, 0);
      ASSERT_EQ(top->result_o & mask, want)
          << "type " << static_cast<unsigned>(type) << " shared " << shared << std::hex << " old " << old << " b " << b;
      special += want == 0x7fffffff || (want & 0x7fffffff) == 0x7f800000;
      subnormal += (want & 0x7fffffff) != 0 && (want >> 23 & 0xff) == 0;
    }
    if (type == isa::AtomType::F32) {
      EXPECT_GT(special, 1000u);
      EXPECT_GT(subnormal, 1000u);
    }
  }
  top->final();
}

// Numbers in all orders, zeros of both signs, subnormal numbers, infinities, one NaN and two.
TEST(Atomic, MinimaAndMaximaOfPairsAgreeWithTheReference) {
  std::mt19937_64 rng(seed());
  VerilatedContext context;
  auto top = std::make_unique<Vatomic_top>(&context);
  top->c_i = 0;
  top->wide_i = 0;
  unsigned zeros = 0, nans = 0;
  for (int n = 0; n < 200000; n++) {
    const isa::AtomType type = rng() % 2 ? isa::AtomType::F16x2 : isa::AtomType::Bf16x2;
    const isa::AtomOp op = rng() % 2 ? isa::AtomOp::Min : isa::AtomOp::Max;
    const uint64_t old = random_float(rng, type, rng()), b = random_float(rng, type, old);
    top->op_i = static_cast<uint8_t>(op);
    top->type_i = static_cast<uint8_t>(type);
    top->shared_i = rng() % 2;
    top->high_i = rng() % 2;
    top->old_i = old | rng() << 32;
    top->b_i = b | rng() << 32;
    top->eval();
    const uint64_t want = atomic_reference(op, type, false, false, old, b, 0);
    ASSERT_EQ(top->result_o & 0xffffffff, want)
        << "op " << static_cast<unsigned>(op) << " type " << static_cast<unsigned>(type) << std::hex << " old " << old
        << " b " << b;
    zeros += (old & 0x7fff) == 0 && ((old ^ b) & 0xffff) == 0x8000;
    nans += (want & 0xffff) == 0x7fff;
  }
  EXPECT_GT(zeros, 100u);
  EXPECT_GT(nans, 100u);
  top->final();
}

}  // namespace
}  // namespace heddle::test
