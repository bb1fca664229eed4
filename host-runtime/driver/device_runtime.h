// SPDX-License-Identifier: Apache-2.0
// What functions of the device runtime need in device memory: runtime block, printf's buffer, malloc's heap; and the
// locks of atomics of 128 bits.
#pragma once

#include <cstdint>

#include "heddle/result.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/device_heap.h"
#include "host-runtime/driver/module.h"
#include "host-runtime/driver/outcome.h"
#include "host-runtime/driver/printf_fifo.h"
#include "host-runtime/driver/work.h"

namespace heddle::driver {

class DeviceRuntime {
 public:
  DeviceRuntime(Allocations& allocations, Work& work, Outcome& outcome)
      : allocations_(allocations), work_(work), outcome_(outcome) {}

  // Takes memory for the runtime block and the locks; before code is loaded.
  Status reserve();
  // Where they lie.
  uint64_t block() const { return printf_.address(); }
  uint64_t locks() const { return locks_; }

  // Bytes; before the first kernel that can print is launched.
  Status set_printf_bytes(uint64_t bytes) { return printf_.resize(bytes); }
  uint64_t printf_bytes() const { return printf_.bytes(); }
  // The same for malloc's heap.
  Status set_heap_bytes(uint64_t bytes) { return heap_.resize(bytes); }
  uint64_t heap_bytes() const { return heap_.bytes(); }

  // Puts in place what functions need that the module calls, for kernels that are launched later.
  Status place(const Module& module);
  // When a task has ended: fetches what kernels printed; a failed assertion becomes the sticky error.
  void take_output();

 private:
  Allocations& allocations_;
  Work& work_;
  Outcome& outcome_;
  PrintfFifo printf_;
  DeviceHeap heap_;
  bool written_ = false;  // the device has the runtime block
  uint64_t locks_ = 0;
  bool unlocked_ = false;  // the locks have been written: nobody has one
};

}  // namespace heddle::driver
