// SPDX-License-Identifier: Apache-2.0
// Random results of all sources, slice by slice: each slice of a row goes once to its place, pairs in two cycles a
// slice without another between them, predicates with a slice's last row, the end with the last slice; no source waits
// for long; each slice of a row retires. Both whole rows of a pair are written at once; of pipelined units they come in
// cycles of their own, which the test gives.
#include <Vwriteback_top.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Source { Int, Imad, Fp32, Fp16, Cvt, Sfu, Warp, Fp64, Tensor, Lsu, Control, kSources };  // isa_pkg::unit_e
constexpr bool has_pairs(unsigned s) { return s == Int || s == Imad || s == Cvt || s == Fp64 || s == Tensor; }
constexpr unsigned kPipelined = 1u << Int | 1u << Imad | 1u << Fp32 | 1u << Cvt | 1u << Fp64 | 1u << Sfu | 1u << Fp16;
using Row = std::array<std::uint32_t, 32>;  // one slice, in the lower lanes

struct Result {
  unsigned warp = 0, seq = 0, rd = 255, pd = 7, pq = 7, index = 0, slice = 0;
  std::uint32_t mask = 0, p = 0, q = 0;
  bool we = false, wide = false, p_we = false, last = true, ends = true;
  Row d{}, d_hi{};
  bool half = false;  // the lower row is out
  unsigned waits = 0;
};

// A slice of a row on its way out.
struct Out {
  unsigned source = 0, warp = 0, seq = 0, rd = 0, pd = 0, pq = 0, index = 0, slice = 0;
  std::uint32_t mask = 0, p = 0, q = 0;
  bool we = false, pair = false, p_we = false, last = false, ends = false;
  Row row{}, row_hi{};
};

class WritebackTest : public ::testing::Test {
 protected:
  WritebackTest() : bench(seed()), top(*bench.top) {
    top.valid_i = top.now_i = 0;
    top.start_valid_i = 0;
    bench.reset();
    bench.settle();
    parts = top.sizes_o & 0xff;
    base.resize(top.sizes_o >> 8 & 0xff);
    slices = top.sizes_o >> 16;
    lanes = 32 / slices;
    warp_bits = static_cast<unsigned>(std::countr_zero(parts * base.size()));
    slice_bits = std::max(1u, static_cast<unsigned>(std::countr_zero(slices)));
    for (unsigned w = 0; w < base.size(); w++) start(w);
  }

  void start(unsigned w) {
    base[w] = static_cast<unsigned>(bench.rng() % 256) * 2;
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    top.start_row_i = static_cast<unsigned short>(base[w]);
    bench.tick();
    top.start_valid_i = 0;
  }

  unsigned rng_below(unsigned n) { return static_cast<unsigned>(bench.rng() % n); }
  std::uint32_t lanes_of(std::uint32_t mask, unsigned slice) const {
    return mask >> slice * lanes & ~0u >> (32 - lanes);
  }
  Row random_row() {
    Row row;
    for (std::uint32_t& v : row) v = static_cast<std::uint32_t>(bench.rng());
    return row;
  }

