// SPDX-License-Identifier: Apache-2.0
// Passes of warp instructions: each must be the one that the header's rules give, one a cycle.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <vector>

#include "Vlsu_select_top.h"
#include "isa/isa.h"
#include "tests/unit/rtl/memory/pass_lines.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kLoad = 0, kStore = 1, kAtomic = 2, kFence = 3;

struct Instruction {
  unsigned cls = kLoad, size = 4, seq = 0, atom_op = 0;
  bool reduces = false, konst = false, bypass = false;
  uint32_t lanes = ~0u, shared = 0;
  unsigned slice = 0;
  bool begins = true, final = true;  // slice of its instruction
  std::array<uint64_t, 32> address{};
  std::array<uint32_t, 128> data{};

  unsigned words() const { return size == 6 ? 4 : size == 5 ? 2 : 1; }
};

struct Pass {
  bool shared = false, first = false, last = false;
  uint32_t lanes = 0, told = 0;
  std::map<unsigned, unsigned> banks;  // rows of those used
  std::vector<PassLine> lines;         // of device memory
};

unsigned lowest(uint32_t lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }

unsigned highest(uint32_t lanes) { return 31 - static_cast<unsigned>(__builtin_clz(lanes)); }

// Of a store the lanes that silicon stores together: the whole, half- or quarter-warp of the lowest.
uint32_t group(const Instruction& in, uint32_t todo) {
  if (in.cls != kStore || todo == 0) return todo;
  const unsigned lanes = 32 / in.words();
  return todo & ~0u >> (32 - lanes) << lowest(todo) / lanes * lanes;
}

// The lanes of shared memory that go together: of as many neighbours as the banks can serve, those that want the word
// that their bank's lowest lane wants, of an atomic that lane alone. The neighbours of the lowest lane go first, where
// a slice stores those of the highest.
Pass shared_pass(const Instruction& in, uint32_t todo, unsigned banks, bool slices) {
  Pass p;
  p.shared = true;
  const unsigned group = banks / in.words();
  const unsigned first = (slices && in.cls == kStore ? highest(todo) : lowest(todo)) / group * group;
  std::map<unsigned, unsigned> row;
  for (unsigned l = first; l < std::min(32u, first + group); l++) {
    if (!(todo >> l & 1)) continue;
    const unsigned word = static_cast<unsigned>(in.address[l] / 4), bank = word % banks;
    const auto [it, fresh] = row.emplace(bank, word / banks);
    if (!fresh && (in.cls == kAtomic || it->second != word / banks)) continue;
    p.lanes |= 1u << l;
    for (unsigned w = 0; w < in.words(); w++) p.banks[bank + w] = word / banks;
  }
  return p;
}

// Where the L2 works on a sector's words at once: is the lane in the lowest one's sector (cas: half of it), and no
// lower one at its word?
bool first_of_word(const Instruction& in, uint32_t todo, unsigned lane) {
  const unsigned reach = in.atom_op == static_cast<unsigned>(isa::AtomOp::Cas) ? 16 : 32;
  if (in.address[lane] / reach != in.address[lowest(todo)] / reach) return false;
  for (unsigned l = 0; l < lane; l++)
    if (todo >> l & 1 && in.address[l] == in.address[lane]) return false;
  return true;
}

// A pass reaches `words` words of device memory, or as many banks. `device`: earlier slices had lanes in device memory,
// where the instruction then ends. `early`: lanes that passes of the instruction before took along. A load's pass has
// lanes of `most` lines.
std::vector<Pass> passes(const Instruction& in, uint32_t early, unsigned words, bool slices, bool bank_atomics,
                         unsigned most, bool& device) {
  const uint64_t reach = 4 * words;
  std::vector<Pass> all;
  uint32_t todo = in.lanes & ~early;
  do {
    Pass p;
    if (todo & in.shared) {
      const uint32_t shared = group(in, todo & in.shared);
      p = shared_pass(in, in.cls == kAtomic && !bank_atomics ? 1u << lowest(shared) : shared, words, slices);
    } else if (todo) {
      const uint64_t first = in.address[lowest(todo)];
      const bool alone = in.cls != kLoad || in.konst || in.bypass;
      uint32_t may = 0;
      for (unsigned l = 0; l < 32; l++)
        if (group(in, todo) >> l & 1 && (most > 1 || in.address[l] / reach == first / reach) &&
            (!in.konst || slices || in.address[l] == first) &&
            (in.cls != kAtomic || (bank_atomics ? first_of_word(in, todo, l) : l == lowest(todo))))
          may |= 1u << l;
      p.lines = pass_lines(may, in.address, in.words(), alone ? 1 : most);
      for (const PassLine& l : p.lines) p.lanes |= l.lanes;
    }
    todo &= ~p.lanes;
    p.first = all.empty() && in.begins;
    p.told = p.lanes | (all.empty() ? early : 0);
    p.last = todo == 0 && in.final && !(p.shared && device);
    device |= !p.shared;
    all.push_back(p);
  } while (todo);
  if (in.final && !all.back().last) {
    all.emplace_back();
    all.back().last = true;
  }
  if (in.final) device = false;
  return all;
}

