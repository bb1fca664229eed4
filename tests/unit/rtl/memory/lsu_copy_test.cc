// SPDX-License-Identifier: Apache-2.0
// Copies whose rows come in random order of entries: each leaves once, as the store that was noted, with its rows.
#include <Vlsu_copy_top.h>

#include <array>
#include <optional>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kEntries = 4;  // preset small
enum State { kFree, kNoted, kRows, kStore };

struct Copy {
  State state = kFree;
  unsigned size = 4, warp = 0, seq = 0;
  uint32_t lanes = 0;
  std::array<uint32_t, 32> addr{};
  std::array<std::array<uint32_t, 32>, 4> rows{};
  unsigned count() const { return size == 6 ? 4 : size == 5 ? 2 : 1; }
};

TEST(LsuCopy, RandomCopies) {
  RtlBench<Vlsu_copy_top> bench(seed());
  auto& top = *bench.top;
  auto& rng = bench.rng;
  top.note_i = top.read_i = top.row_valid_i = top.taken_i = 0;
  bench.reset();
  std::array<Copy, kEntries> copies{};
  std::optional<unsigned> collects;  // whose rows come
  unsigned next_row = 0;
  bool reads = false;
  uint64_t stored = 0, waited = 0;
  for (int t = 0; t < 40000; t++) {
    bench.settle();
    // What leaves.
    std::optional<unsigned> store;
    for (unsigned e = 0; e < kEntries; e++)
      if (copies[e].state == kStore) store = e;
    ASSERT_EQ(top.valid_o, store.has_value()) << "cycle " << t;
    if (store) {
      const Copy& c = copies[*store];
      ASSERT_EQ(top.entry_o, *store);
      ASSERT_EQ(top.size_o, c.size);
      ASSERT_EQ(top.warp_o, c.warp);
      ASSERT_EQ(top.seq_o, c.seq);
      ASSERT_EQ(top.lanes_o, c.lanes);
      ASSERT_EQ(top.cls_o, 1);  // a store, and nothing else
      ASSERT_EQ(top.others_o, 0);
      for (unsigned l = 0; l < 32; l++) {
        ASSERT_EQ(top.addr_o[l], c.addr[l]);
        for (unsigned k = 0; k < c.count(); k++) ASSERT_EQ(top.data_o[32 * k + l], c.rows[k][l]);
      }
    }
    top.taken_i = store && bench.one_in(2);
    bench.settle();
    ASSERT_EQ(top.room_o, !collects && (!store || top.taken_i));
    waited += !top.room_o;
    // Rows: the first a cycle after it is read, the others with gaps.
    top.row_valid_i = 0;
    if (collects && (next_row > 0 ? !bench.one_in(3) : reads)) {
      Copy& c = copies[*collects];
      for (unsigned l = 0; l < 32; l++) top.row_i[l] = c.rows[next_row][l] = static_cast<uint32_t>(rng());
      top.row_valid_i = 1;
      top.row_entry_i = *collects;
      top.row_index_i = next_row;
      top.row_last_i = next_row + 1 == c.count();
    }
    reads = false;
    top.read_i = 0;
    std::optional<unsigned> begins;
    if (top.room_o && bench.one_in(2)) {
      for (unsigned e = 0; e < kEntries; e++)
        if (copies[e].state == kNoted && (!begins || bench.one_in(2))) begins = e;
      top.read_i = begins.has_value();
    }
    std::optional<unsigned> noted;
    const auto e = static_cast<unsigned>(rng() % kEntries);
    top.note_i = copies[e].state == kFree && bench.one_in(2);
    Copy fresh;
    if (top.note_i) {
      noted = e;
      fresh.state = kNoted;
      top.note_entry_i = e;
      top.note_size_i = fresh.size = 4 + rng() % 3;
      top.note_warp_i = fresh.warp = rng() % 8;
      top.note_seq_i = fresh.seq = rng() & 0xffff;
      top.note_lanes_i = fresh.lanes = static_cast<uint32_t>(rng());
      for (unsigned l = 0; l < 32; l++) top.note_addr_i[l] = fresh.addr[l] = static_cast<uint32_t>(rng());
    }
    bench.settle();
    bench.tick();
    if (top.taken_i) copies[*store].state = kFree, stored++;
    if (top.row_valid_i) {
      next_row++;
      if (top.row_last_i) copies[*collects].state = kStore, collects.reset();
    }
    if (begins) collects = begins, copies[*begins].state = kRows, next_row = 0, reads = true;
    if (noted) copies[*noted] = fresh;
  }
  EXPECT_GT(stored, 2000u);
  EXPECT_GT(waited, 2000u);
}

}  // namespace
}  // namespace heddle::test
