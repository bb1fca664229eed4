// SPDX-License-Identifier: Apache-2.0
// Addresses and faults of warp instructions against the address spaces as the ISA has them.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "Vlsu_address_top.h"
#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using isa::Opcode;
constexpr uint64_t kBase = 0x1000000000;
constexpr unsigned kClassLoad = 0, kClassStore = 1, kClassAtomic = 2, kClassFence = 3, kClassPrefetch = 4,
                   kClassInvalidate = 5;
constexpr unsigned kIllegal = 1, kMisaligned = 2;

struct Request {
  Opcode op = Opcode::Ldg;
  unsigned mod = 4;  // B32
  unsigned warp = 0, seq = 0, entry = 0, rd = 0;
  uint32_t mask = ~0u, pc = 0, shared_base = 0, rank = 0;
  std::array<uint64_t, 32> address{};
  std::array<uint32_t, 128> data{};
};

constexpr unsigned memory_mod(isa::MemSize size, isa::CacheOp cache = isa::CacheOp::Ca,
                              isa::MemOrder order = isa::MemOrder::Weak, isa::Scope scope = isa::Scope::Cta) {
  return static_cast<unsigned>(size) | static_cast<unsigned>(cache) << 3 | static_cast<unsigned>(order) << 6 |
         static_cast<unsigned>(scope) << 8;
}

class LsuAddress : public ::testing::Test {
 protected:
  enum Space { kGlobal, kShared, kLocal, kConst };
  struct Where {
    Space space;
    uint64_t address;  // shared: byte in the SM's
    bool in_range;
  };

  LsuAddress() : bench_(seed()), top_(*bench_.top) {
    top_.req_valid_i = top_.taken_i = 0;
    set_kernel();
    bench_.reset();
    row_lanes_ = top_.row_lanes_o;
  }

  void set_kernel() {
    top_.mem_end_i = mem_end_;
    top_.l1_enable_i = l1_enable_;
    top_.shared_bytes_i = shared_bytes_;
    top_.cluster_blocks_i = cluster_blocks_;
    top_.local_bytes_i = local_bytes_;
    top_.local_base_i = local_base_;
    top_.param_base_i = param_base_;
    top_.param_bytes_i = param_bytes_;
    top_.const_base_i = const_base_;
    top_.sm_id_i = sm_;
  }

