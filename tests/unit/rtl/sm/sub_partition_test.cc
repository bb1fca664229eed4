// SPDX-License-Identifier: Apache-2.0
// Random programs on all warps of a sub-partition, every thread followed on its own: each issued instruction is at its
// lanes' PCs, each result, predicate, address and store is the thread's, and every warp comes to its end.
#include <Vsub_partition_top.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/rtl/sm/thread_model.h"

namespace heddle::test {
namespace {

struct Issued {
  isa::Instruction i;
  std::array<Effect, 32> effect;
  std::uint32_t mask = 0;    // lanes that execute
  unsigned slices_left = 1;  // of all rows
  unsigned sent = 0;         // slices, to the load/store unit
};

struct Warp {
  bool runs = false;
  std::array<Thread, 32> threads;
  std::uint32_t mask = 0;
  std::map<unsigned, Issued> under_way;  // by sequence number
  unsigned next_seq = 0;
};

class SubPartitionTest : public ::testing::TestWithParam<unsigned> {
 protected:
  SubPartitionTest() : bench(seed()), top(*bench.top) {
    top.kernel_start_i = top.start_valid_i = top.fetch_ready_i = top.fetched_valid_i = 0;
    top.konst_ready_i = top.konst_rsp_valid_i = top.lsu_ready_i = top.lsu_rsp_valid_i = 0;
    top.policy_i = static_cast<unsigned char>(GetParam());
    top.part_i = 0;
    bench.reset();
    bench.settle();
    parts = top.sizes_o & 0xff;
    part = static_cast<unsigned>(bench.rng() % parts);
    top.part_i = static_cast<unsigned char>(part);
    warps.resize(top.sizes_o >> 8 & 0xff);
    lanes = top.sizes_o >> 16 & 0xff;
    slices = 32 / lanes;
  }

  void begin(const std::vector<isa::Instruction>& p) {
    program = p;
    words.clear();
    for (const isa::Instruction& i : program) {
      const auto word = isa::encode(i);
      ASSERT_TRUE(word.has_value()) << isa::info(i.op).mnemonic;
      words.push_back(*word);
    }
    top.code_size_i = static_cast<std::uint32_t>(8 * words.size());
    top.registers_i = kRegisters;
    top.block_x_i = 1024;
    top.kernel_start_i = 1;
    step();
    top.kernel_start_i = 0;
    for (int n = 0; n < 100 && !HasFatalFailure(); n++) {
      bench.settle();
      if (top.ready_o) break;
      step();
    }
    for (unsigned w = 0; w < (alone ? 1 : warps.size()) && !HasFatalFailure(); w++) {
      Warp& warp = warps[w];
      warp = {};
      warp.runs = true;
      warp.mask = bench.one_in(4) ? (2u << bench.rng() % 31) - 1 : ~0u;
      top.start_valid_i = 1;
      top.start_warp_i = static_cast<unsigned char>(w);
      top.start_mask_i = warp.mask;
      top.start_row_i = static_cast<unsigned short>(w * kRegisters);
      top.start_tid_x_i = static_cast<unsigned short>(32 * (w % 32));
      top.start_ctaid_x_i = static_cast<std::uint32_t>(bench.rng());
      for (unsigned lane = 0; lane < 32; lane++) {
        Thread& t = warp.threads[lane];
        t.lane = lane;
        t.tid_x = top.start_tid_x_i + lane;
        t.ctaid_x = top.start_ctaid_x_i;
        t.ntid_x = 1024;
        t.ended = (warp.mask >> lane & 1) == 0;
      }
      step();
      top.start_valid_i = 0;
    }
  }

