// SPDX-License-Identifier: Apache-2.0
// The lockstep checker refuses what a machine tells with any one thing spoiled, and says which.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/unit/cosim/recording.h"

namespace heddle::test {
namespace {

struct Bug {
  const char* name;
  std::function<void(Events&)> plant;
  const char* says;  // part of the report
};
void PrintTo(const Bug& b, std::ostream* out) { *out << b.name; }

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
              Event& x = e[nth(e, 0, [](const Event& y) { return predicate(y) && y.retire.pq < 7; })];
              x.retire.q ^= x.retire.mask;
            },
            "P2: hardware"},
        Bug{"guard_ignored",
            [](Events& e) {
              Event& x = e[nth(e, 500, row)];
              x.retire.mask ^= 1u << 5;
            },
            "executed lanes"},
        Bug{"wrong_destination", [](Events& e) { e[nth(e, 100, row)].retire.rd++; }, "hardware writes R"},
        Bug{"lost_write_back", [](Events& e) { e[nth(e, 100, row)].retire.row_we = false; }, "was not written"},
        Bug{"lost_retirement", [](Events& e) { drop(e, nth(e, 100, row)); }, "did not retire"},
        Bug{"retired_twice", [](Events& e) { repeat(e, nth(e, 100, row)); }, "retires, which"},
        Bug{"half_a_pair",
            [](Events& e) { e[nth(e, 0, [](const Event& y) { return row(y) && !y.retire.last; })].retire.last = true; },
            "was not written"},
        Bug{"wrong_pc", [](Events& e) { e[nth(e, 300, is(EventKind::Issue))].issue.pc += 8; }, "in the model lane"},
        Bug{"skipped_instruction", [](Events& e) { drop(e, nth(e, 300, is(EventKind::Issue))); }, "was not issued"},
        Bug{"lane_left_behind", [](Events& e) { e[nth(e, 30, issue_of(0xffffffff))].issue.active = 0x7fffffff; },
            "the model for"},
        Bug{"lane_that_waits",
            [](Events& e) {
              // The second split at BSYNC takes the lanes of the first with it, which wait there.
              const auto bsync = issue_at(15);
              const size_t first = nth(e, 0, bsync);
              e[nth(e, 1, bsync)].issue.active |= e[first].issue.active;
            },
            "waits at convergence barrier"},
        Bug{"ended_lane", [](Events& e) { e[nth(e, 0, issue_of(0xffff))].issue.active |= 1u << 20; }, "has ended"},
        Bug{"barrier_opens_early",
            [](Events& e) {
              // The warp that arrived first goes on before the second has come.
              const size_t bar = nth(e, 0, is(EventKind::SharedStore));
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
        Bug{"lost_shared_atomic", [](Events& e) { drop(e, last(e, is(EventKind::SharedStore))); },
            "before it was performed"},
        Bug{"shared_atomic_done_twice", [](Events& e) { repeat(e, last(e, is(EventKind::SharedStore))); },
            "has done so before"},
        Bug{"shared_atomic_at_l2",
            [](Events& e) {
              // Its lane is claimed by an L2 event.
              const size_t shared = last(e, is(EventKind::SharedStore));
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
        Bug{"store_elsewhere", [](Events& e) { e[nth(e, 40, write)].l2.sector += 64; }, "does not store there"},
        Bug{"store_by_another_warp", [](Events& e) { e[nth(e, 40, write)].l2.warp ^= 1; }, "L2 writes bytes"},
        Bug{"l2_reads_wrong", [](Events& e) { e[nth(e, 20, read)].l2.data[3] ^= 1; }, "L2 reads address"},
        Bug{"fill_corrupted", [](Events& e) { e[nth(e, 20, l1(cosim::L1Kind::Fill))].l1.data[1] ^= 0x80; },
            "fill of sector"},
        Bug{"fill_of_another_sector", [](Events& e) { e[nth(e, 20, l1(cosim::L1Kind::Fill))].l1.sector++; },
            "L2 did not read"},
        Bug{"l1_takes_wrong_bytes",
            [](Events& e) {
              Event& x = e[nth(e, 5, l1(cosim::L1Kind::Write))];
              x.l1.data[static_cast<size_t>(std::countr_zero(x.l1.mask)) / 4] ^= 4;
            },
            "the L1 takes"},
        Bug{"l1_misses_a_store", [](Events& e) { drop(e, nth(e, 5, l1(cosim::L1Kind::Write))); }, "keeps the old byte"},
        Bug{"hit_after_eviction",
            [](Events& e) {
              const size_t hit = nth(e, 5, load_from(cosim::LoadSource::L1));
              cosim::L1 flush{};
              flush.sm = e[hit].load.sm;
              flush.kind = cosim::L1Kind::InvalidateAll;
              e.insert(e.begin() + static_cast<long>(hit), Event(flush));
            },
            "which does not hold it"},
        Bug{"load_from_wrong_fill", [](Events& e) { e[nth(e, 3, load_from(cosim::LoadSource::Fill))].load.id ^= 1; },
            "is served by fill"},
        Bug{"load_lane_forgotten",
            [](Events& e) {
              Event& x = e[nth(e, 3, load_from(cosim::LoadSource::Shared))];
              x.load.lanes &= x.load.lanes - 1;
            },
            "before this lane's bytes were read"},
        Bug{"shared_store_forgets_a_lane",
            [](Events& e) {
              Event& x = e[nth(e, 3, is(EventKind::SharedStore))];
              x.shared_store.lanes &= x.shared_store.lanes - 1;
            },
            "before the store"},
        Bug{"bank_conflict_served_twice", [](Events& e) { repeat(e, nth(e, 3, is(EventKind::SharedStore))); },
            "has done so before"},
        Bug{"atomic_finds_wrong_value", [](Events& e) { e[nth(e, 40, atomic)].l2.old[0]++; }, "found: hardware"},
        Bug{"atomic_done_twice", [](Events& e) { repeat(e, nth(e, 40, atomic)); }, "none to do"},
        Bug{"atomic_forgotten", [](Events& e) { drop(e, nth(e, 40, atomic)); }, "comes first"},
        Bug{"atomic_wrong_operand", [](Events& e) { e[nth(e, 40, atomic)].l2.data[0]++; }, "atomic operand"},
        Bug{"sector_atomic_finds_wrong_value",
            [](Events& e) {
              join_atomics(e);
              cosim::L2& l2 = e[nth(e, 3, atomic)].l2;
              l2.old[static_cast<size_t>(std::countr_zero(l2.mask)) / 4]++;
            },
            "found: hardware"},
        Bug{"sector_atomic_wrong_operand",
            [](Events& e) {
              join_atomics(e);
              cosim::L2& l2 = e[nth(e, 3, atomic)].l2;
              l2.data[static_cast<size_t>(31 - std::countl_zero(l2.mask)) / 4]++;
            },
            "atomic operand"},
        Bug{"sector_atomic_forgets_a_word",
            [](Events& e) {
              join_atomics(e);
              cosim::L2& l2 = e[nth(e, 3, atomic)].l2;
              l2.mask &= ~(0xfu << std::countr_zero(l2.mask));
              if (l2.mask == 0) drop(e, nth(e, 3, atomic));
            },
            ""},
        Bug{"sector_atomic_done_twice",
            [](Events& e) {
              join_atomics(e);
              repeat(e, nth(e, 3, atomic));
            },
            "found: hardware"},
        Bug{"atomic_without_an_answer", [](Events& e) { e[nth(e, 40, atomic)].l2.kind = cosim::RequestKind::Reduce; },
            "that R9 waits for"},
        Bug{"fence_without_flush", [](Events& e) { drop(e, nth(e, 2, l1(cosim::L1Kind::InvalidateAll))); },
            "not emptied"},
        Bug{"fence_before_store",
            [](Events& e) {
              // The last store before a fence becomes visible after the fence's retirement.
              const size_t flush = nth(e, 2, l1(cosim::L1Kind::InvalidateAll));
              size_t store = flush;
              while (!(write(e[store]) && e[store].l2.warp == e[flush + 1].retire.warp &&
                       e[store].l2.client == e[flush].l1.sm))
                store--;
              std::rotate(e.begin() + static_cast<long>(store), e.begin() + static_cast<long>(store) + 1,
                          e.begin() + static_cast<long>(flush) + 2);
            },
            "before the store"},
        Bug{"block_run_twice", [](Events& e) { e[nth(e, 3, is(EventKind::BlockStart))].block_start.ctaid[0] = 0; },
            "starts twice"},
        Bug{"block_ends_early",
            [](Events& e) {
              const size_t end = nth(e, 0, is(EventKind::BlockEnd));
              std::rotate(e.begin() + static_cast<long>(end) - 30, e.begin() + static_cast<long>(end),
                          e.begin() + static_cast<long>(end) + 1);
            },
            "the block ended, but"},
        Bug{"blocks_overlap", [](Events& e) { e[nth(e, 2, is(EventKind::BlockStart))].block_start.first_warp = 0; },
            "overlaps"},
        Bug{"kernel_ends_early", [](Events& e) { e.erase(e.end() - 20, e.end() - 1); }, "the kernel ended"},
        Bug{"false_deadlock",
            [](Events& e) {
              e.resize(e.size() / 2);
              e.emplace_back(cosim::KernelEnd{contract::kStatusDeadlock});
            },
            "can go on"},
        Bug{"issue_before_the_load",
            [](Events& e) {
              // FADD issues before the second LDG has written its row.
              const size_t add = nth(e, 0, issue_at(24));
              std::swap(e[add], e[add - 1]);
            },
            "is under way"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
