// SPDX-License-Identifier: Apache-2.0
// Drives one verilated module: clock, reset with every register random, and a seed that the test prints.
#ifndef HEDDLE_TESTS_UNIT_RTL_RTL_BENCH_H_
#define HEDDLE_TESTS_UNIT_RTL_RTL_BENCH_H_

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <type_traits>

namespace heddle::test {

// Words of a port: Verilator makes an integer of up to 64 bits and an array of words of more.
template <class Port>
std::uint32_t port_word(const Port& port, unsigned index) {
  if constexpr (std::is_integral_v<Port>) return static_cast<std::uint32_t>(port >> 32 * index);
  else return port[index];
}
template <class Port>
void set_port_word(Port& port, unsigned index, std::uint32_t value) {
  if constexpr (std::is_integral_v<Port>)
    port = static_cast<Port>((port & ~(Port{0xffffffff} << 32 * index)) | Port{value} << 32 * index);
  else port[index] = value;
}

// HEDDLE_SEED of the environment, else a fixed one; printed so that a failure can be run again.
inline std::uint64_t seed() {
  const char* text = std::getenv("HEDDLE_SEED");
  const std::uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : 20;
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

// A model of a module with ports clk_i and rst_ni. Set inputs, look at outputs after settle(), then tick().
template <class Model>
class RtlBench {
 public:
  explicit RtlBench(std::uint64_t seed) : rng(seed) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top = std::make_unique<Model>(&context_);
  }
  RtlBench(const RtlBench&) = delete;
  RtlBench& operator=(const RtlBench&) = delete;
  ~RtlBench() {
    top->final();
    Verilated::threadContextp(&context_);  // a model's scopes leave the context that the thread has
    top.reset();
  }

  // Combinational outputs follow the inputs; no clock edge.
  void settle() {
    top->clk_i = 0;
    top->eval();
  }

  // One rising clock edge with the inputs as they are.
  void tick() {
    settle();
    top->clk_i = 1;
    top->eval();
    ++cycle;
  }

  // Inputs other than rst_ni must be quiet already.
  void reset() {
    top->rst_ni = 0;
    for (int i = 0; i < 3; ++i) tick();
    top->rst_ni = 1;
    cycle = 0;
  }

  // True once in `out_of` calls on average.
  bool one_in(std::uint32_t out_of) { return rng() % out_of == 0; }

  std::mt19937_64 rng;
  std::uint64_t cycle = 0;

 private:
  VerilatedContext context_;  // outlives the model

 public:
  std::unique_ptr<Model> top;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_RTL_BENCH_H_
