// SPDX-License-Identifier: Apache-2.0
// Random instructions of all warps, picked when a scheduler would: each issues once, with the lanes whose guard holds,
// to the collectors, the convergence unit or as a fault; then it is counted and traced.
#include <Vissue_stage_top.h>

#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using isa::SpecialReg;
constexpr unsigned kInt = static_cast<unsigned>(isa::Unit::Int), kTensor = static_cast<unsigned>(isa::Unit::Tensor),
                   kCtl = static_cast<unsigned>(isa::Unit::Ctl), kUnits = kCtl + 1;
constexpr std::uint32_t kSpaceConst = 3;  // the code of a fault: the constant space

struct Instruction {
  unsigned warp = 0;
  std::uint32_t pc = 0, op = 0, to = 0, mod = 0, rd = 0, pd = 0, pq = 0, ra = 0, reads = 0, psrc = 7, psrc2 = 7,
                imm = 0, fault = 0;
  bool b_imm = false, special = false, konst = false, answers = false;
  std::uint32_t active = 0, guard = 0;
  std::array<std::uint32_t, 8> words{};  // all of it but imm and b_imm
  std::uint32_t taken() const { return active & guard; }
  // A constant that cannot be read matters where it is used only.
  bool faults() const { return fault != 0 && (!konst || taken() != 0); }
  bool collects() const { return !faults() && (to != kCtl || reads != 0 || psrc % 8 != 7 || psrc2 % 8 != 7); }
};

struct Warp {
  std::uint32_t row = 0, tid_x = 0, ctaid_x = 0, seq = 0;
};

// S2R of a register that differs from lane to lane.
struct LaneSpecial {
  std::uint32_t index, tid_x;
};

class IssueStageTest : public ::testing::Test {
 protected:
  IssueStageTest() : bench(seed()), top(*bench.top) { begin(); }

  void begin() {
    top.kernel_start_i = top.halt_i = top.start_valid_i = top.pick_valid_i = top.special_valid_i = 0;
    top.ready_i = 0;
    bench.reset();
    bench.settle();
    lanes = top.sizes_o & 0xff;
    slices = top.sizes_o >> 8 & 0xff;
    warps.resize(top.sizes_o >> 16 & 0xff);
    parts = top.sizes_o >> 24;
    part = static_cast<unsigned>(bench.rng() % parts);
    top.part_i = static_cast<unsigned char>(part);
    top.special_slice_i = 0;
    top.block_x_i = 1024;
    picked.reset();
    issuing.reset();
    retired.reset();
    asked.reset();
    remembered.reset();
    last_pick = -10;
    was_ready = 0;
    top.kernel_start_i = 1;
    bench.tick();
    top.kernel_start_i = 0;
    for (bench.settle(); !top.ready_o; bench.settle()) {
      bench.tick();
      ASSERT_LT(bench.cycle, 100u) << "never ready";
    }
    for (unsigned w = 0; w < warps.size(); w++) {
      start(w);
      bench.tick();
    }
    top.start_valid_i = 0;
  }

  std::uint32_t word() { return static_cast<std::uint32_t>(bench.rng()); }

  void start(unsigned w) {
    warps[w] = {word() % 512, word() % 32 * 32, word(), 0};
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    top.start_row_i = static_cast<unsigned short>(warps[w].row);
    top.start_tid_x_i = static_cast<unsigned short>(warps[w].tid_x);
    top.start_ctaid_x_i = warps[w].ctaid_x;
  }

