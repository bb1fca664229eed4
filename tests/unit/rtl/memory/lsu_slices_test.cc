// SPDX-License-Identifier: Apache-2.0
// Memory instructions slice by slice, some of which fault, and a stage behind that stalls: whole instructions come
// out in the order in which they were checked, without the slices that have no lanes, and data of stores where they
// were left.
#include <Vlsu_slices_top.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kLanes = 8;  // of the ports
constexpr unsigned kStore = 1;
using Data = std::array<std::uint32_t, 4 * kLanes>;

struct Slice {
  unsigned lanes = 0, shared = 0;
  std::array<std::uint32_t, kLanes> addr{};
  std::uint64_t addr_hi = 0;
};

struct Instruction {
  std::uint64_t op = 0;
  unsigned entry = 0;
  bool faults = false;
  std::vector<Slice> slices;
  unsigned unread = 0;  // slices whose data are still to be read
  bool out = false;     // all its slices have gone on
  bool stores() const { return (op & 7) == kStore; }
  unsigned words() const { return (op >> 3 & 7) == 6 ? 4 : (op >> 3 & 7) == 5 ? 2 : 1; }
};
using Pointer = std::shared_ptr<Instruction>;

struct Place {
  Pointer instruction;
  unsigned slice;
  bool final;  // of those that must come out
};

class LsuSlicesTest : public ::testing::Test {
 protected:
  LsuSlicesTest() : bench(seed()), top(*bench.top) {
    top.data_write_i = top.valid_i = top.taken_i = top.data_read_i = 0;
    bench.reset();
    bench.settle();
    lanes = top.sizes_o & 0xff;
    entries = top.sizes_o >> 8 & 0xff;
    warps = top.sizes_o >> 16;
    slices = 32 / lanes;
    for (unsigned e = 0; e < entries; e++) free.push_back(e);
  }

  std::uint32_t word() { return static_cast<std::uint32_t>(bench.rng()); }
  unsigned mask() const { return (1u << lanes) - 1; }

  Pointer random_instruction(unsigned entry) {
    auto i = std::make_shared<Instruction>();
    i->entry = entry;
    i->op = (bench.rng() % warps) << 32 | (word() & ~7u) | bench.rng() % 6;
    i->faults = bench.one_in(6);
    i->slices.resize(slices);
    const auto kind = bench.rng() % 4;  // no lane, one, some, all
    const auto only = static_cast<unsigned>(bench.rng() % 32);
    for (unsigned s = 0; s < slices; s++) {
      Slice& slice = i->slices[s];
      if (kind == 1 && only / lanes == s) slice.lanes = 1u << only % lanes;
      if (kind == 2) slice.lanes = word() & word() & mask();
      if (kind == 3) slice.lanes = mask();
      slice.shared = word() & slice.lanes;
      for (unsigned l = 0; l < lanes; l++) slice.addr[l] = word();
      slice.addr_hi = bench.rng() & ((std::uint64_t{1} << 8 * lanes) - 1);
    }
    return i;
  }

  // A slice is accepted: its data come now, and it is checked in a later cycle.
  void accept() {
    if (!accepting) {
      if (free.empty()) return;
      const size_t n = bench.rng() % free.size();
      accepting = random_instruction(free[n]);
      free.erase(free.begin() + static_cast<long>(n));
      accepted = 0;
    }
    top.data_write_i = 1;
    top.data_write_entry_i = static_cast<unsigned char>(accepting->entry);
    top.data_write_slice_i = static_cast<unsigned char>(accepted);
    Data& d = data[{accepting->entry, accepted}];
    for (unsigned n = 0; n < d.size(); n++) top.data_i[n] = d[n] = n % kLanes < lanes ? word() : 0;
    between.push_back({accepting, accepted, false});
    if (++accepted == slices) accepting.reset();
  }

