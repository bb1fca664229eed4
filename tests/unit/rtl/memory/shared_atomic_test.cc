// SPDX-License-Identifier: Apache-2.0
// Atomics of one lane one after the other on a row of banks: when the banks are read, when the value is ready, and what
// it is; with pauses, and with a data stage that is late to take it. Those of integers where no bank has an ALU.
#include <array>

#include "Vshared_atomic_top.h"
#include "tests/unit/rtl/memory/atomic_reference.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

TEST(SharedAtomic, EachIsReadChangedAndWritten) {
  RtlBench<Vshared_atomic_top> bench(seed());
  auto& top = *bench.top;
  auto& rng = bench.rng;
  top.valid_i = top.done_i = 0;
  bench.reset();
  bench.settle();
  const unsigned words = top.words_o;
  std::array<uint32_t, 32> row{};
  for (uint32_t& w : row) w = static_cast<uint32_t>(rng());
  unsigned kept = 0, changed = 0, waited = 0;
  for (int n = 0; n < 20000; n++) {
    const auto [op, type, wide] = random_atomic(rng, top.float_atomics_o, true);
    const bool sums = type > isa::AtomType::S;
    if (top.bank_atomics_o && !sums) continue;
    const unsigned last = top.last_o;
    const unsigned word = static_cast<unsigned>(rng() % words) & ~unsigned{wide};
    const auto of = [wide = wide](const uint32_t* w) { return w[0] | (wide ? uint64_t{w[1]} << 32 : 0); };
    if (sums && bench.one_in(2)) {
      const uint64_t number = random_float(rng, type, of(&row[word]));
      row[word] = static_cast<uint32_t>(number);
      if (wide) row[word + 1] = static_cast<uint32_t>(number >> 32);
    }
    // At the banks b lies at its word; else b and c follow each other.
    const bool banks = top.bank_atomics_o;
    std::array<uint32_t, 32> operands{};
    for (uint32_t& w : operands) w = static_cast<uint32_t>(rng() >> (rng() & 1 ? 32 : 62));
    uint32_t* b = banks ? &operands[word] : &operands[0];
    if (bench.one_in(3)) b[0] = row[word], b[1] = wide ? row[word + 1] : b[1];
    if (sums) {
      const uint64_t number = random_float(rng, type, of(&row[word]));
      b[0] = static_cast<uint32_t>(number);
      if (wide) b[1] = static_cast<uint32_t>(number >> 32);
    }
    std::array<uint32_t, 32> now = row;
    const uint64_t old = of(&row[word]), want = atomic_reference(op, type, wide, true, old, of(b), of(&operands[2]));
    now[word] = static_cast<uint32_t>(want);
    if (wide) now[word + 1] = static_cast<uint32_t>(want >> 32);
    (want == old ? kept : changed)++;
    top.size_i = wide ? 5 : 4;
    top.op_i = static_cast<unsigned>(op);
    top.type_i = static_cast<unsigned>(type);
    top.offset_i = 4 * word;
    for (unsigned w = 0; w < 32; w++) top.operands_i[w] = operands[w];
    unsigned step = 0;
    for (bool done = false; !done;) {
      top.valid_i = !bench.one_in(4);
      top.done_i = step == last && !bench.one_in(3);
      bench.settle();
      ASSERT_EQ(top.ready_o, step == last);
      ASSERT_EQ(top.read_o, top.valid_i && step == 0);
      if (step == last) {
        for (unsigned w = 0; w < words; w++) {
          const bool written = w / (wide ? 2 : 1) == word / (wide ? 2 : 1);
          if (!written) continue;
          ASSERT_EQ(static_cast<uint32_t>(top.value_o >> 32 * (w % 2)), now[w])
              << "operation " << static_cast<unsigned>(op) << ", " << (wide ? 64 : 32) << " bits at word " << w
              << " of " << word;
        }
      }
      // The banks keep what was read.
      const bool reads = top.read_o;
      done = top.valid_i && top.done_i;
      waited += step == last && !done;
      if (top.valid_i && step != last) step++;
      bench.tick();
      for (unsigned w = 0; reads && w < words; w++) top.data_i[w] = row[w];
      if (done) {
        row = now;
        for (unsigned w = 0; w < words; w++) top.data_i[w] = static_cast<uint32_t>(rng());
      }
    }
  }
  EXPECT_GT(kept, 1000u);
  EXPECT_GT(changed, 1000u);
  EXPECT_GT(waited, 1000u);
}

}  // namespace
}  // namespace heddle::test
