// SPDX-License-Identifier: Apache-2.0
// The runtime block and its FIFO in device memory (firmware/devrt/runtime_block.h): what kernels print and
// assert. Read after every kernel that can print, which is the only time when no kernel writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "firmware/devrt/runtime_block.h"
#include "heddle/result.h"
#include "host-runtime/driver/allocator.h"
#include "host-runtime/driver/queue.h"

namespace heddle::driver {

class PrintfFifo {
 public:
  static constexpr uint64_t kDefaultBytes = 1 << 20;

  // Copies between device and host memory, at once. False: the device failed.
  using Copy = std::function<bool(uint64_t device, void* host, uint64_t bytes)>;

  struct Output {
    std::string standard_output, standard_error;
    unsigned asserts = 0;
    unsigned dropped = 0;
  };

  // Takes memory for the block, which code that is loaded knows by its address.
  Status reserve(DeviceAllocator& heap);
  uint64_t address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  // Code::InvalidValue when the FIFO is in place already: kernels know its size.
  Status resize(uint64_t bytes);

  // Takes memory for the FIFO and writes the block.
  bool placed() const { return fifo_ != 0; }
  Status place(DeviceAllocator& heap, Task& task);

  // Tells kernels of their heap, as the block's fields say it.
  void set_heap(uint64_t address, uint64_t bytes, Task& task);

  // What was printed since the last call; leaves the FIFO empty. `window` is [first, last) of device
  // memory: addresses of texts outside of it are not followed.
  Result<Output> take(const Copy& to_device, const Copy& from_device, uint64_t first, uint64_t last);

 private:
  RuntimeBlock empty_block() const;

  uint64_t address_ = 0, fifo_ = 0;
  uint64_t bytes_ = kDefaultBytes;
  uint64_t heap_ = 0, heap_bytes_ = 0;
};

}  // namespace heddle::driver