  void check_in() {
    const Pointer i = between.front().instruction;
    const unsigned n = between.front().slice;
    between.pop_front();
    const Slice& slice = i->slices[n];
    top.valid_i = 1;
    top.op_i = i->op;
    top.entry_i = static_cast<unsigned char>(i->entry);
    top.slice_i = static_cast<unsigned char>(n);
    top.last_i = n == slices - 1 && !i->faults;
    top.lanes_i = static_cast<unsigned char>(slice.lanes);
    top.shared_i = static_cast<unsigned char>(slice.shared);
    for (unsigned l = 0; l < kLanes; l++) top.addr_i[l] = slice.addr[l];
    top.addr_hi_i = slice.addr_hi;
    if (n != slices - 1) return;
    if (i->faults) {
      faulted++;
      free.push_back(i->entry);
      return;
    }
    // Of a store slices of a group of 32, 16 or 8 lanes go in descending order.
    const unsigned group = i->stores() ? std::max(1u, 32 / i->words() / lanes) : 1;
    std::vector<unsigned> active;
    for (unsigned n = 0; n < slices; n++)
      if (const unsigned s = n ^ (group - 1); i->slices[s].lanes != 0) active.push_back(s);
    empty += active.empty();
    left_out += !active.empty() && active.size() < slices;
    if (active.empty()) active.push_back(group - 1);
    for (const unsigned s : active) checked.push_back({i, s, s == active.back()});
  }

  void check_out() {
    ASSERT_TRUE(top.valid_o || !stands) << "a slice that nobody took is gone, cycle " << bench.cycle;
    if (!top.valid_o) return;
    ASSERT_FALSE(due.empty()) << "a slice of an instruction that is not checked, cycle " << bench.cycle;
    const auto& [i, n, final] = due.front();
    const Slice& slice = i->slices[n];
    ASSERT_EQ(top.op_o, i->op) << "cycle " << bench.cycle;
    ASSERT_EQ(top.entry_o, i->entry) << "cycle " << bench.cycle;
    ASSERT_EQ(top.slice_o, n) << "cycle " << bench.cycle;
    ASSERT_EQ(top.final_o, final) << "cycle " << bench.cycle;
    ASSERT_EQ(top.lanes_o, slice.lanes) << "cycle " << bench.cycle;
    ASSERT_EQ(top.shared_o, slice.shared) << "cycle " << bench.cycle;
    ASSERT_EQ(top.addr_hi_o, slice.addr_hi) << "cycle " << bench.cycle;
    for (unsigned l = 0; l < lanes; l++)
      ASSERT_EQ(top.addr_o[l], slice.addr[l]) << "lane " << l << " cycle " << bench.cycle;
  }

  void check_data() {
    if (read == nullptr) return;
    for (unsigned n = 0; n < read->size(); n++)
      ASSERT_EQ(top.data_o[n], (*read)[n])
          << "row " << n / kLanes << " lane " << n % kLanes << " cycle " << bench.cycle;
  }

  void take() {
    const Place place = due.front();
    due.pop_front();
    Instruction& i = *place.instruction;
    if (i.stores()) {
      reads.push_back(place);
      i.unread++;
    }
    i.out = place.final;
    out++;
    finish(i);
  }
  void finish(const Instruction& i) {
    if (i.out && i.unread == 0) free.push_back(i.entry);
  }

