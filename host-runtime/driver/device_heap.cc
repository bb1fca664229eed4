// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/device_heap.h"

#include <algorithm>
#include <vector>

#include "firmware/devrt/runtime_block.h"
#include "heddle/sizes.h"
#include "host-runtime/driver/copy_command.h"

namespace heddle::driver {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // far beyond any preset's memory

uint64_t whole_pages(uint64_t bytes) { return round_up(bytes, kHeapPage); }

}  // namespace

Status DeviceHeap::resize(uint64_t bytes) {
  if (address_)
    return Error("malloc's heap is in use: its size was fixed by the first kernel that allocates", Code::InvalidValue);
  bytes_ = whole_pages(std::clamp<uint64_t>(bytes, kHeapPage, kMostBytes));
  return {};
}

Status DeviceHeap::place(DeviceAllocator& memory, Task& task) {
  if (address_) return {};
  const uint64_t table_bytes = sizeof(HeapHeader) + bytes_ / kHeapPage * sizeof(HeapPage);
  auto place = memory.allocate(kHeapPage + bytes_ + table_bytes);
  if (!place)
    return place.error().context("malloc's heap of " + std::to_string(bytes_) + " bytes (cudaLimitMallocHeapSize)");
  address_ = whole_pages(*place);
  const std::vector<uint8_t> table(table_bytes);
  task.items.push_back(write_item(address_ + bytes_, table.data(), table.size()));
  return {};
}

}  // namespace heddle::driver
