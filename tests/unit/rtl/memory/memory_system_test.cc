// SPDX-License-Identifier: Apache-2.0
// The memory path as a whole: load/store units, hubs, L2 and the DRAM model, against the bench's memory.
#include <algorithm>
#include <functional>

#include "host-runtime/device/contract.h"
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

// c[i] = a[i] + b[i] for 65,536 elements as memory sees it: warp slots that load a and b, then store c, then
// begin with the next 32 elements. 24,576 sectors through an L2 that takes one a cycle.
TEST(MemorySystem, VectorAdditionStreams) {
  MemoryBench bench(seed());
  constexpr unsigned kElements = 65536, kWarps = kElements / 32;
  const uint64_t a = kBase, b = kBase + 4 * kElements, c = kBase + 8 * kElements;
  unsigned next = 0;
  std::vector<unsigned> left(bench.sms() * bench.warps());
  std::function<void(unsigned, unsigned)> start = [&](unsigned sm, unsigned slot) {
    if (next == kWarps) return;
    const uint64_t offset = 128 * uint64_t{next++};
    left[sm * bench.warps() + slot] = 2;
    for (const uint64_t from : {a, b}) {
      Instruction in = strided(Opcode::Ldg, MemSize::B32, static_cast<uint8_t>(slot), from + offset, 4);
      in.check = [&, sm, slot, offset](unsigned, const Row&) {
        if (--left[sm * bench.warps() + slot] != 0) return;
        bench.submit(sm, strided(Opcode::Stg, MemSize::B32, static_cast<uint8_t>(slot), c + offset, 4));
        start(sm, slot);
      };
      bench.submit(sm, in);
    }
  };
  const uint64_t begin = bench.cycle;
  for (unsigned slot = 0; slot < bench.warps(); slot++)
    for (unsigned sm = 0; sm < bench.sms(); sm++) start(sm, slot);
  EXPECT_TRUE(bench.run());
  const uint64_t cycles = bench.cycle - begin;
  const auto counters = bench.memory().counters();
  std::printf("%llu cycles, %llu L2 requests, %llu DRAM reads, %llu writes, %llu row hits, %llu misses\n",
              static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(bench.l2_requests),
              static_cast<unsigned long long>(counters.reads), static_cast<unsigned long long>(counters.writes),
              static_cast<unsigned long long>(counters.row_hits), static_cast<unsigned long long>(counters.row_misses));
  EXPECT_TRUE(bench.sms() != 2 || cycles < 34000) << cycles;
}

// Where rows move in slices each takes a beat for 4 lanes in the stages that have hardware for so many.
uint64_t beats(const MemoryBench& bench) {
  // Consecutive words of a slice: pieces as wide as the memory port (64 to 256 bits), four lanes of each at once.
  const uint64_t piece = std::clamp<uint64_t>(bench.preset().structure.axi_data_bits, 64, 256) / 8;
  return bench.slices() == 1 ? 1 : std::max<uint64_t>(bench.row_lanes() / 4, bench.row_lanes() * 4 / piece);
}

// What slices add to the latency of one: they come in and leave one after the other, and wait in two more registers.
// The L1 looks in a cycle and acts in another: `looks`.
uint64_t slices_latency(const MemoryBench& bench, bool looks = false) {
  return bench.slices() == 1
             ? 0
             : 2 * (bench.slices() - 1) + 5 + bench.slices() * std::max<uint64_t>(beats(bench), looks ? 2 : 1);
}

// Cycles from offering the first instruction to the last response.
uint64_t cycles_of(MemoryBench& bench) {
  const uint64_t begin = bench.cycle;
  EXPECT_TRUE(bench.run());
  return bench.cycle - begin;
}

// Cycles beside those of a rate: the first instruction comes in, the last one's slices leave.
uint64_t ends(const MemoryBench& bench) { return 15 + (bench.slices() > 1 ? 2 * bench.slices() : 1); }

// Cycles for n instructions, a slice or its beats a cycle each unless too few can be under way to hide their latency.
// In slices the L1 looks in one and acts in another: `looks`.
uint64_t slice_a_cycle(const MemoryBench& bench, uint64_t n, uint64_t latency, bool looks = false) {
  const unsigned cycles = looks && bench.slices() > 1 ? 2 : 1;
  return std::max(n * bench.slices() * std::max<uint64_t>(beats(bench), cycles),
                  n * latency / static_cast<uint64_t>(bench.preset().structure.l1_mshrs));
}

