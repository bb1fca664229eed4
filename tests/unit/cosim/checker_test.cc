// SPDX-License-Identifier: Apache-2.0
// The lockstep checker: accepts what a right machine tells, in several legal orders; its report, faults, ends.
// What it refuses is in planted_bugs_test.cc.
#include "sim/cosim/checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "tests/unit/cosim/recording.h"
#include "tests/unit/model/waiting_programs.h"

namespace heddle::test {
namespace {

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
  const Recording run(kLockTakenInTwoLoops, 32, 1);
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
        (b.kind == EventKind::Issue && (b.issue.sm != a.retire.sm || b.issue.warp != a.retire.warp)) ||
        (b.kind == EventKind::Retire && (b.retire.sm != a.retire.sm || b.retire.warp != a.retire.warp)) ||
        (b.kind == EventKind::Load && (b.load.sm != a.retire.sm || b.load.warp != a.retire.warp));
    if (other_warp) std::swap(late[i], late[i + 1]);
  }
  EXPECT_EQ(shared_run().check(late), "");
}

// An atomic whose value nobody reads ends as a store does, before it is performed; a fence waits for it.
const std::string kReduction = kPrologue + R"(
    MOV R8, 5
    ATOMG.32.ADD.U RZ, R12, R8, RZ
    IADD R9, R8, R8
    MEMBAR.GPU
    EXIT
)";

// The warp's reductions are performed behind the retirement of the n-th instruction.
Events performed_late(const Recording& run, unsigned n) {
  Events e = run.events;
  const size_t first = nth(e, 0, atomic), behind = retirement(e, nth(e, 0, issue_at(n)));
  std::rotate(e.begin() + static_cast<long>(first), e.begin() + static_cast<long>(first) + 32,
              e.begin() + static_cast<long>(behind) + 1);
  return e;
}

TEST(Checker, AcceptsAtomicsOnASectorsWords) {
  Events events = shared_run().events;
  join_atomics(events);
  EXPECT_EQ(shared_run().check(events), "");
}

TEST(Checker, AcceptsReductionsThatArePerformedLate) {
  const Recording run(kReduction, 32, 1);
  EXPECT_EQ(run.check(run.events), "");
  EXPECT_EQ(run.check(performed_late(run, 10)), "");
  const std::string report = run.check(performed_late(run, 11));
  EXPECT_NE(report.find("before the store"), std::string::npos) << report;
}

// Lanes copy 8 bytes each, in two groups; the second is waited for after the first has been read.
const std::string kCopies = kPrologue + R"(
    SHL R4, R10, 3
    IADD R5, R4, 512
    SHL R6, R10, 3
    IADD.64 R8, R2, 256
    MOV R7, 8
    IMAD.WIDE R8, R10, R7, R8
    LDGSTS.64 [R8+0], R4
    LDGDEPBAR
    LDGSTS.64.CG [R8+1024], R5
    LDGDEPBAR
    DEPBAR 1
    LDS.64 R12, [R4+0]
    DEPBAR 0
    LDS.64 R14, [R5+0]
    EXIT
)";

TEST(Checker, AcceptsCopiesThatEndBeforeTheirWait) {
  const Recording run(kCopies, 32, 1);
  EXPECT_EQ(run.check(run.events), "");
  const size_t first = nth(run.events, 0, is(EventKind::SharedStore)),
               second = nth(run.events, 1, is(EventKind::SharedStore));
  const auto late = [&](size_t store, size_t behind) {  // and its end
    Events e = run.events;
    std::rotate(e.begin() + static_cast<long>(store), e.begin() + static_cast<long>(store) + 2,
                e.begin() + static_cast<long>(behind));
    return e;
  };
  const auto copy = retirement(run.events, nth(run.events, 0, issue_at(14)));
  EXPECT_EQ(copy, first + 1) << "a copy ends behind its store";
  // 18 and 20 wait for the first group and for both.
  EXPECT_EQ(run.check(late(first, nth(run.events, 0, issue_at(18)))), "");
  EXPECT_EQ(run.check(late(second, nth(run.events, 0, issue_at(20)))), "");
  for (const std::string& report : {run.check(late(first, nth(run.events, 0, issue_at(18)) + 1)),
                                    run.check(late(second, nth(run.events, 0, issue_at(20)) + 1))})
    EXPECT_NE(report.find("issued while the copy of pc"), std::string::npos) << report;
  // Its end is told and its store is not; a lane's store is left out; or comes before its bytes are read.
  Events e = run.events;
  std::swap(e[first], e[first + 1]);
  EXPECT_NE(run.check(e).find("the copy ends before"), std::string::npos) << run.check(e);
  e = run.events;
  e[second].shared_store.lanes &= ~4u;
  EXPECT_NE(run.check(e).find("the copy ends before"), std::string::npos) << run.check(e);
  e = run.events;
  std::swap(e[first], e[first - 1]);
  EXPECT_NE(run.check(e).find("this lane stores nothing"), std::string::npos) << run.check(e);
}

