// SPDX-License-Identifier: Apache-2.0
// The copy engine against memcpy and memset, all alignments and directions, with memories that answer
// late and, on the device side, out of order.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <random>
#include <vector>

#include "Vcopy_engine.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "verilated.h"

namespace {

using heddle::test::get_bits;
using heddle::test::set_bits;

uint64_t seed() {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t value = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::cout << "HEDDLE_SEED=" << value << "\n";
  return value;
}

constexpr size_t kBytes = 8192;  // of each memory; addresses 0 … kBytes

struct Copy {
  bool fill = false, source_host = false, destination_host = false;
  uint64_t source = 0, destination = 0, bytes = 0;
  uint32_t pattern = 0;
};

class CopyEngine : public ::testing::Test {
 protected:
  CopyEngine() : rng_(seed()), host_(kBytes), device_(kBytes) {
    for (auto* memory : {&host_, &device_})
      for (uint8_t& b : *memory) b = static_cast<uint8_t>(rng_());
    dut_.rst_ni = 0;
    cycle();
    dut_.rst_ni = 1;
  }

  void run(const Copy& c) {
    // copy_t: fill, source_host, destination_host, source, destination, bytes, pattern
    set_bits(dut_.copy_i, 0, 32, c.pattern);
    set_bits(dut_.copy_i, 32, 64, c.bytes);
    set_bits(dut_.copy_i, 96, 64, c.destination);
    set_bits(dut_.copy_i, 160, 64, c.source);
    set_bits(dut_.copy_i, 224, 1, c.destination_host);
    set_bits(dut_.copy_i, 225, 1, c.source_host);
    set_bits(dut_.copy_i, 226, 1, c.fill);
    dut_.start_i = 1;
    cycle();
    dut_.start_i = 0;
    for (int i = 0; i < 20000; i++) {
      cycle();
      if (dut_.done_o) {
        error_ = dut_.error_o;
        return;
      }
    }
    FAIL() << "the engine did not end";
  }

  void check(const Copy& c) {
    std::vector<uint8_t> host = host_, device = device_;
    std::vector<uint8_t>& destination = c.destination_host ? host : device;
    const std::vector<uint8_t>& source = c.source_host ? host_ : device_;
    for (uint64_t i = 0; i < c.bytes; i++)
      destination[c.destination + i] =
          c.fill ? static_cast<uint8_t>(c.pattern >> 8 * ((c.destination + i) % 4)) : source[c.source + i];
    run(c);
    ASSERT_EQ(host, host_) << "source " << c.source << " destination " << c.destination << " bytes " << c.bytes;
    ASSERT_EQ(device, device_) << "source " << c.source << " destination " << c.destination << " bytes "
                               << c.bytes;
  }

  std::mt19937_64 rng_;
  std::vector<uint8_t> host_, device_;
  int max_delay_ = 20;
  bool fail_reads_ = false;
  bool error_ = false;  // of the last run

 private:
  struct Answer {
    uint64_t due;
    bool write;
    uint64_t id;
    uint64_t sector;
    bool error;
  };

