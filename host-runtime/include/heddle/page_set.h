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

 private:
  std::vector<bool> in_;
};

}  // namespace heddle
