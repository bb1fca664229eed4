// SPDX-License-Identifier: Apache-2.0
// Moves managed memory (managed.h) between host and device, as tasks behind all submitted work.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/managed.h"
#include "host-runtime/driver/work.h"

namespace heddle::driver {

class Exchange {
 public:
  Exchange(device::Backend& backend, Work& work) : backend_(backend), work_(work) {}

  // What is managed; its owner adds and removes while the contents are at home.
  ManagedMemory& managed() { return managed_; }
  const ManagedMemory& managed() const { return managed_; }

  // To the device: in front of work that may use it.
  Status lend();
  // To the host: before it may look.
  Status bring_home();

 private:
  Status move(std::function<void(std::vector<Task::Item>&)> begin, bool to_device);
  // Of these pieces, what the device has written as far as it can tell.
  std::vector<ManagedMemory::Piece> written(std::vector<ManagedMemory::Piece> pieces);

  device::Backend& backend_;
  Work& work_;
  ManagedMemory managed_;
};

}  // namespace heddle::driver
