// SPDX-License-Identifier: Apache-2.0
// Drives the convergence unit and follows it with a WarpModel a warp: whenever it is ready again, both must agree.
#pragma once

#include <Vconvergence_top.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/rtl/schedule/convergence_model.h"

namespace heddle::test {

class ConvergenceBench : public ::testing::Test {
 protected:
  ConvergenceBench() : bench(seed()), top(*bench.top) {
    quiet();
    top.yield_branches_i = 64;
    cycle = static_cast<std::uint16_t>(bench.rng());  // wraps somewhere
    bench.reset();
    bench.settle();
    warps.resize(top.warps_o);
    jumps.resize(top.warps_o);
    wakes.resize(top.warps_o);
  }

  void quiet() {
    top.start_valid_i = top.load_valid_i = top.valid_i = top.release_valid_i = 0;
    top.result_ready_i = top.arrive_ready_i = 1;
  }

  void start(unsigned w, Mask mask) {
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    top.start_mask_i = mask;
    starting = {w, mask};
  }
  void give(const Control& c) {
    top.valid_i = 1;
    top.warp_i = static_cast<unsigned char>(c.warp);
    top.seq_i = static_cast<unsigned short>(c.seq);
    top.pc_i = c.pc;
    top.op_i = static_cast<unsigned char>(c.op);
    top.mod_i = c.op == isa::Opcode::Cbar ? c.mode != isa::BarMode::Arrive
                                          : static_cast<unsigned>(c.mode) | static_cast<unsigned>(c.red) << 2;
    top.rd_i = static_cast<unsigned char>(c.rd);
    top.pd_i = static_cast<unsigned char>(c.pd);
    top.bar_i = static_cast<unsigned char>(c.bar);
    top.imm_i = c.imm;
    top.taken_i = c.taken;
    top.p_i = c.p;
    top.b_i = c.b;
    top.c_i = c.c;
    for (unsigned lane = 0; lane < 32; lane++) top.row_i[lane] = c.row[lane];
    given = c;
  }
  void release(const Release& r) {
    top.release_valid_i = 1;
    top.release_warp_i = static_cast<unsigned char>(r.warp);
    top.release_id_i = static_cast<unsigned char>(r.id);
    top.release_ones_i = static_cast<unsigned short>(r.ones);
    top.release_all_i = r.all;
    top.release_any_i = r.any;
    opening = r;
  }

  void execute(const Control& c) {
    WarpModel& w = warps[c.warp];
    w.execute(c, top.yield_branches_i, sent);
    if (w.state == WarpModel::Sleeps) {
      // The wake-up time runs from when the instruction executes.
      wakes[c.warp] = {given_at, bench.cycle, std::min<std::uint32_t>(c.b, 32767)};
    }
    ASSERT_TRUE(w.lanes_in_one_place()) << "model, op " << static_cast<int>(c.op);
  }

  // The inputs stand: look at the outputs, follow with the model, one clock edge.
  void step() {
    top.cycle_i = cycle;
    bench.settle();
    // Whatever was given has executed when the unit is ready again.
    const bool ready = top.ready_o;
    if (pending && ready) {
      execute(*pending);
      pending.reset();
    }
    if (top.jump_valid_o) {
      ASSERT_FALSE(jumps[top.jump_warp_o]) << "two jumps of warp " << int{top.jump_warp_o};
      jumps[top.jump_warp_o] = top.jump_pc_o;
    }
    if (top.trap_valid_o) traps.push_back({top.trap_warp_o, top.trap_pc_o});
    if (top.result_valid_o && top.result_ready_i)
      results.push_back({top.result_warp_o, top.result_seq_o, top.result_rd_o, top.result_pd_o, top.result_mask_o,
                         top.result_value_o, top.result_ends_o != 0});
    // The scoreboard does not know of it.
    if (top.result_valid_o && !top.result_ends_o && top.read_warp_i == top.result_warp_o) {
      ASSERT_EQ(top.read_active_o & top.result_mask_o, 0u) << "lanes run whose result is not yet written";
    }
    if (top.arrive_valid_o && top.arrive_ready_i)
      arrivals.push_back({top.arrive_warp_o, top.arrive_ends_o != 0, top.arrive_cluster_o != 0, top.arrive_waits_o != 0,
                          top.arrive_id_o, top.arrive_expected_o, top.arrive_threads_o, top.arrive_ones_o,
                          top.arrive_phase_o != 0});
    if (ready && !top.start_valid_i) compare();  // a jump may wait for the start of a warp
    if (HasFatalFailure()) return;

    // A warp whose barrier opens waits no longer, however long finding its lanes takes: who counts waiting warps sees
    // no deadlock.
    if (ready) opened.reset();
    if (opened && warps[*opened].state == WarpModel::Runs) {
      ASSERT_EQ(top.waiting_o >> *opened & 1, 0) << "warp " << *opened << " cycle " << bench.cycle;
    }
    const bool opens = top.release_valid_i && top.release_ready_o;
    if (opens) {
      opened = opening.warp;
      warps[opening.warp].open(opening, sent);
      released_behind_arrival += pending && !ready;
    }
    if (top.valid_i) {
      pending = given;
      given_at = bench.cycle;
    }
    if (top.load_valid_i) warps[top.read_warp_i].load();
    if (top.start_valid_i) warps[starting.first].start(starting.second);
    bench.tick();
    cycle = static_cast<std::uint16_t>(cycle + cycle_step);
    top.valid_i = top.load_valid_i = top.start_valid_i = 0;
    if (opens) top.release_valid_i = 0;
  }