  void give(unsigned s) {
    Result r;
    r.warp = static_cast<unsigned>(bench.rng() % (parts * base.size()));
    r.seq = (next_seq++ << 4 | s) & 0xffff;
    r.rd = bench.one_in(8) ? 255 : static_cast<unsigned>(bench.rng() % 255);
    r.pd = static_cast<unsigned>(bench.rng() % 8);
    r.pq = static_cast<unsigned>(bench.rng() % 8);
    r.mask = bench.one_in(6) ? 0 : static_cast<std::uint32_t>(bench.rng());
    r.p = static_cast<std::uint32_t>(bench.rng());
    r.q = static_cast<std::uint32_t>(bench.rng());
    r.we = !bench.one_in(4);
    r.wide = s == Tensor || (has_pairs(s) && bench.one_in(3));
    if (r.wide && r.rd != 255) r.rd &= ~1u;  // pairs are aligned
    r.p_we = s != Lsu && s != Cvt && s != Sfu && s != Tensor && bench.one_in(2);
    r.d = random_row();
    r.d_hi = random_row();
    r.ends = s != Control || bench.one_in(2);
    if (s == Tensor) {
      // One or two steps of two rows, each in slices.
      r.we = true;
      if (tensor_left == 0) {
        tensor_steps = 1 + rng_below(2);
        tensor_left = tensor_steps * slices;
        first[s] = r;
      }
      const Row lower = r.d, upper = r.d_hi;
      r = first[s];
      r.d = lower, r.d_hi = upper;
      const unsigned n = tensor_steps * slices - tensor_left;
      r.index = 2 * (n / slices);
      r.slice = n % slices;
      r.last = --tensor_left == 0;
    } else if (s == Lsu) {
      // A load of 1, 2 or 4 rows, each in slices.
      if (lsu_left == 0) {
        lsu_rows = 1u << rng_below(3);
        lsu_left = lsu_rows * slices;
        lsu_first = r;
      }
      const Row row = r.d;
      r = lsu_first;
      r.d = row;
      const unsigned n = lsu_rows * slices - lsu_left;
      r.index = n / slices;
      r.slice = n % slices;
      r.last = --lsu_left == 0;
    } else {
      // The other slices of an instruction have its tag.
      if (next_slice[s] > 0) {
        const Result& f = first[s];
        r.warp = f.warp, r.seq = f.seq, r.rd = f.rd, r.pd = f.pd, r.pq = f.pq, r.mask = f.mask;
        r.we = f.we, r.wide = f.wide, r.p_we = f.p_we, r.ends = f.ends;
      }
      r.slice = next_slice[s];
      r.last = r.slice == slices - 1;
      if (r.slice == 0) first[s] = r;
      next_slice[s] = (r.slice + 1) % slices;
    }
    given[s] = r;
    top.valid_i |= static_cast<unsigned short>(1u << s);
    set_bits(top.tag_i, 96 * s, 32, r.mask);
    set_bits(top.tag_i, 96 * s + 32, 30, r.pq | r.pd << 3 | r.rd << 6 | r.seq << 14);
    set_bits(top.tag_i, 96 * s + 62, warp_bits, r.warp);
    set_bits(top.tag_i, 96 * s + 62 + warp_bits, slice_bits, r.slice);
    const auto flag = [&](auto& port, bool on) {
      port = static_cast<std::remove_reference_t<decltype(port)>>((port & ~(1u << s)) | (on ? 1u << s : 0));
    };
    flag(top.we_i, r.we);
    flag(top.wide_i, r.wide);
    flag(top.p_we_i, r.p_we);
    flag(top.last_i, r.last);
    flag(top.apart_i, !r.ends);
    top.index_i = (top.index_i & ~(3u << 2 * s)) | r.index << 2 * s;
    for (unsigned lane = 0; lane < 32; lane++) {
      top.d_i[32 * s + lane] = r.d[lane];
      top.d_hi_i[32 * s + lane] = r.d_hi[lane];
    }
    top.p_i[s] = r.p;
    top.q_i[s] = r.q;
  }

  // What the next row of a source must look like.
  Out next_row(unsigned s) const {
    const Result& r = *given[s];
    const bool pair = r.wide && slices == 1;
    const bool lower = r.wide && !pair && !r.half;
    return {.source = s,
            .warp = r.warp,
            .seq = r.seq,
            .rd = r.rd,
            .pd = r.pd,
            .pq = r.pq,
            .index = r.index + r.half,
            .slice = r.slice,
            .mask = r.mask,
            .p = lanes_of(r.p, 0),
            .q = lanes_of(r.q, 0),
            .we = r.we,
            .pair = pair,
            .p_we = r.p_we && !lower,
            .last = r.last && !lower,
            .ends = r.ends,
            .row = r.half ? r.d_hi : r.d,
            .row_hi = r.d_hi};
  }

