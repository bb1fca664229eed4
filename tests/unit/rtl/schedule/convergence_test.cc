// SPDX-License-Identifier: Apache-2.0
// Warps that execute random control instructions, with block barriers that open at random, against WarpModel:
// where each warp goes on, with which lanes, what it answers and what it tells the block barriers.
#include <algorithm>
#include <vector>

#include "tests/unit/rtl/schedule/convergence_bench.h"

namespace heddle::test {
namespace {

using isa::Opcode;

#ifdef HEDDLE_NETLIST
constexpr int kEpisodes = 4;  // gates are slow
#else
constexpr int kEpisodes = 2000;
#endif

// Random instructions.
class ConvergenceTest : public ConvergenceBench {
 protected:
  Mask subset(Mask of) {
    switch (bench.rng() % 8) {
      case 0: return 0;
      case 1: return of & static_cast<Mask>(bench.rng());
      case 2: return of & static_cast<Mask>(bench.rng()) & static_cast<Mask>(bench.rng());
      case 3: return of & (~of + 1);  // the lowest lane
      case 4: return of & (0xffu << 8 * (bench.rng() % 4));
      default: return of;
    }
  }
  // Few places, so that splits meet.
  std::uint32_t place() { return 0x100 + 8 * static_cast<std::uint32_t>(bench.rng() % 6); }

