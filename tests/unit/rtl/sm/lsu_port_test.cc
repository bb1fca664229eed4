// SPDX-License-Identifier: Apache-2.0
// Requests of all sub-partitions reach a load/store unit that stalls, whole, once, in order and in turn, the
// slices of an instruction without others in between, and later where instructions bring many rows or have many passes;
// responses reach the sub-partition of their warp.
#include <Vlsu_port_top.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

#ifdef HEDDLE_TURNLAG
constexpr unsigned kTurnLag = HEDDLE_TURNLAG;  // cycles that follow a sub-partition's turn before its next one
#else
constexpr unsigned kTurnLag = 0;
#endif

#ifdef HEDDLE_ROWLAG
constexpr unsigned kRowLag = HEDDLE_ROWLAG;  // more for each row beyond two that an instruction brings
#else
constexpr unsigned kRowLag = 0;
#endif

// Rows of addresses, of 64 bits two, and of data.
struct Brought {
  isa::Opcode op;
  unsigned mod, rows;
};
constexpr unsigned size(isa::MemSize s) { return static_cast<unsigned>(s); }
constexpr unsigned atomic(isa::MemSize s, isa::AtomOp op) { return size(s) | static_cast<unsigned>(op) << 3; }
constexpr Brought kBrought[] = {
    {isa::Opcode::Ldg, size(isa::MemSize::B128), 2},
    {isa::Opcode::Lds, size(isa::MemSize::B128), 1},
    {isa::Opcode::Stg, size(isa::MemSize::U8), 3},
    {isa::Opcode::Stg, size(isa::MemSize::B64), 4},
    {isa::Opcode::St, size(isa::MemSize::B128), 6},
    {isa::Opcode::Sts, size(isa::MemSize::B32), 2},
    {isa::Opcode::Sts, size(isa::MemSize::B128), 5},
    {isa::Opcode::Stl, size(isa::MemSize::B64), 3},
    {isa::Opcode::Atomg, atomic(isa::MemSize::B32, isa::AtomOp::Add), 3},
    {isa::Opcode::Atomg, atomic(isa::MemSize::B64, isa::AtomOp::Cas), 6},
    {isa::Opcode::Atom, atomic(isa::MemSize::B64, isa::AtomOp::Exch), 4},
    {isa::Opcode::Atoms, atomic(isa::MemSize::B32, isa::AtomOp::Max), 2},
    {isa::Opcode::Atoms, atomic(isa::MemSize::B32, isa::AtomOp::Cas), 3},
    {isa::Opcode::Membar, 0, 2},
};

class LsuPortTest : public ::testing::Test {
 protected:
  LsuPortTest() : bench(seed()), top(*bench.top) {
    top.req_valid_i = 0;
    top.lsu_ready_i = top.rsp_valid_i = 0;
    bench.reset();
    bench.settle();
    parts = top.parts_o;
    taken.resize(parts);
    waits.resize(parts);
    rest.resize(parts);
    row_rest.resize(parts);
    slices = top.slices_o;
    slice.resize(parts);
    rows.resize(parts);
  }

  void step() {
    top.rsp_valid_i = bench.one_in(2);
    top.rsp_warp_i = static_cast<unsigned char>(bench.rng() % (8 * parts));
    top.rsp_ready_i = static_cast<unsigned char>(bench.rng() & 0xf);
    top.further_i = 0;
    if (further_one_in != 0 && bench.one_in(further_one_in))
      top.further_i = static_cast<unsigned char>((1 + bench.rng() % 2) << 2 * (bench.rng() % 4));
    bench.settle();
    const unsigned part = top.rsp_warp_i % parts;
    ASSERT_EQ(top.rsp_valid_o, top.rsp_valid_i ? 1u << part : 0u);
    ASSERT_EQ(top.rsp_ready_o, top.rsp_ready_i >> part & 1);

    if (parts == 1) {
      passes_through();
      return;
    }
    ASSERT_EQ(top.lsu_valid_o, !under_way.empty()) << "cycle " << bench.cycle;
    if (top.lsu_valid_o) {
      ASSERT_EQ(top.lsu_req_o, under_way.front()) << "cycle " << bench.cycle;
      ASSERT_EQ(top.lsu_slice_o, slices_under_way.front());
      ASSERT_TRUE(top.whole_o);
    }
    // One is taken whenever the register is or becomes free.
    const unsigned takes = top.req_ready_o & top.req_valid_i;
    const bool room = under_way.empty() || top.lsu_ready_i;
    unsigned resting = 0;
    for (unsigned p = 0; p < parts; p++) resting |= static_cast<unsigned>(rest[p] > 0 || row_rest[p] != 0) << p;
    const unsigned offered = held < 0 ? top.req_valid_i & ~resting : top.req_valid_i & 1u << held;
    ASSERT_EQ(std::popcount(takes), room && offered != 0 ? 1 : 0) << "cycle " << bench.cycle;
    ASSERT_EQ(takes & ~offered, 0u) << "comes between the slices of another";
    const bool begins = held < 0;
    if (!under_way.empty() && top.lsu_ready_i) under_way.pop_front(), slices_under_way.pop_front();
    for (unsigned p = 0; p < parts && kTurnLag != 0; p++) {
      const int longer = 2 * static_cast<int>(top.further_i >> 2 * p & 3u);
      const bool begins_now = (takes >> p & 1) != 0;
      // What it has waited for rows counts for passes that are told later, if it goes then.
      if (begins_now) rest[p] += static_cast<int>(kTurnLag) + longer;
      else if (rest[p] > 0 || row_rest[p] != 0) rest[p] += longer - (rest[p] > -static_cast<int>(kRowLag));
      else rest[p] = longer;
      row_rest[p] = begins_now && rows[p] > 2 ? kTurnLag + kRowLag * (rows[p] - 2) : row_rest[p] - (row_rest[p] != 0);
    }
    for (unsigned p = 0; p < parts; p++) {
      if ((takes >> p & 1) != 0) {
        under_way.push_back(top.req_i[p]);
        taken[p]++;
        waits[p] = 0;
        slices_under_way.push_back(slice[p]);
        slice[p] = (slice[p] + 1) % slices;
        held = slice[p] == 0 ? -1 : static_cast<int>(p);
      } else if (takes != 0 && begins && (offered >> p & 1) != 0) {
        ASSERT_LT(++waits[p], parts) << "others are served in between more than once";
      } else if (begins && (offered >> p & 1) == 0) {
        waits[p] = 0;
      }
    }
    bench.tick();
    top.req_valid_i &= static_cast<unsigned char>(~takes);
  }