  // Each happens once in so many cycles; 0: never.
  struct Rates {
    std::uint32_t accept, check, take, read;
  };
  void step(Rates rates) {
    const auto now = [&](std::uint32_t rate) { return rate != 0 && bench.one_in(rate); };
    top.valid_i = top.data_write_i = top.taken_i = top.data_read_i = 0;
    // What is not valid says nothing.
    top.last_i = word() & 1;
    top.slice_i = static_cast<unsigned char>(bench.rng() % slices);
    top.lanes_i = static_cast<unsigned char>(word() & mask());
    if (!between.empty() && now(rates.check)) check_in();
    if (between.size() < 3 && now(rates.accept)) accept();
    bench.settle();
    check_out();
    check_data();
    if (HasFatalFailure()) return;
    stands = top.valid_o;
    full += std::count_if(due.begin(), due.end(), [](const Place& p) { return p.final; }) == entries;
    if (!reads.empty() && now(rates.read)) {
      const Place place = reads.front();
      reads.pop_front();
      top.data_read_i = 1;
      top.data_read_entry_i = static_cast<unsigned char>(place.instruction->entry);
      top.data_read_slice_i = static_cast<unsigned char>(place.slice);
      latest = data[{place.instruction->entry, place.slice}];
      read = &latest;
      data_read++;
      place.instruction->unread--;
      finish(*place.instruction);
    }
    if (top.valid_o && now(rates.take)) {
      top.taken_i = 1;
      stands = false;
      take();
    }
    std::move(checked.begin(), checked.end(), std::back_inserter(due));
    checked.clear();
    bench.tick();
  }

  void drain() {
    while (accepting && !HasFatalFailure()) step({1, 1, 1, 1});
    for (unsigned n = 0;
         n < 4 * entries * slices && !(between.empty() && due.empty() && reads.empty()) && !HasFatalFailure(); n++)
      step({0, 1, 1, 1});
    ASSERT_TRUE(due.empty() && reads.empty()) << "slices were lost";
  }

  RtlBench<Vlsu_slices_top> bench;
  Vlsu_slices_top& top;
  unsigned lanes = 0, entries = 0, warps = 0, slices = 0;
  std::vector<unsigned> free;  // entries
  Pointer accepting;           // its slices are being accepted
  unsigned accepted = 0;
  std::deque<Place> between;                           // accepted, to be checked
  std::vector<Place> checked;                          // with this cycle
  std::deque<Place> due;                               // checked, to come out
  std::deque<Place> reads;                             // of stores that came out, data to be read
  std::map<std::pair<unsigned, unsigned>, Data> data;  // of entry, slice
  Data latest{};
  const Data* read = nullptr;  // what was read last
  bool stands = false;         // a slice that nobody took
  unsigned faulted = 0, empty = 0, left_out = 0, out = 0, full = 0, data_read = 0;
};

TEST_F(LsuSlicesTest, CheckedInstructionsComeOutWholeAndInOrder) {
  for (int phase = 0; phase < 150 && !HasFatalFailure(); phase++) {
    const auto rate = [&] { return static_cast<std::uint32_t>(1 + bench.rng() % 5); };
    const Rates rates{rate(), rate(), rate() * (phase % 3 == 0 ? 8 : 1), rate()};
    for (int n = 0; n < 1000 && !HasFatalFailure(); n++) step(rates);
    if (phase % 4 == 0 && !HasFatalFailure()) drain();
  }
  if (!HasFatalFailure()) drain();
  std::printf(
      "%u slices, data of %u; instructions that fault %u, without lanes %u, with slices left out %u; full %u cycles\n",
      out, data_read, faulted, empty, left_out, full);
  EXPECT_GT(out, 5000u);
  EXPECT_GT(data_read, 500u);
  EXPECT_GT(faulted, 100u);
  EXPECT_GT(empty, 100u);
  EXPECT_GT(left_out, 200u);
  EXPECT_GT(full, 500u);
}

// Where nothing stalls, a checked slice comes out after two cycles, and those behind it one a cycle.
TEST_F(LsuSlicesTest, OneSliceACycle) {
  unsigned idle = 0;  // cycles since something became due, or came out
  bool flows = false;
  for (int n = 0; n < 5000 && !HasFatalFailure(); n++) {
    const bool waiting = !due.empty(), more = due.size() > 1;
    step({1, 1, 1, 1});
    idle = !waiting || top.taken_i ? 0 : idle + 1;
    ASSERT_LE(idle, flows ? 0u : 1u) << "cycle " << bench.cycle;
    flows = top.taken_i && more;
  }
  EXPECT_GT(out, 1000u);
}

}  // namespace
}  // namespace heddle::test