  // Caches and load/store unit, late at random.
  void drive() {
    top.fetched_valid_i = !fetches.empty() && (alone || !bench.one_in(3));
    // One request at a time, as the SM's cache has it: the next one in the cycle of the answer.
    const bool ends = top.fetched_valid_i && fetched_piece + 1 == top.pieces_o;
    top.fetch_ready_i = (fetches.empty() || ends) && (alone || !bench.one_in(4));
    if (top.fetched_valid_i) {
      const auto [warp, sector] = fetches.front();
      top.fetched_warp_i = static_cast<unsigned char>(warp);
      top.fetched_piece_i = static_cast<unsigned char>(fetched_piece);
      for (unsigned i = 0; i < 4 / top.pieces_o; i++) {
        const std::size_t at = std::size_t{sector} * 4 + fetched_piece * 4 / top.pieces_o + i;
        const std::uint64_t word = at < words.size() ? words[at] : 0;
        top.fetched_data_i[2 * i] = static_cast<std::uint32_t>(word);
        top.fetched_data_i[2 * i + 1] = static_cast<std::uint32_t>(word >> 32);
      }
    }
    top.konst_ready_i = bench.one_in(2);
    top.konst_rsp_valid_i = konst.has_value() && bench.one_in(2);
    top.konst_rsp_data_i = konst ? hash32(*konst) : static_cast<std::uint32_t>(bench.rng());
    top.lsu_ready_i = !bench.one_in(3);
    top.ended_ready_i = alone || bench.one_in(4);
    // A response stays until it is taken.
    if (!top.lsu_rsp_valid_i && !loads.empty() && loads.front().complete && bench.one_in(4)) {
      const Load& l = loads.front();
      top.lsu_rsp_valid_i = 1;
      for (unsigned i = 0; i < 3; i++) top.lsu_rsp_tag_i[i] = l.tag[i];
      top.lsu_rsp_we_i = !l.store;
      // Row after row, slice after slice; a store answers once.
      const unsigned slice = l.index % slices, row = l.index / slices;
      top.lsu_rsp_slice_i = static_cast<unsigned char>(slice);
      top.lsu_rsp_index_i = static_cast<unsigned char>(row);
      top.lsu_rsp_last_i = l.index + 1 == l.answers;
      for (unsigned lane = 0; lane < lanes; lane++)
        top.lsu_rsp_row_i[lane] = hash32(l.address[slice * lanes + lane] + 4 * row);
    }
  }

  void on_issue() {
    ASSERT_EQ(top.issue_warp_o % parts, part);
    Warp& w = warps[top.issue_warp_o / parts];
    ASSERT_TRUE(w.runs);
    ASSERT_EQ(top.issue_seq_o, w.next_seq++ & 0xffff);
    ASSERT_EQ(top.issue_pc_o % 8, 0u);
    ASSERT_LT(top.issue_pc_o / 8, program.size());
    ASSERT_NE(top.issue_active_o, 0u);
    Issued issued;
    issued.i = program[top.issue_pc_o / 8];
    for (unsigned lane = 0; lane < 32; lane++) {
      if ((top.issue_active_o >> lane & 1) == 0) continue;
      Thread& t = w.threads[lane];
      ASSERT_TRUE(!t.ended && t.pc == top.issue_pc_o)
          << "warp " << int{top.issue_warp_o} << " lane " << lane << " is at " << t.pc << ", not " << top.issue_pc_o;
      issued.effect[lane] = t.execute(issued.i);
      issued.mask |= (issued.effect[lane].executes ? 1u : 0) << lane;
    }
    instructions++;
    if (isa::info(issued.i.op).unit == isa::Unit::Ctl && issued.i.op != isa::Opcode::Call) return;
    const bool wide =
        issued.i.op == isa::Opcode::ImadWide || issued.i.op == isa::Opcode::Iadd64 ||
        issued.i.op == isa::Opcode::Dadd ||
        (issued.i.op == isa::Opcode::Ldg && issued.i.field("size") == static_cast<unsigned>(isa::MemSize::B64));
    issued.slices_left = issued.i.op == isa::Opcode::Stg ? 1 : (wide ? 2 : 1) * slices;
    w.under_way[top.issue_seq_o] = issued;
  }

