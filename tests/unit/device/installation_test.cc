// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/device/installation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace heddle::device {
namespace {

namespace fs = std::filesystem;

class InstallationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(::testing::TempDir()) /
           ("heddle_home_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root);
    fs::create_directories(root / "lib/heddle");
    fs::create_directories(root / "share/heddle/presets");
  }
  void TearDown() override { fs::remove_all(root); }
  void touch(const std::string& file) { std::ofstream(root / file) << "\n"; }

  fs::path root;
};

TEST_F(InstallationTest, ListsPresetsAndDevicesThatAreThere) {
  touch("share/heddle/presets/tiny.toml");
  touch("share/heddle/presets/cc80.toml");
  touch("lib/heddle/libheddle_model.so");
  touch("lib/heddle/libheddle_rtl_tiny.so");
  const Installation i({root});
  EXPECT_EQ(i.presets(), (std::vector<std::string>{"cc80", "tiny"}));
  EXPECT_EQ(i.devices(), (std::vector<std::string>{"lockstep", "model", "rtl"}));
}

TEST_F(InstallationTest, AnUnknownPresetIsAnsweredWithThoseThereAre) {
  touch("share/heddle/presets/tiny.toml");
  const auto r = Installation({root}).preset_file("cc99");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message(), "unknown preset 'cc99' (HEDDLE_PRESET); available: tiny");
}

TEST_F(InstallationTest, AnUnknownDeviceIsAnsweredWithThoseThereAre) {
  touch("lib/heddle/libheddle_model.so");
  const auto r = Installation({root}).backend("gpu", "cc80");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message(),
            "unknown device 'gpu' (HEDDLE_DEVICE); known: board:PATH, lockstep, model, rtl, tlm; available: model");
}

TEST_F(InstallationTest, ATlmDeviceMaySayWhatIsInside) {
  touch("lib/heddle/libheddle_model.so");
  const auto missing = Installation({root}).backend("tlm:model", "cc80");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message().ends_with("this builds it: ./heddle build heddle_tlm"))
      << missing.error().message();
  touch("lib/heddle/libheddle_tlm.so");
  const Installation i({root});
  EXPECT_EQ(i.devices(), (std::vector<std::string>{"model", "tlm"}));
  const auto r = i.backend("tlm:model", "cc80");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->filename(), "libheddle_tlm.so");
  EXPECT_FALSE(i.backend("tlmodel", "cc80"));
}

TEST(Device, LockstepIsCheckedInsideTlmToo) {
  for (const char* lockstep : {"lockstep", "tlm", "tlm:lockstep", "tlm:lockstep:at"})
    EXPECT_TRUE(runs_in_lockstep(lockstep));
  for (const char* other : {"rtl", "model", "tlm:rtl", "tlm:model:at"}) EXPECT_FALSE(runs_in_lockstep(other));
}

TEST_F(InstallationTest, HardwareOfAnotherPresetIsNotTaken) {
  touch("lib/heddle/libheddle_rtl_tiny.so");
  const Installation i({root});
  EXPECT_TRUE(i.backend("rtl", "tiny"));
  const auto r = i.backend("lockstep", "cc80");
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("presets with hardware: tiny"), std::string::npos) << r.error().message();
}

TEST_F(InstallationTest, HardwareWithChecksIsTakenWhereAskedForAndNamedNowhereElse) {
  touch("lib/heddle/libheddle_rtl_tiny.so");
  EXPECT_EQ(
      Installation({root}, true).backend("lockstep", "tiny").error().message(),
      "the hardware of preset 'tiny' is not built with checks (HEDDLE_CHECKED; no libheddle_rtl_tiny_checked.so); "
      "in Heddle's source tree this builds it: ./heddle build heddle_rtl_tiny_checked");
  touch("lib/heddle/libheddle_rtl_tiny_checked.so");
  touch("lib/heddle/libheddle_model.so");
  EXPECT_EQ(Installation({root}, true).backend("rtl", "tiny")->filename(), "libheddle_rtl_tiny_checked.so");
  EXPECT_EQ(Installation({root}, true).backend("model", "tiny")->filename(), "libheddle_model.so");
  EXPECT_EQ(Installation({root}).backend("rtl", "tiny")->filename(), "libheddle_rtl_tiny.so");
  const std::string message = Installation({root, root}).backend("rtl", "cc80").error().message();
  EXPECT_TRUE(message.ends_with(
      "presets with hardware: tiny; in Heddle's source tree this builds it: ./heddle build heddle_rtl_cc80"))
      << message;
}

TEST_F(InstallationTest, TheEnvironmentChoosesChecks) {
  touch("lib/heddle/libheddle_rtl_tiny.so");
  touch("lib/heddle/libheddle_rtl_tiny_checked.so");
  setenv("HEDDLE_HOME", root.c_str(), 1);
  for (const auto& [value, file] : {std::pair{"1", "libheddle_rtl_tiny_checked.so"},
                                    {"0", "libheddle_rtl_tiny.so"},
                                    {"", "libheddle_rtl_tiny.so"}}) {
    setenv("HEDDLE_CHECKED", value, 1);
    EXPECT_EQ(Installation::find().backend("lockstep", "tiny")->filename(), file) << value;
  }
  unsetenv("HEDDLE_CHECKED");
  unsetenv("HEDDLE_HOME");
}

TEST_F(InstallationTest, APresetMayBeAFile) {
  touch("mine.toml");
  EXPECT_TRUE(Installation({}).preset_file((root / "mine.toml").string()));
  EXPECT_FALSE(Installation({}).preset_file((root / "other.toml").string()));
}

TEST_F(InstallationTest, HeddleHomeComesFirst) {
  setenv("HEDDLE_HOME", root.c_str(), 1);
  const Installation i = Installation::find();
  unsetenv("HEDDLE_HOME");
  ASSERT_FALSE(i.roots().empty());
  EXPECT_EQ(i.roots().front(), root);
}

TEST_F(InstallationTest, TheCommandInPathComesLastAndLinksToItAreFollowed) {
  fs::create_directories(root / "bin");
  fs::create_directories(root / "links");
  touch("bin/heddle");
  fs::create_symlink("../bin/heddle", root / "links/heddle");
  const char* before = std::getenv("PATH");
  const std::string kept = before ? before : "";
  setenv("PATH", ("relative::/nowhere:" + (root / "links").string()).c_str(), 1);
  const Installation i = Installation::find();
  setenv("PATH", kept.c_str(), 1);
  ASSERT_FALSE(i.roots().empty());
  EXPECT_EQ(i.roots().back(), fs::canonical(root));
}

}  // namespace
}  // namespace heddle::device
