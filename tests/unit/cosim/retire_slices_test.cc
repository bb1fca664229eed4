// SPDX-License-Identifier: Apache-2.0
// Rows of a pair and of two instructions in slices of 8 lanes, mixed: each comes out once, whole.
#include "sim/verilator/retire_slices.h"

#include <gtest/gtest.h>

namespace heddle::rtl {
namespace {

// Lane l of the row is 100 * seq + 1000 * index + l; lane l of p is set where l is a multiple of 3.
cosim::Retire part(uint16_t seq, uint8_t index, unsigned slice, unsigned lanes, bool last) {
  cosim::Retire r{};
  r.warp = 3;
  r.seq = seq;
  r.index = index;
  r.last = last;
  r.p_we = true;
  for (unsigned i = 0; i < lanes; i++) {
    const unsigned lane = slice * lanes + i;
    r.row[i] = 100u * seq + 1000u * index + lane;
    r.p |= uint32_t{lane % 3 == 0} << i;
    r.q |= uint32_t{lane % 3 != 0} << i;
  }
  return r;
}

void expect_whole(const cosim::Retire& r, uint16_t seq, uint8_t index, bool last) {
  const cosim::Retire want = part(seq, index, 0, 32, last);
  EXPECT_EQ(r.seq, seq);
  EXPECT_EQ(r.index, index);
  EXPECT_EQ(r.last, last);
  EXPECT_EQ(r.row, want.row);
  EXPECT_EQ(r.p, want.p);
  EXPECT_EQ(r.q, want.q);
}

TEST(RetireSlices, WholeRowsPassThrough) {
  RetireSlices slices;
  const auto row = slices.add(part(7, 0, 0, 32, false), 0, 32);
  ASSERT_TRUE(row);
  expect_whole(*row, 7, 0, false);
}

TEST(RetireSlices, RowsOfSeveralInstructionsAtOnce) {
  RetireSlices slices;
  for (unsigned s = 0; s < 4; s++) {
    const auto low = slices.add(part(7, 0, s, 8, false), s, 8);
    const auto other = slices.add(part(9, 0, s, 8, s == 3), s, 8);
    const auto high = slices.add(part(7, 1, s, 8, s == 3), s, 8);
    ASSERT_EQ(low.has_value(), s == 3);
    ASSERT_EQ(other.has_value(), s == 3);
    ASSERT_EQ(high.has_value(), s == 3);
    if (s < 3) continue;
    expect_whole(*low, 7, 0, false);
    expect_whole(*other, 9, 0, true);
    expect_whole(*high, 7, 1, true);
  }
}

TEST(RetireSlices, AnEndWithoutRowsIsOnePart) {
  RetireSlices slices;
  EXPECT_TRUE(slices.add(part(7, 0, 0, 8, true), 0, 8));
  // Nothing of it is left for the instruction after it.
  EXPECT_FALSE(slices.add(part(7, 0, 0, 8, false), 0, 8));
}

}  // namespace
}  // namespace heddle::rtl
