// SPDX-License-Identifier: Apache-2.0
// From the trace ports to the lockstep checker. The monitors' DPI calls land in the Trace of the device
// that the calling thread is simulating; events of one cycle are put into the checker's order.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cosim/checker.h"
#include "sim/verilator/retire_slices.h"
#include "sim/verilator/trace_digest.h"

namespace heddle::rtl {

class Trace {
 public:
  // No listener when `checker` is null: then the monitors are told so at time zero and never call.
  explicit Trace(cosim::Checker* checker) : checker_(checker) {}

  // The device whose DPI calls this thread makes from here on.
  static void select(Trace* trace);
  static Trace* selected();

  bool wanted() const { return checker_ != nullptr; }

  // From here on: events before reset has ended mean nothing.
  void listen() { listening_ = true; }

  // Hands the events of the cycle that just ended to the checker.
  void end_cycle(uint64_t cycle) {
    if (pending_) flush(cycle);
  }

  // Of the last kernel; 0 without a listener.
  uint64_t digest() const { return digest_.value(); }

  // By the checker's order within a cycle.
  enum Phase { kBegin, kL2, kL1, kLoad, kSharedStore, kRetire, kIssue, kEnd, kPhases };

  template <typename T>
  void add(Phase phase, const T& event) {
    if (!listening_) return;
    events_[phase].emplace_back(event);
    pending_ = true;
  }

  // A slice of a row that retires; the event comes with the row's last one.
  void retire(const cosim::Retire& part, unsigned slice, unsigned lanes) {
    if (!listening_) return;
    if (const auto row = retire_slices_.add(part, slice, lanes)) add(kRetire, *row);
  }

 private:
  void flush(uint64_t cycle);

  cosim::Checker* checker_;
  bool listening_ = false, pending_ = false;
  RetireSlices retire_slices_;
  TraceDigest digest_;
  std::vector<cosim::Event> events_[kPhases];
};

}  // namespace heddle::rtl
