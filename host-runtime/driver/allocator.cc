// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/allocator.h"

#include <cinttypes>
#include <cstdio>

#include "heddle/sizes.h"

namespace heddle::driver {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

}  // namespace

DeviceAllocator::DeviceAllocator(uint64_t base, uint64_t bytes) : total_(bytes), free_bytes_(0), high_water_(base) {
  if (bytes) insert_hole(base, bytes);
}

void DeviceAllocator::insert_hole(uint64_t address, uint64_t bytes) {
  holes_[address] = bytes;
  by_size_.insert({bytes, address});
  free_bytes_ += bytes;
}

void DeviceAllocator::erase_hole(std::map<uint64_t, uint64_t>::iterator hole) {
  by_size_.erase({hole->second, hole->first});
  free_bytes_ -= hole->second;
  holes_.erase(hole);
}

Result<uint64_t> DeviceAllocator::allocate(uint64_t bytes) {
  if (bytes == 0) return Error("an allocation of 0 bytes", Code::InvalidValue);
  const uint64_t need = bytes > total_ ? 0 : round_up(bytes, kGranule);
  const auto fit = need ? by_size_.lower_bound({need, 0}) : by_size_.end();
  if (fit == by_size_.end())
    return Error("out of memory: " + std::to_string(bytes) + " bytes asked for, " + std::to_string(free_bytes_) +
                     " of " + std::to_string(total_) + " free, the largest piece " + std::to_string(largest_hole()),
                 Code::MemoryAllocation);
  const auto [hole_bytes, address] = *fit;
  erase_hole(holes_.find(address));
  if (hole_bytes > need) insert_hole(address + need, hole_bytes - need);
  live_[address] = bytes;
  released_.erase(released_.lower_bound(address), released_.lower_bound(address + need));
  if (address + need > high_water_) high_water_ = address + need;
  return address;
}

Status DeviceAllocator::release(uint64_t address) {
  const auto it = live_.find(address);
  if (it == live_.end()) {
    if (released_.count(address)) return Error(hex(address) + " was freed before", Code::InvalidValue);
    if (const auto inside = find(address))
      return Error(hex(address) + " points " + std::to_string(address - inside->address) +
                       " bytes into the allocation at " + hex(inside->address),
                   Code::InvalidValue);
    return Error(hex(address) + " is no allocation", Code::InvalidValue);
  }
  uint64_t start = address, bytes = round_up(it->second, kGranule);
  live_.erase(it);
  released_.insert(address);
  const auto above = holes_.find(start + bytes);
  if (above != holes_.end()) {
    bytes += above->second;
    erase_hole(above);
  }
  auto below = holes_.lower_bound(start);
  if (below != holes_.begin() && (--below, below->first + below->second == start)) {
    start = below->first;
    bytes += below->second;
    erase_hole(below);
  }
  insert_hole(start, bytes);
  return {};
}

std::optional<Range> DeviceAllocator::find(uint64_t address) const {
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) return std::nullopt;
  --it;
  if (address - it->first >= it->second) return std::nullopt;
  return Range{it->first, it->second};
}

std::optional<Range> DeviceAllocator::before(uint64_t address) const {
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) return std::nullopt;
  --it;
  return Range{it->first, it->second};
}

}  // namespace heddle::driver
