// SPDX-License-Identifier: Apache-2.0
#include <Vsfu_top.h>

#include <bit>

#include "sim/model/mufu.h"
#include "tests/unit/rtl/execute/float_reference.h"

namespace heddle::test {
namespace {

#ifdef HEDDLE_NETLIST
constexpr int kScale = 40;  // gates are slow
#else
constexpr int kScale = 1;
#endif

constexpr unsigned kFunctions = 8;

Reference mufu_reference(const Request& r) {
  const auto op = static_cast<isa::MufuOp>(r.get("op"));
  return {.lane = [op](const Request& request, unsigned lane) {
    return LaneResult{.d = model::mufu(op, request.b[lane])};
  }};
}

class SfuUnit : public ::testing::TestWithParam<unsigned> {
 protected:
  SfuUnit() : driver(seed()) {}

  Request request(unsigned op) {
    Request r;
    r.op = static_cast<std::uint8_t>(isa::Opcode::Mufu);
    r.mod = op;
    return r;
  }
  Request random_request(unsigned op) {
    auto& rng = driver.bench.rng;
    Request r = request(op);
    r.mask = driver.bench.one_in(4) ? static_cast<std::uint32_t>(rng()) : ~0u;
    for (auto& b : r.b) b = random_float(rng, 0x3f800000);
    return r;
  }
  void send(const Request& r) { driver.send(r, mufu_reference(r)); }

  UnitDriver<Vsfu_top> driver;
};

TEST_P(SfuUnit, AnyArgument) {
  for (int i = 0; i < 10'000 / kScale && !HasFatalFailure(); ++i) send(random_request(GetParam()));
  driver.drain();
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

INSTANTIATE_TEST_SUITE_P(Functions, SfuUnit, ::testing::Range(0u, kFunctions));

using SfuStream = SfuUnit;

TEST_P(SfuStream, MixedWithGapsAndBackPressure) {
  for (int phase = 0; phase < 60 / kScale + 2 && !HasFatalFailure(); ++phase) {
    driver.request_every = 1 + driver.bench.rng() % 4;
    driver.response_every = 1 + driver.bench.rng() % 4;
    for (int i = 0; i < 60 && !HasFatalFailure(); ++i) send(random_request(driver.bench.rng() % kFunctions));
  }
  driver.drain();
}

TEST_P(SfuStream, AnswersAfterItsStages) {
  send(random_request(0));
  const std::uint64_t start = driver.bench.cycle;
  driver.drain();  // one cycle more to see that it is idle
  EXPECT_EQ(driver.bench.cycle - start, (driver.kSlices ? 8 : 4) + driver.kBeatsToCome + 1);
}

INSTANTIATE_TEST_SUITE_P(Any, SfuStream, ::testing::Values(0u));

}  // namespace
}  // namespace heddle::test