// ---- the report, faults, ends ----

TEST(Checker, NamesThePlaceBothValuesAndTheHistory) {
  Events e = shared_run().events;
  Event& x = e[nth(e, 800, row)];
  x.retire.row[static_cast<size_t>(std::countr_zero(x.retire.mask))] ^= 1;
  const std::string report = shared_run().check(e);
  for (const char* part : {"lockstep mismatch at cycle", "SM ", "warp ", "lane ", "pc 0x", "hardware 0x", "model 0x",
                           "block (", "last retirements"})
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
  const std::string report = shared_run().check({Event(start), Event(cosim::KernelEnd{contract::kStatusOk})});
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
  const Recording run(kTwoBarriersThatWait, 64, 1);
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

// What the hardware's memory holds at the end, wherever either has written; with one byte changed.
TEST(Checker, DeviceMemoryAtTheEndIsTheModels) {
  const Recording& run = shared_run();
  const uint64_t base = contract::kMemoryBase, size = preset().runtime.mem_bytes;
  for (const bool threaded : {false, true}) {
    for (const int64_t spoil : {int64_t{-1}, int64_t{0}, int64_t{(5 << 20) - 1}, int64_t{6 << 20}}) {
      auto checker = cosim::make_checker(preset(), {.threaded = threaded});
      ASSERT_TRUE(checker.ok());
      (*checker)->write_memory(kCode, run.before.data(), run.before.size());
      for (const Event& e : run.events) (*checker)->push(e);
      std::vector<uint8_t> memory(run.bench.memory.at(base), run.bench.memory.at(base) + size);
      PageSet written(size);
      if (spoil >= 0) memory[kCode - base + static_cast<uint64_t>(spoil)] ^= 1;
      if (spoil >= 0) written.add(kCode - base + static_cast<uint64_t>(spoil));
      const Status status = (*checker)->compare_memory(memory.data(), written);
      EXPECT_EQ(status.ok(), spoil < 0);
      EXPECT_EQ((*checker)->failed(), spoil >= 0);
      if (!status) {
        EXPECT_NE(status.error().message().find("device memory at the end"), std::string::npos)
            << status.error().message();
      }
    }
  }
}

// Words 0 to 31 nobody has written, but byte 1 of each. What the first load finds is the hardware's; it stays.
TEST(Checker, UnwrittenSharedMemoryHoldsAnything) {
  const Recording run(kPrologue + R"(
    SHL R4, R10, 2
    STS.U8 [R4+1], R10
    LDS.32 R5, [R4+0]
    LDS.U8 R6, [R4+2]
    LDS.U8 R7, [R4+1]
    EXIT
)",
                      32, 1);
  const auto find = [&](unsigned rd, const Events& e) {
    return nth(e, 0, [rd](const Event& x) { return row(x) && x.retire.rd == rd; });
  };
  EXPECT_EQ(run.check(run.events), "");
  Events e = run.events;
  e[find(5, e)].retire.row[3] = 0xaabb03dd;
  EXPECT_NE(run.check(e).find("R6: hardware 0x00000000, model 0x000000bb"), std::string::npos) << run.check(e);
  e[find(6, e)].retire.row[3] = 0xbb;
  EXPECT_EQ(run.check(e), "");
  e[find(7, e)].retire.row[3] = 4;
  EXPECT_NE(run.check(e).find("R7: hardware 0x00000004, model 0x00000003"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
