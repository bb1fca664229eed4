// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/managed.h"

#include <sys/mman.h>

#include "host-runtime/driver/allocator.h"

namespace heddle::driver {
namespace {

void* host(uint64_t address) { return reinterpret_cast<void*>(address); }

uint64_t pages(uint64_t bytes) { return round_up(bytes, ManagedMemory::kPage); }

// AddressSanitizer's shadow of addresses that nobody has in 64-bit programs lies where device memory does. With
// protect_shadow_gap=0 it may be replaced.
bool sanitizer_has(uint64_t address) {
#ifdef HEDDLE_SANITIZED
  return address >= 0x8fff7000 && address < 0x4092000000;
#else
  return static_cast<void>(address), false;
#endif
}

// The window's own state: reserved, without contents.
void give_back(uint64_t address, uint64_t bytes) {
  mmap(host(address), pages(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace

bool reserve_window(uint64_t address, uint64_t bytes) {
  const int place = sanitizer_has(address) ? MAP_FIXED : MAP_FIXED_NOREPLACE;
  void* window = mmap(host(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | place, -1, 0);
  if (window == MAP_FAILED) return false;
  if (window == host(address)) return true;
  munmap(window, bytes);  // a kernel older than 4.17 takes the address for a wish
  return false;
}

ManagedMemory::~ManagedMemory() {
  for (const auto& [address, allocation] : allocations_)
    if (allocation.heap) give_back(address, allocation.bytes);
}

uint64_t ManagedMemory::heap_bytes(uint64_t bytes) {
  return add_sizes(pages(bytes), kPage - DeviceAllocator::kGranule);
}

Status ManagedMemory::add(uint64_t address, const Allocation& allocation) {
  const uint64_t bytes = pages(allocation.bytes), offset = address - window_;
  if (offset >= window_bytes_ || bytes > window_bytes_ - offset)
    return Error("the program uses addresses of device memory for something else: there is no managed memory",
                 Code::MemoryAllocation);
  if (mprotect(host(address), bytes, PROT_READ | PROT_WRITE) != 0)
    return Error("the host has no memory for so many pages", Code::MemoryAllocation);
  allocations_[address] = {bytes, allocation.heap, address};
  return {};
}

uint64_t ManagedMemory::remove(uint64_t address) {
  const auto it = allocations_.find(address);
  if (it == allocations_.end() || !it->second.heap) return 0;
  const uint64_t heap = it->second.heap;
  give_back(address, it->second.bytes);
  allocations_.erase(it);
  return heap;
}

bool ManagedMemory::overlaps(uint64_t address, uint64_t bytes) const {
  auto next = allocations_.lower_bound(address);
  if (next != allocations_.end() && next->first - address < bytes) return true;
  if (next == allocations_.begin()) return false;
  --next;
  return address - next->first < next->second.bytes;
}

}  // namespace heddle::driver
