// SPDX-License-Identifier: Apache-2.0
// Makes a failed command the sticky error, whose message says what is known of its place.
#pragma once

#include <cstdint>
#include <functional>

#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/counters.h"
#include "host-runtime/driver/failure.h"
#include "host-runtime/driver/modules.h"
#include "host-runtime/driver/outcome.h"

namespace heddle::driver {

class Faults {
 public:
  // `recover`: called once the error is known, unless the backend is dead; commands that fail in it are ignored.
  Faults(uint64_t cycle_limit, const Allocations& allocations, const Modules& modules, Counters& counters,
         Outcome& outcome, std::function<void()> recover)
      : cycle_limit_(cycle_limit),
        allocations_(allocations),
        modules_(modules),
        counters_(counters),
        outcome_(outcome),
        recover_(std::move(recover)) {}

  void handle(const Failure& failure, const Task::Item* item);

 private:
  FailureContext context(const Failure& failure, const LaunchInfo* launch) const;

  uint64_t cycle_limit_;
  const Allocations& allocations_;
  const Modules& modules_;
  Counters& counters_;
  Outcome& outcome_;
  std::function<void()> recover_;
  bool recovering_ = false;
};

}  // namespace heddle::driver
