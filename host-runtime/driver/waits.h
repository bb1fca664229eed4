// SPDX-License-Identifier: Apache-2.0
// Waits for work. The host may look at managed memory afterwards, and memory that was freed in a stream is free.
// Each hands out what kernels printed and returns the sticky error if there is one.
#pragma once

#include <functional>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/engine.h"
#include "host-runtime/driver/exchange.h"
#include "host-runtime/driver/outcome.h"
#include "host-runtime/driver/work.h"

namespace heddle::driver {

class Waits {
 public:
  Waits(const Queue& queue, Engine& engine, const Work& work, Exchange& exchange, Allocations& allocations,
        Outcome& outcome)
      : queue_(queue),
        engine_(engine),
        work_(work),
        exchange_(exchange),
        allocations_(allocations),
        outcome_(outcome) {}

  Status synchronize(Sequence s) { return synchronize(std::vector{s}); }
  Status synchronize(const Stream& stream);
  // For what the stream's next task would wait for.
  Status synchronize_before(const Stream& stream) { return synchronize(work_.before(stream)); }
  // For everything submitted before.
  Status synchronize();
  // The same, and until nobody else has submitted anything: no task is left until the lock is given up.
  Status wait_idle();

  // Until it is so; who makes it so calls wake().
  Status wait_until(const std::function<bool()>& reached);
  void wake() { engine_.wake(); }
  // Calls a function without the lock.
  void apart(const std::function<void()>& function) { engine_.apart(function); }

  // Works a little; true when all of them have completed.
  Result<bool> query(Sequence s) { return query(std::vector{s}); }
  Result<bool> query(const Stream& stream) { return query(work_.pending(stream)); }

 private:
  Status synchronize(const std::vector<Sequence>& all);
  Result<bool> query(const std::vector<Sequence>& all);

  const Queue& queue_;
  Engine& engine_;
  const Work& work_;
  Exchange& exchange_;
  Allocations& allocations_;
  Outcome& outcome_;
};

}  // namespace heddle::driver
