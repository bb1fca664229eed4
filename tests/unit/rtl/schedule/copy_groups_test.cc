// SPDX-License-Identifier: Apache-2.0
// Copies, groups and waits of random warps, against a list of each warp's copies. What is held is what must wait, and
// no more.
#include <Vcopy_groups_top.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using isa::Opcode;
constexpr unsigned kWarps = 16, kMost = 16, kGroups = 8;

struct Decoded {
  Opcode op = Opcode::Nop;
  bool all = false;
  unsigned most = 0;
};

struct Warp {
  Decoded next;
  uint64_t open = 0;
  std::vector<uint64_t> copies;  // the group of each that is under way
};

struct Ended {
  unsigned warp;
  uint64_t group;
};

class CopyGroups : public ::testing::Test {
 protected:
  CopyGroups() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.start_valid_i = top_.check_valid_i = top_.issue_valid_i = top_.end_valid_i = 0;
    bench_.reset();
    lag_ = top_.lag_o;
    late_.assign(lag_ + 1, {kWarps, 0});
    for (unsigned w = 0; w < kWarps; w++) {
      top_.start_valid_i = 1;
      top_.start_warp_i = w;
      bench_.tick();
      top_.start_valid_i = 0;
      decode(w, {});
      cycle();
    }
  }

  static bool held(const Warp& w) {
    if (w.next.op == Opcode::Ldgsts) return w.copies.size() == kMost;
    const bool closes = w.next.op == Opcode::Ldgdepbar;
    for (const uint64_t group : w.copies) {
      if (closes && group + kGroups - 1 <= w.open) return true;
      if (w.next.op == Opcode::Depbar && (w.next.all || group + w.next.most < w.open)) return true;
    }
    return false;
  }

  void decode(unsigned w, const Decoded& d) {
    top_.check_valid_i = 1;
    top_.check_warp_i = w;
    top_.check_op_i = static_cast<unsigned>(d.op);
    top_.check_all_i = d.all;
    top_.check_most_i = d.most;
    decoded_ = d;
  }
  void issue(unsigned w) {
    top_.issue_valid_i = 1;
    top_.issue_warp_i = w;
    top_.issue_op_i = static_cast<unsigned>(warp_[w].next.op);
  }
  void end(unsigned w, size_t n) {
    top_.end_valid_i = 1;
    top_.end_warp_i = w;
    top_.end_group_i = warp_[w].copies[n] % kGroups;
    late_.back() = {w, warp_[w].copies[n]};
    coming_[w].push_back(warp_[w].copies[n]);
  }

  void cycle() {
    bench_.settle();
    unsigned expected = 0;
    for (unsigned w = 0; w < kWarps; w++) expected |= held(warp_[w]) ? 1u << w : 0u;
    ASSERT_EQ(top_.held_o, expected);
    if (top_.issue_valid_i && warp_[top_.issue_warp_i].next.op == Opcode::Ldgsts) {
      ASSERT_EQ(top_.group_o, warp_[top_.issue_warp_i].open % kGroups);
    }
    bench_.tick();
    if (top_.issue_valid_i) {
      Warp& w = warp_[top_.issue_warp_i];
      if (w.next.op == Opcode::Ldgsts) w.copies.push_back(w.open);
      if (w.next.op == Opcode::Ldgdepbar) w.open++;
    }
    // An end is heard of by the preset's lag later.
    const Ended now = late_.front();
    if (now.warp < kWarps) {
      Warp& w = warp_[now.warp];
      w.copies.erase(std::find(w.copies.begin(), w.copies.end(), now.group));
      auto& coming = coming_[now.warp];
      coming.erase(std::find(coming.begin(), coming.end(), now.group));
    }
    late_.pop_front();
    late_.push_back({kWarps, 0});
    if (top_.check_valid_i) warp_[top_.check_warp_i].next = decoded_;
    top_.check_valid_i = top_.issue_valid_i = top_.end_valid_i = 0;
  }

  RtlBench<Vcopy_groups_top> bench_;
  Vcopy_groups_top& top_;
  std::mt19937_64& rng_;
  std::array<Warp, kWarps> warp_{};
  std::array<std::vector<uint64_t>, kWarps> coming_{};  // groups of ends that are told and not yet heard of
  std::deque<Ended> late_;
  Decoded decoded_;
  unsigned lag_ = 0;
};

TEST_F(CopyGroups, RandomWarps) {
  std::array<uint64_t, 4> waits{};
  uint64_t full = 0, ring = 0;
  for (int n = 0; n < 200000; n++) {
    // Few warps for a while, and slow ends, so that counts reach their limits.
    const unsigned range = n / 2000 % 3 == 0 ? 1 : n / 2000 % 3 == 1 ? 3 : kWarps;
    const bool slow = n / 1000 % 2;
    const auto w = static_cast<unsigned>(rng_() % range);
    bench_.settle();
    const bool free = !held(warp_[w]);
    // One is decoded in the cycle in which that before it issues, or later; or another in its place, of another part of
    // the warp.
    if (free && bench_.one_in(2)) issue(w);
    if (top_.issue_valid_i || bench_.one_in(4)) {
      Decoded d;
      const auto kind = rng_() % 8;
      d.op = kind < 4 ? Opcode::Ldgsts : kind < 6 ? Opcode::Ldgdepbar : kind < 7 ? Opcode::Depbar : Opcode::Iadd;
      d.all = bench_.one_in(4);
      d.most = bench_.one_in(20) ? 0xfff9 : static_cast<unsigned>(rng_() % 9);
      decode(w, d);
    }
    const auto e = static_cast<unsigned>(rng_() % range);
    // One whose end is not told yet.
    std::vector<size_t> left;
    auto coming = coming_[e];
    for (size_t k = 0; k < warp_[e].copies.size(); k++) {
      const auto told = std::find(coming.begin(), coming.end(), warp_[e].copies[k]);
      if (told != coming.end()) coming.erase(told);
      else left.push_back(k);
    }
    if (!left.empty() && bench_.one_in(slow ? 12 : 3)) end(e, left[bench_.one_in(2) ? 0 : rng_() % left.size()]);
    full += warp_[w].copies.size() == kMost;
    if (held(warp_[w])) {
      ring += warp_[w].next.op == Opcode::Ldgdepbar;
      if (warp_[w].next.op == Opcode::Depbar) waits[warp_[w].next.all ? 3 : std::min(warp_[w].next.most, 2u)]++;
    }
    cycle();
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << n;
  }
  EXPECT_GT(full, 500u);
  EXPECT_GT(ring, 200u);
  for (const uint64_t count : waits) EXPECT_GT(count, 200u);
}

}  // namespace
}  // namespace heddle::test
