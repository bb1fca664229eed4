// SPDX-License-Identifier: Apache-2.0
// The memory path as a whole: load/store units, hubs, L2 and the DRAM model, against the bench's memory.
#include <cstring>

#include "tests/unit/rtl/memory/memory_bench.h"

namespace heddle::test {
namespace {

using isa::CacheOp;
using isa::MemOrder;
using isa::MemSize;
using isa::Opcode;
using isa::Scope;

std::vector<uint8_t> random_bytes(std::mt19937_64& rng, size_t n) {
  std::vector<uint8_t> v(n);
  for (auto& b : v) b = static_cast<uint8_t>(rng());
  return v;
}

Instruction make(Opcode op, unsigned mod, uint8_t warp) {
  Instruction in;
  in.op = op;
  in.mod = mod;
  in.warp = warp;
  return in;
}

// lane -> base + stride * lane
Instruction strided(Opcode op, MemSize size, uint8_t warp, uint64_t base, uint64_t stride) {
  Instruction in = make(op, memory_mod(size), warp);
  for (unsigned l = 0; l < 32; l++) in.address[l] = base + stride * l;
  for (auto& row : in.data)
    for (unsigned l = 0; l < 32; l++) row[l] = static_cast<uint32_t>(base) * 2654435761u + l;
  return in;
}

TEST(MemorySystem, LoadReturnsWhatMemoryHolds) {
  MemoryBench bench(seed());
  bench.fill_memory(kBase, random_bytes(bench.rng, 4096));
  bench.submit(0, strided(Opcode::Ldg, MemSize::B32, 0, kBase, 4));
  EXPECT_TRUE(bench.run());
}

TEST(MemorySystem, StoreReachesMemory) {
  MemoryBench bench(seed());
  bench.submit(0, strided(Opcode::Stg, MemSize::B32, 0, kBase + 0x1000, 4));
  bench.submit(0, strided(Opcode::Ldg, MemSize::B32, 0, kBase + 0x1000, 4));
  EXPECT_TRUE(bench.run());
  bench.flush_and_compare();
}

// c[i] = a[i] + b[i] for 65,536 elements as the SMs' memory sees it: each warp loads a and b, stores c.
TEST(MemorySystem, VectorAdditionStreams) {
  MemoryBench bench(seed());
  constexpr unsigned kElements = 65536, kWarps = kElements / 32;
  const uint64_t a = kBase, b = kBase + 4 * kElements, c = kBase + 8 * kElements;
  const uint64_t begin = bench.cycle;
  for (unsigned w = 0; w < kWarps; w += bench.sms() * 8) {
    for (unsigned s = 0; s < bench.sms(); s++) {
      for (unsigned i = 0; i < 8; i++)
        for (const uint64_t from : {a, b})
          bench.submit(s, strided(Opcode::Ldg, MemSize::B32, static_cast<uint8_t>(i), from + 128 * (w + 8 * s + i), 4));
      for (unsigned i = 0; i < 8; i++)
        bench.submit(s, strided(Opcode::Stg, MemSize::B32, static_cast<uint8_t>(i), c + 128 * (w + 8 * s + i), 4));
    }
  }
  EXPECT_TRUE(bench.run());
  const uint64_t cycles = bench.cycle - begin;
  const auto& counters = bench.memory().counters();
  std::printf("%llu cycles, %llu L2 requests, %llu DRAM reads, %llu writes, %llu row hits, %llu misses\n",
              static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(bench.l2_requests),
              static_cast<unsigned long long>(counters.reads), static_cast<unsigned long long>(counters.writes),
              static_cast<unsigned long long>(counters.row_hits), static_cast<unsigned long long>(counters.row_misses));
  EXPECT_TRUE(bench.sms() != 2 || cycles < 33000) << cycles;
}

// Random accesses of all kinds and sizes. Each warp has a region of its own, in which program order decides
// every value, and all share one region, in which the events do.
void random_accesses(const KernelSettings& kernel, unsigned count, unsigned rsp_stall, unsigned region,
                     bool weak_only = false) {
  MemoryBench bench(seed(), kernel);
  auto& rng = bench.rng;
  bench.rsp_stall = rsp_stall;
  bench.fill_memory(kBase, random_bytes(rng, 1 << 20));
  bench.fill_memory(kernel.param_base, random_bytes(rng, 4096));
  bench.fill_memory(kernel.const_base, random_bytes(rng, 65536));
  const unsigned warps = bench.warps();
  // Private bytes as program order leaves them: by SM and warp.
  std::map<std::pair<unsigned, unsigned>, std::map<uint64_t, uint8_t>> own;

  for (unsigned n = 0; n < count; n++) {
    const unsigned s = static_cast<unsigned>(rng() % bench.sms());
    const auto warp = static_cast<uint8_t>(rng() % warps);
    const unsigned kind = weak_only ? 19 : static_cast<unsigned>(rng() % 20);
    Instruction in;
    in.warp = warp;
    in.mask = rng() % 3 ? ~0u : static_cast<uint32_t>(rng());
    if (rng() % 32 == 0) in.mask = 0;
    for (auto& row : in.data)
      for (auto& w : row) w = static_cast<uint32_t>(rng());
    if (kind == 0) {
      in.op = Opcode::Membar;
      in.mod = fence_mod(static_cast<Scope>(rng() % 4));
      bench.submit(s, in);
      continue;
    }
    if (kind == 1) {
      const bool wide = rng() % 2;
      in.op = Opcode::Atomg;
      in.mod = atomic_mod(wide ? MemSize::B64 : MemSize::B32, static_cast<isa::AtomOp>(rng() % 10), rng() % 2) |
               static_cast<unsigned>(rng() % 4) << 10 | static_cast<unsigned>(rng() % 4) << 12;
      for (auto& a : in.address) a = kBase + (rng() % region & ~uint64_t{wide ? 7u : 3u});
      bench.submit(s, in);
      continue;
    }
    if (kind == 2) {
      in.op = Opcode::Cctl;
      in.mod = static_cast<unsigned>(rng() % 4);
      for (auto& a : in.address) a = rng() % 4 ? kBase + rng() % region : rng();
      bench.submit(s, in);
      continue;
    }
    const auto size = static_cast<MemSize>(rng() % 7);
    const uint64_t bytes = size_bytes(static_cast<unsigned>(size));
    const bool store = rng() % 2;
    in.mod = memory_mod(size, weak_only ? CacheOp::Ca : static_cast<CacheOp>(rng() % 6),
                        weak_only || rng() % 8 ? MemOrder::Weak : static_cast<MemOrder>(rng() % 4), static_cast<Scope>(rng() % 4));
    // Patterns: in order, strided, random, all alike.
    const unsigned pattern = static_cast<unsigned>(rng() % 4);
    const uint64_t stride = uint64_t{1} << rng() % 4;
    const uint64_t origin = rng();
    auto index = [&](unsigned lane) -> uint64_t {
      switch (pattern) {
        case 0: return origin + lane;
        case 1: return origin + lane * stride;
        case 2: return rng();
        default: return origin;
      }
    };
    auto within = [&](unsigned lane, uint64_t limit) { return index(lane) % (limit / bytes) * bytes; };
    const unsigned space = static_cast<unsigned>(rng() % 6);
    bool private_region = false;
    switch (space) {
      case 0:
        in.op = store ? Opcode::Sts : Opcode::Lds;
        in.shared_base = static_cast<uint32_t>(rng() % 8 * 128) % static_cast<uint32_t>(bench.preset().structure.shared_bytes - kernel.shared_bytes + 1) & ~127u;
        for (unsigned l = 0; l < 32; l++) in.address[l] = within(l, kernel.shared_bytes);
        break;
      case 1:
        in.op = store ? Opcode::Stl : Opcode::Ldl;
        for (unsigned l = 0; l < 32; l++) in.address[l] = within(l, kernel.local_bytes);
        break;
      case 2:
        in.op = Opcode::Ldc;
        in.mod = memory_mod(size) | static_cast<unsigned>(rng() % 2) << 10;
        for (unsigned l = 0; l < 32; l++) in.address[l] = within(l, in.mod >> 10 & 1 ? 65536 : kernel.param_bytes);
        break;
      case 3:
        in.op = store ? Opcode::St : Opcode::Ld;
        for (unsigned l = 0; l < 32; l++) {
          const unsigned where = static_cast<unsigned>(rng() % 3);
          in.address[l] = where == 0   ? kSharedWindow + within(l, kernel.shared_bytes)
                          : where == 1 ? kLocalWindow + within(l, kernel.local_bytes)
                                       : kBase + within(l, region);
        }
        break;
      case 4:
        in.op = store ? Opcode::Stg : Opcode::Ldg;
        for (unsigned l = 0; l < 32; l++) in.address[l] = kBase + within(l, region);
        break;
      default:
        private_region = true;
        in.op = store ? Opcode::Stg : Opcode::Ldg;
        for (unsigned l = 0; l < 32; l++)
          in.address[l] = kBase + 0x800000 + (s * warps + warp) * 2048 + within(l, 2048);
        break;
    }
    if (private_region) {
      auto& mine = own[{s, warp}];
      if (store) {
        for (unsigned l = 0; l < 32; l++)
          if (in.mask >> l & 1)
            for (unsigned b = 0; b < bytes; b++)
              mine[in.address[l] + b] = static_cast<uint8_t>(in.data[b / 4][l] >> (8 * (b % 4)));
      } else if (bytes >= 4) {
        std::array<Row, 4> expected{};
        for (unsigned l = 0; l < 32; l++)
          for (unsigned b = 0; b < bytes; b++) {
            auto it = mine.find(in.address[l] + b);
            expected[b / 4][l] |= uint32_t{it == mine.end() ? uint8_t{0} : it->second} << (8 * (b % 4));
          }
        in.check = [expected, mask = in.mask, s, warp](unsigned i, const Row& row) {
          for (unsigned l = 0; l < 32; l++)
            EXPECT_TRUE(!(mask >> l & 1) || row[l] == expected[i][l])
                << "program order, sm " << s << " warp " << unsigned{warp} << " lane " << l;
        };
      }
    }
    bench.submit(s, in);
  }
  EXPECT_TRUE(bench.run());
  EXPECT_TRUE(bench.faults.empty());
  bench.flush_and_compare();
  std::printf("%u instructions, %llu cycles, %llu L2 requests, %llu fills, %llu lanes from L1\n", count,
              static_cast<unsigned long long>(bench.cycle), static_cast<unsigned long long>(bench.l2_requests),
              static_cast<unsigned long long>(bench.fills), static_cast<unsigned long long>(bench.l1_hits));
}

TEST(MemorySystem, RandomAccessesInASmallRegion) { random_accesses({}, 6000, 0, 4096); }
TEST(MemorySystem, RandomAccessesInALargeRegion) { random_accesses({}, 6000, 0, 1 << 20); }
TEST(MemorySystem, RandomAccessesWithSlowResponses) { random_accesses({}, 3000, 2, 16384); }
TEST(MemorySystem, RandomWeakAccessesHitTheL1) { random_accesses({}, 6000, 0, 16384, true); }
TEST(MemorySystem, RandomAccessesWithoutL1) {
  KernelSettings kernel;
  kernel.l1_enable = false;
  random_accesses(kernel, 3000, 0, 16384);
}

}  // namespace
}  // namespace heddle::test
