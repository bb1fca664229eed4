// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/backend/model_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "presets/preset.h"
#include "sim/model/machine.h"

namespace heddle::compiler::test {
namespace {

constexpr uint64_t kMemoryBytes = uint64_t{1} << 30;
constexpr uint64_t kStackLimit = 16 << 10;

const char* text(model::Machine::State s) {
  switch (s) {
    case model::Machine::State::Fault: return "fault";
    case model::Machine::State::Deadlock: return "deadlock";
    case model::Machine::State::Timeout: return "timeout";
    default: return "not done";
  }
}

}  // namespace

Result<RunResult> run_on_model(const formats::Cubin& cubin, const char* name, std::vector<uint8_t> buffer,
                               const std::vector<uint8_t>& params, const RunOptions& options) {
  const formats::CubinKernel* kernel = cubin.find_kernel(name);
  if (!kernel) return Error(std::string("no kernel ") + name);
  Result<Preset> preset = load_preset(std::string(HEDDLE_PRESETS_DIR) + "/cc80.toml");
  if (!preset) return preset.error();
  Result<model::DeviceMemory> memory = model::DeviceMemory::create(kMemoryBytes);
  if (!memory) return memory.error();
  uint64_t next = model::DeviceMemory::kBase;
  const auto take = [&](uint64_t bytes) {
    const uint64_t at = next;
    next = (next + bytes + 255) / 256 * 256;
    return at;
  };
  const uint64_t code_at = take(cubin.code.size() * 8);
  const uint64_t global_at = take(cubin.global_bytes + cubin.global_align);
  const uint64_t const_at = take(cubin.const_bytes);
  const uint64_t params_at = take(4096);
  const uint64_t buffer_at = take(buffer.size());
  const uint64_t locks_at = take(4 * formats::kWideLockCount);
  const auto external = [&](std::string_view name) -> std::optional<uint64_t> {
    if (name == formats::kWideLocks) return locks_at;
    return std::nullopt;
  };
  const Result<formats::LinkedImage> image =
      link(cubin, {.code = 0, .global = global_at, .constant = const_at, .external = external});
  if (!image) return image.error();
  const auto put = [&](uint64_t at, const void* data, size_t bytes) {
    if (bytes) std::memcpy(memory->at(at), data, bytes);
  };
  put(code_at, image->code.data(), image->code.size() * 8);
  put(global_at, image->global.data(), image->global.size());
  put(const_at, image->constant.data(), image->constant.size());
  put(buffer_at, buffer.data(), buffer.size());
  put(params_at, &buffer_at, 8);
  std::memset(memory->at(locks_at), 0, 4 * formats::kWideLockCount);
  put(params_at + 8, params.data(), params.size());
  model::Launch launch;
  launch.entry_pc = kernel->entry;
  launch.registers = kernel->registers;
  launch.shared_bytes = kernel->shared_bytes + options.dynamic_shared;
  launch.undefined = options.undefined;
  launch.dynamic_shared = options.dynamic_shared;
  launch.local_bytes = kernel->local_bytes + (kernel->needs_stack ? kStackLimit : 0);
  launch.grid[0] = options.blocks;
  launch.block[0] = options.threads;
  launch.param_base = params_at;
  launch.param_bytes = kernel->param_bytes;
  launch.const_base = const_at;
  const uint64_t warps = static_cast<uint64_t>(preset->structure.sms) * preset->structure.warps_per_sm();
  launch.local_base = take(warps * 32 * launch.local_bytes);
  launch.code_base = code_at;
  launch.code_size = static_cast<uint32_t>(cubin.code.size() * 8);
  launch.mem_end = memory->end();
  if (next > memory->end()) return Error("the test's memory is too small");
  model::Machine machine(preset->structure, *memory);
  if (!machine.start(launch, {.instruction_limit = options.instruction_limit})) return Error("the block fits no SM");
  while (machine.run(1000000) == model::Machine::State::Running) {
  }
  if (machine.state() != model::Machine::State::Done)
    return Error(std::string(text(machine.state())) + " at pc " + std::to_string(machine.fault().pc) + " kind " +
                 std::to_string(static_cast<int>(machine.fault().info.kind)));
  RunResult result;
  std::memcpy(buffer.data(), memory->at(buffer_at), buffer.size());
  result.buffer = std::move(buffer);
  result.warp_instructions = machine.counters().warp_instructions;
  result.thread_instructions = machine.counters().thread_instructions;
  return result;
}

std::string kernel_on_words(const std::string& body, const std::string& result, const std::string& functions) {
  return R"(.version 8.3
.target sm_80
.address_size 64
)" + functions +
         R"(
.visible .entry k(.param .u64 out)
{ .reg .b32 %r<80>; .reg .f64 %f<8>; .reg .b64 %rd<8>; .reg .pred %p<8>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4];
)" + body +
         "\n  st.global.u32 [%rd1], " + result + ";\n  ret;\n}\n";
}

std::vector<uint32_t> run_on_words(const formats::Cubin& cubin) {
  std::vector<uint32_t> words(64);
  for (uint32_t n = 0; n < 64; n++) words[n] = n * 0x9e3779b9u ^ n << 13;
  std::vector<uint8_t> buffer(words.size() * 4);
  std::memcpy(buffer.data(), words.data(), buffer.size());
  const auto result = run_on_model(cubin, "k", buffer, {}, {});
  EXPECT_TRUE(result.ok()) << result.error().message();
  if (result) std::memcpy(words.data(), result->buffer.data(), buffer.size());
  return words;
}

}  // namespace heddle::compiler::test
