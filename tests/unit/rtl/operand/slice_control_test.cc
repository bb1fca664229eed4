// SPDX-License-Identifier: Apache-2.0
// Random instructions, units that open and close and a register that is often full, against a list of entries in order
// of issue: which slice of which is read in each cycle, from which banks, and where it goes. Of what was seen each
// instruction is then checked on its own: every row of every slice has come once, slice after slice.
#include <Vslice_control_top.h>

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <optional>
#include <vector>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kUnits = static_cast<unsigned>(isa::Unit::Ctl) + 1, kInt = static_cast<unsigned>(isa::Unit::Int),
                   kAll = (1u << kUnits) - 1;

struct Entry {
  unsigned place = 0, to = 0, warp = 0, reads = 0;
  bool special = false;
  std::array<unsigned, 3> base{};
  unsigned begun = 0;             // slices that are planned, the one under way left out
  std::vector<unsigned> came{0};  // rows of each slice that have moved on; the last one is still coming
  unsigned row(unsigned r) const { return base[r / 2] | r % 2; }
};

// Rows that are read at once, a bank each.
struct Read {
  Entry* entry;
  unsigned slice, rows, left;
  bool first;
  std::array<std::optional<unsigned>, 4> of_bank;  // row of the entry
};

class SliceControlTest : public ::testing::Test {
 protected:
  SliceControlTest() : bench(seed()), top(*bench.top) {
    top.issue_valid_i = top.issue_special_i = top.vacant_i = 0;
    top.open_i = 0;
    bench.reset();
    bench.settle();
    collectors = top.sizes_o & 0xff;
    banks = top.sizes_o >> 8 & 0xff;
    warps = top.sizes_o >> 16 & 0xff;
    slices = top.sizes_o >> 24;
  }

  unsigned bank_slice(unsigned b) const {
    return std::array{top.bank0_slice_o, top.bank1_slice_o, top.bank2_slice_o, top.bank3_slice_o}.at(b);
  }

  // The oldest entry of an open unit, unless an older one of its warp or unit has slices left.
  Entry* oldest() {
    for (auto e = entries.begin(); e != entries.end(); ++e) {
      if (e->begun == slices || (top.open_i >> e->to & 1) == 0) continue;
      bool same_warp = false, same_unit = false;
      for (auto older = entries.begin(); older != e; ++older) {
        if (older->begun == slices) continue;
        same_warp |= older->warp == e->warp;
        same_unit |= older->to == e->to;
      }
      kept_by_warp += same_warp && !same_unit;
      kept_by_unit += same_unit && !same_warp;
      if (!same_warp && !same_unit) return &*e;
    }
    return nullptr;
  }

  // What may be read after `planned`.
  std::optional<Read> next() {
    const bool middle = planned && planned->left != 0;
    Entry* e = middle ? planned->entry : oldest();
    if (e == nullptr) return std::nullopt;
    Read read{e, middle ? planned->slice : e->begun, 0, middle ? planned->left : e->reads, !middle, {}};
    for (unsigned r = 0; r < 6; r++) {
      if ((read.left >> r & 1) == 0 || read.of_bank[e->row(r) % banks]) continue;
      read.of_bank[e->row(r) % banks] = r;
      read.rows |= 1u << r;
    }
    read.left &= ~read.rows;
    return read;
  }

  void check_reads(bool reads) {
    for (unsigned b = 0; b < banks; b++) {
      const bool used = reads && planned->of_bank[b];
      ASSERT_EQ(top.bank_valid_o >> b & 1, used) << "bank " << b << " cycle " << bench.cycle;
      if (!used) continue;
      ASSERT_EQ(top.bank_row_o >> 16 * b & 0xffff, planned->entry->row(*planned->of_bank[b]))
          << "bank " << b << " cycle " << bench.cycle;
      ASSERT_EQ(bank_slice(b), planned->slice) << "cycle " << bench.cycle;
    }
    const bool special = reads && planned->first && planned->entry->special;
    ASSERT_EQ(top.special_valid_o, special) << "cycle " << bench.cycle;
    if (special) {
      ASSERT_EQ(top.special_slice_o, planned->slice);
      specials++;
    }
  }