  // CCTL asks for the line of a byte, LDSM for rows of matrices.
  static unsigned bytes_of(const Request& r) {
    static constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16, 4};
    return r.op == Opcode::Cctl ? 1 : r.op == Opcode::Ldsm ? 16 : kBytes[r.mod & 7];
  }
  // Lanes whose addresses count.
  static uint32_t addressed(const Request& r) {
    if (r.op != Opcode::Ldsm || (r.mod & 3) == 2) return r.mask;
    return r.mask & (r.mod & 3 ? 0xffff : 0xff);
  }
  static bool is(const Request& r, std::initializer_list<Opcode> ops) {
    for (const Opcode op : ops)
      if (r.op == op) return true;
    return false;
  }
  static bool store(const Request& r) { return is(r, {Opcode::Stg, Opcode::Sts, Opcode::Stl, Opcode::St}); }
  static bool fence(const Request& r) { return r.op == Opcode::Membar || (r.op == Opcode::Cctl && (r.mod & 3) == 3); }
  static bool atomic(const Request& r) { return is(r, {Opcode::Atomg, Opcode::Atoms, Opcode::Atom}); }
  static bool copies(const Request& r) { return r.op == Opcode::Ldgsts; }
  // A byte of shared memory: the upper eight bits of an address name a block of the cluster.
  Where shared_where(const Request& r, uint32_t a) const {
    const unsigned block = top_.clusters_o ? a >> 24 : 0;
    const uint32_t o = top_.clusters_o ? a & 0xffffff : a;
    const uint64_t base = block == 0 ? r.shared_base : r.shared_base + (uint64_t{block} - 1 - r.rank) * shared_bytes_;
    return {kShared, base + o, block <= cluster_blocks_ && uint64_t{o} + bytes_of(r) <= shared_bytes_};
  }
  bool good_store(const Request& r, unsigned lane) const {
    return r.data[lane] % bytes_of(r) == 0 && shared_where(r, r.data[lane]).in_range;
  }
  static bool generic(const Request& r) { return is(r, {Opcode::Ld, Opcode::St, Opcode::Atom}); }

  Where where(const Request& r, unsigned lane) const {
    const uint64_t a = r.address[lane];
    const uint32_t o = static_cast<uint32_t>(a);
    const unsigned bytes = bytes_of(r);
    const auto within = [&](uint64_t limit) { return uint64_t{o} + bytes <= limit; };
    Space s = kGlobal;
    if (is(r, {Opcode::Lds, Opcode::Ldsm, Opcode::Sts, Opcode::Atoms})) s = kShared;
    if (is(r, {Opcode::Ldl, Opcode::Stl})) s = kLocal;
    if (is(r, {Opcode::Ldc})) s = kConst;
    if (generic(r)) s = a >> 32 == 15 ? kShared : a >> 32 == 14 ? kLocal : kGlobal;
    switch (s) {
      case kShared: return shared_where(r, o);
      case kLocal: {
        const uint64_t warp = sm_ * uint64_t{top_.warps_o} + r.warp;
        return {s, local_base_ + (warp * local_bytes_ + (o & ~15u)) * 32 + 16 * lane + ((o & 15) ^ (lane & 8)),
                within(local_bytes_)};
      }
      case kConst: {
        const unsigned bank = r.mod >> 10 & 3;
        return {s, (bank == 0 ? param_base_ : const_base_) + o,
                within(bank == 0   ? param_bytes_
                       : bank == 1 ? 0x10000
                                   : 0)};
      }
      default: return {s, a, a >= kBase && a <= mem_end_ && a + bytes <= mem_end_};
    }
  }

  void drive(const Request& r) {
    top_.warp_i = r.warp;
    top_.seq_i = r.seq;
    top_.rd_i = r.rd;
    top_.mask_i = r.mask;
    top_.op_i = static_cast<unsigned>(r.op);
    top_.mod_i = r.mod;
    top_.pc_i = r.pc;
    top_.shared_base_i = r.shared_base;
    top_.rank_i = r.rank;
    top_.entry_i = r.entry;
    for (unsigned l = 0; l < 32; l++) {
      top_.addr_i[l] = static_cast<uint32_t>(r.address[l]);
      top_.addr_hi_i[l] = static_cast<uint32_t>(r.address[l] >> 32);
    }
    for (unsigned i = 0; i < 128; i++) top_.data_i[i] = r.data[i];
  }

  // Gives r, slice after slice; the outcome is checked in the cycle after the last.
  void give(const Request& r) {
    drive(r);
    for (unsigned slice = 0; slice < 32 / row_lanes_; slice++) {
      if (row_lanes_ == 32) give_whole(r);
      else give_slice(r, slice);
      if (HasFatalFailure()) return;
    }
    if (row_lanes_ < 32) finish();
    const auto [order, scope] = order_of(r);
    check(r, order, scope);
  }

  static std::pair<unsigned, unsigned> order_of(const Request& r) {
    const bool memory = !is(r, {Opcode::Membar, Opcode::Cctl, Opcode::Ldsm, Opcode::Ldgsts}) && !atomic(r);
    const unsigned order = memory ? r.mod >> 6 & 3 : atomic(r) ? r.mod >> 10 & 3 : 0;
    const unsigned scope = memory ? r.mod >> 8 & 3 : atomic(r) ? r.mod >> 12 & 3 : r.mod & 3;
    return {order, scope};
  }

  // It stands until all of its lanes are resolved, a cycle for each space.
  void give_whole(const Request& r) {
    top_.slice_i = 0;
    top_.req_valid_i = 1;
    top_.taken_i = top_.valid_o;
    bench_.settle();
    for (unsigned left = cycles(r, 0); left > 1; left--) {
      ASSERT_FALSE(top_.req_ready_o);
      bench_.tick();
      bench_.settle();
      ASSERT_FALSE(top_.valid_o || top_.fault_valid_o);
      if (bench_.one_in(4)) {  // nothing moves where nobody works on it
        top_.req_valid_i = 0;
        bench_.tick();
        top_.req_valid_i = 1;
        bench_.settle();
      }
    }
    ASSERT_TRUE(top_.req_ready_o);
    bench_.tick();
    top_.req_valid_i = 0;
    top_.taken_i = 0;
    bench_.settle();
    collect();
  }

  // A slice goes into its register in the cycle that resolves the last lanes of the slice before.
  void give_slice(const Request& r, unsigned slice) {
    if (slice != 0 && bench_.one_in(4)) finish();
    top_.slice_i = slice;
    top_.req_valid_i = 1;
    bench_.settle();
    while (left_ > 1) {
      ASSERT_FALSE(top_.req_ready_o);
      work();
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(top_.req_ready_o);
    if (left_ == 1) work();
    else bench_.tick();
    bench_.settle();
    given_ = slice;
    left_ = cycles(r, slice);
  }

  // What has been given is resolved, and nothing follows.
  void finish() {
    top_.req_valid_i = 0;
    while (left_ > 0) work();
  }

  // A cycle: its last brings the slice out. No more is told before all slices are checked.
  void work() {
    bench_.tick();
    bench_.settle();
    left_--;
    ASSERT_EQ(top_.valid_o, left_ == 0);
    if (left_ == 0) {
      ASSERT_EQ(top_.slice_o, given_);
      collect();
    }
    if (left_ != 0 || (given_ + 1) * row_lanes_ != 32) {
      ASSERT_FALSE(top_.fault_valid_o || (top_.valid_o && top_.last_o)) << "before all slices are checked";
    }
  }

  // One for each space that lanes of a beat land in; where rows move in slices, one more to tell generic addresses
  // apart.
  unsigned cycles(const Request& r, unsigned slice) const {
    if (fence(r)) return 1;
    unsigned n = 0;
    for (unsigned l = slice * row_lanes_; l < (slice + 1) * row_lanes_; l += top_.beat_lanes_o) {
      unsigned spaces = 0;
      for (unsigned i = l; i < l + top_.beat_lanes_o; i++)
        if (addressed(r) >> i & 1) spaces |= 1u << where(r, i).space;
      n += static_cast<unsigned>(std::popcount(spaces));
    }
    if (row_lanes_ < 32 && n != 0 && generic(r)) n++;
    return std::max(n, 1u);
  }

  // What stands at the output, with that of earlier slices.
  void collect() {
    const unsigned slice = top_.slice_o, first = slice * row_lanes_;
    if (slice == 0) lanes_ = shared_ = 0;
    lanes_ |= top_.lanes_o << first;
    shared_ |= top_.shared_o << first;
    for (unsigned l = 0; l < row_lanes_; l++) {
      addr_[first + l] = (top_.addr_hi_o[l / 4] >> (8 * (l % 4)) & uint64_t{0xff}) << 32 | top_.addr_o[l];
      for (unsigned w = 0; w < 4; w++) data_[32 * w + first + l] = top_.data_o[32 * w + l];
    }
  }

  void check(const Request& r, unsigned order, unsigned scope) {
    const bool cctl = r.op == Opcode::Cctl;
    uint32_t lanes = 0, shared = 0;
    std::optional<unsigned> bad;
    bool bad_store = false;  // a copy's, whose load is good
    for (unsigned l = 0; l < 32 && !fence(r); l++) {
      if (!(addressed(r) >> l & 1)) continue;
      const Where w = where(r, l);
      const bool aligned = cctl || r.address[l] % bytes_of(r) == 0;
      if ((!aligned || !w.in_range) && !bad) bad = l;
      if (copies(r) && !bad && !good_store(r, l)) bad = l, bad_store = true;
      if (w.in_range && aligned) lanes |= 1u << l;
      if (w.in_range && aligned && w.space == kShared) shared |= 1u << l;
    }
    if (cctl) bad.reset();
    ASSERT_EQ(top_.fault_valid_o, bad.has_value());
    ASSERT_EQ(top_.valid_o && top_.last_o, !bad.has_value());
    ASSERT_EQ(top_.entry_o, r.entry);
    if (bad) {
      const Where w = where(r, *bad);
      const bool wide = is(r, {Opcode::Ldg, Opcode::Stg, Opcode::Atomg, Opcode::Ldgsts}) || generic(r);
      ASSERT_EQ(top_.fault_lane_o, *bad);
      if (bad_store) {
        const uint32_t to = r.data[*bad];
        ASSERT_EQ(top_.fault_kind_o, to % bytes_of(r) ? kMisaligned : kIllegal);
        ASSERT_EQ(top_.fault_code_o, static_cast<unsigned>(kShared) | 0x10u);
        ASSERT_EQ(top_.fault_address_o, to);
        ASSERT_EQ(top_.fault_warp_o, r.warp);
        ASSERT_EQ(top_.fault_pc_o, r.pc);
        bad_stores_++;
        return;
      }
      ASSERT_EQ(top_.fault_kind_o, r.address[*bad] % bytes_of(r) ? kMisaligned : kIllegal);
      ASSERT_EQ(top_.fault_warp_o, r.warp);
      ASSERT_EQ(top_.fault_pc_o, r.pc);
      ASSERT_EQ(top_.fault_code_o, static_cast<unsigned>(w.space) | (store(r) ? 0x10u : 0u) | (atomic(r) ? 0x20u : 0u));
      ASSERT_EQ(top_.fault_address_o, wide ? r.address[*bad] : r.address[*bad] & 0xffffffff);
      faults_++;
      return;
    }
    const unsigned cctl_op = r.mod & 3;
    const unsigned cls = store(r)    ? kClassStore
                         : atomic(r) ? kClassAtomic
                         : fence(r)  ? kClassFence
                         : cctl      ? (cctl_op == 2 ? kClassInvalidate : kClassPrefetch)
                                     : kClassLoad;
    ASSERT_EQ(top_.cls_o, cls);
    ASSERT_EQ(top_.warp_o, r.warp);
    ASSERT_EQ(top_.seq_o, r.seq);
    ASSERT_EQ(lanes_, lanes);
    ASSERT_EQ(shared_, shared);
    ASSERT_EQ(top_.copies_o, copies(r));
    for (unsigned l = 0; l < 32 && copies(r); l++) {
      if (!(lanes >> l & 1)) continue;
      ASSERT_EQ(top_.copy_addr_o[l], static_cast<uint32_t>(shared_where(r, r.data[l]).address)) << "lane " << l;
    }
    ASSERT_EQ(top_.waits_o, order == 3 || r.op == Opcode::Membar);
    if (top_.waits_o) {
      ASSERT_EQ(top_.stores_too_o, scope != 0);
    }
    ASSERT_EQ(top_.invalidate_o, fence(r) && (cctl || scope != 0));
    if (!fence(r)) {
      ASSERT_EQ(top_.size_o, cctl ? 4u : r.op == Opcode::Ldsm ? 6u : r.mod & 7);
      ASSERT_EQ(top_.matrix_o, r.op == Opcode::Ldsm ? 8 | (r.mod >> 3 & 1) << 2 | (r.mod & 3) : 0);
    }
    if (atomic(r)) {
      ASSERT_EQ(top_.atom_op_o, r.mod >> 3 & 15);
      ASSERT_EQ(top_.atom_type_o, r.mod >> 7 & (row_lanes_ == 32 ? 7 : 1));
    }
    // An acquire waits for what it found.
    ASSERT_EQ(top_.reduces_o, atomic(r) && r.rd == 255 && order != static_cast<unsigned>(isa::MemOrder::Acquire));
    for (unsigned l = 0; l < 32; l++) {
      if (!(lanes >> l & 1)) continue;
      const Where w = where(r, l);
      const uint64_t high = addr_[l] >> 32;
      ASSERT_EQ(static_cast<uint32_t>(addr_[l]), static_cast<uint32_t>(w.address)) << "lane " << l;
      if (w.space != kShared) {
        ASSERT_EQ(high, w.address >> 32) << "lane " << l;
      }
    }
    ASSERT_EQ(top_.acquire_o, order == 2 && scope != 0);
    if (row_lanes_ == 32 && (store(r) || atomic(r))) {
      for (unsigned i = 0; i < 128; i++) ASSERT_EQ(data_[i], r.data[i]);
    }
    // Global data past the L1: by the load's cache operator or order, or by the device's setting.
    const bool global_like = is(r, {Opcode::Ldg, Opcode::Ld, Opcode::Cctl, Opcode::Ldgsts});
    const unsigned cache = r.mod >> 3 & 7;
    if (cls == kClassLoad && global_like) {
      ASSERT_EQ(top_.bypass_o, !l1_enable_ || cache == 1 || cache == 4 || order != 0);
    }
    if (is(r, {Opcode::Ldc, Opcode::Ldl})) {
      ASSERT_FALSE(top_.bypass_o);
    }
    if (cls == kClassPrefetch) {
      ASSERT_EQ(top_.bypass_o, !l1_enable_ || cctl_op == 1);
    }
    passed_++;
  }

  uint64_t mem_end_ = kBase + (16 << 20), local_base_ = kBase + 0x400000, param_base_ = kBase + 0x300000,
           const_base_ = kBase + 0x310000;
  uint32_t shared_bytes_ = 4096, local_bytes_ = 256, param_bytes_ = 4096, cluster_blocks_ = 1;
  bool l1_enable_ = true;
  unsigned sm_ = 0;
  RtlBench<Vlsu_address_top> bench_;
  Vlsu_address_top& top_;
  uint64_t faults_ = 0, bad_stores_ = 0, passed_ = 0;
  unsigned row_lanes_ = 32;
  uint32_t lanes_ = 0, shared_ = 0;  // of all slices
  unsigned given_ = 0, left_ = 0;    // the slice that is worked on, for so many cycles
  std::array<uint64_t, 32> addr_{};
  std::array<uint32_t, 128> data_{};
};

