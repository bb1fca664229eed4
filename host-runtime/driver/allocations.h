// SPDX-License-Identifier: Apache-2.0
// Which device memory is in use: what the allocator gave out, and what of it was freed in streams and is not free yet.
// Waits for nothing: whoever waited for a stream says so.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "heddle/result.h"
#include "host-runtime/driver/allocator.h"
#include "host-runtime/driver/stream.h"

namespace heddle::driver {

class Allocations {
 public:
  Allocations(uint64_t base, uint64_t bytes);

  DeviceAllocator& heap() { return heap_; }
  const DeviceAllocator& heap() const { return heap_; }
  uint64_t base() const { return base_; }
  uint64_t bytes() const { return bytes_; }
  // Where memory in use ends, in whole pages, from the base on.
  uint64_t in_use() const;
  // Whether the address lies in device memory at all.
  bool in_window(uint64_t address) const { return address - base_ < bytes_; }
  // [address, address + bytes) lies within one allocation.
  bool contains(uint64_t address, uint64_t bytes) const;
  bool begins_at(uint64_t address) const;
  // Which allocation the address lies shortly behind; empty: none.
  std::string neighbourhood(uint64_t address) const;

  // Behind what the stream holds: nobody may use the allocation that begins there any more.
  Status free_in(const Stream& stream, uint64_t address);
  // The same behind everything that was submitted.
  void free_behind_all(uint64_t address);
  // An allocation of that size that was freed in the stream; it is in use again.
  std::optional<uint64_t> take_again(uint64_t bytes, const Stream& stream);
  bool some_freed() const { return !freed_.empty(); }
  // So many times was memory freed in streams.
  uint64_t frees() const { return frees_; }
  // After a wait for that stream, or for all: what was freed there before the wait, up to that count, is free. What the
  // device happens to have ended besides is not looked at, so that addresses do not depend on the host's speed.
  Status reclaim(uint64_t frees, const Stream* stream);

 private:
  static constexpr unsigned kNone = ~0u;
  struct Freed {
    uint64_t count = 0;  // of the frees until then, with it
    uint64_t bytes = 0;
    unsigned stream = 0;  // its number; kNone: no stream's, only a wait for all makes it free
    bool blocking = false;
  };

  uint64_t base_, bytes_;
  DeviceAllocator heap_;
  std::map<uint64_t, Freed> freed_;  // by address
  uint64_t frees_ = 0;
};

}  // namespace heddle::driver
