// SPDX-License-Identifier: Apache-2.0
// Random constants of both banks, of memory that fails here and there: every request is answered once with this
// kernel's word, or with an error where there is none.
#include <Vconstant_cache_top.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/unit/rtl/frontend/sector_memory.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

class ConstantCacheTest : public ::testing::Test {
 protected:
  ConstantCacheTest() : bench(seed()), top(*bench.top), memory(bench.rng) {
    top.invalidate_i = top.req_valid_i = top.mem_req_ready_i = top.mem_rsp_valid_i = 0;
    bench.reset();
    bench.settle();
    parts = top.sizes_o & 0xff;
    bytes = top.sizes_o >> 8;
  }

  void begin(unsigned param_bytes, unsigned fail_one_in = 0) {
    for (int n = 0; n < 300 && (top.req_valid_i != 0 || asked || top.busy_o); n++) {
      step();
      bench.settle();
    }
    ASSERT_FALSE(top.busy_o);
    memory.generation++;
    memory.fail_one_in = fail_one_in;
    memory.reads.clear();
    // Words of a sector are found whatever the base's alignment.
    top.param_base_i = 0x1000000000u + 4 * (bench.rng() % 65536);
    top.const_base_i = 0x1000100000u + 4 * (bench.rng() % 65536);
    top.param_bytes_i = param_bytes;
    top.invalidate_i = 1;
    step();
    top.invalidate_i = 0;
  }

  void request(unsigned part, unsigned bank, unsigned offset) {
    top.req_valid_i |= static_cast<unsigned char>(1u << part);
    top.req_bank_i = (top.req_bank_i & ~(0xffu << 8 * part)) | bank << 8 * part;
    top.req_offset_i = (top.req_offset_i & ~(0xffffull << 16 * part)) | std::uint64_t{offset} << 16 * part;
  }

  struct Request {
    unsigned part, bank, offset;
  };

  void check_answer() {
    ASSERT_TRUE(asked) << "answer to nothing, cycle " << bench.cycle;
    const auto [part, bank, offset] = *asked;
    asked.reset();
    ASSERT_EQ(top.rsp_valid_o, 1u << part);
    const bool outside = bank > 1 || (bank == 0 && offset >= top.param_bytes_i);
    const std::uint64_t address = (bank == 0 ? top.param_base_i : top.const_base_i) + offset;
    const bool failed = !outside && memory.fails(address / 32);
    ASSERT_EQ(top.rsp_error_o, outside || failed) << "bank " << bank << " offset " << offset;
    (outside ? outsides : failed ? fails : words)++;
    if (!outside && !failed) {
      ASSERT_EQ(top.rsp_data_o, memory.word(address / 32, address / 4 % 8)) << "bank " << bank << " offset " << offset;
    }
  }

  void step() {
    memory.drive(top);
    bench.settle();
    if (top.rsp_valid_o) check_answer();
    if (HasFatalFailure()) return;
    const unsigned taken = top.req_valid_i & top.req_ready_o;
    ASSERT_LE(std::popcount(taken), 1);
    ASSERT_TRUE(taken == 0 || !asked) << "two at a time";
    if (taken != 0) {
      const auto part = static_cast<unsigned>(std::countr_zero(taken));
      asked = {part, top.req_bank_i >> 8 * part & 0xff, static_cast<unsigned>(top.req_offset_i >> 16 * part & 0xffff)};
      waited = 0;
    }
    ASSERT_LT(waited += asked || top.req_valid_i ? 1 : 0, 300u) << "cycle " << bench.cycle;
    memory.follow(top);
    bench.tick();
    top.req_valid_i &= static_cast<unsigned char>(~taken);
  }

  bool under_way(unsigned part) const { return (top.req_valid_i >> part & 1) != 0 || (asked && asked->part == part); }

  RtlBench<Vconstant_cache_top> bench;
  Vconstant_cache_top& top;
  SectorMemory memory;
  unsigned parts = 0, bytes = 0;
  std::optional<Request> asked;
  unsigned words = 0, outsides = 0, fails = 0, waited = 0;
};

TEST_F(ConstantCacheTest, AnswersEveryRequestWithThisKernelsConstants) {
  for (int kernel = 0; kernel < 150 && !HasFatalFailure(); kernel++) {
    memory.busy_one_in = static_cast<unsigned>(2 + bench.rng() % 4);
    memory.late_one_in = static_cast<unsigned>(2 + bench.rng() % 4);
    const unsigned params = bench.one_in(8) ? 65536 : bench.one_in(8) ? 0 : static_cast<unsigned>(bench.rng() % 4096);
    begin(params, bench.one_in(3) ? 0 : 40);
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 3);
    for (int n = 0; n < 1600 && !HasFatalFailure(); n++) {
      for (unsigned part = 0; part < parts; part++) {
        if (under_way(part) || !bench.one_in(gap)) continue;
        const unsigned bank =
            bench.one_in(20) ? static_cast<unsigned>(bench.rng() % 4) : static_cast<unsigned>(bench.rng() % 2);
        // Near each other, at the end of the parameters, anywhere.
        unsigned offset = static_cast<unsigned>(bench.rng() % 64) * 4;
        if (bench.one_in(3)) offset = static_cast<unsigned>(bench.rng() % (bytes / 2)) * 4 & 0xffff;
        if (bench.one_in(10)) offset = (params + 4 * static_cast<unsigned>(bench.rng() % 4) - 8) & 0xfffc;
        if (bench.one_in(40)) offset = static_cast<unsigned>(bench.rng()) & 0xfffc;
        request(part, bank, offset);
      }
      step();
    }
  }
  std::printf("words %u, outside %u, failed %u\n", words, outsides, fails);
  EXPECT_GT(words, 5000u);
  EXPECT_GT(outsides, 500u);
  EXPECT_GT(fails, 200u);
}

// Hits come one a cycle, the sub-partitions in turn; a sector is read from memory once.
TEST_F(ConstantCacheTest, AnswersAHitEachCycle) {
  if (parts == 1) GTEST_SKIP() << "one sub-partition asks every other cycle";
  begin(4096);
  std::vector<unsigned> asks(parts);
  const auto run = [&](int cycles) {
    for (int n = 0; n < cycles && !HasFatalFailure(); n++) {
      for (unsigned part = 0; part < parts; part++) {
        if (under_way(part)) continue;
        asks[part]++;
        request(part, 0, static_cast<unsigned>(bench.rng() % 64) * 4);
      }
      step();
    }
  };
  run(400);
  words = 0;
  asks.assign(parts, 0);
  run(200);
  EXPECT_EQ(words, 200u);
  EXPECT_LE(*std::max_element(asks.begin(), asks.end()) - *std::min_element(asks.begin(), asks.end()), 2u);
  for (const auto& [sector, times] : memory.reads) EXPECT_EQ(times, 1u) << "sector " << sector;
}

}  // namespace
}  // namespace heddle::test
