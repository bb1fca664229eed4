// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/elf_program.h"

#include <gtest/gtest.h>

#include <fstream>

namespace heddle::tools {
namespace {

using Kind = CudartChoice::Kind;
namespace fs = std::filesystem;

constexpr const char* kNoCache = "/nonexistent";
const std::string kOurs = HEDDLE_BUILD_DIR "/lib";
const fs::path kPrograms = PROGRAMS_DIR;

TEST(FindCudart, TheLibraryPathDecidesForAPlainProgram) {
  const auto c = find_cudart(kPrograms / "count_plain", kOurs, kNoCache);
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->kind, Kind::Shared);
  EXPECT_TRUE(c->ours);
  EXPECT_EQ(c->found_by, "LD_LIBRARY_PATH");
}

TEST(FindCudart, AnRpathWinsOverTheLibraryPath) {
  const auto c = find_cudart(kPrograms / "count_rpath", kOurs, kNoCache);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->kind, Kind::Shared);
  EXPECT_FALSE(c->ours);
  EXPECT_EQ(c->found_by, "DT_RPATH");
  EXPECT_NE(describe(*c).find("another vendor's"), std::string::npos) << describe(*c);
}

TEST(FindCudart, ARunpathComesAfterTheLibraryPath) {
  const auto ours = find_cudart(kPrograms / "count_runpath", kOurs, kNoCache);
  ASSERT_TRUE(ours);
  EXPECT_TRUE(ours->ours);
  const auto theirs = find_cudart(kPrograms / "count_runpath", "", kNoCache);
  ASSERT_TRUE(theirs);
  EXPECT_FALSE(theirs->ours);
  EXPECT_EQ(theirs->found_by, "DT_RUNPATH");
}

TEST(FindCudart, AStaticRuntimeIsSeen) {
  const auto c = find_cudart(kPrograms / "static_vendor", kOurs, kNoCache);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->kind, Kind::Static);
  EXPECT_FALSE(c->ours);
}

TEST(FindCudart, AProgramWithoutCudaHasNone) {
  const auto c = find_cudart("/bin/sh", kOurs, kNoCache);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->kind, Kind::None);
}

TEST(FindCudart, WhatIsNoProgramIsAnError) {
  const fs::path file = fs::path(::testing::TempDir()) / "heddle_not_elf";
  std::ofstream(file) << "#!/bin/sh\n";
  EXPECT_FALSE(find_cudart(file, "", kNoCache));
  EXPECT_FALSE(find_cudart("/nonexistent", "", kNoCache));
}

TEST(FindCudart, ADamagedProgramDoesNotCrashTheReader) {
  std::ifstream in(kPrograms / "count_plain", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  const fs::path file = fs::path(::testing::TempDir()) / "heddle_damaged_elf";
  for (size_t i = 16; i < bytes.size(); i += 7 + i / 50) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(~bad[i]);
    if (i % 3 == 0) bad.resize(i);
    std::ofstream(file, std::ios::binary) << bad;
    (void)find_cudart(file, "", kNoCache).ok();
  }
}

}  // namespace
}  // namespace heddle::tools
