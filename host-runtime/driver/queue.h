// SPDX-License-Identifier: Apache-2.0
// Work for one device in submission order: commands that travel through the device's first ring, and
// host functions between them. Every item has a sequence number; item n completes before n + 1 starts
// to be seen as complete. The device only moves while someone waits here, so a launch returns at once
// and its errors appear at the next synchronisation, as CUDA has it.
//
// A launch has the device to itself: nothing is put into the ring behind it until it ended, so that its
// counters can be read. Not thread-safe: the owner locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/driver/failure.h"
#include "host-runtime/driver/report.h"

namespace heddle::driver {

using Sequence = uint64_t;

class Module;

// Whose launch an item is, for the counters, the status line and the message of a fault.
struct LaunchInfo {
  KernelRun run;  // names, shapes, resources; no counts
  const Module* module = nullptr;
  uint64_t local_bytes = 0;  // of a thread
  uint64_t stack_bytes = 0;  // of them as the limit says; 0: all that the kernel can need is known
};

class Queue {
 public:
  static constexpr uint32_t kEntries = 64;

  struct Item {
    contract::Command command;
    std::function<void()> host;   // if set: runs instead of a command, after all earlier items
    std::function<void()> begin;  // when the command enters the ring; may be empty
    std::function<void(const contract::Completion&)> done;  // after success; may be empty
    std::shared_ptr<const void> keep;                       // host memory that the command reads or writes
    std::shared_ptr<const LaunchInfo> launch;               // a launch: whose
    bool quiet = false;   // without an interrupt: the command behind it tells that both have ended
    bool counted = true;  // false: run_now()'s, without a sequence number
  };

  // Called after each slice of device time while waiting. False: stop waiting (the user interrupted).
  using Observer = std::function<bool()>;

  explicit Queue(device::Backend& backend);

  // Programs the ring and interrupt registers; after opening, and after a reset of the device.
  void start();

  Sequence push(Item item);

  Sequence submitted() const { return submitted_; }
  Sequence completed() const { return completed_; }
  bool done(Sequence s) const { return completed_ >= s; }

  // Works until `s` has completed. On failure, or when the observer stops it, every queued item is
  // dropped and counted as completed; failure() then tells which of both it was. The same when a host function throws:
  // drain() does, too. False also when `s` was never submitted: nothing is left to wait for.
  bool drain(Sequence s);
  // Called once when a command fails, before the items are dropped; `item` is the command that failed
  // (null: the backend failed while nothing was in the ring).
  using FailureHandler = std::function<void(const Failure&, const Item* item)>;
  void set_failure_handler(FailureHandler handler) { on_failure_ = std::move(handler); }

  // From within a host function: runs a command at once. False when it failed.
  bool run_now(const contract::Command& command);
  // From within a host function: nothing that is queued runs any more; drain() returns false.
  void stop() { stopped_ = true; }

  // At most one slice of work (for polling programs). Returns as drain does.
  bool poll();

  // Set once something went wrong; cleared by forget_failure().
  const std::optional<Failure>& failure() const { return failure_; }
  bool interrupted() const { return interrupted_; }
  void forget_failure() {
    failure_.reset();
    stopped_ = false;
  }

  void set_observer(Observer observer) { observer_ = std::move(observer); }
  // The launch that is in the ring, if any.
  const LaunchInfo* launch_running() const { return flight_.empty() ? nullptr : flight_.back().launch.get(); }

 private:
  void run_host(const Item& item);
  void put(Item item);  // into the ring, without ringing the doorbell
  void ring_doorbell();
  void feed();     // moves items into the ring
  bool collect();  // takes finished commands out; false on failure
  bool slice();    // lets the device work; false on failure
  void fail(Failure failure);
  void drop_all();

  device::Backend& backend_;
  Observer observer_;
  FailureHandler on_failure_;
  std::deque<Item> waiting_;
  std::deque<Item> flight_;  // in the ring, oldest first
  std::vector<contract::Command> ring_;
  std::vector<contract::Completion> records_;
  uint32_t tail_ = 0;  // counts commands ever written to the ring since start()
  Sequence submitted_ = 0, completed_ = 0;
  std::optional<Failure> failure_;
  bool interrupted_ = false;
  bool stopped_ = false;
  uint64_t slice_cycles_ = 4096;
  int idle_slices_ = 0;
};

}  // namespace heddle::driver