  // Drives a random instruction and what it reads.
  Instruction drive_instruction() {
    Instruction i;
    top.steps_i = 0;
    i.pc = word();
    i.op = word() & 0xff;
    i.to = word() % kUnits;
    i.mod = word() & 0x3ffff;
    i.rd = word() & 0xff;
    i.pd = word() & 7;
    i.pq = word() & 7;
    i.ra = word() & 0xff;
    i.reads = bench.one_in(2) ? 0 : word() & 0x3f;
    i.psrc = bench.one_in(4) ? word() % 16 : 7 | word() % 2 << 3;
    i.psrc2 = bench.one_in(4) ? word() % 16 : 7 | word() % 2 << 3;
    i.imm = word();
    i.fault = bench.one_in(6) ? 1 + word() % 15 : 0;
    i.konst = bench.one_in(2);
    i.answers = bench.one_in(2);
    i.b_imm = bench.one_in(2);
    i.special = i.to == kInt && i.fault == 0 && bench.one_in(2);
    if (i.special) {
      constexpr std::array kIndices = {SpecialReg::TidX,   SpecialReg::LaneId,     SpecialReg::CtaidX,
                                       SpecialReg::WarpId, SpecialReg::ActiveMask, SpecialReg::Clock};
      i.imm = static_cast<std::uint32_t>(kIndices.at(bench.rng() % kIndices.size()));
    }
    i.active = bench.one_in(3) ? 1u << word() % 32 : bench.one_in(2) ? ~0u : word();
    i.guard = bench.one_in(3) ? 0 : bench.one_in(2) ? ~0u : word();
    for (unsigned n = 0; n < 8; n++) top.rest_i[n] = word();
    top.pc_i = i.pc;
    top.op_i = static_cast<unsigned char>(i.op);
    top.to_i = static_cast<unsigned char>(i.to);
    top.mod_i = i.mod;
    top.rd_i = static_cast<unsigned char>(i.rd);
    top.pd_i = static_cast<unsigned char>(i.pd);
    top.pq_i = static_cast<unsigned char>(i.pq);
    top.ra_i = static_cast<unsigned char>(i.ra);
    top.reads_i = static_cast<unsigned char>(i.reads);
    top.b_imm_i = i.b_imm;
    top.special_i = i.special;
    top.konst_i = i.konst;
    top.imm_i = i.imm;
    top.answers_i = i.answers;
    top.fault_i = static_cast<unsigned char>(i.fault);
    top.active_i = i.active;
    top.guard_i = i.guard;
    top.psrc_i = static_cast<unsigned char>(i.psrc);
    top.psrc2_i = static_cast<unsigned char>(i.psrc2);
    top.entry_i = static_cast<unsigned char>(bench.rng() % 4);
    bench.settle();
    for (unsigned n = 0; n < 8; n++) i.words[n] = top.d_in_o[n];
    return i;
  }

