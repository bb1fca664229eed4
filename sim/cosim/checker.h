// SPDX-License-Identifier: Apache-2.0
// The lockstep checker: the golden model replays what the hardware says it did, and compares. One
// thread (the simulation) pushes events; the checker's own thread consumes them from a ring buffer,
// so the simulation waits only when the ring is full.
//
//   auto checker = make_checker(preset, {});
//   checker->push(Event(Issue{…}, cycle));      // simulation thread
//   if (checker->failed()) …                    // any time: one relaxed load
//   if (auto s = checker->drain(); !s) …        // at the end of a kernel
//
// After a mismatch the checker stops: later events are dropped, report() stays.
//
// With HEDDLE_COMPARED=FILE in the environment a checker that ends adds a line to that file: the number of warp
// instructions that it compared, or "mismatch". A test that runs in lockstep demands one that is not 0, and no mismatch
// (tests/run.cmake).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "heddle/page_set.h"
#include "heddle/result.h"
#include "presets/preset.h"
#include "sim/cosim/events.h"

namespace heddle::cosim {

struct CheckerStats {
  uint64_t compared_instructions = 0;   // warp instructions confirmed
  uint64_t compared_memory_events = 0;  // L2, L1, load and shared-store events confirmed
  double cpu_seconds = 0;               // of the checker's thread
};

struct CheckerOptions {
  bool threaded = true;          // false: push() checks at once, in the caller's thread
  size_t ring_events = 1 << 13;  // power of two
};

class Checker {
 public:
  virtual ~Checker() = default;

  // One event, in order. Blocks while the ring is full.
  virtual void push(const Event& event) = 0;

  // A mismatch was found. Cheap: poll it in the simulation loop.
  virtual bool failed() const = 0;

  // Waits until all that was pushed is checked. An error holds report().
  virtual Status drain() = 0;

  // The mismatch in words: SM, warp, lane, PC, instruction, both values, the last retirements.
  // Empty when there is none. Call it after failed() or drain().
  virtual std::string report() = 0;

  // The device was reset or written behind its back: contents of device memory from `address` on,
  // as if the copy engine had written them (for harnesses that load memory directly).
  virtual void write_memory(uint64_t address, const void* data, size_t bytes) = 0;

  // At the end of a run, with the hardware's caches flushed: device memory is the model's, on all pages that either has
  // written. `bytes` is its first byte, `written` what the hardware wrote. An error holds report().
  virtual Status compare_memory(const uint8_t* bytes, const PageSet& written) = 0;

  // Counts so far; consistent after drain().
  virtual CheckerStats stats() const = 0;
};

// An error when the preset's machine cannot be modelled.
Result<std::unique_ptr<Checker>> make_checker(const Preset& preset, const CheckerOptions& options);

}  // namespace heddle::cosim
