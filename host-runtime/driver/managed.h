// SPDX-License-Identifier: Apache-2.0
// Managed memory: allocations that the host reaches by their device addresses. The host's pages lie in the window of
// addresses that is kept free for device memory. The contents are in one place at a time: they go to the device with
// the first work that may use them and come home when the host waits, which is what CUDA promises where
// concurrentManagedAccess is 0. This class knows the allocations and where they are; the context moves them.
// Variables marked __managed__ travel with them; the host has those in the program's own memory.
// Nothing outside of that window is ever mapped or protected: a program may have taken the addresses before.
#pragma once

#include <cstdint>
#include <map>

#include "heddle/result.h"
#include "heddle/sizes.h"

namespace heddle::driver {

// Sets addresses of the process aside, so that the host never gets one that means device memory. It costs nothing, and
// lasts. False: some of them are in use, and none was taken.
bool reserve_window(uint64_t address, uint64_t bytes);

class ManagedMemory {
 public:
  static constexpr uint64_t kPage = 4096;  // of the host

  struct Allocation {
    uint64_t bytes = 0;  // in add() as requested; then whole pages, which travel: as far as protection reaches
    uint64_t heap = 0;   // where the device's allocation begins; 0: a variable
    uint64_t host = 0;   // where the host has the bytes; in add() the allocation's address
  };

  ManagedMemory() = default;
  ~ManagedMemory();
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;

  // Bytes to ask the heap for, so that whole pages fit, and where among them the allocation begins.
  static uint64_t heap_bytes(uint64_t bytes);
  static uint64_t first_page(uint64_t heap) { return round_up(heap, kPage); }

  // What reserve_window() has set aside; nothing at first.
  void set_window(uint64_t address, uint64_t bytes) { window_ = address, window_bytes_ = bytes; }
  // Gives the host pages at `address`, filled with zeros. Error: they are not all in the window.
  Status add(uint64_t address, const Allocation& allocation);
  // A variable, which the host has at `host`.
  void add_variable(uint64_t address, uint64_t bytes, uint64_t host) { allocations_[address] = {bytes, 0, host}; }
  void remove_variable(uint64_t address) { allocations_.erase(address); }
  // Takes them away; the heap's address, 0 when `address` begins no managed allocation.
  uint64_t remove(uint64_t address);

  // Whether some byte of the range is managed.
  bool overlaps(uint64_t address, uint64_t bytes) const;
  const std::map<uint64_t, Allocation>& allocations() const { return allocations_; }

  bool on_device = false;  // where the contents are, once all submitted work is done

 private:
  std::map<uint64_t, Allocation> allocations_;  // by address
  uint64_t window_ = 0, window_bytes_ = 0;
};

}  // namespace heddle::driver