  static unsigned lowest(std::uint32_t mask) { return mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask)); }
  unsigned slot(unsigned warp) const { return warp * parts + part; }

  // A special register that is the same in all lanes; none: it differs.
  std::optional<std::uint64_t> uniform(const Instruction& i) const {
    switch (static_cast<SpecialReg>(i.imm)) {
      case SpecialReg::CtaidX: return warps[i.warp].ctaid_x;
      case SpecialReg::WarpId: return slot(i.warp);
      case SpecialReg::ActiveMask: return i.active;
      case SpecialReg::Clock: return top.cycle_i;
      default: return std::nullopt;
    }
  }

  void check_collect(const Instruction& i) {
    const Warp& w = warps[i.warp];
    for (unsigned n = 0; n < 8; n++)
      ASSERT_EQ(top.collect_d_o[n], i.words[n]) << "word " << n << " cycle " << bench.cycle;
    ASSERT_EQ(top.collect_slot_o, slot(i.warp));
    ASSERT_EQ(top.collect_slice_o, 0);
    ASSERT_EQ(top.collect_seq_o, w.seq & 0xffff);
    ASSERT_EQ(top.collect_entry_o, top.entry_i);
    ASSERT_EQ(top.collect_rd_o, i.rd);
    ASSERT_EQ(top.collect_pd_o, i.pd);
    ASSERT_EQ(top.collect_pq_o, i.pq);
    ASSERT_EQ(top.collect_mask_o, i.taken()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.collect_row_o, w.row) << "warp " << i.warp << " cycle " << bench.cycle;
    ASSERT_EQ(top.collect_lane_o, lowest(i.taken()));
    ASSERT_EQ(top.collect_warp_o, i.warp);
    const auto value = i.special ? uniform(i) : std::nullopt;
    const bool by_lane = i.special && !value;
    ASSERT_EQ(top.collect_lanes_o, by_lane) << "special register " << i.imm;
    ASSERT_EQ(top.collect_b_imm_o, i.special ? !by_lane : i.b_imm);
    const std::uint64_t imm = value.value_or((i.imm >> 31 ? 0xffffffff00000000 : 0) | i.imm);
    if (!by_lane) {
      ASSERT_EQ(top.collect_imm_o, static_cast<std::uint32_t>(imm)) << "cycle " << bench.cycle;
      ASSERT_EQ(top.collect_imm_hi_o, static_cast<std::uint32_t>(imm >> 32)) << "cycle " << bench.cycle;
    }
    (by_lane ? by_lanes : i.special ? uniforms : others)++;
    collects++;
  }

  void check_control(const Instruction& i) {
    ASSERT_EQ(top.control_warp_o, i.warp);
    ASSERT_EQ(top.control_seq_o, warps[i.warp].seq & 0xffff);
    ASSERT_EQ(top.control_pc_o, i.pc);
    ASSERT_EQ(top.control_op_o, i.op);
    ASSERT_EQ(top.control_mod_o, i.mod);
    ASSERT_EQ(top.control_rd_o, i.rd);
    ASSERT_EQ(top.control_pd_o, i.pd);
    ASSERT_EQ(top.control_bar_o, i.ra & 15);
    ASSERT_EQ(top.control_imm_o, i.imm);
    ASSERT_EQ(top.control_taken_o, i.taken()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.control_all_p_o, i.psrc < 8);
    ASSERT_EQ(top.control_any_p_o, i.psrc < 8);
    ASSERT_EQ(top.control_b_o, i.b_imm ? i.imm : 0);
    ASSERT_EQ(top.control_c_o, 0);
    controls++;
  }

  void check_fault(const Instruction& i) {
    ASSERT_EQ(top.fault_kind_o, i.fault);
    ASSERT_EQ(top.fault_code_o, i.konst ? kSpaceConst : 0);
    ASSERT_EQ(top.fault_slot_o, slot(i.warp));
    ASSERT_EQ(top.fault_lane_o, lowest(i.konst ? i.taken() : i.active)) << "cycle " << bench.cycle;
    ASSERT_EQ(top.fault_pc_o, i.pc);
    ASSERT_EQ(top.fault_address_o, i.konst ? i.imm : 0);
    faults++;
  }

  void check_issue(const std::optional<Instruction>& i) {
    ASSERT_EQ(top.valid_o, i.has_value()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.fault_valid_o, i && i->faults()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.collect_valid_o, i && i->collects()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.control_valid_o, i && !i->faults() && !i->collects()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.executes_o, i && !i->faults() && (i->to != kCtl || i->answers)) << "cycle " << bench.cycle;
    if (!i) return;
    ASSERT_EQ(top.warp_o, i->warp) << "cycle " << bench.cycle;
    for (unsigned n = 0; n < 8; n++) ASSERT_EQ(top.d_o[n], i->words[n]) << "word " << n << " cycle " << bench.cycle;
    ASSERT_EQ(top.imm_o, i->imm);
    ASSERT_EQ(top.b_imm_o, i->b_imm);
    if (i->faults()) check_fault(*i);
    else if (i->collects()) check_collect(*i);
    else check_control(*i);
    spared += i->fault != 0 && !i->faults();
  }

  // Of what issued in the last cycle.
  void check_trace() {
    ASSERT_EQ(top.count_warp_o, retired.has_value()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.trace_valid_o, retired.has_value()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.count_thread_o, retired ? std::popcount(retired->taken()) : 0) << "cycle " << bench.cycle;
    if (!retired) return;
    ASSERT_EQ(top.trace_slot_o, slot(retired->warp));
    ASSERT_EQ(top.trace_seq_o, retired_seq);
    ASSERT_EQ(top.trace_pc_o, retired->pc);
    ASSERT_EQ(top.trace_active_o, retired->active);
  }

  // The row or slice asked for in the last cycle.
  void check_row() {
    if (!asked) return;
    for (unsigned l = 0; l < lanes; l++) {
      const unsigned lane = asked_slice * lanes + l;
      const std::uint32_t value =
          asked->index == static_cast<std::uint32_t>(SpecialReg::LaneId) ? lane : asked->tid_x + lane;
      ASSERT_EQ(top.special_row_o[l], value) << "lane " << lane << " cycle " << bench.cycle;
    }
    rows++;
  }

  // Warps that may issue, and how often the scheduler picks one.
  void step(std::uint32_t ready, std::uint32_t pick_one_in) {
    const std::uint32_t all = (1u << warps.size()) - 1;
    top.ready_i = static_cast<unsigned short>(ready & all);
    top.cycle_i = bench.rng();
    top.pick_valid_i = 0;
    top.pick_warp_i = static_cast<unsigned char>(bench.rng() % warps.size());
    const Instruction noise = drive_instruction();
    check_trace();
    check_row();
    // Whole rows: the warps that are ready now. Slices: those of the cycle before, and none for three cycles after a
    // pick.
    const std::uint32_t expected = slices == 1                                      ? (top.halt_i ? 0 : top.ready_i)
                                   : static_cast<int>(bench.cycle) - last_pick <= 3 ? 0
                                                                                    : was_ready;
    ASSERT_EQ(top.candidates_o, expected) << "cycle " << bench.cycle;
    std::optional<unsigned> pick;
    if (expected != 0 && bench.one_in(pick_one_in)) {
      do pick = static_cast<unsigned>(bench.rng() % warps.size());
      while ((expected >> *pick & 1) == 0);
      top.pick_valid_i = 1;
      top.pick_warp_i = static_cast<unsigned char>(*pick);
      last_pick = static_cast<int>(bench.cycle);
    }
    // The instruction is read in the cycle of the pick, or in the next one.
    const auto reading = slices == 1 ? pick : picked;
    std::optional<Instruction> read;
    bench.settle();
    ASSERT_EQ(top.read_valid_o, reading.has_value()) << "cycle " << bench.cycle;
    if (reading) {
      ASSERT_EQ(top.warp_o, *reading) << "cycle " << bench.cycle;
      read = noise;
      read->warp = *reading;
    }
    const auto issued = top.halt_i ? std::nullopt : slices == 1 ? read : issuing;
    halted += top.halt_i && (slices == 1 ? top.ready_i != 0 : issuing.has_value());
    check_issue(issued);
    if (HasFatalFailure()) return;
    // Slices of the special register that was read last, of any instruction meanwhile.
    asked.reset();
    top.special_valid_i = 0;
    if (slices > 1 && remembered && bench.one_in(2)) {
      top.special_valid_i = 1;
      asked_slice = static_cast<unsigned>(bench.rng() % slices);
      top.special_slice_i = static_cast<unsigned char>(asked_slice);
      asked = remembered;
    }
    if (issued && issued->special && !uniform(*issued)) {
      remembered = LaneSpecial{issued->imm, warps[issued->warp].tid_x};
      if (slices == 1) asked = remembered, asked_slice = 0;
    }
    retired = issued;
    if (issued) retired_seq = warps[issued->warp].seq++ & 0xffff;
    // Some other warp begins.
    const auto w = static_cast<unsigned>(bench.rng() % warps.size());
    if (restarts && pick != w && picked != w && !(issuing && issuing->warp == w) && bench.one_in(10)) start(w);
    issuing = read;
    picked = pick;
    was_ready = top.ready_i;
    bench.tick();
    top.start_valid_i = 0;
  }

  RtlBench<Vissue_stage_top> bench;
  Vissue_stage_top& top;
  unsigned lanes = 0, slices = 0, parts = 0, part = 0;
  std::vector<Warp> warps;
  std::optional<unsigned> picked;               // in the last cycle
  std::optional<Instruction> issuing, retired;  // read; issued in the last cycle
  std::uint32_t retired_seq = 0, was_ready = 0;
  std::optional<LaneSpecial> remembered, asked;
  unsigned asked_slice = 0;
  int last_pick = -10;
  bool restarts = true;
  unsigned collects = 0, controls = 0, faults = 0, spared = 0, by_lanes = 0, uniforms = 0, others = 0, rows = 0,
           halted = 0;
};

