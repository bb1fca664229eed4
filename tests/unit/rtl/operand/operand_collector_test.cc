// SPDX-License-Identifier: Apache-2.0
// Random instructions to all units, with register banks that answer for one cycle only and units that stall, or where
// rows move whole say before whether they take one: each instruction reaches its unit once, slice after slice, with the
// rows, immediates, addresses and predicates that it names, and not before older ones of its warp have read theirs.
// Whole rows may be written as they come from their bank.
#include <Voperand_collector_top.h>

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Unit { Int, Imad, Fp32, Fp16, Cvt, Sfu, Warp, Fp64, Tensor, Lsu, Ctl, kUnits };  // isa_pkg::unit_e
constexpr unsigned kAll = (1u << Ctl) - 1;
using Row = std::array<std::uint32_t, 32>;

struct Instruction {
  unsigned to, op, mod, warp, row, ra, rb, rc, uses, reads, lane, tag_warp, seq, rd, pd, pq, psrc, psrc2;
  std::uint32_t pc, imm, imm_hi, mask, p, p2;
  bool b_imm, lanes, early;
  Row special;
  unsigned block;  // of its warp
  std::uint32_t shared;
  unsigned slices = 0;                  // that its unit has taken
  std::map<unsigned, unsigned> unread;  // slices not yet read, a bit a slice, of each register row
};

class OperandCollectorTest : public ::testing::Test {
 protected:
  OperandCollectorTest() : bench(seed()), top(*bench.top) {
    top.start_valid_i = top.issue_valid_i = 0;
    top.ready_i = top.soon_i = 0;
    bench.reset();
    bench.settle();
    banks = top.sizes_o & 0xff;
    warps = top.sizes_o >> 8 & 0xff;
    lanes = top.sizes_o >> 16 & 0xff;
    slices = 32 / lanes;
    for (unsigned w = 0; w < warps; w++) start(w);
  }

  void start(unsigned w) {
    block[w] = static_cast<unsigned>(bench.rng() % 8);
    shared[w] = static_cast<std::uint32_t>(bench.rng() % 0x4000);
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    top.start_block_i = static_cast<unsigned char>(block[w]);
    top.start_shared_i = shared[w];
    bench.tick();
    top.start_valid_i = 0;
  }