  // What is at the banks' outputs stands there until it moves.
  void check_there() {
    ASSERT_EQ(top.move_o, there && top.vacant_i) << "cycle " << bench.cycle;
    unsigned at = planned ? 1u << planned->entry->to : 0, goes = 0;
    if (there) {
      at |= 1u << there->entry->to;
      if (top.vacant_i && there->left == 0) goes = 1u << there->entry->to;
      ASSERT_EQ(top.entry_o, there->entry->place) << "cycle " << bench.cycle;
      ASSERT_EQ(top.slice_o, there->slice) << "cycle " << bench.cycle;
      ASSERT_EQ(top.first_o, there->first) << "cycle " << bench.cycle;
      ASSERT_EQ(top.rows_o, there->rows) << "cycle " << bench.cycle;
      for (unsigned b = 0; b < banks; b++) {
        if (!there->of_bank[b]) continue;
        ASSERT_EQ(top.bank_o >> 8 * *there->of_bank[b] & 0xff, b) << "cycle " << bench.cycle;
      }
      waits += !top.vacant_i;
    }
    ASSERT_EQ(top.at_o, at) << "cycle " << bench.cycle;
    ASSERT_EQ(top.go_o, goes) << "cycle " << bench.cycle;
  }

  void check_room() {
    const bool special = std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return e.special; });
    for (unsigned u = 0; u < kUnits; u++) {
      const auto mine = std::count_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.to == u; });
      const bool room = entries.size() < collectors && static_cast<unsigned>(mine) < std::max(1u, collectors / 2) &&
                        !(u == kInt && special);
      ASSERT_EQ(top.room_o >> u & 1, room) << "unit " << u << " cycle " << bench.cycle;
    }
    ASSERT_EQ(top.busy_o, !entries.empty());
    full += entries.size() == collectors;
  }

  // Rows move on, as the outputs say; true when that was the entry's last slice.
  bool moves() {
    const auto e = std::find_if(entries.begin(), entries.end(), [&](const Entry& x) { return x.place == top.entry_o; });
    EXPECT_NE(e, entries.end());
    if (e == entries.end()) return false;
    EXPECT_EQ(e->came.size(), top.slice_o + 1u) << "slices out of order, cycle " << bench.cycle;
    EXPECT_EQ(e->came.back() & top.rows_o, 0u) << "a row comes twice, cycle " << bench.cycle;
    EXPECT_EQ(e->came.back() == 0 || !top.first_o, true) << "what came is forgotten, cycle " << bench.cycle;
    e->came.back() |= top.rows_o;
    parts += !top.first_o;
    if ((top.go_o >> e->to & 1) == 0) return false;
    EXPECT_EQ(e->came.back(), e->reads) << "goes without a row, cycle " << bench.cycle;
    went[e->to]++;
    if (e->came.size() == slices) return true;
    e->came.push_back(0);
    return false;
  }

  void issue(Entry e) {
    top.issue_valid_i = 1;
    top.issue_to_i = static_cast<unsigned char>(e.to);
    top.issue_warp_i = static_cast<unsigned char>(e.warp);
    top.issue_reads_i = static_cast<unsigned char>(e.reads);
    top.issue_row_i = std::uint64_t{e.base[0]} | std::uint64_t{e.base[1]} << 16 | std::uint64_t{e.base[2]} << 32;
    top.issue_special_i = e.special;
    issuing = std::move(e);
  }

  void issue_something() {
    Entry e;
    e.to = static_cast<unsigned>(bench.rng() % kUnits);
    bench.settle();
    if ((top.room_o >> e.to & 1) == 0) return;
    e.warp = static_cast<unsigned>(bench.rng() % (bench.one_in(2) ? 2 : warps));
    e.reads = static_cast<unsigned>(bench.rng() & 0x3f);
    if (bench.one_in(3)) e.reads &= static_cast<unsigned>(bench.rng());
    for (unsigned i = 0; i < 3; i++) {
      e.base[i] = static_cast<unsigned>(bench.rng() % (bench.one_in(2) ? 8 : 512));
      if ((e.reads >> (2 * i + 1) & 1) != 0) e.base[i] &= ~1u;  // pairs are aligned
    }
    e.special = e.to == kInt && bench.one_in(4);
    if (e.special) e.reads &= ~0xcu;
    issue(e);
  }

  void step() {
    bench.settle();
    const bool reads = planned && (!there || top.vacant_i);
    check_reads(reads);
    check_there();
    check_room();
    if (HasFatalFailure()) return;
    if (top.issue_valid_i) {
      ASSERT_LT(top.issue_entry_o, collectors);
      ASSERT_TRUE(
          std::none_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.place == top.issue_entry_o; }))
          << "an entry in use, cycle " << bench.cycle;
      issuing.place = top.issue_entry_o;
    }
    const bool ended = top.move_o && moves();
    ASSERT_EQ(ended, top.move_o && there->left == 0 && there->slice == slices - 1);
    const Entry* gone = ended ? there->entry : nullptr;
    const bool plans = !planned || reads;
    const auto after = plans ? next() : std::nullopt;
    if (!there || top.vacant_i) there = reads ? planned : std::nullopt;
    if (plans) {
      planned = after;
      if (planned && planned->left == 0) planned->entry->begun++;
    }
    std::erase_if(entries, [&](const Entry& e) { return &e == gone; });
    if (top.issue_valid_i) entries.push_back(issuing);
    bench.tick();
    top.issue_valid_i = 0;
  }

  RtlBench<Vslice_control_top> bench;
  Vslice_control_top& top;
  unsigned collectors = 0, banks = 0, warps = 0, slices = 0;
  std::list<Entry> entries;  // oldest first
  Entry issuing;
  std::optional<Read> planned, there;
  std::array<unsigned, kUnits> went{};  // slices
  unsigned kept_by_warp = 0, kept_by_unit = 0, specials = 0, waits = 0, full = 0, parts = 0;
};

