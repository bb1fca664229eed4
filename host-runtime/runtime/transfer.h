// SPDX-License-Identifier: Apache-2.0
// The one path of every copy and fill of the API: pointers and directions checked as CUDA does, then
// commands for the device.
#pragma once

#include "host-runtime/runtime/state.h"

namespace heddle::cudart {

// Rows of `width` bytes in `height` rows and `depth` slices; pitches in bytes from row to row, heights in
// rows from slice to slice.
struct Box {
  size_t width = 0, height = 1, depth = 1;
};
struct Side {
  void* pointer = nullptr;
  size_t pitch = 0;
  size_t slice_rows = 0;
  size_t x = 0, y = 0, z = 0;  // where the box begins: byte, row, slice
};

enum class Wait { No, Yes };

// Wait::No is the Async form: a source in pageable memory is read before this returns, a destination in
// pageable memory is complete when it does; page-locked memory is left to the stream.
cudaError_t transfer(State& state, driver::Context& context, Side destination, Side source, Box box,
                     cudaMemcpyKind kind, cudaStream_t stream, Wait wait);

// Four bytes, made of one, two or four: memory is filled with it from a multiple of that many on.
class Pattern {
 public:
  explicit Pattern(uint8_t byte) : word_(byte * 0x01010101u) {}
  explicit Pattern(uint16_t half) : word_(half * 0x00010001u) {}
  explicit Pattern(uint32_t word) : word_(word) {}
  uint32_t word() const { return word_; }
  void write(char* row, size_t bytes) const;

 private:
  uint32_t word_;
};

// `value` into device memory, which is asynchronous in every form, or into managed or page-locked memory, for
// which Wait::Yes waits.
cudaError_t fill(State& state, driver::Context& context, Side destination, Box box, Pattern value, cudaStream_t stream,
                 Wait wait);

}  // namespace heddle::cudart