TEST(MemorySystem, SharedLoadsWithoutConflictGoOneACycle) {
  MemoryBench bench(seed());
  bench.submit(0, strided(Opcode::Lds, MemSize::B32, 0, 0, 4));
  const uint64_t one = cycles_of(bench);
  EXPECT_LE(one, 8 + slices_latency(bench)) << "latency";
  for (unsigned n = 0; n < 256; n++)
    bench.submit(0, strided(Opcode::Lds, MemSize::B32, static_cast<uint8_t>(n % bench.warps()), 128 * (n % 64), 4));
  EXPECT_LT(cycles_of(bench), slice_a_cycle(bench, 256, one) + ends(bench));
}

TEST(MemorySystem, ConflictsCostAPassEach) {
  MemoryBench bench(seed());
  const unsigned ways = std::min(4u, bench.row_lanes());
  const unsigned stride = 4 * ways * bench.words() / bench.row_lanes();  // so many lanes of each slice in a bank
  for (unsigned n = 0; n < 64; n++)
    bench.submit(0, strided(Opcode::Lds, MemSize::B32, static_cast<uint8_t>(n % bench.warps()), 0, stride));
  const uint64_t cycles = cycles_of(bench);
  EXPECT_GE(cycles, 64u * ways * bench.slices());
  EXPECT_LT(cycles, 64u * ways * bench.slices() + ends(bench));
}

TEST(MemorySystem, L1HitsGoOneACycleAndAnswerSoon) {
  MemoryBench bench(seed());
  bench.submit(0, strided(Opcode::Ldg, MemSize::B32, 0, kBase, 4));
  bench.run();
  bench.submit(0, strided(Opcode::Ldg, MemSize::B32, 0, kBase, 4));
  const uint64_t one = cycles_of(bench);
  EXPECT_LE(one, 12 + slices_latency(bench, true)) << "latency of a hit";
  for (unsigned n = 0; n < 256; n++)
    bench.submit(0, strided(Opcode::Ldg, MemSize::B32, static_cast<uint8_t>(n % bench.warps()), kBase, 4));
  EXPECT_LT(cycles_of(bench), slice_a_cycle(bench, 256, one, true) + ends(bench));
  EXPECT_GE(bench.l1_hits, 257u * 32);
}

// ---- faults: the lowest faulting lane, and nothing else happens -------------------------------------

void expect_fault(const Instruction& in, unsigned lane, uint32_t kind, uint32_t code, uint64_t address) {
  MemoryBench bench(seed());
  bench.submit(0, in);
  for (int i = 0; i < 50; i++) bench.step();
  ASSERT_EQ(bench.faults.size(), 1u);
  const Fault& f = bench.faults[0];
  EXPECT_EQ(f.lane, lane);
  EXPECT_EQ(f.kind, kind);
  EXPECT_EQ(f.code, code);
  EXPECT_EQ(f.address, address);
  EXPECT_EQ(f.warp, in.warp);
  EXPECT_EQ(bench.l2_requests, 0u) << "a lane of a faulting instruction had an effect";
}

TEST(MemorySystem, NullPointerFaultsWithItsLowestLane) {
  Instruction in = strided(Opcode::Ldg, MemSize::B32, 3, kBase, 4);
  in.address[5] = 0;
  in.address[9] = 16;
  expect_fault(in, 5, contract::kFaultIllegalAddress, contract::kFaultSpaceGlobal, 0);
}
TEST(MemorySystem, LaneThatDoesNotExecuteDoesNotFault) {
  MemoryBench bench(seed());
  Instruction in = strided(Opcode::Ldg, MemSize::B32, 3, kBase, 4);
  in.address[5] = 0;
  in.mask = ~(1u << 5);
  bench.submit(0, in);
  EXPECT_TRUE(bench.run());
}
TEST(MemorySystem, MisalignedStoreFaults) {
  Instruction in = strided(Opcode::Stg, MemSize::B64, 1, kBase, 8);
  in.address[31] += 4;
  expect_fault(in, 31, contract::kFaultMisaligned, contract::kFaultSpaceGlobal | contract::kFaultWrite,
               kBase + 31 * 8 + 4);
}
TEST(MemorySystem, LastByteOfMemoryIsTheLast) {
  MemoryBench bench(seed());
  bench.submit(0, strided(Opcode::Ldg, MemSize::B32, 0, kBase + (16 << 20) - 128, 4));
  EXPECT_TRUE(bench.run());
  expect_fault(strided(Opcode::Ldg, MemSize::B32, 0, kBase + (16 << 20) - 124, 4), 31, contract::kFaultIllegalAddress,
               contract::kFaultSpaceGlobal, kBase + (16 << 20));
}
TEST(MemorySystem, SharedAccessBeyondTheBlockFaults) {
  expect_fault(strided(Opcode::Sts, MemSize::B32, 0, 16384 - 124, 4), 31, contract::kFaultIllegalAddress,
               contract::kFaultSpaceShared | contract::kFaultWrite, 16384);
}
TEST(MemorySystem, LocalAccessBeyondTheFrameFaults) {
  expect_fault(strided(Opcode::Ldl, MemSize::B32, 0, 256, 0), 0, contract::kFaultIllegalAddress,
               contract::kFaultSpaceLocal, 256);
}
TEST(MemorySystem, ConstantAccessBeyondTheBankFaults) {
  expect_fault(strided(Opcode::Ldc, MemSize::B32, 0, 4096 - 64, 4), 16, contract::kFaultIllegalAddress,
               contract::kFaultSpaceConst, 4096);
}
TEST(MemorySystem, GenericFaultNamesTheWindow) {
  Instruction in = strided(Opcode::Ld, MemSize::B32, 0, kSharedWindow, 4);
  in.address[2] = kLocalWindow + 4096;
  expect_fault(in, 2, contract::kFaultIllegalAddress, contract::kFaultSpaceLocal, kLocalWindow + 4096);
}
TEST(MemorySystem, MisalignedAtomicFaults) {
  Instruction in = make(Opcode::Atomg, atomic_mod(MemSize::B64, isa::AtomOp::Add, false), 0);
  in.address.fill(kBase + 4);
  expect_fault(in, 0, contract::kFaultMisaligned, contract::kFaultSpaceGlobal | contract::kFaultAtomic, kBase + 4);
}

