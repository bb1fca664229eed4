// SPDX-License-Identifier: Apache-2.0
// The parts of the driver that need no device: occupancy and launch limits, status line, report,
// settings.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "heddle/sizes.h"
#include "host-runtime/driver/code_segment.h"
#include "host-runtime/driver/occupancy.h"
#include "host-runtime/driver/progress.h"
#include "host-runtime/driver/report.h"
#include "host-runtime/driver/settings.h"
#include "host-runtime/driver/wave.h"
#include "tests/unit/driver/test_preset.h"

namespace heddle::driver {
namespace {

const Preset cc80 = test::preset();

// cc80: 64 warps, 32 blocks, 4 x 512 register rows, 164 KiB of shared memory an SM.
TEST(Occupancy, BlocksAreLimitedByEachResource) {
  EXPECT_EQ(blocks_per_sm(cc80, {32, 16, 0}), 32u);     // block slots
  EXPECT_EQ(blocks_per_sm(cc80, {256, 16, 0}), 8u);     // 64 warps
  EXPECT_EQ(blocks_per_sm(cc80, {256, 64, 0}), 4u);     // 64 rows a warp: 8 warps a sub-partition
  EXPECT_EQ(blocks_per_sm(cc80, {32, 16, 49152}), 3u);  // shared memory
  EXPECT_EQ(blocks_per_sm(cc80, {1024, 64, 0}), 1u);
  EXPECT_EQ(blocks_per_sm(cc80, {1024, 72, 0}), 0u);  // 8 warps of 72 rows exceed 512
  EXPECT_EQ(blocks_per_sm(cc80, {160, 16, 0}), 12u);  // 5 warps each: 60 of 64
}

TEST(Occupancy, RegistersAreTakenInSteps) {
  EXPECT_EQ(allocated_registers(cc80, 1), 8u);
  EXPECT_EQ(allocated_registers(cc80, 33), 40u);
  EXPECT_EQ(allocated_registers(cc80, 255), 255u);
}

TEST(Occupancy, ManyRegistersLowerTheLargestBlock) {
  EXPECT_EQ(max_threads_per_block(cc80, 32), 1024u);
  EXPECT_EQ(max_threads_per_block(cc80, 128), 512u);
  EXPECT_EQ(max_threads_per_block(cc80, 255), 256u);
}

TEST(Occupancy, DynamicSharedMemoryForAGivenResidency) {
  EXPECT_EQ(dynamic_shared_for(cc80, {128, 16, 0}, 4), 41984u);
  EXPECT_EQ(dynamic_shared_for(cc80, {128, 16, 0}, 100), 0u);
}

TEST(Occupancy, EachLimitIsToldAlone) {
  const BlockLimits l = block_limits(cc80, {256, 64, 49152});
  EXPECT_EQ(l.slots, 32u);
  EXPECT_EQ(l.warps, 8u);
  EXPECT_EQ(l.registers, 4u);
  EXPECT_EQ(l.shared, 3u);
  EXPECT_EQ(block_limits(cc80, {33, 16, 0}).warps, 32u);
  EXPECT_EQ(block_limits(cc80, {32, 16, 0}).shared, 32u);
  for (const BlockNeeds& n : {BlockNeeds{96, 40, 1000}, BlockNeeds{1024, 30, 0}, BlockNeeds{32, 255, 50000}}) {
    const BlockLimits each = block_limits(cc80, n);
    EXPECT_EQ(std::min({each.slots, each.warps, each.registers, each.shared}), blocks_per_sm(cc80, n)) << n.threads;
  }
}

TEST(Occupancy, SharedMemoryBeyondAnyCountHoldsNoBlock) {
  for (const uint64_t bytes : {kTooLarge, kTooLarge - 100, kTooLarge / 2})
    EXPECT_EQ(blocks_per_sm(cc80, {32, 16, bytes}), 0u);
}

TEST(Sizes, WhatDoesNotFitStaysTooLarge) {
  EXPECT_EQ(add_sizes(3, 4), 7u);
  EXPECT_EQ(multiply_sizes(3, 4), 12u);
  EXPECT_EQ(round_up(13, 4), 16u);
  EXPECT_EQ(round_up(16, 4), 16u);
  EXPECT_EQ(round_up(0, 4), 0u);
  EXPECT_EQ(add_sizes(kTooLarge - 1, 2), kTooLarge);
  EXPECT_EQ(multiply_sizes(uint64_t{1} << 32, uint64_t{1} << 32), kTooLarge);
  EXPECT_EQ(round_up(kTooLarge - 2, 512), kTooLarge);
  EXPECT_EQ(round_up(kTooLarge, 512), kTooLarge);
  EXPECT_EQ(add_sizes(kTooLarge, 1), kTooLarge);
  EXPECT_EQ(multiply_sizes(kTooLarge, 2), kTooLarge);
}

TEST(CheckLaunch, ImpossibleShapesAreInvalidValues) {
  const KernelLimits k{32, 0, 49152, 0};
  const LaunchShape bad[] = {
      {{1, 1, 1}, {0, 1, 1}, 0},     {{0, 1, 1}, {1, 1, 1}, 0},           {{1, 1, 1}, {1025, 1, 1}, 0},
      {{1, 1, 1}, {64, 32, 1}, 0},   {{1, 1, 1}, {1, 1, 65}, 0},          {{1, 65536, 1}, {1, 1, 1}, 0},
      {{1, 1, 65536}, {1, 1, 1}, 0}, {{0x80000000u, 1, 1}, {1, 1, 1}, 0}, {{1, 1, 1}, {1, 1, 1}, 49153},
  };
  for (const auto& shape : bad) {
    const auto r = check_launch(cc80, k, shape);
    ASSERT_FALSE(r) << to_string(shape.grid) << to_string(shape.block);
    EXPECT_EQ(r.error().code(), Code::InvalidValue) << r.error().message();
  }
  EXPECT_TRUE(check_launch(cc80, k, {{0x7fffffff, 65535, 65535}, {32, 16, 2}, 49152}));
}

TEST(CheckLaunch, LaunchBoundsBindTheBlock) {
  const auto r = check_launch(cc80, {32, 0, 49152, 128}, {{1, 1, 1}, {129, 1, 1}, 0});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::InvalidValue);
}

TEST(CheckLaunch, TooManyRegistersAreOutOfResources) {
  const auto r = check_launch(cc80, {255, 0, 49152, 0}, {{1, 1, 1}, {1024, 1, 1}, 0});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::LaunchOutOfResources);
}