  void cycle() {
    dut_.host_req_ready_i = rng_() % 4 != 0;
    dut_.mem_req_ready_i = rng_() % 4 != 0;
    dut_.clk_i = 0;
    dut_.eval();
    now_++;
    // host_req_t: write, sector[58:0], mask, data
    if (dut_.host_req_valid_o && dut_.host_req_ready_i) {
      const bool write = get_bits(dut_.host_req_o, 347, 1);
      const uint64_t sector = get_bits(dut_.host_req_o, 288, 59);
      if (write) store(host_, sector, get_bits(dut_.host_req_o, 256, 32), dut_.host_req_o);
      host_answers_.push_back({now_ + delay(), write, 0, sector, false});
    }
    if (dut_.mem_req_valid_o && dut_.mem_req_ready_i) {
      const unsigned top = kMemReqBits;
      const uint64_t kind = get_bits(dut_.mem_req_o, top - 2, 2), id = get_bits(dut_.mem_req_o, top - 10, 8);
      const uint64_t sector = get_bits(dut_.mem_req_o, top - 45, 35);
      const uint64_t mask = get_bits(dut_.mem_req_o, top - 77, 32);
      if (kind == 1) {
        for (int i = 0; i < 32; i++)
          if (mask >> i & 1)
            device_[sector * 32 + i] = static_cast<uint8_t>(get_bits(dut_.mem_req_o, top - 333 + 8 * i, 8));
      }
      mem_answers_.push_back({now_ + delay(), kind == 1, id, sector, fail_reads_ && kind == 0});
    }
    dut_.clk_i = 1;
    dut_.eval();
    // Data stand as long as they must, piece p of the device's for p cycles more; then they are anything.
    dut_.host_rsp_valid_i = 0;
    dut_.mem_rsp_valid_i = 0;
    const unsigned pieces = 256 / HEDDLE_PIECEBITS, words = 8 / pieces;
    const bool host_stands = ++host_age_ < pieces, mem_stands = ++mem_age_ < pieces;
    if (!host_stands) for (unsigned w = 0; w < 8; w++) dut_.host_rsp_i[w] = static_cast<uint32_t>(rng_());
    for (unsigned w = 0; w < 8; w++) if (w / words < mem_age_) dut_.mem_rsp_i[w] = static_cast<uint32_t>(rng_());
    if (!host_stands && !host_answers_.empty() && host_answers_.front().due <= now_) {
      const Answer a = host_answers_.front();
      host_answers_.pop_front();
      dut_.host_rsp_valid_i = 1;
      host_age_ = 0;
      // host_rsp_t: write, error, data
      set_bits(dut_.host_rsp_i, 257, 1, a.write);
      set_bits(dut_.host_rsp_i, 256, 1, 0);
      for (int i = 0; i < 32; i++) set_bits(dut_.host_rsp_i, 8 * i, 8, host_[(a.sector * 32 + i) % kBytes]);
    }
    for (size_t i = 0; i < mem_answers_.size(); i++) {
      if (mem_stands || mem_answers_[i].due > now_) continue;
      const Answer a = mem_answers_[i];
      mem_answers_.erase(mem_answers_.begin() + static_cast<long>(i));
      dut_.mem_rsp_valid_i = 1;
      mem_age_ = 0;
      // rsp_t: kind, id, error, data
      set_bits(dut_.mem_rsp_i, 265, 2, a.write ? 1 : 0);
      set_bits(dut_.mem_rsp_i, 257, 8, a.id);
      set_bits(dut_.mem_rsp_i, 256, 1, a.error);
      for (int b = 0; b < 32; b++) set_bits(dut_.mem_rsp_i, 8 * b, 8, device_[(a.sector * 32 + b) % kBytes]);
      break;
    }
  }

  static void store(std::vector<uint8_t>& memory, uint64_t sector, uint64_t mask, const VlWide<11>& request) {
    for (int i = 0; i < 32; i++)
      if (mask >> i & 1) memory[sector * 32 + i] = static_cast<uint8_t>(get_bits(request, 8 * i, 8));
  }

  uint64_t delay() { return 1 + rng_() % max_delay_; }

  // req_t: kind, id, sector, mask, data, 12 bits of atomics, then warp, seq, lane for the trace.
  static constexpr unsigned kMemReqBits = 2 + 8 + 35 + 32 + 256 + 11 + 3 + 16 + 5;  // preset tiny
  Vcopy_engine dut_;
  uint64_t now_ = 0;
  unsigned host_age_ = 100, mem_age_ = 100;   // cycles since the last answer
  std::deque<Answer> host_answers_;
  std::vector<Answer> mem_answers_;
};

TEST_F(CopyEngine, CopiesAnyAlignmentInEveryDirection) {
  for (int i = 0; i < 600; i++) {
    Copy c;
    c.source_host = rng_() & 1;
    c.destination_host = rng_() & 1;
    c.bytes = rng_() % (i % 2 ? 70 : 1500) + 1;
    // Apart from each other, as memcpy asks.
    c.source = rng_() % (kBytes / 2 - c.bytes);
    c.destination = kBytes / 2 + rng_() % (kBytes / 2 - c.bytes);
    check(c);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CopyEngine, FillsWithAPatternFixedToAddresses) {
  for (int i = 0; i < 200; i++) {
    Copy c;
    c.fill = true;
    c.pattern = static_cast<uint32_t>(rng_());
    c.bytes = rng_() % 300 + 1;
    c.destination = rng_() % (kBytes - c.bytes);
    check(c);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CopyEngine, CopyOfNothingEnds) {
  Copy c;
  c.source_host = true;
  check(c);
}

TEST_F(CopyEngine, ReportsARefusedAddress) {
  Copy c;
  c.bytes = 64;
  c.destination = 4096;
  fail_reads_ = true;
  run(c);
  EXPECT_TRUE(error_);
  fail_reads_ = false;
  run(c);
  EXPECT_FALSE(error_);
}

}  // namespace
