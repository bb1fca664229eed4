// SPDX-License-Identifier: Apache-2.0
// Random instructions and busy units, against a list of entries in order of issue: each row is read once, from its
// bank, for the oldest entry that wants that bank; the oldest complete one whose unit takes it goes, in the two orders
// that are kept.
#include <Vcollector_control_top.h>

#include <algorithm>
#include <array>
#include <list>
#include <optional>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kUnits = static_cast<unsigned>(isa::Unit::Ctl) + 1,
                   kTensor = static_cast<unsigned>(isa::Unit::Tensor), kLsu = static_cast<unsigned>(isa::Unit::Lsu),
                   kAll = (1u << kUnits) - 1;

struct Entry {
  unsigned place = 0, to = 0, warp = 0;
  unsigned unread = 0;   // rows not yet read, a bit a row
  unsigned missing = 0;  // rows not yet there
  unsigned waits = 0;    // cycles until its predicates come
  std::array<unsigned, 3> base{};
  unsigned row(unsigned r) const { return base[r / 2] | r % 2; }
};

class CollectorControlTest : public ::testing::Test {
 protected:
  CollectorControlTest() : bench(seed()), top(*bench.top) {
    top.issue_valid_i = 0;
    top.soon_i = 0;
    bench.reset();
    bench.settle();
    collectors = top.sizes_o & 0xff;
    banks = top.sizes_o >> 8 & 0xff;
    warps = top.sizes_o >> 16 & 0xff;
  }

  Entry* at(unsigned place) {
    for (Entry& e : entries)
      if (e.place == place) return &e;
    return nullptr;
  }

  // Rows that come in this cycle: read in the last one, or special registers of what was issued then.
  void arrive() {
    for (unsigned b = 0; b < banks; b++) {
      ASSERT_EQ(top.got_o >> b & 1, reading[b].has_value()) << "bank " << b << " cycle " << bench.cycle;
      if (!reading[b]) continue;
      ASSERT_EQ(top.got_entry_o >> 8 * b & 0xff, reading[b]->first);
      ASSERT_EQ(top.got_row_o >> 8 * b & 0xff, reading[b]->second);
      at(reading[b]->first)->missing &= ~(1u << reading[b]->second);
    }
    ASSERT_EQ(top.special_o, special.has_value());
    if (special) {
      ASSERT_EQ(top.special_entry_o, *special);
      at(*special)->missing &= ~4u;
    }
    special.reset();
  }

  void check_reads() {
    reading.fill({});
    for (unsigned b = 0; b < banks; b++) {
      for (Entry& e : entries) {
        for (unsigned r = 0; r < 6 && !reading[b]; r++) {
          if ((e.unread >> r & 1) == 0 || e.row(r) % banks != b) continue;
          reading[b] = {e.place, r};
        }
      }
      ASSERT_EQ(top.bank_valid_o >> b & 1, reading[b].has_value()) << "bank " << b << " cycle " << bench.cycle;
      if (reading[b]) {
        ASSERT_EQ(top.bank_row_o >> 16 * b & 0xffff, at(reading[b]->first)->row(reading[b]->second));
      }
    }
  }

  // The oldest entry of each unit that is complete; of those whose unit takes one the oldest goes.
  void check_goes() {
    std::array<const Entry*, kUnits> first{};
    const Entry* goes = nullptr;
    for (auto e = entries.begin(); e != entries.end(); ++e) {
      bool held = e->missing != 0 || e->waits != 0;
      for (auto older = entries.begin(); older != e; ++older) {
        if (older->warp == e->warp && older->unread != 0) held = true;
        if (older->to == e->to && (e->to == kLsu || e->to == kTensor)) held = true;
      }
      held_back += held && e->missing == 0 && e->waits == 0;
      waited += e->missing == 0 && e->waits != 0;
      if (held || first[e->to] != nullptr) continue;
      first[e->to] = &*e;
      if (goes == nullptr && (top.soon_i >> e->to & 1) != 0) goes = &*e;
    }
    for (unsigned u = 0; u < kUnits; u++) {
      ASSERT_EQ(top.wants_o >> u & 1, first[u] != nullptr) << "unit " << u << " cycle " << bench.cycle;
    }
    ASSERT_EQ(top.go_o, goes != nullptr ? 1u << goes->to : 0u) << "cycle " << bench.cycle;
    if (goes != nullptr) {
      ASSERT_EQ(top.go_entry_o, goes->place) << "cycle " << bench.cycle;
    }
  }

