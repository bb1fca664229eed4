// SPDX-License-Identifier: Apache-2.0
// What a profiled launch did, from the monitors (profile_monitors.sv): their DPI calls land in the Profile of the
// device that the calling thread is simulating. A warp's state is told when it changes; its cycles go to the
// instruction that it issues next, those after its last one to that.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host-runtime/device/transport.h"
#include "sim/model/lsu.h"

namespace heddle::rtl {

class Profile {
 public:
  // `cycle`: of the device, as it stands in DPI calls.
  Profile(const uint64_t& cycle, unsigned sub_partitions) : cycle_(cycle), parts_(sub_partitions) {}

  static void select(Profile* profile);
  static Profile* selected();

  void set_wanted(bool on) { wanted_ = on || wrong_; }
  struct Moved {
    uint64_t read = 0, written = 0;  // bytes
    bool operator==(const Moved&) const = default;
  };
  // Every launch is profiled from now on, and what does not add up at its end is told. `moved`: what memory has counted
  // since it was made; null: nothing to compare with.
  void check(std::function<void(const std::string&)> wrong, std::function<Moved()> moved) {
    wrong_ = std::move(wrong);
    moved_ = std::move(moved);
    wanted_ = true;
  }
  bool wanted() const { return wanted_; }
  // `sink`.event may be null: nobody wants them. `first`: cycle of the device's own count that is its cycle 0.
  void set_sink(const heddle_event_sink& sink, uint64_t first) {
    sink_ = sink, first_ = first;
    telling_ &= sink.event != nullptr;
  }
  bool tells() const { return wanted_ && sink_.event; }
  // Called at the start of a launch that is profiled.
  void on_start(std::function<void()> call) { on_start_ = std::move(call); }
  // Of the last launch, up to now; null: none.
  const heddle_profile* result();

  // [local_base, local_end): local memory.
  void start(uint64_t local_base, uint64_t local_end);
  void stop();
  // What the warps of a sub-partition do from this cycle on; kAbsent: nothing.
  static constexpr uint8_t kAbsent = 31;
  void states(unsigned sm, unsigned part, std::span<const uint8_t> states);
  void issue(unsigned sm, unsigned part, unsigned warp, unsigned seq, uint32_t pc, unsigned op, unsigned active,
             unsigned executing);
  // The warp leaves behind this cycle.
  void end(unsigned sm, unsigned part, unsigned warp);
  // `place`: the SM's number, of bytes of memory the channel's.
  void count(heddle_counter counter, uint64_t amount, unsigned place = 0) {
    if (!running_) return;
    result_.counters[counter] += amount;
    if (telling_ && is_told(counter)) tell(HEDDLE_EVENT_COUNT, place, 0, 0, counter, static_cast<unsigned>(amount));
  }

  // Addresses of some lanes of an instruction; `warp`: its slot in the SM.
  struct Lanes {
    unsigned sm, warp, seq;
    unsigned first_lane;
    bool last;  // of the instruction's lanes
    unsigned bytes;
    uint32_t executing, shared;  // by lane, from first_lane on
    const uint32_t* low;
    const uint8_t* high;
  };
  void access(const Lanes& lanes);

  // Of this cycle; `later`: of the next one. By the fields of heddle_event.
  void tell(heddle_event_kind kind, unsigned sm = 0, unsigned warp = 0, unsigned seq = 0, unsigned value = 0,
            unsigned mask = 0, bool later = false) {
    if (!telling_) return;
    const heddle_event event{cycle_ - first_ + (later ? 1 : 0), kind, sm, warp, seq, value, mask, {}};
    sink_.event(sink_.context, &event);
  }
  void tell_block(bool starts, unsigned sm, unsigned slot, unsigned first_warp, const std::array<uint32_t, 3>& index);
  // By the warp's slot in its SM: the last control instruction that it issued.
  void resolve(unsigned sm, unsigned warp);

 private:
  static constexpr bool is_told(heddle_counter counter) {
    return counter == HEDDLE_COUNTER_L1ReadSectors || counter == HEDDLE_COUNTER_L1ReadHits ||
           counter == HEDDLE_COUNTER_LinkReadBytes || counter == HEDDLE_COUNTER_LinkWriteBytes ||
           counter == HEDDLE_COUNTER_DramReadBytes || counter == HEDDLE_COUNTER_DramWriteBytes;
  }

  struct Warp {
    uint8_t state = kAbsent;
    uint64_t since = 0;
    std::array<uint64_t, HEDDLE_STALLS> cycles{};  // since the last issue
    uint32_t last_pc = 0;
    uint32_t control = 0;  // number of its last control instruction
  };
  struct Part {
    std::vector<Warp> warps;
    unsigned resident = 0;
    uint8_t nearest = kAbsent;  // to issue, of the warps' states
    uint64_t since = 0;
  };
  struct Instruction {  // that accesses memory, until its addresses have come
    uint32_t pc = 0;
    isa::Opcode op{};
    model::Access access;
  };

  heddle_profile_line& line(uint32_t pc) { return lines_[pc]; }
  // Null: no launch is profiled, or the monitor has not told of that warp.
  Part* part_of(unsigned sm, unsigned part, unsigned warp);
  void close(Warp& warp, uint64_t until);
  void flush(Warp& warp, uint32_t pc);
  void close(Part& part, uint64_t until);
  void close_all(uint64_t until);
  void check_sums();
  void tell_state(unsigned sm, unsigned warp, uint8_t state, bool later = false);
  // Of a sub-partition's warp, in the SM.
  unsigned slot(unsigned part, size_t warp) const { return static_cast<unsigned>(warp) * parts_ + part; }
  void part_changes(unsigned sm, bool gains, uint64_t at);

  const uint64_t& cycle_;
  unsigned parts_;
  bool wanted_ = false, running_ = false, any_ = false, telling_ = false;
  heddle_event_sink sink_{};
  uint64_t first_ = 0;
  std::function<void()> on_start_;
  std::function<void(const std::string&)> wrong_;
  std::function<Moved()> moved_;
  Moved moved_before_;
  uint64_t began_ = 0, local_base_ = 0, local_end_ = 0;
  std::vector<Part> parts_of_;  // SM by SM
  std::vector<unsigned> busy_;  // sub-partitions of an SM with a warp
  std::vector<uint64_t> busy_since_;
  std::unordered_map<uint64_t, Instruction> memory_;  // by SM, warp slot and number
  std::unordered_map<uint32_t, heddle_profile_line> lines_;
  std::vector<heddle_profile_line> sorted_;
  heddle_profile result_{};
};

}  // namespace heddle::rtl
