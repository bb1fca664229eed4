// SPDX-License-Identifier: Apache-2.0
// Random control flow, structured (tests/compiler/random) and not (graph.h), compiled and run on the device that
// HEDDLE_TEST_DEVICE names, against its evaluation in C++. HEDDLE_PROGRAMS=n runs n of each kind. HEDDLE_SEED=s
// HEDDLE_PROGRAMS=1 repeats the program that a failure names, and prints it without what does not matter.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>

#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/context.h"
#include "tests/compiler/random/check.h"
#include "tests/stress/graph.h"

namespace heddle::test {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}
uint64_t number(const char* name, uint64_t otherwise) {
  const std::string s = environment(name);
  return s.empty() ? otherwise : std::strtoull(s.c_str(), nullptr, 0);
}

class Device {
 public:
  // Runs kernel k of the PTX on a device of its own, whose undefined state begins with what the seed chooses; `buffer`
  // comes back as the kernel left it. `read`: of further memory, before the device goes.
  std::string run(uint64_t seed, const std::string& ptx, unsigned threads, unsigned optimization,
                  std::vector<uint8_t>& buffer, const std::function<Status(driver::Context&)>& read = {}) {
    const Status status = attempt(seed, ptx, threads, optimization, buffer, read);
    return status.ok() ? "" : status.error().message();
  }

 private:
  Status open(uint64_t seed) {
    context_.reset();
    const std::string file = environment("HEDDLE_TEST_PRESET");
    const auto preset = load_preset(file);
    if (!preset) return preset.error();
    structure_ = preset->structure;
    auto transport = device::load_transport(environment("HEDDLE_TEST_SO"));
    if (!transport) return transport.error();
    driver::Settings settings;
    settings.device = environment("HEDDLE_TEST_DEVICE");
    settings.cycle_limit = 50000000;
    settings.seed = seed;
    auto context = driver::Context::create(settings, *preset, file, *transport, "control_flow_test", stdout, stderr);
    if (!context) return context.error();
    context_ = std::move(*context);
    context_->launcher().set_stack_bytes(4096);
    return {};
  }

  Status attempt(uint64_t seed, const std::string& ptx, unsigned threads, unsigned optimization,
                 std::vector<uint8_t>& buffer, const std::function<Status(driver::Context&)>& read) {
    if (auto s = open(seed); !s) return s;
    compiler::CompileOptions options;
    options.optimization = optimization;
    options.verify = true;
    options.has = structure_.features();
    options.libraries = devrt::libraries<compiler::PtxSource>(options.has.fp64);
    auto compiled = compiler::compile({"random.ptx", ptx}, options);
    if (!compiled) return compiled.error();
    auto module = context_->modules().load(std::move(compiled->cubin));
    if (!module) return module.error();
    const auto address = context_->memory().allocate(buffer.size());
    if (!address) return address.error();
    if (auto s = context_->copies().copy_in(*address, buffer.data(), buffer.size()); !s) return s.error();
    driver::LaunchShape shape;
    shape.block.x = threads;
    if (auto s = context_->launcher().launch(*(*module)->kernel("k"), shape, 0, &*address); !s) return s.error();
    if (auto s = context_->copies().copy_out(buffer.data(), *address, buffer.size()); !s) return s.error();
    if (auto s = context_->waits().synchronize(); !s) return s;
    if (read)
      if (auto s = read(*context_); !s) return s;
    return context_->memory().release(*address);
  }

  std::unique_ptr<driver::Context> context_;
  Preset::Structure structure_{};
};

Device& device() {
  static Device device;
  return device;
}

// ---- without structure
// -------------------------------------------------------------------------------------------------

// What is wrong with the program; empty when nothing is.
std::string check(uint64_t seed, const GraphProgram& program, unsigned optimization) {
  const GraphResult want = evaluate(program);
  std::vector<uint8_t> buffer(8 * program.threads + 8, 0xcd);
  std::array<uint32_t, kLocks> counts{};
  std::string error =
      device().run(seed, to_ptx(program), program.threads, optimization, buffer, [&](driver::Context& context) {
        uint64_t at = 0;
        std::memcpy(&at, &buffer[8 * program.threads], 8);
        if (auto s = context.copies().copy_out(counts.data(), at, sizeof counts); !s) return Status(s.error());
        return context.waits().synchronize();
      });
  if (!error.empty()) return error;
  for (unsigned t = 0; t < program.threads; t++) {
    uint32_t got[2];
    std::memcpy(got, &buffer[8 * t], 8);
    if (got[0] != want.x[t] || got[1] != want.fuel[t])
      return "thread " + std::to_string(t) + ": x " + std::to_string(got[0]) + ", fuel " + std::to_string(got[1]) +
             " instead of " + std::to_string(want.x[t]) + ", " + std::to_string(want.fuel[t]);
  }
  for (unsigned n = 0; n < kLocks; n++)
    if (counts[n] != want.counts[n])
      return "lock " + std::to_string(n) + ": " + std::to_string(counts[n]) + " visits instead of " +
             std::to_string(want.counts[n]);
  return "";
}

