// SPDX-License-Identifier: Apache-2.0
#include "sim/model/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <utility>

namespace heddle::model {

Result<DeviceMemory> DeviceMemory::create(uint64_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return Error("cannot reserve " + std::to_string(bytes) +
                 " bytes for device memory: " + std::string(std::strerror(errno)));
  }
  return DeviceMemory(static_cast<uint8_t*>(data), bytes);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      written_(std::move(other.written_)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(written_, other.written_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (data_) munmap(data_, size_);
}

}  // namespace heddle::model
