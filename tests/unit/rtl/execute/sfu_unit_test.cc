// SPDX-License-Identifier: Apache-2.0
#include <Vsfu_top.h>

#include <bit>

#include "sim/model/mufu.h"
#include "tests/unit/rtl/execute/float_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

constexpr int kScale = scale_of(40);

constexpr unsigned kFunctions[] = {0, 1, 2, 3, 4, 5, 6, 7};

Reference mufu_reference(const Request& r) {
  const auto op = static_cast<isa::MufuOp>(r.get("op"));
  const bool neg = r.get("neg"), abs = r.get("abs");
  return {.lane = [=](const Request& request, unsigned lane) {
    const std::uint32_t b = request.b[lane], sign = (b >> 31 && !abs) != neg;
    return LaneResult{.d = model::mufu(op, (b & 0x7fffffff) | sign << 31)};
  }};
}

class SfuUnit : public UnitTest<Vsfu_top, unsigned, ::testing::TestWithParam<unsigned>> {
 protected:
  SfuUnit() : UnitTest(kScale) {}

  Reference reference(const Request& r) const override { return mufu_reference(r); }

  Request request(unsigned op) {
    Request r;
    r.op = static_cast<std::uint8_t>(isa::Opcode::Mufu);
    r.mod = op;
    return r;
  }
  Request random_request(unsigned op) override {
    auto& rng = driver.bench.rng;
    Request r = request(op);
    if (driver.bench.one_in(2)) r.mod |= static_cast<std::uint32_t>(rng() % 4) << 3;  // neg, abs
    r.mask = driver.bench.one_in(4) ? static_cast<std::uint32_t>(rng()) : ~0u;
    for (auto& b : r.b) b = random_float(rng, 0x3f800000);
    return r;
  }
};

TEST_P(SfuUnit, AnyArgument) {
  run(GetParam(), 10'000);
  EXPECT_GT(driver.lanes_checked, 200'000u / kScale);
}

// Both ends of 128 segments in every binade that has a table, and one place between.
TEST_P(SfuUnit, EverySegment) {
  for (unsigned exponent = 103; exponent < 137 && !HasFatalFailure(); exponent += kScale > 1 ? 8 : 1) {
    for (unsigned group = 0; group < 12 && !HasFatalFailure(); ++group) {
      Request r = request(GetParam());
      for (unsigned lane = 0; lane < kWarp; ++lane) {
        const unsigned at = group * kWarp + lane, segment = at / 3;
        const std::uint32_t low = at % 3 == 0 ? 0 : at % 3 == 1 ? 0xffff : driver.bench.rng() & 0xffff;
        const std::uint32_t sign = driver.bench.one_in(4) ? 0x80000000 : 0;
        r.b[lane] = sign | exponent << 23 | segment << 16 | low;
      }
      send(r);
    }
  }
  driver.drain();
}

// Where functions turn exact: whole numbers, halves, quarters, powers of two.
TEST_P(SfuUnit, RoundNumbers) {
  for (int i = -1024 / kScale; i < 1024 / kScale && !HasFatalFailure(); i += 16) {
    Request r = request(GetParam());
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      const float quarters = static_cast<float>(i + static_cast<int>(lane & 15)) / 4;
      const std::uint32_t power = static_cast<std::uint32_t>(i & 0xff) << 23;
      r.b[lane] = lane < 16 ? std::bit_cast<std::uint32_t>(quarters) : power + (lane << 27);
    }
    send(r);
  }
  driver.drain();
}

INSTANTIATE_TEST_SUITE_P(Functions, SfuUnit, ::testing::ValuesIn(kFunctions));

using SfuStream = SfuUnit;

TEST_P(SfuStream, MixedWithGapsAndBackPressure) { run_mixed(kFunctions, 60, 60); }

TEST_P(SfuStream, AnswersAfterItsStages) { expect_latency(0, driver.kSlices ? 8 : 4); }

INSTANTIATE_TEST_SUITE_P(Any, SfuStream, ::testing::Values(0u));

}  // namespace
}  // namespace heddle::test
