// SPDX-License-Identifier: Apache-2.0
// Managed memory: allocations that the host reaches by their device addresses. The host's pages lie in the window of
// addresses that is kept free for device memory. They go to the device with the first work that may use them and come
// home when the host waits, which is what CUDA promises where concurrentManagedAccess is 0. Only pages go over that the
// host has changed, and only bytes come home that the device has: a copy of what both held last tells. This class knows
// the allocations and what is to be moved; Exchange moves it.
// Variables marked __managed__ travel with them; the host has those in the program's own memory.
// Nothing outside of that window is ever mapped or protected: a program may have taken the addresses before.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

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
    // Set by this class: what host and device held last, if that is known; the pages that the device may have changed.
    std::shared_ptr<char> agreed = nullptr;
    bool known = false;
    std::vector<bool> changed = {};
  };
  // Bytes on the device, and the host memory that a copy reads or writes for them; it lives while the copy does.
  struct Piece {
    uint64_t address, bytes;
    std::shared_ptr<char> memory;
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
  Status add_variable(uint64_t address, uint64_t bytes, uint64_t host);
  void remove_variable(uint64_t address) { allocations_.erase(address); }
  // Takes them away; the heap's address, 0 when `address` begins no managed allocation.
  uint64_t remove(uint64_t address);

  // Whether some byte of the range is managed.
  bool overlaps(uint64_t address, uint64_t bytes) const;
  bool empty() const { return allocations_.empty(); }

  // Work was submitted that may write these bytes of the device.
  void device_writes(uint64_t address, uint64_t bytes);
  // The pages that such work may have changed, and none from now on. Neighbours are one piece, without memory.
  std::vector<Piece> take_changed();
  // What of these pieces lies in pages that were written: written[i] tells of page i from `first` on, a multiple of
  // kPage.
  static std::vector<Piece> in_written(const std::vector<Piece>& pieces, uint64_t first,
                                       const std::vector<uint8_t>& written);
  // What the device has to get, so that it holds what the host does: it counts as copied.
  std::vector<Piece> to_device();
  // A piece has come home: the host gets the bytes in it that the device has changed and keeps all others.
  void came_home(const Piece& piece);
  // Memory that begins with a page; null: there is none.
  static std::shared_ptr<char> page_aligned(uint64_t bytes);

  bool on_device = false;  // where the contents are, once all submitted work is done

 private:
  Status keep(uint64_t address, Allocation allocation);

  std::map<uint64_t, Allocation> allocations_;  // by address
  uint64_t window_ = 0, window_bytes_ = 0;
};

}  // namespace heddle::driver
