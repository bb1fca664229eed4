// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/device_runtime.h"

#include <array>
#include <string>
#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::driver {

namespace c = contract;

namespace {
constexpr uint64_t kLockBytes = 4 * formats::kWideLockCount;
}

Status DeviceRuntime::reserve() {
  auto locks = allocations_.heap().allocate(kLockBytes);
  if (!locks) return locks.error().context("locks of atomics");
  locks_ = *locks;
  return printf_.reserve(allocations_.heap());
}

Status DeviceRuntime::place(const Module& module) {
  if (module.locks() && !unlocked_) {
    constexpr std::array<uint8_t, kLockBytes> kFree{};
    Task task;
    task.what = "locks of atomics";
    task.items.push_back(write_item(locks_, kFree.data(), kFree.size()));
    if (const Status written = work_.prepare(std::move(task)); !written) return written;
    unlocked_ = true;
  }
  const bool heap = module.allocates() && !heap_.address();
  if (!heap && (printf_.placed() || !module.prints())) return {};
  Task task;
  task.what = "device runtime";
  Status placed = printf_.place(allocations_.heap(), task);
  if (placed && heap) placed = heap_.place(allocations_.heap(), task);
  if (placed && heap) printf_.set_heap(heap_.address(), heap_.bytes(), task);
  if (task.items.empty()) return placed;
  task.items.back().done = [this](const c::Completion&) { written_ = true; };
  const Status prepared = work_.prepare(std::move(task));
  return placed ? prepared : placed;
}

void DeviceRuntime::take_output() {
  if (!written_) return;
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