  // The unit has done all that was given: it and the model must agree in everything.
  void compare() {
    Mask ended = 0, waiting = 0;
    for (unsigned w = 0; w < warps.size(); w++) {
      WarpModel& m = warps[w];
      if (jumps[w] && m.state == WarpModel::Sleeps) {
        const auto& s = wakes[w];
        const std::uint64_t now = (bench.cycle - 1) * cycle_step;
        ASSERT_GE(now, s.given * cycle_step + s.rest) << "warp " << w << " wakes too early";
        if (exact_wake) {
          ASSERT_LE(now, (s.seen + warps.size() + 3) * cycle_step + s.rest) << "warp " << w << " wakes too late";
        }
        m.state = WarpModel::Runs;
        m.jump = m.pc;
        wakeups++;
      }
      ASSERT_EQ(jumps[w].has_value(), m.jump.has_value()) << "warp " << w << " cycle " << bench.cycle;
      if (m.jump) {
        ASSERT_EQ(*jumps[w], *m.jump) << "warp " << w << " cycle " << bench.cycle;
      }
      jumps[w].reset();
      m.jump.reset();
      if (m.state == WarpModel::Ended || m.state == WarpModel::Off) ended |= 1u << w;
      if (m.state == WarpModel::Waits) waiting |= 1u << w;
    }
    if (started_all) {
      if (top.arrive_valid_o && top.arrive_ends_o) ended &= ~(1u << top.arrive_warp_o);
      ASSERT_EQ(top.ended_o, ended) << "cycle " << bench.cycle;
      ASSERT_EQ(top.waiting_o, waiting) << "cycle " << bench.cycle;
    }
    while (!results.empty()) {
      ASSERT_FALSE(sent.results.empty());
      if (results.front().mask == 0) results.front().value = sent.results.front().value;  // nobody gets it
      ASSERT_TRUE(results.front() == sent.results.front())
          << "warp " << results.front().warp << " mask " << std::hex << results.front().mask << " value "
          << results.front().value << ", expected mask " << sent.results.front().mask << " value "
          << sent.results.front().value;
      results.pop_front();
      sent.results.pop_front();
    }
    ASSERT_EQ(sent.results.size(), top.result_valid_o && !top.result_ready_i ? 1u : 0u);
    while (!arrivals.empty()) {
      ASSERT_FALSE(sent.arrivals.empty());
      // Who arrives at a cluster's barrier names no other; who ends has a predicate only where clusters are.
      Arrival& mine = arrivals.front();
      if (mine.cluster) {
        const Arrival& model = sent.arrivals.front();
        mine.waits = model.waits, mine.id = model.id, mine.expected = model.expected, mine.ones = model.ones;
      }
      if (!top.clusters_o && mine.ends) mine.ones = 0;
      ASSERT_TRUE(arrivals.front() == sent.arrivals.front()) << "arrival of warp " << arrivals.front().warp;
      arrivals.pop_front();
      sent.arrivals.pop_front();
    }
    ASSERT_EQ(sent.arrivals.size(), top.arrive_valid_o && !top.arrive_ready_i ? 1u : 0u);
    for (const auto& [warp, pc] : traps) {
      ASSERT_EQ(warps[warp].state, WarpModel::Trapped);
      seen_traps++;
    }
    traps.clear();
    // The lanes of the warp that is being read.
    if (started_all) {
      const WarpModel& m = warps[top.read_warp_i];
      if (m.state == WarpModel::Runs) {
        ASSERT_EQ(top.read_active_o, m.running) << "warp " << int{top.read_warp_i};
      }
    }
  }

  bool idle() {
    bench.settle();
    return top.ready_o && !pending;
  }
  // One instruction of a warp, to its end.
  void run(Control c) {
    while (!idle() && !HasFatalFailure()) step();
    give(c);
    step();
    do step();
    while (!idle() && !HasFatalFailure());
  }
  void start_all(Mask mask) {
    for (unsigned w = 0; w < warps.size() && !HasFatalFailure(); w++) {
      start(w, mask);
      step();
    }
    started_all = true;
  }
  Mask active(unsigned w) {
    top.read_warp_i = static_cast<unsigned char>(w);
    bench.settle();
    return top.read_active_o;
  }

  RtlBench<Vconvergence_top> bench;
  Vconvergence_top& top;
  std::vector<WarpModel> warps;
  Sent sent;                   // by the models
  std::deque<Result> results;  // of the unit, not yet compared
  std::deque<Arrival> arrivals;
  std::vector<std::optional<std::uint32_t>> jumps;
  std::vector<std::pair<unsigned, std::uint32_t>> traps;
  struct Wake {
    std::uint64_t given, seen, rest;
  };
  std::vector<Wake> wakes;
  std::optional<Control> pending;  // the unit has not executed it yet
  Control given;
  Release opening;
  std::optional<unsigned> opened;  // the warp of the last release, until the unit is ready
  std::pair<unsigned, Mask> starting;
  std::uint64_t given_at = 0;
  std::uint16_t cycle = 0;
  unsigned cycle_step = 1, bars = 1;
  bool started_all = false, exact_wake = false;
  unsigned wakeups = 0, given_while_busy = 0, released_behind_arrival = 0, seen_traps = 0;
};

}  // namespace heddle::test
