// SPDX-License-Identifier: Apache-2.0
// Lockstep bites: one kernel that touches what the planted bugs break passes on the clean machine, and
// each bug of sim/mutants/tiny.toml makes the checker stop with a report.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

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

#define HEDDLE_BUG(name, program) name,
constexpr const char* kBugs[] = {
#include HEDDLE_BUGS
};
#undef HEDDLE_BUG

constexpr unsigned k32 = static_cast<unsigned>(isa::MemSize::B32), kS8 = static_cast<unsigned>(isa::MemSize::S8),
                   kU8 = static_cast<unsigned>(isa::MemSize::U8);

std::vector<uint64_t> program() {
  const auto exit = imm32(Opcode::Exit, kRz, kRz, 0);
  return {
      imm16(Opcode::S2r, 0, kRz, static_cast<int>(isa::SpecialReg::TidX)),
      constant(Opcode::Mov, 2, kRz, 0),
      constant(Opcode::Mov, 3, kRz, 4),
      // R4:R5 = data + 4 * tid; R6:R7 = R4:R5 - 2^31 + 2^32 with carries between the words.
      imm16(Opcode::ImadWide, 4, 0, 4, 2),
      imm32(Opcode::Mov, 8, kRz, static_cast<int32_t>(0xfffffffc)),
      imm32(Opcode::Mov, 9, kRz, 7),
      reg(Opcode::Iadd64, 6, 4, 8),
      // R10:R11 = tid * (tid - 40), signed.
      imm16(Opcode::Iadd, 12, 0, -40),
      reg(Opcode::ImadWide, 10, 12, 0, kRz, {{"sign", 1}}),
      // R14 = f32 of (2^25 + 2 + 4 tid): ties; R15 = R14 * 1 + 1; R16 = integer of 0.5 * f32(tid), ties again.
      imm32(Opcode::Mov, 13, kRz, 0x4c000000),  // 2^25
      reg(Opcode::I2f, 14, kRz, 0),
      imm32(Opcode::Mov, 17, kRz, 0x3f000000),  // 0.5
      reg(Opcode::Fmul, 18, 14, 17),
      reg(Opcode::F2i, 16, kRz, 18, kRz, {{"sign", 1}}),
      imm32(Opcode::Mov, 19, kRz, 0x40000000),  // 2.0
      reg(Opcode::Ffma, 15, 14, 19, 13),
      // 1 / (0.5 * f32(tid)), whose fraction has low bits, and the root of that.
      reg(Opcode::Mufu, 34, kRz, 18, kRz, {{"op", static_cast<unsigned>(isa::MufuOp::Rcp)}}),
      reg(Opcode::Mufu, 33, kRz, 34, kRz, {{"op", static_cast<unsigned>(isa::MufuOp::Sqrt)}}),
      // f32(tid) in a format with two fraction bits: ties.
      reg(Opcode::F2f, 35, kRz, 14, kRz, {{"to", static_cast<unsigned>(isa::FloatFormat::E5m2)}}),
      // Signed bytes of data + tid.
      reg(Opcode::Iadd, 20, 2, 0),
      reg(Opcode::Mov, 21, kRz, 3),
      imm16(Opcode::Ldg, 22, 20, 0, kRz, {{"size", kS8}}),
      // Odd lines: data + 128 + 4 * tid.
      imm16(Opcode::Ldg, 23, 4, 128, kRz, {{"size", k32}}),
      // P0 = tid < 20 or tid even.
      imm16(Opcode::Lop, 24, 0, 1, kRz, {{"op", 0}}),
      imm16(Opcode::Isetp, 1 | 7 << 3, 24, 0, kRz, {{"cmp", 4}, {"pc", isa::kPt}}),
      imm16(Opcode::Isetp, 0 | 7 << 3, 0, 20, kRz, {{"cmp", 0}, {"op", 1}, {"pc", 1}}),
      // Divergence: P0 lanes add 5, the others 9; meet again.
      imm32(Opcode::Bssy, 0, kRz, 5 * 8),
      imm32(Opcode::Bra, kRz, kRz, 2 * 8, {}, 0),
      imm16(Opcode::Iadd, 23, 23, 9),
      imm32(Opcode::Bra, kRz, kRz, 8),
      imm16(Opcode::Iadd, 23, 23, 5),
      imm32(Opcode::Bsync, 0, kRz, 0),
      // Four splits: one waits, and the others yield in turn.
      imm16(Opcode::Lop, 24, 0, 2, kRz, {{"op", 0}}),
      imm16(Opcode::Isetp, 2 | 7 << 3, 24, 0, kRz, {{"cmp", 4}, {"pc", isa::kPt}}),
      imm32(Opcode::Bssy, 1, kRz, 6 * 8),
      imm32(Opcode::Bra, kRz, kRz, 3 * 8, {}, 2),
      imm32(Opcode::Bra, kRz, kRz, 2 * 8, {}, 1),
      imm32(Opcode::Bra, kRz, kRz, 8, {}, 0),
      imm32(Opcode::Bsync, 1, kRz, 0),
      imm32(Opcode::Yield, kRz, kRz, 0),
      imm32(Opcode::Bsync, 1, kRz, 0),
      // Shared memory with a stride of 8 words, a barrier, and the neighbour warp's word.
      imm16(Opcode::Shl, 25, 0, 5),
      imm16(Opcode::Sts, kRz, 25, 0, 23, {{"size", k32}}),
      imm16(Opcode::Bar, kRz, kRz, 0),
      imm16(Opcode::Lop, 26, 25, 32 << 5, kRz, {{"op", 2}}),
      imm16(Opcode::Lds, 27, 26, 0, kRz, {{"size", k32}}),
      // Bytes and words out, an atomic.
      imm16(Opcode::Stg, kRz, 20, 4096, 22, {{"size", kU8}}),
      reg(Opcode::Iadd, 28, 27, 10),
      reg(Opcode::Iadd, 28, 28, 15),
      reg(Opcode::Iadd, 28, 28, 16),
      reg(Opcode::Iadd, 28, 28, 6),
      reg(Opcode::Iadd, 28, 28, 7),
      // The word of three lanes further in segments of eight.
      imm16(Opcode::Shfl, 33, 28, 3, kRz,
            {{"mode", static_cast<uint32_t>(isa::ShflMode::Down)}, {"pd", isa::kPt}, {"clamp", 1}, {"narrow", 2}}),
      reg(Opcode::Iadd, 28, 28, 33),
      imm16(Opcode::Stg, kRz, 4, 8192, 28, {{"size", k32}}),
      imm16(Opcode::Mov, 29, kRz, 3),
      imm16(Opcode::ImadWide, 30, kRz, 0, 2),
      reg(Opcode::Atomg, 32, 30, 29, kRz, {{"size", k32}, {"op", 0}}),
      imm16(Opcode::Stg, kRz, 4, 16384, 32, {{"size", k32}}),
      // All lanes to one word.
      imm16(Opcode::Stg, kRz, 2, 20480, 28, {{"size", k32}}),
      // An atomic on the lane's word of shared memory, which is then read.
      reg(Opcode::Atoms, 34, 25, 29, kRz, {{"size", k32}, {"op", 0}}),
      imm16(Opcode::Lds, 35, 25, 0, kRz, {{"size", k32}}),
      exit,
  };
}

