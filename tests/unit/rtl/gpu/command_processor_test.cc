// SPDX-License-Identifier: Apache-2.0
// The command processor with rings in a map, engines that answer when told to; sectors in beats of the preset. cc80 has
// 4 rings, tiny 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "Vcommand_processor.h"
#include "host-runtime/device/contract.h"
#include "tests/unit/rtl/gpu/host_beats.h"
#include "verilated.h"

namespace {

namespace contract = heddle::contract;
using namespace heddle::test;

constexpr unsigned kPieces = HEDDLE_PIECES, kRings = kPieces == 1 ? 4 : 1;
constexpr HostReqBits kHostReq{kPieces};
constexpr HostRspBits kHostRsp{kPieces};

#ifdef HEDDLE_CLUSTER_BLOCKS
constexpr uint32_t kClusterBlocks = HEDDLE_CLUSTER_BLOCKS;
#else
constexpr uint32_t kClusterBlocks = 1;
#endif
constexpr uint64_t kRing = 0x10000, kRecord = 0x80000;

class CommandProcessor : public ::testing::Test {
 protected:
  CommandProcessor() {
    for (unsigned r = 0; r < kRings; r++) {
      set_port(dut_.ring_base_i, 64 * r, 64, kRing + 0x1000 * r);
      dut_.ring_mask_i |= uint64_t{3} << 16 * r;  // 4 entries
    }
    dut_.rst_ni = 0;
    cycle();
    dut_.rst_ni = 1;
  }

  // Rings in a port: words of Verilator's where they are many, one number where there is one.
  template <typename Port>
  static void set_port(Port& port, unsigned at, unsigned width, uint64_t value) {
    if constexpr (kRings > 1) set_bits(port, at, width, value);
    else port = static_cast<Port>(value);
  }
  template <typename Port>
  static uint64_t get_port(const Port& port, unsigned at, unsigned width) {
    if constexpr (kRings > 1) return get_bits(port, at, width);
    else return port;
  }
  uint64_t head(unsigned ring) { return get_port(dut_.ring_head_o, 32 * ring, 32); }
  void set_tail(unsigned ring, uint32_t tail) { set_port(dut_.ring_tail_i, 32 * ring, 32, tail); }

  // Puts a command into a ring; the record goes to kRecord + 32 * tag.
  void submit(unsigned ring, contract::Command c, uint32_t tag) {
    c.words[contract::kWordTag] = tag;
    c.set64(contract::kWordCompletion, kRecord + 32 * tag);
    const uint64_t at = kRing + 0x1000 * ring + 128 * (tail_[ring] % 4);
    for (unsigned i = 0; i < 32; i++) memory_[at / 4 + i] = c.words[i];
    set_tail(ring, ++tail_[ring]);
  }

  uint32_t status(uint32_t tag) { return memory_[(kRecord + 32 * tag) / 4 + 1]; }

  void run(int cycles) {
    for (int i = 0; i < cycles; i++) cycle();
  }

  void cycle() {
    dut_.host_req_ready_i = ++now_ % 3 != 0;
    dut_.cycle_i = now_;
    dut_.clk_i = 0;
    dut_.eval();
    if (dut_.host_req_valid_o && dut_.host_req_ready_i) request();
    interrupts_ += dut_.irq_completion_o;
    faults_ += dut_.irq_fault_o;
    kernels_ += dut_.kernel_start_o;
    copies_ += dut_.copy_start_o;
    dut_.clk_i = 1;
    dut_.eval();
    // Between beats the link carries anything.
    for (unsigned bit = 0; bit <= kHostRsp.write(); bit++) set_bits(dut_.host_rsp_i, bit, 1, rng_() & 1);
    dut_.host_rsp_valid_i = (!beats_.empty() || begin_answer()) && now_ % 5 != 0;
    if (!dut_.host_rsp_valid_i) return;
    set_bits(dut_.host_rsp_i, kHostRsp.write(), 1, answer_.write);
    set_bits(dut_.host_rsp_i, kHostRsp.error(), 1, answer_.sector == refused_);
    set_beat(dut_.host_rsp_i, 0, kHostRsp, beats_.front());
    beats_.erase(beats_.begin());
  }

