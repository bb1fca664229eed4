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
  for (int n = 0; n < 40000; n++) {
    const auto op = static_cast<isa::AtomOp>(rng() % 10);
    const bool sign = rng() % 2, wide = rng() % 2;
    const uint64_t old = value(wide), b = value(wide), c = value(wide);
    top->op_i = static_cast<uint8_t>(op);
    top->sign_i = sign;
    top->wide_i = wide;
    top->high_i = !wide && rng() % 2;
    top->old_i = old;
    top->b_i = b;
    top->c_i = c;
    top->eval();
    const uint64_t mask = wide ? ~uint64_t{0} : 0xffffffff;
    ASSERT_EQ(top->result_o & mask, atomic_reference(op, sign, wide, old, b, c))
        << "op " << static_cast<unsigned>(op) << " sign " << sign << " wide " << wide << std::hex << " old " << old
        << " b " << b << " c " << c;
  }
  top->final();
}

}  // namespace
}  // namespace heddle::test