Request one_lane(Opcode op, uint64_t address, isa::MemSize size = isa::MemSize::B32) {
  Request r;
  r.op = op;
  r.mod = memory_mod(size);
  r.mask = 1u << 7;
  r.address[7] = address;
  return r;
}

// The header's example.
TEST_F(LsuAddress, GenericAddressesGoToTheirSpaces) {
  Request r;
  r.op = Opcode::Ld;
  r.mod = memory_mod(isa::MemSize::B64);
  r.mask = 7;
  r.shared_base = 0x800;
  r.warp = 3;
  r.address = {0x1000000100, 0xf00000040, 0xe00000018};
  give(r);
  EXPECT_EQ(shared_, 2u);
  EXPECT_EQ(static_cast<uint32_t>(addr_[1]), 0x840u);
  EXPECT_EQ(static_cast<uint32_t>(addr_[2]), static_cast<uint32_t>(local_base_ + 3 * 256 * 32 + 16 * 32 + 2 * 16 + 8));
}

TEST_F(LsuAddress, EdgesOfEverySpace) {
  struct Edge {
    Opcode op;
    uint64_t first, end;
  };
  for (const Edge& e :
       {Edge{Opcode::Ldg, kBase, mem_end_}, Edge{Opcode::Stg, kBase, mem_end_}, Edge{Opcode::Ld, kBase, mem_end_},
        Edge{Opcode::Lds, 0, shared_bytes_}, Edge{Opcode::Sts, 0, shared_bytes_}, Edge{Opcode::Ldl, 0, local_bytes_},
        Edge{Opcode::Stl, 0, local_bytes_}, Edge{Opcode::Ld, 0xfull << 32, (0xfull << 32) + shared_bytes_},
        Edge{Opcode::St, 0xeull << 32, (0xeull << 32) + local_bytes_}, Edge{Opcode::Ldc, 0, param_bytes_}}) {
    for (unsigned size = 0; size < 7; size++) {
      const auto s = static_cast<isa::MemSize>(size);
      const unsigned bytes = bytes_of(one_lane(e.op, 0, s));
      give(one_lane(e.op, e.first, s));
      EXPECT_FALSE(top_.fault_valid_o) << "first";
      give(one_lane(e.op, e.end - bytes, s));
      EXPECT_FALSE(top_.fault_valid_o) << "last";
      give(one_lane(e.op, e.end, s));
      EXPECT_TRUE(top_.fault_valid_o) << "past the end";
      give(one_lane(e.op, (e.first - bytes) & (e.op == Opcode::Ldg || e.op == Opcode::Stg ? ~0ull : 0xfffffffff), s));
      EXPECT_TRUE(top_.fault_valid_o) << "before the first";
    }
  }
}

