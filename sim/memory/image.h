// SPDX-License-Identifier: Apache-2.0
// The contents of device memory: `size` bytes from address `base` on, all zero at first. Pages take host
// memory only once they are written. Not safe for several threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/page_set.h"
#include "heddle/result.h"

namespace heddle::dram {

class Image {
 public:
  // Never fails: if the host cannot map `size` bytes the image is empty and status() says why.
  Image(uint64_t base, uint64_t size);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const Status& status() const { return status_; }
  uint64_t base() const { return base_; }
  uint64_t size() const { return size_; }

  // The bytes [address, address + bytes), or nullptr if any lies outside.
  uint8_t* at(uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - base_;
    return offset < size_ && bytes <= size_ - offset ? bytes_ + offset : nullptr;
  }
  // The same for bytes of one page that are about to be written; written() then has that page.
  uint8_t* to_write(uint64_t address, uint64_t bytes) {
    uint8_t* to = at(address, bytes);
    if (to) written_.add(address - base_), news_.add(address - base_);
    return to;
  }
  const PageSet& written() const { return written_; }
  // Those that were written since they were last taken out of it.
  PageSet& news() { return news_; }

 private:
  uint64_t base_, size_;
  uint8_t* bytes_ = nullptr;
  PageSet written_, news_;
  Status status_;
};

}  // namespace heddle::dram
