// SPDX-License-Identifier: Apache-2.0
// Sub-partitions that fetch along random paths through code smaller and larger than the cache: every request
// is answered once, in order, with memory's bytes of this kernel or with the error that its address deserves.
#include <Vicache_top.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "tests/unit/rtl/frontend/sector_memory.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Error { Ok = 0, Pc = 1, Bus = 2 };

class IcacheTest : public ::testing::Test {
 protected:
  IcacheTest() : bench(seed()), top(*bench.top), memory(bench.rng) {
    top.invalidate_i = top.req_valid_i = top.mem_req_ready_i = top.mem_rsp_valid_i = 0;
    top.code_size_i = 0;
    top.code_base_i = 0;
    bench.reset();
    bench.settle();
    parts = top.sizes_o & 0xff;
    bytes = top.sizes_o >> 8;
    pieces = top.pieces_o;
    at.resize(parts);
  }

  // A new kernel: other code elsewhere. The cache must be quiet.
  void begin(std::uint32_t code_size, unsigned fail_one_in = 0) {
    top.req_valid_i = 0;
    for (int n = 0; n < 400; n++) {
      step();
      bench.settle();
      if (!top.busy_o && asked.empty()) break;
    }
    ASSERT_FALSE(top.busy_o);
    memory.generation++;
    memory.fail_one_in = fail_one_in;
    memory.reads.clear();
    top.code_base_i = 0x1000000000u + 32 * (bench.rng() % 4096);
    top.code_size_i = code_size;
    top.invalidate_i = 1;
    step();
    top.invalidate_i = 0;
  }

  struct Request {
    unsigned part, warp;
    std::uint32_t sector;
  };

  std::uint64_t device_sector(std::uint32_t sector) const { return top.code_base_i / 32 + sector; }
  Error expected_error(std::uint32_t sector) const {
    if (std::uint64_t{sector} * 32 >= top.code_size_i) return Pc;
    for (unsigned i = 0; i < 4; i++)
      if (memory.fails(device_sector(sector / 4 * 4 + i))) return Bus;
    return Ok;
  }

  void check_answer() {
    ASSERT_FALSE(asked.empty()) << "answer to nothing, cycle " << bench.cycle;
    const Request r = asked.front();
    ASSERT_EQ(top.rsp_piece_o, piece) << "cycle " << bench.cycle;
    ASSERT_EQ(top.rsp_valid_o, 1u << r.part);
    ASSERT_EQ(top.rsp_warp_o, r.warp);
    const Error error = expected_error(r.sector);
    ASSERT_EQ(top.rsp_error_o, error) << "sector " << r.sector << " of " << top.code_size_i / 32.0;
    const unsigned words = 8 / pieces;
    for (unsigned i = 0; i < words && error == Ok; i++)
      ASSERT_EQ(top.rsp_data_o[i], memory.word(device_sector(r.sector), piece * words + i))
          << "sector " << r.sector << " piece " << piece << " word " << i;
    if (++piece < pieces) return;
    piece = 0;
    asked.pop_front();
    errors[error]++;
    answers++;
  }

  void request(unsigned part, std::uint32_t sector) {
    top.req_valid_i |= static_cast<unsigned char>(1u << part);
    top.req_sector_i[part] = sector;
    at[part] = sector;
    const unsigned warp = static_cast<unsigned>(bench.rng() % 8);
    top.req_warp_i = (top.req_warp_i & ~(0xffu << 8 * part)) | warp << 8 * part;
  }

  void step() {
    memory.drive(top);
    bench.settle();
    const bool quiet_before = asked.empty();
    if (top.rsp_valid_o) check_answer();
    if (HasFatalFailure()) return;
    // Only one request is under way, and its answer begins a cycle later unless it missed.
    const unsigned taken = top.req_valid_i & top.req_ready_o;
    ASSERT_LE(std::popcount(taken), 1);
    ASSERT_TRUE(taken == 0 || asked.empty());
    ASSERT_TRUE(top.busy_o || quiet_before);
    if (taken != 0) {
      const auto part = static_cast<unsigned>(std::countr_zero(taken));
      asked.push_back({part, top.req_warp_i >> 8 * part & 0xffu, top.req_sector_i[part]});
      waited = 0;
    }
    // Two lines of four sectors, behind a slow memory.
    ASSERT_LT(waited += asked.empty() && top.req_valid_i == 0 ? 0 : 1, 500u) << "cycle " << bench.cycle;
    memory.follow(top);
    bench.tick();
    top.req_valid_i &= static_cast<unsigned char>(~taken);
  }

  RtlBench<Vicache_top> bench;
  Vicache_top& top;
  SectorMemory memory;
  unsigned parts = 0, bytes = 0, pieces = 1;
  unsigned piece = 0;             // comes next
  std::vector<std::uint32_t> at;  // where each sub-partition fetches
  std::deque<Request> asked;
  unsigned answers = 0, waited = 0;
  unsigned errors[3] = {};
};