TEST_F(IssueStageTest, EachPickedInstructionIssuesOnceAndWhereItBelongs) {
  for (int phase = 0; phase < 130 && !HasFatalFailure(); phase++) {
    const auto pick = static_cast<std::uint32_t>(1 + bench.rng() % 3);
    const auto sparse = bench.rng() % 4;
    for (int n = 0; n < 600 && !HasFatalFailure(); n++) {
      std::uint32_t ready = word();
      for (unsigned k = 0; k < sparse; k++) ready &= word();
      step(ready, pick);
    }
    // A fault elsewhere: nothing issues any more, and the machine begins anew.
    top.halt_i = 1;
    for (int n = 0; n < 10 && !HasFatalFailure(); n++) step(word(), 1);
    if (!HasFatalFailure()) begin();
  }
  std::printf(
      "to collectors %u (special by lane %u, uniform %u), to convergence %u, faults %u, spared %u, rows %u, halted "
      "%u\n",
      collects, by_lanes, uniforms, controls, faults, spared, rows, halted);
  EXPECT_GT(others, 1500u);
  EXPECT_GT(by_lanes, 100u);
  EXPECT_GT(uniforms, 200u);
  EXPECT_GT(rows, 100u);
  EXPECT_GT(controls, 200u);
  EXPECT_GT(faults, 200u);
  EXPECT_GT(spared, 50u);
  EXPECT_GT(halted, 30u);
}

// Whole rows: an instruction a cycle; slices: one in four.
TEST_F(IssueStageTest, IssuesAtItsRate) {
  unsigned count = 0;
  for (int n = 0; n < 400 && !HasFatalFailure(); n++) {
    step(~0u, 1);
    count += retired.has_value();
  }
  EXPECT_EQ(count, slices == 1 ? 400u : 100u);
}

