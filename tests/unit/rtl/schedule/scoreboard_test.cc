// SPDX-License-Identifier: Apache-2.0
// Random instruction streams against sets of registers and predicates: a warp is free exactly when its decoded
// instruction shares nothing with a result under way, or only what comes in time (rows, and predicates as data), there
// is room, and nothing blocks. With a parameter, who reads another pipe's result waits a cycle longer.
#include <Vscoreboard_top.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 16;
constexpr unsigned kEntries = 16;

struct Result {
  unsigned rd = 255, log2 = 0, pd = 7, pq = 7, entry = 0, pipe = 0;
  bool blocks = false, woken = false;  // woken: who may have it early waits no more
  bool none() const { return rd == 255 && pd == 7 && pq == 7; }
};

struct Decoded {
  Result result;
  unsigned ra = 255, rb = 255, rc = 255, reads = 0, guard = 7, psrc = 7, psrc2 = 7;
  unsigned quads = 0, re = 255;  // sources of four registers; one more source
  unsigned op = 0;
  int not_before = 0;  // for a result of another pipe has just come
};

struct Warp {
  std::vector<Result> under_way;
  std::optional<Decoded> decoded;
  bool blocked = false;
};

std::set<unsigned> registers(unsigned first, unsigned log2) {
  std::set<unsigned> set;
  if (first != 255)
    for (unsigned i = 0; i < 1u << log2; i++) set.insert(first + i);
  return set;
}

class ScoreboardTest : public ::testing::Test {
 protected:
  ScoreboardTest() : bench(seed()), top(*bench.top) {
    top.start_valid_i = top.check_valid_i = top.issue_valid_i = top.end_valid_i = top.wake_valid_i = 0;
    bench.reset();
    for (unsigned w = 0; w < kWarps; w++) {
      top.start_valid_i = 1;
      top.start_warp_i = static_cast<unsigned char>(w);
      bench.tick();
    }
    top.start_valid_i = 0;
  }

  // Few registers, so that they collide.
  unsigned reg(unsigned log2) {
    if (bench.one_in(4)) return 255;
    return static_cast<unsigned>(bench.rng() % 12) >> log2 << log2;
  }
  Decoded random_instruction() {
    Decoded d;
    d.ra = reg(0);
    d.rb = reg(0);
    d.rc = reg(0);
    d.reads = static_cast<unsigned>(bench.rng() % 8);
    unsigned reads = 0;
    for (unsigned i = 0; i < 3; i++) {
      unsigned& r = i == 0 ? d.ra : i == 1 ? d.rb : d.rc;
      if (!(d.reads >> i & 1) || r == 255) continue;
      reads |= 1u << 2 * i;
      if (bench.one_in(3)) {
        r &= ~1u;
        reads |= 2u << 2 * i;
      }
    }
    d.reads = reads;
    // A tensor instruction.
    if (bench.one_in(4)) {
      for (unsigned i = 0; i < 3; i++) {
        unsigned& r = i == 0 ? d.ra : i == 1 ? d.rb : d.rc;
        if ((reads >> 2 * i & 1) == 0 || bench.one_in(2)) continue;
        r &= ~3u;
        d.quads |= 1u << i;
      }
      d.re = reg(0);
    }
    d.guard = bench.one_in(3) ? static_cast<unsigned>(bench.rng() % 7) : 7;
    d.psrc = bench.one_in(4) ? static_cast<unsigned>(bench.rng() % 7) : 7;
    d.psrc2 = bench.one_in(8) ? static_cast<unsigned>(bench.rng() % 7) : 7;
    if (bench.one_in(4)) {
      d.result.pd = static_cast<unsigned>(bench.rng() % 8);
      d.result.pq = static_cast<unsigned>(bench.rng() % 8);
      if (d.result.pd == d.result.pq) d.result.pq = 7;
    } else {
      d.result.log2 = static_cast<unsigned>(bench.rng() % 3);
      d.result.rd = reg(d.result.log2);
    }
    d.result.blocks = bench.one_in(20);
    static constexpr isa::Opcode kOps[] = {isa::Opcode::Iadd, isa::Opcode::Imad, isa::Opcode::Ffma, isa::Opcode::Bra};
    d.op = static_cast<unsigned>(kOps[bench.rng() % std::size(kOps)]);
    return d;
  }