  // A beat of a request.
  void request() {
    const bool write = get_bits(dut_.host_req_o, kHostReq.write(), 1);
    const uint64_t sector = get_bits(dut_.host_req_o, kHostReq.sector(), 59);
    const Beat beat = get_beat(dut_.host_req_o, 0, kHostReq);
    if (write) {
      EXPECT_TRUE(write_.take(kPieces, beat)) << "piece " << beat.piece << " last " << beat.last;
      if (!write_.done) return;
      EXPECT_EQ(write_.mask, ~uint32_t{0});
      for (unsigned i = 0; i < 8; i++) std::memcpy(&memory_[sector * 8 + i], &write_.bytes[4 * i], 4);
    } else {
      EXPECT_TRUE(beat.last && beat.piece == 0);
      EXPECT_TRUE(write_.next == 0 || write_.done) << "a read between the beats of a write";
    }
    answers_.push_back({now_ + 7, write, sector});
  }
  bool begin_answer() {
    if (answers_.empty() || answers_.front().due > now_) return false;
    answer_ = answers_.front();
    answers_.pop_front();
    SectorBytes bytes;
    for (unsigned i = 0; i < 8; i++) std::memcpy(&bytes[4 * i], &memory_[answer_.sector * 8 + i], 4);
    beats_ = split(kPieces, beats_of_answer(kPieces, answer_.write ? kReqWrite : kReqRead), bytes);
    return true;
  }

  static contract::Command launch() {
    contract::Command c;
    c.words[0] = contract::kCommandLaunch;
    for (uint64_t d = 0; d < 3; d++) {
      c.words[contract::kWordGridX + d] = static_cast<uint32_t>(d + 2);
      c.words[contract::kWordBlockX + d] = static_cast<uint32_t>(d + 3);
    }
    c.words[contract::kWordEntryPc] = 0x1238;
    return c;
  }

