// SPDX-License-Identifier: Apache-2.0
// The device contract, the same for every backend: each test runs on the one named by the variables
// HEDDLE_TEST_SO, HEDDLE_TEST_DEVICE and HEDDLE_TEST_PRESET.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>

#include "tests/unit/device/bench_device.h"

namespace {

namespace contract = heddle::contract;
namespace isa = heddle::isa;
using heddle::test::BenchDevice;
using heddle::test::code::constant;
using heddle::test::code::imm16;
using heddle::test::code::imm32;
using heddle::test::code::reg;
using isa::kRz;
using isa::Opcode;

std::string env(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

constexpr unsigned k64 = static_cast<unsigned>(isa::MemSize::B64), k32 = static_cast<unsigned>(isa::MemSize::B32);

class Contract : public ::testing::Test {
 protected:
  Contract() : device_(env("HEDDLE_TEST_SO"), env("HEDDLE_TEST_DEVICE"), env("HEDDLE_TEST_PRESET")) {}

  void SetUp() override { ASSERT_EQ(device_.error(), ""); }

  // Nothing that the checker found may pass for a device's answer.
  void TearDown() override {
    if (device_.error().empty()) {
      EXPECT_GE(device_.backend().wait(0), 0) << device_.backend().failure();
    }
  }

  uint32_t reg32(uint64_t offset) { return device_.backend().read32(offset); }

  static uint64_t seed() {
    const std::string given = env("HEDDLE_SEED");
    const uint64_t seed = given.empty() ? std::random_device{}() : std::stoull(given, nullptr, 0);
    std::cout << "HEDDLE_SEED=" << seed << "\n";
    return seed;
  }

  static contract::Command copy(uint64_t opcode, uint64_t to, uint64_t from, uint64_t bytes, uint32_t rows = 1,
                                uint32_t to_pitch = 0, uint32_t from_pitch = 0) {
    contract::Command c;
    c.words[contract::kWordOpcode] = static_cast<uint32_t>(opcode);
    c.set64(contract::kWordDestination, to);
    c.set64(contract::kWordSource, from);
    c.set64(contract::kWordBytes, bytes);
    c.words[contract::kWordMoreRows] = rows - 1;
    c.words[contract::kWordDestinationPitch] = to_pitch;
    c.words[contract::kWordSourcePitch] = from_pitch;
    return c;
  }

  static uint64_t exit() { return imm32(Opcode::Exit, kRz, kRz, 0); }
  static uint64_t s2r(unsigned rd, isa::SpecialReg sr) { return imm16(Opcode::S2r, rd, kRz, static_cast<int>(sr)); }
  // R2:R3 = 64-bit parameter at constant 0, then R4:R5 = it + 4 * R0.
  static std::vector<uint64_t> element_address() {
    return {constant(Opcode::Mov, 2, kRz, 0), constant(Opcode::Mov, 3, kRz, 4), imm16(Opcode::ImadWide, 4, 0, 4, 2)};
  }
  static std::vector<uint64_t> join(std::initializer_list<std::vector<uint64_t>> parts) {
    std::vector<uint64_t> all;
    for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
    return all;
  }
  static std::vector<uint32_t> pointer(uint64_t address) {
    return {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)};
  }

  BenchDevice device_;
};

TEST_F(Contract, IdentifiesItself) {
  EXPECT_EQ(reg32(contract::kRegId), contract::kIdMagic);
  EXPECT_EQ(reg32(contract::kRegVersion), contract::kIdContractVersion);
  EXPECT_GE(reg32(contract::kRegNumSms), 1u);
  EXPECT_GE(reg32(contract::kRegWarpsPerSm), 1u);
  EXPECT_GE(reg32(contract::kRegNumRings), 1u);
  EXPECT_EQ(device_.backend().read64(contract::kRegMemBaseLo), contract::kMemoryBase);
  EXPECT_GE(device_.backend().read64(contract::kRegMemSizeLo), 1u << 20);
}

TEST_F(Contract, NopCompletesWithItsTagAndTime) {
  const contract::Completion first = device_.execute(contract::Command());
  EXPECT_EQ(first.status, contract::kStatusOk);
  EXPECT_EQ(first.tag, 1000u);
  EXPECT_LE(first.first_cycle, first.last_cycle);
  const contract::Completion second = device_.execute({});
  EXPECT_EQ(second.tag, 1001u);
  EXPECT_GE(second.first_cycle, first.last_cycle);
}

TEST_F(Contract, UnknownCommandIsRefusedAndHarmsNothing) {
  contract::Command c;
  c.words[0] = 77;
  EXPECT_EQ(device_.execute(c).status, contract::kStatusBadCommand);
  EXPECT_EQ(device_.execute({}).status, contract::kStatusOk);
}

TEST_F(Contract, CopiesOfAnyAlignmentArriveWhole) {
  std::mt19937_64 rng(seed());
  std::vector<uint8_t> image(5000);
  for (uint8_t& b : image) b = static_cast<uint8_t>(rng());
  device_.write(BenchDevice::kData, image);
  for (int i = 0; i < 20; i++) {
    const size_t bytes = 1 + rng() % 300, from = rng() % (image.size() - bytes), to = rng() % (image.size() - bytes);
    std::vector<uint8_t> piece(bytes);
    for (uint8_t& b : piece) b = static_cast<uint8_t>(rng());
    device_.copy_in(BenchDevice::kData + to, piece.data(), bytes);
    std::copy(piece.begin(), piece.end(), image.begin() + static_cast<long>(to));
    EXPECT_EQ(
        device_.read<uint8_t>(BenchDevice::kData + from, bytes),
        std::vector<uint8_t>(image.begin() + static_cast<long>(from), image.begin() + static_cast<long>(from + bytes)));
  }
  EXPECT_EQ(device_.read<uint8_t>(BenchDevice::kData, image.size()), image);
}

TEST_F(Contract, FillRepeatsThePattern) {
  device_.write(BenchDevice::kData, std::vector<uint8_t>(256, 0xee));
  contract::Command c;
  c.words[0] = contract::kCommandFill;
  c.set64(contract::kWordDestination, BenchDevice::kData + 3);
  c.set64(contract::kWordBytes, 200);
  c.words[contract::kWordPattern] = 0x5a5a5a5a;
  ASSERT_EQ(device_.execute(c).status, contract::kStatusOk);
  std::vector<uint8_t> expected(256, 0xee);
  std::fill(expected.begin() + 3, expected.begin() + 203, 0x5a);
  EXPECT_EQ(device_.read<uint8_t>(BenchDevice::kData, 256), expected);
}

TEST_F(Contract, RowsOfAnyAlignmentAndPitchArriveWhole) {
  constexpr size_t kHalf = 4096;  // of each memory: sources lie in the lower one
  std::mt19937_64 rng(seed());
  std::vector<uint8_t> memory[2] = {std::vector<uint8_t>(2 * kHalf), std::vector<uint8_t>(2 * kHalf)};
  for (auto& m : memory)
    for (uint8_t& b : m) b = static_cast<uint8_t>(rng());
  device_.write(BenchDevice::kData, memory[0]);
  std::vector<uint8_t> host = memory[1];
  for (int i = 0; i < 40; i++) {
    const bool from_host = rng() & 1, to_host = rng() & 1, fill = i % 5 == 0 && !to_host;
    const uint64_t bytes = 1 + rng() % 150;
    const auto rows = static_cast<uint32_t>(1 + rng() % 20);
    const auto pitch = [&] { return static_cast<uint32_t>(bytes + rng() % 40); };
    const uint32_t from_pitch = pitch(), to_pitch = pitch();
    const uint64_t from = rng() % 200, to = kHalf + rng() % 200;
    auto c = copy(fill ? contract::kCommandFill
                       : contract::kCommandCopy | (from_host ? contract::kFlagSourceHost : 0) |
                             (to_host ? contract::kFlagDestinationHost : 0),
                  (to_host ? reinterpret_cast<uint64_t>(host.data()) : BenchDevice::kData) + to,
                  (from_host ? reinterpret_cast<uint64_t>(host.data()) : BenchDevice::kData) + from, bytes, rows,
                  to_pitch, from_pitch);
    c.words[contract::kWordPattern] = 0x12345678;
    ASSERT_EQ(device_.execute(c).status, contract::kStatusOk) << device_.backend().failure();
    for (uint64_t row = 0; row < rows; row++)
      for (uint64_t b = 0; b < bytes; b++) {
        const uint64_t at = to + row * to_pitch + b;
        memory[to_host][at] =
            fill ? static_cast<uint8_t>(0x12345678 >> at % 4 * 8) : memory[from_host][from + row * from_pitch + b];
      }
    ASSERT_EQ(host, memory[1]) << i;
  }
  EXPECT_EQ(device_.read<uint8_t>(BenchDevice::kData, 2 * kHalf), memory[0]);
}

TEST_F(Contract, ARowBeyondMemoryIsRefused) {
  std::vector<uint8_t> host(4096);
  const uint64_t size = device_.backend().read64(contract::kRegMemSizeLo);
  for (const uint64_t direction : {contract::kFlagSourceHost, contract::kFlagDestinationHost}) {
    const bool in = direction == contract::kFlagSourceHost;
    for (const auto& [first, pitch] : {std::pair<uint64_t, uint32_t>{size - 256, 128}, {size / 2, 0xffffffff}}) {
      const uint64_t device = contract::kMemoryBase + first, there = reinterpret_cast<uint64_t>(host.data());
      const auto c = copy(contract::kCommandCopy | direction, in ? device : there, in ? there : device, 100, 1000,
                          in ? pitch : 0, in ? 0 : pitch);
      EXPECT_EQ(device_.execute(c).status, contract::kStatusBadCommand);
      EXPECT_EQ(device_.execute({}).status, contract::kStatusOk);
    }
  }
}

// Rows take little more time than their bytes in one row, though they lie in twice the lines of memory.
TEST_F(Contract, ARowTakesFewCycles) {
  if (std::string(env("HEDDLE_TEST_DEVICE")).starts_with("board")) GTEST_SKIP() << "its link takes all the cycles";
  constexpr uint32_t kRows = 256;
  for (const uint64_t bytes : {64, 1024}) {
    const std::vector<uint8_t> host(kRows * bytes);
    const auto cycles = [&](uint64_t direction, uint32_t rows, uint32_t pitch) {
      const uint64_t at = reinterpret_cast<uint64_t>(host.data()), device = BenchDevice::kData;
      const uint64_t far = device + 0x100000;
      const bool in = direction == contract::kFlagSourceHost, out = direction == contract::kFlagDestinationHost;
      const contract::Completion done = device_.execute(
          copy(contract::kCommandCopy | direction, out ? at : far, in ? at : device, kRows * bytes / rows, rows,
               out ? static_cast<uint32_t>(bytes) : pitch, in ? static_cast<uint32_t>(bytes) : pitch));
      EXPECT_EQ(done.status, contract::kStatusOk) << device_.backend().failure();
      return done.last_cycle - done.first_cycle;
    };
    for (const uint64_t direction : {contract::kFlagSourceHost, contract::kFlagDestinationHost, uint64_t{0}}) {
      const uint64_t one = cycles(direction, 1, 0), all = cycles(direction, kRows, static_cast<uint32_t>(bytes + 64));
      std::cout << (direction == contract::kFlagSourceHost ? "to the device"
                    : direction                            ? "to the host"
                                                           : "device")
                << ": " << kRows << " rows of " << bytes << " bytes " << all << " cycles, as one row " << one << "\n";
      EXPECT_LT(all, one + uint64_t{kRows} * 32);
    }
  }
}

TEST_F(Contract, KernelWritesItsThreadIndex) {
  const auto program = join({{s2r(0, isa::SpecialReg::CtaidX), s2r(1, isa::SpecialReg::NtidX),
                              s2r(6, isa::SpecialReg::TidX), reg(Opcode::Imad, 0, 0, 1, 6)},
                             element_address(),
                             {imm16(Opcode::Stg, kRz, 4, 0, 0, {{"size", k32}}), exit()}});
  device_.load(program);
  BenchDevice::Launch launch;
  launch.grid[0] = 5;
  launch.block[0] = 70;  // the last warp is not full
  launch.params = pointer(BenchDevice::kData);
  ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
  std::vector<uint32_t> expected(350);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 350), expected);
  EXPECT_EQ(reg32(contract::kRegBlocksTotal), 5u);
  EXPECT_EQ(reg32(contract::kRegBlocksDone), 5u);
  EXPECT_EQ(device_.backend().read64(contract::kRegWarpInstructionsLo), 15 * program.size());
  EXPECT_EQ(device_.backend().read64(contract::kRegThreadInstructionsLo), 350 * program.size());
}