  // Rows, and predicates as data, that the instruction shares with the result.
  static bool shares_early(const Decoded& d, const Result& r) {
    std::set<unsigned> uses = registers(d.result.rd, d.result.log2);
    const unsigned sources[3] = {d.ra, d.rb, d.rc};
    for (unsigned i = 0; i < 3; i++)
      if (d.reads >> 2 * i & 1) uses.merge(registers(sources[i], d.quads >> i & 1 ? 2 : d.reads >> (2 * i + 1) & 1));
    uses.merge(registers(d.re, 0));
    const auto is_data = [&](unsigned p) { return p != 7 && (p == d.psrc || p == d.psrc2); };
    return std::ranges::any_of(registers(r.rd, r.log2), [&](unsigned x) { return uses.contains(x); }) ||
           is_data(r.pd) || is_data(r.pq);
  }

  bool free(const Warp& w, int n) const {
    const Decoded& d = *w.decoded;
    if (w.blocked || n < d.not_before) return false;
    unsigned entries = 0;
    std::set<unsigned> predicates = {d.guard, d.result.pd, d.result.pq};
    predicates.erase(7);
    for (const Result& r : w.under_way) {
      entries += !r.none();
      if (!r.woken && shares_early(d, r)) return false;
      if (predicates.contains(r.pd) || predicates.contains(r.pq)) return false;
    }
    return entries < kEntries;
  }

  void set_check(unsigned w, const Decoded& d) {
    top.check_valid_i = 1;
    top.check_warp_i = static_cast<unsigned char>(w);
    top.ra_i = static_cast<unsigned char>(d.ra);
    top.rb_i = static_cast<unsigned char>(d.rb);
    top.rc_i = static_cast<unsigned char>(d.rc);
    top.rd_i = static_cast<unsigned char>(d.result.rd);
    top.rd_log2_i = static_cast<unsigned char>(d.result.log2);
    top.reads_i = static_cast<unsigned char>(d.reads);
    top.quads_i = static_cast<unsigned char>(d.quads);
    top.re_i = static_cast<unsigned char>(d.re);
    top.guard_i = static_cast<unsigned char>(d.guard);
    top.psrc_i = static_cast<unsigned char>(d.psrc);
    top.psrc2_i = static_cast<unsigned char>(d.psrc2);
    top.pd_i = static_cast<unsigned char>(d.result.pd);
    top.pq_i = static_cast<unsigned char>(d.result.pq);
    top.op_i = static_cast<unsigned char>(d.op);
  }

  RtlBench<Vscoreboard_top> bench;
  Vscoreboard_top& top;
  std::array<Warp, kWarps> warps;
};

