// SPDX-License-Identifier: Apache-2.0
// Hardware with checks bites: an assertion that fails stops the run with its text, and what depends on undefined state
// differs from seed to seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/device/bench_device.h"

namespace {

namespace contract = heddle::contract;
namespace isa = heddle::isa;
using heddle::test::BenchDevice;
using heddle::test::code::imm32;

// One kernel of two blocks in lockstep; empty when it passed, else what stopped it.
std::string run(const std::string& bug, uint64_t seed) {
  heddle::device::OpenOptions options;
  options.preset_file = std::getenv("HEDDLE_TEST_PRESET");
  options.inject = bug;
  options.seed = seed;
  BenchDevice device(std::getenv("HEDDLE_TEST_SO"), options);
  if (!device.error().empty()) return "cannot open: " + device.error();
  try {
    device.load({imm32(isa::Opcode::Mov, 2, isa::kRz, 7), imm32(isa::Opcode::Exit, isa::kRz, isa::kRz, 0)});
  } catch (const std::runtime_error&) {
    return device.backend().failure();
  }
  BenchDevice::Launch launch;
  launch.grid[0] = 2;
  const auto completion = device.launch(launch, 100'000);
  if (completion.status == contract::kStatusOk && device.backend().finish()) return "";
  const std::string failure = device.backend().failure();
  return failure.empty() ? "no report, status " + std::to_string(completion.status) : failure;
}

TEST(CheckedHardware, PassesWithoutBugs) {
  for (uint64_t seed = 1; seed <= 4; seed++) EXPECT_EQ(run("", seed), "") << "seed " << seed;
}

TEST(CheckedHardware, StopsAtAFailingAssertion) {
  const std::string report = run("failing_assertion", 1);
  EXPECT_NE(report.find("block_slots: warp ends twice"), std::string::npos) << report;
}

TEST(CheckedHardware, SeedsDifferWhereAResetIsForgotten) {
  unsigned passed = 0, stopped = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) (run("forgotten_reset", seed).empty() ? passed : stopped)++;
  EXPECT_GT(passed, 0u);
  EXPECT_GT(stopped, 0u);
}

TEST(CheckedHardware, OneSeedIsOneRun) {
  for (uint64_t seed = 1; seed <= 3; seed++) EXPECT_EQ(run("forgotten_reset", seed), run("forgotten_reset", seed));
}

}  // namespace
