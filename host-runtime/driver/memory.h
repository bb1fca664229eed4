// SPDX-License-Identifier: Apache-2.0
// Device memory as callers get and give it back, managed memory among it. Addresses are device addresses.
#pragma once

#include <cstdint>

#include "heddle/result.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/exchange.h"
#include "host-runtime/driver/outcome.h"
#include "host-runtime/driver/waits.h"

namespace heddle::driver {

class Memory {
 public:
  Memory(Allocations& allocations, Exchange& exchange, Waits& waits, const Outcome& outcome)
      : allocations_(allocations), exchange_(exchange), waits_(waits), outcome_(outcome) {}

  Result<uint64_t> allocate(uint64_t bytes);
  // For work of the stream: memory of the same size that was freed in it before is taken again at once.
  Result<uint64_t> allocate(uint64_t bytes, const Stream& stream);
  // Memory that the host reaches by the same addresses, while the device has no work (managed.h).
  Result<uint64_t> allocate_managed(uint64_t bytes);
  // Waits for all work first, as cudaFree does.
  Status release(uint64_t address);
  // Behind what the stream holds, without waiting: nobody may use the memory any more, and it is free again when a call
  // has waited for the stream, or when there is no other memory left.
  Status release(uint64_t address, const Stream& stream);

  // The addresses that reserve_window() has set aside; without them allocate_managed() fails.
  void set_window(uint64_t address, uint64_t bytes) { exchange_.managed().set_window(address, bytes); }
  // A variable that the host has at `host`, where its contents are now; and its end, when they are there again.
  Status share_variable(uint64_t address, uint64_t bytes, void* host);
  Status unshare_variable(uint64_t address);

  const DeviceAllocator& heap() const { return allocations_.heap(); }
  // Whether the address lies in device memory at all.
  bool in_window(uint64_t address) const { return allocations_.in_window(address); }
  // [address, address + bytes) lies within one allocation.
  bool is_allocated(uint64_t address, uint64_t bytes) const { return allocations_.contains(address, bytes); }
  bool is_managed(uint64_t address, uint64_t bytes = 1) const { return exchange_.managed().overlaps(address, bytes); }

 private:
  Allocations& allocations_;
  Exchange& exchange_;
  Waits& waits_;
  const Outcome& outcome_;
};

}  // namespace heddle::driver