  static std::uint32_t value(unsigned row, unsigned lane) {
    std::uint64_t h = (row * 32 + lane + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    // Low halves at the edges, so that addresses carry.
    if ((h & 7) == 0) return static_cast<std::uint32_t>(h >> 60) - 8;
    return static_cast<std::uint32_t>(h >> 32);
  }

  // An operand row by the rules of decoded_t.
  Row operand(const Instruction& i, unsigned r) const {
    Row row{};
    const unsigned first[3] = {i.ra, i.rb, i.rc};
    for (unsigned lane = 0; lane < 32; lane++) {
      if ((i.reads >> r & 1) != 0) row[lane] = value((i.row + first[r / 2] + r % 2) % 512, lane);
      else if (r == 2 && i.lanes) row[lane] = i.special[lane];
      else if (r == 2 && i.b_imm) row[lane] = i.imm;
      else if (r == 3 && i.b_imm) row[lane] = i.imm_hi;
    }
    return row;
  }

  void expect_row(const Instruction& i, unsigned r, const std::uint32_t* words, const char* name, unsigned first,
                  unsigned count) {
    const Row row = operand(i, r);
    for (unsigned lane = 0; lane < count; lane++)
      ASSERT_EQ(words[lane], row[first + lane])
          << name << " of seq " << i.seq << ", row " << r << " lane " << lane << " cycle " << bench.cycle;
  }

  std::uint32_t of_slice(std::uint32_t mask, unsigned first) const {
    return lanes == 32 ? mask : mask >> first & ((1u << lanes) - 1);
  }

  // A predicate that is data: PT, or as it comes. In slices it has come before.
  std::uint32_t predicate(unsigned source, std::uint32_t comes) const {
    if (slices > 1 || source % 8 != 7) return comes;
    return source == 7 ? ~0u : 0;
  }

  // What has been read; and no unit gets an instruction while an older one of its warp has something left to read: the
  // request could be executed, and its result written, before that.
  void check_reads() {
    for (unsigned b = 0; b < banks; b++) {
      if (!reading[b]) continue;
      for (auto& [seq, i] : under_way) {
        const auto row = i.unread.find(reading[b]->first);
        if (row != i.unread.end()) row->second &= ~(1u << reading[b]->second);
      }
    }
  }

  // Where a unit sees its request: the operand register, or a register behind it.
  static unsigned place(unsigned unit) { return unit < Lsu ? 0 : unit - Lsu + 1; }
  unsigned seq_of(unsigned unit) const { return static_cast<unsigned>(get_bits(top.tag_o, 96 * place(unit) + 46, 16)); }

  // Units that take a slice now; of whole rows the load/store unit, and what comes in the next cycle.
  void open(unsigned units) {
    if (slices > 1) {
      top.ready_i = static_cast<unsigned short>(units);
    } else {
      top.ready_i = static_cast<unsigned short>(promised | (units & 1u << Lsu));
      top.soon_i = static_cast<unsigned short>(units & ~(1u << Lsu));
      promised = top.soon_i;
    }
  }

  // What a request of `unit` must be.
  void check(unsigned unit) {
    const unsigned seq = seq_of(unit), at = place(unit);
    const auto it = under_way.find(seq);
    ASSERT_TRUE(it != under_way.end() && it->second.to == unit) << "unit " << unit << " gets seq " << seq;
    const Instruction& i = it->second;
    const auto slice = static_cast<unsigned>(top.slice_o >> 8 * at & 0xff);
    const unsigned first = slice * lanes;  // lane
    if (unit != Ctl) {
      ASSERT_EQ(slice, i.slices) << "unit " << unit << " cycle " << bench.cycle;
      if (i.slices != 0) {
        ASSERT_EQ(seq, latest[unit]) << "another instruction's slice between";
      }
    }
    for (const auto& [other, older] : under_way) {
      if (older.warp != i.warp || static_cast<std::uint16_t>(seq - other) - 1u >= 0x7fffu) continue;
      for (const auto& [row, left] : older.unread)
        ASSERT_EQ(left, 0u) << "seq " << seq << " goes while seq " << other << " has not read row " << row << ", cycle "
                            << bench.cycle;
    }
    if (unit == Lsu) {
      ASSERT_EQ(seq, lsu_order.front()) << "memory instructions out of order";
    }
    ASSERT_EQ(get_bits(top.tag_o, 96 * at, 32), i.mask);
    ASSERT_EQ(get_bits(top.tag_o, 96 * at + 35, 11), i.rd << 3 | i.pd);
    if (unit != Ctl) {
      ASSERT_EQ(get_bits(top.tag_o, 96 * at + 32, 3), i.pq);
      ASSERT_EQ(get_bits(top.tag_o, 96 * at + 62, 8), i.tag_warp);
    }
    ASSERT_EQ(top.op_o[at], i.mod << 8 | i.op);
    ASSERT_EQ(top.pc_o[at], i.pc);
    const auto uses = [&](unsigned r) { return (i.uses >> r & 1) != 0; };
    switch (unit) {
      case Lsu: {
        const Row a = operand(i, 0), a_hi = operand(i, 1);
        for (unsigned lane = 0; lane < lanes; lane++) {
          const std::uint64_t address = (std::uint64_t{a_hi[first + lane]} << 32 | a[first + lane]) +
                                        static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(i.imm)});
          ASSERT_EQ(top.lsu_addr_o[lane], static_cast<std::uint32_t>(address)) << "lane " << first + lane;
          if (uses(1)) {
            ASSERT_EQ(top.lsu_addr_hi_o[lane], static_cast<std::uint32_t>(address >> 32))
                << "lane " << first + lane << " a " << std::hex << a[first + lane] << " imm " << i.imm;
          }
        }
        if (uses(2)) expect_row(i, 2, &top.lsu_data0_o[0], "data 0", first, lanes);
        if (uses(3)) expect_row(i, 3, &top.lsu_data1_o[0], "data 1", first, lanes);
        if (uses(4)) expect_row(i, 4, &top.lsu_data2_o[0], "data 2", first, lanes);
        if (uses(5)) expect_row(i, 5, &top.lsu_data3_o[0], "data 3", first, lanes);
        ASSERT_EQ(top.lsu_block_o, i.block);
        ASSERT_EQ(top.lsu_shared_o, i.shared);
        break;
      }
      case Ctl:
        for (unsigned s = 0; s < slices && uses(0); s++) {
          top.control_slice_i = static_cast<unsigned char>(s);
          bench.settle();
          expect_row(i, 0, &top.control_row_o[0], "a", s * lanes, lanes);
        }
        ASSERT_EQ(top.control_warp_o, i.warp);
        ASSERT_EQ(top.control_bar_o, i.ra % 16);
        ASSERT_EQ(top.control_imm_o, i.imm);
        ASSERT_EQ(top.control_p_o, predicate(i.psrc, i.p));
        if (uses(2)) {
          ASSERT_EQ(top.control_b_o, operand(i, 2)[i.lane]);
        }
        if (uses(4)) {
          ASSERT_EQ(top.control_c_o, operand(i, 4)[i.lane] & 0x7ff);
        }
        break;
      default: {
        static constexpr const char* kNames[] = {"a", "a_hi", "b", "b_hi", "c", "c_hi"};
        ASSERT_EQ(top.early_o, slices == 1 && i.early);
        ASSERT_EQ(top.p_o, of_slice(predicate(i.psrc, i.p), first));
        ASSERT_EQ(top.p2_o, of_slice(predicate(i.psrc2, i.p2), first));
        for (unsigned r = 0; r < 6; r++)
          if (uses(r)) expect_row(i, r, &top.row_o[32 * r], kNames[r], first, lanes);
      }
    }
  }

  Instruction random_instruction(unsigned to) {
    auto number = [&](unsigned n) { return static_cast<unsigned>(bench.rng() % n); };
    Instruction i{};
    i.to = to;
    i.op = number(256);
    i.mod = number(1 << 18);
    i.warp = bench.one_in(2) ? 0 : number(warps);
    i.row = 2 * number(256);
    const unsigned range = bench.one_in(2) ? 6 : 256;
    i.ra = number(range);
    i.rb = number(range);
    i.rc = number(range);
    // Upper halves only with their lower ones, in pairs.
    for (unsigned r = 0; r < 6; r += 2) {
      if (bench.one_in(3)) continue;
      i.uses |= (bench.one_in(2) ? 1u : 3u) << r;
    }
    if (to == Lsu) i.uses |= 1;
    i.early = bench.one_in(2);
    i.reads = i.uses;
    for (unsigned r = 0; r < 6; r += 2)
      if (bench.one_in(4)) i.reads &= ~(3u << r);  // RZ or an immediate
    if ((i.uses & 4) != 0 && to != Lsu && bench.one_in(3)) {
      i.reads &= ~0xcu;
      i.b_imm = true;
      if (to == Int && bench.one_in(3)) {
        i.b_imm = false;
        i.lanes = true;
        i.uses &= ~8u;
      }
    }
    if ((i.uses & 2) != 0) i.ra &= ~1u;
    if ((i.uses & 8) != 0) i.rb &= ~1u;
    if ((i.uses & 32) != 0) i.rc &= ~1u;
    switch (number(4)) {
      case 0: i.imm = 0; break;
      case 1: i.imm = number(64) - 32; break;
      default: i.imm = static_cast<std::uint32_t>(bench.rng());
    }
    i.imm_hi = bench.one_in(2) ? (i.imm >> 31 ? ~0u : 0) : static_cast<std::uint32_t>(bench.rng());
    i.lane = number(32);
    i.tag_warp = number(warps);
    i.seq = next_seq++ & 0xffff;
    i.rd = number(256);
    i.pd = number(8);
    i.pq = number(8);
    i.psrc = bench.one_in(2) ? number(16) : 7;
    i.psrc2 = bench.one_in(4) ? number(16) : 15;
    i.pc = static_cast<std::uint32_t>(bench.rng());
    i.mask = static_cast<std::uint32_t>(bench.rng());
    i.p = static_cast<std::uint32_t>(bench.rng());
    i.p2 = static_cast<std::uint32_t>(bench.rng());
    for (std::uint32_t& v : i.special) v = static_cast<std::uint32_t>(bench.rng());
    i.block = block[i.warp];
    i.shared = shared[i.warp];
    return i;
  }

  void issue(const Instruction& i) {
    top.issue_valid_i = 1;
    top.pc_i = i.pc;
    top.op_i = static_cast<unsigned char>(i.op);
    top.to_i = static_cast<unsigned char>(i.to);
    top.mod_i = i.mod;
    top.ra_i = static_cast<unsigned char>(i.ra);
    top.rb_i = static_cast<unsigned char>(i.rb);
    top.rc_i = static_cast<unsigned char>(i.rc);
    top.uses_i = static_cast<unsigned char>(i.uses);
    top.reads_i = static_cast<unsigned char>(i.reads);
    top.b_imm_i = i.b_imm;
    top.early_i = i.early;
    top.imm_i = i.imm;
    top.imm_hi_i = i.imm_hi;
    set_bits(top.tag_i, 0, 32, i.mask);
    set_bits(top.tag_i, 32, 30, i.pq | i.pd << 3 | i.rd << 6 | i.seq << 14);
    set_bits(top.tag_i, 62, 8, i.tag_warp);
    top.psrc_i = static_cast<unsigned char>(i.psrc);
    top.psrc2_i = static_cast<unsigned char>(i.psrc2);
    top.row_i = static_cast<unsigned short>(i.row);
    top.lanes_i = i.lanes;
    top.lane_i = static_cast<unsigned char>(i.lane);
    top.warp_i = static_cast<unsigned char>(i.warp);
    Instruction& mine = under_way[i.seq] = i;
    const unsigned base[3] = {i.ra, i.rb, i.rc};
    for (unsigned r = 0; r < 6; r++)
      if ((i.reads >> r & 1) != 0) mine.unread[(i.row + base[r / 2] + r % 2) % 512] = (1u << slices) - 1;
    if (i.to == Lsu) lsu_order.push_back(i.seq);
  }

  void step() {
    // Banks and special registers answer from the cycle after they are asked until they are asked again (slices), or in
    // that cycle only (whole rows), and are noise else.
    // Of a row that is written as it stands at its bank's output, or of any other row.
    const auto late = static_cast<unsigned>(bench.rng() % 4);
    const bool writes = slices == 1 && answer[late] && bench.one_in(2);
    top.wr_valid_i = writes || bench.one_in(2);
    top.wr_row_i = static_cast<unsigned short>(writes ? answer[late]->first : bench.rng() % 512);
    // A pair's upper row as well as its lower one.
    top.wr_pair_i = slices == 1 && bench.one_in(2);
    if (top.wr_pair_i) top.wr_row_i &= static_cast<unsigned short>(~1u);
    const bool upper = writes && top.wr_row_i != answer[late]->first;
    top.wr_lanes_i = static_cast<std::uint32_t>(bench.rng());
    for (unsigned lane = 0; lane < 32; lane++) {
      top.wr_data_i[lane] = value(top.wr_row_i, lane);
      top.wr_data_hi_i[lane] = value(top.wr_row_i | 1u, lane);
    }
    forwarded += writes && !upper;
    forwarded_upper += upper;
    auto fill = [&](unsigned b, auto& words) {
      for (unsigned lane = 0; lane < lanes; lane++) {
        const bool known = answer[b] && !(writes && b == late && (top.wr_lanes_i >> lane & 1) != 0);
        words[lane] =
            known ? value(answer[b]->first, answer[b]->second * lanes + lane) : static_cast<std::uint32_t>(bench.rng());
      }
    };
    fill(0, top.bank0_i);
    fill(1, top.bank1_i);
    fill(2, top.bank2_i);
    fill(3, top.bank3_i);
    for (unsigned lane = 0; lane < lanes; lane++)
      top.special_row_i[lane] = special ? source[*special * lanes + lane] : static_cast<std::uint32_t>(bench.rng());
    // Predicates come with the instruction (slices), or two cycles later, and are noise else.
    const std::optional<Instruction> comes = slices > 1 && top.issue_valid_i ? issued : before_last;
    top.p_i = comes ? comes->p : static_cast<std::uint32_t>(bench.rng());
    top.p2_i = comes ? comes->p2 : static_cast<std::uint32_t>(bench.rng());
    if (slices == 1) {
      before_last = last;
      last.reset();
      if (top.issue_valid_i) last = issued;
    }
    bench.settle();
    check_reads();
    // Busy from the cycle after issue until the unit has it; a control instruction is taken at once.
    ASSERT_EQ(top.busy_o, under_way.size() > (top.issue_valid_i ? 1u : 0u) + (top.valid_o >> Ctl));
    for (unsigned unit = 0; unit < kUnits && !HasFatalFailure(); unit++) {
      if ((top.valid_o >> unit & 1) == 0) continue;
      check(unit);  // also while it waits: a request stands still
      if (unit != Ctl && (top.ready_i >> unit & 1) == 0) continue;
      latest[unit] = seq_of(unit);
      if (unit != Ctl && ++under_way[latest[unit]].slices != slices) continue;
      under_way.erase(latest[unit]);
      if (unit == Lsu) lsu_order.pop_front();
      done[unit]++;
    }
    for (unsigned b = 0; b < 4; b++) {
      reading[b].reset();
      if (slices == 1) answer[b].reset();
      if ((top.bank_valid_o >> b & 1) == 0) continue;
      reading[b] = {top.bank_row_o >> 16 * b & 0xffff, top.bank_slice_o >> 8 * b & 0xff};
      ASSERT_EQ(reading[b]->first % banks, b);
      answer[b] = reading[b];
    }
    if (slices == 1) special.reset();
    if (slices == 1 && top.issue_valid_i && top.lanes_i) special = 0;
    if (slices > 1 && top.special_valid_o) special = top.special_slice_o;
    if (top.issue_valid_i && top.lanes_i) source = issued.special;
    bench.tick();
    top.issue_valid_i = 0;
  }

  RtlBench<Voperand_collector_top> bench;
  Voperand_collector_top& top;
  unsigned banks = 0, warps = 0, lanes = 0, slices = 0, next_seq = 0;
  std::array<unsigned, 64> block{};
  std::array<std::uint32_t, 64> shared{};
  std::map<unsigned, Instruction> under_way;  // by seq
  std::deque<unsigned> lsu_order;
  std::array<std::optional<std::pair<unsigned, unsigned>>, 4> reading;  // a bank: row, slice
  std::array<std::optional<std::pair<unsigned, unsigned>>, 4> answer;   // what its data is
  std::optional<unsigned> special;                                      // slice
  Row source{};                                                         // of the special registers
  std::array<unsigned, kUnits> latest{};                                // seq
  Instruction issued{};
  std::optional<Instruction> last, before_last;  // what issued in the last cycle, and in the one before that
  unsigned promised = 0;                         // units that take what comes now
  unsigned forwarded = 0, forwarded_upper = 0;   // rows written at a bank's output, as pairs' upper ones
  std::array<unsigned, kUnits> done{};
};