// May passes of the one take lanes of the other along? Sums, minima, maxima, AND, OR, XOR of 32 bits.
bool joins(const Instruction& one, const Instruction& other) {
  constexpr unsigned kOrderless = 0xe7;
  return one.cls == kAtomic && other.cls == kAtomic && one.reduces && other.reduces && one.size == 4 &&
         other.size == 4 && one.atom_op == other.atom_op && kOrderless >> one.atom_op & 1;
}

class LsuSelect : public ::testing::Test {
 protected:
  LsuSelect() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.valid_i = 0;
    top_.pass_ready_i = 1;
    bench_.reset();
    bench_.settle();
    row_lanes_ = top_.row_lanes_o;
    words_ = top_.words_o;
    all_ = ~0u >> (32 - row_lanes_);
  }

  void offer(Instruction in) {
    in.lanes &= all_;
    in.shared &= all_;
    // Of a pipe of its own: its lanes only.
    if (!top_.serves_shared_o) in.shared = 0;
    if (!top_.serves_device_o) {
      in.shared = in.lanes;
      for (auto& a : in.address) a %= 16384;
      if (!in.lanes) return;
    }
    queue_.push_back(in);
  }

  void cycle(bool present = true) {
    if (!presented_ && present && !queue_.empty()) {
      presented_ = true;
      const Instruction& in = queue_.front();
      top_.cls_i = in.cls;
      top_.size_i = in.size;
      top_.reduces_i = in.reduces;
      top_.konst_i = in.konst;
      top_.bypass_i = in.bypass;
      top_.atom_op_i = in.atom_op;
      top_.seq_i = in.seq;
      top_.lanes_i = in.lanes;
      top_.slice_i = in.slice;
      top_.final_i = in.final;
      top_.shared_i = in.shared;
      for (unsigned w = 0; w < 8; w++) top_.addr_hi_i[w] = 0;
      for (unsigned l = 0; l < 32; l++) {
        top_.addr_i[l] = static_cast<uint32_t>(in.address[l]);
        top_.addr_hi_i[l / 4] |= static_cast<uint32_t>(in.address[l] >> 32 & 0xff) << (8 * (l % 4));
      }
      for (unsigned i = 0; i < 128; i++) top_.data_i[i] = in.data[i];
    }
    top_.valid_i = presented_;
    bench_.settle();
    if (!presented_) {
      ASSERT_FALSE(top_.taken_o);
    }
    ASSERT_EQ(top_.busy_o, !flight_.empty() || top_.pass_valid_o || (row_lanes_ < 32 && presented_));
    if (top_.pass_valid_o) check();
    if (HasFatalFailure()) return;
    const bool taken = top_.taken_o;
    const bool gone = top_.pass_valid_o && top_.pass_ready_i;
    const uint32_t joins_now = top_.join_lanes_o;
    bench_.tick();
    if (gone) {
      passes_++;
      joined_ += static_cast<unsigned>(__builtin_popcount(joins_now));
      early_ |= joins_now;
      if (++next_ == expected_.size()) {
        expected_.clear();
        next_ = 0;
        flight_.pop_front();
      }
    }
    if (taken) {
      flight_.push_back(queue_.front());
      queue_.pop_front();
      presented_ = false;
    }
    bench_.settle();
  }

  // The pass that stands at the port; looked at again while it is held.
  void check() {
    // Passes come before the instruction is taken: it is either in flight or still at the input.
    const Instruction& in = flight_.empty() ? queue_.front() : flight_.front();
    if (expected_.empty()) {
      expected_ = passes(in, early_, words_, row_lanes_ < 32, top_.bank_atomics_o, top_.lines_o, device_);
      early_ = 0;
    }
    const Pass& p = expected_.at(next_);
    ASSERT_EQ(top_.seq_o, in.seq);
    ASSERT_EQ(top_.cls_o, in.cls);
    ASSERT_EQ(top_.size_o, in.size);
    ASSERT_EQ(top_.lanes_o, p.lanes) << "pass " << next_;
    ASSERT_EQ(top_.told_o, p.told) << "pass " << next_;
    ASSERT_EQ(top_.shared_o, p.shared);
    ASSERT_EQ(top_.slice_o, in.slice);
    ASSERT_EQ(top_.first_o, p.first);
    ASSERT_EQ(top_.last_o, p.last);
    for (unsigned l = 0; l < 32; l++)
      if (in.lanes >> l & 1) {
        ASSERT_EQ(top_.offset_o[l / 4] >> (8 * (l % 4)) & 0xff, in.address[l] % (4 * words_)) << "lane " << l;
      }
    if (p.shared) {
      uint32_t used = 0;
      for (const auto& [bank, row] : p.banks) {
        used |= 1u << bank;
        ASSERT_EQ(top_.bank_row_o[bank / 2] >> (16 * (bank % 2)) & 0xffff, row) << "bank " << bank;
      }
      if (top_.join_lanes_o) check_joined(p, used);
      if (HasFatalFailure()) return;
      ASSERT_EQ(top_.bank_used_o, used);
    } else if (p.lanes) {
      std::array<uint32_t, 4> line_lanes{};
      for (const PassLine& l : p.lines) {
        ASSERT_EQ(top_.line_o[2 * l.number] | uint64_t{top_.line_o[2 * l.number + 1]} << 32, l.line);
        line_lanes[l.number] = l.lanes;
        for (const unsigned bank : l.banks) {
          ASSERT_EQ(top_.bank_line_o >> 2 * bank & 3, l.number) << "bank " << bank;
        }
      }
      for (unsigned n = 0; n < 4; n++) ASSERT_EQ(top_.line_lanes_o[n], line_lanes[n]) << "line " << n;
      for (unsigned s = 0; s < 4; s++) {
        uint32_t lanes = 0;
        for (unsigned l = 0; l < 32; l++)
          if (p.lanes >> l & 1 && in.address[l] / 32 % 4 == s) lanes |= 1u << l;
        ASSERT_EQ(top_.sector_lanes_o[s], lanes) << "sector " << s;
      }
    }
    if (in.cls == kStore || in.cls == kAtomic) {
      for (unsigned i = 0; i < 128; i++)
        if (i % 32 < row_lanes_) {
          ASSERT_EQ(top_.data_o[i], in.data[i]);
        }
    }
  }

  // Of the next instruction the lowest lane of each bank that is free, but not its lowest lane of all.
  void check_joined(const Pass& p, uint32_t& used) {
    ASSERT_GE(flight_.size(), 2u);
    const Instruction& in = flight_[1];
    ASSERT_TRUE(top_.bank_atomics_o && p.shared && joins(flight_[0], in));
    uint32_t left = in.lanes & ~early_, want = 0;
    left &= left - 1;
    for (unsigned l = 0; l < 32; l++) {
      const unsigned word = static_cast<unsigned>(in.address[l] / 4), bank = word % 32;
      if (!(left >> l & 1) || used >> bank & 1) continue;
      want |= 1u << l;
      used |= 1u << bank;
      ASSERT_EQ(top_.bank_row_o[bank / 2] >> (16 * (bank % 2)) & 0xffff, word / 32) << "bank " << bank;
      ASSERT_EQ(top_.join_offset_o[l / 4] >> (8 * (l % 4)) & 0xff, in.address[l] % 128) << "lane " << l;
      ASSERT_EQ(top_.join_data_o[l], in.data[l]) << "lane " << l;
    }
    ASSERT_EQ(top_.join_lanes_o, want);
  }

  void drain() {
    for (int t = 0; t < 4000 && !(queue_.empty() && flight_.empty()); t++) {
      cycle();
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(queue_.empty() && flight_.empty());
  }

  RtlBench<Vlsu_select_top> bench_;
  Vlsu_select_top& top_;
  std::mt19937_64& rng_;
  std::deque<Instruction> queue_, flight_;
  bool presented_ = false;
  std::vector<Pass> expected_;
  bool device_ = false;
  size_t next_ = 0;
  uint64_t passes_ = 0, joined_ = 0;
  uint32_t early_ = 0;  // lanes of the instruction behind that have gone along
  unsigned row_lanes_ = 32, words_ = 32;
  uint32_t all_ = ~0u;
};

