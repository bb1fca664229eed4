// SPDX-License-Identifier: Apache-2.0
// Waveforms of a device: a selection holds, signal by signal and cycle by cycle, what the whole holds. So nothing that
// tracing passes over (wave_guard.cc) is missing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "tests/unit/device/bench_device.h"
#include "tests/unit/verilator/fst_reader.h"

namespace {

namespace isa = heddle::isa;
using heddle::test::BenchDevice;
using heddle::test::code::imm16;
using heddle::test::code::imm32;
using heddle::test::code::reg;
using isa::kRz;
using isa::Opcode;

// Two runs are equal in each cycle only if all that the device reads and writes lies at the same addresses.
std::optional<BenchDevice> device;
alignas(4096) std::array<uint64_t, 32> program;
alignas(4096) std::array<uint32_t, 256> data;

heddle::test::FstContents run(const std::string& scopes, const std::string& groups) {
  const std::string file = ::testing::TempDir() + "heddle_device_waves_" + std::to_string(getpid()) + ".fst";
  heddle::device::OpenOptions options;
  options.device = "rtl";
  options.preset_file = std::getenv("HEDDLE_TEST_PRESET");
  options.wave_file = file;
  options.wave_scopes = scopes;
  options.wave_groups = groups;
  options.wave_begin = 30;
  options.wave_end = ~uint64_t{0};
  device.emplace(std::getenv("HEDDLE_TEST_SO"), options);
  EXPECT_EQ(device->error(), "");
  if (!device->error().empty()) return {};
  constexpr unsigned k32 = static_cast<unsigned>(isa::MemSize::B32);
  const uint64_t at = BenchDevice::kData;
  const uint64_t words[] = {imm16(Opcode::S2r, 0, kRz, static_cast<int>(isa::SpecialReg::TidX)),
                            imm32(Opcode::Mov, 2, kRz, static_cast<int32_t>(at)),
                            imm32(Opcode::Mov, 3, kRz, static_cast<int32_t>(at >> 32)),
                            imm16(Opcode::ImadWide, 4, 0, 4, 2),
                            imm16(Opcode::Ldg, 6, 4, 0, kRz, {{"size", k32}}),
                            reg(Opcode::Imad, 7, 6, 0, 6),
                            imm16(Opcode::Stg, kRz, 4, 0, 7, {{"size", k32}}),
                            imm32(Opcode::Exit, kRz, kRz, 0)};
  std::copy(std::begin(words), std::end(words), program.begin());
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<uint32_t>(i * 2654435761u);
  device->copy_in(BenchDevice::kCode, program.data(), sizeof program);
  device->backend().write64(heddle::contract::kRegCodeBaseLo, BenchDevice::kCode);
  device->backend().write32(heddle::contract::kRegCodeSize, sizeof words);
  device->copy_in(BenchDevice::kData, data.data(), sizeof data);
  BenchDevice::Launch launch;
  launch.grid[0] = 3;
  launch.block[0] = 128;
  EXPECT_EQ(device->launch(launch).status, heddle::contract::kStatusOk) << device->backend().failure();
  device->copy_out(data.data(), BenchDevice::kData, sizeof data);
  device.reset();
  auto contents = heddle::test::read_fst(file);
  for (const char* ending : {".fst", ".gtkw", ".opcodes.txt", ".warps.txt"})
    std::filesystem::remove(std::filesystem::path(file).replace_extension(ending));
  return contents;
}

TEST(DeviceWaves, ASelectionHoldsWhatTheWholeHolds) {
  const auto all = run("", "");
  ASSERT_GT(all.names.size(), 1000u);
  const std::pair<const char*, const char*> choices[] = {{"", "frontend"},
                                                         {"", "memory,retirement"},
                                                         {"sm0.part0.scoreboard,l2,sm*.part*.front_end", ""},
                                                         {"sm0", "operands,schedule"}};
  for (const auto& [scopes, groups] : choices) {
    const auto some = run(scopes, groups);
    const std::string choice = std::string(scopes) + " " + groups;
    EXPECT_EQ(some.begin, 30u);
    EXPECT_EQ(some.end, all.end) << choice;
    EXPECT_LT(some.names.size(), all.names.size());
    EXPECT_GT(some.names.size(), 30u) << choice;
    size_t changes = 0;
    for (const auto& [name, signal] : some.names) {
      ASSERT_EQ(all.names.count(name), 1u) << name;
      const auto& wanted = all.values.at(all.names.at(name).first);
      EXPECT_TRUE(some.values.at(signal.first) == wanted) << choice << ": " << name;
      changes += wanted.size();
    }
    EXPECT_GT(changes, 500u) << choice;
  }
}

}  // namespace
