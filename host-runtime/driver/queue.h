// SPDX-License-Identifier: Apache-2.0
// Work for one device, as tasks that wait for others: groups of commands that travel through the device's first ring,
// and host functions. Tasks are numbered as they are submitted, and wait for smaller numbers only; of those that wait
// for nothing any more the one of the highest priority begins, and of these the smallest. A task's commands enter an
// empty ring and have the device to themselves: so what a program's run costs in cycles depends on the order of its
// tasks, not on the host's speed.
//
//   launch 1, copy 2 after 1, launch 3 after nothing: 1, 2, 3; were 2 a copy after a host function, 1, 3, 2
//
// Knows no threads: work() moves the device by a slice, and whoever calls it decides when (driver/engine.h). Not
// thread-safe: the owner locks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/driver/failure.h"
#include "host-runtime/driver/report.h"

namespace heddle::driver {

// A task's number; 0: none, which counts as done.
using Sequence = uint64_t;

class Module;

// Whose launch a command is, for the counters, the status line and the message of a fault.
struct LaunchInfo {
  KernelRun run;  // names, shapes, resources; no counts
  const Module* module = nullptr;
  uint64_t local_bytes = 0;  // of a thread
  uint64_t stack_bytes = 0;  // of them as the limit says; 0: all that the kernel can need is known
  uint64_t dynamic_shared = 0;
  uint32_t pc = 0;        // of its first instruction
  uint32_t number = 0;    // of the context's launches, from 1
  bool profiled = false;  // the settings choose it
};

struct Task {
  struct Item {
    contract::Command command;
    std::function<void()> begin;                            // when the command enters the ring; may be empty
    std::function<void(const contract::Completion&)> done;  // after success; may be empty
    std::shared_ptr<const void> keep;                       // host memory that the command reads or writes
    std::shared_ptr<const LaunchInfo> launch;               // a launch: whose
  };
  // Called instead of commands; `dropped`: the device failed before its turn came.
  using Host = std::function<void(bool dropped)>;

  std::vector<Item> items;
  // Before the first command enters the ring, which is empty; may still say what the commands are. May be empty.
  std::function<void(std::vector<Item>& items)> begin;
  std::function<void()> control;  // instead of commands: called with an empty ring
  Host host;
  bool host_when_dropped = false;
  int priority = 0;             // smaller ones first
  const char* what = "";        // it does, for the timeline
  std::vector<Sequence> after;  // what must have ended before
  bool after_all = false;       // everything submitted earlier
};

// Abandons all work of the device, empties its caches. False: it does not answer.
bool reset(device::Backend& backend);

class Queue {
 public:
  static constexpr uint32_t kEntries = 64;

  explicit Queue(device::Backend& backend);

  // Programs the ring and interrupt registers; after opening, and after a reset of the device.
  void start();

  Sequence push(Task task);

  Sequence submitted() const { return submitted_; }
  bool done(Sequence s) const { return !tasks_.contains(s); }
  // Everything up to s.
  bool done_through(Sequence s) const { return tasks_.empty() || tasks_.begin()->first > s; }
  bool idle() const { return tasks_.empty(); }

  // A slice of device time, if a command is there to begin or to go on with. False: nothing was.
  bool work();
  // The next host function whose turn has come, if any; one at a time. It is over when host_done() is called.
  struct Call {
    Sequence sequence;
    Task::Host function;
    bool dropped;
  };
  std::optional<Call> next_host();
  void host_done(Sequence s);
  bool host_runs() const { return host_running_ != 0; }

  // Runs a command at once, ahead of what is queued. Only with an empty ring: when a task has ended. False when it
  // failed.
  bool run_now(const contract::Command& command);

  // Drops all tasks: they count as done. Host functions that want to be told are called all the same.
  void drop_all();

  // Called once when a command fails, and all tasks are dropped then; `item` is the command that failed (null: the
  // backend failed while nothing was in the ring).
  using FailureHandler = std::function<void(const Failure&, const Task::Item* item)>;
  void set_failure_handler(FailureHandler handler) { on_failure_ = std::move(handler); }
  // Called after each slice of device time.
  void set_observer(std::function<void()> observer) { observer_ = std::move(observer); }
  // How to let the device work, in place of Backend::wait(): for an owner who gives up a lock meanwhile.
  void set_wait(std::function<int(uint64_t cycles)> wait) { wait_ = std::move(wait); }

  // The launch that is in the ring, if any.
  const LaunchInfo* launch_running() const { return flight_.empty() ? nullptr : flight_.back().launch.get(); }

 private:
  struct Entry {
    Task task;
    size_t unmet = 0;  // tasks that it waits for
    std::vector<Sequence> dependents;
  };

  void make_ready(Sequence s, const Task& task);
  void finish(Sequence s);
  void put(const Task::Item& item, bool interrupt);  // into the ring, without ringing the doorbell
  void ring_doorbell();
  bool choose();   // the task to run; false: there is none
  void feed();     // moves its commands into the ring, if that is empty
  bool collect();  // takes finished commands out; false on failure
  bool slice();    // lets the device work; false on failure
  bool look();     // without an interrupt: what has ended, and whether the device works at all; false on failure
  void fail(Failure failure);

  device::Backend& backend_;
  std::function<void()> observer_;
  std::function<int(uint64_t)> wait_;
  FailureHandler on_failure_;
  std::map<Sequence, Entry> tasks_;           // that are not done
  std::set<std::pair<int, Sequence>> ready_;  // of commands, none of which has begun; by priority
  std::set<Sequence> ready_hosts_;
  std::deque<Call> dropped_hosts_;
  Sequence running_ = 0, host_running_ = 0;
  size_t fed_ = 0;                 // commands of the running task that entered the ring
  std::deque<Task::Item> flight_;  // in the ring, oldest first
  std::vector<contract::Command> ring_;
  std::vector<contract::Completion> records_;
  uint32_t tail_ = 0;  // counts commands ever written to the ring since start()
  Sequence submitted_ = 0;
  uint64_t slice_cycles_ = 4096;
  uint64_t silent_cycles_ = 0;  // since a command ended or began
  int idle_looks_ = 0;
};

}  // namespace heddle::driver
