// SPDX-License-Identifier: Apache-2.0
// Turns the records that kernels left in the FIFO (runtime_block.h) into text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "heddle/result.h"

namespace heddle::formats {

// Reads `bytes` bytes of device memory at `address`; false when they cannot all be read.
using ReadMemory = std::function<bool(uint64_t address, void* to, size_t bytes)>;

struct FifoOutput {
  std::string standard_output;  // of printf, in the records' order
  std::string standard_error;   // of assert, a line a thread
  unsigned printfs = 0;
  unsigned asserts = 0;
};

// Decodes the records in `fifo`, the FIFO's first min(fifo_head, fifo_bytes) bytes. Formats and texts are
// read from device memory by `read`. A text that cannot be read prints as "(unreadable)", a null one as
// "(null)". An Error only for a record that contradicts the layout (its place is named).
Result<FifoOutput> decode_fifo(std::span<const uint8_t> fifo, const ReadMemory& read);

// One printf: C's formatting of `format` with the packed argument buffer. Arguments that the buffer does
// not hold print as "?".
std::string format_printf(const std::string& format, std::span<const uint8_t> arguments, const ReadMemory& read);

}  // namespace heddle::formats
