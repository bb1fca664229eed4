// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/transfer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "heddle/sizes.h"
#include "host-runtime/driver/copy_command.h"
#include "host-runtime/runtime/properties.h"

namespace heddle::cudart {
namespace {

using driver::Context;
using driver::Copies;
using driver::Sequence;

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

// Bytes from the first to one past the last of the box, as laid out on `side`.
size_t extent(const Side& side, const Box& box) {
  const size_t rows = add_sizes(multiply_sizes(box.depth - 1, side.slice_rows), box.height);
  return add_sizes(multiply_sizes(rows - 1, side.pitch), box.width);
}

// Memory that holds the box alone.
Side side_of(char* memory, const Box& box) { return {memory, box.width, box.height}; }

char* row(const Side& side, size_t y, size_t z) {
  return static_cast<char*>(side.pointer) + (z * side.slice_rows + y) * side.pitch;
}

// Slices that lie without a gap on both sides are one slice, such rows of one slice one row.
Box flatten(Box box, const Side& a, const Side& b) {
  if (a.slice_rows == box.height && b.slice_rows == box.height) box = {box.width, box.height * box.depth, 1};
  if (a.pitch == box.width && b.pitch == box.width && box.depth == 1) box = {box.width * box.height, 1, 1};
  return box;
}

template <typename F>
void each_row(const Box& box, F&& body) {
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y) body(y, z);
}

// The slices as the device takes them. Of a fill `src` is the pattern itself: an address without pitches.
std::vector<Copies::Piece> pieces(const Side& dst, const Side& src, const Box& box) {
  std::vector<Copies::Piece> slices;
  slices.reserve(box.depth);
  for (size_t z = 0; z < box.depth; ++z)
    slices.push_back({address(row(dst, 0, z)), address(row(src, 0, z)), box.width, box.height, dst.pitch, src.pitch});
  return slices;
}

// Moves the side's pointer to the box's first byte. False when rows or slices would overlap, the pitch of several rows
// is more than the device allows, or the box does not end below the highest address.
bool find_box(Side& side, const Box& box) {
  const bool rows = box.height > 1 || box.depth > 1;
  if (rows && (side.pitch > kMaxPitch || add_sizes(side.x, box.width) > side.pitch)) return false;
  if (box.depth > 1 && add_sizes(side.y, box.height) > side.slice_rows) return false;
  const size_t row_of_box = add_sizes(multiply_sizes(side.z, side.slice_rows), side.y);
  const size_t offset = add_sizes(multiply_sizes(row_of_box, side.pitch), side.x);
  if (add_sizes(address(side.pointer), add_sizes(offset, extent(side, box))) == kTooLarge) return false;
  side.pointer = static_cast<char*>(side.pointer) + offset;
  return true;
}

// Whether source and destination are on the device, after the direction was checked against them.
struct Ends {
  bool to_device = false, from_device = false;
};

cudaError_t find_ends(const driver::Memory& memory, const Side& dst, const Side& src, const Box& box,
                      cudaMemcpyKind kind, Ends& ends) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (!dst.pointer || !src.pointer) return cudaErrorInvalidValue;
  ends.to_device = memory.in_window(address(dst.pointer));
  ends.from_device = memory.in_window(address(src.pointer));
  // Host to host is taken like the default: addresses tell, as on silicon.
  const bool wants_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool wants_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  // The device's end must be on the device; the host's may be anywhere.
  if ((wants_to && !ends.to_device) || (wants_from && !ends.from_device)) return cudaErrorInvalidValue;
  if (ends.to_device && !memory.is_allocated(address(dst.pointer), extent(dst, box))) return cudaErrorInvalidValue;
  if (ends.from_device && !memory.is_allocated(address(src.pointer), extent(src, box))) return cudaErrorInvalidValue;
  return cudaSuccess;
}

// Host memory that the program may change as soon as the call returns.
bool pageable(const State& state, const Side& side, const Box& box) {
  return !state.host_range(side.pointer, extent(side, box));
}

// Memory that the program may change when the call returns is copied before. Where it lies within a sector would cost
// the device cycles, so that is staged, too, both ways. The rows alone are: what lies between them may not be there.
Result<Sequence> to_device(const State& state, Copies& copies, const Side& dst, const Side& src, const Box& box,
                           driver::Stream& stream) {
  if (!pageable(state, src, box)) return copies.copy(Copies::Direction::In, pieces(dst, src, box), {}, &stream);
  const auto copy = driver::staging(box.width * box.height * box.depth);
  const Side staged = side_of(copy.get(), box);
  each_row(box, [&](size_t y, size_t z) { std::memcpy(row(staged, y, z), row(src, y, z), box.width); });
  return copies.copy(Copies::Direction::In, pieces(dst, staged, box), copy, &stream);
}