// Block 1 of three of 4 KiB: each block's first and last word, and one past it; a block that is not there.
TEST_F(LsuAddress, SharedMemoryOfTheClustersBlocks) {
  cluster_blocks_ = top_.clusters_o ? 3 : 0;  // without clusters only the own block is there
  set_kernel();
  for (const uint32_t block : {0u, 1u, 2u, 3u, 4u, 255u}) {
    for (const uint32_t o : {0u, 4092u, 4096u}) {
      Request r = one_lane(Opcode::Lds, block << 24 | o);
      r.rank = 1;
      r.shared_base = 4096;
      give(r);
      EXPECT_EQ(top_.fault_valid_o, block > cluster_blocks_ || o == 4096) << block << " " << o;
      if (top_.fault_valid_o) continue;
      EXPECT_EQ(static_cast<uint32_t>(addr_[7]), (block == 0 ? 4096 : (block - 1) * 4096) + o);
    }
  }
}

TEST_F(LsuAddress, MisalignedIsToldEvenWhenOutOfRange) {
  give(one_lane(Opcode::Ldg, 3));
  EXPECT_EQ(top_.fault_kind_o, kMisaligned);
  give(one_lane(Opcode::Ldg, 4));
  EXPECT_EQ(top_.fault_kind_o, kIllegal);
}

