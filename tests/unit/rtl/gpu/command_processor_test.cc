// SPDX-License-Identifier: Apache-2.0
// The command processor with rings in a map, engines that answer when told to, preset cc80 (4 rings).
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "Vcommand_processor.h"
#include "host-runtime/device/contract.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "verilated.h"

namespace {

namespace contract = heddle::contract;
using heddle::test::get_bits;
using heddle::test::set_bits;

constexpr uint64_t kRing = 0x10000, kRecord = 0x80000;

class CommandProcessor : public ::testing::Test {
 protected:
  CommandProcessor() {
    for (unsigned r = 0; r < 4; r++) {
      set_bits(dut_.ring_base_i, 64 * r, 64, kRing + 0x1000 * r);
      dut_.ring_mask_i |= uint64_t{3} << 16 * r;  // 4 entries
    }
    dut_.rst_ni = 0;
    cycle();
    dut_.rst_ni = 1;
  }

  // Puts a command into a ring; the record goes to kRecord + 32 * tag.
  void submit(unsigned ring, contract::Command c, uint32_t tag) {
    c.words[contract::kWordTag] = tag;
    c.set64(contract::kWordCompletion, kRecord + 32 * tag);
    const uint64_t at = kRing + 0x1000 * ring + 128 * (tail_[ring] % 4);
    for (unsigned i = 0; i < 32; i++) memory_[at / 4 + i] = c.words[i];
    set_bits(dut_.ring_tail_i, 32 * ring, 32, ++tail_[ring]);
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
    if (dut_.host_req_valid_o && dut_.host_req_ready_i) {
      const bool write = get_bits(dut_.host_req_o, 347, 1);
      const uint64_t sector = get_bits(dut_.host_req_o, 288, 59);
      if (write)
        for (unsigned i = 0; i < 8; i++)
          memory_[sector * 8 + i] = static_cast<uint32_t>(get_bits(dut_.host_req_o, 32 * i, 32));
      answers_.push_back({now_ + 7, write, sector});
    }
    interrupts_ += dut_.irq_completion_o;
    faults_ += dut_.irq_fault_o;
    kernels_ += dut_.kernel_start_o;
    copies_ += dut_.copy_start_o;
    dut_.clk_i = 1;
    dut_.eval();
    dut_.host_rsp_valid_i = 0;
    if (!answers_.empty() && answers_.front().due <= now_) {
      const Answer a = answers_.front();
      answers_.pop_front();
      dut_.host_rsp_valid_i = 1;
      set_bits(dut_.host_rsp_i, 257, 1, a.write);
      set_bits(dut_.host_rsp_i, 256, 1, a.sector == refused_);
      for (unsigned i = 0; i < 8; i++) set_bits(dut_.host_rsp_i, 32 * i, 32, memory_[a.sector * 8 + i]);
    }
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
  uint64_t refused_ = ~uint64_t{0};  // sector that host memory answers with an error
  int interrupts_ = 0, faults_ = 0, kernels_ = 0, copies_ = 0;
};

TEST_F(CommandProcessor, ServesAllRingsInOrder) {
  for (uint32_t i = 0; i < 10; i++)
    for (unsigned ring = 0; ring < 4; ring++) {
      submit(ring, {}, 100 * ring + i);
      run(100);
    }
  for (uint32_t i = 0; i < 10; i++)
    for (unsigned ring = 0; ring < 4; ring++) EXPECT_EQ(status(100 * ring + i), contract::kStatusOk);
  for (unsigned ring = 0; ring < 4; ring++) EXPECT_EQ(get_bits(dut_.ring_head_o, 32 * ring, 32), 10u);
  EXPECT_EQ(interrupts_, 0) << "none was asked for";
  EXPECT_FALSE(dut_.busy_o);
}

TEST_F(CommandProcessor, LaunchRunsUntilDispatcherAndSmsAreIdle) {
  submit(0, launch(), 1);
  dut_.dispatcher_running_i = 1;
  run(100);
  EXPECT_EQ(kernels_, 1);
  EXPECT_EQ(get_bits(dut_.kernel_o, 451 - 32, 32), 0x1238u);
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
    run(100);
    EXPECT_EQ(status(tag), contract::kStatusBadCommand) << tag;
    tag++;
  };
  refused([](contract::Command& c) { c.words[contract::kWordGridX] = 0; });
  refused([](contract::Command& c) { c.words[contract::kWordGridZ] = 70000; });
  refused([](contract::Command& c) { c.words[contract::kWordBlockY] = 0; });
  refused([](contract::Command& c) { c.words[contract::kWordBlockX] = 1025; });
  refused([](contract::Command& c) { c.words[contract::kWordBlockZ] = 65; });
  refused([](contract::Command& c) { c.words[contract::kWordBlockX] = 100; c.words[contract::kWordBlockY] = 11; });
  refused([](contract::Command& c) { c.words[contract::kWordRegisters] = 256; });
  EXPECT_EQ(kernels_, 0);
}

TEST_F(CommandProcessor, FaultStopsAndLaterCommandsAbortUntilReset) {
  submit(0, launch(), 1);
  dut_.dispatcher_running_i = 1;
  dut_.sms_busy_i = 1;
  run(100);
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
  run(100);
  EXPECT_EQ(status(2), contract::kStatusAborted);
  dut_.reset_i = 1;
  for (int i = 0; i < 100 && !dut_.reset_done_o; i++) cycle();
  EXPECT_TRUE(dut_.reset_done_o);
  dut_.reset_i = 0;
  set_bits(dut_.ring_tail_i, 0, 32, tail_[0] = 0);
  dut_.dispatcher_running_i = 0;
  dut_.sms_busy_i = 0;
  run(5);
  EXPECT_FALSE(dut_.stop_o);
  submit(0, {}, 3);
  run(100);
  EXPECT_EQ(status(3), contract::kStatusOk);
}

TEST_F(CommandProcessor, CommandThatHostMemoryRefusesFaultsTheDevice) {
  refused_ = (kRing + 96) / 32;  // its last sector
  contract::Command c;
  c.words[0] = contract::kCommandCopy | contract::kFlagIrq;
  submit(0, c, 1);
  run(100);
  EXPECT_EQ(copies_, 0) << "a command of which a part is unknown is not executed";
  EXPECT_EQ(faults_, 1);
  EXPECT_TRUE(dut_.faulted_o);
  EXPECT_FALSE(dut_.busy_o);
  EXPECT_EQ(get_bits(dut_.ring_head_o, 0, 32), 1u);
}

TEST_F(CommandProcessor, RecordThatHostMemoryRefusesFaultsTheDevice) {
  refused_ = (kRecord + 32) / 32;
  submit(0, {}, 1);
  run(100);
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
  set_bits(dut_.ring_tail_i, 0, 32, tail_[0] = 0);
  submit(0, launch(), 2);
  run(100);
  dut_.sms_stuck_i = 1;
  run(20);
  dut_.sms_stuck_i = 0;  // it moved after all
  run(100);
  EXPECT_EQ(status(2), 0u);
  dut_.sms_stuck_i = 1;
  run(200);
  EXPECT_EQ(status(2), contract::kStatusDeadlock);
}

TEST_F(CommandProcessor, CopyWaitsForItsEngineAndReportsItsError) {
  contract::Command c;
  c.words[0] = contract::kCommandCopy | contract::kFlagSourceHost | contract::kFlagIrq;
  for (const bool error : {false, true}) {
    submit(1, c, error ? 2 : 1);
    run(100);
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

}  // namespace