  void check_trace() {
    ASSERT_EQ(top.trace_valid_o, retired.has_value()) << "cycle " << bench.cycle;
    if (!retired) return;
    const Out& o = *retired;
    ASSERT_EQ(get_bits(top.trace_tag_o, 46, 16), o.seq);
    ASSERT_EQ(get_bits(top.trace_tag_o, 0, 32), o.mask);
    ASSERT_EQ(get_bits(top.trace_tag_o, 62, warp_bits), o.warp);
    ASSERT_EQ(get_bits(top.trace_tag_o, 62 + warp_bits, slice_bits), o.slice);
    ASSERT_EQ(top.trace_row_we_o, o.we && o.rd != 255);
    ASSERT_EQ(top.trace_index_o, o.index);
    ASSERT_EQ(top.trace_p_we_o, o.p_we);
    ASSERT_EQ(top.trace_last_o, o.last);
    ASSERT_EQ(top.trace_pair_o, o.pair);
    for (unsigned lane = 0; lane < lanes; lane++) {
      ASSERT_EQ(top.trace_row_o[lane], o.row[lane]);
      if (o.pair) {
        ASSERT_EQ(top.trace_row_hi_o[lane], o.row_hi[lane]);
      }
    }
    if (o.p_we) {
      ASSERT_EQ(top.trace_p_o, o.p);
      ASSERT_EQ(top.trace_q_o, o.q);
    }
  }

  bool booked(unsigned s) const { return slices == 1 && (kPipelined >> s & 1) != 0; }

  // Whole rows: the result of pipelined unit s (kSources: of none) comes now.
  void book(unsigned s) {
    if (s < kSources) give(s);
    top.now_i = static_cast<unsigned short>(s < kSources ? 1u << s : 0);
  }

  void step(unsigned unit = kSources) {
    if (slices == 1) book(unit);
    bench.settle();
    check_trace();
    if (HasFatalFailure()) return;
    retired.reset();
    if (slices == 1) {
      ASSERT_EQ(top.ready_o & kPipelined, kPipelined);
    }
    const unsigned ready = top.ready_o & (slices == 1 ? ~kPipelined : ~0u);
    ASSERT_EQ(ready & ~top.valid_i, 0u);
    // Some row goes out in every cycle in which there is one, in slices: in which one was left the cycle before.
    const bool nothing = top.end_tag_o[0] == ~0u;  // writeback_top's result of nobody
    if (top.valid_i == 0 || (slices > 1 && !left && nothing)) {
      ASSERT_FALSE(top.row_valid_o || top.p_valid_o || top.end_valid_o || ready);
      left = top.valid_i != 0;
    } else {
      const auto s = static_cast<unsigned>(get_bits(top.end_tag_o, 46, 16)) & 15;
      ASSERT_LT(s, unsigned{kSources});
      ASSERT_TRUE(given[s].has_value()) << "cycle " << bench.cycle;
      ASSERT_EQ(booked(s), top.now_i != 0) << "cycle " << bench.cycle;
      ASSERT_TRUE(!pair || *pair == s) << "between the rows of a pair, cycle " << bench.cycle;
      const Out o = next_row(s);
      ASSERT_EQ(get_bits(top.end_tag_o, 46, 16), o.seq);
      ASSERT_EQ(get_bits(top.end_tag_o, 32, 14), o.pq | o.pd << 3 | o.rd << 6);
      ASSERT_EQ(get_bits(top.end_tag_o, 62, warp_bits), o.warp);
      ASSERT_EQ(top.end_warp_o, o.warp / parts);
      ASSERT_EQ(top.end_valid_o, o.last && o.ends);
      ASSERT_EQ(top.slice_o, o.slice);
      ASSERT_EQ(top.lanes_o, lanes_of(o.mask, o.slice));
      const bool writes = o.we && o.rd != 255 && lanes_of(o.mask, o.slice) != 0;
      ASSERT_EQ(top.row_valid_o, writes);
      if (writes) {
        ASSERT_EQ(top.row_row_o, (base[o.warp / parts] + o.rd + o.index) % 512) << "source " << s;
        ASSERT_EQ(top.pair_o, o.pair) << "source " << s;
        for (unsigned lane = 0; lane < lanes; lane++) {
          ASSERT_EQ(top.row_o[lane], o.row[lane]) << "source " << s << " lane " << lane;
          if (o.pair) {
            ASSERT_EQ(top.row_hi_o[lane], o.row_hi[lane]) << "source " << s << " lane " << lane;
          }
        }
      }
      ASSERT_EQ(top.p_valid_o, o.p_we) << "source " << s;
      if (o.p_we) {
        ASSERT_EQ(top.p_o, o.p);
        ASSERT_EQ(top.q_o, o.q);
      }
      Result& r = *given[s];
      const bool done = !r.wide || o.pair || r.half;
      ASSERT_EQ(ready, done && !booked(s) ? 1u << s : 0u) << "cycle " << bench.cycle;
      retired = o;
      pair.reset();
      if (!done) pair = s;
      r.half = !done;
      rows[s]++;
      for (unsigned i = 0; i < kSources; i++) {
        if (!given[i] || i == s) continue;
        // The others' pairs and a load of four rows.
        ASSERT_LT(++given[i]->waits, slices == 1 ? 40 : 16 * slices) << "source " << i << " waits";
      }
      if (done) given[s].reset();
      left = (top.valid_i & ~ready) != 0;
    }
    const unsigned taken = top.ready_o;
    bench.tick();
    top.now_i = 0;
    top.valid_i &= static_cast<unsigned short>(~taken);
  }