// Two warps may fault in consecutive cycles: each is told, else the second's entry would never be free.
TEST_F(LsuAddress, FaultsInConsecutiveCyclesAreAllTold) {
  for (int i = 0; i < 5; i++) give(one_lane(Opcode::Ldg, 4));
  EXPECT_EQ(faults_, 5u);
  bench_.tick();
  bench_.settle();
  EXPECT_FALSE(top_.fault_valid_o);
}

// Each slice by itself finds its fault; the lowest lane of the warp is told, once, after the last slice.
TEST_F(LsuAddress, TheLowestLaneOfAllSlicesIsTold) {
  for (unsigned low = 0; low < 32; low += 5) {
    Request r = one_lane(Opcode::Ldg, kBase);
    r.mask = ~0u << low;
    r.address.fill(kBase);
    for (unsigned l = low; l < 32; l += 3) r.address[l] = 4 * l;
    give(r);
    EXPECT_EQ(top_.fault_lane_o, low);
    give(one_lane(Opcode::Ldg, kBase));
    EXPECT_FALSE(top_.fault_valid_o) << "of the instruction before";
  }
}

TEST_F(LsuAddress, AnOfferedInstructionStandsStillUntilTaken) {
  if (row_lanes_ != 32) GTEST_SKIP() << "slices are taken at once";
  const Request r = one_lane(Opcode::Stg, kBase + 64);
  give(r);
  drive(one_lane(Opcode::Lds, 8));
  for (int i = 0; i < 5; i++) {
    bench_.tick();
    bench_.settle();
    collect();
    check(r, 0, 0);
  }
  top_.taken_i = 1;
  bench_.tick();
  bench_.settle();
  EXPECT_FALSE(top_.valid_o);
}

