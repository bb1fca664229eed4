// SPDX-License-Identifier: Apache-2.0
// Random machine IR, compiled in several ways and run on the golden model, against the interpreter.
#include <gtest/gtest.h>

#include <cstdlib>

#include "host-runtime/compiler/emit/backend.h"
#include "tests/compiler/backend/mir_interpreter.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/backend/random_function.h"

namespace heddle::compiler::test {
namespace {

constexpr uint32_t kThreads = 64;

uint64_t seed() {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t value = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

struct Expected {
  std::vector<uint8_t> buffer;
  bool ended = true;
};

Expected reference(const mir::Module& m, const mir::Function& kernel, uint64_t buffer_at) {
  Expected out;
  std::map<uint64_t, uint8_t> memory;
  for (uint32_t tid = 0; tid < kThreads; tid++) {
    Thread t;
    t.tid = tid;
    t.memory = &memory;
    for (unsigned n = 0; n < 8; n++) t.params.push_back(static_cast<uint8_t>(buffer_at >> 8 * n));
    try {
      interpret(m, kernel, t);
    } catch (const std::runtime_error& e) {
      if (std::string(e.what()) != "too many steps") throw;
      out.ended = false;
      return out;
    }
  }
  for (uint64_t n = 0; n < kThreads * kOutputWords * 4; n++) out.buffer.push_back(memory[buffer_at + n]);
  return out;
}

// The first pass after which the kernel (without calls) means something else; empty when none.
std::string guilty_pass(const mir::Module& m, const Expected& expected, unsigned optimization) {
  std::string guilty;
  const auto look = [&](std::string_view pass, const mir::Function& f) {
    if (!guilty.empty() || pass == "allocate" || pass == "entry-zeros") return;
    const Expected now = reference(m, f, uint64_t{1} << 20);
    if (!now.ended || now.buffer != expected.buffer) guilty = pass;
  };
  (void)generate(m, {.optimization = optimization, .max_registers = 0, .verify = false, .dump = look}).ok();
  return guilty;
}

void run_case(uint64_t case_seed, const RandomShape& shape) {
  std::mt19937_64 random(case_seed);
  const mir::Module m = random_module(random, shape);
  for (const mir::Function& f : m.functions) ASSERT_EQ(mir::verify(m, f), std::nullopt) << to_string(f);
  const Expected expected = reference(m, m.functions[0], uint64_t{1} << 20);
  if (!expected.ended) return;
  const std::string guilty = shape.functions == 0 ? guilty_pass(m, expected, 2) : "";
  ASSERT_EQ(guilty, "") << "case " << case_seed;
  for (unsigned optimization : {0u, 2u})
    for (unsigned registers : {0u, 32u, 16u}) {
      const Result<formats::Cubin> cubin =
          generate(m, {.optimization = optimization, .max_registers = registers, .verify = true, .dump = {}});
      ASSERT_TRUE(cubin.ok()) << cubin.error().message();
      EXPECT_LE(cubin->kernels[0].registers, registers && shape.functions == 0 ? std::max(registers, 16u) : 255u);
      const auto got =
          run_on_model(*cubin, "k", std::vector<uint8_t>(expected.buffer.size()), {}, {.threads = kThreads});
      ASSERT_TRUE(got.ok()) << got.error().message() << "; -O" << optimization << ", " << registers << " registers";
      for (size_t n = 0; n < expected.buffer.size(); n += 4)
        ASSERT_TRUE(std::equal(&got->buffer[n], &got->buffer[n] + 4, &expected.buffer[n]))
            << "thread " << n / 4 / kOutputWords << ", word " << n / 4 % kOutputWords << "; -O" << optimization << ", "
            << registers << " registers, case " << case_seed;
    }
}

void run_cases(const RandomShape& shape, int count) {
  const uint64_t base = seed();
  for (int n = 0; n < count; n++) {
    run_case(base + static_cast<uint64_t>(n), shape);
    if (testing::Test::HasFatalFailure()) {
      std::printf("failing case: HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(base + static_cast<uint64_t>(n)));
      return;
    }
  }
}

TEST(Random, StraightLineCodeComputesWhatMachineIrSays) { run_cases({.blocks = 1, .instructions = 40}, 15); }
TEST(Random, AnyControlFlowComputesWhatMachineIrSays) { run_cases({.blocks = 8, .instructions = 6}, 20); }
TEST(Random, BranchyCodeComputesWhatMachineIrSays) { run_cases({.blocks = 24, .instructions = 2, .registers = 6}, 15); }
TEST(Random, HighPressureCodeComputesWhatMachineIrSays) {
  run_cases({.blocks = 5, .instructions = 20, .registers = 60}, 6);
}
TEST(Random, CallsComputeWhatMachineIrSays) {
  run_cases({.blocks = 4, .instructions = 6, .registers = 10, .functions = 3}, 20);
}

}  // namespace
}  // namespace heddle::compiler::test
