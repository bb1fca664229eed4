// SPDX-License-Identifier: Apache-2.0
// Random programs, compiled at several levels and register limits and run on the golden model, against their evaluation in
// C++. HEDDLE_SEED=n HEDDLE_PROGRAMS=1 repeats the program that a failure names, takes out what does not matter
// and prints the rest as PTX.
#include <gtest/gtest.h>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/random/check.h"

namespace heddle::compiler::test {
namespace {

struct Way {
  unsigned optimization, registers;
};

// What is wrong with the program compiled this way; empty when nothing is, or when it runs for too long to be of use.
std::string check(const Case& c, const Way& way, bool& useful) {
  const auto expected = expected_records(c);
  useful = expected.has_value();
  if (!useful) return {};
  const auto compiled = compile({"random.ptx", to_ptx(c.program)}, {.optimization = way.optimization,
                                                                    .max_registers = way.registers,
                                                                    .relocatable = false,
                                                                    .verify = true,
                                                                    .libraries = {},
                                                                    .dump = {}});
  if (!compiled) return compiled.error().message();
  const auto run = run_on_model(compiled->cubin, "k", buffer_of(c.input), {}, {.threads = kThreads});
  return run ? difference(run->buffer, *expected) : run.error().message();
}

// False when the program was of no use.
bool run_case(uint64_t case_seed, const Shape& shape) {
  const Case c = random_case(case_seed, shape);
  bool useful = true;
  for (const Way way : {Way{0, 0}, Way{2, 0}, Way{2, 24}, Way{3, 40}}) {
    const std::string what = check(c, way, useful);
    if (!useful) return false;
    if (what.empty()) continue;
    const bool repeated = environment("HEDDLE_PROGRAMS", 0) == 1;
    const auto wrong = [&](const Program& p) { return !check({p, c.input}, way, useful).empty(); };
    ADD_FAILURE() << what << "; -O" << way.optimization << ", " << way.registers << " registers; HEDDLE_SEED=" << case_seed
                  << " HEDDLE_PROGRAMS=1\n"
                  << (repeated ? to_ptx(shrink(c.program, wrong)) : "");
    return true;
  }
  return true;
}

void run_cases(const Shape& shape, unsigned count) {
  const uint64_t base = seed();
  count = static_cast<unsigned>(environment("HEDDLE_PROGRAMS", count));
  unsigned useful = 0;
  for (unsigned n = 0; n < count && !testing::Test::HasFailure(); n++) useful += run_case(base + n, shape);
  if (count >= 10 && !testing::Test::HasFailure()) {
    EXPECT_GT(useful, count / 2);
  }
}

TEST(RandomProgram, StraightLines) { run_cases({.phases = 1, .functions = 0, .statements = 40, .depth = 0}, 60); }
TEST(RandomProgram, ControlFlow) { run_cases({.phases = 1, .functions = 0, .statements = 5, .depth = 4}, 120); }
TEST(RandomProgram, PhasesWithBarriers) { run_cases({.phases = 4, .functions = 0, .statements = 4, .depth = 3}, 50); }
TEST(RandomProgram, Calls) { run_cases({.phases = 2, .functions = 3, .statements = 5, .depth = 3}, 70); }

}  // namespace
}  // namespace heddle::compiler::test
