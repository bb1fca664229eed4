// SPDX-License-Identifier: Apache-2.0
// Copies between host and device memory, as commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/queue.h"

namespace heddle::driver {

inline uint64_t host_address(const void* p) { return reinterpret_cast<uint64_t>(p); }

// Host memory for a copy to the device. Where it begins within a sector costs the device cycles, so it is always the
// same.
std::shared_ptr<char[]> staging(size_t bytes);

// `flags` say which of the addresses are the host's.
contract::Command copy_command(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags);
// `keep` holds the host memory alive until the copy ended.
Task::Item copy_item(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags,
                     std::shared_ptr<const void> keep);
// To device memory, of bytes that are copied now.
Task::Item write_item(uint64_t destination, const void* bytes, uint64_t size);

}  // namespace heddle::driver