TEST(CheckLaunch, OldDevicesHaveSmallGrids) {
  const Preset cc20 = test::preset("cc20");
  EXPECT_FALSE(check_launch(cc20, {16, 0, 1024, 0}, {{65536, 1, 1}, {32, 1, 1}, 0}));
  EXPECT_TRUE(check_launch(cc20, {16, 0, 1024, 0}, {{65535, 1, 1}, {32, 1, 1}, 0}));
}

// The codes are those of an H200's CUDA 13.
TEST(CheckLaunch, ClustersFitTheGridTheKernelAndAnSm) {
  const Preset cc90 = test::preset("cc90");
  const auto code = [&](const KernelLimits& k, const LaunchShape& shape) {
    const auto r = check_launch(cc90, k, shape);
    return r ? 0 : static_cast<int>(r.error().code());
  };
  const auto shape = [](Dim3 grid, Dim3 cluster, bool large = false) {
    return LaunchShape{grid, {32, 1, 1}, 0, false, cluster, large};
  };
  const KernelLimits k{16, 0, 49152, 0};
  constexpr int kInvalid = static_cast<int>(Code::InvalidClusterSize);
  EXPECT_EQ(code(k, shape({4, 1, 1}, {0, 0, 0})), 0);
  EXPECT_EQ(code(k, shape({4, 1, 1}, {1, 1, 1})), 0);
  EXPECT_EQ(code(k, shape({12, 4, 6}, {3, 1, 2})), 0);
  EXPECT_EQ(code(k, shape({8, 2, 2}, {8, 1, 1})), 0);
  EXPECT_EQ(code(k, shape({16, 1, 1}, {16, 1, 1}, true)), 0);
  for (const Dim3& cluster : {Dim3{0, 1, 1},
                              {1, 0, 1},
                              {1, 1, 0},
                              {3, 1, 1},
                              {1, 2, 1},
                              {1, 1, 4},
                              {16, 1, 1},
                              {4, 1, 3},
                              {65536, 65536, 65536}})
    EXPECT_EQ(code(k, shape({16, 1, 3}, cluster)), kInvalid) << to_string(cluster);
  EXPECT_EQ(code(k, shape({32, 1, 1}, {32, 1, 1}, true)), kInvalid);
  // What the kernel says of itself.
  EXPECT_EQ(code({16, 0, 49152, 0, 4}, shape({8, 1, 1}, {4, 1, 1})), 0);
  EXPECT_EQ(code({16, 0, 49152, 0, 4}, shape({8, 1, 1}, {8, 1, 1})), kInvalid);
  EXPECT_EQ(code({16, 0, 49152, 0, 0, true}, shape({8, 1, 1}, {0, 0, 0})), kInvalid);
  EXPECT_EQ(code({16, 0, 49152, 0, 0, true}, shape({8, 1, 1}, {1, 1, 1})), 0);
  // Two blocks of 1,024 threads fit on an SM, three do not; a block that does not fit is out of resources as ever.
  EXPECT_EQ(code(k, {{12, 1, 1}, {1024, 1, 1}, 0, false, {2, 1, 1}}), 0);
  EXPECT_EQ(code(k, {{12, 1, 1}, {1024, 1, 1}, 0, false, {3, 1, 1}}), kInvalid);
  EXPECT_EQ(code({255, 0, 49152, 0}, {{12, 1, 1}, {1024, 1, 1}, 0, false, {2, 1, 1}}),
            static_cast<int>(Code::LaunchOutOfResources));
  EXPECT_EQ(code(k, {{12, 1, 1}, {2000, 1, 1}, 0, false, {2, 1, 1}}), static_cast<int>(Code::InvalidValue));
}