// Waits, unless the memory is page-locked and `wait` does not ask for it.
Status to_host(const State& state, Context& c, const Side& dst, const Side& src, const Box& box, bool wait,
               driver::Stream& stream) {
  if (!pageable(state, dst, box)) {
    auto submitted = c.copies().copy(Copies::Direction::Out, pieces(dst, src, box), {}, &stream);
    if (!submitted) return submitted.error();
    return wait ? c.waits().synchronize(*submitted) : Status();
  }
  const auto copy = driver::staging(box.width * box.height * box.depth);
  const Side staged = side_of(copy.get(), box);
  auto submitted = c.copies().copy(Copies::Direction::Out, pieces(staged, src, box), copy, &stream);
  if (!submitted) return submitted.error();
  if (auto done = c.waits().synchronize(*submitted); !done) return done;
  each_row(box, [&](size_t y, size_t z) { std::memcpy(row(dst, y, z), row(staged, y, z), box.width); });
  return {};
}

}  // namespace

cudaError_t transfer(State& state, Context& c, Side dst, Side src, Box box, cudaMemcpyKind kind, cudaStream_t handle,
                     Wait wait) {
  const auto stream = state.work(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return cudaSuccess;
  if (!find_box(dst, box) || !find_box(src, box)) return cudaErrorInvalidValue;
  dst.pointer = state.copied_pointer(dst.pointer);
  src.pointer = state.copied_pointer(src.pointer);
  Ends ends;
  if (const cudaError_t e = find_ends(c.memory(), dst, src, box, kind, ends); e != cudaSuccess) return e;
  box = flatten(box, dst, src);

  bool finish = wait == Wait::Yes;
  if (!ends.to_device && !ends.from_device) {
    // What comes to the stream later finds it done.
    if (auto turn = c.waits().synchronize_before(*stream); !turn) return code(turn.error());
    each_row(box, [&](size_t y, size_t z) { std::memmove(row(dst, y, z), row(src, y, z), box.width); });
    return cudaSuccess;
  }
  if (!ends.to_device) return code(to_host(state, c, dst, src, box, finish, *stream));
  const auto submitted = [&]() -> Result<Sequence> {
    if (!ends.from_device) return to_device(state, c.copies(), dst, src, box, *stream);
    // Asynchronous to the host in every form, but for what the host may look at next.
    finish = finish && (c.memory().is_managed(address(dst.pointer)) || c.memory().is_managed(address(src.pointer)));
    return c.copies().copy(Copies::Direction::Device, pieces(dst, src, box), {}, stream.get());
  }();
  if (!submitted) return code(submitted.error());
  return finish ? code(c.waits().synchronize(*submitted)) : cudaSuccess;
}

void Pattern::write(char* row, size_t bytes) const {
  for (size_t done = 0; done < bytes; done += sizeof word_)
    std::memcpy(row + done, &word_, std::min(sizeof word_, bytes - done));
}

cudaError_t fill(State& state, Context& c, Side dst, Box box, Pattern value, cudaStream_t handle, Wait wait) {
  const auto stream = state.work(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return cudaSuccess;
  if (!find_box(dst, box)) return cudaErrorInvalidValue;
  dst.pointer = state.copied_pointer(dst.pointer);
  // No kernel was given page-locked memory that is still the host's alone.
  const bool on_host = !pageable(state, dst, box);
  if (!on_host && !c.memory().is_allocated(address(dst.pointer), extent(dst, box))) return cudaErrorInvalidValue;
  const Side pattern{reinterpret_cast<void*>(uint64_t{value.word()})};
  box = flatten(box, dst, dst);
  const auto submitted = [&] {
    if (!on_host) return c.copies().fill(pieces(dst, pattern, box), stream.get());
    const auto write = [=](uint64_t) {
      each_row(box, [&](size_t y, size_t z) { value.write(row(dst, y, z), box.width); });
    };
    return c.work().mark(write, stream.get(), "fill");
  }();
  if (!submitted) return code(submitted.error());
  const bool finish = wait == Wait::Yes && (on_host || c.memory().is_managed(address(dst.pointer)));
  return finish ? code(c.waits().synchronize(*submitted)) : cudaSuccess;
}

}  // namespace heddle::cudart
