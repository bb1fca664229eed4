// SPDX-License-Identifier: Apache-2.0
// Drives memory_system (load/store units, hubs, L2) with warp instructions over the DRAM model, and checks
// all that it does against its own memory: every trace event in order, every response, every store's bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "Vmemory_system.h"
#include "isa/isa.h"
#include "presets/preset.h"
#include "sim/verilator/memory_ports.h"
#include "tests/unit/rtl/memory/atomic_reference.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {

using Row = std::array<uint32_t, 32>;
using Sector = std::array<uint8_t, 32>;

inline constexpr uint64_t kBase = 0x1000000000;
inline constexpr uint64_t kSharedWindow = uint64_t{15} << 32;
inline constexpr uint64_t kLocalWindow = uint64_t{14} << 32;

// A warp instruction as the SM gives it to the load/store unit.
struct Instruction {
  isa::Opcode op = isa::Opcode::Ldg;
  unsigned mod = 0;
  uint8_t warp = 0;
  uint8_t rd = 8;  // 255: none
  uint32_t mask = ~0u;
  uint32_t shared_base = 0;
  std::array<uint64_t, 32> address{};
  std::array<Row, 4> data{};
  // Filled by the bench.
  uint16_t seq = 0;
  // Called for each response row of a load or atomic, if set: index, row.
  std::function<void(unsigned, const Row&)> check;
};

constexpr unsigned memory_mod(isa::MemSize size, isa::CacheOp cache = isa::CacheOp::Ca,
                              isa::MemOrder order = isa::MemOrder::Weak, isa::Scope scope = isa::Scope::Cta) {
  return static_cast<unsigned>(size) | static_cast<unsigned>(cache) << 3 | static_cast<unsigned>(order) << 6 |
         static_cast<unsigned>(scope) << 8;
}
constexpr unsigned atomic_mod(isa::MemSize size, isa::AtomOp op, bool sign) {
  return static_cast<unsigned>(size) | static_cast<unsigned>(op) << 3 | (sign ? 1u : 0u) << 7;
}
constexpr unsigned fence_mod(isa::Scope scope) { return static_cast<unsigned>(scope); }

unsigned size_bytes(unsigned mod);

struct Fault {
  unsigned sm, warp, pc, lane, kind, code;
  uint64_t address;
};

struct KernelSettings {
  uint32_t shared_bytes = 16384, local_bytes = 256;
  uint64_t local_base = kBase + 0x400000, param_base = kBase + 0x300000, const_base = kBase + 0x310000;
  uint32_t param_bytes = 4096;
  bool l1_enable = true;
};

// Where lanes of a warp store to one place: groups of so many follow each other in ascending order, of each the lowest
// lane's value stays. The n-th to store, the last stays:
constexpr unsigned store_group(unsigned bytes) { return bytes == 16 ? 8 : bytes == 8 ? 16 : 32; }
constexpr unsigned storing_lane(unsigned bytes, unsigned n) { return n ^ (store_group(bytes) - 1); }

class MemoryBench : public RtlBench<Vmemory_system> {
 public:
  MemoryBench(uint64_t seed, const KernelSettings& kernel = {}, uint64_t mem_bytes = 16 << 20);

  const Preset& preset() const { return preset_; }
  unsigned sms() const { return static_cast<unsigned>(preset_.structure.sms); }
  unsigned row_lanes() const { return static_cast<unsigned>(preset_.structure.row_lanes); }
  unsigned slices() const { return 32 / row_lanes(); }
  unsigned words() const { return std::max(8u, row_lanes()); }  // that a pass reaches
  unsigned warps() const { return static_cast<unsigned>(preset_.structure.warps_per_sm()); }
  const KernelSettings& kernel() const { return kernel_; }

  // Queues an instruction; warps of an SM are served in the order given.
  void submit(unsigned sm, Instruction instruction);
  // Cycles until all is answered and acknowledged; false and a test failure after `limit`.
  bool run(uint64_t limit = 3000000);
  void step();
  bool idle() const;
  std::string state() const;  // what is under way, for messages
  void kernel_start();
  // Writes the L2 back and compares all of device memory with the reference.
  void flush_and_compare();

  // Both memory and reference.
  void fill_memory(uint64_t address, const std::vector<uint8_t>& bytes);
  uint8_t* reference(uint64_t address) { return golden_.at(address, 1); }
  // Where a lane's local byte lies; byte b of an access at `a` lies at a ^ b.
  uint64_t local_address(unsigned sm, unsigned warp, unsigned lane, uint32_t offset) const;

  std::vector<Fault> faults;
  uint64_t responses = 0, l1_hits = 0, fills = 0, l2_requests = 0;
  uint64_t joins = 0;      // bytes of stores that came with a later one of their warp
  unsigned rsp_stall = 0;  // 1 in n cycles the SM takes no response; 0: never
  dram::Dram& memory() { return memory_.dram(); }

 private:
  struct Flight {
    Instruction in;
    // Global bytes not yet visible, by lanes that store together, in the order in which they do.
    std::array<std::map<uint64_t, uint8_t>, 16> stores;
    bool reduces = false;  // an atomic whose values nobody reads
    bool performed() const {
      for (const auto& s : stores)
        if (!s.empty()) return false;
      return !reduces || seen_lanes == in.mask;
    }
    std::array<std::array<uint8_t, 16>, 32> seen{};
    uint32_t seen_lanes = 0;
    uint32_t stored_lanes = 0;  // shared
    unsigned next_row = 0;
    bool answered = false;
  };
  struct Sm {
    std::deque<Instruction> queue;
    std::map<uint32_t, Flight> flights;  // by warp << 16 | seq
    std::vector<uint16_t> next_seq;
    std::vector<bool> fenced;                               // a fence of the warp is under way
    std::unordered_map<uint64_t, Sector> l1;                // shadow
    std::map<unsigned, std::pair<uint64_t, Sector>> fills;  // read by L2 under an id: sector, data
    std::vector<uint8_t> shared;
  };

  // Space and address of a lane, as the ISA has it.
  struct Place {
    bool shared;
    uint64_t address;
  };
  Place place(unsigned sm, const Instruction& in, unsigned lane) const;
  void offer(unsigned sm);
  void on_l2(unsigned slice);
  void on_l1(unsigned sm);
  void on_load(unsigned sm);
  // Lanes of an instruction read what lies where `from` says.
  void read_now(unsigned sm, Flight* flight, uint32_t lanes, const std::function<const uint8_t*(const Place&)>& from);
  void on_shared_load(unsigned sm);
  void on_shared_store(unsigned sm);
  void on_response(unsigned sm);
  Sector golden_sector(uint64_t sector);
  Flight* flight(unsigned sm, unsigned warp, unsigned seq);

  Preset preset_;
  KernelSettings kernel_;
  rtl::MemoryPorts memory_;
  dram::Image golden_;
  std::vector<Sm> sm_;
};

}  // namespace heddle::test
