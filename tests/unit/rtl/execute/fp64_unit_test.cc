// SPDX-License-Identifier: Apache-2.0
#include <Vfp64_top.h>

#include <bit>

#include "tests/unit/rtl/execute/float_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

using u64 = std::uint64_t;

constexpr int kScale = scale_of(100);

constexpr isa::Opcode kOps[] = {isa::Opcode::Dadd,  isa::Opcode::Dmul, isa::Opcode::Dfma,  isa::Opcode::Dmnmx,
                                isa::Opcode::Dsetp, isa::Opcode::I2d,  isa::Opcode::I642d, isa::Opcode::D2i,
                                isa::Opcode::D2i64, isa::Opcode::Drnd};

// Bit patterns that reach every path; `near` gives the exponent's neighbourhood for some.
template <class Rng>
u64 random_double(Rng& rng, u64 near) {
  constexpr u64 kSign = u64{1} << 63, kFraction = (u64{1} << 52) - 1;
  // clang-format off
  static constexpr u64 kCorners[] = {
      0, 1, 2, kFraction, kFraction + 1, kFraction + 2, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001,
      0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x4000000000000000,
      0x4004000000000000, 0x4330000000000000, 0x4330000000000001, 0x432fffffffffffff, 0x4340000000000000,
      0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41effffffff00000,
      0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
      0x40dfffc000000000, 0x40efffe000000000, 0x405fc00000000000, 0x406fe00000000000, 0x7fefffffffffffff,
      0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff, 0x7ff4000000000123};
  // clang-format on
  const u64 r = rng(), v = rng(), sign = v & kSign;
  const auto at = [&](int exponent) {
    return sign | static_cast<u64>(exponent < 0 ? 0 : exponent > 2047 ? 2047 : exponent) << 52 | (v & kFraction);
  };
  switch (r & 7) {
    case 0: return sign | kCorners[(r >> 8) % std::size(kCorners)];
    case 1:
      return v & (kSign | kFraction) & ~u64{0} >> ((r >> 8) % 64 == 63 ? 0 : (r >> 16) % 12);  // subnormal, mostly
    case 2: return at(static_cast<int>(900 + (r >> 8) % 256)) | (r & 0x80 ? kFraction : 0);
    case 3: return at(static_cast<int>(1010 + (r >> 8) % 80));  // about integers
    case 4:
    case 5: return at(static_cast<int>(near >> 52 & 2047) + static_cast<int>((r >> 8) % 131) - 65);  // about `near`
    case 6: return at(static_cast<int>(1020 + (r >> 8) % 70)) & ~u64{0} << ((r >> 16) % 53);
    default: return v;
  }
}

class Fp64Unit : public UnitTest<Vfp64_top> {
 protected:
  Fp64Unit() : UnitTest(kScale) {}

  Reference reference(const Request& r) const override { return fp64_reference(r); }

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    Request r = request_without_operands(op);
    const bool integers = op == isa::Opcode::I2d || op == isa::Opcode::I642d;
    for (unsigned i = 0; i < kWarp; ++i) {
      const u64 a = random_double(rng, std::bit_cast<u64>(1.0));
      // Products in range half of the time; addends near the product or near its negative.
      u64 b = random_double(rng, op == isa::Opcode::Dfma || op == isa::Opcode::Dmul ? 0x7fe0000000000000 - a : a);
      const double product = std::bit_cast<double>(a) * std::bit_cast<double>(b);
      u64 c = random_double(rng, std::bit_cast<u64>(product));
      if (driver.bench.one_in(8)) c = std::bit_cast<u64>(-product);  // massive cancellation
      if (driver.bench.one_in(16)) b = a ^ u64 { 1 } << 63;
      if (integers) b = driver.bench.one_in(8) ? u64{1} << rng() % 64 : rng() >> rng() % 64;
      if (integers && driver.bench.one_in(4)) b = 0 - b;
      r.a[i] = static_cast<std::uint32_t>(a), r.a_hi[i] = static_cast<std::uint32_t>(a >> 32);
      r.b[i] = static_cast<std::uint32_t>(b), r.b_hi[i] = static_cast<std::uint32_t>(b >> 32);
      r.c[i] = static_cast<std::uint32_t>(c), r.c_hi[i] = static_cast<std::uint32_t>(c >> 32);
    }
    return r;
  }
};

TEST_F(Fp64Unit, FusedMultiplyAdd) {
  run(isa::Opcode::Dfma, 80'000);
  EXPECT_GT(driver.lanes_checked, 1'500'000u / kScale);
}

TEST_F(Fp64Unit, Add) { run(isa::Opcode::Dadd, 30'000); }
TEST_F(Fp64Unit, Multiply) { run(isa::Opcode::Dmul, 30'000); }
TEST_F(Fp64Unit, MinimumAndMaximum) { run(isa::Opcode::Dmnmx, 10'000); }
TEST_F(Fp64Unit, Comparison) { run(isa::Opcode::Dsetp, 10'000); }
TEST_F(Fp64Unit, FromIntegers) {
  run(isa::Opcode::I2d, 5'000);
  run(isa::Opcode::I642d, 15'000);
}
TEST_F(Fp64Unit, ToIntegers) {
  run(isa::Opcode::D2i, 15'000);
  run(isa::Opcode::D2i64, 15'000);
}
TEST_F(Fp64Unit, ToIntegralNumbers) { run(isa::Opcode::Drnd, 20'000); }

TEST_F(Fp64Unit, MixedStreamWithGapsAndBackPressure) { run_mixed(kOps, 60, 200); }

TEST_F(Fp64Unit, TakesAnInstructionEveryWarpOverLanesCycles) { expect_rate(isa::Opcode::Dfma, kWarp / HEDDLE_LANES); }

TEST_F(Fp64Unit, AnswersAfterItsStages) { expect_latency(isa::Opcode::Dfma, driver.kSlices ? 7 : 2); }

}  // namespace
}  // namespace heddle::test
