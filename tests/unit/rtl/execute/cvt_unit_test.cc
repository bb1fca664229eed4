// SPDX-License-Identifier: Apache-2.0
#include <Vcvt_top.h>

#include <bit>

#include "tests/unit/rtl/execute/float_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

constexpr int kScale = scale_of(40);

constexpr isa::Opcode kOps[] = {isa::Opcode::I2f,  isa::Opcode::I642f, isa::Opcode::F2i, isa::Opcode::F2i64,
                                isa::Opcode::Frnd, isa::Opcode::F2d,   isa::Opcode::D2f, isa::Opcode::F2f};

class CvtUnit : public UnitTest<Vcvt_top> {
 protected:
  CvtUnit() : UnitTest(kScale) {}

  Reference reference(const Request& r) const override { return cvt_reference(r); }

  // A 64-bit integer of any length, or its negative, or near a power of two.
  std::uint64_t random_integer() {
    auto& rng = driver.bench.rng;
    std::uint64_t v = rng() >> rng() % 64;
    if (driver.bench.one_in(4)) v = (std::uint64_t{1} << rng() % 64) + rng() % 5 - 2;
    if (driver.bench.one_in(6)) v = (v & ~std::uint64_t{0} << rng() % 64);  // trailing zeros: exact and ties
    return driver.bench.one_in(2) ? v : 0 - v;
  }

  // An f64 about the range of f32, its ties and its subnormals.
  std::uint64_t random_double() {
    auto& rng = driver.bench.rng;
    const std::uint64_t r = rng();
    switch (r & 7) {
      case 0: return rng();
      case 1: return std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(random_float(rng, 0x3f800000))});
      case 2: return (r & std::uint64_t{1} << 63) | (r >> 8) % 3 << 52 | (rng() >> 12);  // f64 subnormals
      case 3: return (r & std::uint64_t{1} << 63) | std::uint64_t{0x7ff} << 52 | (rng() >> 12 >> rng() % 52);
      default: {
        const std::uint64_t exponent = 860 + (r >> 8) % 330;
        const std::uint64_t fraction = rng() >> 12 & ~std::uint64_t{0} << rng() % 40;
        return (r & std::uint64_t{1} << 63) | exponent << 52 | fraction;
      }
    }
  }

  // Of F2F's format; f32 about the range of the format that it becomes, its ties and its subnormals.
  std::uint32_t random_number(Request& r) {
    auto& rng = driver.bench.rng;
    const auto to = static_cast<isa::FloatFormat>(r.get("to"));
    const auto from = r.get("both") ? isa::FloatFormat::F32 : static_cast<isa::FloatFormat>(r.get("from"));
    if (from == isa::FloatFormat::F16 || from == isa::FloatFormat::Bf16) {
      const bool bf16 = from == isa::FloatFormat::Bf16;
      const std::uint32_t low = random_half(rng, bf16, bf16 ? 127 : 15);
      return low | random_half(rng, bf16, bf16 ? 127 : 15) << 16;
    }
    if (from != isa::FloatFormat::F32) return static_cast<std::uint32_t>(rng());
    if (to == isa::FloatFormat::Bf16 || driver.bench.one_in(4)) return random_float(rng, 0x3f800000);
    const std::uint32_t fraction = static_cast<std::uint32_t>(rng() & 0x7fffff) & ~0u << rng() % 23;
    return static_cast<std::uint32_t>(rng() % 2) << 31 | static_cast<std::uint32_t>(98 + rng() % 50) << 23 | fraction;
  }

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    Request r = request_without_operands(op);
    for (unsigned i = 0; i < kWarp; ++i) {
      std::uint64_t b = 0;
      if (op == isa::Opcode::D2f) b = random_double();
      else if (op == isa::Opcode::I2f || op == isa::Opcode::I642f) b = random_integer();
      else if (op == isa::Opcode::F2f) b = random_number(r);
      else b = random_float(rng, 0x4b000000);
      const bool both = op == isa::Opcode::F2f && r.get("both");
      r.a[i] = both ? random_number(r) : static_cast<std::uint32_t>(rng());
      r.b[i] = static_cast<std::uint32_t>(b);
      r.b_hi[i] = static_cast<std::uint32_t>(b >> 32);
    }
    return r;
  }

  void run(isa::Opcode op) {
    UnitTest::run(op, 10'000);
    EXPECT_GT(driver.lanes_checked, 200'000u / kScale);
  }
};

TEST_F(CvtUnit, F32OfS32AndU32) { run(isa::Opcode::I2f); }
TEST_F(CvtUnit, F32OfS64AndU64) { run(isa::Opcode::I642f); }
TEST_F(CvtUnit, Integer32OfF32) { run(isa::Opcode::F2i); }
TEST_F(CvtUnit, Integer64OfF32) { run(isa::Opcode::F2i64); }
TEST_F(CvtUnit, F32RoundedFlushedSaturated) { run(isa::Opcode::Frnd); }
TEST_F(CvtUnit, F64OfF32) { run(isa::Opcode::F2d); }
TEST_F(CvtUnit, F32OfF64) { run(isa::Opcode::D2f); }

TEST_F(CvtUnit, AnyFormatToAny) {
  for (int i = 0; i < 4; ++i) run(isa::Opcode::F2f);
}

TEST_F(CvtUnit, MixedStreamWithGapsAndBackPressure) { run_mixed(kOps, 60, 60); }

TEST_F(CvtUnit, AnswersAfterItsStages) { expect_latency(isa::Opcode::I2f, driver.kSlices ? 5 : 2); }

}  // namespace
}  // namespace heddle::test