TEST_F(ScoreboardTest, FreesAWarpExactlyWhenNothingIsShared) {
  std::uint64_t freed = 0, held = 0, woken = 0, crossed = 0;
  for (int n = 0; n < 60000; n++) {
    top.check_valid_i = top.issue_valid_i = top.end_valid_i = top.wake_valid_i = 0;
    // Compare.
    bench.settle();
    for (unsigned w = 0; w < kWarps; w++) {
      ASSERT_EQ(top.idle_o >> w & 1, warps[w].under_way.empty()) << "warp " << w << " step " << n;
      if (!warps[w].decoded) continue;
      const bool expected = free(warps[w], n);
      ASSERT_EQ(top.free_o >> w & 1, expected) << "warp " << w << " step " << n;
      (expected ? freed : held)++;
    }
    // Issue one free warp, decode for another, end a result of any.
    std::optional<unsigned> issued, checked;
    const auto first = static_cast<unsigned>(bench.rng() % kWarps);
    std::optional<Decoded> decoded;
    if (!bench.one_in(3)) {
      for (unsigned i = 0; i < kWarps && !issued; i++) {
        const unsigned w = (first + i) % kWarps;
        if (warps[w].decoded && free(warps[w], n)) issued = w;
      }
    }
    const auto second = static_cast<unsigned>(bench.rng() % kWarps);
    // Also for the one that issues.
    if (!warps[second].decoded || (issued == second && bench.one_in(2))) checked = second;
    const std::optional<Decoded> issuing = issued ? warps[*issued].decoded : std::nullopt;
    if (issued) warps[*issued].decoded.reset();
    const auto third = static_cast<unsigned>(bench.rng() % kWarps);
    std::vector<Result> ending;  // before the end
    std::vector<std::pair<unsigned, Result>> told;
    const bool ends = !warps[third].under_way.empty() && !bench.one_in(3);
    if (ends) {
      auto& list = warps[third].under_way;
      ending = list;
      const std::size_t i = bench.rng() % list.size();
      top.end_valid_i = 1;
      top.end_warp_i = static_cast<unsigned char>(third);
      top.end_has_i = !list[i].none();
      top.end_entry_i = static_cast<unsigned char>(list[i].entry);
      if (!list[i].woken) told.emplace_back(third, list[i]);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    }
    // A result that comes and does not end now, often of the warp for which something else happens.
    const unsigned fourth = bench.one_in(2)   ? third
                            : bench.one_in(2) ? second
                                              : static_cast<unsigned>(bench.rng() % kWarps);
    for (Result& r : warps[fourth].under_way) {
      if (r.woken || r.none() || !bench.one_in(4)) continue;
      told.emplace_back(fourth, r);
      r.woken = true;
      woken++;
      top.wake_valid_i = 1;
      top.wake_warp_i = static_cast<unsigned char>(fourth);
      top.wake_entry_i = static_cast<unsigned char>(r.entry);
      break;
    }
    if (checked) {
      decoded = random_instruction();
      set_check(*checked, *decoded);
      bench.settle();
      decoded->result.pipe = top.pipe_o;
      warps[*checked].decoded = decoded;
    }
    for (const auto& [w, r] : told) {
      Warp& warp = warps[w];
      if (!top.crosses_o || !warp.decoded || !shares_early(*warp.decoded, r) || warp.decoded->result.pipe == r.pipe)
        continue;
      warp.decoded->not_before = n + 2;
      crossed++;
    }
    if (issued) {
      Warp& w = warps[*issued];
      const std::vector<Result> before = ends && third == *issued ? ending : w.under_way;
      Result r = issuing->result;
      top.issue_valid_i = 1;
      top.issue_warp_i = static_cast<unsigned char>(*issued);
      top.issue_blocks_i = r.blocks;
      top.issue_pipe_i = static_cast<unsigned char>(r.pipe);
      top.issue_rd_i = static_cast<unsigned char>(r.rd);
      top.issue_rd_log2_i = static_cast<unsigned char>(r.log2);
      top.issue_pd_i = static_cast<unsigned char>(r.pd);
      top.issue_pq_i = static_cast<unsigned char>(r.pq);
      bench.settle();
      r.entry = top.issue_entry_o;
      if (!r.none() && std::ranges::all_of(before, &Result::none)) {
        ASSERT_EQ(r.entry, 0u) << "the only result";
      }
      w.under_way.push_back(r);
      if (r.blocks) w.blocked = true;
    }
    if (ends && warps[third].under_way.empty()) warps[third].blocked = false;
    bench.tick();
  }
  EXPECT_GT(freed, 1000u);
  EXPECT_GT(held, 1000u);
  EXPECT_GT(woken, 1000u);
  EXPECT_TRUE(crossed > 1000 || !top.crosses_o);
}

}  // namespace
}  // namespace heddle::test
