// SPDX-License-Identifier: Apache-2.0
// A functional machine with a program in its memory.
#pragma once

#include <memory>

#include "sim/model/machine.h"
#include "tests/unit/model/program.h"

namespace heddle::test {

inline constexpr uint64_t kCode = model::DeviceMemory::kBase;
inline constexpr uint64_t kParams = kCode + 0x10000;
inline constexpr uint64_t kLocal = kCode + 0x40000;
inline constexpr uint64_t kData = kCode + 0x400000;

inline Preset::Structure small_structure() {
  Preset::Structure s{};
  s.row_lanes = 32;
  s.sms = 2;
  s.sub_partitions = 2;
  s.warps_per_sub_partition = 8;
  s.blocks_per_sm = 8;
  s.register_rows = 256;
  s.shared_bytes = 16384;
  s.rings = 2;
  return s;
}

struct Bench {
  Preset::Structure structure = small_structure();
  model::DeviceMemory memory = std::move(*model::DeviceMemory::create(16 << 20));
  model::Machine machine{structure, memory};
  model::Launch launch;
  model::MachineSettings settings;

  explicit Bench(const std::string& program, uint32_t threads = 32, uint32_t blocks = 1) {
    const auto words = assemble(program);
    std::memcpy(memory.at(kCode), words.data(), words.size() * 8);
    launch.registers = 32;
    launch.shared_bytes = 1024;
    launch.local_bytes = 64;
    launch.grid[0] = blocks;
    launch.block[0] = threads;
    launch.param_base = kParams;
    launch.param_bytes = 64;
    launch.const_base = kParams + 0x1000;
    launch.local_base = kLocal;
    launch.code_base = kCode;
    launch.code_size = static_cast<uint32_t>(words.size() * 8);
    launch.mem_end = memory.end();
    param(0, kData);
    settings.instruction_limit = 1000000;
  }

  void param(uint32_t offset, uint64_t value) { std::memcpy(memory.at(kParams + offset), &value, 8); }
  uint32_t& word(uint64_t index) { return *reinterpret_cast<uint32_t*>(memory.at(kData + 4 * index)); }

  model::Machine::State run() {
    if (!machine.start(launch, settings)) return model::Machine::State::Idle;
    while (machine.state() == model::Machine::State::Running) machine.run(10000);
    return machine.state();
  }
};

// R10 = thread in grid (one dimension), R12:R13 = &data[R10].
inline const std::string kPrologue = R"(
  S2R R10, SR_TID.X
  S2R R11, SR_CTAID.X
  S2R R14, SR_NTID.X
  IMAD R10, R11, R14, R10
  MOV R2, c[0][0x0]
  MOV R3, c[0][0x4]
  MOV R15, 4
  IMAD.WIDE R12, R10, R15, R2
)";

}  // namespace heddle::test