TEST_F(SliceControlTest, EachSliceIsReadOnceInTheOrderPromised) {
  for (int phase = 0; phase < 600 && !HasFatalFailure(); phase++) {
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 12),
               busy = static_cast<std::uint32_t>(1 + bench.rng() % 4),
               closed = static_cast<std::uint32_t>(1 + bench.rng() % 6);
    for (int n = 0; n < 300 && !HasFatalFailure(); n++) {
      top.vacant_i = bench.one_in(busy);
      for (unsigned u = 0; u < kUnits; u++)
        if (bench.one_in(4))
          top.open_i = static_cast<unsigned short>((top.open_i & ~(1u << u)) | unsigned{bench.one_in(closed)} << u);
      if (bench.one_in(gap)) issue_something();
      step();
    }
    // All of them go in the end.
    top.open_i = kAll;
    top.vacant_i = 1;
    for (unsigned n = 0; n < 6 * slices * collectors + 3 && !entries.empty() && !HasFatalFailure(); n++) step();
    ASSERT_TRUE(entries.empty());
  }
  std::printf("kept back by warp %u, by unit %u; special %u, waits %u, full %u, further reads of a slice %u\n",
              kept_by_warp, kept_by_unit, specials, waits, full, parts);
  for (const unsigned n : went) EXPECT_GT(n, 2000u);
  EXPECT_GT(kept_by_warp, 500u);
  if (collectors >= 4) {
    EXPECT_GT(kept_by_unit, 100u);  // else no unit has two entries
  }
  EXPECT_GT(specials, 500u);
  EXPECT_GT(waits, 5000u);
  EXPECT_GT(full, 5000u);
  EXPECT_GT(parts, 5000u);
}

// FFMA R4, R5, R6, R7 alone: in two banks, where R5 and R7 share one, a slice every second cycle; in four every cycle.
TEST_F(SliceControlTest, ReadsAndGoesAsTheHeaderShows) {
  top.open_i = kAll;
  top.vacant_i = 1;
  issue({.to = 1, .reads = 0x15, .base = {5, 6, 7}});
  const unsigned cycles = banks == 2 ? 2 : 1;  // of a slice
  ASSERT_TRUE(banks == 2 || banks == 4);
  for (unsigned n = 0; n < 4 + cycles * slices && !HasFatalFailure(); n++) {
    bench.settle();
    const unsigned read = n - 2, went_by = n - 2 - cycles;  // cycles since the first of them; wrap before
    unsigned valid = 0;
    if (read < cycles * slices) valid = banks == 4 ? 0xe : read % 2 == 0 ? 0x3 : 0x2;
    ASSERT_EQ(top.bank_valid_o, valid) << "cycle " << n;
    if (valid != 0) {
      ASSERT_EQ(top.bank_row_o >> 16 & 0xffff, read % cycles == 0 ? 5u : 7u) << "cycle " << n;
      ASSERT_EQ(bank_slice(1), read / cycles) << "cycle " << n;
    }
    ASSERT_EQ(top.go_o, went_by < cycles * slices && went_by % cycles == 0 ? 2u : 0u) << "cycle " << n;
    step();
  }
  EXPECT_TRUE(entries.empty());
}

// A slow unit's instruction stands at the banks' outputs; nothing is read over it, and then none is lost.
TEST_F(SliceControlTest, WhatWasReadStandsUntilThereIsRoom) {
  top.open_i = kAll;
  top.vacant_i = 0;
  issue({.to = 2, .warp = 1, .reads = 0x0c, .base = {0, 8, 0}});
  for (int n = 0; n < 40 && !HasFatalFailure(); n++) step();
  bench.settle();
  EXPECT_EQ(top.at_o, 1u << 2);
  EXPECT_EQ(top.slice_o, 0u);
  EXPECT_EQ(top.bank_valid_o, 0u);
  top.vacant_i = 1;
  for (unsigned n = 0; n < slices && !HasFatalFailure(); n++) {
    bench.settle();
    EXPECT_EQ(top.go_o, 1u << 2) << "slice " << n;
    step();
  }
  EXPECT_TRUE(entries.empty());
}

}  // namespace
}  // namespace heddle::test