// The host that looks into its memory sees a completion before the interrupt; what led to it is checked by then.
TEST_F(Contract, CompletionIsSeenAfterTheCheck) {
  if (std::string(env("HEDDLE_TEST_DEVICE")) != "lockstep") GTEST_SKIP() << "no checker";
  const std::vector<uint64_t> program = {s2r(0, isa::SpecialReg::TidX), imm16(Opcode::Iadd, 0, 0, 1), exit()};
  device_.load(program);
  BenchDevice::Launch launch;
  launch.block[0] = 128;
  device_.eager = true;
  for (device_.slice = 1; device_.slice < 8; device_.slice++) {
    const uint64_t before = device_.backend().stats().compared_instructions;
    ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
    EXPECT_EQ(device_.backend().stats().compared_instructions - before, 4 * program.size())
        << "slices of " << device_.slice;
  }
}

TEST_F(Contract, ThreeDimensionalIndicesAreRight) {
  // data[linear] = tid.x | tid.y << 8 | tid.z << 16, of a 5 x 3 x 4 block.
  device_.load(
      join({{s2r(10, isa::SpecialReg::TidX), s2r(11, isa::SpecialReg::TidY), s2r(12, isa::SpecialReg::TidZ),
             imm16(Opcode::Imad, 0, 12, 3, 11), imm16(Opcode::Imad, 0, 0, 5, 10), imm16(Opcode::Imad, 13, 11, 256, 10),
             imm16(Opcode::Shl, 12, 12, 16), reg(Opcode::Lop, 13, 13, 12, kRz, {{"op", 1}})},
            element_address(),
            {imm16(Opcode::Stg, kRz, 4, 0, 13, {{"size", k32}}), exit()}}));
  BenchDevice::Launch launch;
  launch.block[0] = 5;
  launch.block[1] = 3;
  launch.block[2] = 4;
  launch.params = pointer(BenchDevice::kData);
  ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
  std::vector<uint32_t> expected;
  for (uint32_t z = 0; z < 4; z++)
    for (uint32_t y = 0; y < 3; y++)
      for (uint32_t x = 0; x < 5; x++) expected.push_back(x | y << 8 | z << 16);
  EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 60), expected);
}