TEST(MemorySystem, GenericAtomicFaultsNameTheWindow) {
  Instruction in = make(Opcode::Atom, atomic_mod(MemSize::B32, isa::AtomOp::Add, false), 0);
  in.address.fill(kSharedWindow + 16384);
  expect_fault(in, 0, contract::kFaultIllegalAddress, contract::kFaultSpaceShared | contract::kFaultAtomic,
               kSharedWindow + 16384);
  in.op = Opcode::Atoms;
  in.address.fill(6);
  expect_fault(in, 0, contract::kFaultMisaligned, contract::kFaultSpaceShared | contract::kFaultAtomic, 6);
}

// ---- between SMs -------------------------------------------------------------------------------------

// SM 0 writes data, fence, flag. SM 1 has the old data in its L1, sees the flag, fence, reads the data.
TEST(MemorySystem, FencesPassAMessageBetweenSms) {
  MemoryBench bench(seed());
  if (bench.sms() < 2) GTEST_SKIP() << "one SM";
  const uint64_t data = kBase, flag = kBase + 0x10000;
  bench.submit(1, strided(Opcode::Ldg, MemSize::B32, 0, data, 4));  // stale copy
  bench.run();
  Instruction store = strided(Opcode::Stg, MemSize::B32, 0, data, 4);
  store.data[0].fill(42);
  bench.submit(0, store);
  bench.submit(0, make(Opcode::Membar, fence_mod(Scope::Gpu), 0));
  Instruction raise = strided(Opcode::Stg, MemSize::B32, 0, flag, 0);
  raise.mask = 1;
  raise.data[0].fill(1);
  bench.submit(0, raise);
  bool seen = false, checked = false;
  std::function<void()> poll = [&] {
    Instruction in = strided(Opcode::Ldg, MemSize::B32, 1, flag, 0);
    in.mod = memory_mod(MemSize::B32, CacheOp::Ca, MemOrder::Relaxed, Scope::Gpu);
    in.mask = 1;
    in.check = [&](unsigned, const Row& row) {
      if (row[0] == 0) return poll();
      seen = true;
      bench.submit(1, make(Opcode::Membar, fence_mod(Scope::Gpu), 1));
      Instruction read = strided(Opcode::Ldg, MemSize::B32, 1, data, 4);
      read.check = [&](unsigned, const Row& values) {
        checked = true;
        for (const uint32_t v : values) EXPECT_EQ(v, 42u);
      };
      bench.submit(1, read);
    };
    bench.submit(1, in);
  };
  poll();
  bench.run();
  EXPECT_TRUE(seen && checked);
}

