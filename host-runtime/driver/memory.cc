// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/memory.h"

#include "host-runtime/driver/copy_command.h"

namespace heddle::driver {

Result<uint64_t> Memory::allocate(uint64_t bytes) {
  if (const Status ok = outcome_.status(); !ok) return ok.error();
  auto place = allocations_.heap().allocate(bytes);
  if (place || !allocations_.some_freed()) return place;
  if (auto ok = waits_.synchronize(); !ok) return ok.error();
  return allocations_.heap().allocate(bytes);
}

Result<uint64_t> Memory::allocate(uint64_t bytes, const Stream& stream) {
  if (const auto again = allocations_.take_again(bytes, stream)) return *again;
  return allocate(bytes);
}

Result<uint64_t> Memory::allocate_managed(uint64_t bytes) {
  if (const Status ok = outcome_.status(); !ok) return ok.error();
  // What the other allocations hold is at home from now on, so the new one may be.
  if (auto ok = exchange_.bring_home(); !ok) return ok.error();
  auto heap = allocations_.heap().allocate(ManagedMemory::heap_bytes(bytes));
  if (!heap) return heap;
  const uint64_t address = ManagedMemory::first_page(*heap);
  if (auto ok = exchange_.managed().add(address, {bytes, *heap}); !ok) {
    if (auto freed = allocations_.heap().release(*heap); !freed) return freed.error();
    return ok.error();
  }
  return address;
}

Status Memory::release(uint64_t address) {
  if (auto ok = waits_.synchronize(); !ok) return ok;
  const uint64_t heap = exchange_.managed().remove(address);
  return allocations_.heap().release(heap ? heap : address);
}

Status Memory::release(uint64_t address, const Stream& stream) {
  if (!allocations_.begins_at(address) || is_managed(address)) return release(address);
  return allocations_.free_in(stream, address);
}

Status Memory::share_variable(uint64_t address, uint64_t bytes, void* host) {
  if (auto ok = exchange_.bring_home(); !ok) return ok;
  return exchange_.managed().add_variable(address, bytes, host_address(host));
}

Status Memory::unshare_variable(uint64_t address) {
  const Status idle = waits_.wait_idle();
  exchange_.managed().remove_variable(address);
  return idle;
}

}  // namespace heddle::driver
