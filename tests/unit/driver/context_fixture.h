// SPDX-License-Identifier: Apache-2.0
// A context over a device that only the driver sees, and a module of two kernels for it.
#pragma once

#include <gtest/gtest.h>

#include "host-runtime/driver/context.h"
#include "isa/isa.h"
#include "tests/unit/driver/fake_device.h"
#include "tests/unit/driver/test_preset.h"

namespace heddle::driver {

namespace c = contract;

class ContextTest : public ::testing::Test {
 protected:
  explicit ContextTest(const char* name = "cc80") : preset(test::preset(name)), fake(preset) {}

  void open() {
    auto created = Context::create(settings, preset, "cc80.toml", fake.table(), "prog", stdout, log());
    ASSERT_TRUE(created) << created.error().message();
    context = std::move(*created);
  }
  std::FILE* log() {
    if (!log_) log_ = std::tmpfile();
    return log_;
  }
  std::string logged() {
    std::string text(static_cast<size_t>(std::ftell(log_)), '\0');
    std::rewind(log_);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), log_), text.size());
    return text;
  }
  // Two kernels: "first" at 0 without parameters, "_Z3addPfi" at 16 with (pointer, int).
  formats::Cubin image() {
    formats::Cubin i;
    for (const char* text : {"NOP", "EXIT", "MOV R1, 0x0", "EXIT"}) i.code.push_back(isa::assemble(text).value_or(0));
    i.kernels.resize(2);
    i.kernels[0].name = "first";
    i.kernels[0].bytes = 16;
    i.kernels[0].registers = 16;
    i.kernels[1].name = "_Z3addPfi";
    i.kernels[1].entry = 16;
    i.kernels[1].bytes = 16;
    i.kernels[1].registers = 20;
    i.kernels[1].shared_bytes = 1000;
    i.kernels[1].local_bytes = 40;
    i.kernels[1].param_bytes = 12;
    i.kernels[1].params = {{"p", 0, 8}, {"n", 8, 4}};
    i.global_bytes = 16;
    i.global_init = {1, 2, 3, 4};
    i.const_bytes = 4;
    i.const_init = {9, 8, 7, 6};
    i.variables.resize(2);
    i.variables[0] = {"table", formats::Segment::Global, true, false, 0, 4, 4};
    i.variables[1] = {"coefficients", formats::Segment::Const, true, false, 0, 4, 4};
    i.files = {"add.cu"};
    i.lines = {{0, 0, 3}, {16, 0, 12}};
    return i;
  }
  uint64_t code_base() {
    return fake.device().registers[c::kRegCodeBaseLo] | uint64_t{fake.device().registers[c::kRegCodeBaseHi]} << 32;
  }
  const Kernel* load() {
    auto module = context->modules().load(image());
    EXPECT_TRUE(module) << module.error().message();
    return (*module)->kernel("_Z3addPfi");
  }
  Result<Sequence> launch(const Kernel* k, Dim3 grid = {2, 1, 1}, Dim3 block = {64, 1, 1}) {
    const uint8_t params[12] = {};
    return context->launcher().launch(*k, {grid, block, 0}, 48000, params);
  }
  // Launches a kernel that ends with `status` and the fault registers given; the sticky error.
  Error fault(uint32_t status, uint32_t kind, uint64_t address = 0, uint32_t thread = 0, uint32_t pc = 0,
              uint32_t code = 0) {
    const Kernel* k = load();
    fake.kernel = [=](heddle_device& d, const c::Command&) {
      d.fault(kind, address, thread, pc, code);
      return status;
    };
    EXPECT_TRUE(launch(k));
    const auto end = context->waits().synchronize();
    EXPECT_FALSE(end);
    return end ? Error("none") : end.error();
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  Preset preset;
  test::FakeTransport fake;
  Settings settings;
  std::unique_ptr<Context> context;

 private:
  std::FILE* log_ = nullptr;
};

}  // namespace heddle::driver
