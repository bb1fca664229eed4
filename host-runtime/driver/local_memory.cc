// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/local_memory.h"

namespace heddle::driver {

Status LocalMemory::reserve(uint64_t bytes) {
  if (bytes <= bytes_) return {};
  // Kernels that were launched use the old place.
  if (address_) old_[queue_.submitted()] = address_;
  address_ = bytes_ = 0;
  if (auto freed = free_old(); !freed) return freed;
  auto place = allocations_.heap().allocate(bytes);
  if (!place && (!old_.empty() || allocations_.some_freed())) {
    if (auto idle = waits_.wait_idle(); !idle) return idle;
    if (auto freed = free_old(); !freed) return freed;
    place = allocations_.heap().allocate(bytes);
  }
  if (!place) return place.error().context("local memory");
  address_ = *place;
  bytes_ = bytes;
  return {};
}

Status LocalMemory::free_old() {
  while (!old_.empty() && queue_.done_through(old_.begin()->first)) {
    if (auto freed = allocations_.heap().release(old_.begin()->second); !freed) return freed;
    old_.erase(old_.begin());
  }
  return {};
}

}  // namespace heddle::driver
