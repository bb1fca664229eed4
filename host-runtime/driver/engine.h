// SPDX-License-Identifier: Apache-2.0
// Moves a device's queue. With a lock there are two threads: one lets the device work while there is work, one calls
// host functions. The owner's lock is held in every call here, and given up while the device works, a host function
// runs, or a caller waits or works apart; so a program's threads go on meanwhile, and what it submitted happens though
// it never waits.
// Whoever waits lets the device work in its own thread where nobody does: no thread is woken for a short command.
//
// Without a lock nothing moves but in these calls: for tools, and for drivers inside of simulations.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "host-runtime/device/backend.h"
#include "host-runtime/driver/queue.h"

namespace heddle::driver {

class Engine {
 public:
  // `lock` may be null. `thrown`: called, with the lock, with what a host function threw.
  Engine(device::Backend& backend, Queue& queue, std::mutex* lock, std::function<void(const std::string& what)> thrown);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Another device's queue gives up the lock, too, while that device works; and until it is empty, from a task of this
  // one's.
  void serve(device::Backend& backend, Queue& queue);
  void run_empty(Queue& queue);

  // After something was pushed, or what wait_until() looks at has changed.
  void wake() { changed_.notify_all(); }

  // Until the task is done, or everything up to it. False: a signal asks the program to end; only without a lock.
  bool wait(Sequence s);
  bool wait_through(Sequence s);
  bool wait_until(const std::function<bool()>& reached);
  // Until no task is left: then the device rests until the caller gives up the lock.
  bool wait_idle();
  // Until the device rests between two slices of device time, for registers alone.
  void hold();
  // A little: a slice of device time without a lock; with one other threads may take it.
  void poll();
  // Calls a function of the caller's without the lock; stop() and finish() wait for it. At the program's end with the
  // lock, for it needs what the end takes away.
  void apart(const std::function<void()>& function);

  // Ends both threads: nothing moves any more, and who waits is let go.
  void stop();
  // At the program's end: waits for what was submitted, unless a host function calls here or does not end, and
  // stops. Other threads that wait stay where they are. False: some do, or a host function still runs, and this object
  // must stay.
  bool finish();

 private:
  bool may_work() const;
  bool work_without_lock();
  int let_work(device::Backend& backend, uint64_t cycles);
  void call(const Queue::Call& call);
  void run_device();
  void run_hosts();
  void end_threads();
  bool from_host_function() const { return host_thread_.get_id() == std::this_thread::get_id(); }

  Queue& queue_;
  std::mutex* lock_;
  std::function<void(const std::string&)> thrown_;
  std::condition_variable changed_;
  bool busy_ = false;  // some thread lets the device work, without the lock
  int holds_ = 0;      // callers of hold() and wait_idle()
  int waiters_ = 0;
  int apart_ = 0;  // functions that apart() calls
  bool stopping_ = false;
  bool ending_ = false;  // the program
  std::thread device_thread_, host_thread_;
};

}  // namespace heddle::driver