TEST_F(Contract, LaunchThatFitsNoSmIsRefused) {
  device_.load({exit()});
  BenchDevice::Launch launch;
  launch.shared = 250000;
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusBadCommand);
  launch = {};
  launch.block[0] = 0;
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusBadCommand);
  launch = {};
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusOk);
}

TEST_F(Contract, IllegalAddressNamesTheThreadAndStaysUntilReset) {
  // Threads store to address 4 * tid of a null pointer, but only lane 5 does.
  device_.load(join({{s2r(0, isa::SpecialReg::TidX)},
                     element_address(),
                     {imm16(Opcode::Isetp, 0 | 7 << 3, 0, 5, kRz, {{"cmp", 4}, {"pc", isa::kPt}}),
                      imm16(Opcode::Stg, kRz, 4, 0, 0, {{"size", k32}}, 0), exit()}}));
  BenchDevice::Launch launch;
  launch.params = pointer(0);
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusFault);
  EXPECT_EQ(reg32(contract::kRegFaultKind), contract::kFaultIllegalAddress);
  EXPECT_EQ(reg32(contract::kRegFaultThread), 5u);
  EXPECT_EQ(reg32(contract::kRegFaultPc), 5u * 8);
  EXPECT_EQ(device_.backend().read64(contract::kRegFaultAddressLo), 20u);
  EXPECT_EQ(reg32(contract::kRegFaultCode), contract::kFaultSpaceGlobal | contract::kFaultWrite);
  EXPECT_EQ(device_.execute({}).status, contract::kStatusAborted);
  device_.reset();
  EXPECT_EQ(device_.execute({}).status, contract::kStatusOk);
}