  struct Answer {
    uint64_t due;
    bool write;
    uint64_t sector;
  };
  Vcommand_processor dut_;
  uint64_t now_ = 0;
  uint32_t tail_[4] = {};
  std::map<uint64_t, uint32_t> memory_;  // by word
  std::deque<Answer> answers_;
  Answer answer_{};          // goes out
  std::vector<Beat> beats_;  // of it, those not sent
  Join write_{kPieces};
  std::mt19937_64 rng_{1};
  uint64_t refused_ = ~uint64_t{0};  // sector that host memory answers with an error
  int interrupts_ = 0, faults_ = 0, kernels_ = 0, copies_ = 0;
};

TEST_F(CommandProcessor, ServesAllRingsInOrder) {
  for (uint32_t i = 0; i < 10; i++)
    for (unsigned ring = 0; ring < kRings; ring++) {
      submit(ring, {}, 100 * ring + i);
      run(200);
    }
  for (uint32_t i = 0; i < 10; i++)
    for (unsigned ring = 0; ring < kRings; ring++) EXPECT_EQ(status(100 * ring + i), contract::kStatusOk);
  for (unsigned ring = 0; ring < kRings; ring++) EXPECT_EQ(head(ring), 10u);
  EXPECT_EQ(interrupts_, 0) << "none was asked for";
  EXPECT_FALSE(dut_.busy_o);
}

TEST_F(CommandProcessor, LaunchRunsUntilDispatcherAndSmsAreIdle) {
  submit(0, launch(), 1);
  dut_.dispatcher_running_i = 1;
  run(200);
  EXPECT_EQ(kernels_, 1);
  EXPECT_EQ(get_bits(dut_.kernel_o, 472 - 32, 32), 0x1238u);
  EXPECT_EQ(dut_.blocks_total_o, 2u * 3 * 4);
  dut_.dispatcher_running_i = 0;
  dut_.sms_busy_i = 1;
  run(50);
  EXPECT_EQ(status(1), 0u) << "the last stores are not visible yet";
  dut_.sms_busy_i = 0;
  run(50);
  EXPECT_EQ(status(1), contract::kStatusOk);
}

TEST_F(CommandProcessor, ImpossibleShapesAreRefused) {
  uint32_t tag = 1;
  const auto refused = [&](auto&& change) {
    contract::Command c = launch();
    change(c);
    submit(0, c, tag);
    run(200);
    EXPECT_EQ(status(tag), contract::kStatusBadCommand) << tag;
    tag++;
  };
  refused([](contract::Command& c) { c.words[contract::kWordGridX] = 0; });
  refused([](contract::Command& c) { c.words[contract::kWordGridZ] = 70000; });
  refused([](contract::Command& c) { c.words[contract::kWordBlockY] = 0; });
  refused([](contract::Command& c) { c.words[contract::kWordBlockX] = 1025; });
  refused([](contract::Command& c) { c.words[contract::kWordBlockZ] = 65; });
  refused([](contract::Command& c) {
    c.words[contract::kWordBlockX] = 100;
    c.words[contract::kWordBlockY] = 11;
  });
  refused([](contract::Command& c) { c.words[contract::kWordRegisters] = 256; });
  EXPECT_EQ(kernels_, 0);
}

// A cluster of as many blocks as there may be, in any shape, and one too many; 0 asks for none.
TEST_F(CommandProcessor, Clusters) {
  uint32_t tag = 1;
  for (uint32_t x = 0; x <= kClusterBlocks + 1; x++)
    for (uint32_t y = 0; y <= kClusterBlocks + 1; y += 1 + y / 2)
      for (uint32_t z = 0; z <= kClusterBlocks + 1; z += 1 + z) {
        contract::Command c = launch();
        c.words[contract::kWordClusterX] = x;
        c.words[contract::kWordClusterY] = y;
        c.words[contract::kWordClusterZ] = z;
        submit(0, c, tag);
        run(200);
        const uint32_t size[3] = {std::max(x, 1u), std::max(y, 1u), std::max(z, 1u)};
        const bool fits = size[0] * size[1] * size[2] <= kClusterBlocks;
        ASSERT_EQ(status(tag), fits ? contract::kStatusOk : contract::kStatusBadCommand) << x << " " << y << " " << z;
        if (fits) {
          // kernel_t: clusters, x, y, z, blocks
          EXPECT_EQ(get_bits(dut_.kernel_o, 253, 1), x != 0);
          EXPECT_EQ(get_bits(dut_.kernel_o, 248, 5), size[0]);
          EXPECT_EQ(get_bits(dut_.kernel_o, 243, 5), size[1]);
          EXPECT_EQ(get_bits(dut_.kernel_o, 238, 5), size[2]);
          EXPECT_EQ(get_bits(dut_.kernel_o, 233, 5), size[0] * size[1] * size[2]);
        }
        tag = tag % 20 + 1;
        memory_[(kRecord + 32 * tag) / 4 + 1] = 0;
      }
  contract::Command c = launch();
  c.words[contract::kWordClusterX] = 0x100;
  submit(0, c, tag);
  run(200);
  EXPECT_EQ(status(tag), contract::kStatusBadCommand);
}

TEST_F(CommandProcessor, FaultStopsAndLaterCommandsAbortUntilReset) {
  submit(0, launch(), 1);
  dut_.dispatcher_running_i = 1;
  dut_.sms_busy_i = 1;
  run(200);
  dut_.memory_busy_i = 1;
  dut_.fault_i = 1;
  cycle();
  dut_.fault_i = 0;
  run(50);
  EXPECT_TRUE(dut_.stop_o);
  EXPECT_EQ(status(1), 0u) << "memory still answers what the SMs asked";
  dut_.memory_busy_i = 0;
  run(50);
  EXPECT_EQ(status(1), contract::kStatusFault);
  EXPECT_EQ(faults_, 1);
  submit(0, {}, 2);
  run(200);
  EXPECT_EQ(status(2), contract::kStatusAborted);
  dut_.reset_i = 1;
  for (int i = 0; i < 100 && !dut_.reset_done_o; i++) cycle();
  EXPECT_TRUE(dut_.reset_done_o);
  dut_.reset_i = 0;
  set_tail(0, tail_[0] = 0);
  dut_.dispatcher_running_i = 0;
  dut_.sms_busy_i = 0;
  run(5);
  EXPECT_FALSE(dut_.stop_o);
  submit(0, {}, 3);
  run(200);
  EXPECT_EQ(status(3), contract::kStatusOk);
}

TEST_F(CommandProcessor, CommandThatHostMemoryRefusesFaultsTheDevice) {
  refused_ = (kRing + 32) / 32;  // its second sector
  contract::Command c;
  c.words[0] = contract::kCommandCopy | contract::kFlagIrq;
  submit(0, c, 1);
  run(200);
  EXPECT_EQ(copies_, 0) << "a command of which a part is unknown is not executed";
  EXPECT_EQ(faults_, 1);
  EXPECT_TRUE(dut_.faulted_o);
  EXPECT_FALSE(dut_.busy_o);
  EXPECT_EQ(head(0), 1u);
}

TEST_F(CommandProcessor, RecordThatHostMemoryRefusesFaultsTheDevice) {
  refused_ = (kRecord + 32) / 32;
  submit(0, {}, 1);
  run(200);
  EXPECT_EQ(faults_, 1);
  EXPECT_TRUE(dut_.faulted_o);
}

TEST_F(CommandProcessor, CycleLimitAndDeadlockEndAKernel) {
  dut_.cycle_limit_i = 500;
  dut_.dispatcher_running_i = 1;
  submit(0, launch(), 1);
  run(400);
  EXPECT_EQ(status(1), 0u);
  run(400);
  EXPECT_EQ(status(1), contract::kStatusTimeout);
  dut_.cycle_limit_i = 0;
  dut_.reset_i = 1;
  for (int i = 0; i < 100 && !dut_.reset_done_o; i++) cycle();
  dut_.reset_i = 0;
  set_tail(0, tail_[0] = 0);
  submit(0, launch(), 2);
  run(200);
  dut_.sms_stuck_i = 1;
  run(20);
  dut_.sms_stuck_i = 0;  // it moved after all
  run(200);
  EXPECT_EQ(status(2), 0u);
  dut_.sms_stuck_i = 1;
  run(200);
  EXPECT_EQ(status(2), contract::kStatusDeadlock);
}

TEST_F(CommandProcessor, CopyWaitsForItsEngineAndReportsItsError) {
  contract::Command c;
  c.words[0] = contract::kCommandCopy | contract::kFlagSourceHost | contract::kFlagIrq;
  for (const bool error : {false, true}) {
    submit(kRings - 1, c, error ? 2 : 1);
    run(200);
    EXPECT_EQ(copies_, error ? 2 : 1);
    EXPECT_TRUE(dut_.copying_o);
    dut_.copy_done_i = 1;
    dut_.copy_error_i = error;
    cycle();
    dut_.copy_done_i = 0;
    run(50);
    EXPECT_FALSE(dut_.copying_o);
    EXPECT_EQ(status(error ? 2 : 1), error ? contract::kStatusBadCommand : contract::kStatusOk);
  }
  EXPECT_EQ(interrupts_, 2);
}

// Each word of a command at its place, each of the record.
TEST_F(CommandProcessor, AllWordsOfCommandAndRecord) {
  for (uint32_t tag = 1; tag <= 20; tag++) {
    contract::Command c;
    for (uint32_t& word : c.words) word = static_cast<uint32_t>(rng_());
    c.words[0] = contract::kCommandCopy | contract::kFlagDestinationHost;
    for (unsigned w = 0; w < 8; w++) memory_[(kRecord + 32 * tag) / 4 + w] = 0x55;
    submit(0, c, tag);
    run(150);
    ASSERT_TRUE(dut_.copying_o);
    // copy_t: fill, source_host, destination_host, source, destination, bytes, more_rows, pitches, pattern
    EXPECT_EQ(get_bits(dut_.copy_o, 320, 3), 1u);
    EXPECT_EQ(get_bits(dut_.copy_o, 256, 64), c.get64(contract::kWordSource));
    EXPECT_EQ(get_bits(dut_.copy_o, 192, 64), c.get64(contract::kWordDestination));
    EXPECT_EQ(get_bits(dut_.copy_o, 128, 64), c.get64(contract::kWordBytes));
    EXPECT_EQ(get_bits(dut_.copy_o, 96, 32), c.words[contract::kWordMoreRows]);
    EXPECT_EQ(get_bits(dut_.copy_o, 64, 32), c.words[contract::kWordSourcePitch]);
    EXPECT_EQ(get_bits(dut_.copy_o, 32, 32), c.words[contract::kWordDestinationPitch]);
    EXPECT_EQ(get_bits(dut_.copy_o, 0, 32), c.words[contract::kWordPattern]);
    // kernel_t, from its last member.
    EXPECT_EQ(get_bits(dut_.kernel_o, 0, 32), c.words[contract::kWordGridId]);
    EXPECT_EQ(get_bits(dut_.kernel_o, 32, 32), c.words[contract::kWordEnvreg1]);
    EXPECT_EQ(get_bits(dut_.kernel_o, 64, 32), c.words[contract::kWordEnvreg0]);
    EXPECT_EQ(get_bits(dut_.kernel_o, 96, 40), c.get64(contract::kWordLocalBase) & ((uint64_t{1} << 40) - 1));
    EXPECT_EQ(get_bits(dut_.kernel_o, 472 - 32, 32), c.words[contract::kWordEntryPc]);
    const uint64_t before = now_;
    dut_.copy_done_i = 1;
    cycle();
    dut_.copy_done_i = 0;
    run(80);
    const auto word = [&](unsigned w) { return memory_[(kRecord + 32 * tag) / 4 + w]; };
    EXPECT_EQ(word(0), tag);
    EXPECT_EQ(word(1), contract::kStatusOk);
    EXPECT_LE(word(2), before);
    EXPECT_GT(word(2), before - 150);
    EXPECT_EQ(word(3), 0u);
    EXPECT_GT(word(4), before);
    EXPECT_LE(word(4), before + 80);
    for (unsigned w = 5; w < 8; w++) EXPECT_EQ(word(w), 0u) << w;
  }
}

}  // namespace
