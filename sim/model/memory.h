// SPDX-License-Identifier: Apache-2.0
// Device memory: a sparse image, so that gigabytes cost only what is touched. Untouched bytes read
// zero.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "heddle/page_set.h"
#include "heddle/result.h"
#include "host-runtime/device/contract.h"

namespace heddle::model {

class DeviceMemory {
 public:
  // An error when the address space cannot be had.
  static Result<DeviceMemory> create(uint64_t bytes);

  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  DeviceMemory(const DeviceMemory&) = delete;
  ~DeviceMemory();

  static constexpr uint64_t kBase = contract::kMemoryBase;

  uint64_t size() const { return size_; }
  uint64_t end() const { return kBase + size_; }
  // All of [address, address + bytes) is memory.
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= kBase && bytes <= size_ && address - kBase <= size_ - bytes;
  }
  // `address` must be inside.
  uint8_t* at(uint64_t address) { return data_ + (address - kBase); }
  const uint8_t* at(uint64_t address) const { return data_ + (address - kBase); }
  // The same for bytes that are about to be written, all of them inside; written() then has their pages.
  uint8_t* to_write(uint64_t address, uint64_t bytes) {
    written_.add(address - kBase, bytes);
    return at(address);
  }
  PageSet& written() { return written_; }

 private:
  DeviceMemory(uint8_t* data, uint64_t size) : data_(data), size_(size), written_(size) {}
  uint8_t* data_;
  uint64_t size_;
  PageSet written_;
};

}  // namespace heddle::model
