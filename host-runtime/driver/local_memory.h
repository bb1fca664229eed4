// SPDX-License-Identifier: Apache-2.0
// Local memory of all resident threads: one place for all kernels, which moves where it has to grow.
#pragma once

#include <cstdint>
#include <map>

#include "heddle/result.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/waits.h"

namespace heddle::driver {

class LocalMemory {
 public:
  LocalMemory(Allocations& allocations, const Queue& queue, Waits& waits)
      : allocations_(allocations), queue_(queue), waits_(waits) {}

  // At least so many, for what is launched from now on.
  Status reserve(uint64_t bytes);
  uint64_t address() const { return address_; }

 private:
  Status free_old();

  Allocations& allocations_;
  const Queue& queue_;
  Waits& waits_;
  uint64_t address_ = 0, bytes_ = 0;
  std::map<Sequence, uint64_t> old_;  // in use until that task ends
};

}  // namespace heddle::driver
