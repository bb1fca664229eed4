// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/device_runtime.h"

#include <string>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"

namespace heddle::driver {

namespace c = contract;

Status DeviceRuntime::place(const Module& module) {
  const auto heap = [&] { return module.allocates() && !heap_.address(); };
  const auto printf = [&] { return module.prints() && !printf_.placed(); };
  if (!heap() && !printf()) return {};
  if (auto ok = waits_.wait_between_tasks(); !ok) return ok;
  const auto to_device = [this](uint64_t device, const void* from, uint64_t bytes) {
    return work_.copy_now(device, host_address(from), bytes, c::kFlagSourceHost);
  };
  if (!printf_.placed())
    if (auto ok = printf_.place(allocations_.heap(), to_device); !ok) return ok;
  if (!heap()) return {};
  if (auto ok = heap_.place(allocations_.heap(), to_device); !ok) return ok;
  return printf_.set_heap(heap_.address(), heap_.bytes(), to_device);
}

void DeviceRuntime::take_output() {
  auto output = printf_.take(
      [&](uint64_t device, const void* from, uint64_t bytes) {
        return work_.copy_now(device, host_address(from), bytes, c::kFlagSourceHost);
      },
      [&](uint64_t device, void* to, uint64_t bytes) {
        return work_.copy_now(host_address(to), device, bytes, c::kFlagDestinationHost);
      },
      allocations_.base(), allocations_.base() + allocations_.bytes());
  if (!output) {
    outcome_.fail(output.error());
    return;
  }
  outcome_.print(output->standard_output, output->standard_error);
  if (output->dropped)
    outcome_.print("", "heddle: the printf buffer of " + std::to_string(printf_.bytes()) + " bytes overflowed: " +
                           std::to_string(output->dropped) + " records are lost (cudaLimitPrintfFifoSize)\n");
  if (output->asserts) outcome_.fail(Error("a device-side assertion failed", Code::Assert));
}

}  // namespace heddle::driver
