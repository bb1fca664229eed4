// SPDX-License-Identifier: Apache-2.0
// What a launch tells the device.
#include <cstring>

#include "tests/unit/driver/context_fixture.h"

namespace heddle::driver {
namespace {

TEST_F(ContextTest, ALaunchDescribesItselfToTheDevice) {
  open();
  const Kernel* k = load();
  c::Command seen;
  std::vector<uint8_t> params;
  fake.kernel = [&](heddle_device& d, const c::Command& command) {
    seen = command;
    params.assign(d.memory(command.get64(c::kWordParamBase)), d.memory(command.get64(c::kWordParamBase)) + 12);
    return c::kStatusOk;
  };
  const uint8_t block[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  ASSERT_TRUE(context->launcher().launch(*k, {{3, 4, 5}, {8, 4, 2}, 300}, 48000, block));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(params, std::vector<uint8_t>(block, block + 12));
  EXPECT_EQ(seen.words[c::kWordEntryPc], k->pc);
  EXPECT_EQ(seen.words[c::kWordRegisters], 24u);      // 20, in steps of 8 a thread
  EXPECT_EQ(seen.words[c::kWordSharedBytes], 1408u);  // 1300, in steps of 128
  EXPECT_EQ(seen.words[c::kWordDynamicShared], 300u);
  EXPECT_EQ(seen.words[c::kWordLocalBytes], 48u);
  EXPECT_EQ(seen.words[c::kWordGridY], 4u);
  EXPECT_EQ(seen.words[c::kWordBlockZ], 2u);
  EXPECT_EQ(seen.words[c::kWordParamBytes], 12u);
  EXPECT_NE(seen.get64(c::kWordLocalBase), 0u);
  EXPECT_NE(seen.get64(c::kWordConstBase), 0u);
}

class ClusterContextTest : public ContextTest {
 protected:
  ClusterContextTest() : ContextTest("cc90") {}
};

TEST_F(ClusterContextTest, ALaunchTellsTheDeviceItsClusters) {
  open();
  const Kernel* k = load();
  std::vector<Dim3> seen;
  fake.kernel = [&](heddle_device&, const c::Command& command) {
    seen.push_back({command.words[c::kWordClusterX], command.words[c::kWordClusterY], command.words[c::kWordClusterZ]});
    return c::kStatusOk;
  };
  const uint8_t block[12] = {};
  const auto launch = [&](const Kernel& kernel, Dim3 cluster) {
    const auto sequence = context->launcher().launch(kernel, {{6, 4, 1}, {32, 1, 1}, 0, false, cluster}, 48000, block);
    return sequence ? 0 : static_cast<int>(sequence.error().code());
  };
  EXPECT_EQ(launch(*k, {0, 0, 0}), 0);
  EXPECT_EQ(launch(*k, {3, 2, 1}), 0);
  Kernel required = *k;
  required.required_cluster = {1, 4, 1};
  EXPECT_EQ(launch(required, {0, 0, 0}), 0);
  EXPECT_EQ(launch(required, {1, 4, 1}), 0);
  EXPECT_EQ(launch(required, {3, 2, 1}), static_cast<int>(Code::InvalidClusterSize));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(seen, (std::vector<Dim3>{{0, 0, 0}, {3, 2, 1}, {1, 4, 1}, {1, 4, 1}}));
}

// As CUDA's headers look for it: a size and the word in which blocks arrive, 0 however the launch before left it.
TEST_F(ContextTest, ACooperativeLaunchAndNoOtherHasAWorkspace) {
  open();
  const Kernel* k = load();
  std::vector<uint64_t> places;
  std::vector<uint32_t> sizes, arrived;
  fake.kernel = [&](heddle_device& d, const c::Command& command) {
    places.push_back(command.get64(c::kWordEnvreg0));
    if (!places.back()) return c::kStatusOk;
    uint32_t words[2];
    std::memcpy(words, d.memory(places.back()), sizeof words);
    sizes.push_back(words[0]);
    arrived.push_back(words[1]);
    std::memset(d.memory(places.back()), 0x77, sizeof words);
    return c::kStatusOk;
  };
  const uint8_t block[12] = {};
  for (const bool cooperative : {true, false, true})
    ASSERT_TRUE(context->launcher().launch(*k, {{1, 1, 1}, {32, 1, 1}, 0, cooperative}, 48000, block));
  ASSERT_TRUE(context->waits().synchronize());
  ASSERT_EQ(places.size(), 3u);
  EXPECT_TRUE(context->memory().is_allocated(places[0], 8));
  EXPECT_EQ(places[0], places[2]);
  EXPECT_EQ(places[1], 0u);
  EXPECT_EQ(sizes, (std::vector<uint32_t>{8, 8}));
  EXPECT_EQ(arrived, (std::vector<uint32_t>{0, 0}));
}

TEST_F(ContextTest, QueuedLaunchesKeepTheirOwnParameters) {
  open();
  const Kernel* k = load();
  std::vector<uint8_t> seen;
  fake.kernel = [&](heddle_device& d, const c::Command& command) {
    seen.push_back(*d.memory(command.get64(c::kWordParamBase)));
    return c::kStatusOk;
  };
  for (uint8_t i = 0; i < 5; ++i) {
    const uint8_t block[12] = {i};
    ASSERT_TRUE(context->launcher().launch(*k, {{1, 1, 1}, {32, 1, 1}, 0}, 48000, block));
  }
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(seen, (std::vector<uint8_t>{0, 1, 2, 3, 4}));
}

TEST_F(ContextTest, ALaunchInterruptsOnceNotForItsParametersToo) {
  open();
  const Kernel* k = load();
  ASSERT_TRUE(context->waits().synchronize());
  fake.device().executed.clear();
  ASSERT_TRUE(launch(k));
  ASSERT_TRUE(context->waits().synchronize());
  unsigned interrupts = 0;
  for (const c::Command& command : fake.device().executed)
    interrupts += (command.words[c::kWordOpcode] & c::kFlagIrq) != 0;
  EXPECT_EQ(fake.device().executed.size(), 2u);
  EXPECT_EQ(interrupts, 1u);
}

TEST_F(ContextTest, LocalMemoryCoversEveryResidentThread) {
  open();
  const Kernel* k = load();
  uint64_t base = 0;
  fake.kernel = [&](heddle_device&, const c::Command& command) {
    base = command.get64(c::kWordLocalBase);
    return c::kStatusOk;
  };
  ASSERT_TRUE(launch(k));
  ASSERT_TRUE(context->waits().synchronize());
  const uint64_t bytes = uint64_t(preset.structure.sms) * preset.structure.warps_per_sm() * 32 * 48;
  EXPECT_TRUE(context->memory().is_allocated(base, bytes));
}

TEST_F(ContextTest, AnImpossibleLaunchIsRefusedAndNotSticky) {
  open();
  const Kernel* k = load();
  const auto r = launch(k, {1, 1, 1}, {2048, 1, 1});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::InvalidValue);
  EXPECT_TRUE(launch(k));
  EXPECT_TRUE(context->waits().synchronize());
}

// ---- profiles ----

TEST_F(ContextTest, ADeviceThatCountsNothingIsNotProfiled) {
  settings.profile = ::testing::TempDir() + "heddle_no_profile";
  const auto created = Context::create(settings, preset, "cc80.toml", fake.table(), "prog", stdout, log());
  ASSERT_FALSE(created);
  EXPECT_NE(created.error().message().find("does not count what launches do"), std::string::npos);
}

}  // namespace
}  // namespace heddle::driver
