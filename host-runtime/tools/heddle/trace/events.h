// SPDX-License-Identifier: Apache-2.0
// What a device told of a program's launches, as the driver wrote it (HEDDLE_EVENTS, host-runtime/driver/events.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/result.h"

namespace heddle::tools::trace {

// Cycles of a launch, both included.
struct Window {
  uint64_t first = 0, last = 1999;
};

// Something that lasts from `begin` until `end`.
struct Slice {
  uint64_t begin = 0, end = 0;
  unsigned state = 0;  // of counters.def
};

struct BlockSlice {
  uint64_t begin = 0, end = 0;
  unsigned sm = 0, slot = 0;
  std::string index;  // "(0,0,0)"
};

// An instruction that issued in the window.
struct Instruction {
  unsigned sm = 0, warp = 0, seq = 0;
  uint32_t pc = 0, active = 0;
  uint64_t issued = 0;
  std::optional<uint64_t> executes, retires, resolves;
  unsigned unit = 0;  // where it executes
};

// What an SM counted in a launch's bucket of cycles.
struct SmCounts {
  uint64_t cycle = 0;
  unsigned sm = 0;
  uint64_t issued = 0, warps = 0;  // instructions; warps that are there at the bucket's end
  uint64_t sectors = 0, hits = 0;  // of the L1 cache
  uint64_t read = 0, written = 0;  // bytes from and to the L2 cache
};

// What a channel of memory did.
struct MemoryCounts {
  uint64_t cycle = 0;
  unsigned channel = 0;
  uint64_t read = 0, written = 0;  // bytes
};

// A warp's slot: SM and warp.
using Slot = std::pair<unsigned, unsigned>;

struct Launch {
  std::string name, symbol, grid, block;
  unsigned number = 0, warps_per_sm = 0, bucket = 0;
  uint64_t limit = 0;
  double kilohertz = 1;
  uint64_t start = 0;   // cycle of the device
  uint64_t cycles = 0;  // that it took
  bool completed = false, ended = false;
  std::optional<uint64_t> limited;  // the cycle from which on only the window is there
  std::map<Slot, std::vector<Slice>> states;
  std::vector<BlockSlice> blocks;
  std::vector<Instruction> instructions;  // in the order of their issue
  std::map<uint32_t, std::string> texts;  // of instructions, by pc: place and assembly
  std::map<uint32_t, uint64_t> words;     // their encoding
  std::vector<SmCounts> sms;
  std::vector<MemoryCounts> memory;
};

// The words of states, Nsight Compute's.
const std::vector<std::string>& state_words();
const std::vector<std::string>& unit_names();

// Lines that are cut off, as those of a program that was killed, are left out. What is open at a launch's end ends
// there. Error: a line that is none.
Result<std::vector<Launch>> parse_events(const std::string& text);

}  // namespace heddle::tools::trace
