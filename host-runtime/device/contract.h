// SPDX-License-Identifier: Apache-2.0
// The device contract in C++: heddle::contract::kRegId and so on, from contract.def (read it for the
// protocol), and the records that travel through host memory.
#pragma once

#include <cstdint>

namespace heddle::contract {

#define HEDDLE_DEVICE(group, name, value, doc) inline constexpr uint64_t k##group##name = value;
#include "host-runtime/device/contract.def"

// One ring entry; `words[kWord…]` hold the fields, 64-bit ones low word first.
struct alignas(64) Command {
  uint32_t words[32] = {};

  void set64(uint64_t word, uint64_t value) {
    words[word] = static_cast<uint32_t>(value);
    words[word + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t get64(uint64_t word) const { return words[word] | uint64_t{words[word + 1]} << 32; }
};
static_assert(sizeof(Command) == kCommandBytes);

// Written by the device when a command ends; `status` turns from 0 last.
struct alignas(32) Completion {
  uint32_t tag = 0;
  uint32_t status = 0;       // kStatus…
  uint64_t first_cycle = 0;  // device cycles when the command began and ended
  uint64_t last_cycle = 0;
  uint64_t reserved = 0;
};
static_assert(sizeof(Completion) == kCompletionBytes);

}  // namespace heddle::contract
