// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/transfer.h"

#include <cstring>
#include <functional>

#include "heddle/sizes.h"
#include "host-runtime/runtime/properties.h"

namespace heddle::cudart {
namespace {

using driver::Context;
using driver::Sequence;

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

// Bytes from the first to one past the last of the box, as laid out on `side`.
size_t extent(const Side& side, const Box& box) {
  const size_t rows = add_sizes(multiply_sizes(box.depth - 1, side.slice_rows), box.height);
  return add_sizes(multiply_sizes(rows - 1, side.pitch), box.width);
}

char* row(const Side& side, size_t y, size_t z) {
  return static_cast<char*>(side.pointer) + (z * side.slice_rows + y) * side.pitch;
}

// Rows that lie without a gap on both sides are one row.
Box flatten(Box box, const Side& a, const Side& b) {
  if (a.pitch == box.width && b.pitch == box.width &&
      (box.depth == 1 || (a.slice_rows == box.height && b.slice_rows == box.height)))
    return {box.width * box.height * box.depth, 1, 1};
  return box;
}

template <typename F>
Status each_row(const Box& box, F&& body) {
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y)
      if (Status ok = body(y, z); !ok) return ok;
  return {};
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

cudaError_t find_ends(Context& c, const Side& dst, const Side& src, const Box& box, cudaMemcpyKind kind, Ends& ends) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (!dst.pointer || !src.pointer) return cudaErrorInvalidValue;
  ends.to_device = c.in_device_window(address(dst.pointer));
  ends.from_device = c.in_device_window(address(src.pointer));
  // Host to host is taken like the default: addresses tell, as on silicon.
  const bool wants_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool wants_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  // The device's end must be on the device; the host's may be anywhere.
  if ((wants_to && !ends.to_device) || (wants_from && !ends.from_device)) return cudaErrorInvalidValue;
  if (ends.to_device && !c.is_allocated(address(dst.pointer), extent(dst, box))) return cudaErrorInvalidValue;
  if (ends.from_device && !c.is_allocated(address(src.pointer), extent(src, box))) return cudaErrorInvalidValue;
  return cudaSuccess;
}

// Host memory that the program may change as soon as the call returns.
bool pageable(const State& state, const Side& side, const Box& box) {
  return !state.host_range(side.pointer, extent(side, box));
}

// A staged copy reads the source before it returns: the rows alone, for what lies between them may not be there.
Status to_device(const State& state, Context& c, const Side& dst, const Side& src, const Box& box, bool stage) {
  std::shared_ptr<std::vector<char>> copy;
  if (stage && pageable(state, src, box))
    copy = std::make_shared<std::vector<char>>(box.width * box.height * box.depth);
  char* next = copy ? copy->data() : nullptr;
  return each_row(box, [&](size_t y, size_t z) -> Status {
    const char* from = row(src, y, z);
    if (copy) {
      std::memcpy(next, from, box.width);
      from = next;
      next += box.width;
    }
    auto s = c.copy_in(address(row(dst, y, z)), from, box.width, copy);
    return s ? Status{} : Status(s.error());
  });
}

}  // namespace

cudaError_t transfer(State& state, Context& c, Side dst, Side src, Box box, cudaMemcpyKind kind, cudaStream_t handle,
                     Wait wait) {
  Stream* stream = state.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return cudaSuccess;
  if (!find_box(dst, box) || !find_box(src, box)) return cudaErrorInvalidValue;
  dst.pointer = state.device_pointer(dst.pointer);
  src.pointer = state.device_pointer(src.pointer);
  Ends ends;
  if (const cudaError_t e = find_ends(c, dst, src, box, kind, ends); e != cudaSuccess) return e;
  box = flatten(box, dst, src);

  Status submitted;
  bool finish = wait == Wait::Yes;
  if (!ends.to_device && !ends.from_device) {
    if (auto idle = c.synchronize(); !idle) return code(idle.error());
    return code(each_row(box, [&](size_t y, size_t z) -> Status {
      std::memmove(row(dst, y, z), row(src, y, z), box.width);
      return {};
    }));
  }
  if (ends.to_device && ends.from_device) {
    submitted = each_row(box, [&](size_t y, size_t z) -> Status {
      auto s = c.copy_device(address(row(dst, y, z)), address(row(src, y, z)), box.width);
      return s ? Status{} : Status(s.error());
    });
    // Asynchronous to the host in every form, but for what the host may look at next.
    finish = finish && (c.is_managed(address(dst.pointer)) || c.is_managed(address(src.pointer)));
  } else if (ends.to_device) {
    submitted = to_device(state, c, dst, src, box, !finish);
  } else {
    submitted = each_row(box, [&](size_t y, size_t z) -> Status {
      auto s = c.copy_out(row(dst, y, z), address(row(src, y, z)), box.width);
      return s ? Status{} : Status(s.error());
    });
    finish = finish || pageable(state, dst, box);
  }
  if (!submitted) return code(submitted.error());
  stream->last = c.submitted();
  return finish ? code(c.synchronize(stream->last)) : cudaSuccess;
}

cudaError_t fill(State& state, Context& c, Side dst, Box box, int value, cudaStream_t handle) {
  Stream* stream = state.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return cudaSuccess;
  if (!find_box(dst, box)) return cudaErrorInvalidValue;
  dst.pointer = state.device_pointer(dst.pointer);
  if (!c.is_allocated(address(dst.pointer), extent(dst, box))) return cudaErrorInvalidValue;
  const uint32_t pattern = (static_cast<uint32_t>(value) & 0xff) * 0x01010101u;
  box = flatten(box, dst, dst);
  auto submitted = each_row(box, [&](size_t y, size_t z) -> Status {
    auto s = c.fill(address(row(dst, y, z)), pattern, box.width);
    return s ? Status{} : Status(s.error());
  });
  if (!submitted) return code(submitted.error());
  stream->last = c.submitted();
  return c.is_managed(address(dst.pointer)) ? code(c.synchronize(stream->last)) : cudaSuccess;
}

}  // namespace heddle::cudart
