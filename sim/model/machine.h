// SPDX-License-Identifier: Apache-2.0
// The functional machine: runs a grid on the preset's SMs, in an order of its own that any CUDA
// program must accept. Residency is the hardware's: blocks share an SM while slots, warps, register
// rows and shared memory last. Every split of every warp makes progress.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presets/preset.h"
#include "sim/model/block.h"
#include "sim/model/decode.h"
#include "sim/model/memory.h"
#include "sim/model/observer.h"

namespace heddle::model {

struct MachineSettings {
  uint32_t max_warps = ~0u;        // resident warps an SM
  uint32_t yield_branches = 64;    // backward branches after which a split gives way
  uint64_t instruction_limit = 0;  // warp instructions of a kernel; 0: none
};

struct FaultRecord {
  FaultInfo info;
  uint32_t sm = 0, warp = 0, thread = 0, pc = 0;
  uint32_t ctaid[3] = {};
};

struct KernelCounters {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;  // active and guarded lanes
  uint64_t blocks_done = 0;
};

// Not thread-safe. Floating point runs in the host's default environment (the caller's MXCSR is
// kept away).
class Machine {
 public:
  enum class State { Idle, Running, Done, Fault, Deadlock, Timeout };

  Machine(const Preset::Structure& structure, DeviceMemory& memory);

  // False when a block exceeds an SM. Code at launch.code_base and all settings are taken now.
  bool start(const Launch& launch, const MachineSettings& settings);
  // Runs for about `max_instructions` warp instructions, or to the end of the kernel.
  State run(uint64_t max_instructions);
  State state() const { return state_; }
  // Abandons the kernel.
  void stop();

  // Device cycles: the model counts a warp instruction as one.
  uint64_t cycle() const { return cycle_; }
  // Time that something else than a kernel took.
  void advance(uint64_t cycles) { cycle_ += cycles; }

  const Launch& launch() const { return launch_; }
  const KernelCounters& counters() const { return counters_; }
  const FaultRecord& fault() const { return fault_; }
  const std::vector<Sm>& sms() const { return sms_; }
  // Bit w: warp slot w holds a warp; it waits at a barrier.
  uint64_t resident_warps(uint32_t sm) const;
  uint64_t waiting_warps(uint32_t sm) const;

  void observe(Observer* observer) { observer_ = observer; }

 private:
  struct Place {
    uint32_t first_warp;
    uint32_t shared_base;
  };

  bool fit();
  void fill_slots();
  void run_warp(Sm& sm, Warp& warp, int64_t budget);
  bool choose_split(Warp& warp);
  void count_loop(Warp& warp);
  // Whether the warp's turn is over.
  bool control(Sm& sm, Warp& warp, const Decoded& d, Lanes& l);
  bool memory(Sm& sm, Warp& warp, const Decoded& d, Lanes& l);
  // Whether one let lanes go.
  bool open_barriers(Sm& sm, Block& block);
  void end_block(Sm& sm, Block& block);
  void raise(const Warp& warp, const FaultInfo& info, uint32_t pc);

  const Preset::Structure& structure_;
  DeviceMemory& memory_;
  Launch launch_;
  MachineSettings settings_;
  Code code_;
  std::vector<Sm> sms_;
  std::vector<Place> places_;  // by block slot, for this kernel
  uint64_t next_block_ = 0;
  uint64_t cycle_ = 0;
  State state_ = State::Idle;
  KernelCounters counters_;
  FaultRecord fault_;
  size_t turn_ = 0;        // SM and warp whose turn it is
  size_t idle_turns_ = 0;  // warps in a row that could not move
  Observer* observer_ = nullptr;
  std::vector<Released> released_;
};

}  // namespace heddle::model
