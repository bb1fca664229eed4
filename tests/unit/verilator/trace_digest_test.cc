// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/trace_digest.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle::rtl {
namespace {

cosim::Retire retirement() {
  cosim::Retire e{};
  e.warp = 3;
  e.seq = 17;
  e.rd = 5;
  e.pd = 1;
  e.pq = 7;
  e.row_we = true;
  e.p_we = true;
  e.mask = 0xff;
  for (unsigned lane = 0; lane < 32; lane++) e.row[lane] = lane * lane;
  return e;
}

// Of a kernel that starts in cycle `start`, issues and retires one instruction.
uint64_t digest(const cosim::Retire& retire, uint64_t start = 100, uint64_t at = 120, uint32_t pc = 64) {
  TraceDigest d;
  d.add(cosim::Event(cosim::KernelStart{}, start));
  d.add(cosim::Event(cosim::Issue{0, 3, 17, pc, 0xff}, start + 10));
  d.add(cosim::Event(retire, at));
  return d.value();
}

TEST(TraceDigest, IsZeroBeforeAnyKernel) { EXPECT_EQ(TraceDigest().value(), 0u); }

TEST(TraceDigest, IsTheSameWheneverTheKernelStarts) {
  EXPECT_EQ(digest(retirement(), 100, 120), digest(retirement(), 5000, 5020));
}

TEST(TraceDigest, StartsAnewWithEachKernel) {
  TraceDigest d;
  d.add(cosim::Event(cosim::KernelStart{}, 1));
  d.add(cosim::Event(retirement(), 9));
  d.add(cosim::Event(cosim::KernelStart{}, 100));
  d.add(cosim::Event(cosim::Issue{0, 3, 17, 64, 0xff}, 110));
  d.add(cosim::Event(retirement(), 120));
  EXPECT_EQ(d.value(), digest(retirement()));
}

TEST(TraceDigest, ChangesWithEverythingThatRetires) {
  const uint64_t expected = digest(retirement());
  const std::function<void(cosim::Retire&)> changes[] = {
      // clang-format off
      [](auto& e) { e.warp ^= 1; },      [](auto& e) { e.seq++; },         [](auto& e) { e.rd++; },
      [](auto& e) { e.pd = 2; },         [](auto& e) { e.pq = 2; },        [](auto& e) { e.mask ^= 1; },
      [](auto& e) { e.row[7] ^= 1; },    [](auto& e) { e.p ^= 0x80; },     [](auto& e) { e.last = true; },
      [](auto& e) { e.row_we = false; }, [](auto& e) { e.p_we = false; },  [](auto& e) { e.index = 1; },
      // clang-format on
      [](auto& e) { std::swap(e.row[2], e.row[3]); },
  };
  int number = 0;
  for (const auto& change : changes) {
    cosim::Retire e = retirement();
    change(e);
    EXPECT_NE(digest(e), expected) << "change " << number;
    number++;
  }
}

TEST(TraceDigest, ChangesWithTheCycleAndWithThePc) {
  EXPECT_NE(digest(retirement(), 100, 121), digest(retirement()));
  EXPECT_NE(digest(retirement(), 100, 120, 80), digest(retirement()));
}

TEST(TraceDigest, IgnoresWhatIsNotWritten) {
  cosim::Retire e = retirement();
  e.row[8] ^= 1;  // a lane outside the mask
  e.p ^= 0x100;
  e.q ^= 1;  // no destination
  EXPECT_EQ(digest(e), digest(retirement()));
}

}  // namespace
}  // namespace heddle::rtl
