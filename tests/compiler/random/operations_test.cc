// SPDX-License-Identifier: Apache-2.0
// Each operation of operations.h alone, on inputs that mean something to it: a few in a program.
#include "tests/compiler/random/operations.h"

#include <gtest/gtest.h>

#include <functional>
#include <iterator>
#include <string_view>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/random/check.h"
#include "tests/rounds.h"

namespace heddle::compiler::test {
namespace {

constexpr unsigned kTogether = 4;  // results go to different registers

// Numbers that lie at the ends of ranges, and any.
uint64_t awkward(std::mt19937_64& random) {
  // clang-format off
  constexpr uint64_t kNumbers[] = {
      0, ~uint64_t{0}, 0x8000000000000000, 0x8000800080008000, 0x7fff7fff7fff7fff, 0x7c007c007c007c00, 0xfc00fc00fc00fc00, 0x0001000100010001,
      0x7f8000007f800000, 0xff800000ff800000, 0x7fc000007fc00000, 0x3f8000003f800000, 0x00800000007fffff, 0x4f0000004effffff, 0xcf000000df000000,
      0x7ff0000000000000, 0x7ff8000000000001, 0x3ff0000000000000, 0x41e0000000000000, 0xc1e0000000200000, 0x43f0000000000000, 0x43efffffffffffff,
      0x000fffffffffffff, 0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3bff3c003c013c02, 0x3f803f7f00800080, 0x477fe00047800000,
      0xfff73c007ff77ff7, 0x3f801000fff73f80};
  // clang-format on
  const uint64_t any = random() >> random() % 64;
  switch (random() % 4) {
    case 0: return kNumbers[random() % std::size(kNumbers)];
    case 1:
      return kNumbers[random() % std::size(kNumbers)] ^ random() % 8 ^ (random() % 2) << 63 ^ (random() % 2) << 31 ^
             (random() % 2) << 15;
    case 2: return random();
    default: return any;
  }
}

// Loads of all registers, then `instructions`.
Program program_of(const std::vector<Instruction>& instructions) {
  Program p;
  p.phases.resize(1);
  const auto put = [&](const Instruction& i) {
    Statement s;
    s.instruction = i;
    p.phases[0].body.push_back(s);
  };
  Instruction thread, index;  // w0 = tid * 10 + …: all of the input
  thread.op = Op::Special;
  for (const Type t : {Type::F32, Type::U64, Type::U16, Type::U32}) {
    const File f = file_of(t);
    for (unsigned r = kRegisters[static_cast<int>(f)]; r-- > 0;) {
      index.op = Op::MadLo;
      index.dst = 0;
      index.a = {true, 0, 40 * r + 10};
      index.b = {false, 0, 0};
      index.c = {true, 0, 1027 + 8 * r};
      put(thread);
      put(index);
      Instruction load;
      load.op = Op::Load;
      load.type = load.to = t;
      load.space = Space::Input;
      load.dst = r;
      put(load);
    }
  }
  for (const Instruction& i : instructions) put(i);
  return p;
}

std::string run(const Case& c, const CompileOptions& options) {
  const auto expected = expected_outcome(c);
  if (!expected) return "too long";
  const auto compiled = compile({"operation.ptx", to_ptx(c.program)}, options);
  if (!compiled) return compiled.error().message();
  const auto run = run_on_model(compiled->cubin, "k", buffer_of(c.input), {}, {.threads = kThreads});
  return run ? difference(run->buffer, *expected) : run.error().message();
}

void check_all(size_t count, Op op, const std::function<std::string(unsigned)>& files,
               const std::function<std::string(unsigned)>& text) {
  std::mt19937_64 random(seed());
  const auto step = static_cast<unsigned>(8 / heddle::test::rounds(8));  // with sanitizers each eighth
  for (unsigned n = 0; n < count; n += step) {
    std::vector<Instruction> instructions;
    for (unsigned k = 0; k < kTogether; k++) {
      Instruction i;
      i.op = op;
      i.extra = n;
      Value* const sources[] = {&i.a, &i.b, &i.c};
      const std::string of = files(n);
      for (size_t s = 1; s < of.size(); s++)
        sources[s - 1]->reg = static_cast<unsigned>(random() % kRegisters[static_cast<int>(file_of(of[s]))]);
      i.dst = k % kRegisters[static_cast<int>(file_of(of[0]))];
      instructions.push_back(i);
    }
    Case c{program_of(instructions), {}};
    c.input.resize(kInputWords);
    for (uint64_t& w : c.input) w = awkward(random);
    for (const bool fp16 : {true, false}) {
      CompileOptions options;
      options.has.fp16 = fp16;
      const std::string wrong = run(c, options);
      EXPECT_EQ(wrong, "") << text(n) << (fp16 ? "" : ", without unit Fp16");
      if (!wrong.empty()) break;
    }
  }
}

TEST(Operations, Alone) {
  check_all(
      operations().size(), Op::Table, [](unsigned n) { return operations()[n].files; },
      [](unsigned n) { return operations()[n].text; });
}
TEST(Operations, ApproximationsAlone) {
  check_all(
      approximations().size(), Op::Approx, [](unsigned n) { return approximations()[n].files; },
      [](unsigned n) { return approximations()[n].text; });
}

}  // namespace
}  // namespace heddle::compiler::test
