// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/chosen.h"

#include "host-runtime/device/contract.h"

namespace heddle::driver {

namespace c = contract;

Result<std::unique_ptr<ChosenDevice>> ChosenDevice::open(const heddle_transport* transport,
                                                         const device::OpenOptions& options) {
  auto backend = device::Backend::open(transport, options);
  if (!backend) return backend.error();
  return std::unique_ptr<ChosenDevice>(new ChosenDevice(std::move(*backend)));
}

Status ChosenDevice::take_memory(device::Backend& other, const DeviceAllocator& heap) {
  uint64_t bytes = 0;
  const auto* memory = static_cast<const char*>(other.memory(bytes));
  if (!memory) return Error("the golden model does not give its memory");
  for (const auto& [address, size] : heap.allocations()) {
    if (backend_->load_memory(address, memory + (address - c::kMemoryBase), size)) continue;
    const std::string why = backend_->failure();
    return Error(why.empty() ? "this device cannot take chosen launches: its memory cannot be set" : why);
  }
  return {};
}

Status ChosenDevice::give_memory(device::Backend& other, const DeviceAllocator& heap) {
  uint64_t bytes = 0;
  const auto* memory = static_cast<const char*>(backend_->memory(bytes));
  if (!memory) return Error(backend_->failure());
  for (const auto& [address, size] : heap.allocations())
    if (!other.load_memory(address, memory + (address - c::kMemoryBase), size))
      return Error("the golden model does not take back its memory");
  return {};
}

}  // namespace heddle::driver
