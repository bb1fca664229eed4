// SPDX-License-Identifier: Apache-2.0
// What the checker does with each event. The golden model executes what was issued on its own
// registers; the bytes a load must have seen come from shadows kept from the memory events: the
// image of device memory as L2 shows it, and each SM's L1. So every legal order of warps, splits
// and memory traffic is accepted, and any wrong value is found at the instruction that made it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "heddle/page_set.h"
#include "presets/preset.h"
#include "sim/cosim/checker.h"
#include "sim/cosim/commands.h"
#include "sim/cosim/events.h"
#include "sim/cosim/history.h"
#include "sim/cosim/in_flight.h"
#include "sim/model/block.h"
#include "sim/model/decode.h"
#include "sim/model/memory.h"

namespace heddle::cosim {

// Where a mismatch is; negative: not known.
struct Place {
  int sm = -1, warp = -1, lane = -1;
  int64_t pc = -1;
};

// Not thread-safe. Floating point must be in the default environment (model/float_environment.h).
class Lockstep {
 public:
  Lockstep(const Preset& preset, model::DeviceMemory memory);

  // Checks one event. False after a mismatch; then report() tells it and nothing more is checked.
  bool handle(const Event& event);
  bool failed() const { return !report_.empty(); }
  const std::string& report() const { return report_; }
  uint64_t compared_instructions() const { return compared_instructions_; }
  uint64_t compared_memory_events() const { return compared_memory_; }
  // Contents that came to the device without an event. Outside of its memory: nothing happens.
  void memory_load(const MemoryLoad& e);
  void write_memory(uint64_t address, const void* data, size_t bytes);
  // Device memory, whose first byte is at `bytes` and of which `written` names what the hardware wrote, is the model's,
  // on all pages that either has written. False: a mismatch, as of handle().
  bool equals_memory(const uint8_t* bytes, const PageSet& written);

 private:
  using Sector = cosim::Sector;
  struct Fill {
    bool valid = false;
    uint64_t sector = 0;
    Sector data{};
  };
  struct WarpTrack {
    InFlightQueue in_flight;
    std::vector<InFlight> reductions;  // their block barrier has not opened; then they are in flight
    uint16_t next_seq = 0;
    uint64_t open_group = 0;  // of asynchronous copies
    Mask running = 0;         // lanes of the last issue
    uint64_t yields = 0;      // times that others were issued while these could go on
    uint64_t forced = 0;      // yields when it last let lanes out of a convergence barrier without the rest
    std::array<uint64_t, isa::kNumConvergenceBarriers> came{};  // yields when the first of those at a barrier came
  };
  struct SmTrack {
    std::vector<WarpTrack> warps;
    std::unordered_map<uint64_t, Sector> l1;
    uint64_t l1_flushes = 0;
    std::vector<bool> shared_written;  // by byte; what nobody wrote holds anything, until a load tells what
    History history;
  };

  // ---- lockstep.cc: kernels, blocks, faults
  bool kernel_start(const KernelStart& e);
  bool kernel_end(const KernelEnd& e);
  bool kernel_complete();
  bool deadlocked();
  bool same_cluster(const model::Block& block, const BlockStart& e) const;
  bool block_start(const BlockStart& e);
  bool block_end(const BlockEnd& e);
  bool fault(const Fault& e);
  void forget();

  // ---- lockstep_issue.cc
  bool issue(const Issue& e);
  bool take(model::Warp& warp, WarpTrack& track, const Issue& e);
  bool explain(const model::Warp& warp, const Issue& e, Mask missing);
  bool force(model::Warp& warp, WarpTrack& track, const Issue& e, Mask missing);
  bool hazards(const WarpTrack& track, const InFlight& now, const Place& place);
  bool execute(model::Warp& warp, InFlight& now, const Place& place);
  bool follow_groups(const model::Warp& warp, const InFlight& now);
  bool issue_memory(model::Warp& warp, InFlight& now, model::Lanes& l);
  void open_barriers(model::Sm& sm, model::Block& block);
  void expect_fault(InFlight& now, uint32_t kind, uint32_t code, uint64_t address, Mask lanes);

  // ---- lockstep_retire.cc
  bool retire(const Retire& e);
  bool retire_row(InFlight& now, const Retire& e, const Place& place);
  bool retire_predicates(InFlight& now, const Retire& e, const Place& place);
  bool retire_last(InFlight& now, const Retire& e, const Place& place);

  // ---- lockstep_memory.cc
  bool l2(const L2& e);
  bool l2_write(const L2& e);
  bool own_l1_follows(const L2& e, const Place& place);
  bool in_order(const InFlight& atomic, const Place& place);
  bool l2_atomic(const L2& e);
  bool l2_atomic(const L2& e, int lane, unsigned offset, size_t operand, size_t fresh, size_t found);
  bool l1(const L1& e);
  bool load(const Load& e);
  bool shared_store(const SharedStore& e);
  bool unwritten(unsigned sm, const InFlight& now, int lane) const;
  void learn_shared(const Retire& e, const InFlight& now, int lane);

  // The bytes of a sector that is about to be written.
  uint8_t* to_write(uint64_t sector);
  bool place_exists(unsigned sm, unsigned warp, const char* what);
  InFlight* find(unsigned sm, unsigned warp, uint16_t seq);
  void sweep(WarpTrack& track);
  bool mismatch(const Place& place, const std::string& what);
  // Nothing is wrong, or a mismatch.
  bool right(const std::string& wrong) { return wrong.empty() || mismatch({}, wrong); }
  // "lane 3 is at 0x40", "lane 3 waits at block barrier 0", …
  std::string standing(const model::Warp& warp, int lane) const;
  std::string where(const Place& place) const;

  const Preset preset_;
  model::DeviceMemory memory_;
  PageSet written_;  // of memory_
  model::Launch launch_;
  model::Code code_;
  std::vector<model::Sm> sms_;
  std::vector<SmTrack> tracks_;
  Commands commands_;
  std::vector<std::array<Fill, 4096>> fills_;  // by client and id
  std::vector<model::Released> released_;
  std::unordered_set<uint64_t> started_;  // blocks of the kernel
  uint64_t blocks_ended_ = 0;
  uint64_t compared_at_start_ = 0;
  bool running_ = false;
  bool faulted_ = false;
  uint64_t cycle_ = 0;
  uint64_t number_ = 0;  // of the event
  uint64_t clock_ = 0;
  uint64_t compared_instructions_ = 0, compared_memory_ = 0;
  std::string report_;
};

}  // namespace heddle::cosim
