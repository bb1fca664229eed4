// SPDX-License-Identifier: Apache-2.0
// What the tests of the units of integers share: random requests, compared with int_reference.
#ifndef HEDDLE_TESTS_UNIT_RTL_EXECUTE_INTEGER_TEST_H_
#define HEDDLE_TESTS_UNIT_RTL_EXECUTE_INTEGER_TEST_H_

#include <vector>

#include "tests/unit/rtl/execute/int_reference.h"
#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {

inline std::vector<isa::Opcode> ops_of(isa::Unit unit) {
  std::vector<isa::Opcode> ops;
  for (const isa::OpInfo& info : isa::all()) {
    if (info.unit == unit && info.status == isa::Status::Built) ops.push_back(info.op);
  }
  return ops;
}

template <class Model>
class IntegerTest : public UnitTest<Model> {
 protected:
  using UnitTest<Model>::driver;
  static constexpr int kScale = scale_of(20);

  IntegerTest() : UnitTest<Model>(kScale) {}

  Reference reference(const Request& r) const override { return int_reference(r); }

  // Corners, small numbers, shift counts, field descriptors, anything.
  std::uint32_t operand() {
    static constexpr std::uint32_t kCorners[] = {
        0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xffff, 0xff00};
    auto& rng = driver.bench.rng;
    const std::uint64_t r = rng();
    switch (r % 5) {
      case 0: return kCorners[(r >> 8) % std::size(kCorners)];
      case 1: return static_cast<std::uint32_t>(r >> 8) % 70;
      case 2: return static_cast<std::uint32_t>((r >> 8) % 40 | ((r >> 20) % 40) << 8);
      case 3: return 0u - static_cast<std::uint32_t>(r >> 8) % 70;
      default: return static_cast<std::uint32_t>(r >> 32);
    }
  }

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    Request r = this->request_without_operands(op);
    if (driver.bench.one_in(3)) r.mask = static_cast<std::uint32_t>(rng());
    r.p2 = static_cast<std::uint32_t>(rng());
    for (Row* row : {&r.a, &r.b, &r.c, &r.a_hi, &r.b_hi, &r.c_hi}) {
      for (auto& word : *row) word = operand();
    }
    if (driver.bench.one_in(4)) r.b = r.a;  // equal operands
    if (driver.bench.one_in(4)) r.b_hi = r.a_hi;
    return r;
  }
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_EXECUTE_INTEGER_TEST_H_