TEST_F(Contract, MisalignedLoadFaults) {
  device_.load(join({{s2r(0, isa::SpecialReg::TidX)},
                     element_address(),
                     {imm16(Opcode::Ldg, 8, 4, 2, kRz, {{"size", k32}}), exit()}}));
  BenchDevice::Launch launch;
  launch.params = pointer(BenchDevice::kData);
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusFault);
  EXPECT_EQ(reg32(contract::kRegFaultKind), contract::kFaultMisaligned);
  EXPECT_EQ(reg32(contract::kRegFaultThread), 0u);
  EXPECT_EQ(device_.backend().read64(contract::kRegFaultAddressLo), BenchDevice::kData + 2);
}

TEST_F(Contract, RunningOffTheCodeFaults) {
  device_.load({imm32(Opcode::Bra, kRz, kRz, 0x1000), exit()});
  EXPECT_EQ(device_.launch({}).status, contract::kStatusFault);
  EXPECT_EQ(reg32(contract::kRegFaultKind), contract::kFaultIllegalPc);
}

TEST_F(Contract, IllegalInstructionFaults) {
  device_.load({imm32(Opcode::Nop, kRz, kRz, 0), 0, exit()});
  EXPECT_EQ(device_.launch({}).status, contract::kStatusFault);
  EXPECT_EQ(reg32(contract::kRegFaultKind), contract::kFaultIllegalInstruction);
  EXPECT_EQ(reg32(contract::kRegFaultPc), 8u);
}

