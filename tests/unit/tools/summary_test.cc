// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/summary.h"

#include <gtest/gtest.h>

#include "host-runtime/driver/report.h"

namespace heddle::tools {
namespace {

nlohmann::json report(const char* device, uint64_t compared) {
  driver::Report r;
  r.device = device;
  r.preset = "cc80";
  driver::KernelRun k;
  k.name = "add(int*)";
  k.cycles = 1000;
  k.warp_instructions = 500;
  k.thread_instructions = 16000;
  k.compared_instructions = compared;
  k.wall_seconds = 0.01;
  r.add(k);
  r.add(k);
  return nlohmann::json::parse(driver::to_json(r));
}

TEST(Summary, LaunchesOfOneKernelAreOneLine) {
  const std::string text = summary(report("rtl", 0));
  EXPECT_NE(text.find("add(int*)"), std::string::npos);
  EXPECT_EQ(text.find("add(int*)"), text.rfind("add(int*)"));
  EXPECT_NE(text.find("2,000"), std::string::npos);
  EXPECT_NE(text.find("0.50   32.0"), std::string::npos) << text;
}

TEST(Summary, LockstepThatComparedNothingIsShouted) {
  EXPECT_TRUE(compared_nothing(report("lockstep", 0)));
  EXPECT_NE(summary(report("lockstep", 0)).find("COMPARED NOTHING"), std::string::npos);
  EXPECT_FALSE(compared_nothing(report("lockstep", 500)));
  EXPECT_FALSE(compared_nothing(report("rtl", 0)));
  auto interrupted = report("lockstep", 0);
  interrupted["status"] = "interrupted";
  EXPECT_FALSE(compared_nothing(interrupted));
}

TEST(Summary, ShortNumbers) {
  EXPECT_EQ(short_number(12), "12");
  EXPECT_EQ(short_number(1234567), "1.23 M");
}

}  // namespace
}  // namespace heddle::tools