  Control instruction(unsigned w, const std::vector<Opcode>& ops) {
    const WarpModel& m = warps[w];
    Control c;
    c.warp = w;
    c.seq = static_cast<unsigned>(bench.rng() & 0xffff);
    c.pc = place();
    c.op = ops[bench.rng() % ops.size()];
    c.mode = static_cast<isa::BarMode>(bench.rng() % 3);
    c.red = static_cast<isa::BarRed>(bench.rng() % 3);
    c.rd = static_cast<unsigned>(bench.rng() % 256);
    c.pd = static_cast<unsigned>(bench.rng() % 8);
    c.bar = bench.one_in(16) ? 15 : static_cast<unsigned>(bench.rng() % bars);
    c.imm = place() - c.pc - 8;
    c.taken = (c.op == Opcode::Bssy || c.op == Opcode::Bsync) && !bench.one_in(4) ? m.running : subset(m.running);
    c.p = static_cast<Mask>(bench.rng());
    switch (c.op) {
      case Opcode::Warpsync: c.b = bench.one_in(2) ? m.live : subset(~0u); break;
      case Opcode::Nanosleep: c.b = bench.one_in(10) ? 0 : static_cast<std::uint32_t>(bench.rng() % 60); break;
      case Opcode::Bar: c.b = static_cast<std::uint32_t>(bench.rng() % 2) * 15; break;
      default: c.b = static_cast<std::uint32_t>(bench.rng());
    }
    c.c = static_cast<std::uint32_t>(bench.rng());
    const unsigned targets = 1u << bench.rng() % 6;
    for (std::uint32_t& pc : c.row) pc = 0x100 + 8 * static_cast<std::uint32_t>(bench.rng() % targets);
    return c;
  }
};

TEST_F(ConvergenceTest, EveryLaneGoesWhereItsInstructionsSay) {
  std::vector<Opcode> all = {Opcode::Nop,   Opcode::Exit,  Opcode::Bra,      Opcode::Bra,      Opcode::Brx,
                             Opcode::Call,  Opcode::Callx, Opcode::Ret,      Opcode::Bssy,     Opcode::Bssy,
                             Opcode::Bsync, Opcode::Bsync, Opcode::Break,    Opcode::Warpsync, Opcode::Bar,
                             Opcode::Yield, Opcode::Trap,  Opcode::Warpsync, Opcode::Bar,      Opcode::Nanosleep,
                             Opcode::Bra,   Opcode::Bsync, Opcode::Bssy};
  if (top.clusters_o) all.insert(all.end(), 3, Opcode::Cbar);
  start_all(~0u);
  WarpModel::Counts counts;
  const auto add = [&](const WarpModel::Counts& c) {
    counts.converged += c.converged;
    counts.forced += c.forced;
    counts.forced_syncs += c.forced_syncs;
    counts.yields += c.yields;
    counts.looping += c.looping;
    counts.impatient += c.impatient;
    counts.syncs += c.syncs;
    counts.longest = std::max(counts.longest, c.longest);
  };
  for (int episode = 0; episode < kEpisodes && !HasFatalFailure(); episode++) {
    // A few operations at a time, so that long histories of them come about.
    std::vector<Opcode> ops;
    for (unsigned i = 0; i < 12; i++) {
      const Opcode op = all[bench.rng() % all.size()];
      if ((op != Opcode::Exit && op != Opcode::Trap) || bench.one_in(3)) ops.push_back(op);
    }
    ops.push_back(Opcode::Bra);
    // A release that is offered stays until it is taken.
    top.result_ready_i = top.arrive_ready_i = 1;
    while ((top.release_valid_i || !idle()) && !HasFatalFailure()) step();
    static constexpr unsigned kYields[] = {0, 1, 3, 9, 64};
    top.yield_branches_i = static_cast<unsigned short>(kYields[bench.rng() % 5]);
    bars = static_cast<unsigned>(1 + bench.rng() % 3);
    const auto result_gap = static_cast<std::uint32_t>(1 + bench.rng() % 6),
               arrive_gap = static_cast<std::uint32_t>(1 + bench.rng() % 20),
               give_gap = static_cast<std::uint32_t>(1 + bench.rng() % 3);
    for (int n = 0; n < 1000 && !HasFatalFailure(); n++) {
      top.result_ready_i = bench.one_in(result_gap);
      top.arrive_ready_i = bench.one_in(arrive_gap);
      const auto w = static_cast<unsigned>(bench.rng() % warps.size());
      top.read_warp_i = static_cast<unsigned char>(w);
      const bool free = idle();
      const WarpModel& m = warps[w];
      const bool waits_for_it = pending && pending->warp == w;
      if (m.state == WarpModel::Runs && !waits_for_it) {
        if (bench.one_in(3)) top.load_valid_i = 1;
        // An instruction that had operands to collect comes even while a release is being worked on.
        else if ((free || (!pending && bench.one_in(2))) && !m.jump && !jumps[w] && !top.jump_valid_o &&
                 bench.one_in(give_gap)) {
          given_while_busy += !free;
          give(instruction(w, ops));
        }
      } else if (free && !(top.release_valid_i && opening.warp == w) &&  // a trapped warp's lanes may still be told
                 (m.state == WarpModel::Trapped || (m.state == WarpModel::Ended && (top.ended_o >> w & 1)))) {
        add(m.counts);
        start(w, bench.one_in(4) ? ~0u : (1u << (1 + bench.rng() % 8)) - 1);
      }
      if (!top.release_valid_i && bench.one_in(6)) {
        const auto ids = warps[(w + 1) % warps.size()].ids();
        const bool none = ids.empty() || bench.one_in(5);
        release({static_cast<unsigned>((w + 1) % warps.size()),
                 none ? static_cast<unsigned>(bench.rng() % (top.clusters_o ? 17 : 16)) : ids[bench.rng() % ids.size()],
                 static_cast<unsigned>(bench.rng() % 1025), bench.one_in(2), bench.one_in(2)});
      }
      step();
    }
  }
  for (const WarpModel& w : warps) add(w.counts);
  std::printf(
      "converged %u forced %u forced syncs %u yields %u looping %u impatient %u syncs %u queue %u wakes %u passed %u "
      "traps %u\n",
      counts.converged, counts.forced, counts.forced_syncs, counts.yields, counts.looping, counts.impatient,
      counts.syncs, counts.longest, wakeups, released_behind_arrival, seen_traps);
  if (HasFatalFailure() || kEpisodes < 100) return;
  const unsigned least = kEpisodes / 12;  // all of it happened
  for (const unsigned n : {counts.converged, counts.forced, counts.forced_syncs, counts.yields, counts.looping,
                           counts.syncs, wakeups, released_behind_arrival, seen_traps, given_while_busy})
    EXPECT_GE(n, least);
  EXPECT_GE(counts.impatient, least / 4);  // it takes two rounds
  EXPECT_GE(counts.longest, 12u);
}

TEST_F(ConvergenceTest, ThirtyTwoSplitsOfOneLane) {
  start_all(~0u);
  Control c{.pc = 0x100, .op = Opcode::Brx, .taken = ~0u};
  for (unsigned lane = 0; lane < 32; lane++) c.row[lane] = 0x1000 + 8 * (31 - lane);
  run(c);
  // The last lane's split goes on, the others in order behind it, then they go round.
  for (unsigned n = 0; n < 70 && !HasFatalFailure(); n++) {
    const unsigned lane = (31 + n) % 32;
    ASSERT_EQ(active(0), 1u << lane);
    run({.pc = 0x1000 + 8 * (31 - lane), .op = Opcode::Yield, .taken = 1u << lane});
  }
}

TEST_F(ConvergenceTest, BothSidesOfABranchMeetAtTheBarrier) {
  start_all(~0u);
  run({.pc = 0, .op = Opcode::Bssy, .bar = 0, .imm = 0xf8, .taken = ~0u});
  run({.pc = 8, .op = Opcode::Bra, .imm = 0x40, .taken = 0xf});
  ASSERT_EQ(active(0), 0xfffffff0u);
  run({.pc = 16, .op = Opcode::Bsync, .bar = 0, .taken = 0xfffffff0});
  ASSERT_EQ(active(0), 0xfu);
  run({.pc = 0x50, .op = Opcode::Bsync, .bar = 0, .taken = 0xf});
  ASSERT_EQ(active(0), ~0u);
  EXPECT_EQ(warps[0].pc, 0x100u);
}

// A split that spins on others queued yields after yield_branches; on lanes at a barrier, and without loads,
// only after 64 times as many. The second time those at the barrier go on.
TEST_F(ConvergenceTest, SpinsThatLoadNothingCountLess) {
  for (const bool loads : {true, false}) {
    start_all(~0u);
    top.yield_branches_i = 5;
    run({.pc = 0, .op = Opcode::Bssy, .bar = 2, .imm = 0xf8, .taken = ~0u});
    run({.pc = 8, .op = Opcode::Bra, .imm = 0x100, .taken = 0xff});
    run({.pc = 16, .op = Opcode::Bsync, .bar = 2, .taken = 0xffffff00});
    ASSERT_EQ(active(0), 0xffu);
    unsigned branches = 0;
    while (active(0) == 0xff && branches < 1000 && !HasFatalFailure()) {
      if (loads) {
        top.read_warp_i = 0;
        top.load_valid_i = 1;
        step();
      }
      run({.pc = 0x200, .op = Opcode::Bra, .imm = static_cast<std::uint32_t>(-0x20), .taken = 0xff});
      branches++;
    }
    EXPECT_EQ(branches, loads ? 2 * 5u : 2 * 320u);
    EXPECT_EQ(active(0), 0xffffff00u);
  }
}

// Splits that spin, each in its turn, let go on who waits at a barrier: when all had their turn twice, one barrier
// after the other.
TEST_F(ConvergenceTest, SplitsThatSpinInTurnLetWaitingLanesGoOn) {
  start_all(~0u);
  top.yield_branches_i = 2;
  run({.pc = 0, .op = Opcode::Bssy, .bar = 2, .imm = 0xf8, .taken = ~0u});
  run({.pc = 8, .op = Opcode::Bssy, .bar = 3, .imm = 0x1f8, .taken = ~0u});
  run({.pc = 16, .op = Opcode::Bra, .imm = 0x1000, .taken = 0xff00});
  run({.pc = 24, .op = Opcode::Bra, .imm = 0x2000, .taken = 0xff0000});
  run({.pc = 32, .op = Opcode::Bra, .imm = 0x3000, .taken = 0xff000000});
  run({.pc = 40, .op = Opcode::Bsync, .bar = 2, .taken = 0xff});
  std::vector<Mask> ran;
  for (unsigned n = 0; n < 200 && !HasFatalFailure(); n++) {
    const Mask now = active(0);
    if (ran.empty() || ran.back() != now) ran.push_back(now);
    if (now == 0xff00) {
      run({.pc = 0x1000, .op = Opcode::Bsync, .bar = 3, .taken = 0xff00});
    } else if (now == 0xff) {
      break;
    } else {  // one loop closed by a branch, one by a table
      Control c{.pc = 0x2000, .op = Opcode::Bra, .imm = static_cast<std::uint32_t>(-8), .taken = now};
      if (now == 0xff000000) {
        c.op = Opcode::Brx;
        c.row.fill(0x2000);
      }
      run(c);
    }
  }
  // Both that spin have run in their turn, and then those at barrier 2, of which it is the turn.
  ASSERT_EQ(active(0), 0xffu);
  EXPECT_EQ(ran, (std::vector<Mask>{0xff00, 0xff0000, 0xff000000, 0xff0000, 0xff000000, 0xff}));
  EXPECT_EQ(warps[0].pc, 0x100u);
  // The next to go on are those at barrier 3, though some wait at barrier 0.
  run({.pc = 0x100, .op = Opcode::Bssy, .bar = 0, .imm = 0xf8, .taken = 0xff});
  run({.pc = 0x108, .op = Opcode::Bra, .imm = 0x2000, .taken = 0xf0});
  run({.pc = 0x110, .op = Opcode::Bsync, .bar = 0, .taken = 0xf});
  unsigned turns = 0;
  for (Mask last = 0; active(0) != 0xff00 && turns < 100 && !HasFatalFailure();) {
    const Mask now = active(0);
    turns += now != last;
    last = now;
    run({.pc = 0x2000, .op = Opcode::Yield, .taken = now});
  }
  EXPECT_EQ(active(0), 0xff00u);
  EXPECT_EQ(turns, 3u);
}

// A loop that gathers its lanes in each turn is left in order, whatever it counts; who waits elsewhere goes on all the
// same.
TEST_F(ConvergenceTest, ABarrierThatOpensInEachTurnIsNotLeft) {
  start_all(~0u);
  top.yield_branches_i = 2;
  run({.pc = 0, .op = Opcode::Bssy, .bar = 0, .imm = 0xf8, .taken = ~0u});
  run({.pc = 8, .op = Opcode::Bra, .imm = 0x1000 - 0x10, .taken = 0xff00});
  run({.pc = 16, .op = Opcode::Bsync, .bar = 0, .taken = 0xffff00ff});
  unsigned turns = 0;
  for (; active(0) == 0xff00 && turns < 100 && !HasFatalFailure(); turns++) {
    run({.pc = 0x1000, .op = Opcode::Bssy, .bar = 1, .imm = 0x38, .taken = 0xff00});
    run({.pc = 0x1008, .op = Opcode::Bra, .imm = 0x10, .taken = 0xf000});
    run({.pc = 0x1010, .op = Opcode::Bsync, .bar = 1, .taken = 0xf00});
    ASSERT_EQ(active(0), 0xf000u);
    run({.pc = 0x1020, .op = Opcode::Bsync, .bar = 1, .taken = 0xf000});
    ASSERT_EQ(active(0), 0xff00u);
    top.load_valid_i = 1;  // a turn counts
    top.read_warp_i = 0;
    step();
    run({.pc = 0x1040, .op = Opcode::Bra, .imm = static_cast<std::uint32_t>(-0x48), .taken = 0xff00});
  }
  EXPECT_EQ(active(0), 0xffff00ffu);
  EXPECT_EQ(turns, 4u);
}

// Once round all warps at most after its time, whatever the time and wherever the counter wraps.
TEST_F(ConvergenceTest, SleepersWakeInTime) {
  exact_wake = true;
  start_all(~0u);
  for (const std::uint32_t rest : {0u, 1u, 100u, 32766u, 32767u, 32768u, 65536u, ~0u}) {
    cycle_step = rest < 1000 ? 1 : 61;
    for (unsigned w = 0; w < warps.size() && !HasFatalFailure(); w++)
      run({.warp = w, .pc = 0x40, .op = Opcode::Nanosleep, .taken = ~0u, .b = rest});
    const auto asleep = [&] {
      return std::any_of(warps.begin(), warps.end(), [](const auto& m) { return m.state == WarpModel::Sleeps; });
    };
    for (int n = 0; n < 1000 && asleep() && !HasFatalFailure(); n++) step();
    ASSERT_FALSE(asleep()) << "rest " << rest;
  }
}

// What a block barrier answers is written before its lanes run: nothing else holds them.
TEST_F(ConvergenceTest, LanesWaitForTheirResult) {
  start_all(~0u);
  run({.warp = 0, .pc = 0, .op = Opcode::Bar, .mode = isa::BarMode::Red, .rd = 4, .taken = 0xf});
  EXPECT_EQ(active(0), 0xfffffff0u);
  run({.warp = 0, .pc = 0, .op = Opcode::Bar, .mode = isa::BarMode::Red, .rd = 4, .taken = 0xfffffff0});
  top.result_ready_i = 0;
  release({.warp = 0, .ones = 7});
  for (int n = 0; n < 40 && !HasFatalFailure(); n++) step();
  EXPECT_EQ(active(0), 0u);
  for (const Mask mask : {0xfu, 0xfffffff0u}) {
    for (int n = 0; n < 20 && !top.result_valid_o && !HasFatalFailure(); n++) step();
    EXPECT_EQ(top.result_mask_o, mask);
    EXPECT_FALSE(top.result_ends_o);
    EXPECT_EQ(active(0), 0u);
    top.result_ready_i = 1;
    step();
    top.result_ready_i = 0;
  }
  for (int n = 0; n < 20 && !HasFatalFailure(); n++) step();
  EXPECT_EQ(active(0), 0xfu);
  EXPECT_EQ(warps[0].pc, 8u);
}

// The block barrier takes no arrival while it releases: a release must pass a stalled arrival.
TEST_F(ConvergenceTest, ReleasesPassAStalledArrival) {
  start_all(~0u);
  run({.warp = 0, .pc = 0, .op = Opcode::Bar, .taken = ~0u});
  top.arrive_ready_i = 0;
  run({.warp = 1, .pc = 0, .op = Opcode::Bar, .mode = isa::BarMode::Arrive, .taken = ~0u});
  give({.warp = 1, .pc = 8, .op = Opcode::Bar, .mode = isa::BarMode::Arrive, .taken = ~0u});
  step();
  release({.warp = 0});
  for (int n = 0; n < 20 && !HasFatalFailure(); n++) step();
  EXPECT_FALSE(top.release_valid_i) << "not taken";
  EXPECT_EQ(active(0), ~0u);
  EXPECT_TRUE(pending.has_value());
  top.arrive_ready_i = 1;
  for (int n = 0; n < 10 && !HasFatalFailure(); n++) step();
  EXPECT_FALSE(pending.has_value());
}

// Lanes that came before the barrier opened last go on; those that came after it wait for the next time, though both
// wait in one warp.
TEST_F(ConvergenceTest, LanesOfOneWarpArriveAtTheClustersBarrierApart) {
  if (!top.clusters_o) GTEST_SKIP();
  start_all(~0u);
  const auto cbar = [&](std::uint32_t pc, isa::BarMode mode, Mask taken) {
    run({.warp = 0, .pc = pc, .op = Opcode::Cbar, .mode = mode, .taken = taken});
  };
  cbar(0, isa::BarMode::Arrive, ~0u);
  release({.warp = 0, .id = kClusterBarrier});
  for (int n = 0; n < 20 && !HasFatalFailure(); n++) step();
  run({.warp = 0, .pc = 8, .op = Opcode::Bra, .imm = 0x100, .taken = 0xff00});
  ASSERT_EQ(active(0), 0xffff00ffu);
  cbar(16, isa::BarMode::Sync, 0xffff00ff);  // open
  ASSERT_EQ(active(0), 0xffff00ffu);
  cbar(24, isa::BarMode::Arrive, 0xffff00ff);
  cbar(32, isa::BarMode::Sync, 0xffff00ff);  // waits
  ASSERT_EQ(active(0), 0xff00u);
  cbar(0x110, isa::BarMode::Sync, 0xff00);  // came before: does not
  ASSERT_EQ(active(0), 0xff00u);
  cbar(0x118, isa::BarMode::Arrive, 0xff00);
  cbar(0x120, isa::BarMode::Sync, 0xff00);
  ASSERT_EQ(active(0), 0u);
  release({.warp = 0, .id = kClusterBarrier});
  for (int n = 0; n < 20 && !HasFatalFailure(); n++) step();
  EXPECT_EQ(active(0), 0xffff00ffu);
}

}  // namespace
}  // namespace heddle::test
