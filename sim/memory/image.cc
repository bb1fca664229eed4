// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/image.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace heddle::dram {

Image::Image(uint64_t base, uint64_t size) : base_(base), size_(size), written_(size), news_(size) {
  if (size == 0) return;
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    status_ = Error("cannot map " + std::to_string(size) + " bytes of device memory: " + std::strerror(errno));
    size_ = 0;
    return;
  }
  bytes_ = static_cast<uint8_t*>(p);
}

Image::~Image() {
  if (bytes_) munmap(bytes_, size_);
}

}  // namespace heddle::dram