TEST_F(Contract, TrapReportsItsCode) {
  device_.load({imm32(Opcode::Trap, kRz, kRz, 1234), exit()});
  EXPECT_EQ(device_.launch({}).status, contract::kStatusFault);
  EXPECT_EQ(reg32(contract::kRegFaultKind), contract::kFaultTrap);
  EXPECT_EQ(reg32(contract::kRegFaultCode), 1234u);
}

TEST_F(Contract, EndlessKernelTimesOut) {
  device_.load({imm32(Opcode::Bra, kRz, kRz, -8)});
  device_.backend().write64(contract::kRegCycleLimitLo, 5000);
  EXPECT_EQ(device_.launch({}).status, contract::kStatusTimeout);
  device_.backend().write64(contract::kRegCycleLimitLo, 0);
  device_.reset();
  device_.load({exit()});
  EXPECT_EQ(device_.launch({}).status, contract::kStatusOk);
}

// The instruction cache outlives the kernel: the same code begins at once. New code in its place is what runs next.
TEST_F(Contract, CodeIsFetchedAnewOnlyWhereItChanged) {
  const auto store = [](unsigned value) {
    std::vector<uint64_t> straight(200, imm32(Opcode::Mov, 6, kRz, static_cast<int>(value)));
    return join({straight,
                 {s2r(0, isa::SpecialReg::TidX)},
                 element_address(),
                 {imm16(Opcode::Stg, kRz, 4, 0, 6, {{"size", k32}}), exit()}});
  };
  BenchDevice::Launch launch;
  launch.grid[0] = 4;  // each SM has some
  launch.params = pointer(BenchDevice::kData);
  uint64_t cycles[4];
  for (unsigned run = 0; run < 4; run++) {
    if (run % 2 == 0) device_.load(store(7 + run));
    ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
    EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 1).front(), 7 + run / 2 * 2);
    cycles[run] = device_.backend().read64(contract::kRegKernelCyclesLo);
  }
  if (std::string(env("HEDDLE_TEST_DEVICE")).find("model") != std::string::npos) return;  // its cycles are no time
  EXPECT_LT(cycles[1], cycles[0]);
  EXPECT_LT(cycles[3], cycles[2]);
}

