// SPDX-License-Identifier: Apache-2.0
// The heap of malloc and free on the device (firmware/devrt/heap.inc): its place in device memory. What is in it
// lasts as long as the context.
#pragma once

#include <cstdint>

#include "heddle/result.h"
#include "host-runtime/driver/allocator.h"
#include "host-runtime/driver/queue.h"

namespace heddle::driver {

class DeviceHeap {
 public:
  static constexpr uint64_t kDefaultBytes = 8 << 20;

  // 0 until place().
  uint64_t address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  // Rounded up to whole pages. Code::InvalidValue when the heap is in place already: kernels may hold blocks of it.
  Status resize(uint64_t bytes);

  // Takes memory for heap and page table and writes the table.
  Status place(DeviceAllocator& memory, Task& task);

 private:
  uint64_t address_ = 0;
  uint64_t bytes_ = kDefaultBytes;
};

}  // namespace heddle::driver
