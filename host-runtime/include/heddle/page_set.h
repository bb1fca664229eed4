// SPDX-License-Identifier: Apache-2.0
// Which pages of a memory were written: a bit for each 4 KiB. Not safe for several threads.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

class PageSet {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  // Of a memory of `bytes` bytes; empty.
  explicit PageSet(uint64_t bytes) : in_((bytes + kPageBytes - 1) / kPageBytes) {}

  // The page of the byte at `offset`, which must be inside.
  void add(uint64_t offset) { in_[offset / kPageBytes] = true; }
  bool has(uint64_t page) const { return page < in_.size() && in_[page]; }
  uint64_t pages() const { return in_.size(); }
  // The pages of [offset, offset + bytes), which must be inside.
  void add(uint64_t offset, uint64_t bytes) {
    for (uint64_t at = offset; at < offset + bytes; at = (at / kPageBytes + 1) * kPageBytes) add(at);
  }
  // Takes `count` pages from `first` on out of the set; out[i]: whether page first + i was in it.
  void take(uint64_t first, uint64_t count, uint8_t* out) {
    for (uint64_t i = 0; i < count; ++i) {
      out[i] = has(first + i);
      if (out[i]) in_[first + i] = false;
    }
  }

 private:
  std::vector<bool> in_;
};

}  // namespace heddle
