// SPDX-License-Identifier: Apache-2.0
// Random programs, compiled at several levels and register limits and run on the golden model, against their evaluation
// in C++. HEDDLE_SEED=n HEDDLE_PROGRAMS=1 repeats the program that a failure names, takes out what does not matter and
// prints the rest as PTX.
#include <gtest/gtest.h>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/random/check.h"
#include "tests/compiler/random/operations.h"
#include "tests/rounds.h"

namespace heddle::compiler::test {
namespace {

struct Way {
  unsigned optimization, registers;
};

// What is wrong with the program compiled this way; empty when nothing is, or when it runs for too long to be of use.
std::string check(const Case& c, const Way& way, bool& useful) {
  const auto expected = expected_outcome(c);
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
    ADD_FAILURE() << what << "; -O" << way.optimization << ", " << way.registers
                  << " registers; HEDDLE_SEED=" << case_seed << " HEDDLE_PROGRAMS=1\n"
                  << (repeated ? to_ptx(shrink(c.program, wrong)) : "");
    return true;
  }
  return true;
}

void run_cases(const Shape& shape, unsigned count) {
  const uint64_t base = seed();
  count = static_cast<unsigned>(environment("HEDDLE_PROGRAMS", heddle::test::rounds(count)));
  unsigned useful = 0;
  for (unsigned n = 0; n < count && !testing::Test::HasFailure(); n++) useful += run_case(base + n, shape);
  if (count >= 10 && !testing::Test::HasFailure()) {
    EXPECT_GT(useful, count / 2);
  }
}

TEST(RandomProgram, StraightLines) { run_cases({.phases = 1, .functions = 0, .statements = 40, .depth = 0}, 60); }
TEST(RandomProgram, ControlFlow) { run_cases({.phases = 1, .functions = 0, .statements = 5, .depth = 4}, 120); }
TEST(RandomProgram, PhasesWithBarriers) { run_cases({.phases = 4, .functions = 0, .statements = 4, .depth = 3}, 50); }
constexpr Shape kMatrices = {.phases = 3, .functions = 1, .statements = 3, .depth = 2, .matrices = true};
TEST(RandomProgram, Matrices) { run_cases(kMatrices, 30); }
// A tensor unit's NaN, negated, is an operand whose sign counts.
TEST(RandomProgram, NegatedNan) {
  Shape shape = kMatrices;
  shape.f64_matrices = false;
  EXPECT_TRUE(run_case(34261204, shape));
}
TEST(RandomProgram, Calls) { run_cases({.phases = 2, .functions = 3, .statements = 5, .depth = 3}, 70); }

// All instructions, those of conditions, too.
template <typename F>
void each(const Body& body, F f) {
  for (const Statement& s : body) {
    if (s.kind == Statement::Kind::Plain) f(s.instruction);
    for (const Term& t : s.condition) each(t.before, f);
    for (const Body& b : s.bodies) each(b, f);
  }
}
template <typename F>
void each(const Program& program, F f) {
  for (const Function& function : program.functions) each(function.body, f);
  for (const Function& phase : program.phases)
    for (const Body* body : {&phase.reads, &phase.together, &phase.body}) each(*body, f);
}

TEST(Generator, UsesEveryOperation) {
  std::vector<unsigned> ops(static_cast<size_t>(Op::Count)), table(operations().size()),
      approx(approximations().size());
  for (uint64_t n = seed(), end = n + 4000; n < end; n++)
    each(random_case(n, {.phases = 2, .functions = 1, .statements = 12, .depth = 1, .matrices = true}).program,
         [&](const Instruction& i) {
           ops[static_cast<size_t>(i.op)]++;
           if (i.op == Op::Table) table[i.extra]++;
           if (i.op == Op::Approx) approx[i.extra]++;
         });
  for (size_t n = 0; n < ops.size(); n++) EXPECT_GT(ops[n], 0u) << "op " << n;
  for (size_t n = 0; n < table.size(); n++) EXPECT_GT(table[n], 0u) << operations()[n].text;
  for (size_t n = 0; n < approx.size(); n++) EXPECT_GT(approx[n], 0u) << approximations()[n].text;
}

// A program that is "wrong" as long as a division stands in it, however deep.
TEST(Shrink, LeavesWhatMatters) {
  const auto divisions = [](const Program& p) {
    unsigned count = 0;
    each(p, [&](const Instruction& i) { count += i.op == Op::Div; });
    return count;
  };
  unsigned shrunk = 0;
  for (uint64_t n = seed(), end = n + 40; n < end; n++) {
    const Program program = random_case(n, {.phases = 2, .functions = 1, .statements = 6, .depth = 3}).program;
    if (divisions(program) == 0) continue;
    const Program small = shrink(program, [&](const Program& p) { return divisions(p) > 0; });
    unsigned left = 0;
    each(small, [&](const Instruction& i) {
      left++;
      EXPECT_LT(i.guard.reg, 0);
    });
    EXPECT_EQ(divisions(small), 1u);
    // One may stand in a condition or in a loop that is left by it.
    EXPECT_LE(left, 3u) << to_ptx(small);
    shrunk++;
  }
  EXPECT_GT(shrunk, 5u);
}

}  // namespace
}  // namespace heddle::compiler::test
