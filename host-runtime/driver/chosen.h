// SPDX-License-Identifier: Apache-2.0
// A device for chosen launches: all else runs on another one, the golden model, which is fast. For each such launch
// memory in use moves over and back, so the device begins with cold caches and the memory of the program's right
// moment.
#pragma once

#include <memory>

#include "host-runtime/device/backend.h"
#include "host-runtime/driver/allocator.h"
#include "host-runtime/driver/queue.h"

namespace heddle::driver {

class ChosenDevice {
 public:
  static Result<std::unique_ptr<ChosenDevice>> open(const heddle_transport* transport,
                                                    const device::OpenOptions& options);

  device::Backend& backend() { return *backend_; }
  Queue& queue() { return queue_; }

  // Gives the device, which was just reset, the allocations' bytes from `other`. Error: it cannot take them.
  Status take_memory(device::Backend& other, const DeviceAllocator& heap);
  // And gives them back. Error: the device has failed.
  Status give_memory(device::Backend& other, const DeviceAllocator& heap);

 private:
  explicit ChosenDevice(std::unique_ptr<device::Backend> backend) : backend_(std::move(backend)), queue_(*backend_) {}

  std::unique_ptr<device::Backend> backend_;
  Queue queue_;
};

}  // namespace heddle::driver