// Every lane of every warp adds one to one counter: no addition is lost, and each old value appears once.
// Of pieces of lines as one, where there is a buffer for that; a volatile store waits for nobody.
TEST(MemorySystem, AWarpsStoresToALineLeaveTogether) {
  for (const bool strong : {false, true}) {
    MemoryBench bench(seed());
    const bool joins = bench.preset().structure.write_combine_lines && !strong;
    for (uint64_t piece = 0; piece < 4; piece++) {
      Instruction in = strided(Opcode::Stg, MemSize::B32, 1, kBase + 4 * piece, 16);
      if (strong) in.mod = memory_mod(MemSize::B32, isa::CacheOp::Ca, isa::MemOrder::Relaxed, isa::Scope::Gpu);
      bench.submit(0, in);
    }
    EXPECT_TRUE(bench.run());
    if (bench.row_lanes() == 32) EXPECT_EQ(bench.l2_requests, joins ? 16u : 64u);
    EXPECT_EQ(bench.joins, joins ? 3u * 128 : 0u);
    bench.flush_and_compare();
  }
}

TEST(MemorySystem, AtomicAdditionsAreCounted) {
  MemoryBench bench(seed());
  std::vector<uint32_t> olds;
  unsigned lanes = 0;
  for (unsigned w = 0; w < 8; w++) {
    for (unsigned s = 0; s < bench.sms(); s++) {
      Instruction in = make(Opcode::Atomg, atomic_mod(MemSize::B32, isa::AtomOp::Add, false), static_cast<uint8_t>(w));
      in.address.fill(kBase + 64);
      in.data[0].fill(1);
      in.check = [&](unsigned, const Row& row) { olds.insert(olds.end(), row.begin(), row.end()); };
      bench.submit(s, in);
      lanes += 32;
    }
  }
  bench.run();
  std::sort(olds.begin(), olds.end());
  ASSERT_EQ(olds.size(), lanes);
  for (uint32_t i = 0; i < lanes; i++) ASSERT_EQ(olds[i], i);
}

// A warp's additions whose values nobody reads leave a lane a cycle and take no turn to come back; its fence waits for
// them.
TEST(MemorySystem, ReductionsAreSeenBehindAFence) {
  MemoryBench bench(seed());
  Instruction in = make(Opcode::Atomg, atomic_mod(MemSize::B32, isa::AtomOp::Add, false), 0);
  in.rd = 255;
  in.address.fill(kBase + 64);
  in.data[0].fill(1);
  for (unsigned n = 0; n < 4; n++) bench.submit(0, in);
  bench.submit(0, make(Opcode::Membar, fence_mod(Scope::Gpu), 0));
  Instruction read = make(Opcode::Ldg, memory_mod(MemSize::B32, isa::CacheOp::Cg), 0);
  read.mask = 1;
  read.address[0] = kBase + 64;
  uint32_t sum = 0;
  read.check = [&](unsigned, const Row& row) { sum = row[0]; };
  bench.submit(0, read);
  bench.run();
  EXPECT_EQ(sum, 128u);
}

// The same in shared memory and at generic addresses, a lane after the other: with a rate.
TEST(MemorySystem, SharedAtomicAdditionsAreCounted) {
  for (const Opcode op : {Opcode::Atoms, Opcode::Atom}) {
    MemoryBench bench(seed());
    std::vector<uint32_t> olds;
    uint32_t first = 0;
    for (unsigned w = 0; w < 8; w++) {
      Instruction in = make(op, atomic_mod(MemSize::B32, isa::AtomOp::Exch, false), 0);
      in.address.fill(64 | (op == Opcode::Atom ? kSharedWindow : 0));
      if (w > 0) in.mod = atomic_mod(MemSize::B32, isa::AtomOp::Add, false);
      in.data[0].fill(w > 0 ? 1 : first);
      if (w > 0) in.check = [&](unsigned, const Row& row) { olds.insert(olds.end(), row.begin(), row.end()); };
      bench.submit(0, in);
    }
    const uint64_t cycles = cycles_of(bench);
    const unsigned steps = bench.slices() == 1 && bench.preset().structure.axi_data_bits >= 256 ? 2 : 4;
    EXPECT_LT(cycles, 8u * 32 * steps + ends(bench) + 32);
    std::sort(olds.begin(), olds.end());
    ASSERT_EQ(olds.size(), 7u * 32);
    for (uint32_t i = 0; i < olds.size(); i++) ASSERT_EQ(olds[i], first + i);
    EXPECT_EQ(bench.l2_requests, 0u);
  }
}

// An atomic at generic addresses whose last lanes are in shared memory, again and again: what waits for the first
// lanes' answers from L2 is given back.
TEST(MemorySystem, GenericAtomicsThatEndInSharedMemory) {
  MemoryBench bench(seed());
  for (unsigned n = 0; n < 40; n++) {
    Instruction in = make(Opcode::Atom, atomic_mod(MemSize::B32, isa::AtomOp::Add, false), static_cast<uint8_t>(n % 4));
    for (unsigned l = 0; l < 32; l++) in.address[l] = l < 4 + n % 9 ? kBase + 4 * l : kSharedWindow + 4 * l;
    if (n % 3 == 0) std::reverse(in.address.begin(), in.address.end());
    in.data[0].fill(n);
    bench.submit(0, in);
  }
  EXPECT_TRUE(bench.run());
  bench.flush_and_compare();
}