  Issued* find(const std::uint32_t* tag) {
    const auto warp = static_cast<unsigned>(get_bits(tag, 62, 8)), seq = static_cast<unsigned>(get_bits(tag, 46, 16));
    if (warp % parts != part) return nullptr;
    auto& list = warps[warp / parts].under_way;
    const auto it = list.find(seq);
    return it == list.end() ? nullptr : &it->second;
  }

  void on_memory() {
    std::array<std::uint32_t, 3> tag = {top.lsu_tag_o[0], top.lsu_tag_o[1], top.lsu_tag_o[2]};
    Issued* issued = find(tag.data());
    ASSERT_TRUE(issued != nullptr) << "a request that was not issued";
    ASSERT_EQ(top.lsu_slice_o, issued->sent) << "slices follow each other, and come once";
    issued->sent++;
    ASSERT_EQ(top.lsu_op_o, static_cast<unsigned>(issued->i.op));
    ASSERT_EQ(tag[0], issued->mask);
    if (top.lsu_slice_o == 0) {
      ASSERT_TRUE(loads.empty() || loads.back().complete) << "another instruction between the slices of one";
      loads.push_back({.tag = tag, .store = issued->i.op == isa::Opcode::Stg, .answers = issued->slices_left});
    }
    Load& l = loads.back();
    ASSERT_EQ(l.tag, tag);
    l.complete = issued->sent == slices;
    const bool wide = issued->i.field("size") == static_cast<unsigned>(isa::MemSize::B64);
    for (unsigned n = 0; n < lanes; n++) {
      const unsigned lane = top.lsu_slice_o * lanes + n;
      l.address[lane] = std::uint64_t{top.lsu_addr_hi_o[n]} << 32 | top.lsu_addr_o[n];
      if ((issued->mask >> lane & 1) == 0) continue;
      const Effect& e = issued->effect[lane];
      ASSERT_EQ(l.address[lane], *e.address) << isa::disassemble(*isa::encode(issued->i)) << " lane " << lane;
      if (!l.store) continue;
      ASSERT_EQ(top.lsu_data0_o[n], e.data[0]) << "lane " << lane;
      if (wide) {
        ASSERT_EQ(top.lsu_data1_o[n], e.data[1]) << "lane " << lane;
      }
    }
  }

  void on_retire() {
    std::array<std::uint32_t, 3> tag = {top.retire_tag_o[0], top.retire_tag_o[1], top.retire_tag_o[2]};
    Issued* issued = find(tag.data());
    ASSERT_TRUE(issued != nullptr) << "a result of nothing";
    SCOPED_TRACE(isa::disassemble(*isa::encode(issued->i)));
    ASSERT_EQ(tag[0], issued->mask);
    const isa::Operand dst = isa::info(issued->i.op).dst;
    const bool row = dst != isa::Operand::None && dst != isa::Operand::P2;
    ASSERT_EQ(top.retire_row_we_o, row && issued->i.rd != isa::kRz);
    ASSERT_EQ(top.retire_p_we_o, dst == isa::Operand::P2);
    issued->slices_left -= 1u + top.retire_pair_o;
    ASSERT_EQ(top.retire_last_o, issued->slices_left == 0);
    for (unsigned n = 0; n < lanes; n++) {
      const unsigned lane = top.retire_slice_o * lanes + n;
      if ((issued->mask >> lane & 1) == 0) continue;
      const Effect& e = issued->effect[lane];
      if (row) {
        ASSERT_EQ(top.retire_row_o[n], top.retire_index_o == 0 ? *e.low : *e.high) << "lane " << lane;
        if (top.retire_pair_o) {
          ASSERT_EQ(top.retire_row_hi_o[n], *e.high) << "lane " << lane;
        }
      }
      if (dst == isa::Operand::P2) {
        ASSERT_EQ(top.retire_p_o >> n & 1, *e.p) << "lane " << lane;
        ASSERT_EQ(top.retire_q_o >> n & 1, *e.q) << "lane " << lane;
      }
    }
    if (top.retire_last_o)
      warps[get_bits(tag.data(), 62, 8) / parts].under_way.erase(static_cast<unsigned>(get_bits(tag.data(), 46, 16)));
  }