// Numbers of instructions begin anew with the warp only.
TEST_F(IssueStageTest, AWarpsInstructionsAreNumberedFromItsStart) {
  restarts = false;
  const unsigned cycles = 4 * 100;
  for (unsigned n = 0; n < cycles && !HasFatalFailure(); n++) step(2, 1);
  EXPECT_GE(warps[1].seq, 99u);
  for (int n = 0; n < 4 && !HasFatalFailure(); n++) step(0, 1);
  start(1);
  step(0, 1);
  const unsigned before = collects + controls + faults;
  for (int n = 0; n < 8 && !HasFatalFailure(); n++) step(2, 1);
  EXPECT_EQ(warps[1].seq, collects + controls + faults - before);
}

// Step 0 is collected as the instruction issues; the others as there is room, and nothing issues until then.
TEST_F(IssueStageTest, ATensorInstructionCollectsInSteps) {
  if (!top.has_tensor_o) GTEST_SKIP() << "no tensor unit";
  restarts = false;
  for (int n = 0; n < 2000 && !HasFatalFailure(); n++) {
    drive_instruction();
    const unsigned steps = 1 + word() % 2;
    const auto reg = [&](unsigned log2) { return bench.one_in(5) ? 255u : word() % 255 >> log2 << log2; };
    const unsigned a_log2 = word() % 3, b_log2 = word() % 3, c_log2 = 1 + word() % 2;
    const unsigned a = reg(a_log2), b = reg(b_log2), c = reg(c_log2), e = steps == 2 ? reg(0) : 255;
    top.to_i = kTensor;
    top.fault_i = top.special_i = top.konst_i = 0;
    top.steps_i = static_cast<unsigned char>(steps);
    top.fragments_i = e << 24 | c << 16 | b << 8 | a;
    top.fragments_log2_i = static_cast<unsigned char>(c_log2 << 4 | b_log2 << 2 | a_log2);
    const auto expect_step = [&](unsigned step) {
      const unsigned low = step == 0   ? b
                           : step == 1 ? b | 2
                                       : e,
                     quad = step == 0 ? a : c, quad_log2 = step == 0 ? a_log2 : c_log2;
      unsigned low_rows = step == 0   ? (b_log2 != 0 ? 3 : 1)
                          : step == 1 ? (b_log2 == 2 ? 3 : 0)
                                      : 1,
               quad_rows = step == 2 ? 0 : (1u << (1u << quad_log2)) - 1;
      const unsigned uses = low_rows | quad_rows << 2;
      if ((step == 2 ? e : b) == 255) low_rows = 0;
      if (quad == 255) quad_rows = 0;
      const unsigned reads = low_rows | quad_rows << 2;
      ASSERT_EQ(top.collect_step_o, step);
      ASSERT_EQ(top.collect_uses_o, uses);
      ASSERT_EQ(top.collect_reads_o, reads);
      if (low_rows) {
        ASSERT_EQ(top.collect_registers_o & 0xff, low);
      }
      if (quad_rows) {
        ASSERT_EQ(top.collect_registers_o >> 8 & 0xff, quad);
        ASSERT_TRUE(quad_rows < 4 || (top.collect_registers_o >> 16) == (quad | 2));
      }
    };
    top.ready_i = 1;
    top.pick_valid_i = 1;
    top.pick_warp_i = 0;
    top.tensor_room_i = 1;
    bench.settle();
    ASSERT_TRUE(top.valid_o && top.executes_o && top.collect_valid_o);
    expect_step(0);
    const auto seq = top.collect_seq_o;
    const auto mask = top.collect_mask_o;
    bench.tick();
    top.pick_valid_i = 0;
    for (unsigned step = 1; step <= steps;) {
      drive_instruction();
      top.tensor_room_i = bench.one_in(2);
      bench.settle();
      ASSERT_EQ(top.candidates_o, 0);
      ASSERT_FALSE(top.valid_o || top.executes_o || top.control_valid_o || top.fault_valid_o);
      ASSERT_EQ(top.collect_valid_o, top.tensor_room_i);
      if (top.collect_valid_o) {
        expect_step(step);
        ASSERT_EQ(top.collect_seq_o, seq);
        ASSERT_EQ(top.collect_mask_o, mask);
        step++;
      }
      if (HasFatalFailure()) return;
      bench.tick();
    }
    top.steps_i = 0;
    bench.settle();
    ASSERT_FALSE(top.collect_valid_o);
    ASSERT_EQ(top.candidates_o, 1);
  }
}

}  // namespace
}  // namespace heddle::test