TEST(CheckLaunch, ADeviceWithoutClustersHasThoseOfOneBlock) {
  const KernelLimits k{16, 0, 49152, 0};
  EXPECT_TRUE(check_launch(cc80, k, {{4, 1, 1}, {32, 1, 1}, 0, false, {1, 1, 1}}));
  const auto r = check_launch(cc80, k, {{4, 1, 1}, {32, 1, 1}, 0, false, {2, 1, 1}});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::NotSupported);
}

TEST(CheckLaunch, RequiredClustersAreTakenOrAskedFor) {
  const auto chosen = [](Dim3 required, Dim3 asked) {
    const auto r = choose_cluster(required, asked);
    return r ? to_string(*r) : "";
  };
  EXPECT_EQ(chosen({0, 0, 0}, {0, 0, 0}), "(0,0,0)");
  EXPECT_EQ(chosen({0, 0, 0}, {2, 1, 1}), "(2,1,1)");
  EXPECT_EQ(chosen({2, 1, 1}, {0, 0, 0}), "(2,1,1)");
  EXPECT_EQ(chosen({2, 1, 1}, {2, 1, 1}), "(2,1,1)");
  EXPECT_EQ(chosen({2, 1, 1}, {4, 1, 1}), "");
  EXPECT_EQ(chosen({2, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(chosen({2, 0, 0}, {2, 3, 1}), "(2,3,1)");
  EXPECT_EQ(chosen({2, 0, 0}, {0, 0, 0}), "");
}

TEST(Occupancy, ClustersLieOnOneSm) {
  const Preset cc90 = test::preset("cc90");
  EXPECT_EQ(clusters_per_sm(cc90, {32, 16, 0}, {3, 1, 1}), 10u);
  EXPECT_EQ(clusters_per_sm(cc90, {1024, 16, 0}, {2, 1, 1}), 1u);
  EXPECT_EQ(clusters_per_sm(cc90, {1024, 16, 0}, {2, 2, 1}), 0u);
  EXPECT_EQ(max_cluster_blocks(cc90, {}, false), 8u);
  EXPECT_EQ(max_cluster_blocks(cc90, {}, true), 16u);
  EXPECT_EQ(max_cluster_blocks(cc80, {}, true), 1u);
}

TEST(CodeSegmentTest, ModulesComeAndGoAndNoneLosesAWord) {
  CodeSegment segment;
  std::mt19937_64 random(20);
  std::map<uint32_t, std::vector<uint64_t>> there;
  uint64_t most = 0, now = 0;
  for (int n = 0; n < 20000; n++) {
    if (there.size() < 20 && random() % 2) {
      std::vector<uint64_t> code(1 + random() % 300);
      for (uint64_t& word : code) word = random() | 1;
      const auto pc = segment.add(code.size() * 8);
      ASSERT_TRUE(pc);
      ASSERT_NE(*pc, 0u);
      ASSERT_EQ(*pc % CodeSegment::kAlignment, 0u);
      for (size_t k = 0; k < code.size(); k++) ASSERT_EQ(segment.instruction(static_cast<uint32_t>(*pc + 8 * k)), 0u);
      segment.write(*pc, code);
      now += code.size() * 8;
      there[*pc] = std::move(code);
    } else if (!there.empty()) {
      const auto gone = std::next(there.begin(), static_cast<ptrdiff_t>(random() % there.size()));
      segment.remove(gone->first, gone->second.size() * 8);
      now -= gone->second.size() * 8;
      there.erase(gone);
    }
    most = std::max(most, now);
    for (const auto& [pc, code] : there)
      ASSERT_EQ(std::memcmp(segment.words() + pc / 8, code.data(), code.size() * 8), 0) << n;
  }
  EXPECT_LT(segment.bytes(), 3 * most);
}

TEST(Progress, TheLineTellsWhatIsLeft) {
  EXPECT_EQ(progress_text({"sgemm", 16, 64, 1234567}, 10.0),
            "sgemm  block 16/64  1,234,567 cycles  123 kHz  30 s left");
  EXPECT_EQ(progress_text({"k", 0, 5, 0}, 1.0), "k  block 0/5");
  EXPECT_EQ(progress_text({"k", 1, 5, 0, 3}, 1.0), "==PROF== Profiling \"k\" - 3:  block 1/5  4 s left");
}

TEST(Progress, CommasGroupThousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
}

TEST(ReportTest, JsonHasEveryFigure) {
  Report r;
  r.program = "app";
  r.device = "lockstep";
  r.preset = "cc80";
  KernelRun k;
  k.name = "add(int*)";
  k.grid = {2, 3, 4};
  k.cycles = 2000;
  k.warp_instructions = 1000;
  k.thread_instructions = 16000;
  k.compared_instructions = 1000;
  k.wall_seconds = 0.5;
  r.add(k);
  const auto j = nlohmann::json::parse(to_json(r));
  EXPECT_EQ(j["device"], "lockstep");
  EXPECT_EQ(j["checked"], true);
  EXPECT_EQ(j["kernels"][0]["name"], "add(int*)");
  EXPECT_EQ(j["kernels"][0]["grid"], (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(j["kernels"][0]["ipc"], 0.5);
  EXPECT_EQ(j["kernels"][0]["active_lanes"], 16.0);
  EXPECT_EQ(j["totals"]["khz"], 4.0);
}

TEST(ReportTest, ManyLaunchesAreSummedAndTheFirstKept) {
  Report r;
  KernelRun k;
  k.cycles = 1;
  for (int i = 0; i < 5000; ++i) r.add(k);
  EXPECT_EQ(r.launches, 5000u);
  EXPECT_EQ(r.total.cycles, 5000u);
  EXPECT_EQ(r.kernels.size(), Report::kMaxKernels);
}

TEST(ReportTest, AFolderThatDoesNotExistIsAnError) {
  const auto r = write_report({}, "/nonexistent/folder/report.json");
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("/nonexistent/folder/report.json"), std::string::npos);
}

TEST(ReportTest, ADeviceIsWrittenToAndStays) {
  ASSERT_EQ(access("/dev/full", W_OK), 0);
  const auto r = write_report({}, "/dev/full");
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("No space left"), std::string::npos) << r.error().message();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(ReportTest, ALinkKeepsPointingToTheReport) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "heddle_report_link";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "report.json") << "old";
  fs::create_symlink("report.json", folder / "link.json");
  ASSERT_TRUE(write_report({}, (folder / "link.json").string()));
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_GT(fs::file_size(folder / "report.json"), 100u);
}

// One block of an FST file.
std::string block(char type, size_t bytes) {
  std::string text(1, type);
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>((bytes + 8) >> shift);
  return text + std::string(bytes, 'x');
}

// The block at the beginning, of a waveform that ends at a time below 2^16.
std::string header(unsigned end) {
  std::string text = block(0, 321);
  text.replace(17, 8, std::string(6, '\0') + static_cast<char>(end >> 8) + static_cast<char>(end));
  return text;
}

constexpr uint64_t kToTheEnd = ~uint64_t{0};

class WaveTest : public ::testing::Test {
 protected:
  const std::string file = ::testing::TempDir() + "heddle_wave_test.fst";
  void write(const std::string& content) { std::ofstream(file, std::ios::binary) << content; }
  void TearDown() override { std::remove(file.c_str()); }
};

TEST_F(WaveTest, AChainOfBlocksWithNamesAndValuesIsWhole) {
  const std::string whole = header(100) + block(3, 20) + block(6, 50) + block(8, 1000);
  write(whole);
  EXPECT_TRUE(check_wave(file, 0, kToTheEnd, 100));
  for (const size_t cut : {size_t{0}, size_t{5}, size_t{330}, size_t{700}, whole.size() - 1}) {
    write(whole.substr(0, cut));
    const auto r = check_wave(file, 0, kToTheEnd, 100);
    ASSERT_FALSE(r) << cut;
    EXPECT_NE(r.error().message().find("damaged"), std::string::npos);
  }
}

TEST_F(WaveTest, AWaveformThatEndsEarlyIsNamed) {
  write(header(700) + block(6, 50) + block(1, 1000));
  EXPECT_TRUE(check_wave(file, 0, 700, 900));
  const auto r = check_wave(file, 0, kToTheEnd, 900);
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("ends at cycle 700, not at 900"), std::string::npos) << r.error().message();
}

TEST_F(WaveTest, AWindowThatNeverCameIsNamed) {
  const auto r = check_wave(file, 5000, kToTheEnd, 1200);
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("begins at cycle 5000, the device ran 1200 cycles"), std::string::npos);
}