  void check_room() {
    for (unsigned u = 0; u < kUnits; u++) {
      const auto mine = std::count_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.to == u; });
      const bool room = entries.size() < collectors && static_cast<unsigned>(mine) < std::max(1u, collectors / 2);
      ASSERT_EQ(top.room_o >> u & 1, room) << "unit " << u << " cycle " << bench.cycle;
    }
  }

  void issue_something() {
    const auto to = static_cast<unsigned>(bench.rng() % kUnits);
    bench.settle();
    if ((top.room_o >> to & 1) == 0) return;
    Entry e;
    e.to = to;
    e.warp = static_cast<unsigned>(bench.rng() % (bench.one_in(2) ? 2 : warps));
    e.unread = static_cast<unsigned>(bench.rng() & bench.rng() & 0x3f);
    if (bench.one_in(3)) e.unread = static_cast<unsigned>(bench.rng() & 0x3f);
    for (unsigned i = 0; i < 3; i++) {
      // Upper halves come from odd rows: pairs are aligned.
      e.base[i] = static_cast<unsigned>(bench.rng() % (bench.one_in(2) ? 8 : 512));
      if ((e.unread >> (2 * i + 1) & 1) != 0) e.base[i] &= ~1u;
    }
    const bool lanes = bench.one_in(8) && to == 0;
    if (lanes) e.unread &= ~0xcu;
    top.issue_valid_i = 1;
    top.issue_to_i = static_cast<unsigned char>(to);
    top.issue_warp_i = static_cast<unsigned char>(e.warp);
    top.issue_reads_i = static_cast<unsigned char>(e.unread);
    top.issue_row_i = std::uint64_t{e.base[0]} | std::uint64_t{e.base[1]} << 16 | std::uint64_t{e.base[2]} << 32;
    top.issue_special_i = lanes;
    e.missing = e.unread | (lanes ? 4 : 0);
    e.waits = bench.one_in(3) ? 2 : 0;
    top.issue_waits_i = e.waits != 0;
    issuing = e;
  }

  void step() {
    bench.settle();
    arrive();
    check_reads();
    check_goes();
    check_room();
    ASSERT_EQ(top.busy_o, !entries.empty());
    if (HasFatalFailure()) return;
    const unsigned gone = top.go_o != 0 ? 1u << top.go_entry_o : 0;
    for (unsigned b = 0; b < banks; b++)
      if (reading[b]) at(reading[b]->first)->unread &= ~(1u << reading[b]->second);
    const bool issues = top.issue_valid_i;
    if (issues) {
      ASSERT_LT(top.issue_entry_o, collectors);
      ASSERT_EQ(at(top.issue_entry_o), nullptr) << "an entry in use, cycle " << bench.cycle;
      issuing.place = top.issue_entry_o;
    }
    went += static_cast<unsigned>(std::popcount(gone));
    std::erase_if(entries, [&](const Entry& e) { return (gone >> e.place & 1) != 0; });
    for (Entry& e : entries) e.waits -= e.waits != 0;
    if (issues) {
      issuing.waits -= issuing.waits != 0;
      entries.push_back(issuing);
      if (top.issue_special_i) special = issuing.place;
    }
    bench.tick();
    top.issue_valid_i = top.issue_special_i = top.issue_waits_i = 0;
  }

  RtlBench<Vcollector_control_top> bench;
  Vcollector_control_top& top;
  unsigned collectors = 0, banks = 0, warps = 0;
  std::list<Entry> entries;  // oldest first
  Entry issuing;
  std::array<std::optional<std::pair<unsigned, unsigned>>, 4> reading;  // a bank: entry, row
  std::optional<unsigned> special;
  unsigned went = 0, held_back = 0, waited = 0;
};

TEST_F(CollectorControlTest, ReadsAndReleasesInTheOrderPromised) {
  for (int phase = 0; phase < 300 && !HasFatalFailure(); phase++) {
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 3),
               busy = static_cast<std::uint32_t>(1 + bench.rng() % 5);
    for (int n = 0; n < 300 && !HasFatalFailure(); n++) {
      top.soon_i = 0;
      for (unsigned u = 0; u < kUnits; u++)
        if (bench.one_in(busy)) top.soon_i |= static_cast<unsigned short>(1u << u);
      if (bench.one_in(gap)) issue_something();
      step();
    }
    // All of them go in the end.
    top.soon_i = kAll;
    for (int n = 0; n < 60 && !entries.empty() && !HasFatalFailure(); n++) step();
    ASSERT_TRUE(entries.empty());
  }
  std::printf("%u instructions, held back %u times\n", went, held_back);
  EXPECT_GT(went, 10000u);
  EXPECT_GT(held_back, 20u);
  EXPECT_GT(waited, 200u);
}

// Rows of one instruction in different banks are read in one cycle; it goes in the next.
TEST_F(CollectorControlTest, AnInstructionGoesTwoCyclesAfterIssue) {
  if (banks < 3) GTEST_SKIP();
  top.soon_i = kAll;
  top.issue_valid_i = 1;
  top.issue_to_i = 1;
  top.issue_warp_i = 0;
  top.issue_reads_i = 0x15;
  top.issue_row_i = 5 | 6ull << 16 | 7ull << 32;
  top.issue_special_i = top.issue_waits_i = 0;
  issuing = {.to = 1, .warp = 0, .unread = 0x15, .missing = 0x15, .base = {5, 6, 7}};
  step();
  bench.settle();
  EXPECT_EQ(std::popcount(static_cast<unsigned>(top.bank_valid_o)), 3);
  step();
  bench.settle();
  EXPECT_EQ(top.go_o, 1u << 1);
  step();
}

}  // namespace
}  // namespace heddle::test
