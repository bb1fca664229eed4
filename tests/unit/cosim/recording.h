// SPDX-License-Identifier: Apache-2.0
// What a right machine tells of a kernel, as events for the lockstep checker, and how single events of it are found,
// dropped and repeated.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "host-runtime/device/contract.h"
#include "sim/cosim/checker.h"
#include "tests/unit/cosim/fake_hardware.h"
#include "tests/unit/model/machine_fixture.h"

namespace heddle::test {

using cosim::Event;
using cosim::EventKind;
using Events = std::vector<Event>;
using Wanted = std::function<bool(const Event&)>;

// Something of everything: divergence, loops, calls, shared memory, barriers, atomics, fences.
inline const std::string kProgram = kPrologue + R"(
    MOV R20, 0
    LOP.AND R4, R10, 7
    BSSY B0, $join
  loop:
    ISETP.GE P0, PT, R20, R4, PT
    @P0 BRA $out
    IADD R20, R20, 1
    BRA $loop
  out:
    BSYNC B0
  join:
    S2R R21, SR_TID.X
    SHL R22, R21, 2
    STS.32 [R22+0], R20
    BAR.SYNC.POPC RZ, 0, RZ, PT
    LOP.XOR R23, R22, 4
    LDS.32 R24, [R23+0]
    LDG.32 R25, [R12+0]
    LDG.32 R26, [R12+0]
    FADD R27, R25, R26
    IADD R28, R24, R25
    STG.32 [R12+0], R28
    LDG.32 R25, [R12+0]
    ISETP.EQ P1, P2, R25, R28, PT
    BAR.RED.POPC R16, 1, RZ, P1
    BAR.RED.AND R3, 1, RZ, P1
    STG.U8 [R12+512], R16
    LOP.AND R17, R10, 1
    ISETP.EQ P3, PT, R17, RZ, PT
    @P3 CALL R18, $twice
    MOV R6, c[0][0x0]
    MOV R7, c[0][0x4]
    MOV R8, 1
    MEMBAR.GPU
    ATOMG.32.ADD.U R9, R6, R8, RZ
    MOV R8, 8
    IMAD.WIDE R6, R10, R8, R2
    STG.64 [R6+8192], R28
    LDG.64 R14, [R6+8192]
    IMAD.WIDE R30, R14, R14, R6
    STG.32 [R6+16384], R28    # nobody reads this
    ATOMS.32.ADD.U R19, R22, R20, RZ
    LDS.32 R29, [R22+0]
    EXIT
  twice:
    IADD R28, R28, R28
    RET R18
)";

inline Preset preset() {
  Preset p{};
  p.name = "small";
  p.structure = small_structure();
  p.runtime.mem_bytes = 16 << 20;
  return p;
}

struct Recording {
  Bench bench;
  Events events;
  std::vector<uint8_t> before;  // memory as the kernel found it

  explicit Recording(const std::string& program = kProgram, uint32_t threads = 48, uint32_t blocks = 9)
      : bench(program, threads, blocks) {
    for (uint32_t i = 0; i < 4096; i++) bench.word(i) = i * 3;
    before.assign(bench.memory.at(kCode), bench.memory.at(kCode) + (5 << 20));
    FakeHardware hardware(bench.memory, 2);
    bench.machine.observe(&hardware);
    hardware.kernel_start(bench.launch);
    const auto state = bench.run();
    EXPECT_NE(state, model::Machine::State::Timeout);
    if (state == model::Machine::State::Fault) hardware.fault(bench.machine.fault());
    hardware.kernel_end(static_cast<uint32_t>(state == model::Machine::State::Done    ? contract::kStatusOk
                                              : state == model::Machine::State::Fault ? contract::kStatusFault
                                                                                      : contract::kStatusDeadlock));
    events = std::move(hardware.events);
  }

  // The checker's report; empty when it accepts.
  std::string check(const Events& told, bool threaded = false, cosim::CheckerStats* stats = nullptr) const {
    cosim::CheckerOptions options;
    options.threaded = threaded;
    auto checker = cosim::make_checker(preset(), options);
    EXPECT_TRUE(checker.ok());
    (*checker)->write_memory(kCode, before.data(), before.size());
    for (const Event& e : told) (*checker)->push(e);
    const Status status = (*checker)->drain();
    EXPECT_EQ(status.ok(), !(*checker)->failed());
    if (stats) *stats = (*checker)->stats();
    return (*checker)->report();
  }
};