// The header's example.
TEST_F(LsuSelect, SharedLanesThenALineAreTwoPasses) {
  if (!top_.serves_shared_o || !top_.serves_device_o) return;
  Instruction in;
  in.shared = all_ >> row_lanes_ / 2;
  for (unsigned l = 0; l < 32; l++) in.address[l] = l < row_lanes_ / 2 ? 4 * l : 0x1000000000 + 4 * l;
  offer(in);
  drain();
  EXPECT_EQ(passes_, 2u);
}

TEST_F(LsuSelect, AnInstructionWithoutLanesIsOneEmptyPass) {
  if (!top_.serves_device_o) return;
  Instruction in;
  in.cls = kFence;
  in.lanes = 0;
  offer(in);
  drain();
  EXPECT_EQ(passes_, 1u);
}

TEST_F(LsuSelect, AnAtomicGoesLaneByLane) {
  Instruction in;
  in.cls = kAtomic;
  for (auto& a : in.address) a = 0x1000000040;
  offer(in);
  drain();
  EXPECT_EQ(passes_, row_lanes_);
}

TEST_F(LsuSelect, AnAtomicHasLanesOfASectorsWords) {
  if (!top_.serves_device_o) return;
  Instruction in;
  in.cls = kAtomic;
  for (unsigned l = 0; l < 32; l++) in.address[l] = 0x1000000040 + 4 * (l % 16);
  offer(in);
  drain();
  EXPECT_EQ(passes_, top_.bank_atomics_o ? 4u : row_lanes_);
}