  void step() {
    drive();
    bench.settle();
    ASSERT_FALSE(top.fault_valid_o);
    if (top.issue_valid_o) {
      on_issue();
      issues.push_back(bench.cycle);
    }
    if (HasFatalFailure()) return;
    if (top.retire_valid_o) on_retire();
    if (HasFatalFailure()) return;
    if (top.lsu_valid_o && top.lsu_ready_i) request_taken = true;
    if (told) {
      ASSERT_TRUE(top.ended_valid_o) << "an end is withdrawn";
      ASSERT_EQ(*told, top.ended_warp_o) << "another warp's end takes the place of one that waits";
    }
    told.reset();
    if (top.ended_valid_o) {
      Warp& w = warps[top.ended_warp_o];
      ASSERT_TRUE(w.runs && w.under_way.empty()) << "warp " << int{top.ended_warp_o} << " ends with results under way";
      ASSERT_TRUE(std::all_of(w.threads.begin(), w.threads.end(), [](const Thread& t) { return t.ended; }));
      if (top.ended_ready_i) {
        w.runs = false;
        ended++;
      } else {
        told = top.ended_warp_o;
      }
    }
    if (top.fetched_valid_i && ++fetched_piece == top.pieces_o) {
      fetched_piece = 0;
      fetches.pop_front();
    }
    if (top.fetch_valid_o && top.fetch_ready_i) fetches.push_back({top.fetch_warp_o, top.fetch_sector_o});
    if (top.konst_rsp_valid_i) konst.reset();
    if (top.konst_valid_o && top.konst_ready_i) konst = top.konst_offset_o;
    const bool response = top.lsu_rsp_valid_i && top.lsu_rsp_ready_o;
    if (request_taken) on_memory();
    if (HasFatalFailure()) return;
    request_taken = false;
    bench.tick();
    if (response) {
      top.lsu_rsp_valid_i = 0;
      if (++loads.front().index == loads.front().answers) loads.pop_front();
    }
  }

  void run() {
    const unsigned before = ended;
    unsigned quiet = 0, last = instructions;
    while (ended - before < (alone ? 1 : warps.size()) && !HasFatalFailure()) {
      step();
      quiet = instructions == last ? quiet + 1 : 0;
      last = instructions;
      ASSERT_LT(quiet, 2000u) << "nothing issues";
    }
    for (int n = 0; n < 100 && !HasFatalFailure(); n++) {
      bench.settle();
      if (!top.busy_o && fetches.empty()) break;
      step();
    }
    ASSERT_FALSE(top.busy_o);
  }

  struct Load {
    std::array<std::uint32_t, 3> tag;
    bool store = false;
    unsigned answers = 1, index = 0;  // slices of all rows
    bool complete = false;            // all slices have come
    std::array<std::uint64_t, 32> address{};
  };