inline const Recording& shared_run() {
  static const Recording run;
  EXPECT_EQ(run.bench.machine.counters().blocks_done, 9u);
  return run;
}

// The n-th event that `wanted` accepts.
inline size_t nth(const Events& events, size_t n, const Wanted& wanted) {
  for (size_t i = 0; i < events.size(); i++)
    if (wanted(events[i]) && n-- == 0) return i;
  ADD_FAILURE() << "no such event";
  return 0;
}
inline size_t last(const Events& events, const Wanted& wanted) {
  for (size_t i = events.size(); i-- > 0;)
    if (wanted(events[i])) return i;
  ADD_FAILURE() << "no such event";
  return 0;
}
inline bool row(const Event& e) { return e.kind == EventKind::Retire && e.retire.row_we && e.retire.mask; }
inline bool predicate(const Event& e) { return e.kind == EventKind::Retire && e.retire.p_we && e.retire.mask; }
inline bool write(const Event& e) { return e.kind == EventKind::L2 && e.l2.kind == cosim::RequestKind::Write; }
inline bool atomic(const Event& e) { return e.kind == EventKind::L2 && e.l2.kind == cosim::RequestKind::Atomic; }
inline bool read(const Event& e) { return e.kind == EventKind::L2 && e.l2.kind == cosim::RequestKind::Read; }
// Atomics as a machine tells them that works on a sector's words at once: each word's numbers in place, of one
// instruction those on different words of a sector that follow each other together.
inline void join_atomics(Events& events) {
  Events joined;
  for (Event e : events) {
    if (!atomic(e)) {
      joined.push_back(e);
      continue;
    }
    const cosim::L2 one = e.l2;
    const size_t word = one.offset / 4, words = one.wide ? 2 : 1;
    cosim::L2* to = &e.l2;
    to->mask = 0;
    if (!joined.empty() && atomic(joined.back())) {
      cosim::L2& before = joined.back().l2;
      const bool same = before.client == one.client && before.warp == one.warp && before.seq == one.seq;
      if (same && before.sector == one.sector && !(before.mask >> 4 * word & 1)) to = &before;
    }
    to->mask |= (one.wide ? 0xffu : 0xfu) << one.offset;
    for (size_t w = 0; w < words; w++) {
      to->data[word + w] = one.data[w];
      to->old[word + w] = one.old[w];
    }
    if (to == &e.l2) joined.push_back(e);
  }
  events = std::move(joined);
}
inline Wanted is(EventKind kind) {
  return [kind](const Event& e) { return e.kind == kind; };
}
inline Wanted load_from(cosim::LoadSource source) {
  return [source](const Event& e) { return e.kind == EventKind::Load && e.load.source == source; };
}
inline Wanted l1(cosim::L1Kind kind) {
  return [kind](const Event& e) { return e.kind == EventKind::L1 && e.l1.kind == kind; };
}
inline Wanted issue_of(uint32_t lanes) {
  return [lanes](const Event& e) { return e.kind == EventKind::Issue && e.issue.active == lanes; };
}
// Instruction `n` of the program issues.
inline Wanted issue_at(uint32_t n) {
  return [n](const Event& e) { return e.kind == EventKind::Issue && e.issue.pc == 8 * n; };
}
// Where the instruction that is issued at `issue` retires.
inline size_t retirement(const Events& e, size_t issue) {
  size_t i = issue;
  while (e[i].kind != EventKind::Retire || e[i].retire.sm != e[issue].issue.sm ||
         e[i].retire.warp != e[issue].issue.warp || e[i].retire.seq != e[issue].issue.seq)
    i++;
  return i;
}
inline void drop(Events& e, size_t i) { e.erase(e.begin() + static_cast<long>(i)); }
inline void repeat(Events& e, size_t i) { e.insert(e.begin() + static_cast<long>(i), Event(e[i])); }

}  // namespace heddle::test
