// SPDX-License-Identifier: Apache-2.0
// Where all work is submitted, to streams or behind everything, and the streams themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/counters.h"
#include "host-runtime/driver/engine.h"
#include "host-runtime/driver/outcome.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/setup.h"
#include "host-runtime/driver/stream.h"

namespace heddle::driver {

class Work {
 public:
  Work(device::Backend& backend, Queue& queue, Engine& engine, Setup& setup, const Allocations& allocations,
       const Outcome& outcome, Counters& counters)
      : backend_(backend),
        queue_(queue),
        engine_(engine),
        setup_(setup),
        allocations_(allocations),
        outcome_(outcome),
        counters_(counters) {}

  // Without a stream it waits for everything submitted before. Error: the sticky one.
  Result<Sequence> submit(Task task, Stream* stream);
  // Behind everything submitted before, and in front of everything submitted later.
  Status fence(Task task);
  // The newest of those.
  Sequence last_fence() const { return fence_; }
  // What kernels need on the device, of no stream: it waits for none. Commands that are submitted later wait for it.
  Status prepare(Task task);

  // A mark in the queue: `done` runs when all earlier work has ended, with the device cycle then.
  // `what` is its name in the timeline.
  Result<Sequence> mark(std::function<void(uint64_t cycle)> done, Stream* stream = nullptr, const char* what = "event");
  // Runs `function` on the host after all earlier work. What it throws becomes the sticky error. `when_dropped`: it is
  // called also when the device failed before its turn.
  Result<Sequence> host(Task::Host function, bool when_dropped = false, Stream* stream = nullptr);
  // At once, when a task has ended: an address may be the host's, as `flags` say. False: the device failed.
  bool copy_now(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags);

  std::shared_ptr<Stream> legacy_stream() const { return streams_.legacy(); }
  std::shared_ptr<Stream> open_stream(bool blocking) { return streams_.open(blocking); }
  // Its work goes on.
  void close_stream(const std::shared_ptr<Stream>& stream) { streams_.close(stream, queue_); }
  void wait_for(Stream& stream, Sequence s) { streams_.wait_for(stream, s, queue_); }
  // What the stream's next task waits for, and what a wait for the stream does.
  std::vector<Sequence> before(const Stream& stream) const { return streams_.before(stream); }
  std::vector<Sequence> pending(const Stream& stream) const { return streams_.pending(stream); }

  Sequence submitted() const { return queue_.submitted(); }
  // Whether what was submitted so far could run in one order only.
  bool one_order() const { return streams_.one_order() && one_thread_; }

 private:
  Result<Sequence> push(Task task, Stream* stream);

  device::Backend& backend_;
  Queue& queue_;
  Engine& engine_;
  Setup& setup_;
  const Allocations& allocations_;
  const Outcome& outcome_;
  Counters& counters_;
  Streams streams_;
  Sequence fence_ = 0;
  Sequence prepared_ = 0;                     // the newest of prepare()
  std::optional<std::thread::id> submitter_;  // of the first task
  bool one_thread_ = true;                    // submitted all
};

}  // namespace heddle::driver
