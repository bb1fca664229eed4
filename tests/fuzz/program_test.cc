// SPDX-License-Identifier: Apache-2.0
// Random PTX programs (../compiler/random) on the device that HEDDLE_TEST_DEVICE names, through the driver; in lockstep
// the golden model checks each instruction of the RTL, and a third evaluation, in C++, what the program leaves.
// HEDDLE_PROGRAMS=n runs so many of each shape, HEDDLE_SECONDS=s for so long; HEDDLE_SEED=n HEDDLE_PROGRAMS=1 repeats
// the one that a failure names, takes out what does not matter and prints the rest as PTX. HEDDLE_KEEP=folder: programs
// that go wrong are written there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/context.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/compiler/random/check.h"

namespace heddle::compiler::test {
namespace {

// A kernel that takes more cycles hangs; so does one that the golden model does not end in so many warp instructions.
constexpr uint64_t kCycleLimit = 50'000'000, kNeverEnds = 1'000'000'000;
// Warp instructions of a program that is of use: to meet the cycle limit each would take 250 cycles; those of `tiny`
// take 20 to 40 on average. f64 in integers makes more of them now and then.
constexpr uint64_t kTooLong = 200'000;

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

struct Way {
  uint64_t seed;  // of the device
  unsigned optimization, registers, blocks;
  Features has;  // at most the device's

  Way(uint64_t case_seed, const Preset::Structure& structure) : seed(case_seed) {
    std::mt19937_64 random(case_seed ^ 0x5eed);
    constexpr unsigned kRegisterLimits[] = {0, 0, 24, 40};
    optimization = static_cast<unsigned>(random() % 4);
    registers = kRegisterLimits[random() % 4];
    blocks = random() % 4 ? 1 : kBlocks;
    has = structure.features();
    has.fp64 &= random() % 8 != 0;
    has.fp16 &= random() % 8 != 0;
    has.matrix_load &= random() % 4 != 0;
    has.float_atomics &= random() % 4 != 0;
    has.dmma &= random() % 4 != 0;
    has.async_copy &= random() % 4 != 0;
  }
};

Result<formats::Cubin> compiled(const Case& c, const Way& way) {
  CompileOptions options;
  options.optimization = way.optimization;
  options.max_registers = way.registers;
  options.has = way.has;
  options.libraries = devrt::libraries<compiler::PtxSource>(way.has.fp64);
  options.verify = true;
  auto all = compile({"random.ptx", to_ptx(c.program)}, options);
  if (!all) return all.error();
  return std::move(all->cubin);
}

class Device {
 public:
  // The records that the program leaves on a device of its own, whose undefined state begins with what the seed
  // chooses.
  Result<std::vector<uint8_t>> run(formats::Cubin cubin, const Case& c, const Way& way) {
    if (Status s = open(way.seed); !s.ok()) return s.error();
    auto module = context_->modules().load(std::move(cubin));
    if (!module) return module.error();
    std::vector<uint8_t> buffer = buffer_of(c.input);
    driver::LaunchShape shape;
    shape.grid.x = way.blocks;  // all write the same
    shape.block.x = kThreads;
    if (auto s = context_->copies().copy_in(buffer_, buffer.data(), buffer.size()); !s) return s.error();
    if (auto s = context_->launcher().launch(*(*module)->kernel("k"), shape, 0, &buffer_); !s) return s.error();
    if (auto s = context_->copies().copy_out(buffer.data(), buffer_, buffer.size()); !s) return s.error();
    if (Status s = context_->waits().synchronize(); !s.ok()) return s.error();
    return buffer;
  }

  // Why the device cannot be used; empty when it can.
  std::string problem() {
    const Status s = open(1);
    return s.ok() ? "" : s.error().message();
  }
  bool has_fp64() const { return context_->preset().structure.fp64_lanes > 0; }
  Way way(uint64_t case_seed) const { return {case_seed, context_->preset().structure}; }

 private:
  Status open(uint64_t seed) {
    context_.reset();
    const std::string file = text_of("HEDDLE_TEST_PRESET");
    const auto preset = load_preset(file);
    if (!preset) return preset.error();
    const auto transport = device::load_transport(text_of("HEDDLE_TEST_SO"));
    if (!transport) return transport.error();
    driver::Settings settings;
    settings.device = text_of("HEDDLE_TEST_DEVICE");
    settings.cycle_limit = environment("HEDDLE_CYCLES", kCycleLimit);
    settings.seed = seed;
    settings.inject = text_of("HEDDLE_INJECT");
    auto context = driver::Context::create(settings, *preset, file, *transport, "fuzz", stdout, stderr);
    if (!context) return context.error();
    context_ = std::move(*context);
    const auto buffer = context_->memory().allocate(buffer_of(std::vector<uint64_t>(kInputWords)).size());
    if (!buffer) return buffer.error();
    buffer_ = *buffer;
    return {};
  }