TEST_F(IcacheTest, AnswersEveryRequestWithThisKernelsCode) {
  for (int kernel = 0; kernel < 100 && !HasFatalFailure(); kernel++) {
    memory.busy_one_in = static_cast<unsigned>(1 + bench.rng() % 5) + 1;
    memory.late_one_in = static_cast<unsigned>(1 + bench.rng() % 5) + 1;
    // Smaller and larger than the cache; ends within a line, within a sector.
    const std::uint32_t code = bench.one_in(2) ? 8 * static_cast<std::uint32_t>(1 + bench.rng() % 64)
                                               : 8 * static_cast<std::uint32_t>(1 + bench.rng() % (bytes / 2));
    begin(code, bench.one_in(3) ? 0 : 64);
    const std::uint32_t sectors = (code + 31) / 32;
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 3);
    const auto jump = static_cast<std::uint32_t>(2 + bench.rng() % 20);
    for (unsigned n = 0; n < 1500 * pieces && !HasFatalFailure(); n++) {
      for (unsigned part = 0; part < parts; part++) {
        if ((top.req_valid_i >> part & 1) != 0) {
          // A request that is not taken yet may change (the warp jumps).
          if (bench.one_in(20)) top.req_valid_i &= static_cast<unsigned char>(~(1u << part));
          continue;
        }
        if (!bench.one_in(gap)) continue;
        std::uint32_t next = (at[part] + 1) & 0x7ffffff;
        if (bench.one_in(jump)) {
          switch (bench.rng() % 4) {
            case 0: next = static_cast<std::uint32_t>(bench.rng() % sectors); break;
            case 1: next = at[part] ^ bytes / 32; break;  // the same place of the cache
            case 2: next = at[bench.rng() % parts]; break;
            default: next = sectors - 1 - static_cast<std::uint32_t>(bench.rng() % std::min(sectors, 8u));
          }
        }
        if (next >= sectors && !bench.one_in(4)) next = 0;
        if (bench.one_in(200)) next = 0x7ffffff;
        request(part, next);
      }
      step();
    }
  }
  std::printf("answers: %u of code, %u outside, %u failed\n", errors[Ok], errors[Pc], errors[Bus]);
  EXPECT_GT(errors[Ok], 10000u);
  EXPECT_GT(errors[Pc], 500u);
  EXPECT_GT(errors[Bus], 500u);
}

// What fits is read from memory once.
TEST_F(IcacheTest, ReadsALineOnceWhenTheCodeFits) {
  for (int kernel = 0; kernel < 30 && !HasFatalFailure(); kernel++) {
    const std::uint32_t code = std::min<std::uint32_t>(bytes, 128u * static_cast<std::uint32_t>(1 + bench.rng() % 64));
    begin(code);
    for (int n = 0; n < 3000 && !HasFatalFailure(); n++) {
      for (unsigned part = 0; part < parts; part++)
        if ((top.req_valid_i >> part & 1) == 0)
          request(part, bench.one_in(3) ? static_cast<std::uint32_t>(bench.rng() % (code / 32))
                                        : (at[part] + 1) % (code / 32));
      step();
    }
    for (const auto& [sector, times] : memory.reads) ASSERT_EQ(times, 1u) << "sector " << sector;
  }
}

// Hits come a piece a cycle, the sub-partitions in turn.
TEST_F(IcacheTest, AnswersAHitEachCycle) {
  begin(512);
  for (std::uint32_t s = 0; s < 16 && !HasFatalFailure(); s++) {
    request(0, s);
    for (int n = 0; n < 100 && (top.req_valid_i != 0 || !asked.empty()) && !HasFatalFailure(); n++) step();
  }
  for (int n = 0; n < 100 && !HasFatalFailure(); n++) step();
  answers = 0;
  std::vector<unsigned> granted(parts);
  for (int n = 0; n < 200 && !HasFatalFailure(); n++) {
    for (unsigned part = 0; part < parts; part++) {
      if ((top.req_valid_i >> part & 1) != 0) continue;
      granted[part]++;
      request(part, static_cast<std::uint32_t>(bench.rng() % 16));
    }
    step();
  }
  EXPECT_EQ(answers, 199u / pieces);
  EXPECT_LE(*std::max_element(granted.begin(), granted.end()) - *std::min_element(granted.begin(), granted.end()), 1u);
}

// The line behind a missed one is fetched while hits go on.
TEST_F(IcacheTest, FetchesTheNextLineAhead) {
  begin(1024);
  memory.late_one_in = 2;
  request(0, 5);
  for (int n = 0; n < 200 && answers == 0 && !HasFatalFailure(); n++) step();
  EXPECT_LT(memory.answered, 8u) << "the wanted line waited for the one ahead";
  for (int n = 0; n < 200 && !HasFatalFailure(); n++) step();
  EXPECT_EQ(memory.reads.size(), 8u) << "its line and the next";
  request(0, 8);
  answers = 0;
  for (unsigned n = 0; n < 1 + pieces; n++) step();
  EXPECT_EQ(answers, 1u);
  // Not past the end of the code.
  begin(1024);
  request(0, 31);
  for (int n = 0; n < 200 && !HasFatalFailure(); n++) step();
  EXPECT_EQ(memory.reads.size(), 4u);
}

}  // namespace
}  // namespace heddle::test
