// SPDX-License-Identifier: Apache-2.0
// The model's side of the device contract: control registers, rings of commands in host memory,
// copies, completion records, the interrupt. Read contract.def for what each means.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/contract.h"
#include "presets/preset.h"
#include "sim/model/machine.h"

namespace heddle::model {

struct ProcessorStats {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
};

// Not thread-safe: one thread at a time.
class Processor {
 public:
  static Result<std::unique_ptr<Processor>> create(const Preset& preset);

  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value);
  // Works until the interrupt line is up (true), nothing is left to do, or about `max_cycles` warp
  // instructions have run.
  bool wait(uint64_t max_cycles);

  ProcessorStats stats() const;
  Machine& machine() { return machine_; }
  DeviceMemory& memory() { return memory_; }

 private:
  struct Ring {
    uint64_t address = 0;
    uint32_t entries = 0, head = 0, tail = 0;
  };

  Processor(const Preset& preset, DeviceMemory memory);

  bool interrupt() const { return (irq_status_ & irq_enable_) != 0; }
  bool fetch();
  void begin();
  void launch();
  void finish_kernel(Machine::State state);
  void copy();
  void complete(uint32_t status);
  void reset();
  uint32_t* setting(uint32_t offset);
  uint32_t fixed(uint32_t offset) const;
  uint32_t progress(uint32_t offset);
  uint32_t fault(uint32_t offset) const;
  uint32_t ring_register(uint32_t offset) const;
  uint32_t sm_register(uint32_t offset) const;

  const Preset preset_;
  DeviceMemory memory_;
  Machine machine_;
  std::vector<Ring> rings_;
  size_t ring_ = 0;  // whose turn it is
  contract::Command command_{};
  uint64_t first_cycle_ = 0;
  bool executing_ = false;  // command_ is under way
  bool faulted_ = false;
  uint32_t irq_status_ = 0, irq_enable_ = 0;
  uint64_t code_base_ = 0, cycle_limit_ = 0, mem_size_;
  uint32_t code_size_ = 0;
  uint32_t sched_policy_ = 0, yield_branches_, max_warps_, alu_latency_, l1_enable_ = 1;
  uint32_t cycles_high_ = 0;  // latched
  uint32_t blocks_total_ = 0;
  FaultRecord fault_;
  std::vector<uint64_t> waiting_, resident_;  // by SM, as a kernel was stopped
  ProcessorStats finished_;                   // of earlier kernels
};

}  // namespace heddle::model