  // Nobody to take turns with: what one sub-partition offers stands before the load/store unit in the same cycle.
  void passes_through() {
    ASSERT_EQ(top.lsu_valid_o, top.req_valid_i);
    ASSERT_EQ(top.req_ready_o, top.lsu_ready_i);
    if (top.req_valid_i) {
      ASSERT_EQ(top.lsu_req_o, top.req_i[0]) << "cycle " << bench.cycle;
      ASSERT_EQ(top.lsu_slice_o, slice[0]);
      ASSERT_TRUE(top.whole_o);
    }
    const bool takes = top.req_valid_i && top.lsu_ready_i;
    if (takes) taken[0]++, slice[0] = (slice[0] + 1) % slices;
    bench.tick();
    if (takes) top.req_valid_i = 0;
  }

  void request(unsigned p) { request(p, kBrought[bench.rng() % std::size(kBrought)]); }
  void request(unsigned p, const Brought& what) {
    top.req_valid_i |= static_cast<unsigned char>(1u << p);
    top.req_i[p] = static_cast<std::uint32_t>(bench.rng());
    const unsigned shift = 8 * p;
    top.slice_i = (top.slice_i & ~(0xffu << shift)) | slice[p] << shift;
    top.op_i = (top.op_i & ~(0xffu << shift)) | static_cast<unsigned>(what.op) << shift;
    top.mod_i[p] = what.mod;
    rows[p] = what.rows;
  }

  RtlBench<Vlsu_port_top> bench;
  Vlsu_port_top& top;
  unsigned parts = 0;
  unsigned slices = 1;
  std::uint32_t further_one_in = 0;
  int held = -1;  // whose instruction has slices to come
  std::deque<std::uint32_t> under_way, slices_under_way;
  std::vector<unsigned> taken, waits, slice, rows, row_rest;
  std::vector<int> rest;  // with row_rest cycles until the sub-partition's next turn: its passes', its rows'
};

TEST_F(LsuPortTest, BringsEveryRequestOnceInTurn) {
  for (int phase = 0; phase < 60 && !HasFatalFailure(); phase++) {
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 6),
               stall = static_cast<std::uint32_t>(1 + bench.rng() % 4);
    further_one_in = static_cast<std::uint32_t>(bench.rng() % 8);
    if (further_one_in != 0) further_one_in += 4;  // else nobody gets a turn
    for (int n = 0; n < 300 && !HasFatalFailure(); n++) {
      for (unsigned p = 0; p < parts; p++)
        if ((top.req_valid_i >> p & 1) == 0 && bench.one_in(gap)) request(p);
      top.lsu_ready_i = bench.one_in(stall);
      step();
    }
  }
  for (const unsigned n : taken) EXPECT_GT(n, 300u);
}

// Of no more than two rows.
TEST_F(LsuPortTest, OneRequestACycle) {
  top.lsu_ready_i = 1;
  for (int n = 0; n < 100 && !HasFatalFailure(); n++) {
    for (unsigned p = 0; p < parts; p++)
      if ((top.req_valid_i >> p & 1) == 0) request(p, kBrought[0]);
    step();
  }
  unsigned all = 0;
  for (const unsigned n : taken) all += n;
  EXPECT_EQ(all, 100u);
}

}  // namespace
}  // namespace heddle::test