TEST_F(LsuSelect, ConstantsGoAddressByAddress) {
  if (!top_.serves_device_o) return;
  Instruction in;
  in.konst = true;
  for (unsigned l = 0; l < 32; l++) in.address[l] = 0x1000000000 + 4 * (l % 4);
  offer(in);
  drain();
  EXPECT_EQ(passes_, row_lanes_ == 32 ? 4u : 1u);
}

// Slices of one instruction: in device memory, then in shared memory.
TEST_F(LsuSelect, AnInstructionWithLanesInDeviceMemoryEndsThere) {
  if (row_lanes_ == 32) return;
  Instruction in;
  in.final = false;
  for (unsigned l = 0; l < 32; l++) in.address[l] = 0x1000000000 + 4 * (l % 2);
  offer(in);
  in.slice = 1;
  in.begins = false;
  in.final = true;
  in.shared = all_;
  for (unsigned l = 0; l < 32; l++) in.address[l] = 4 * l;
  offer(in);
  drain();
  EXPECT_EQ(passes_, 3u);
}

TEST_F(LsuSelect, ALoadHasLanesOfSeveralLines) {
  if (!top_.serves_device_o) return;
  for (const bool bypass : {false, true}) {
    Instruction in;
    in.bypass = bypass;
    for (unsigned l = 0; l < 32; l++) in.address[l] = 0x1000000000 + 132 * l;
    offer(in);
    passes_ = 0;
    drain();
    EXPECT_EQ(passes_, bypass ? row_lanes_ : row_lanes_ / top_.lines_o);
  }
}

// As an H200 does: groups of 32, 16 or 8 lanes follow each other.
TEST_F(LsuSelect, LanesThatStoreToOnePlaceGoByGroups) {
  for (const bool shared : {false, true}) {
    if (!(shared ? top_.serves_shared_o : top_.serves_device_o)) continue;
    for (const unsigned size : {0u, 2u, 4u, 5u, 6u}) {
      Instruction in;
      in.cls = kStore;
      in.size = size;
      in.shared = shared ? all_ : 0;
      for (auto& a : in.address) a = shared ? 0x40 : 0x1000000040;
      offer(in);
      passes_ = 0;
      drain();
      const unsigned together = shared ? words_ / in.words() : 32 / in.words();
      EXPECT_EQ(passes_, std::max(1u, row_lanes_ / together)) << "size " << size << (shared ? " shared" : " device");
    }
  }
}