  RtlBench<Vsub_partition_top> bench;
  Vsub_partition_top& top;
  unsigned parts = 0, part = 0, lanes = 0, slices = 0;
  std::vector<Warp> warps;
  std::vector<isa::Instruction> program;
  std::vector<std::uint64_t> words;
  std::deque<std::pair<unsigned, std::uint32_t>> fetches;
  unsigned fetched_piece = 0;  // of the first of them, comes next
  std::optional<unsigned> konst;
  std::deque<Load> loads;
  bool request_taken = false;
  std::optional<unsigned> told;  // whose end is offered, and was not taken in the last cycle
  unsigned instructions = 0, ended = 0;
  bool alone = false;                 // one warp, and no cache is late
  std::vector<std::uint64_t> issues;  // cycles
};

TEST_P(SubPartitionTest, EveryThreadExecutesItsProgram) {
  ProgramMaker maker(bench.rng);
  for (int n = 0; n < 60 && !HasFatalFailure(); n++) {
    std::vector<isa::Instruction> program;
    // A warp begins with the registers of the one before: set all of them.
    for (unsigned r = 0; r < kRegisters; r++) {
      isa::Instruction i;
      i.op = isa::Opcode::Mov;
      i.form = isa::Form::L;
      i.rd = static_cast<std::uint8_t>(r);
      i.imm = static_cast<std::int32_t>(bench.rng());
      program.push_back(i);
    }
    const auto rest = maker.make(static_cast<unsigned>(20 + bench.rng() % 150));
    program.insert(program.end(), rest.begin(), rest.end());
    begin(program);
    if (!HasFatalFailure()) run();
  }
  std::printf("%u warp instructions, %llu cycles\n", instructions, static_cast<unsigned long long>(bench.cycle));
  EXPECT_GT(instructions, 20000u);
}

// Cycles from an instruction's issue to that of one that needs its result, with rows that move whole.
TEST_P(SubPartitionTest, DependentInstructionsIssueAsSoonAsTheRowCanMeetThem) {
  if (slices > 1) GTEST_SKIP() << "in slices results are read after they are written";
  struct Case {
    isa::Opcode op;
    unsigned rd, ra, rb, cycles, rc = isa::kRz;
  };
  alone = true;
  for (const Case& c :
       {Case{isa::Opcode::Iadd, 1, 1, 2, 4}, Case{isa::Opcode::Iadd, 1, 2, 1, 4}, Case{isa::Opcode::Iadd64, 2, 2, 4, 4},
        // A register that is read more than once takes its bank once.
        Case{isa::Opcode::Iadd, 1, 1, 1, 4}, Case{isa::Opcode::Imad, 1, 1, 1, 4, 1},
        Case{isa::Opcode::Imad, 1, 2, 1, 4, 1}, Case{isa::Opcode::Fadd, 1, 1, 2, 4},
        Case{isa::Opcode::Hmnmx2, 1, 1, 2, 4}, Case{isa::Opcode::I2f, 1, 255, 1, 11},
        Case{isa::Opcode::Dadd, 2, 2, 4, 7}}) {
    std::vector<isa::Instruction> chain(kRegisters + 48);
    for (unsigned n = 0; n < chain.size(); n++) {
      isa::Instruction& i = chain[n];
      const bool sets = n < kRegisters;
      i.op = sets ? isa::Opcode::Mov : c.op;
      i.form = sets ? isa::Form::L : isa::Form::R;
      i.rd = static_cast<std::uint8_t>(sets ? n : c.rd);
      i.ra = static_cast<std::uint8_t>(sets ? 0 : c.ra);
      i.rb = static_cast<std::uint8_t>(sets ? 0 : c.rb);
      if (!sets) i.rc = static_cast<std::uint8_t>(c.rc);
      if (sets) i.imm = static_cast<std::int32_t>(0x3f800000 + n);
    }
    isa::Instruction exit;
    exit.op = isa::Opcode::Exit;
    exit.form = isa::Form::L;
    chain.insert(chain.end(), 4, exit);
    begin(chain);
    issues.clear();
    if (!HasFatalFailure()) run();
    // Fetch now and then takes longer: the median.
    std::vector<std::uint64_t> gaps;
    for (unsigned n = kRegisters + 4; n < kRegisters + 44; n++) gaps.push_back(issues.at(n) - issues.at(n - 1));
    std::ranges::nth_element(gaps, gaps.begin() + 20);
    EXPECT_EQ(gaps[20], c.cycles) << isa::info(c.op).mnemonic;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, SubPartitionTest, ::testing::Values(0u, 1u, 2u), [](const auto& info) {
  return std::string(info.param == 0 ? "Lrr" : info.param == 1 ? "Gto" : "TwoLevel");
});

}  // namespace
}  // namespace heddle::test