// Copies data to the device, odd bytes once more, and runs the kernel; the checker's report, empty when all agreed.
std::string run(const std::string& bug) {
  BenchDevice device(std::getenv("HEDDLE_TEST_SO"), "lockstep", std::getenv("HEDDLE_TEST_PRESET"), bug);
  if (!device.error().empty()) return "cannot open: " + device.error();
  std::vector<uint8_t> data(1024);
  std::iota(data.begin(), data.end(), uint8_t{0x70});
  try {
    device.write(BenchDevice::kData, data);
    device.copy_in(BenchDevice::kData + 5, data.data() + 3, 100);
    device.load(program());
  } catch (const std::runtime_error&) {
    return device.backend().failure();
  }
  BenchDevice::Launch launch;
  launch.block[0] = 64;
  launch.grid[0] = 6;
  launch.registers = 40;
  launch.shared = 64 * 32;
  launch.params = {static_cast<uint32_t>(BenchDevice::kData), static_cast<uint32_t>(BenchDevice::kData >> 32)};
  const auto completion = device.launch(launch, 200'000);
  if (completion.status == contract::kStatusOk) {
    // What it does unasked, and what its memory holds.
    const bool right = device.backend().wait(5000) >= 0 && device.backend().finish();
    return right ? "" : device.backend().failure();
  }
  return device.backend().wait(0) < 0 ? device.backend().failure()
                                      : "no report, status " + std::to_string(completion.status);
}

TEST(Mutants, CleanMachinePasses) { EXPECT_EQ(run(""), ""); }

TEST(Mutants, ThereAreEnoughOfThem) { EXPECT_GE(std::size(kBugs), 16u); }

class Mutant : public ::testing::TestWithParam<const char*> {};

TEST_P(Mutant, IsCaughtWithAReport) {
  const std::string report = run(GetParam());
  std::cout << report << "\n";
  // The report names the place, on the chip or in the host's command; a hang or a wrong result without one does not
  // count.
  EXPECT_NE(report.find("lockstep mismatch"), std::string::npos) << report;
  EXPECT_TRUE(report.find("SM 0") != std::string::npos || report.find("copy") != std::string::npos ||
              report.find("command") != std::string::npos || report.find("launch") != std::string::npos ||
              report.find("ring") != std::string::npos)
      << report;
}

INSTANTIATE_TEST_SUITE_P(All, Mutant, ::testing::ValuesIn(kBugs), [](const auto& info) { return info.param; });

}  // namespace
