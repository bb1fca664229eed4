// SPDX-License-Identifier: Apache-2.0
// What the tests of all execution units do: random requests against a reference, streams with gaps and
// back-pressure, rate and latency.
#ifndef HEDDLE_TESTS_UNIT_RTL_EXECUTE_UNIT_TEST_H_
#define HEDDLE_TESTS_UNIT_RTL_EXECUTE_UNIT_TEST_H_

#include <cstdint>
#include <iterator>

#include "tests/unit/rtl/execute/unit_driver.h"

namespace heddle::test {

// The part of the requests that gates, which are slow, are given: one in `gates`.
constexpr int scale_of([[maybe_unused]] int gates) {
#ifdef HEDDLE_NETLIST
  return gates;
#else
  return 1;
#endif
}

// Fixture of a unit. Op is what random_request() takes, Base GoogleTest's class.
template <class Model, class Op = isa::Opcode, class Base = ::testing::Test>
class UnitTest : public Base {
 protected:
  explicit UnitTest(int scale) : driver(seed()), scale_(scale) {}

  virtual Request random_request(Op op) = 0;
  virtual Reference reference(const Request& request) const = 0;

  // Any modifiers and predicates, operands zero; a quarter of the requests with any lanes, the others with all.
  Request request_without_operands(isa::Opcode op) {
    auto& rng = driver.bench.rng;
    Request r;
    r.op = static_cast<std::uint8_t>(op);
    r.mod = random_modifiers(r.op, rng);
    r.mask = driver.bench.one_in(4) ? static_cast<std::uint32_t>(rng()) : ~0u;
    r.p = static_cast<std::uint32_t>(rng());
    return r;
  }

  void send(const Request& r) { driver.send(r, reference(r)); }

  void send_random(Op op, int requests) {
    for (int i = 0; i < requests / scale_ && !Base::HasFatalFailure(); ++i) send(random_request(op));
  }

  void run(Op op, int requests) {
    send_random(op, requests);
    driver.drain();
  }

  // Any of `ops`, in `phases` with gaps and back-pressure of their own.
  template <class Ops>
  void run_mixed(const Ops& ops, int phases, int requests) {
    for (int phase = 0; phase < phases / scale_ + 2 && !Base::HasFatalFailure(); ++phase) {
      driver.request_every = 1 + driver.bench.rng() % 4;
      driver.response_every = 1 + driver.bench.rng() % 4;
      for (int i = 0; i < requests && !Base::HasFatalFailure(); ++i) {
        send(random_request(ops[driver.bench.rng() % std::size(ops)]));
      }
    }
    driver.drain();
  }

  // Instructions alike are taken one in `cycles`.
  void expect_rate(Op op, unsigned cycles) {
    const Request r = random_request(op);
    send(r);
    const std::uint64_t start = driver.bench.cycle;
    for (int i = 0; i < 50 && !Base::HasFatalFailure(); ++i) send(r);
    EXPECT_EQ(driver.bench.cycle - start, 50u * cycles);
    driver.drain();
  }

  // The answer comes `stages` after the last beat.
  void expect_latency(Op op, unsigned stages) {
    send(random_request(op));
    const std::uint64_t start = driver.bench.cycle;
    driver.drain();  // one cycle more to see that it is idle
    EXPECT_EQ(driver.bench.cycle - start, stages + driver.kBeatsToCome + 1);
  }

  UnitDriver<Model> driver;

 private:
  int scale_;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_EXECUTE_UNIT_TEST_H_