TEST_F(WaveTest, WhatCannotBeWrittenIsRefusedBeforeTheRun) {
  EXPECT_FALSE(prepare_wave("/nonexistent/folder/x.fst"));
  EXPECT_FALSE(prepare_wave("/dev/full"));
  EXPECT_FALSE(prepare_wave(::testing::TempDir()));
}

TEST_F(WaveTest, AnOldWaveformCannotPassForTheNewOne) {
  write("old");
  ASSERT_TRUE(prepare_wave(file));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(WaveTest, ASecondWaveformHasANameOfItsOwn) {
  EXPECT_EQ(numbered_wave("run.fst", 2), "run-2.fst");
  EXPECT_EQ(numbered_wave("a.b/run", 3), "a.b/run-3");
}

class SettingsTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"HEDDLE_DEVICE", "HEDDLE_CYCLE_LIMIT", "HEDDLE_WAVE_CYCLES", "HEDDLE_LOG",
                             "HEDDLE_PROFILE", "HEDDLE_PROFILE_KERNELS", "HEDDLE_PROFILE_LAUNCHES"})
      unsetenv(name);
  }
};

TEST_F(SettingsTest, DefaultsAreLockstepOnCc80) {
  const auto s = Settings::from_environment();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->device, "lockstep");
  EXPECT_EQ(s->preset, "cc80");
  EXPECT_EQ(s->cycle_limit, 0u);
}