  std::unique_ptr<driver::Context> context_;
  uint64_t buffer_ = 0;
};

constexpr unsigned kEnough = 20;  // programs that go wrong

// What is wrong; empty when nothing is. nullopt: the program runs for too long to be of use, in its evaluation or on
// the golden model. What both end soon must end on the device.
std::optional<std::string> check(Device& device, const Case& c, const Way& way) {
  const auto expected = expected_outcome(c);
  if (!expected) return std::nullopt;
  auto cubin = compiled(c, way);
  if (!cubin) return cubin.error().message();
  const auto model = run_on_model(*cubin, "k", buffer_of(c.input), {},
                                  {.blocks = way.blocks, .threads = kThreads, .instruction_limit = kNeverEnds});
  if (!model) return "the golden model: " + model.error().message();
  if (model->warp_instructions > kTooLong) return std::nullopt;
  const auto got = device.run(std::move(*cubin), c, way);
  return got ? difference(*got, *expected, way.blocks) : got.error().message();
}

void run_cases(Shape shape, unsigned count) {
  Device device;
  ASSERT_EQ(device.problem(), "");
  const uint64_t base = seed();
  count = static_cast<unsigned>(environment("HEDDLE_PROGRAMS", count));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(environment("HEDDLE_SECONDS", 100'000));
  unsigned n = 0, useful = 0, wrong = 0;
  for (; n < count && wrong < kEnough && std::chrono::steady_clock::now() < end; n++) {
    const uint64_t case_seed = base + n;
    const Way way = device.way(case_seed);
    shape.f64 = device.has_fp64() || case_seed % 8 == 0;
    shape.f64_matrices = way.has.fp64;  // the compiler refuses them without
    const Case c = random_case(case_seed, shape);
    const auto what = check(device, c, way);
    if (what && what->empty()) useful++;
    if (!what || what->empty()) continue;
    wrong++;
    if (const std::string folder = text_of("HEDDLE_KEEP"); !folder.empty()) {
      std::filesystem::path file = folder;
      file /= testing::UnitTest::GetInstance()->current_test_info()->name();
      file += fmt::format(".{}.ptx", case_seed);
      std::ofstream(file) << to_ptx(c.program);
    }
    ADD_FAILURE() << *what << "; -O" << way.optimization << ", " << way.registers << " registers, " << way.blocks
                  << " blocks" << (way.has.fp64 ? "" : ", soft f64") << (way.has.fp16 ? "" : ", soft f16")
                  << "; HEDDLE_SEED=" << case_seed << " HEDDLE_PROGRAMS=1";
    if (count != 1) continue;
    std::string still;  // what is wrong with the shortest so far
    const Program shortest = shrink(c.program, [&](const Program& p) {
      const auto w = check(device, {p, c.input}, way);
      if (!w || w->empty()) return false;
      still = *w;
      return true;
    });
    std::printf("%s%s\n", to_ptx(shortest).c_str(), still.c_str());
  }
  std::printf("%u programs without a difference, %u with one, %u of no use\n", useful, wrong, n - useful - wrong);
  if (n >= 10) {
    EXPECT_GT(useful, n / 2);
  }
}

TEST(Fuzz, StraightLines) { run_cases({.phases = 1, .functions = 0, .statements = 40, .depth = 0}, 20); }
TEST(Fuzz, ControlFlow) { run_cases({.phases = 1, .functions = 0, .statements = 5, .depth = 4}, 20); }
TEST(Fuzz, PhasesWithBarriersAndWarpInstructions) {
  run_cases({.phases = 4, .functions = 0, .statements = 3, .depth = 2}, 12);
}
TEST(Fuzz, Matrices) {
  const auto preset = load_preset(text_of("HEDDLE_TEST_PRESET"));
  ASSERT_TRUE(preset);
  if (preset->structure.tensor_fma == 0) GTEST_SKIP() << "no tensor unit";
  run_cases({.phases = 3, .functions = 1, .statements = 3, .depth = 2, .matrices = true}, 12);
}
TEST(Fuzz, Calls) { run_cases({.phases = 2, .functions = 3, .statements = 4, .depth = 2}, 12); }

}  // namespace
}  // namespace heddle::compiler::test