TEST_F(Contract, BarriersThatCannotCompleteAreADeadlock) {
  // Warp 0 waits at barrier 1, warp 1 at barrier 2; both wait for the whole block.
  device_.load({s2r(0, isa::SpecialReg::TidX),
                imm16(Opcode::Isetp, 0 | 7 << 3, 0, 32, kRz, {{"cmp", 3}, {"pc", isa::kPt}}),
                imm32(Opcode::Bra, kRz, kRz, 16, {}, 0), imm16(Opcode::Bar, kRz, kRz, 1), exit(),
                imm16(Opcode::Bar, kRz, kRz, 2), exit()});
  BenchDevice::Launch launch;
  launch.block[0] = 64;
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusDeadlock);
  EXPECT_EQ(reg32(contract::kRegSmBase + contract::kSmWaitingLo), 3u);
}

TEST_F(Contract, BarrierOrdersSharedMemory) {
  // shared[tid] = tid; barrier; data[tid] = shared[63 - tid]
  device_.load(
      join({{s2r(0, isa::SpecialReg::TidX), imm16(Opcode::Shl, 6, 0, 2),
             imm16(Opcode::Sts, kRz, 6, 0, 0, {{"size", k32}}), imm16(Opcode::Bar, kRz, kRz, 0),
             imm16(Opcode::Iadd, 7, 6, 252, kRz, {{"neg_a", 1}}), imm16(Opcode::Lds, 8, 7, 0, kRz, {{"size", k32}})},
            element_address(),
            {imm16(Opcode::Stg, kRz, 4, 0, 8, {{"size", k32}}), exit()}}));
  BenchDevice::Launch launch;
  launch.block[0] = 64;
  launch.grid[0] = 9;
  launch.shared = 256;
  launch.params = pointer(BenchDevice::kData);
  ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 64; i++) expected[i] = 63 - i;
  EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 64), expected);
}

// Whether or not the preset has clusters, a launch may ask for clusters of one block.
TEST_F(Contract, ClustersOfOneBlock) {
  device_.load(join({{s2r(0, isa::SpecialReg::CtaidX), s2r(8, isa::SpecialReg::ClusterExplicit)},
                     element_address(),
                     {imm16(Opcode::Stg, kRz, 4, 0, 8, {{"size", k32}}), exit()}}));
  BenchDevice::Launch launch;
  launch.grid[0] = 3;
  launch.params = pointer(BenchDevice::kData);
  for (const uint32_t asked : {1u, 0u}) {
    std::fill_n(launch.cluster, 3, asked);
    ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
    EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 3), std::vector<uint32_t>(3, asked));
  }
  launch.cluster[0] = 17;
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusBadCommand);
}

TEST_F(Contract, DivergedLanesMeetAgain) {
  // Lanes take two ways round, meet, and add one more to what they found: 11 or 21.
  device_.load(join({{s2r(0, isa::SpecialReg::TidX), imm16(Opcode::Lop, 1, 0, 1, kRz, {{"op", 0}}),
                      imm16(Opcode::Isetp, 0 | 7 << 3, 1, 0, kRz, {{"cmp", 4}, {"pc", isa::kPt}}),
                      imm32(Opcode::Bssy, 0, kRz, 5 * 8),          // target: after BSYNC
                      imm32(Opcode::Bra, kRz, kRz, 2 * 8, {}, 0),  // even lanes
                      imm16(Opcode::Mov, 8, kRz, 10), imm32(Opcode::Bra, kRz, kRz, 8), imm16(Opcode::Mov, 8, kRz, 20),
                      imm32(Opcode::Bsync, 0, kRz, 0), imm16(Opcode::Iadd, 8, 8, 1)},
                     element_address(),
                     {imm16(Opcode::Stg, kRz, 4, 0, 8, {{"size", k32}}), exit()}}));
  BenchDevice::Launch launch;
  launch.params = pointer(BenchDevice::kData);
  ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
  std::vector<uint32_t> expected(32);
  for (uint32_t i = 0; i < 32; i++) expected[i] = i % 2 ? 11 : 21;
  EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 32), expected);
}