TEST_F(SettingsTest, NumbersAndWindowsAreRead) {
  setenv("HEDDLE_DEVICE", "rtl", 1);
  setenv("HEDDLE_CYCLE_LIMIT", "1000000", 1);
  setenv("HEDDLE_WAVE_CYCLES", "10:500", 1);
  const auto s = Settings::from_environment();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->device, "rtl");
  EXPECT_EQ(s->cycle_limit, 1000000u);
  EXPECT_EQ(s->wave_begin, 10u);
  EXPECT_EQ(s->wave_end, 500u);
}

TEST_F(SettingsTest, NonsenseIsNamed) {
  setenv("HEDDLE_CYCLE_LIMIT", "many", 1);
  auto s = Settings::from_environment();
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("HEDDLE_CYCLE_LIMIT='many'"), std::string::npos);
  unsetenv("HEDDLE_CYCLE_LIMIT");
  for (const char* window : {"10", "20:10", "a:b", "1:2x"}) {
    setenv("HEDDLE_WAVE_CYCLES", window, 1);
    EXPECT_FALSE(Settings::from_environment()) << window;
  }
}

TEST_F(SettingsTest, EveryLaunchIsProfiledUnlessSomeAreChosen) {
  setenv("HEDDLE_PROFILE", "p.jsonl", 1);
  auto s = Settings::from_environment();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->profile, "p.jsonl");
  EXPECT_EQ(s->profile_first, 1u);
  EXPECT_EQ(s->profile_last, ~uint64_t{0});
  EXPECT_FALSE(s->chooses());
  setenv("HEDDLE_PROFILE_LAUNCHES", "3:4", 1);
  setenv("HEDDLE_PROFILE_KERNELS", "^add", 1);
  s = Settings::from_environment();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->profile_kernels, "^add");
  EXPECT_EQ(s->profile_first, 3u);
  EXPECT_EQ(s->profile_last, 4u);
  setenv("HEDDLE_PROFILE_KERNELS", "(", 1);
  s = Settings::from_environment();
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("HEDDLE_PROFILE_KERNELS='('"), std::string::npos);
}

TEST_F(SettingsTest, LogsAreWordsThatAreKnown) {
  auto s = Settings::from_environment();
  ASSERT_TRUE(s);
  EXPECT_FALSE(s->log_api);
  for (const char* list : {"api", "api,api"}) {
    setenv("HEDDLE_LOG", list, 1);
    s = Settings::from_environment();
    ASSERT_TRUE(s) << list;
    EXPECT_TRUE(s->log_api);
  }
  setenv("HEDDLE_LOG", "api,calls", 1);
  s = Settings::from_environment();
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().message(), "HEDDLE_LOG='api,calls': there is no log 'calls'; known: api");
  setenv("HEDDLE_LOG", "api,,api", 1);
  EXPECT_FALSE(Settings::from_environment());
}

}  // namespace
}  // namespace heddle::driver
