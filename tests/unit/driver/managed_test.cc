// SPDX-License-Identifier: Apache-2.0
// Managed memory and the addresses of the process.
#include "host-runtime/driver/managed.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace heddle::driver {
namespace {

constexpr uint64_t kPage = ManagedMemory::kPage;
constexpr uint64_t kWindow = uint64_t{0x2000} << 32, kWindowBytes = 64 * kPage;

void* map_page(uint64_t address) {
  void* page = mmap(reinterpret_cast<void*>(address), kPage, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  return page == MAP_FAILED ? nullptr : page;
}

// Whether the process may read there.
bool readable(uint64_t address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool yes = write(ends[1], reinterpret_cast<void*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return yes;
}

TEST(ManagedMemoryTest, PagesComeAndGoInsideTheWindow) {
  ASSERT_TRUE(reserve_window(kWindow, kWindowBytes));
  {
    ManagedMemory managed;
    managed.set_window(kWindow, kWindowBytes);
    EXPECT_FALSE(readable(kWindow));
    ASSERT_TRUE(managed.add(kWindow, {5, 7, kWindow}));
    auto* byte = reinterpret_cast<volatile char*>(kWindow);
    EXPECT_EQ(*byte, 0);
    *byte = 1;
    EXPECT_TRUE(managed.overlaps(kWindow + kPage - 1, 1));
    EXPECT_FALSE(readable(kWindow + kPage));
    EXPECT_EQ(managed.remove(kWindow), 7u);
    EXPECT_FALSE(readable(kWindow));
    ASSERT_TRUE(managed.add(kWindow, {kPage, 7, kWindow}));
    EXPECT_EQ(*byte, 0);  // other pages than before
    for (const uint64_t address : {kWindow - kPage, kWindow + kWindowBytes, kWindow + kWindowBytes - kPage})
      EXPECT_FALSE(managed.add(address, {2 * kPage, 7, address})) << address;
    EXPECT_FALSE(managed.add(kWindow, {SIZE_MAX, 7, kWindow}));
  }
  EXPECT_FALSE(readable(kWindow));
  munmap(reinterpret_cast<void*>(kWindow), kWindowBytes);
}

TEST(ManagedMemoryTest, WithoutAWindowNothingOfTheProgramsIsTouched) {
  auto* page = static_cast<char*>(map_page(0));
  ASSERT_NE(page, nullptr);
  std::strcpy(page, "the program's");
  const auto address = reinterpret_cast<uint64_t>(page);
  {
    ManagedMemory managed;
    const Status refused = managed.add(address, {kPage, 7, address});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Code::MemoryAllocation);
    EXPECT_EQ(managed.remove(address), 0u);
  }
  EXPECT_STREQ(page, "the program's");
  munmap(page, kPage);
}

TEST(ManagedMemoryTest, AWindowThatIsPartlyTakenIsNotReserved) {
  auto* page = static_cast<char*>(map_page(kWindow + 3 * kPage));
  ASSERT_NE(page, nullptr);
  std::strcpy(page, "the program's");
  EXPECT_FALSE(reserve_window(kWindow, kWindowBytes));
  EXPECT_STREQ(page, "the program's");
  void* beside = map_page(kWindow);
  EXPECT_NE(beside, nullptr);
  munmap(beside, kPage);
  munmap(page, kPage);
}

}  // namespace
}  // namespace heddle::driver