TEST_F(OperandCollectorTest, EveryUnitGetsItsOperands) {
  for (int phase = 0; phase < 600 && !HasFatalFailure(); phase++) {
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 3),
               busy = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    for (int n = 0; n < 200 && !HasFatalFailure(); n++) {
      unsigned units = 0;
      for (unsigned u = 0; u < Ctl; u++)
        if (bench.one_in(busy)) units |= 1u << u;
      open(units);
      const auto to = static_cast<unsigned>(bench.rng() % kUnits);
      bench.settle();
      if ((top.room_o >> to & 1) != 0 && bench.one_in(gap)) {
        issued = random_instruction(to);
        issue(issued);
      }
      step();
    }
    for (int n = 0; n < 60 + 60 * static_cast<int>(slices - 1) && !under_way.empty() && !HasFatalFailure(); n++) {
      open(kAll);
      step();
    }
    ASSERT_TRUE(under_way.empty()) << "instructions were lost";
    // Warps of another block.
    for (unsigned w = 0; w < warps; w++) start(w);
  }
  for (const unsigned n : done) EXPECT_GT(n, 200u);
  EXPECT_TRUE(slices > 1 || (forwarded > 1000 && forwarded_upper > 100));
}

// Two rows in different banks: read at once; slices, whose reads are planned first, go while the next are read.
TEST_F(OperandCollectorTest, SlicesFollowEachOtherWithoutGaps) {
  issued = random_instruction(Int);
  issued.uses = issued.reads = 1 | 1 << 2;
  issued.ra = 4;
  issued.rb = 5;
  issued.b_imm = issued.lanes = false;
  issue(issued);
  std::vector<unsigned> seen, expected;
  for (unsigned n = 0; n < slices + 8 && !HasFatalFailure(); n++) {
    open(kAll);
    bench.settle();
    if ((top.valid_o >> Int & 1) != 0) seen.push_back(n);
    step();
  }
  for (unsigned s = 0; s < slices; s++) expected.push_back((slices > 1 ? 4 : 3) + s);
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace heddle::test
