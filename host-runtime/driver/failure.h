// SPDX-License-Identifier: Apache-2.0
// What a device says when a command does not end well, as read from its registers, and its translation
// into CUDA's error codes and words for a person.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"

namespace heddle::driver {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};
std::string to_string(const Dim3& d);  // "(1,2,3)"

// Warps of one SM when a kernel deadlocked: bit w for warp slot w.
struct SmWarps {
  uint32_t sm = 0;
  uint64_t waiting = 0;   // at a block barrier
  uint64_t resident = 0;  // hold a warp of some block
};

struct Failure {
  uint32_t status = 0;  // contract::kStatus…; 0: the backend itself failed
  uint32_t kind = 0;    // contract::kFault…
  uint32_t sm = 0, warp = 0, thread = 0, pc = 0, code = 0;
  uint64_t address = 0;
  Dim3 block;  // index of the block
  std::vector<SmWarps> warps;
  bool gone = false;         // the device is no longer there
  std::string backend_text;  // of the backend: a lockstep mismatch, an internal error
};

// Reads the fault and warp registers after a command ended with `status`.
Failure read_failure(device::Backend& backend, uint32_t status);

// The kernel that was running, as far as the message needs it.
struct FailureContext {
  std::string kernel;  // demangled; empty when no kernel ran
  Dim3 grid, block_dim;
  std::string instruction;    // disassembly at the PC, may be empty
  std::string source;         // "file.cu:12", may be empty
  std::string function;       // the device function around the PC, when it is not the kernel itself
  std::string neighbourhood;  // how the address relates to the allocations, may be empty
  uint64_t cycle_limit = 0;
  uint64_t local_bytes = 0;  // of a thread
  uint64_t stack_bytes = 0;  // of them as cudaLimitStackSize says; 0: the kernel's stack has a known depth
};

// The sticky error: a code (that of the failure, or HardwareStackError where the stack is full) and the whole message,
// several lines, without a trailing newline.
Error describe(const Failure& failure, const FailureContext& context);

// InvalidPc is also a call through a bad pointer; LaunchFailure: traps, deadlock, bus error, a device that is gone;
// Unknown: the backend failed. The others are named like the failure.
Code cuda_code(const Failure& failure);

}  // namespace heddle::driver
