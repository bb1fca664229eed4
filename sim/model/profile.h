// SPDX-License-Identifier: Apache-2.0
// What a launch did on the functional machine, for heddle_transport::profiled: all that needs no clock.
#pragma once

#include <cstdint>
#include <vector>

#include "host-runtime/device/transport.h"
#include "sim/model/observer.h"

namespace heddle::model {

// Sectors of 32 bytes that lanes of `mask` touch, each counted once.
uint32_t sectors(const Access& access, Mask mask);
// Cycles of 32 banks of 4 bytes that lanes of `mask` need: in each a bank gives one word, to all lanes that want it.
// Half warps of 8 bytes a lane follow each other, and quarter warps of 16.
uint32_t wavefronts(const Access& access, Mask mask);

// Lanes in local memory, which has `bytes` bytes from `base` on: of its instructions all, of those with generic
// addresses these.
Mask local_lanes(isa::Opcode op, const Access& access, uint64_t base, uint64_t bytes);

// Counts an instruction's access to memory, but to constants; `local`: its lanes in local memory.
void count_access(heddle_profile& profile, heddle_profile_line& line, MemoryClass kind, const Access& access,
                  Mask local);

// Counts an instruction that a warp executes: `active` lanes are there, for `mask` of them its guard holds.
void count_issue(heddle_profile& profile, heddle_profile_line& line, isa::Opcode op, Mask active, Mask mask);

class Profile : public Observer {
 public:
  // Of a launch that starts now; what was counted before is gone.
  void begin(const Launch& launch);
  // As far as the launch is; null: there was none. Valid until the next instruction.
  const heddle_profile* take();

  void block_started(const Block& block) override;
  void block_ended(const Block&) override {}
  void issued(const Warp& warp, const Decoded& d, uint32_t pc, Mask active, Mask mask) override;
  void executed(const Warp& warp, const Decoded& d, Mask mask, const Access* access) override;
  void released(const Released&) override {}

 private:
  void add(heddle_counter counter, uint64_t amount) { profile_.counters[counter] += amount; }

  bool any_ = false;
  heddle_profile profile_{};
  std::vector<heddle_profile_line> lines_;  // of every instruction of the code
  std::vector<heddle_profile_line> taken_;  // of those that ran
  heddle_profile_line* line_ = nullptr;     // of the instruction that executes
};

}  // namespace heddle::model