TEST_F(LsuAddress, RandomInstructions) {
  auto& rng = bench_.rng;
  static constexpr Opcode kOps[] = {Opcode::Ldg,    Opcode::Stg,   Opcode::Lds,   Opcode::Sts,
                                    Opcode::Ldl,    Opcode::Stl,   Opcode::Ld,    Opcode::St,
                                    Opcode::Ldc,    Opcode::Atomg, Opcode::Atoms, Opcode::Atom,
                                    Opcode::Membar, Opcode::Cctl,  Opcode::Ldsm,  Opcode::Ldgsts};
  for (int n = 0; n < 20000; n++) {
    if (n % 100 == 0) {
      mem_end_ = bench_.one_in(4) ? 0xffffffffff : kBase + (rng() % (1 << 20)) * 16 + 32;
      cluster_blocks_ = top_.clusters_o ? 1 + static_cast<uint32_t>(rng() % 16) : 1;
      shared_bytes_ = static_cast<uint32_t>(rng() % (16385 / cluster_blocks_));
      local_bytes_ = static_cast<uint32_t>(rng() % 64) * 16;
      param_bytes_ = static_cast<uint32_t>(rng() % 4097);
      local_base_ = kBase + (rng() % (1ull << 30)) * 128;
      param_base_ = kBase + (rng() % (1ull << 30)) * 256;
      const_base_ = kBase + (rng() % (1ull << 30)) * 256;
      l1_enable_ = !bench_.one_in(4);
      set_kernel();
    }
    Request r;
    r.op = kOps[rng() % (std::size(kOps) - (row_lanes_ < 32 ? 2 : 0))];  // LDSM, LDGSTS where rows move whole
    const auto size = static_cast<isa::MemSize>(rng() % 7);
    r.mod =
        memory_mod(size, static_cast<isa::CacheOp>(rng() % 6),
                   static_cast<isa::MemOrder>(bench_.one_in(3) ? rng() % 4 : 0), static_cast<isa::Scope>(rng() % 4));
    if (r.op == Opcode::Ldc)
      r.mod = static_cast<unsigned>(size) | static_cast<unsigned>(bench_.one_in(9) ? rng() % 4 : rng() % 2) << 10;
    if (atomic(r)) r.mod = static_cast<unsigned>((4 + rng() % 2) | rng() % 10 << 3 | rng() % 2 << 7 | rng() % 16 << 10);
    if (r.op == Opcode::Ldsm) r.mod = static_cast<unsigned>((4 + rng() % 3) | rng() % 2 << 3);
    if (copies(r)) r.mod = memory_mod(static_cast<isa::MemSize>(4 + rng() % 3), static_cast<isa::CacheOp>(rng() % 2));
    if (r.op == Opcode::Membar || r.op == Opcode::Cctl) r.mod = static_cast<unsigned>(rng() % 4);
    r.warp = static_cast<unsigned>(rng() % top_.warps_o);
    r.seq = static_cast<unsigned>(rng() & 0xffff);
    r.entry = static_cast<unsigned>(rng() % 4);
    r.pc = static_cast<uint32_t>(rng());
    r.mask = bench_.one_in(10) ? 0 : static_cast<uint32_t>(rng());
    r.rank = static_cast<uint32_t>(rng() % cluster_blocks_);
    r.shared_base = cluster_blocks_ == 1 ? static_cast<uint32_t>(rng() % 64) * 128 : r.rank * shared_bytes_;
    const auto block = [&] {  // as an address names it
      return top_.clusters_o && !bench_.one_in(3) ? static_cast<uint32_t>(rng() % (cluster_blocks_ + 1)) << 24 : 0;
    };
    const unsigned bytes = bytes_of(r);
    for (auto& word : r.data) word = static_cast<uint32_t>(rng());
    for (unsigned l = 0; l < 32 && copies(r); l++) {
      r.data[l] = shared_bytes_ < bytes ? 0 : static_cast<uint32_t>(rng() % (shared_bytes_ / bytes) * bytes);
      r.data[l] += block();
      if (bench_.one_in(200)) r.data[l] += 1 + static_cast<uint32_t>(rng() % (2 * bytes));
    }
    r.rd = static_cast<unsigned>(rng() % 2 ? 255 : rng() % 255);
    // Mostly good addresses; now and then a lane that is not.
    for (unsigned l = 0; l < 32; l++) {
      const auto below = [&](uint64_t limit) { return limit < bytes ? 0 : rng() % (limit / bytes) * bytes; };
      uint64_t a = 0;
      switch (r.op) {
        case Opcode::Lds:
        case Opcode::Ldsm:
        case Opcode::Sts:
        case Opcode::Atoms: a = below(shared_bytes_) + block(); break;
        case Opcode::Ldl:
        case Opcode::Stl: a = below(local_bytes_); break;
        case Opcode::Ldc: a = below(r.mod >> 10 & 3 ? 0x10000 : param_bytes_); break;
        case Opcode::Ld:
        case Opcode::St:
        case Opcode::Atom:
          switch (rng() % 3) {
            case 0: a = (uint64_t{15} << 32) + below(shared_bytes_) + block(); break;
            case 1: a = (uint64_t{14} << 32) + below(local_bytes_); break;
            default: a = kBase + below(mem_end_ - kBase); break;
          }
          break;
        default: a = kBase + below(mem_end_ - kBase); break;
      }
      if (bench_.one_in(200)) a = rng() >> rng() % 64;
      if (bench_.one_in(200)) a += 1 + rng() % 15;
      if (bench_.one_in(200)) a = (a & ~0xffffffffull) | (mem_end_ & 0xffffffff);
      r.address[l] = a;
    }
    give(r);
    ASSERT_FALSE(HasFatalFailure()) << "instruction " << n << " op " << static_cast<int>(r.op);
    // Else it is taken in the cycle in which the next one comes.
    if (bench_.one_in(6)) {
      top_.taken_i = 1;
      bench_.tick();
      bench_.settle();
      ASSERT_FALSE(top_.valid_o || top_.fault_valid_o);
      top_.taken_i = 0;
    }
  }
  EXPECT_GT(faults_, 2000u);
  EXPECT_TRUE(row_lanes_ < 32 || bad_stores_ > 20);
  EXPECT_GT(passed_, 4000u);
}

}  // namespace
}  // namespace heddle::test
