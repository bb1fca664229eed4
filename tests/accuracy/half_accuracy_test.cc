// SPDX-License-Identifier: Apache-2.0
// The math functions of half precision on all 65,536 numbers of both formats against MPFR: the manual says that each is
// the correctly rounded result.
#include <gtest/gtest.h>

#include <cstdio>

#include "half_functions.h"

namespace heddle::test {
namespace {

class HalfMath : public testing::TestWithParam<HalfFunction> {
 protected:
  static void check(bool bf16) {
    const HalfFunction& f = GetParam();
    const HalfTally t = measure(f, bf16);
    for (const auto& w : t.all) std::printf("h%s(%04x) is %04x, expected %04x\n", f.name, w.x, w.got, w.expected);
    EXPECT_TRUE(t.all.empty()) << "h" << f.name << ", at worst " << t.worst << " numbers off";
  }
};

TEST_P(HalfMath, F16CorrectlyRounded) { check(false); }
TEST_P(HalfMath, Bf16CorrectlyRounded) { check(true); }

INSTANTIATE_TEST_SUITE_P(AllNumbers, HalfMath, testing::ValuesIn(half_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