TEST_F(Contract, AtomicsAddUp) {
  device_.write(BenchDevice::kData, std::vector<uint32_t>{100});
  device_.load({constant(Opcode::Mov, 2, kRz, 0), constant(Opcode::Mov, 3, kRz, 4), imm16(Opcode::Mov, 6, kRz, 3),
                reg(Opcode::Atomg, 8, 2, 6, kRz, {{"size", k32}, {"op", 0}}), exit()});
  BenchDevice::Launch launch;
  launch.grid[0] = 3;
  launch.block[0] = 50;
  launch.params = pointer(BenchDevice::kData);
  ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
  EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 1)[0], 100u + 3 * 150);
}

TEST_F(Contract, WideLoadsAndStoresMoveSixteenBytes) {
  std::vector<uint32_t> in(4 * 32);
  std::iota(in.begin(), in.end(), 7u);
  device_.write(BenchDevice::kData, in);
  // 16-byte element tid from data to data + 4096, through R8..R11; then 8 bytes to data + 8192.
  device_.load({constant(Opcode::Mov, 2, kRz, 0), constant(Opcode::Mov, 3, kRz, 4), s2r(0, isa::SpecialReg::TidX),
                imm16(Opcode::ImadWide, 4, 0, 16, 2),
                imm16(Opcode::Ldg, 8, 4, 0, kRz, {{"size", static_cast<unsigned>(isa::MemSize::B128)}}),
                imm16(Opcode::Stg, kRz, 4, 4096, 8, {{"size", static_cast<unsigned>(isa::MemSize::B128)}}),
                imm16(Opcode::Stg, kRz, 4, 8192, 10, {{"size", k64}}), exit()});
  BenchDevice::Launch launch;
  launch.params = pointer(BenchDevice::kData);
  ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
  EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData + 4096, in.size()), in);
  const auto halves = device_.read<uint32_t>(BenchDevice::kData + 8192, in.size());
  for (size_t i = 0; i < 32; i++) {
    EXPECT_EQ(halves[4 * i], in[4 * i + 2]);
    EXPECT_EQ(halves[4 * i + 1], in[4 * i + 3]);
  }
}

TEST_F(Contract, LocalMemoryIsEachThreadsOwn) {
  device_.load(
      join({{s2r(0, isa::SpecialReg::TidX), imm16(Opcode::Mov, 6, kRz, 16),
             imm16(Opcode::Stl, kRz, 6, 4, 0, {{"size", k32}}), imm16(Opcode::Ldl, 8, 6, 4, kRz, {{"size", k32}})},
            element_address(),
            {imm16(Opcode::Stg, kRz, 4, 0, 8, {{"size", k32}}), exit()}}));
  BenchDevice::Launch launch;
  launch.block[0] = 96;
  launch.local = 32;
  launch.params = pointer(BenchDevice::kData);
  ASSERT_EQ(device_.launch(launch).status, contract::kStatusOk) << device_.backend().failure();
  std::vector<uint32_t> expected(96);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(device_.read<uint32_t>(BenchDevice::kData, 96), expected);
}

TEST_F(Contract, LocalAccessBeyondTheThreadsBytesFaults) {
  device_.load({imm16(Opcode::Mov, 6, kRz, 32), imm16(Opcode::Ldl, 8, 6, 0, kRz, {{"size", k32}}), exit()});
  BenchDevice::Launch launch;
  launch.local = 32;
  EXPECT_EQ(device_.launch(launch).status, contract::kStatusFault);
  EXPECT_EQ(reg32(contract::kRegFaultKind), contract::kFaultIllegalAddress);
  EXPECT_EQ(reg32(contract::kRegFaultCode), contract::kFaultSpaceLocal);
}

}  // namespace
