// SPDX-License-Identifier: Apache-2.0
// The heap of device memory: hands out address ranges, never touches the memory itself. Best fit with
// coalescing; every address and size is a multiple of kGranule. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "heddle/result.h"

namespace heddle::driver {

struct Range {
  uint64_t address = 0;
  uint64_t bytes = 0;  // as requested
};

class DeviceAllocator {
 public:
  static constexpr uint64_t kGranule = 256;

  // Both multiples of kGranule.
  DeviceAllocator(uint64_t base, uint64_t bytes);

  // At least one byte. Code::MemoryAllocation when no hole is large enough; the message says how much is free and how
  // large the largest hole is.
  Result<uint64_t> allocate(uint64_t bytes);

  // Code::InvalidValue; the message tells a double free, a pointer into an
  // allocation, and an address never allocated apart.
  Status release(uint64_t address);

  // The allocation that holds `address`.
  std::optional<Range> find(uint64_t address) const;
  // The live allocation that ends nearest below `address`, for messages.
  std::optional<Range> before(uint64_t address) const;

  uint64_t total() const { return total_; }
  uint64_t free() const { return free_bytes_; }
  uint64_t largest_hole() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }
  // One past the highest byte that was ever part of an allocation.
  uint64_t high_water() const { return high_water_; }
  size_t live() const { return live_.size(); }
  // The allocations: bytes as requested, by address.
  const std::map<uint64_t, uint64_t>& allocations() const { return live_; }

 private:
  void insert_hole(uint64_t address, uint64_t bytes);
  void erase_hole(std::map<uint64_t, uint64_t>::iterator hole);

  uint64_t total_, free_bytes_, high_water_;
  std::map<uint64_t, uint64_t> holes_;               // address -> bytes
  std::set<std::pair<uint64_t, uint64_t>> by_size_;  // bytes, address
  std::map<uint64_t, uint64_t> live_;                // address -> bytes as requested
  std::set<uint64_t> released_;                      // addresses freed and not handed out since
};

}  // namespace heddle::driver
