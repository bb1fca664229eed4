// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/allocator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

namespace heddle::driver {
namespace {

constexpr uint64_t kBase = uint64_t{1} << 36;
constexpr uint64_t kSize = 1 << 20;

TEST(DeviceAllocator, HandsOutAlignedDisjointRanges) {
  DeviceAllocator heap(kBase, kSize);
  const uint64_t a = *heap.allocate(1), b = *heap.allocate(257), c = *heap.allocate(256);
  for (const uint64_t p : {a, b, c}) EXPECT_EQ(p % DeviceAllocator::kGranule, 0u);
  EXPECT_GE(b, a + 256);
  EXPECT_GE(c, b + 512);
  EXPECT_EQ(heap.free(), kSize - 1024);
}

TEST(DeviceAllocator, TakesTheSmallestHoleThatFits) {
  DeviceAllocator heap(kBase, kSize);
  const uint64_t large = *heap.allocate(4096);
  ASSERT_TRUE(heap.allocate(256));
  const uint64_t small = *heap.allocate(512);
  ASSERT_TRUE(heap.allocate(256));
  ASSERT_TRUE(heap.release(large));
  ASSERT_TRUE(heap.release(small));
  EXPECT_EQ(*heap.allocate(500), small);
}

TEST(DeviceAllocator, JoinsNeighbouringHoles) {
  DeviceAllocator heap(kBase, 4096);
  uint64_t p[4];
  for (auto& x : p) x = *heap.allocate(1024);
  EXPECT_FALSE(heap.allocate(1));
  for (const int i : {1, 3, 0, 2}) ASSERT_TRUE(heap.release(p[i]));
  EXPECT_EQ(heap.largest_hole(), 4096u);
  EXPECT_TRUE(heap.allocate(4096));
}

TEST(DeviceAllocator, OutOfMemoryNamesWhatIsFree) {
  DeviceAllocator heap(kBase, 4096);
  const auto r = heap.allocate(8192);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::MemoryAllocation);
  EXPECT_NE(r.error().message().find("4096 of 4096 free"), std::string::npos) << r.error().message();
}

TEST(DeviceAllocator, HugeRequestsDoNotWrapAround) {
  DeviceAllocator heap(kBase, 4096);
  EXPECT_FALSE(heap.allocate(~uint64_t{0}));
  EXPECT_FALSE(heap.allocate(~uint64_t{0} - 100));
}

TEST(DeviceAllocator, TellsADoubleFreeFromOtherBadPointers) {
  DeviceAllocator heap(kBase, kSize);
  const uint64_t p = *heap.allocate(1024);
  const auto inside = heap.release(p + 256);
  ASSERT_FALSE(inside);
  EXPECT_NE(inside.error().message().find("256 bytes into the allocation"), std::string::npos);
  ASSERT_TRUE(heap.release(p));
  const auto twice = heap.release(p);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code(), Code::InvalidValue);
  EXPECT_NE(twice.error().message().find("was freed before"), std::string::npos);
  EXPECT_NE(heap.release(p + 4096).error().message().find("is no allocation"), std::string::npos);
}

TEST(DeviceAllocator, AReusedAddressIsNoDoubleFree) {
  DeviceAllocator heap(kBase, 4096);
  const uint64_t a = *heap.allocate(4096);
  ASSERT_TRUE(heap.release(a));
  EXPECT_EQ(*heap.allocate(4096), a);
  EXPECT_TRUE(heap.release(a));
}

TEST(DeviceAllocator, FindsTheAllocationOfAnAddress) {
  DeviceAllocator heap(kBase, kSize);
  const uint64_t p = *heap.allocate(100);
  EXPECT_EQ(heap.find(p + 99)->address, p);
  EXPECT_FALSE(heap.find(p + 100));  // the request, not the rounded size
  EXPECT_FALSE(heap.find(p - 1));
  EXPECT_EQ(heap.before(p + 5000)->address, p);
}

TEST(DeviceAllocator, RandomUseAgreesWithABookkeeper) {
  const char* text = std::getenv("HEDDLE_SEED");
  const unsigned seed = text ? static_cast<unsigned>(std::atoi(text)) : std::random_device{}();
  RecordProperty("seed", static_cast<int>(seed));
  SCOPED_TRACE("HEDDLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  DeviceAllocator heap(kBase, kSize);
  std::map<uint64_t, uint64_t> live;
  uint64_t used = 0;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 || live.empty()) {
      const uint64_t bytes = 1 + random() % 20000, rounded = (bytes + 255) / 256 * 256;
      const auto p = heap.allocate(bytes);
      if (!p) {
        ASSERT_LT(heap.largest_hole(), rounded);
        continue;
      }
      const auto next = live.lower_bound(*p);
      ASSERT_TRUE(next == live.end() || *p + rounded <= next->first);
      if (next != live.begin()) {
        const auto below = std::prev(next);
        ASSERT_LE(below->first + below->second, *p);
      }
      live[*p] = rounded;
      used += rounded;
    } else {
      auto it = std::next(live.begin(), static_cast<long>(random() % live.size()));
      ASSERT_TRUE(heap.release(it->first));
      used -= it->second;
      live.erase(it);
    }
    ASSERT_EQ(heap.free(), kSize - used);
    ASSERT_EQ(heap.live(), live.size());
  }
}

}  // namespace
}  // namespace heddle::driver
