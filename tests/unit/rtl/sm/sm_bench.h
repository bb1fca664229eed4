// SPDX-License-Identifier: Apache-2.0
// An SM with a memory behind its L2 link: assembles a kernel, runs its blocks, and lets the test read memory.
//
//   SmBench sm(seed);
//   sm.load({"S2R R0, 0", …, "EXIT"});
//   sm.launch({.block = {64, 1, 1}, .registers = 16});
//   EXPECT_EQ(sm.word(sm.out + 4), …);
#ifndef HEDDLE_TESTS_UNIT_RTL_SM_SM_BENCH_H_
#define HEDDLE_TESTS_UNIT_RTL_SM_SM_BENCH_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "Vsm.h"
#include "presets/preset.h"
#include "tests/unit/rtl/memory/beats.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {

struct Launch {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {32, 1, 1};
  unsigned registers = 32;
  unsigned shared_bytes = 0;
  std::vector<std::uint32_t> params = {};
  std::uint64_t max_cycles = 100000;
};

struct Fault {
  unsigned kind, code, warp, thread, pc;
  std::uint64_t address;
  unsigned ctaid_x;
};

class SmBench : public RtlBench<Vsm> {
 public:
  static constexpr std::uint64_t kMemory = std::uint64_t{1} << 36;  // device memory begins
  static constexpr std::uint64_t kCode = kMemory;
  static constexpr std::uint64_t kParams = kMemory + 0x10000;
  static constexpr std::uint64_t kConstants = kMemory + 0x18000;
  static constexpr std::uint64_t kOut = kMemory + 0x20000;
  static constexpr std::uint64_t kEnd = kMemory + 0x100000;

  explicit SmBench(std::uint64_t seed);

  // Assembles and loads a kernel; a line "name:" is a label, "@name" in a line stands for its address.
  void load(const std::vector<std::string>& lines);
  void load_words(const std::vector<std::uint64_t>& words);

  // Runs a grid to its end. Fails the test when it does not end, unless a fault or a deadlock is expected.
  void launch(const Launch& launch);
  // The same in steps: begin(), then cycle() until finished().
  void begin(const Launch& launch);
  void step();
  bool finished() const { return blocks_left_ == 0; }

  std::uint32_t word(std::uint64_t address);
  void set_word(std::uint64_t address, std::uint32_t value);
  std::uint32_t out(unsigned index) { return word(kOut + 4 * std::uint64_t{index}); }

  std::optional<Fault> fault();
  bool stuck() const { return top->stuck_o != 0; }

  // Settings, used from the next launch on.
  unsigned policy = 0;
  unsigned yield_branches = 64;
  unsigned latency = 40;      // of memory, cycles
  unsigned stall_one_in = 0;  // requests refused and answers delayed at random; 0: never

  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::uint64_t kernel_cycles = 0;
  const Preset preset;

 private:
  struct Response {
    std::uint64_t due;
    unsigned kind, id, link;
    SectorBytes data;
  };
  struct Slot {
    bool busy = false;
  };

  void drive_settings();
  unsigned id_bits() const {
    const auto bits = [](int n) { return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(n))); };
    const auto& s = preset.structure;
    const unsigned atomics = s.row_lanes == 32 && s.axi_data_bits == 256 ? bits(s.lsu_entries) + 5 : 0;
    return std::max({8u, bits(s.l1_mshrs) + 2, atomics});
  }
  // On which of the SM's links answers about a sector come: that of the L2's slice of its line.
  unsigned link_of(std::uint64_t address) const {
    unsigned link = 0;
    const int step = std::bit_width(static_cast<unsigned>(preset.structure.l2_slices)) - 1;
    for (int b = 7; preset.structure.l2_links > 1 && b < 36; b += step) link ^= static_cast<unsigned>(address >> b) & 1;
    return link;
  }
  void memory_request();
  void memory_response();
  void offer_block();

  std::vector<std::uint8_t> memory_;
  std::deque<Response> responses_;
  std::deque<Beat> answer_;  // beats of the first of them that are still to come
  const unsigned pieces_;    // of a sector on the link
  Join request_;             // beats of a request
  std::tuple<unsigned, unsigned, std::uint64_t, unsigned, bool, unsigned> request_of_;
  std::uint32_t code_size_ = 0;
  Launch launch_;
  unsigned next_block_ = 0, blocks_ = 0, blocks_left_ = 0, slots_ = 0;
  std::vector<Slot> slot_;
  int offered_ = -1;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_SM_SM_BENCH_H_
