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
#include "host-runtime/device/transport.h"
#include "presets/preset.h"
#include "sim/model/machine.h"
#include "sim/model/profile.h"

namespace heddle::model {

struct ProcessorStats {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
};

// Not thread-safe: one thread at a time.
class Processor {
 public:
  // `host`: copied; null: host addresses are pointers of this process. `seed`: chooses what registers hold before
  // they are written; 0: zero.
  static Result<std::unique_ptr<Processor>> create(const Preset& preset, const heddle_host_port* host = nullptr,
                                                   uint64_t seed = 0);

  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value);
  // Works until the interrupt line is up (true), nothing is left to do, or about `max_cycles` warp
  // instructions have run.
  bool wait(uint64_t max_cycles);

  // As in heddle_transport, for a host port: step, host_done.
  bool step(uint64_t max_cycles);
  void host_done(uint64_t tag, bool error, uint64_t cycles);

  ProcessorStats stats() const;
  // As in heddle_transport.
  void profile(bool on) { profiling_ = on; }
  const heddle_profile* profiled() { return profile_.take(); }
  Machine& machine() { return machine_; }
  DeviceMemory& memory() { return memory_; }
  // All of it is memory that software gave the device (MemSize).
  bool in_memory(uint64_t address, uint64_t bytes) const {
    const uint64_t offset = address - DeviceMemory::kBase;
    return memory_.contains(address, bytes) && offset <= mem_size_ && bytes <= mem_size_ - offset;
  }

 private:
  struct Ring {
    uint64_t address = 0;
    uint32_t entries = 0, head = 0, tail = 0;
  };

  // What the answer of a transfer with host memory is for.
  enum class Transfer { None, Fetch, CopyIn, CopyOut, Record };

  Processor(const Preset& preset, DeviceMemory memory, const heddle_host_port* host, uint64_t seed);

  bool interrupt() const { return (irq_status_ & irq_enable_) != 0; }
  bool advance(uint64_t end);
  bool fetch();
  void begin();
  void launch();
  void finish_kernel(Machine::State state);
  void copy();
  bool copy_in_memory() const;
  void copy_rows();
  bool next_row();
  void row_moved(bool read, bool error);
  void complete(uint32_t status);
  void refuse();
  void finish_command();
  void reset();
  void finish_reset();
  void read_host(Transfer what, uint64_t address, void* to, uint64_t bytes);
  void write_host(Transfer what, uint64_t address, const void* from, uint64_t bytes);
  void transferred(Transfer what, bool error);
  uint32_t* setting(uint32_t offset);
  uint32_t fixed(uint32_t offset) const;
  uint32_t progress(uint32_t offset);
  uint32_t fault(uint32_t offset) const;
  uint32_t ring_register(uint32_t offset) const;
  uint32_t sm_register(uint32_t offset) const;

  const Preset preset_;
  bool hosted_;
  heddle_host_port host_;
  DeviceMemory memory_;
  Machine machine_;
  std::vector<Ring> rings_;
  size_t ring_ = 0;  // whose turn it is
  contract::Command command_{};
  uint64_t first_cycle_ = 0;
  bool executing_ = false;              // a kernel runs
  Transfer transfer_ = Transfer::None;  // of the host port, under way
  uint64_t transfers_ = 0;              // started so far
  contract::Completion record_;
  // Copy, fill: the addresses of the row under way, and rows behind it.
  uint64_t source_ = 0, destination_ = 0, more_rows_ = 0;
  std::vector<uint8_t> bounce_;  // a row between two places of host memory
  bool reset_wanted_ = false;
  bool faulted_ = false;
  uint32_t irq_status_ = 0, irq_enable_ = 0;
  uint64_t code_base_ = 0, cycle_limit_ = 0, mem_size_;
  uint32_t code_size_ = 0;
  uint32_t undefined_;
  uint32_t sched_policy_ = 0, yield_branches_, max_warps_, l1_enable_ = 1;
  uint32_t cycles_high_ = 0;  // latched
  uint32_t blocks_total_ = 0;
  FaultRecord fault_;
  bool profiling_ = false;  // launches from the next one on
  Profile profile_;
  std::vector<uint64_t> waiting_, resident_;  // by SM, as a kernel was stopped
  ProcessorStats finished_;                   // of earlier kernels
};

}  // namespace heddle::model