  RtlBench<Vwriteback_top> bench;
  Vwriteback_top& top;
  unsigned parts = 0, slices = 0, lanes = 0, warp_bits = 0, slice_bits = 0, next_seq = 1, lsu_rows = 0, lsu_left = 0,
           tensor_steps = 0, tensor_left = 0;
  std::vector<unsigned> base;
  std::array<std::optional<Result>, kSources> given;
  Result lsu_first;
  std::array<Result, kSources> first;
  std::array<unsigned, kSources> next_slice{};
  std::optional<Out> retired;
  std::optional<unsigned> pair;
  bool left = false;  // a row that was there the cycle before
  std::array<unsigned, kSources> rows{};
};

TEST_F(WritebackTest, EachRowOnceToItsPlace) {
  for (int phase = 0; phase < 360 && !HasFatalFailure(); phase++) {
    std::array<std::uint32_t, kSources> gap;
    for (std::uint32_t& g : gap) g = static_cast<std::uint32_t>(1 + bench.rng() % 8);
    for (int n = 0; n < 200 && !HasFatalFailure(); n++) {
      unsigned unit = kSources;
      for (unsigned s = 0; s < kSources; s++) {
        if (given[s] || !bench.one_in(gap[s])) continue;
        if (booked(s)) unit = s;
        else give(s);
      }
      // Nothing is booked for ever while others wait.
      for (const auto& g : given)
        if (g && g->waits > 8) unit = kSources;
      step(unit);
    }
    for (int n = 0; n < 64 + static_cast<int>(16 * slices) && (top.valid_i != 0 || pair) && !HasFatalFailure(); n++)
      step();
    ASSERT_EQ(top.valid_i, 0);
    step();
    for (unsigned w = 0; w < base.size(); w++) start(w);
  }
  for (const unsigned n : rows) EXPECT_GT(n, 1000u);
}

TEST_F(WritebackTest, ASourceAloneLosesNoCycle) {
  for (unsigned s = 0; s < kSources && !HasFatalFailure(); s++) {
    for (int n = 0; n < 100 && !HasFatalFailure(); n++) {
      if (!given[s] && !booked(s)) give(s);
      step(booked(s) ? s : unsigned{kSources});
    }
    EXPECT_GE(rows[s], 99u) << "source " << s;  // but for the first, where the turn comes from another
    while ((top.valid_i != 0 || pair) && !HasFatalFailure()) step();
  }
}

}  // namespace
}  // namespace heddle::test
