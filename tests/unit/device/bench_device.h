// SPDX-License-Identifier: Apache-2.0
// A device on the bench: the contract spoken by hand, without driver or compiler, so that a test says
// exactly which registers and commands it uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host-runtime/device/backend.h"
#include "host-runtime/device/contract.h"
#include "isa/isa.h"

namespace heddle::test {

namespace contract = heddle::contract;

class BenchDevice {
 public:
  // `shared_object` and `preset_file` as built; `device` is "model", "rtl" or "lockstep". On failure
  // error() says why and the device must not be used.
  BenchDevice(const std::string& shared_object, const std::string& device, const std::string& preset_file,
              const std::string& inject = "");
  BenchDevice(const std::string& shared_object, const device::OpenOptions& options);

  const std::string& error() const { return error_; }
  device::Backend& backend() { return *backend_; }

  // Puts a command into ring 0 and lets the device run until it completed. Returns its record; status 0
  // when the backend failed or `max_cycles` passed.
  contract::Completion execute(contract::Command command, uint64_t max_cycles = 2'000'000);

  void copy_in(uint64_t to, const void* from, size_t bytes);
  void copy_out(void* to, uint64_t from, size_t bytes);

  template <typename T>
  void write(uint64_t to, const std::vector<T>& data) {
    copy_in(to, data.data(), data.size() * sizeof(T));
  }
  template <typename T>
  std::vector<T> read(uint64_t from, size_t count) {
    std::vector<T> out(count);
    copy_out(out.data(), from, count * sizeof(T));
    return out;
  }

  // Where code lies (PC 0) and where a test may keep data: 64 KiB each, then free memory.
  static constexpr uint64_t kCode = contract::kMemoryBase + 0x10000;
  static constexpr uint64_t kParams = contract::kMemoryBase + 0x20000;
  static constexpr uint64_t kLocal = contract::kMemoryBase + 0x100000;
  static constexpr uint64_t kData = contract::kMemoryBase + 0x800000;

  // Loads the program at PC 0.
  void load(const std::vector<uint64_t>& program);

  struct Launch {
    uint32_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1}, cluster[3] = {0, 0, 0};
    uint32_t registers = 32, shared = 0, local = 0;
    std::vector<uint32_t> params;  // words of constant bank 0
  };
  contract::Completion launch(const Launch& launch, uint64_t max_cycles = 2'000'000);

  void reset();

  uint64_t slice = 10000;  // cycles that execute() waits at a time
  bool eager = false;      // it returns with the record, before the interrupt

 private:
  std::string error_;
  std::unique_ptr<device::Backend> backend_;
  alignas(64) contract::Command ring_[16] = {};
  contract::Completion completion_;
  uint32_t tail_ = 0;
};

// Encoders for hand-written kernels; a wrong one fails the calling test's program load.
namespace code {
using isa::Opcode;

struct Fields {
  std::string name;
  unsigned value;
};
uint64_t reg(Opcode op, unsigned rd, unsigned ra, unsigned rb, unsigned rc = isa::kRz,
             const std::vector<Fields>& mods = {}, unsigned guard = isa::kPt, bool negated = false);
uint64_t imm16(Opcode op, unsigned rd, unsigned ra, int imm, unsigned rc = isa::kRz,
               const std::vector<Fields>& mods = {}, unsigned guard = isa::kPt, bool negated = false);
uint64_t imm32(Opcode op, unsigned rd, unsigned ra, int32_t imm, const std::vector<Fields>& mods = {},
               unsigned guard = isa::kPt, bool negated = false);
uint64_t constant(Opcode op, unsigned rd, unsigned ra, unsigned byte_offset, unsigned rc = isa::kRz,
                  const std::vector<Fields>& mods = {});
}  // namespace code

}  // namespace heddle::test