// Makes blocks simpler, one step after the other, for as long as something stays wrong.
GraphProgram shrink(uint64_t seed, GraphProgram program, unsigned optimization) {
  const auto keeps = [&](const std::function<bool(GraphProgram&)>& simplify) {
    GraphProgram simpler = program;
    if (!simplify(simpler) || check(seed, simpler, optimization).empty()) return false;
    program = std::move(simpler);
    return true;
  };
  for (bool changed = true; changed;) {
    changed = keeps([](GraphProgram& p) { return p.threads > 1 && (p.threads /= 2); }) ||
              keeps([](GraphProgram& p) { return p.threads > 1 && --p.threads; }) ||
              keeps([](GraphProgram& p) { return p.fuel > 1 && --p.fuel; });
    for (size_t f = 0; f < program.functions.size(); f++)
      for (size_t b = 0; b < program.functions[f].size(); b++) {
        const auto block = [=](GraphProgram& p) -> Block& { return p.functions[f][b]; };
        changed |= keeps([&](GraphProgram& p) {
          return block(p).end == Block::End::Branch && (block(p).end = Block::End::Return, true);
        });
        changed |= keeps([&](GraphProgram& p) { return !std::exchange(block(p).callees, {}).empty(); });
        changed |= keeps([&](GraphProgram& p) { return std::exchange(block(p).lock, -1) >= 0; });
        changed |= keeps([&](GraphProgram& p) { return std::exchange(block(p).hidden, false); });
        changed |= keeps([&](GraphProgram& p) { return std::exchange(block(p).looped_by_table, false); });
        changed |=
            keeps([&](GraphProgram& p) { return block(p).targets.size() > 1 && (block(p).targets.pop_back(), true); });
        changed |= keeps([&](GraphProgram& p) { return std::exchange(block(p).indexed, false); });
      }
  }
  return program;
}

// ---- structured
// --------------------------------------------------------------------------------------------------------

namespace structured = compiler::test;

std::string check(uint64_t seed, unsigned optimization, std::string& ptx) {
  std::mt19937_64 random(seed);
  const structured::Shape shape{.phases = 1 + static_cast<unsigned>(random() % 2),
                                .functions = static_cast<unsigned>(random() % 3),
                                .statements = 4,
                                .f64 = false};
  const structured::Case c = structured::random_case(seed, shape);
  const auto want = structured::expected_outcome(c);
  if (!want) return "";  // runs too long
  std::vector<uint8_t> buffer = structured::buffer_of(c.input);
  ptx = to_ptx(c.program);
  const std::string error = device().run(seed, ptx, structured::kThreads, optimization, buffer);
  return error.empty() ? structured::difference(buffer, *want) : error;
}

// ---- runs
// ---------------------------------------------------------------------------------------------------------------

constexpr unsigned kLevels[] = {2, 0, 3};

void run_all(const std::function<std::string(uint64_t seed, unsigned optimization, std::string& ptx)>& one) {
  const uint64_t base = number("HEDDLE_SEED", 1), count = number("HEDDLE_PROGRAMS", HEDDLE_STRESS_PROGRAMS);
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(base));
  for (uint64_t n = 0, failed = 0; n < count && failed < 20; n++) {
    std::string ptx;
    const unsigned optimization = kLevels[(base + n) % std::size(kLevels)];
    const std::string wrong = one(base + n, optimization, ptx);
    EXPECT_EQ(wrong, "") << "-O" << optimization << ", HEDDLE_SEED=" << base + n << " HEDDLE_PROGRAMS=1\n"
                         << (count == 1 ? ptx : "");
    failed += !wrong.empty();
    if ((n + 1) % 100 == 0) std::printf("%llu programs\n", static_cast<unsigned long long>(n + 1)), std::fflush(stdout);
  }
}

TEST(ControlFlow, WithoutStructure) {
  run_all([](uint64_t seed, unsigned optimization, std::string& ptx) {
    std::mt19937_64 random(seed);
    const GraphProgram program = random_graph_program(random);
    const std::string wrong = check(seed, program, optimization);
    if (!wrong.empty() && number("HEDDLE_PROGRAMS", 0) == 1) ptx = to_ptx(shrink(seed, program, optimization));
    return wrong;
  });
}

TEST(ControlFlow, Structured) {
  run_all([](uint64_t seed, unsigned optimization, std::string& ptx) { return check(seed, optimization, ptx); });
}

}  // namespace
}  // namespace heddle::test
