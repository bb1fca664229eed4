// SPDX-License-Identifier: Apache-2.0
// Random programs, compiled at several levels and register limits and run on the golden model, against their evaluation in
// C++. HEDDLE_SEED=n HEDDLE_PROGRAMS=1 repeats the program that a failure names, takes out what does not matter
// and prints the rest as PTX.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {
namespace {

uint64_t environment(const char* name, uint64_t otherwise) {
  const char* s = std::getenv(name);
  return s ? std::strtoull(s, nullptr, 0) : otherwise;
}

uint64_t seed() {
  const uint64_t value = environment("HEDDLE_SEED", std::random_device{}());
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

// The first difference, for people; empty when there is none. Any NaN is as good as any other.
std::string difference(const std::vector<uint8_t>& got, const std::vector<uint8_t>& expected) {
  for (unsigned t = 0; t < kThreads; t++)
    for (const File f : {File::H, File::W, File::D, File::F})
      for (unsigned r = 0; r < kRegisters[static_cast<int>(f)]; r++) {
        const unsigned bytes = f == File::H ? 2 : f == File::D ? 8 : 4;
        uint64_t x = 0, y = 0;
        std::memcpy(&x, &got[t * kRecordBytes + record_offset(f, r)], bytes);
        std::memcpy(&y, &expected[t * kRecordBytes + record_offset(f, r)], bytes);
        if (x == y) continue;
        if (f == File::F && std::isnan(std::bit_cast<float>(static_cast<uint32_t>(x))) &&
            std::isnan(std::bit_cast<float>(static_cast<uint32_t>(y))))
          continue;
        char text[128];
        std::snprintf(text, sizeof text, "thread %u, %%%c%u: 0x%llx instead of 0x%llx", t, "hwdf"[static_cast<int>(f)], r,
                      static_cast<unsigned long long>(x), static_cast<unsigned long long>(y));
        return text;
      }
  return {};
}

struct Way {
  unsigned optimization, registers;
};

// What is wrong with the program compiled this way; empty when nothing is, or when it runs for too long to be of use.
std::string check(const Program& program, const std::vector<uint64_t>& input, const Way& way, bool& useful) {
  const std::vector<uint8_t> untouched(kThreads * kRecordBytes, 0xcd);
  std::vector<uint8_t> expected = untouched;
  useful = evaluate(program, input, expected);
  if (!useful) return {};
  const auto compiled = compile({"random.ptx", to_ptx(program)}, {.optimization = way.optimization,
                                                                  .max_registers = way.registers,
                                                                  .relocatable = false,
                                                                  .verify = true,
                                                                  .libraries = {},
                                                                  .dump = {}});
  if (!compiled) return compiled.error().message();
  std::vector<uint8_t> buffer = untouched;
  buffer.resize(buffer.size() + input.size() * 8);
  std::memcpy(&buffer[untouched.size()], input.data(), input.size() * 8);
  const auto run = run_on_model(compiled->cubin, "k", std::move(buffer), {}, {.threads = kThreads});
  return run ? difference(run->buffer, expected) : run.error().message();
}

void collect(Body& body, std::vector<Body*>& out) {
  out.push_back(&body);
  for (Statement& s : body) {
    for (Body& b : s.bodies) collect(b, out);
    for (Term& t : s.condition) collect(t.before, out);
  }
}

// Takes statements out, one after the other, for as long as something stays wrong.
Program shrink(Program program, const std::vector<uint64_t>& input, const Way& way) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Body*> bodies;
    for (Function& f : program.functions) collect(f.body, bodies);
    for (Function& f : program.phases) collect(f.body, bodies);
    for (size_t n = 0; n < bodies.size() && !changed; n++)
      for (size_t k = bodies[n]->size(); k-- > 0;) {
        Statement removed = std::move((*bodies[n])[k]);
        bodies[n]->erase(bodies[n]->begin() + static_cast<ptrdiff_t>(k));
        bool useful;
        if (check(program, input, way, useful).empty())
          bodies[n]->insert(bodies[n]->begin() + static_cast<ptrdiff_t>(k), std::move(removed));  // its bodies stay in place
        else changed = true;
      }
  }
  return program;
}

// False when the program was of no use.
bool run_case(uint64_t case_seed, const Shape& shape) {
  std::mt19937_64 random(case_seed);
  const Program program = random_program(random, shape);
  std::vector<uint64_t> input(kInputWords);
  for (uint64_t& w : input) w = random() >> random() % 64;
  bool useful = true;
  for (const Way way : {Way{0, 0}, Way{2, 0}, Way{2, 24}, Way{3, 40}}) {
    const std::string what = check(program, input, way, useful);
    if (!useful) return false;
    if (what.empty()) continue;
    const bool repeated = environment("HEDDLE_PROGRAMS", 0) == 1;
    ADD_FAILURE() << what << "; -O" << way.optimization << ", " << way.registers << " registers; HEDDLE_SEED=" << case_seed
                  << " HEDDLE_PROGRAMS=1\n"
                  << (repeated ? to_ptx(shrink(program, input, way)) : "");
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
