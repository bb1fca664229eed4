// SPDX-License-Identifier: Apache-2.0
// The lockstep checker: accepts what a right machine tells, in several legal orders, and refuses it
// with any one thing spoiled.
#include "sim/cosim/checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "host-runtime/device/contract.h"
#include "tests/unit/cosim/fake_hardware.h"
#include "tests/unit/model/machine_fixture.h"

namespace heddle::test {
namespace {

using cosim::Event;
using cosim::EventKind;
using Events = std::vector<Event>;

// Something of everything: divergence, loops, calls, shared memory, barriers, atomics, fences.
const std::string kProgram = kPrologue + R"(
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

Preset preset() {
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

  explicit Recording(const std::string& program = kProgram, uint32_t threads = 48,
                     uint32_t blocks = 9)
      : bench(program, threads, blocks) {
    for (uint32_t i = 0; i < 4096; i++) bench.word(i) = i * 3;
    before.assign(bench.memory.at(kCode), bench.memory.at(kCode) + (5 << 20));
    FakeHardware hardware(bench.memory, 2);
    bench.machine.observe(&hardware);
    hardware.kernel_start(bench.launch);
    const auto state = bench.run();
    EXPECT_NE(state, model::Machine::State::Timeout);
    if (state == model::Machine::State::Fault) hardware.fault(bench.machine.fault());
    hardware.kernel_end(
        static_cast<uint32_t>(state == model::Machine::State::Done    ? contract::kStatusOk
                              : state == model::Machine::State::Fault ? contract::kStatusFault
                                                                      : contract::kStatusDeadlock));
    events = std::move(hardware.events);
  }

  // The checker's report; empty when it accepts.
  std::string check(const Events& told, bool threaded = false,
                    cosim::CheckerStats* stats = nullptr) const {
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

const Recording& shared_run() {
  static const Recording run;
  EXPECT_EQ(run.bench.machine.counters().blocks_done, 9u);
  return run;
}

TEST(Checker, AcceptsARightMachine) {
  cosim::CheckerStats stats;
  EXPECT_EQ(shared_run().check(shared_run().events, false, &stats), "");
  EXPECT_EQ(stats.compared_instructions, shared_run().bench.machine.counters().warp_instructions);
  EXPECT_GT(stats.compared_memory_events, 1000u);
}

TEST(Checker, AcceptsARightMachineInItsOwnThread) {
  cosim::CheckerStats stats;
  EXPECT_EQ(shared_run().check(shared_run().events, true, &stats), "");
  EXPECT_GT(stats.compared_instructions, 1000u);
}

// Lanes leave a barrier while two splits that spin give way to each other.
TEST(Checker, AcceptsLanesThatLeaveABarrierAmongSplitsThatYield) {
  const Recording run(kPrologue + R"(
    MOV R20, 0
    MOV R21, 1
    BSSY B3, $join
    ISETP.LT P1, PT, R10, 16, PT
    @P1 BRA $other
  spin:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $spin
    BSYNC B3
  other:
    ATOMG.32.CAS.U R0, R2, R20, R21
    ISETP.NE P0, PT, R0, RZ, PT
    @P0 BRA $other
    BSYNC B3
  join:
    ATOMG.32.EXCH.U R5, R2, R20, RZ
    EXIT
  )",
                      32, 1);
  EXPECT_EQ(run.bench.machine.counters().blocks_done, 1u);
  EXPECT_EQ(run.check(run.events), "");
}

TEST(Checker, AcceptsResultsThatComeLate) {
  // Retirements wander behind events of other warps, as pipelines make them.
  Events late = shared_run().events;
  std::mt19937_64 random(random_seed());
  for (size_t n = 0; n < 20000; n++) {
    const size_t i = random() % (late.size() - 1);
    const Event &a = late[i], &b = late[i + 1];
    if (a.kind != EventKind::Retire) continue;
    const bool other_warp =
        (b.kind == EventKind::Issue &&
         (b.issue.sm != a.retire.sm || b.issue.warp != a.retire.warp)) ||
        (b.kind == EventKind::Retire &&
         (b.retire.sm != a.retire.sm || b.retire.warp != a.retire.warp)) ||
        (b.kind == EventKind::Load && (b.load.sm != a.retire.sm || b.load.warp != a.retire.warp));
    if (other_warp) std::swap(late[i], late[i + 1]);
  }
  EXPECT_EQ(shared_run().check(late), "");
}

// ---- spoiled events
// -------------------------------------------------------------------------------------------

struct Bug {
  const char* name;
  std::function<void(Events&)> plant;
  const char* says;  // part of the report
};
void PrintTo(const Bug& b, std::ostream* out) { *out << b.name; }

// The n-th event that `wanted` accepts.
size_t nth(const Events& events, size_t n, const std::function<bool(const Event&)>& wanted) {
  for (size_t i = 0; i < events.size(); i++)
    if (wanted(events[i]) && n-- == 0) return i;
  ADD_FAILURE() << "no such event";
  return 0;
}
size_t last(const Events& events, const std::function<bool(const Event&)>& wanted) {
  for (size_t i = events.size(); i-- > 0;)
    if (wanted(events[i])) return i;
  ADD_FAILURE() << "no such event";
  return 0;
}
bool row(const Event& e) { return e.kind == EventKind::Retire && e.retire.row_we && e.retire.mask; }
bool predicate(const Event& e) {
  return e.kind == EventKind::Retire && e.retire.p_we && e.retire.mask;
}
bool write(const Event& e) {
  return e.kind == EventKind::L2 && e.l2.kind == cosim::RequestKind::Write;
}
bool atomic(const Event& e) {
  return e.kind == EventKind::L2 && e.l2.kind == cosim::RequestKind::Atomic;
}
bool read(const Event& e) {
  return e.kind == EventKind::L2 && e.l2.kind == cosim::RequestKind::Read;
}
bool load_from(const Event& e, cosim::LoadSource s) {
  return e.kind == EventKind::Load && e.load.source == s;
}
bool l1_kind(const Event& e, cosim::L1Kind k) { return e.kind == EventKind::L1 && e.l1.kind == k; }
// Instruction `n` of the program issues.
std::function<bool(const Event&)> issue_at(uint32_t n) {
  return [n](const Event& e) { return e.kind == EventKind::Issue && e.issue.pc == 8 * n; };
}
// Where the instruction that is issued at `issue` retires.
size_t retirement(const Events& e, size_t issue) {
  size_t i = issue;
  while (e[i].kind != EventKind::Retire || e[i].retire.sm != e[issue].issue.sm || e[i].retire.warp != e[issue].issue.warp ||
         e[i].retire.seq != e[issue].issue.seq)
    i++;
  return i;
}
void drop(Events& e, size_t i) { e.erase(e.begin() + static_cast<long>(i)); }
void repeat(Events& e, size_t i) { e.insert(e.begin() + static_cast<long>(i), Event(e[i])); }

class Bugs : public testing::TestWithParam<Bug> {};

TEST_P(Bugs, AreCaught) {
  Events spoiled = shared_run().events;
  GetParam().plant(spoiled);
  const std::string report = shared_run().check(spoiled);
  EXPECT_NE(report, "") << "the bug went unnoticed";
  EXPECT_NE(report.find(GetParam().says), std::string::npos) << report;
}

INSTANTIATE_TEST_SUITE_P(
    Checker, Bugs,
    testing::Values(
        Bug{"wrong_result",
            [](Events& e) {
              Event& x = e[nth(e, 500, row)];
              x.retire.row[static_cast<size_t>(std::countr_zero(x.retire.mask))] ^= 0x10;
            },
            "hardware 0x"},
        Bug{"wrong_predicate",
            [](Events& e) {
              Event& x = e[nth(e, 50, predicate)];
              x.retire.p ^= x.retire.mask & -x.retire.mask;
            },
            "in lanes"},
        Bug{"wrong_second_predicate",
            [](Events& e) {
              Event& x =
                  e[nth(e, 0, [](const Event& y) { return predicate(y) && y.retire.pq < 7; })];
              x.retire.q ^= x.retire.mask;
            },
            "P2: hardware"},
        Bug{"guard_ignored",
            [](Events& e) {
              Event& x = e[nth(e, 500, row)];
              x.retire.mask ^= 1u << 5;
            },
            "executed lanes"},
        Bug{"wrong_destination", [](Events& e) { e[nth(e, 100, row)].retire.rd++; },
            "hardware writes R"},
        Bug{"lost_write_back", [](Events& e) { e[nth(e, 100, row)].retire.row_we = false; },
            "was not written"},
        Bug{"lost_retirement", [](Events& e) { drop(e, nth(e, 100, row)); }, "did not retire"},
        Bug{"retired_twice", [](Events& e) { repeat(e, nth(e, 100, row)); }, "retires, which"},
        Bug{"half_a_pair",
            [](Events& e) {
              e[nth(e, 0, [](const Event& y) { return row(y) && !y.retire.last; })].retire.last =
                  true;
            },
            "was not written"},
        Bug{"wrong_pc",
            [](Events& e) {
              e[nth(e, 300, [](const Event& y) { return y.kind == EventKind::Issue; })].issue.pc +=
                  8;
            },
            "in the model lane"},
        Bug{"skipped_instruction",
            [](Events& e) {
              drop(e, nth(e, 300, [](const Event& y) { return y.kind == EventKind::Issue; }));
            },
            "was not issued"},
        Bug{"lane_left_behind",
            [](Events& e) {
              e[nth(e, 30, [](const Event& y) {
                return y.kind == EventKind::Issue && y.issue.active == 0xffffffff;
              })].issue.active = 0x7fffffff;
            },
            "the model for"},
        Bug{"lane_that_waits",
            [](Events& e) {
              // The second split at BSYNC takes the lanes of the first with it, which wait there.
              const auto bsync = [](const Event& y) {
                return y.kind == EventKind::Issue && y.issue.pc == 8 * 15;
              };
              const size_t first = nth(e, 0, bsync);
              e[nth(e, 1, bsync)].issue.active |= e[first].issue.active;
            },
            "waits at convergence barrier"},
        Bug{"ended_lane",
            [](Events& e) {
              e[nth(e, 0, [](const Event& y) {
                return y.kind == EventKind::Issue && y.issue.active == 0xffff;
              })].issue.active |= 1u << 20;
            },
            "has ended"},
        Bug{"barrier_opens_early",
            [](Events& e) {
              // The warp that arrived first goes on before the second has come.
              const size_t bar =
                  nth(e, 0, [](const Event& y) { return y.kind == EventKind::SharedStore; });
              size_t i = bar + 2;  // past its retirement: the barrier
              Event next = e[i];
              next.issue.pc += 8;
              next.issue.seq++;
              e.insert(e.begin() + static_cast<long>(i) + 1, next);
            },
            "waits at block barrier 0"},
        Bug{"reduction_before_its_barrier_opens",
            [](Events& e) {
              const size_t bar = nth(e, 0, issue_at(29));
              const size_t result = retirement(e, bar);
              std::rotate(e.begin() + static_cast<long>(bar) + 1, e.begin() + static_cast<long>(result),
                          e.begin() + static_cast<long>(result) + 1);
            },
            "has not opened"},
        Bug{"lanes_run_before_their_reduction_is_written",
            [](Events& e) {
              const size_t bar = nth(e, 0, issue_at(29));
              const size_t result = retirement(e, bar);
              size_t next = result;
              while (e[next].kind != EventKind::Issue || e[next].issue.sm != e[bar].issue.sm ||
                     e[next].issue.warp != e[bar].issue.warp)
                next++;
              std::rotate(e.begin() + static_cast<long>(result), e.begin() + static_cast<long>(next),
                          e.begin() + static_cast<long>(next) + 1);
            },
            "before the block barrier's result"},
        Bug{"lost_shared_atomic",
            [](Events& e) { drop(e, last(e, [](const Event& y) { return y.kind == EventKind::SharedStore; })); },
            "before it was performed"},
        Bug{"shared_atomic_done_twice",
            [](Events& e) { repeat(e, last(e, [](const Event& y) { return y.kind == EventKind::SharedStore; })); },
            "has done so before"},
        Bug{"shared_atomic_at_l2",
            [](Events& e) {
              // Its lane is claimed by an L2 event.
              const size_t shared = last(e, [](const Event& y) { return y.kind == EventKind::SharedStore; });
              Event claim = e[nth(e, 0, atomic)];
              claim.l2.client = e[shared].shared_store.sm;
              claim.l2.warp = e[shared].shared_store.warp;
              claim.l2.seq = e[shared].shared_store.seq;
              claim.l2.lane = static_cast<uint8_t>(std::countr_zero(e[shared].shared_store.lanes));
              e[shared] = claim;
            },
            "none to do for this lane"},
        Bug{"lost_store", [](Events& e) { drop(e, last(e, write)); }, "memory effects"},
        Bug{"store_done_twice", [](Events& e) { repeat(e, nth(e, 40, write)); }, "L2 writes bytes"},
        Bug{"store_of_wrong_bytes",
            [](Events& e) {
              Event& x = e[nth(e, 40, write)];
              x.l2.data[static_cast<size_t>(std::countr_zero(x.l2.mask)) / 4] ^= 0x01010101;
            },
            "store of byte"},
        Bug{"store_drops_a_byte",
            [](Events& e) {
              Event& x = e[last(e, write)];
              x.l2.mask &= x.l2.mask - 1;
            },
            "memory effects"},
        Bug{"store_elsewhere", [](Events& e) { e[nth(e, 40, write)].l2.sector += 64; },
            "does not store there"},
        Bug{"store_by_another_warp", [](Events& e) { e[nth(e, 40, write)].l2.warp ^= 1; },
            "L2 writes bytes"},
        Bug{"l2_reads_wrong", [](Events& e) { e[nth(e, 20, read)].l2.data[3] ^= 1; },
            "L2 reads address"},
        Bug{"fill_corrupted",
            [](Events& e) {
              e[nth(e, 20, [](const Event& y) { return l1_kind(y, cosim::L1Kind::Fill); })]
                  .l1.data[1] ^= 0x80;
            },
            "fill of sector"},
        Bug{"fill_of_another_sector",
            [](Events& e) {
              e[nth(e, 20, [](const Event& y) { return l1_kind(y, cosim::L1Kind::Fill); })]
                  .l1.sector++;
            },
            "L2 did not read"},
        Bug{"l1_takes_wrong_bytes",
            [](Events& e) {
              Event& x =
                  e[nth(e, 5, [](const Event& y) { return l1_kind(y, cosim::L1Kind::Write); })];
              x.l1.data[static_cast<size_t>(std::countr_zero(x.l1.mask)) / 4] ^= 4;
            },
            "the L1 takes"},
        Bug{"l1_misses_a_store",
            [](Events& e) {
              drop(e, nth(e, 5, [](const Event& y) { return l1_kind(y, cosim::L1Kind::Write); }));
            },
            "keeps the old byte"},
        Bug{"hit_after_eviction",
            [](Events& e) {
              const size_t hit =
                  nth(e, 5, [](const Event& y) { return load_from(y, cosim::LoadSource::L1); });
              cosim::L1 flush{};
              flush.sm = e[hit].load.sm;
              flush.kind = cosim::L1Kind::InvalidateAll;
              e.insert(e.begin() + static_cast<long>(hit), Event(flush));
            },
            "which does not hold it"},
        Bug{"load_from_wrong_fill",
            [](Events& e) {
              e[nth(e, 3, [](const Event& y) { return load_from(y, cosim::LoadSource::Fill); })]
                  .load.id ^= 1;
            },
            "is served by fill"},
        Bug{"load_lane_forgotten",
            [](Events& e) {
              Event& x = e[nth(
                  e, 3, [](const Event& y) { return load_from(y, cosim::LoadSource::Shared); })];
              x.load.lanes &= x.load.lanes - 1;
            },
            "before this lane's bytes were read"},
        Bug{"shared_store_forgets_a_lane",
            [](Events& e) {
              Event& x =
                  e[nth(e, 3, [](const Event& y) { return y.kind == EventKind::SharedStore; })];
              x.shared_store.lanes &= x.shared_store.lanes - 1;
            },
            "before the store"},
        Bug{"bank_conflict_served_twice",
            [](Events& e) {
              repeat(e, nth(e, 3, [](const Event& y) { return y.kind == EventKind::SharedStore; }));
            },
            "has done so before"},
        Bug{"atomic_finds_wrong_value", [](Events& e) { e[nth(e, 40, atomic)].l2.old++; },
            "found: hardware"},
        Bug{"atomic_done_twice", [](Events& e) { repeat(e, nth(e, 40, atomic)); }, "none to do"},
        Bug{"atomic_forgotten", [](Events& e) { drop(e, nth(e, 40, atomic)); }, "model 0x"},
        Bug{"atomic_wrong_operand", [](Events& e) { e[nth(e, 40, atomic)].l2.data[0]++; },
            "atomic operand"},
        Bug{"fence_without_flush",
            [](Events& e) {
              drop(e, nth(e, 2,
                          [](const Event& y) { return l1_kind(y, cosim::L1Kind::InvalidateAll); }));
            },
            "not emptied"},
        Bug{"fence_before_store",
            [](Events& e) {
              // The last store before a fence becomes visible after the fence's retirement.
              const size_t flush = nth(
                  e, 2, [](const Event& y) { return l1_kind(y, cosim::L1Kind::InvalidateAll); });
              size_t store = flush;
              while (!(write(e[store]) && e[store].l2.warp == e[flush + 1].retire.warp &&
                       e[store].l2.client == e[flush].l1.sm))
                store--;
              std::rotate(e.begin() + static_cast<long>(store),
                          e.begin() + static_cast<long>(store) + 1,
                          e.begin() + static_cast<long>(flush) + 2);
            },
            "before the store"},
        Bug{"block_run_twice",
            [](Events& e) {
              e[nth(e, 3, [](const Event& y) { return y.kind == EventKind::BlockStart; })]
                  .block_start.ctaid[0] = 0;
            },
            "starts twice"},
        Bug{"block_ends_early",
            [](Events& e) {
              const size_t end =
                  nth(e, 0, [](const Event& y) { return y.kind == EventKind::BlockEnd; });
              std::rotate(e.begin() + static_cast<long>(end) - 30,
                          e.begin() + static_cast<long>(end),
                          e.begin() + static_cast<long>(end) + 1);
            },
            "the block ended, but"},
        Bug{"blocks_overlap",
            [](Events& e) {
              e[nth(e, 2, [](const Event& y) { return y.kind == EventKind::BlockStart; })]
                  .block_start.first_warp = 0;
            },
            "overlaps"},
        Bug{"kernel_ends_early", [](Events& e) { e.erase(e.end() - 20, e.end() - 1); },
            "the kernel ended"},
        Bug{"false_deadlock",
            [](Events& e) {
              e.resize(e.size() / 2);
              e.emplace_back(cosim::KernelEnd{contract::kStatusDeadlock});
            },
            "can go on"},
        Bug{"issue_before_the_load",
            [](Events& e) {
              // FADD issues before the second LDG has written its row.
              const size_t add = nth(e, 0, [](const Event& y) {
                return y.kind == EventKind::Issue && y.issue.pc == 8 * 24;
              });
              std::swap(e[add], e[add - 1]);
            },
            "is under way"}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- the report, faults, ends
// ---------------------------------------------------------------------------------

TEST(Checker, NamesThePlaceBothValuesAndTheHistory) {
  Events e = shared_run().events;
  Event& x = e[nth(e, 800, row)];
  x.retire.row[static_cast<size_t>(std::countr_zero(x.retire.mask))] ^= 1;
  const std::string report = shared_run().check(e);
  for (const char* part : {"lockstep mismatch at cycle", "SM ", "warp ", "lane ", "pc 0x",
                           "hardware 0x", "model 0x", "block (", "last retirements"})
    EXPECT_NE(report.find(part), std::string::npos) << part << " is not in:\n" << report;
  EXPECT_LE(std::count(report.begin(), report.end(), '\n'), 32 + 5);
  EXPECT_GT(std::count(report.begin(), report.end(), '\n'), 10);
}

TEST(Checker, SaysTheSameInItsOwnThread) {
  Events e = shared_run().events;
  e[nth(e, 800, row)].retire.row[3] ^= 1;
  EXPECT_EQ(shared_run().check(e, true), shared_run().check(e, false));
}

TEST(Checker, TakesNoKernelWithoutComparisons) {
  cosim::KernelStart start{};
  start.grid[0] = 0;
  const std::string report =
      shared_run().check({Event(start), Event(cosim::KernelEnd{contract::kStatusOk})});
  EXPECT_NE(report.find("nothing was compared"), std::string::npos) << report;
}

const std::string kFaulting = kPrologue + R"(
    ISETP.LT P0, PT, R10, 37, PT
    STG.32 [R12+0], R10
    @!P0 LDG.32 R0, [RZ+0]
    IADD R0, R0, 1
    EXIT
)";

TEST(Checker, AcceptsTheFaultThatTheModelHas) {
  const Recording run(kFaulting, 64, 1);
  EXPECT_EQ(run.check(run.events), "");
}

TEST(Checker, RefusesAFaultOfTheWrongThread) {
  const Recording run(kFaulting, 64, 1);
  Events e = run.events;
  e[e.size() - 2].fault.thread++;
  EXPECT_NE(run.check(e).find("thread 38"), std::string::npos);
}

TEST(Checker, RefusesAFaultFromNowhere) {
  Events e = shared_run().events;
  const size_t at = nth(e, 300, row);
  cosim::Fault f{};
  f.sm = e[at].retire.sm;
  f.warp = e[at].retire.warp;
  f.kind = contract::kFaultMisaligned;
  e.insert(e.begin() + static_cast<long>(at), Event(f));
  EXPECT_NE(shared_run().check(e).find("the model has none"), std::string::npos);
}

TEST(Checker, MissesAFaultThatWasNotReported) {
  const Recording run(kFaulting, 64, 1);
  Events e = run.events;
  e.erase(e.end() - 2);
  EXPECT_NE(run.check(e).find("not reported"), std::string::npos);
  e.back().kernel_end.status = contract::kStatusOk;
  EXPECT_NE(run.check(e), "");
}

TEST(Checker, AcceptsADeadlockThatIsOne) {
  const Recording run(kPrologue + R"(
    ISETP.GE P0, PT, R10, 32, PT
    MOV R20, 64
    @P0 BRA $other
    BAR.SYNC.POPC RZ, 0, R20, PT
    EXIT
  other:
    BAR.SYNC.POPC RZ, 1, R20, PT
    EXIT
  )",
                      64, 1);
  EXPECT_EQ(run.check(run.events), "");
}

TEST(Checker, FollowsTheCopyEngine) {
  const Recording& run = shared_run();
  Events e;
  cosim::L2 copy{};
  copy.client = 2;
  copy.kind = cosim::RequestKind::Write;
  copy.sector = kData / 32;
  copy.mask = ~0u;
  copy.data[0] = 77;
  e.emplace_back(copy);
  copy.kind = cosim::RequestKind::Read;
  e.emplace_back(copy);
  EXPECT_EQ(run.check(e), "");
  e.back().l2.data[0] = 78;
  EXPECT_NE(run.check(e).find("L2 reads address"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
