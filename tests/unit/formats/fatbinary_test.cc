// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/fatbinary.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::formats {
namespace {

const std::string kPtx = ".version 8.3\n.target sm_80\n";
const std::string kElf(
    "\x7f"
    "ELF\0\1\2",
    7);

std::vector<uint8_t> sample() { return write_fat_binary({{FatKind::kElf, 80, kElf}, {FatKind::kPtx, 70, kPtx}}); }

// Without its checksum, so that damage reaches the checks behind it.
std::vector<uint8_t> unsummed() {
  auto container = sample();
  std::memset(container.data() + offsetof(FatHeader, checksum), 0, sizeof(uint32_t));
  return container;
}

TEST(FatBinary, ReadsWhatWasWritten) {
  const auto container = sample();
  const auto entries = read_fat_binary(container.data(), container.size());
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].kind, FatKind::kElf);
  EXPECT_EQ((*entries)[0].sm, 80u);
  EXPECT_EQ((*entries)[0].payload, kElf);
  EXPECT_EQ((*entries)[1].kind, FatKind::kPtx);
  EXPECT_EQ((*entries)[1].payload, kPtx);
}

TEST(FatBinary, TextIsFollowedByANul) {
  const auto container = sample();
  const auto entries = read_fat_binary(container.data());
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ(std::strlen((*entries)[1].payload.data()), kPtx.size());
}

TEST(FatBinary, AForeignContainerIsRefused) {
  const char other[64] = "\x50\xed\x55\xba";
  const auto entries = read_fat_binary(other, sizeof other);
  ASSERT_FALSE(entries.ok());
  EXPECT_NE(entries.error().message().find("magic"), std::string::npos);
}

TEST(FatBinary, AnUnknownVersionIsRefused) {
  auto container = sample();
  container[offsetof(FatHeader, version)] = 9;
  EXPECT_FALSE(read_fat_binary(container.data(), container.size()).ok());
}

TEST(FatBinary, ACutContainerIsRefused) {
  const auto container = sample();
  EXPECT_FALSE(read_fat_binary(container.data(), container.size() - 1).ok());
}

TEST(FatBinary, AnEntryOutsideIsRefused) {
  auto container = unsummed();
  const uint64_t far = 1 << 20;
  std::memcpy(container.data() + sizeof(FatHeader) + offsetof(FatEntryRecord, offset), &far, 8);
  EXPECT_FALSE(read_fat_binary(container.data(), container.size()).ok());
}

TEST(FatBinary, EveryDamagedByteBehindTheHeaderIsSeen) {
  const auto whole = sample();
  for (size_t i = sizeof(FatHeader); i < whole.size(); ++i) {
    auto container = whole;
    container[i] ^= 0x10;
    const auto entries = read_fat_binary(container.data(), container.size());
    ASSERT_FALSE(entries.ok()) << "byte " << i;
    EXPECT_NE(entries.error().message().find("checksum"), std::string::npos);
  }
}

TEST(FatBinary, NoDamageMakesTheReaderLookOutside) {
  const auto whole = unsummed();
  for (size_t i = 0; i < whole.size(); ++i)
    for (const uint8_t value : {0x00, 0x7f, 0x80, 0xff}) {
      auto container = whole;
      container[i] = value;
      const auto entries = read_fat_binary(container.data(), container.size());
      if (!entries.ok()) continue;
      const char* begin = reinterpret_cast<const char*>(container.data());
      for (const auto& entry : *entries) {
        EXPECT_GE(entry.payload.data(), begin);
        EXPECT_LE(entry.payload.data() + entry.payload.size(), begin + container.size());
      }
    }
}

TEST(FatBinary, UnknownKindsAreSkipped) {
  auto container = unsummed();
  container[sizeof(FatHeader)] = 77;
  const auto entries = read_fat_binary(container.data(), container.size());
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ(entries->size(), 1u);
}

}  // namespace
}  // namespace heddle::formats