// Of two lines whose words lie in the same banks.
TEST_F(LsuSelect, OnePassACycleAcrossInstructions) {
  for (unsigned n = 0; n < 50; n++) {
    Instruction in;
    in.seq = n;
    for (unsigned l = 0; l < 32; l++)
      in.address[l] = 0x1000000000 + 128 * (l / (row_lanes_ / 2)) + 4 * (l % (row_lanes_ / 2));
    offer(in);
  }
  for (int t = 0; t < 101; t++) cycle();
  EXPECT_EQ(passes_, 100u);
}

// Sums on random words of 256: 9 lanes a cycle if each instruction had the banks to itself.
TEST_F(LsuSelect, SumsGoAlongWhereBanksAreFree) {
  if (!top_.serves_shared_o || !top_.bank_atomics_o) GTEST_SKIP() << "atomics go lane by lane, or not here";
  for (unsigned n = 0; n < 300; n++) {
    Instruction in;
    in.seq = n;
    in.cls = kAtomic;
    in.reduces = true;
    in.shared = all_;
    for (auto& a : in.address) a = 4 * (rng_() % 256);
    for (uint32_t& w : in.data) w = static_cast<uint32_t>(rng_());
    offer(in);
  }
  drain();
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_LT(passes_, 300u * 32 / 14);
  EXPECT_GT(joined_, 3000u);
}

TEST_F(LsuSelect, RandomInstructions) {
  bool begins = true;
  for (int n = 0; n < 3000; n++) {
    Instruction in;
    in.cls = static_cast<unsigned>(rng_() % 6);
    in.size = in.cls == kAtomic ? 4 + static_cast<unsigned>(rng_() % 2) : static_cast<unsigned>(rng_() % 7);
    in.seq = static_cast<unsigned>(rng_() & 0xffff);
    if (in.cls == kAtomic)
      in.reduces = !bench_.one_in(4), in.atom_op = static_cast<unsigned>(bench_.one_in(2) ? 0 : rng_() % 10);
    if (n / 100 % 2 && !bench_.one_in(4)) in.cls = kAtomic, in.size = 4, in.reduces = true;
    in.lanes =
        bench_.one_in(12) || in.cls == kFence ? 0 : static_cast<uint32_t>(rng_() | (bench_.one_in(3) ? ~0u : 0u));
    if (in.cls <= kAtomic)
      in.shared = bench_.one_in(2) ? 0 : bench_.one_in(2) ? in.lanes : static_cast<uint32_t>(rng_()) & in.lanes;
    in.konst = in.cls == kLoad && !in.shared && bench_.one_in(3);
    in.bypass = in.cls == kLoad && bench_.one_in(4);
    static constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16};
    const unsigned bytes = kBytes[in.size];
    const uint64_t span = uint64_t{1} << (5 + rng_() % 10), base = 0x1000000000 + (rng_() & 0xffffffff80);
    for (unsigned l = 0; l < 32; l++) {
      const uint64_t offset = rng_() % span / bytes * bytes;
      in.address[l] = in.shared >> l & 1
                          ? offset % 16384
                          : (base + offset + (!in.konst && bench_.one_in(40) ? uint64_t{1} << 36 : 0)) & 0xffffffffff;
    }
    for (uint32_t& w : in.data) w = static_cast<uint32_t>(rng_());
    // Slices of one instruction: only one may be without lanes, and then it is alone.
    in.lanes &= all_;
    if (row_lanes_ < 32 && in.lanes) {
      in.slice = static_cast<unsigned>(rng_() % (32 / row_lanes_));
      in.begins = begins;
      begins = in.final = bench_.one_in(2);
    } else if (!begins) {
      continue;
    }
    offer(in);
  }
  for (int t = 0; t < 200000 && !(queue_.empty() && flight_.empty()); t++) {
    top_.pass_ready_i = !bench_.one_in(t / 1000 % 2 ? 3 : 20);
    cycle(!bench_.one_in(5));
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
  }
  EXPECT_TRUE(queue_.empty() && flight_.empty());
}

}  // namespace
}  // namespace heddle::test