TEST(MemorySystem, KernelStartEmptiesTheL1) {
  MemoryBench bench(seed());
  bench.submit(0, strided(Opcode::Ldg, MemSize::B32, 0, kBase, 4));
  bench.run();
  bench.kernel_start();
  const uint64_t before = bench.l2_requests;
  bench.submit(0, strided(Opcode::Ldg, MemSize::B32, 0, kBase, 4));
  bench.run();
  EXPECT_EQ(bench.l2_requests, before + 4);
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
      const unsigned where = static_cast<unsigned>(rng() % 4);  // 0: shared, 1: generic
      in.op = where == 0 ? Opcode::Atoms : where == 1 ? Opcode::Atom : Opcode::Atomg;
      in.mod = atomic_mod(wide ? MemSize::B64 : MemSize::B32, static_cast<isa::AtomOp>(rng() % 10), rng() % 2) |
               static_cast<unsigned>(rng() % 4) << 10 | static_cast<unsigned>(rng() % 4) << 12;
      if (bench.preset().structure.float_atomics && rng() % 3 == 0)
        in.mod = atomic_mod(wide ? MemSize::B64 : MemSize::B32, isa::AtomOp::Add, false) |
                 static_cast<unsigned>(wide ? isa::AtomType::F64 : isa::AtomType::F32) << 7;
      if (where == 0 && wide && rng() % 4 == 0) in.mod = atomic_mod(MemSize::B64, isa::AtomOp::Arrive, false);
      if (rng() % 2) in.rd = 255;
      const unsigned few = rng() % 2 ? 64 : kernel.shared_bytes;  // lanes meet
      const uint64_t mixed = rng();                               // generic: lanes in global memory
      for (unsigned l = 0; l < 32; l++) {
        const uint64_t shared = rng() % few, global = kBase + rng() % region,
                       local = kLocalWindow + rng() % kernel.local_bytes;
        const uint64_t generic = mixed >> l & 1 ? global : rng() % 8 == 0 ? local : kSharedWindow + shared;
        in.address[l] = (where == 0 ? shared : where == 1 ? generic : global) & ~uint64_t{wide ? 7u : 3u};
      }
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
    if (kind == 3 && bench.slices() == 1) {
      const auto size = static_cast<MemSize>(4 + rng() % 3);
      const unsigned bytes = size_bytes(static_cast<unsigned>(size));
      in.op = Opcode::Ldgsts;
      in.rd = 255;
      in.mod = memory_mod(size, rng() % 2 ? CacheOp::Ca : CacheOp::Cg);
      const bool apart = rng() % 2;  // else lanes meet
      for (unsigned l = 0; l < 32; l++) {
        in.address[l] = kBase + rng() % (region / bytes) * bytes;
        in.data[0][l] = static_cast<uint32_t>((apart ? l : rng()) % (kernel.shared_bytes / bytes)) * bytes;
      }
      bench.submit(s, in);
      continue;
    }
    const auto size = static_cast<MemSize>(rng() % 7);
    const uint64_t bytes = size_bytes(static_cast<unsigned>(size));
    const bool store = rng() % 2;
    in.mod = memory_mod(size, weak_only ? CacheOp::Ca : static_cast<CacheOp>(rng() % 6),
                        weak_only || rng() % 8 ? MemOrder::Weak : static_cast<MemOrder>(rng() % 4),
                        static_cast<Scope>(rng() % 4));
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
        in.shared_base = static_cast<uint32_t>(rng() % 8 * 128) %
                             static_cast<uint32_t>(bench.preset().structure.shared_bytes - kernel.shared_bytes + 1) &
                         ~127u;
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
        for (unsigned n = 0; n < 32; n++)
          if (const unsigned l = storing_lane(bytes, n); in.mask >> l & 1)
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
  std::printf("%u instructions, %llu cycles, %llu L2 requests, %llu fills, %llu lanes from L1, %llu bytes joined\n",
              count, static_cast<unsigned long long>(bench.cycle), static_cast<unsigned long long>(bench.l2_requests),
              static_cast<unsigned long long>(bench.fills), static_cast<unsigned long long>(bench.l1_hits),
              static_cast<unsigned long long>(bench.joins));
  if (!bench.preset().structure.write_combine_lines) EXPECT_EQ(bench.joins, 0u);
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
